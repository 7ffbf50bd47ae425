"""What `testimate estimate` promises: only intervals that are claimed to be honest, and no option without effect."""

import json

import numpy as np
import pytest

from testimate.core.words import number
from testimate.selectors import SELECTORS

SIZE = 400


@pytest.fixture
def known(tmp_path):
    """A table of 400 inputs of two classes, some 60 of them wrong, with a score that follows the failures."""
    rng = np.random.default_rng(4)
    label, wrong = rng.integers(0, 2, SIZE), rng.random(SIZE) < 0.15
    score = rng.random(SIZE) * 0.6 + 0.3 * wrong
    lines = [
        f"{one},{int(one != bad)},{1 - chance:.4f},{chance:.4f},{7 * one + spread:.4f}"
        for one, bad, chance, spread in zip(label, wrong, score, rng.random(SIZE), strict=True)
    ]
    path = tmp_path / "known.csv"
    path.write_text("label,prediction,confidence,dsa,lsa\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def planned(command, known, tmp_path):
    """Makes a plan of a technique and votes on all its draws; gives both files."""

    def make(technique, *options):
        plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
        command("select", known, "--technique", technique, "--budget", 100, "--seed", 1, "--out", plan, *options)
        cells = [line.split(",") for line in known.read_text().splitlines()[1:]]
        drawn = -1
        while drawn < len(draws := json.loads(plan.read_text())["draws"]):
            drawn, rows = len(draws), {draw["row"] for draw in draws}
            votes.write_text("row,failed\n" + "".join(f"{r},{int(cells[r][0] != cells[r][1])}\n" for r in rows))
            command("continue", plan, votes, "--out", plan)
        return plan, votes

    return make


TECHNIQUES = ("srs", "rrs", "rra", "ssrs", "css", "gbs", "ssoa-r-p", "ssoa-c-p", "sups", "rhc-s", "2-ups", "deepest")


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_an_interval_is_given_just_where_the_technique_claims_an_honest_one(technique, command, planned):
    plan, votes = planned(technique)
    found = json.loads(command("estimate", plan, votes, "--json", "-")[1])
    said, claims = command("estimate", plan, votes)[1], SELECTORS[technique].claims
    assert (found["low"] is not None) == (found["high"] is not None) == claims.honest_interval
    assert ("(fixed-size" in said) == claims.honest_interval
    assert (found["always_low"] is not None) == ("stop-safe: valid whenever you stop" in said) == claims.always_valid
    if not claims.honest_interval:
        assert found["why"] == f"{technique} has no honest interval at a fixed size. {claims.note}"
        assert found["why"] in said


def test_a_conservative_interval_too_is_shown_only_where_the_technique_claims_an_honest_one(command, planned):
    for technique, shown in (("rrs", True), ("sups", False), ("gbs", False)):
        arguments = ("estimate", *planned(technique), "--interval", "conservative", "--json", "-")
        assert (json.loads(command(*arguments)[1])["low"] is not None) is shown


@pytest.mark.parametrize(("level", "shown"), [("0.975", "97.5%"), ("0.999999999999", "99.9999999999%"), ("0.9", "90%")])
def test_the_level_is_shown_as_it_was_given(level, shown, command, planned):
    assert f"{shown} interval" in command("estimate", *planned("srs"), "--level", level)[1]


def test_an_auxiliary_that_nothing_takes_is_refused(command, planned):
    status, _, err = command("estimate", *planned("srs"), "--auxiliary", "nope")
    assert status == 2
    assert "Expected --assisted" in err


def test_one_of_a_thing_is_told_as_one(command, known, tmp_path):
    plan, votes = tmp_path / "one.json", tmp_path / "one.csv"
    said = command("select", known, "--technique", "srs", "--budget", 1, "--seed", 1, "--out", plan)[1]
    assert said.startswith(f"Wrote {plan}: 1 input to label, picked by srs")
    votes.write_text(f"row,failed\n{json.loads(plan.read_text())['draws'][0]['row']},0\n")
    assert "from 1 label (" in command("estimate", plan, votes)[1]


def regression(tmp_path, command):
    """A plan over predictions 0 whose answers are 0, 0.1, 0.2, ...; its votes as labels."""
    table, plan = tmp_path / "steering.csv", tmp_path / "plan.json"
    table.write_text("prediction\n" + "".join(f"{0.001 * row:.3f}\n" for row in range(50)))
    command("select", table, "--technique", "srs", "--budget", 20, "--seed", 2, "--out", plan)
    rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    errors = {row: place / 10 for place, row in enumerate(rows)}
    return plan, errors


@pytest.mark.parametrize("kind", ["label", "loss"])
def test_the_tolerance_says_which_errors_of_a_regression_are_failures(kind, command, tmp_path):
    plan, errors = regression(tmp_path, command)
    votes = tmp_path / "votes.csv"
    cells = {row: 0.001 * row + error if kind == "label" else error**2 for row, error in errors.items()}
    votes.write_text(f"row,{kind}\n" + "".join(f"{row},{cell:.6f}\n" for row, cell in cells.items()))
    found = json.loads(command("estimate", plan, votes, "--tolerance", 0.55, "--json", "-")[1])
    assert found["accuracy"] == pytest.approx(6 / 20)  # errors 0, 0.1, ... 0.5
    assert found["method"].endswith("Wilson interval")
    plain = json.loads(command("estimate", plan, votes, "--json", "-")[1])
    off = np.array(list(errors.values()))
    assert plain["errors"]["one_minus_mean_squared_error"]["accuracy"] == pytest.approx(1 - np.mean(off**2), abs=1e-5)
    measures = plain["errors"]  # the table's tolerance: the spread of its predictions
    assert plain["accuracy"] == pytest.approx(np.mean(off <= measures["tolerance"]))
    assert plain["measure"] == f"Within {measures['tolerance']:.4g}"
    assert found["measure"] == "Within 0.55"
    assert measures["mean_absolute_error"][0] == pytest.approx(off.mean(), abs=1e-5)
    assert measures["root_mean_squared_error"][0] == pytest.approx(np.sqrt(np.mean(off**2)), abs=1e-5)
    assert "Mean absolute error" in command("estimate", plan, votes)[1]


def test_without_a_tolerance_the_interval_of_squared_errors_is_called_rough_and_given_no_level(command, tmp_path):
    plan, errors = regression(tmp_path, command)
    votes = tmp_path / "votes.csv"
    votes.write_text("row,loss\n" + "".join(f"{row},{error**2:.6f}\n" for row, error in errors.items()))
    said = command.ok("estimate", plan, votes, "--tolerance", 0)
    assert said.startswith(
        f"1 - mean squared error {number(1 - np.mean(np.square(list(errors.values()))))} from 20 labels"
    )
    assert "\nrough interval " in said
    assert "does not allow for large errors that the labels have not shown" in said
    assert "95" not in said


def test_a_tolerance_that_could_change_nothing_is_refused(command, planned, tmp_path):
    status, _, err = command("estimate", *planned("srs"), "--tolerance", 0.5)
    assert status == 2
    assert "leave --tolerance out" in err
    plan, errors = regression(tmp_path, command)
    votes = tmp_path / "votes.csv"
    votes.write_text("row,failed\n" + "".join(f"{row},0\n" for row in errors))
    assert command("estimate", plan, votes, "--tolerance", 0.5)[0] == 2


def test_labels_too_far_off_to_be_squared_are_told_in_one_line(command, tmp_path):
    plan, errors = regression(tmp_path, command)
    votes = tmp_path / "votes.csv"
    for kind, cell in (("label", "1e300"), ("loss", "1e308")):
        votes.write_text(f"row,{kind}\n" + "".join(f"{row},{cell}\n" for row in errors))
        status, out, err = command("estimate", plan, votes, "--json", "-")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "Correct" in err


@pytest.mark.parametrize(
    ("verb", "leaks"),
    [
        (("select", "--technique", "sups", "--auxiliary", "lsa", "--budget", 20), True),
        (("select", "--technique", "sups", "--auxiliary", "lsa:lower", "--budget", 20), True),
        (("select", "--technique", "sups", "--auxiliary", "dsa", "--budget", 20), False),
        (("select", "--technique", "srs", "--auxiliary", "lsa", "--budget", 20), False),
        (("prioritize", "--technique", "lsa"), True),
        (("study", "--technique", "sups", "--auxiliary", "lsa", "--budget", 20, "--repetitions", 2), True),
    ],
)
def test_a_score_made_from_the_true_labels_is_told_of(verb, leaks, command, known, tmp_path):
    out = ("--csv",) if verb[0] == "study" else ("--out",)
    status, _, err = command(verb[0], known, *verb[1:], "--seed", 1, *out, tmp_path / "o.csv")
    assert status == 0
    assert ("The score lsa and the predicted class tell failures from passes almost perfectly" in err) is leaks
    assert err.count("tell failures") == leaks


@pytest.mark.parametrize(("technique", "budget", "lacking"), [("rrs", 5, True), ("rrs", 40, False), ("srs", 1, False)])
def test_select_says_before_any_label_that_no_estimate_can_follow(technique, budget, lacking, command, known, tmp_path):
    arguments = ("--technique", technique, "--budget", budget, "--seed", 1, "--out", tmp_path / "plan.json")
    said = command("select", known, *arguments)[1]
    assert (
        f"No estimate is possible from {budget} of these labels: it needs a label in every stratum" in said
    ) == lacking
