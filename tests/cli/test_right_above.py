"""Above which confidence enough inputs are right, at the terminal and from Python: a ladder from its first label to its end."""

import json

import numpy as np
import pandas as pd
import pytest

from testimate import estimate, open_subject, select
from testimate.core.errors import BadInput
from testimate.planning.plan import read_plan

SIZE = 1000


@pytest.fixture
def files(tmp_path):
    """A table of which the surest 40 % are all right and the others often wrong, and what writes the votes of a plan."""
    rng = np.random.default_rng(54)
    confidence = np.linspace(1, 0.4, SIZE).round(4)
    wrong = (np.arange(SIZE) >= 400) & (rng.random(SIZE) < 0.5)
    shuffled = rng.permutation(SIZE)
    failed = wrong[shuffled].astype(int)
    table, votes = tmp_path / "table.csv", tmp_path / "votes.csv"
    pd.DataFrame({"prediction": ["cat", "dog"] * (SIZE // 2), "confidence": confidence[shuffled]}).to_csv(
        table, index=False
    )

    def vote(plan):
        rows = list(read_plan(plan).rows)
        pd.DataFrame({"row": rows, "failed": failed[rows]}).to_csv(votes, index=False)
        return votes

    return table, tmp_path / "plan.json", vote


def test_a_ladder_is_drawn_look_by_look_until_it_ends(command, files):
    table, plan, vote = files
    said = command("select", table, "--above-confidence", 0.9, "--seed", 1, "--out", plan)
    assert "takes 39 labels without a fault" in said.out
    assert len(read_plan(plan).rows) == 39
    for step in range(1, 9):
        found = json.loads(command.ok("estimate", plan, vote(plan), "--json", "-"))["right_above"]
        if not found["wanted"]:
            break
        assert found["inputs"] == 100 * step
        command.ok("continue", plan, vote(plan), "--out", plan)
    assert found["inputs"] == 400
    assert found["low"] >= 0.9
    ended = command("estimate", plan, vote(plan))
    assert "at least 90.0% of the inputs are right: 400 of 1,000 inputs (40.0%)." in ended.out
    assert "Accuracy" not in ended.out
    assert "ladder ended" in ended.err
    before = read_plan(plan).rows
    command.ok("continue", plan, vote(plan), "--out", plan)
    assert read_plan(plan).rows == before


def test_any_plan_says_above_which_confidence_enough_are_right(command, files):
    table, plan, vote = files
    command.ok("select", table, "--technique", "srs", "--budget", 300, "--seed", 1, "--out", plan)
    found = json.loads(command.ok("estimate", plan, vote(plan), "--right-above", 0.9, "--json", "-"))["right_above"]
    assert found["inputs"] == 400
    assert found["labeled"] < 300
    shares = json.loads(command.ok("estimate", plan, vote(plan), "--calibration", "--json", "-"))["calibration"]
    assert [one["share"] for one in shares["right_above"]] == [0.9, 0.95, 0.99]
    said = command.ok("estimate", plan, vote(plan), "--right-above", 0.99)
    assert "The labels show no confidence above which at least 99.0% of the inputs are right." in said
    assert "It takes at least 299 labels without a fault." in said


def test_python_finds_what_the_terminal_finds(command, files):
    table, plan, _ = files
    frame = pd.read_csv(table)
    subject = open_subject(frame)
    made = select(subject, technique="confidence-ladder", options={"right": 0.9}, budget=195, seed=1)
    command.ok("select", table, "--above-confidence", 0.9, "--seed", 1, "--out", plan)
    assert made.rows == read_plan(plan).rows
    right = estimate(made, frame["prediction"][list(made.rows)].to_dict(), subject=subject)
    found = right.right_above()
    assert (found.share, found.inputs, found.labeled, found.wrong) == (0.9, 100, 39, 0)
    with pytest.raises(BadInput, match="drawn for"):
        right.right_above(0.95)


def test_what_cannot_be_certified_is_refused_in_three_sentences(command, files, tmp_path):
    table, plan, vote = files
    ladder = ("select", table, "--seed", 1, "--out", plan, "--above-confidence")
    for asked in ((1.2,), (0.3,), (0.9, "--budget", 20), (0.9, "--technique", "srs"), (0.9, "--half-width", 0.05)):
        said = command(*ladder, *asked)
        assert said.status == 2, asked
        assert said.err.count(". ") >= 2
    assert not plan.exists()
    bare, numbers = tmp_path / "bare.csv", tmp_path / "numbers.csv"
    pd.DataFrame({"prediction": ["cat", "dog"] * 100}).to_csv(bare, index=False)
    pd.DataFrame({"prediction": np.linspace(0, 9, 200)}).to_csv(numbers, index=False)
    for other, more in ((bare, ()), (numbers, ("--task", "regression", "--tolerance", 1))):
        said = command("select", other, "--seed", 1, "--out", plan, "--above-confidence", 0.9, *more)
        assert said.status == 2
        assert "no confidence that one answer is right" in said.err
    command.ok("select", table, "--technique", "confidence", "--budget", 40, "--seed", 1, "--out", plan)
    chosen = command.ok("estimate", plan, vote(plan), "--right-above", 0.9)
    assert "The labels show no confidence" in chosen
    assert "purposive" in chosen or "no honest interval" in chosen


def test_a_small_set_is_labeled_whole_and_a_lost_table_leaves_the_labels(command, files, tmp_path):
    table, plan, vote = files
    small = tmp_path / "small.csv"
    pd.DataFrame({"prediction": ["cat", "dog"] * 150, "confidence": np.linspace(0.5, 1, 300)}).to_csv(
        small, index=False
    )
    said = command.ok("select", small, "--above-confidence", 0.95, "--seed", 1, "--out", plan)
    assert "All of the surest 30 inputs are labeled." in said
    command.ok("select", table, "--above-confidence", 0.9, "--seed", 1, "--out", plan)
    vote(plan)
    table.unlink()
    assert "Accuracy 100.0% from 39 labels" in command.ok("estimate", plan, vote(plan))
    asked = command("estimate", plan, vote(plan), "--right-above", 0.9)
    assert asked.status == 2
    assert "its confidence is needed" in asked.err
