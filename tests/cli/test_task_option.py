"""The task of a table at the terminal: said with --task, asked for with exit 2, and kept in the plan."""

import json

import numpy as np
import pytest


@pytest.fixture
def prices(tmp_path):
    """200 predicted prices, each off by 3 or by 300."""
    rng, path = np.random.default_rng(8), tmp_path / "prices.csv"
    predicted = 100_000 + 500 * rng.permutation(200)
    off = np.where(rng.random(200) < 0.2, 300, 3)
    lines = [f"{price + error},{price},{price % 97}" for price, error in zip(predicted, off, strict=True)]
    path.write_text("\n".join(["label,prediction,score", *lines]))
    return path, predicted, off


@pytest.mark.parametrize(
    "verb",
    [
        ("select", "--budget", 20, "--out", "p.json"),
        ("study", "--technique", "srs", "--budget", 20, "--repetitions", 2),
        ("prioritize", "--technique", "gbs", "--out", "o.csv"),
    ],
)
def test_unclear_whole_numbers_end_with_2_and_the_option_that_says_which(command, prices, verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unlabeled = [line.partition(",")[2] for line in prices[0].read_text().splitlines()]
    prices[0].write_text("\n".join(unlabeled))
    status, _, said = command(verb[0], prices[0], *verb[1:], "--seed", 1)
    assert status == 2
    lines = [line for line in said.splitlines() if line.startswith(f"  testimate {verb[0]}")]
    assert [line.rpartition(" --")[2] for line in lines] == ["task classification", "task regression"]
    assert not (tmp_path / "p.json").exists()


def test_whole_numbers_that_are_near_the_true_ones_and_never_the_same_are_predicted_amounts(command, prices, tmp_path):
    _, _, said = command("select", prices[0], "--budget", 20, "--seed", 1, "--out", tmp_path / "p.json")
    assert "`prediction` numbers from" in said
    assert json.loads((tmp_path / "p.json").read_text())["task"] == "regression"


@pytest.mark.parametrize("said", [("--task", "regression"), ("--tolerance", "10")])
def test_a_plan_remembers_that_its_table_holds_numbers(command, prices, tmp_path, said):
    path, predicted, off = prices
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    arguments = ("--technique", "srs", "--budget", 60, "--seed", 1, "--out", plan)
    assert command("select", path, *arguments, *said)[0] == 0
    written = json.loads(plan.read_text())
    assert written["task"] == "regression"
    assert written["loss_bound"] is None
    rows = [draw["row"] for draw in written["draws"]]
    votes.write_text("\n".join(["row,label", *(f"{row},{predicted[row] + off[row]}" for row in rows)]))
    done = command("estimate", plan, votes, "--tolerance", 10, "--json", "-")
    assert done[0] == 0, done[2]
    assert json.loads(done[1])["accuracy"] == pytest.approx(float(np.mean(off[rows] <= 10)))


def test_a_plan_of_an_earlier_version_is_estimated_as_the_classes_it_was_made_for(command, prices, tmp_path):
    path, predicted, _ = prices
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    arguments = ("--technique", "srs", "--budget", 60, "--seed", 1, "--out", plan)
    assert command("select", path, *arguments, "--task", "classification")[0] == 0
    written = json.loads(plan.read_text())
    del written["task"]
    plan.write_text(json.dumps(written))
    rows = [draw["row"] for draw in written["draws"]]
    votes.write_text("\n".join(["row,label", *(f"{row},{predicted[row]}" for row in rows)]))
    done = command("estimate", plan, votes, "--json", "-")
    assert done[0] == 0, done[2]
    assert json.loads(done[1])["accuracy"] == 1.0


def test_sets_are_planned_and_estimated_from_labels_with_semicolons(command, tmp_path):
    path, plan, votes = tmp_path / "sets.csv", tmp_path / "plan.json", tmp_path / "votes.csv"
    kinds = ["cat", "cat;dog", "none", "owl;dog"]
    path.write_text("\n".join(["prediction", *(kinds[row % 4] for row in range(40))]))
    arguments = ("--technique", "srs", "--budget", 40, "--seed", 1, "--out", plan)
    assert command("select", path, *arguments, "--task", "multi-label")[0] == 0
    votes.write_text(
        "\n".join(["row,label", *(f"{row},{['cat', 'dog; cat', 'cat', 'owl'][row % 4]}" for row in range(40))])
    )
    done = command("estimate", plan, votes, "--json", "-")
    assert done[0] == 0, done[2]
    assert json.loads(done[1])["accuracy"] == pytest.approx(0.5)
    votes.write_text("row,label\n0,wolf\n")
    unknown = command("estimate", plan, votes)
    assert unknown[0] == 2
    assert "is a class of this network: wolf 1" in unknown[2]


def test_a_task_there_is_not_ends_with_2(command, prices):
    assert command("select", prices[0], "--task", "guess", "--budget", 5, "--seed", 1, "--out", "p.json")[0] == 2
