"""`testimate grown` and `testimate drift`: a set that is no longer the labeled one."""

import json
from pathlib import Path

import numpy as np
import pytest

import testimate

OLD, ALL = 300, 500
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 4, ALL)
CHANCE = np.where(np.arange(ALL) < OLD, 0.08, 0.3) * RNG.random(ALL) * 2
SAID = np.where(RNG.random(ALL) < CHANCE, (TRUTH + 1) % 4, TRUTH)
WRONG = SAID != TRUTH
GROWN = RNG.permutation(ALL)
"""The order of the rows in the table that grew."""

OPTIONS = ("--old", "old.csv", "--plan", "plan.json", "--votes", "votes.csv")


def write(name, rows, header="key,prediction,confidence", key=True):
    lines = [f"{f'k{row},' if key else ''}c{SAID[row]},{1 - CHANCE[row]:.4f}" for row in rows]
    Path(name).write_text("\n".join([header, *lines]) + "\n")


def vote(plan, name, rows):
    drawn = [draw["row"] for draw in json.loads(Path(plan).read_text())["draws"]]
    Path(name).write_text("row,label\n" + "".join(f"{place},c{TRUTH[rows[place]]}\n" for place in drawn))


@pytest.fixture
def labeled(tmp_path, monkeypatch, command):
    """A labeled table, and one that grew, its rows in another order."""
    monkeypatch.chdir(tmp_path)
    write("old.csv", range(OLD))
    write("new.csv", GROWN)
    command.ok("select", "old.csv", "--technique", "rrs", "--budget", 80, "--seed", 1, "--out", "plan.json")
    vote("plan.json", "votes.csv", range(OLD))


@pytest.fixture
def added(labeled, command):
    """Labels of the inputs that came."""
    command.ok("grown", "new.csv", *OPTIONS, "--write-added", "added.csv")
    command.ok("select", "added.csv", "--technique", "srs", "--budget", 60, "--seed", 3, "--out", "plan2.json")
    came = [row for row in GROWN if row >= OLD]
    vote("plan2.json", "votes2.csv", came)
    return ("--added-plan", "plan2.json", "--added-votes", "votes2.csv")


@pytest.mark.usefixtures("labeled")
def test_old_labels_judge_the_old_inputs_and_say_nothing_of_those_that_came(command):
    found = json.loads(command.ok("grown", "new.csv", *OPTIONS, "--json", "-"))
    assert found["inputs"] == {"old": OLD, "added": ALL - OLD}
    assert found["old"]["low"] < 1 - WRONG[:OLD].mean() < found["old"]["high"]
    assert (found["all"], found["added"]) == (None, None)
    assert "The 200 new inputs have no number" in found["why"]
    said = command.ok("grown", "new.csv", *OPTIONS)
    assert "no number" in said
    assert "not trained on these labels or chosen with them" in said


@pytest.mark.usefixtures("labeled")
def test_the_old_part_is_what_reuse_says_of_the_old_table(command):
    write("same.csv", range(OLD))
    whole = json.loads(command.ok("reuse", "same.csv", *OPTIONS, "--json", "-"))
    found = json.loads(command.ok("grown", "new.csv", *OPTIONS, "--json", "-"))
    assert {name: found["old"][name] for name in ("accuracy", "low", "high", "always_low")} == {
        name: whole[name] for name in ("accuracy", "low", "high", "always_low")
    }


def test_with_labels_of_both_parts_all_is_their_mean_by_size(command, added):
    found = json.loads(command.ok("grown", "new.csv", *OPTIONS, *added, "--json", "-"))
    old, new, whole = found["old"], found["added"], found["all"]
    assert new["low"] < 1 - WRONG[OLD:].mean() < new["high"]
    assert whole["accuracy"] == pytest.approx(0.6 * old["accuracy"] + 0.4 * new["accuracy"])
    errors = [0.6 * old["standard_error"], 0.4 * new["standard_error"]]
    assert whole["standard_error"] == pytest.approx(np.hypot(*errors))
    assert whole["low"] < 1 - WRONG.mean() < whole["high"]
    assert whole["always_low"] < whole["low"]
    assert whole["headline"] == "fixed"
    assert "On all of them:" in command.ok("grown", "new.csv", *OPTIONS, *added)


def test_labels_of_every_input_give_the_true_accuracy_of_all(command, labeled):
    command.ok("select", "old.csv", "--technique", "srs", "--budget", OLD, "--seed", 1, "--out", "plan.json")
    vote("plan.json", "votes.csv", range(OLD))
    found = testimate.grown("new.csv", old="old.csv", plan="plan.json", votes="votes.csv", write_added="added.csv")
    command.ok("select", "added.csv", "--technique", "srs", "--budget", ALL - OLD, "--seed", 1, "--out", "plan2.json")
    vote("plan2.json", "votes2.csv", [row for row in GROWN if row >= OLD])
    found = testimate.grown(
        "new.csv",
        old="old.csv",
        plan="plan.json",
        votes="votes.csv",
        added_plan="plan2.json",
        added_votes="votes2.csv",
    )
    right = 1 - WRONG.mean()
    assert (found.all.accuracy, found.all.low, found.all.high) == pytest.approx((right, right, right))


