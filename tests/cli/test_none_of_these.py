"""Labels outside the classes at the terminal: second looks, gates, studies, orders of priority and columns of the truth."""

import json

import numpy as np
import pandas as pd
import pytest

SIZE = 200
TRUTH = np.array([("cat", "dog", "fox", "cat", "owl")[row % 5] for row in range(SIZE)])
SAID = np.where(np.isin(TRUTH, ["cat", "dog"]), TRUTH, "dog")
TABLE = pd.DataFrame({"prediction": SAID, "confidence": np.linspace(0.5, 0.99, SIZE).round(4)})


@pytest.fixture
def planned(command, tmp_path, monkeypatch):
    """A plan of all inputs with votes that name foxes and owls."""
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("t.csv", index=False)
    pd.DataFrame({"row": range(SIZE), "label": TRUTH}).to_csv("v.csv", index=False)
    command.ok("select", "t.csv", "--technique", "srs", "--budget", SIZE, "--seed", 1, "--out", "p.json")
    return "p.json", "v.csv"


def test_a_second_look_may_find_that_an_input_is_of_no_class(planned, command):
    plan, _ = planned
    first = pd.DataFrame({"row": range(SIZE), "label": np.where(TRUTH == "fox", SAID, TRUTH)})
    first.to_csv("first.csv", index=False)
    command.ok("recheck", plan, "first.csv", "--count", SIZE, "--seed", 1, "--out", "c.csv")
    looks = pd.read_csv("c.csv")
    looks.assign(label=TRUTH[looks.row]).to_csv("c.csv", index=False)
    found = json.loads(command.ok("estimate", plan, "first.csv", "--recheck", "c.csv", "--json", "-"))
    assert found["recheck"]["changed"] == SIZE / 5
    assert found["recheck"]["accuracy"] == pytest.approx((SAID == TRUTH).mean())


def test_a_gate_counts_inputs_of_no_class_as_faults(planned, command):
    plan, votes = planned
    assert command("estimate", plan, votes, "--fail-under", 0.59).status == 0
    assert command("estimate", plan, votes, "--fail-under", 0.61).status == 1


def test_a_study_of_a_column_of_the_truth_counts_names_outside_as_wrong(planned, command):
    TABLE.assign(label=TRUTH).to_csv("known.csv", index=False)
    asked = ("study", "known.csv", "--technique", "srs", "--budget", SIZE, "--repetitions", 2, "--seed", 1)
    [found] = json.loads(command.ok(*asked, "--json", "-"))
    assert found["rmse"] == pytest.approx(0, abs=1e-9)
    assert found["failures_mean"] == (SAID != TRUTH).sum()


def test_an_order_of_priority_and_its_measures_count_names_outside_as_faults(planned, command):
    TABLE.assign(label=TRUTH).to_csv("known.csv", index=False)
    command.ok("prioritize", "known.csv", "--technique", "severity-first", "--seed", 1, "--out", "o.csv")
    order = pd.read_csv("o.csv")
    assert order.failed.sum() == (SAID != TRUTH).sum()
    found = json.loads(command.ok("metrics", "o.csv", "--size", SIZE, "--json", "-"))
    assert 0 < found["wfdr"] <= 1
