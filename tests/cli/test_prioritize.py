"""testimate prioritize and testimate metrics: from a table to an order to what it is worth."""

import csv
import json

import numpy as np
import pytest

from testimate.metrics import order_metrics


@pytest.fixture
def table(tmp_path):
    """200 inputs of three classes, with probabilities; features and a training set beside it."""
    rng = np.random.default_rng(7)

    def write(name, size):
        odds = rng.normal(size=(size, 3)) * 2
        chances = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        label = np.array([rng.choice(3, p=one) for one in chances])
        lines = [[answer, one.argmax(), one.max(), *one] for answer, one in zip(label.tolist(), chances, strict=True)]
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["label", "prediction", "confidence", "p_0", "p_1", "p_2"], *lines])
        np.save(tmp_path / f"{name}.npy", (odds + rng.normal(size=odds.shape)).astype(np.float32))

    write("table", 200)
    write("training", 300)
    return tmp_path / "table.csv"


@pytest.mark.parametrize("technique", ["severity-first", "deepgini", "dsa", "neuron-pattern", "deepabstraction"])
def test_an_order_is_written_and_judged(technique, table, tmp_path, command):
    order, folder = tmp_path / "order.csv", table.parent
    files = ("--features", folder / "table.npy", "--training", folder / "training.csv")
    files = (*files, "--training-features", folder / "training.npy")
    status, _, error = command("prioritize", table, "--technique", technique, *files, "--seed", 1, "--out", order)
    assert (status, error) == (0, "")
    lines = list(csv.DictReader(order.read_text().splitlines()))
    assert sorted(int(line["row"]) for line in lines) == list(range(200))
    status, out, _ = command("metrics", order, "--size", 200, "--json", "-")
    failed = [int(line["failed"]) for line in lines]
    expected = order_metrics(failed, [float(line["probability"]) for line in lines])
    assert json.loads(out) == json.loads(json.dumps(expected.to_json()))
    assert expected.faults == sum(
        line["label"] != line["prediction"] for line in csv.DictReader(table.read_text().splitlines())
    )


def test_a_budget_of_metrics_is_any_number_of_labels(table, tmp_path, command):
    order = tmp_path / "order.csv"
    command("prioritize", table, "--technique", "confidence", "--seed", 1, "--out", order)
    lines = list(csv.DictReader(order.read_text().splitlines()))
    failed = [int(line["failed"]) for line in lines]
    _, out, _ = command("metrics", order, "--size", 200, "--budget", 10, "--json", "-")
    assert json.loads(out)["fdro"] == sum(failed[:10]) / 10


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [[row, 0, p] for row, _, p in lines], "no fault"),
        (lambda lines: [[row, failed, 1.5] for row, failed, _ in lines], "Expected a number between 0 and 1"),
        (lambda lines: [lines[0], *lines], "appears twice"),
    ],
)
def test_an_order_that_cannot_be_judged_is_refused_in_a_sentence(change, words, tmp_path, command):
    lines = change([[0, 1, 0.9], [1, 0, 0.5], [2, 1, 0.3]])
    (tmp_path / "order.csv").write_text(
        "row,failed,probability\n" + "".join(",".join(map(str, line)) + "\n" for line in lines)
    )
    status, out, error = command(
        "metrics", tmp_path / "order.csv", "--size", 9, "--faults", sum(line[1] for line in lines)
    )
    assert (status, out) == (2, "")
    assert words in error
    assert error.count("\n") == 1


def test_where_everything_is_a_fault_what_has_no_value_is_null_and_said(tmp_path, command):
    (tmp_path / "order.csv").write_text("failed,probability\n1,0.9\n1,0.3\n")
    status, out, _ = command("metrics", tmp_path / "order.csv", "--size", 2)
    assert status == 0
    assert "All 2 inputs are faults" in out
    _, out, _ = command("metrics", tmp_path / "order.csv", "--size", 2, "--json", "-")
    assert json.loads(out)["wfdr"] is None


def test_a_technique_that_lacks_something_says_what(table, tmp_path, command):
    arguments = ("--technique", "deepabstraction", "--seed", 1, "--out", tmp_path / "order.csv")
    status, _, error = command("prioritize", table, *arguments)
    assert status == 2
    assert error.count("\n") == 1
    assert not (tmp_path / "order.csv").exists()


def test_other_models_change_the_order_of_what_learns_from_them(table, tmp_path, command):
    rows = list(csv.DictReader(table.read_text().splitlines()))
    said = [row["label"] for row in rows]  # a model that is always right disagrees just where the tested one fails
    (tmp_path / "rival.csv").write_text("\n".join(["prediction,confidence", *(f"{one},0.95" for one in said)]))
    order = tmp_path / "order.csv"
    faults = sum(row["label"] != row["prediction"] for row in rows)
    given = ("prioritize", table, "--seed", 1, "--out", order, "--other", tmp_path / "rival.csv")
    command.ok(*given, "--technique", "severity-first", "--variant", "static", "--budget", faults)
    lines = list(csv.DictReader(order.read_text().splitlines()))
    assert sum(int(line["failed"]) for line in lines[:faults]) == faults
    refused = command.refusal(*given, "--technique", "deepgini")
    assert "makes no use of what other models say" in refused
    assert "severity-first" in refused


def test_training_features_without_their_table_are_refused(table, tmp_path, command):
    arguments = ("--technique", "dsa", "--seed", 1, "--out", tmp_path / "order.csv")
    status, _, error = command("prioritize", table, *arguments, "--training-features", table.parent / "training.npy")
    assert status == 2
    assert "--training" in error
