"""--other at the terminal: plans, estimates and studies with what another model says about the same inputs."""

import json

import numpy as np
import pytest

SIZE = 400
WITH = ("own.csv", "--other", "other.csv", "--seed", "1")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A table with its truth and another model's predictions beside it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, SIZE)

    def said(wrong):
        return np.where(rng.random(SIZE) < wrong, (truth + rng.integers(1, 4, SIZE)) % 4, truth)

    own, other = said(0.3), said(0.1)
    sure = rng.uniform(0.5, 1, (2, SIZE)).round(3)
    lines = [f"k{row},{own[row]},{sure[0, row]},{truth[row]}" for row in range(SIZE)]
    (tmp_path / "own.csv").write_text("key,prediction,confidence,label\n" + "\n".join(lines))
    lines = [f"k{row},{other[row]},{sure[1, row]}" for row in rng.permutation(SIZE)]
    (tmp_path / "other.csv").write_text("key,prediction,confidence\n" + "\n".join(lines))
    return truth, own


def votes_of(plan, truth, own):
    rows = [draw["row"] for draw in json.loads(plan)["draws"]]
    return "row,failed\n" + "\n".join(f"{row},{int(truth[row] != own[row])}" for row in rows)


@pytest.mark.parametrize("technique", ["rra", "rrs"])
def test_a_plan_with_others_goes_from_selection_to_estimate(tables, tmp_path, command, technique):
    command.ok(
        "select",
        "own.csv",
        "--other",
        "other.csv",
        "--technique",
        technique,
        "--budget",
        "60",
        "--seed",
        "1",
        "--out",
        "plan.json",
    )
    made = json.loads((tmp_path / "plan.json").read_text())
    assert made["others"] == ["other.csv"]
    assert made["parameters"]["auxiliary"] == "combined"
    assert len(made["resolved"]["others"]) == 1
    if technique == "rra":
        assert {"doubt", "disagreement", "votes"} <= set(made["resolved"]["terms"])
        (tmp_path / "votes.csv").write_text(votes_of((tmp_path / "plan.json").read_text(), *tables))
        command.ok("continue", "plan.json", "votes.csv", "--out", "plan.json")
    (tmp_path / "votes.csv").write_text(votes_of((tmp_path / "plan.json").read_text(), *tables))
    assert "accuracy" in command.ok("estimate", "plan.json", "votes.csv", "--json", "-")


def test_another_other_is_another_table_for_the_plan(tables, tmp_path, command):
    command.ok(
        "select",
        "own.csv",
        "--other",
        "other.csv",
        "--technique",
        "rrs",
        "--budget",
        "40",
        "--seed",
        "1",
        "--out",
        "plan.json",
    )
    (tmp_path / "votes.csv").write_text(votes_of((tmp_path / "plan.json").read_text(), *tables))
    text = (tmp_path / "other.csv").read_text()
    (tmp_path / "other.csv").write_text(text.replace(",3,", ",0,"))
    assert "changed after the plan was made" in command.refusal("estimate", "plan.json", "votes.csv")


def test_a_study_compares_with_and_without_others(tables, command):
    rows = json.loads(
        command.ok(
            "study",
            *WITH,
            "--technique",
            "rrs",
            "--auxiliary",
            "combined",
            "--auxiliary",
            "confidence",
            "--budget",
            "50",
            "--repetitions",
            "60",
            "--json",
            "-",
        )
    )
    errors = {row["auxiliary"]: row["rmse_ratio_to_srs"] for row in rows}
    assert errors["combined"] < 0.85 * errors["confidence"]


def test_several_auxiliary_variables_are_joined(tables, tmp_path, command):
    command.ok(
        "select",
        *WITH,
        "--technique",
        "sups",
        "--auxiliary",
        "confidence",
        "--auxiliary",
        "votes",
        "--budget",
        "20",
        "--out",
        "plan.json",
    )
    assert json.loads((tmp_path / "plan.json").read_text())["parameters"]["auxiliary"] == "confidence+votes"


def test_the_tested_model_among_the_others_is_refused(tables, command):
    said = command.refusal(
        "select",
        "own.csv",
        "--other",
        "own.csv",
        "--technique",
        "rrs",
        "--budget",
        "20",
        "--seed",
        "1",
        "--out",
        "p.json",
    )
    assert "from which nothing can be learned" in said