def test_without_a_key_inputs_are_recognized_by_what_is_shown_of_them(command, labeled):
    for name, rows in (("old.csv", range(OLD)), ("new.csv", GROWN)):
        lines = [f'"Letter {row % 400} to the editor",c{SAID[row]},{1 - CHANCE[row]:.4f}' for row in rows]
        Path(name).write_text("text,prediction,confidence\n" + "\n".join(lines) + "\n")
    command.ok("select", "old.csv", "--technique", "rrs", "--budget", 80, "--seed", 1, "--out", "plan.json")
    vote("plan.json", "votes.csv", range(OLD))
    found = json.loads(command.ok("grown", "new.csv", *OPTIONS, "--json", "-"))
    # rows 400 to 499 have the texts of rows 0 to 99: one of each pair is the old one
    assert found["inputs"] == {"old": OLD, "added": ALL - OLD}


@pytest.mark.usefixtures("labeled")
def test_what_cannot_be_a_set_that_grew_is_refused_in_a_sentence(command):
    write("shorter.csv", range(1, ALL))
    assert "1 of the 300 old inputs are not in the new set" in command.refusal("grown", "shorter.csv", *OPTIONS)
    assert "no number is honest" in command.refusal("grown", "new.csv", *OPTIONS, "--used-for-training")
    assert "no number is honest" in command.refusal("drift", "new.csv", *OPTIONS, "--seed", 1, "--used-for-training")
    write("same.csv", range(OLD))
    assert "the old inputs and no other" in command.refusal("grown", "same.csv", *OPTIONS)
    write("bare.csv", GROWN, "prediction,confidence", key=False)
    assert "nothing tells one from another" in command.refusal("grown", "bare.csv", *OPTIONS)
    assert "Expected both or neither" in command.refusal("grown", "new.csv", *OPTIONS, "--added-plan", "plan.json")
    write("other.csv", range(1, OLD))
    assert command.refusal("grown", "new.csv", "--old", "other.csv", *OPTIONS[2:])
    assert "ends in .csv" in command.refusal("grown", "new.csv", *OPTIONS, "--write-added", "added.txt")
    assert Path("old.csv").read_text() == Path("same.csv").read_text()


@pytest.mark.usefixtures("labeled")
def test_a_drifted_mix_is_found_and_the_old_labels_are_weighted_to_it(command):
    hard = sorted(range(OLD), key=lambda row: -CHANCE[row])[:150]
    write("drifted.csv", hard)
    found = json.loads(command.ok("drift", "drifted.csv", *OPTIONS, "--seed", 1, "--json", "-"))
    by_name = {one["what"]: one for one in found["tests"]}
    assert by_name["confidence"]["differs"]
    assert not by_name["predicted classes"]["differs"]
    said = found["reweighted"]
    plain = json.loads(command.ok("estimate", "plan.json", "votes.csv", "--json", "-"))
    assert said["accuracy"] < plain["accuracy"] - 0.01
    assert said["unseen"] == 0
    assert said["low"] < 1 - WRONG[hard].mean() < said["high"]
    assert sum(one["new"] for one in said["shares"]) == pytest.approx(1)
    words = command.ok("drift", "drifted.csv", *OPTIONS, "--seed", 1)
    assert "This assumes that among inputs of one confidence the model fails as often" in words
    by_class = command.ok("drift", "drifted.csv", *OPTIONS, "--seed", 1, "--by", "class")
    assert "This assumes that among inputs predicted as one class" in by_class


@pytest.mark.usefixtures("labeled")
def test_inputs_unlike_any_labeled_one_may_all_fail(command):
    write("strange.csv", range(ALL))
    said = json.loads(command.ok("drift", "strange.csv", *OPTIONS, "--seed", 1, "--json", "-"))["reweighted"]
    assert said["unseen"] == pytest.approx((CHANCE.round(4) > CHANCE[:OLD].max().round(4)).mean())
    assert said["low"] < 1 - said["unseen"] - WRONG[:OLD].mean() / 2
    assert "the interval allows for all of them to fail" in command.ok("drift", "strange.csv", *OPTIONS, "--seed", 1)


@pytest.mark.usefixtures("labeled")
def test_features_are_compared_too_and_alike_sets_are_not_called_different(command):
    rng = np.random.default_rng(1)
    np.save("a.npy", rng.normal(size=(OLD, 6)).astype(np.float32))
    np.save("b.npy", rng.normal(size=(OLD, 6)).astype(np.float32))
    np.save("c.npy", rng.normal(0.4, 1, size=(OLD, 6)).astype(np.float32))
    write("again.csv", range(OLD))
    options = ("again.csv", "--old", "old.csv", "--old-features", "a.npy", "--seed", 1)
    assert "No difference shows" in command.ok("drift", *options, "--features", "b.npy")
    assert "differ in features" in command.ok("drift", *options, "--features", "c.npy")


@pytest.mark.usefixtures("labeled")
def test_a_drift_that_cannot_be_told_is_refused(command):
    assert "Expected both or neither" in command.refusal(
        "drift", "new.csv", "--old", "old.csv", "--seed", 1, "--plan", "plan.json"
    )
    assert "Expected class or confidence" in command.refusal("drift", "new.csv", *OPTIONS, "--seed", 1, "--by", "color")
    Path("numbers.csv").write_text("prediction\n" + "\n".join(f"{row / 7:.3f}" for row in range(OLD)) + "\n")
    assert "in common" in command.refusal("drift", "numbers.csv", "--old", "old.csv", "--seed", 1)
