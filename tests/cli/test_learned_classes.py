"""A version that learned a class is judged on it by labels that named it before any version knew it."""

import json
from pathlib import Path

import numpy as np
import pytest

import testimate
from testimate.core.errors import BadInput

SIZE = 400
NAMES = np.array(["c0", "c1", "c2", "c3", "Fox"])
REUSE = ("--plan", "plan.json", "--votes", "votes.csv")


def write(name, lines, header="key,prediction,confidence"):
    Path(name).write_text("\n".join([header, *lines]) + "\n")


@pytest.fixture
def foxes(tmp_path, monkeypatch, command):
    """The truth with every sixth input a fox; what a version says that does not know it, and one that learned it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    truth = np.where(np.arange(SIZE) % 6 == 0, 4, rng.integers(0, 4, SIZE))
    sure = rng.uniform(0.5, 1, (2, SIZE)).round(3)
    old = np.where((truth == 4) | (rng.random(SIZE) < 0.1), (truth + 1) % 4, truth)
    new = np.where(rng.random(SIZE) < 0.1, (truth + 2) % 5, truth)
    write("old.csv", [f"k{row},{NAMES[old[row]]},{sure[0, row]}" for row in range(SIZE)])
    write("new.csv", [f"k{row},{NAMES[new[row]]},{sure[1, row]}" for row in range(SIZE)])
    command.ok("select", "old.csv", "--technique", "srs", "--budget", SIZE, "--seed", 1, "--out", "plan.json")
    write("votes.csv", [f"{row},{NAMES[truth[row]].lower()}" for row in range(SIZE)], "row,label")
    return truth, old, new


def shares(truth, old, new):
    return pytest.approx((new == truth).mean()), pytest.approx((new == truth).mean() - (old == truth).mean())


def test_a_learned_class_is_right_where_a_label_named_it_though_in_another_case(foxes, command):
    found = json.loads(command.ok("reuse", "new.csv", *REUSE, "--read", "spelling=same", "--json", "-"))
    assert (found["accuracy"], found["difference"]["value"]) == shares(*foxes)


def test_a_name_that_nearly_is_a_learned_class_is_asked_about(foxes, command):
    asked = command("reuse", "new.csv", *REUSE)
    assert asked.status == 2
    assert "such as 'fox' and 'Fox'" in asked.err
    assert f"testimate reuse new.csv {' '.join(REUSE)} --read spelling=same" in asked.err


def test_without_a_label_outside_the_classes_a_learned_class_is_refused_as_before(foxes, command):
    truth, _, _ = foxes
    write("votes.csv", [f"{row},{NAMES[truth[row] % 4]}" for row in range(SIZE)], "row,label")
    assert "because no other could be answered" in command.refusal("reuse", "new.csv", *REUSE)


def test_a_label_without_a_name_settles_only_versions_that_predict_a_class_of_the_plan(foxes):
    truth, old, new = foxes
    write(
        "votes.csv", [f"{row},{NAMES[at] if at < 4 else 'none of these'}" for row, at in enumerate(truth)], "row,label"
    )
    with pytest.warns(UserWarning, match="none of these 67"):
        found = testimate.reuse("new.csv", plan="plan.json", votes="votes.csv")
    assert found.reused == SIZE - ((truth == 4) & (new == 4)).sum()
    with pytest.warns(UserWarning, match="none of these 67"):
        before = testimate.reuse("old.csv", plan="plan.json", votes="votes.csv").estimate
    assert before.accuracy == pytest.approx((old == truth).mean())


@pytest.mark.parametrize(("version", "stay"), [("new.csv", True), ("old.csv", False)])
def test_labels_without_a_name_are_called_open_only_for_a_version_with_a_new_class(version, stay, foxes, command):
    truth, _, _ = foxes
    said = [f"{row},{NAMES[at] if at < 4 else ('none of these', 'owl')[row % 4 > 0]}" for row, at in enumerate(truth)]
    write("votes.csv", said, "row,label")
    err = command("reuse", version, *REUSE).err
    assert "67 of 400 labels are no class of this network and count as wrong: none of these 34, owl 33." in err
    assert ("But the 34 without a name stay open where a version predicts a new class (Fox)." in err) == stay


def test_the_gate_passes_the_version_that_learned_the_class_and_names_the_gain(foxes, command):
    gate = ("--no-worse-than", "old.csv", "--read", "spelling=same")
    assert "better than the old one" in command.ok("reuse", "new.csv", *REUSE, *gate)


def test_unnamed_labels_are_asked_again_first_in_a_top_up_for_the_version_that_learned(foxes, tmp_path):
    truth, _, new = foxes
    draws = json.loads((tmp_path / "plan.json").read_text())["draws"]
    half = [draw["row"] for draw in draws[: SIZE // 2]]
    lines = [f"{row},{NAMES[truth[row]] if truth[row] < 4 else 'none of these'}" for row in half]
    write("votes.csv", lines, "row,label")
    with pytest.warns(UserWarning, match="none of these"):
        plan = testimate.top_up("new.csv", plan="plan.json", votes="votes.csv", count=10, purpose="accuracy", seed=1)
    again = [draw.row for draw in plan.draws[:10] if draw.reason.startswith("asked again")]
    assert len(again) == 5
    assert all(truth[row] == 4 and new[row] == 4 for row in again)


def test_a_set_that_grew_is_judged_by_names_that_its_model_learned(foxes, command):
    truth, _, new = foxes
    more = [f"n{row},c{row % 4},0.9" for row in range(100)]
    write("grown.csv", [*(f"k{row},{NAMES[new[row]]},0.9" for row in range(SIZE)), *more])
    parts = ("--old", "old.csv", *REUSE, "--read", "spelling=same")
    found = json.loads(command.ok("grown", "grown.csv", *parts, "--write-added", "added.csv", "--json", "-"))
    assert found["old"]["accuracy"] == pytest.approx((new == truth).mean())
    command.ok("select", "added.csv", "--technique", "srs", "--budget", 100, "--seed", 1, "--out", "plan2.json")
    write("votes2.csv", [f"{row},{'owl' if row % 2 else f'c{row % 4}'}" for row in range(100)], "row,label")
    added = ("--added-plan", "plan2.json", "--added-votes", "votes2.csv", "--json", "-")
    assert json.loads(command.ok("grown", "grown.csv", *parts, *added))["added"]["accuracy"] == pytest.approx(0.5)


def test_labels_that_drift_weights_again_count_names_outside_the_classes_as_wrong(foxes, command):
    truth, old, _ = foxes
    write("other.csv", [f"x{row},{NAMES[old[row]]},0.9" for row in range(SIZE)])
    files = ("other.csv", "--old", "old.csv", "--seed", 1, *REUSE, "--by", "class", "--json", "-")
    said = json.loads(command.ok("drift", *files))["reweighted"]
    assert said["accuracy"] == pytest.approx((old == truth).mean())


def test_strict_refuses_a_name_outside_the_classes_in_labels_that_are_used_again(foxes, command):
    write("votes.csv", ["0,owl", "1,c1"], "row,label")
    assert "owl" in command.refusal("reuse", "old.csv", *REUSE, "--strict")


def test_a_version_whose_classes_are_called_otherwise_is_refused_whatever_labels_name(foxes):
    _, _, new = foxes
    write("new.csv", [f"k{row},{'zebra' if at else 'c0'},0.9" for row, at in enumerate(new)])
    with pytest.raises(BadInput, match="Use the same class names"):
        testimate.reuse("new.csv", plan="plan.json", votes="votes.csv")
