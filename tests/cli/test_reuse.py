"""`testimate reuse`: the labels of an old plan judge a new version."""

import json
from pathlib import Path

import numpy as np
import pytest

import testimate
from testimate.core.errors import BadInput

SIZE = 400


@pytest.fixture
def old_plan(tmp_path, monkeypatch, command):
    """An old version's table and plan, votes that name the classes, and a new version whose rows are in another order."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, SIZE)
    sure = rng.uniform(0.5, 1, (2, SIZE)).round(3)
    old, new = (np.where(rng.random(SIZE) < 1 - sure[k], (truth + 1 + k) % 4, truth) for k in range(2))
    order = rng.permutation(SIZE)
    write("old.csv", [f"k{row},c{old[row]},{sure[0, row]}" for row in range(SIZE)])
    write("new.csv", [f"k{row},c{new[row]},{sure[1, row]}" for row in order])
    command.ok("select", "old.csv", "--technique", "rrs", "--budget", 100, "--seed", 1, "--out", "plan.json")
    rows = [draw["row"] for draw in json.loads((tmp_path / "plan.json").read_text())["draws"]]
    write("votes.csv", [f"{row},c{truth[row]}" for row in rows], "row,label")
    return truth, old, new, rows


def write(name, lines, header="key,prediction,confidence"):
    Path(name).write_text("\n".join([header, *lines]) + "\n")


REUSE = ("--plan", "plan.json", "--votes", "votes.csv")


def test_labels_of_every_input_give_the_new_version_s_true_accuracy_and_difference(old_plan, command):
    truth, old, new, _ = old_plan
    command.ok("select", "old.csv", "--technique", "srs", "--budget", SIZE, "--seed", 1, "--out", "plan.json")
    write("votes.csv", [f"{row},c{truth[row]}" for row in range(SIZE)], "row,label")
    found = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    right = (new == truth).mean()
    assert (found["accuracy"], found["low"], found["high"]) == pytest.approx((right, right, right))
    assert found["difference"]["value"] == pytest.approx(right - (old == truth).mean())
    assert found["disagreements"] == {
        "inputs": (old != new).sum(),
        "labeled": (old != new).sum(),
        "labels_to_tell": None,
        "power": 0.9,
    }
    assert (found["headline"], found["reused"], found["labeled"]) == ("fixed", SIZE, SIZE)


def test_accuracies_that_contradict_the_difference_are_explained_and_others_are_not(old_plan, command):
    truth, old, _, rows = old_plan
    unseen = [row for row in range(SIZE) if row not in rows][:4]  # where the two differ; no label says which is right
    near = np.where(np.isin(np.arange(SIZE), unseen), (old + 1) % 4, old)
    sure = np.where(old == truth, 0.97, 0.55)  # which tells the accuracy of all inputs almost exactly
    write("near.csv", [f"k{row},c{near[row]},{sure[row]}" for row in range(SIZE)])
    found, before = (json.loads(command.ok("reuse", one, *REUSE, "--json", "-")) for one in ("near.csv", "old.csv"))
    apart = round(100 * found["accuracy"], 1) - round(100 * before["accuracy"], 1)
    low, high = (100 * found["difference"][end] for end in ("low", "high"))
    assert not low - 0.1 <= apart <= high + 0.1  # four of 400 inputs: at most 1 point
    assert "so don't subtract them" in command.ok("reuse", "near.csv", *REUSE)
    assert "so don't subtract them" not in command.ok("reuse", "old.csv", *REUSE)


def test_part_of_the_labels_says_both_with_intervals_and_what_they_assume(old_plan, command):
    truth, _, new, _ = old_plan
    found = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    assert found["low"] < (new == truth).mean() < found["high"]
    assert found["always_low"] < (new == truth).mean() < found["always_high"]
    assert found["difference"]["low"] < found["difference"]["value"] < found["difference"]["high"]
    said = command.ok("reuse", "new.csv", *REUSE)
    assert "New against old" in said
    kind = "always_" if found["difference"]["headline"] == "always" else ""
    low, high = (100 * found["difference"][f"{kind}{end}"] for end in ("low", "high"))
    assert low < 0 < high
    assert f"between {np.ceil(-10 * low) / 10:.1f} points worse and {np.ceil(10 * high) / 10:.1f} better" in said
    more = found["disagreements"]["labels_to_tell"]
    assert 2 <= more <= found["disagreements"]["inputs"] - found["disagreements"]["labeled"]
    assert f"About {more} labels where they differ" in said
    assert "not trained on these labels or chosen with them" in said


@pytest.mark.usefixtures("old_plan")
def test_labels_that_show_a_difference_are_foretold_before_any_and_after_some(old_plan, command):
    _, old, new, _ = old_plan
    differing = int((old != new).sum())
    asked = ("reuse", "new.csv", "--old", "old.csv", "--power")
    said = command.ok(*asked, 0.8)
    assert f"The versions differ on {differing} inputs of {SIZE}" in said
    assert "show with a 80% chance" in said
    few, many = (json.loads(command.ok(*asked, chance, "--json", "-"))["labels"] for chance in (0.8, 0.95))
    assert list(few) == list(many)
    assert all(few[one] <= many[one] for one in few)
    at = float(list(few)[1]) * SIZE / differing  # the mean gain there, all of which one version alone gets right
    of_many = (1.96 + 0.8416) ** 2 * (1 - at**2) / at**2
    assert list(few.values())[1] == np.ceil(of_many / (1 + of_many / differing))
    both = [json.loads(command.ok(*asked[:-1], *REUSE, "--power", chance, "--json", "-")) for chance in (0.8, 0.95)]
    first, second = (one["disagreements"]["labels_to_tell"] for one in both)
    assert first < second
    found = testimate.reuse("new.csv", plan="plan.json", votes="votes.csv", old="old.csv")
    assert [found.at_power(chance).labels_to_tell for chance in (0.8, 0.95)] == [first, second]
    assert first < found.labels_to_tell < second
    with pytest.raises(BadInput, match="Expected above 0"):
        found.at_power(1.2)
    assert "Expected above 0.5 and below 1" in command.refusal(*asked, 1.2)
    assert "no --power with it" in command.refusal(*asked, 0.9, "--until-decided")


@pytest.mark.usefixtures("old_plan")
def test_the_old_table_may_have_moved_or_be_missing(command, tmp_path):
    beside = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    (tmp_path / "old.csv").rename(tmp_path / "moved.csv")
    named = json.loads(command.ok("reuse", "new.csv", *REUSE, "--old", "moved.csv", "--json", "-"))
    assert named == beside
    lines = (tmp_path / "new.csv").read_text().splitlines()
    ordered = sorted(lines[1:], key=lambda line: int(line.split(",")[0][1:]))
    write("new.csv", ordered)
    alone = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    assert (alone["difference"], alone["disagreements"]) == (None, None)
    assert alone["low"] < beside["accuracy"] < alone["high"]
    assert "The plan's table was not found" in command.ok("reuse", "new.csv", *REUSE)


def test_of_verdicts_right_is_used_and_wrong_only_where_the_new_version_says_the_same(old_plan, command):
    truth, old, new, rows = old_plan
    write("votes.csv", [f"{row},{int(old[row] != truth[row])}" for row in rows], "row,failed")
    found = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    unknown = [row for row in rows if old[row] != truth[row] and new[row] != old[row]]
    assert unknown
    assert (found["labeled"], found["reused"], found["skipped"]) == (100, 100 - len(unknown), len(unknown))
    assert found["low"] <= found["skipped_low"] < found["skipped_high"] <= found["high"]


def test_a_plan_that_was_left_early_has_the_stop_safe_interval_for_its_headline(old_plan, command):
    truth, _, _, rows = old_plan
    write("votes.csv", [f"{row},c{truth[row]}" for row in rows[:60]], "row,label")
    found = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    assert found["headline"] == found["difference"]["headline"] == "always"
    assert "A plan stopped before its end" in command.ok("reuse", "new.csv", *REUSE)


def test_adaptive_rounds_are_used_again_too(old_plan, command, tmp_path):
    truth, _, new, _ = old_plan
    command.ok("select", "old.csv", "--technique", "rra", "--budget", 60, "--seed", 1, "--out", "plan.json")
    drawn = 0
    while True:
        rows = [draw["row"] for draw in json.loads((tmp_path / "plan.json").read_text())["draws"]]
        if len(rows) == drawn:
            break
        drawn = len(rows)
        write("votes.csv", [f"{row},c{truth[row]}" for row in rows], "row,label")
        command.ok("continue", "plan.json", "votes.csv", "--out", "plan.json")
    found = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    assert found["headline"] == "fixed"
    assert found["low"] < (new == truth).mean() < found["high"]


def test_two_plans_are_more_exact_than_one(old_plan, command, tmp_path):
    truth, _, _, _ = old_plan
    one = json.loads(command.ok("reuse", "new.csv", *REUSE, "--json", "-"))
    command.ok("select", "old.csv", "--technique", "srs", "--budget", 100, "--seed", 2, "--out", "second.json")
    rows = [draw["row"] for draw in json.loads((tmp_path / "second.json").read_text())["draws"]]
    write("more.csv", [f"{row},c{truth[row]}" for row in rows], "row,label")
    both = json.loads(
        command.ok("reuse", "new.csv", *REUSE, "--plan", "second.json", "--votes", "more.csv", "--json", "-")
    )
    assert both["high"] - both["low"] < one["high"] - one["low"]
    assert both["standard_error"] < one["standard_error"]


def test_what_cannot_be_used_again_is_refused_in_a_sentence(old_plan, command, tmp_path):
    truth, old, new, rows = old_plan
    assert "no number is honest" in command.refusal("reuse", "new.csv", *REUSE, "--used-for-training")
    assert "3 tables were given. Expected one version" in command.refusal("reuse", *["new.csv"] * 3, *REUSE)
    assert "1 plans and 2 files of votes" in command.refusal("reuse", "new.csv", *REUSE, "--votes", "votes.csv")
    write("other.csv", [f"k{row},dog,0.9" if row < 9 else f"k{row},c{new[row]},0.9" for row in range(SIZE)])
    assert "on 9 inputs, first row 0" in command.refusal("reuse", "other.csv", *REUSE)
    assert "Accuracy" in command.ok("reuse", "other.csv", *REUSE, "--class", "dog")
    shuffled = np.random.default_rng(1).permutation(new)
    write("other.csv", [f"c{said},0.9" for said in shuffled], "prediction,confidence")
    assert "Expected the same inputs in the same order" in command.refusal("reuse", "other.csv", *REUSE)
    write("other.csv", [f"k{row},c{new[row]},0.9" for row in range(90)])
    assert "one of 310 inputs that it lacks" in command.refusal("reuse", "other.csv", *REUSE)
    write("other.csv", [f"k{row},c{old[row]},0.8" for row in range(SIZE)])
    assert "changed after the plan was made" in command.refusal("reuse", "new.csv", *REUSE, "--old", "other.csv")
    write("votes.csv", [f"{row},{int(old[row] != truth[row])}" for row in rows], "row,failed")
    (tmp_path / "old.csv").unlink()
    assert "say right or wrong and not which class" in command.refusal("reuse", "new.csv", *REUSE)
    write("other.csv", [f"c{new[row]},0.9" for row in range(90)], "prediction,confidence")
    assert "The plan is of 400 inputs and the new model predicts 90" in command.refusal("reuse", "other.csv", *REUSE)


def test_rows_in_another_order_without_a_key_are_put_in_order_by_what_is_shown(old_plan, command):
    truth, old, new, _ = old_plan
    order = np.random.default_rng(3).permutation(SIZE)

    def texts(name, said, rows):
        lines = [f"A letter of day {row},c{said[row]},0.8" for row in rows]
        write(name, lines, "text,prediction,confidence")

    texts("old.csv", old, range(SIZE))
    texts("new.csv", new, order)
    command.ok("select", "old.csv", "--technique", "srs", "--budget", SIZE, "--seed", 1, "--out", "plan.json")
    write("votes.csv", [f"{row},c{truth[row]}" for row in range(SIZE)], "row,label")
    status, said, err = command("reuse", "new.csv", *REUSE, "--json", "-")
    assert status == 0
    assert json.loads(said)["accuracy"] == pytest.approx((new == truth).mean())
    assert "inputs in another order, by their content" in err


def test_a_plan_of_another_dataset_is_refused_by_its_table_or_by_the_inputs_it_names(old_plan, command):
    new = old_plan[2]
    write("elsewhere.csv", [f"q{row},c{new[row]},0.9" for row in range(SIZE)])
    assert "one of 400 inputs that it lacks" in command.refusal("reuse", "elsewhere.csv", *REUSE)
    command.ok("select", "elsewhere.csv", "--technique", "rrs", "--budget", 100, "--seed", 1, "--out", "other.json")
    other = ("--plan", "other.json", "--votes", "votes.csv", "--old", "old.csv")
    assert "changed after the plan was made" in command.refusal("reuse", "new.csv", *other)


def test_a_top_up_is_written_as_a_plan_and_joins_the_first(old_plan, command, tmp_path):
    truth, _, _, rows = old_plan
    asked = ("--top-up", 20, "--for", "accuracy", "--seed", 1, "--out", "plan2.json")
    assert "20 more inputs to label" in command.ok("reuse", "new.csv", *REUSE, *asked)
    draws = [draw["row"] for draw in json.loads((tmp_path / "plan2.json").read_text())["draws"]]
    assert set(draws[20:]) == set(rows)
    write("votes2.csv", [f"{row},c{truth[row]}" for row in draws[:20]], "row,label")
    both = (*REUSE, "--plan", "plan2.json", "--votes", "votes2.csv")
    found = json.loads(command.ok("reuse", "new.csv", *both, "--json", "-"))
    assert (found["reused"], found["labeled"], found["headline"]) == (120, 120, "fixed")
    for part in (("--for", "speed"), ("--seed", 2)):
        assert "needs --for accuracy" in command.refusal("reuse", "new.csv", *REUSE, "--top-up", 20, *part)
    assert "Expected --top-up N" in command.refusal("reuse", "new.csv", *REUSE, "--seed", 1)
