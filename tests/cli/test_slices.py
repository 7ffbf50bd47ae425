"""What `testimate estimate` says about slices and classes, and which questions it refuses."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from testimate import estimate, open_subject, select
from testimate.core.errors import BadInput
from testimate.planning.parts import grouping

SIZE = 400


@pytest.fixture
def labeled(command, tmp_path):
    """A table with columns to slice by, a plan of 200 random inputs of it, and their labels; and the table as a frame."""
    rng = np.random.default_rng(8)
    label = rng.integers(0, 2, SIZE)
    light = np.where(np.arange(SIZE) % 4 == 0, "night", "day")
    wrong = rng.random(SIZE) < np.where(light == "night", 0.4, 0.05)
    frame = pd.DataFrame(
        {
            "label": np.where(label == 1, "<b>dog</b>", "=cat()"),
            "prediction": np.where(label ^ wrong, "<b>dog</b>", "=cat()"),
            "light": light,
            "km": np.where(np.arange(SIZE) < 40, np.nan, rng.random(SIZE) * 100),
            "road": np.where(np.arange(SIZE) % 2 == 0, "wet", "dry"),
        }
    )
    table, plan, votes = tmp_path / "table.csv", tmp_path / "plan.json", tmp_path / "votes.csv"
    frame.drop(columns="km").to_csv(table, index=False)
    frame.to_csv(tmp_path / "more.csv", index=False)
    command.ok("select", table, "--technique", "srs", "--budget", 200, "--seed", 3, "--out", plan)
    rows = [draw["row"] for draw in json.loads(plan.read_text())["draws"]]
    pd.DataFrame({"row": rows, "label": frame["label"][rows].to_numpy()}).to_csv(votes, index=False)
    return plan, votes, frame, rows


def test_slices_of_a_random_sample_are_the_shares_that_pandas_counts(command, labeled):
    plan, votes, frame, rows = labeled
    asked = ("--slice", "light", "--slice", "light,road", "--slice", "km", "--table", plan.parent / "more.csv")
    found = json.loads(command.ok("estimate", plan, votes, *asked, "--json", "-"))["slices"]
    seen = frame.loc[rows].assign(right=lambda one: one["label"] == one["prediction"])
    counted = {("light", value): part["right"] for value, part in seen.groupby("light")}
    counted |= {("light, road", ", ".join(pair)): part["right"] for pair, part in seen.groupby(["light", "road"])}
    counted |= {("km", "(empty)"): seen["right"][seen["km"].isna()]}
    of = {(one["column"], one["value"]): one for one in found}
    for key, right in counted.items():
        assert of[key]["labeled"] == len(right)
        assert of[key]["accuracy"] == pytest.approx(right.mean())
        assert of[key]["low"] < right.mean() < of[key]["high"]
    assert sum(one["size"] for one in found if one["column"] == "km") == SIZE
    said = command.ok("estimate", plan, votes, "--slice", "light")
    assert "light = night, 100 inputs: " in said
    assert "about 1 in 20 of these 95% intervals" in said


def test_python_gives_the_same_slices_as_the_terminal(command, labeled):
    plan, votes, frame, _ = labeled
    from_python = estimate(plan, votes, subject=open_subject(plan.parent / "table.csv")).slices(
        {"light": frame["light"]}
    )
    slices = json.loads(command.ok("estimate", plan, votes, "--slice", "light", "--json", "-"))["slices"]
    assert [one.to_json() for one in from_python] == slices


def test_the_night_is_a_weak_spot_at_the_terminal_and_from_python_alike(command, labeled):
    plan, votes, frame, rows = labeled
    said = command.ok("estimate", plan, votes, "--weak-spots")
    assert "Inputs with light night: " in said
    result = json.loads(command.ok("estimate", plan, votes, "--weak-spots", "--json", "-"))["weak_spots"]
    [spot] = result["spots"]
    assert (spot["spot"], spot["size"]) == ("inputs with light night", 100)
    night = frame.loc[rows].query("light == 'night'")
    assert 0.3 * len(night) < spot["labeled"] < 0.7 * len(night)  # the half that did not find it
    found = estimate(plan, votes, subject=open_subject(plan.parent / "table.csv"))
    assert found.weak_spots({"light": frame["light"], "road": frame["road"]}).to_json()["spots"] == result["spots"]
    assert str(found.weak_spots({"road": frame["road"]})).startswith(
        "No weak spot: no part fails more often than the rest"
    )
    with pytest.raises(BadInput, match="Column 'light' has 3 values"):
        found.weak_spots({"light": ["night"] * 3})


def test_every_class_to_the_same_width_at_the_terminal_and_from_python(command, labeled, tmp_path):
    table, plan, votes = tmp_path / "table.csv", tmp_path / "each.json", tmp_path / "each-votes.csv"
    frame = labeled[2]
    asked = ("select", table, "--each", "prediction", "--seed", 1, "--out", plan)
    said = command.ok(*asked, "--half-width", 0.1)
    assert "Each of 2 parts by prediction to ±10.0 points takes about " in said
    draws = json.loads(plan.read_text())["draws"]
    of_each = frame["prediction"][[draw["row"] for draw in draws]].value_counts()
    assert abs(of_each.iloc[0] - of_each.iloc[1]) < 5
    rows = [draw["row"] for draw in draws]
    pd.DataFrame({"row": rows, "label": frame["label"][rows].to_numpy()}).to_csv(votes, index=False)
    found = json.loads(command.ok("estimate", plan, votes, "--slice", "prediction", "--json", "-"))["slices"]
    assert all((one["high"] - one["low"]) / 2 < 0.12 for one in found)
    made = select(open_subject(table), seed=1, each={"prediction": frame["prediction"]}, half_width=0.1)
    assert list(made.rows) == rows
    assert "Give one of them" in command.refusal(*asked)
    assert "no --technique" in command.refusal(*asked, "--half-width", 0.1, "--technique", "srs")
    assert "neither a --budget nor a --half-width" in command.refusal("select", table, "--seed", 1, "--out", plan)


def test_classes_say_precision_recall_and_the_confusion_of_all_inputs(command, labeled):
    plan, votes, frame, rows = labeled
    found = json.loads(command.ok("estimate", plan, votes, "--classes", "--json", "-"))
    seen = frame.loc[rows]
    for one in found["classes"]:
        true, said = seen["label"] == one["class"], seen["prediction"] == one["class"]
        assert one["recall"]["value"] == pytest.approx((true & said).sum() / true.sum())
        assert one["precision"]["value"] == pytest.approx((true & said).sum() / said.sum())
    shares = {(cell["true"], cell["predicted"]): cell["share"] for cell in found["confusion"]}
    expected = seen.groupby(["label", "prediction"]).size() / len(seen)
    assert shares == pytest.approx(expected.to_dict())
    together = json.loads(command.ok("estimate", plan, votes, "--classes", "--simultaneous", "--json", "-"))
    assert together["classes"][0]["recall"]["low"] < found["classes"][0]["recall"]["low"]


def test_questions_that_no_label_answers_are_refused_in_a_sentence(command, labeled, tmp_path):
    plan, votes, frame, rows = labeled
    assert "There is no column 'color'" in command.refusal("estimate", plan, votes, "--slice", "color")
    assert "Expected --slice, --classes, or a plan with criteria" in command.refusal(
        "estimate", plan, votes, "--simultaneous"
    )
    short = tmp_path / "short.csv"
    frame[:50].to_csv(short, index=False)
    assert "has 50 rows" in command.refusal("estimate", plan, votes, "--slice", "light", "--table", short)
    failed = tmp_path / "failed.csv"
    pd.DataFrame({"row": rows, "failed": 0}).to_csv(failed, index=False)
    assert "votes with the column label" in command.refusal("estimate", plan, failed, "--classes")


def test_a_column_of_40_000_values_is_refused_and_so_many_numbers_are_bands():
    with pytest.raises(BadInput, match=r"has 40,000 different values. Expected at most 1,000"):
        grouping("name", [f"f{row}" for row in range(40_000)], 40_000)
    made = grouping("km", np.arange(40_000), 40_000)
    assert len(made.values) == 4
    assert np.bincount(made.groups).tolist() == [10_000] * 4


def test_gaps_between_groups_are_those_that_pandas_counts(command, labeled):
    plan, votes, frame, rows = labeled
    found = json.loads(command.ok("estimate", plan, votes, "--slice", "light", "--gaps", "--json", "-"))["gaps"][0]
    seen = frame.loc[rows].assign(right=lambda one: one["label"] == one["prediction"])
    shares = seen.groupby("light")["right"].mean()
    assert (found["largest"]["value"], found["largest"]["beside"]) == ("day", "night")
    assert found["largest"]["gap"] == pytest.approx(shares["day"] - shares["night"])
    assert found["largest"]["low"] > 0
    said = command.ok("estimate", plan, votes, "--slice", "light", "--gaps", "--simultaneous")
    assert "Largest gap: day above night" in said


def test_gaps_without_a_column_and_a_confidence_that_is_not_there_are_refused(command, labeled):
    plan, votes, *_ = labeled
    assert "--slice" in command("estimate", plan, votes, "--gaps").err
    said = command("estimate", plan, votes, "--calibration")
    assert said.status == 2
    assert "no confidence" in said.err


def test_a_width_takes_as_many_labels_as_are_foretold_at_the_terminal_and_from_python(command, tmp_path):
    chance, table, plan = np.random.default_rng(3).beta(0.5, 3, 1500), tmp_path / "own.csv", tmp_path / "plan.json"
    pd.DataFrame({"prediction": ["a", "b", "c"] * 500, "confidence": 1 - chance / 2}).to_csv(table, index=False)
    asked = ("select", table, "--seed", 1, "--out", plan)
    said = command.ok(*asked, "--half-width", 0.04)
    made = select(open_subject(table), seed=1, half_width=0.04)
    assert f"{len(made.rows)} inputs to label, picked by rrs" in said
    reached, low, high, labels = re.search(
        r"Expect about ±([\d.]+) points \(likely ([\d.]+) to ([\d.]+)\) after (\d+) labels\.", said
    ).groups()
    assert float(low) < float(reached) < float(high)
    assert float(reached) == pytest.approx(4.0, abs=0.1)
    assert int(labels) == len(made.rows)
    assert "Expect about" in command.ok(*asked, "--budget", 100)
    assert "Expected one of them" in command.refusal(*asked, "--budget", 100, "--half-width", 0.04)
