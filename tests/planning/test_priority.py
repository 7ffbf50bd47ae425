"""All inputs in order of priority, and the file they are written to."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from testimate.auxiliary.surprise import dsa
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.metrics import error_severity
from testimate.planning.build import build, stored_settings
from testimate.planning.needs import possible, training_classes
from testimate.planning.other_models import with_others
from testimate.planning.priority import priority, read_order, write_order
from testimate.selectors import SELECTORS
from testimate.selectors.severity_first import SeverityChance
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression
from tests.each import each

SIZE = 120


def made(classes=("a", "b", "c"), size=SIZE, seed=1, **more) -> Inputs:
    rng = np.random.default_rng(seed)
    confidence, predictions = 1 - rng.beta(0.5, 2.0, size), rng.integers(len(classes), size=size)
    features = (rng.normal(size=(size, 3)) + 4 * np.eye(3)[predictions]).astype(np.float32)
    losses = (rng.random(size) > confidence).astype(float)
    known = {
        "fingerprint": "f",
        "task": Classification(classes),
        "predictions": predictions,
        "confidence": confidence,
        "scores": dict.fromkeys(("confidence", "gini", "entropy", "margin"), 1 - confidence),
        "features": {"LHL": features},
        "losses": losses,
    }
    return Inputs(**(known | more))


def request(technique, budget=SIZE, **more):
    return Request(technique, budget, 3, **more)


PRIORITIZERS = [name for name in SELECTORS if SELECTORS[name].claims.note.startswith("The inputs are chosen because")]


@each("technique", PRIORITIZERS)
def test_every_prioritizer_names_every_input_once(technique):
    inputs = made(training=made(seed=2, size=300))
    order = priority(inputs, request(technique, budget=40))
    assert sorted(order.rows.tolist()) == list(range(SIZE))
    assert all(order.reasons)
    assert order.learned == SELECTORS[technique].adapts
    assert (priority(inputs, request(technique, budget=40)).rows == order.rows).all()


def test_there_are_nine_of_them():
    assert set(PRIORITIZERS) == {
        *("deepgini", "entropy", "margin", "confidence", "dsa", "lsa"),
        *("neuron-pattern", "deepabstraction", "severity-first"),
    }


def test_the_first_ones_are_those_of_a_plan_of_that_budget():
    inputs = made()
    order = priority(inputs, request("severity-first", budget=5))
    assert order.rows[:5].tolist() == [
        draw.row for draw in build(with_dsa(inputs), request("severity-first", 5)).ask(5)
    ]


def with_dsa(inputs):
    from testimate.planning.priority import with_slow_scores

    return with_slow_scores(inputs, request("severity-first"))


def test_surprise_is_computed_from_the_features_unless_a_column_holds_it():
    inputs, trained = made(), made(seed=2, size=300)
    found = priority(replace(inputs, training=trained), request("dsa")).rows
    scores = dsa(inputs.feature("LHL"), inputs.predictions, trained.feature("LHL"), trained.predictions)
    assert (np.diff(scores[found]) <= 0).all()
    column = np.arange(SIZE, dtype=float)
    given = priority(replace(inputs, scores={**inputs.scores, "dsa": column}), request("dsa")).rows
    assert given.tolist() == list(range(SIZE))[::-1]


def test_without_answers_what_learns_orders_by_what_is_known_before():
    inputs = made(losses=None)
    order = priority(inputs, request("severity-first"))
    static = build(with_dsa(inputs), request("severity-first", variant="static"))
    assert not order.learned
    assert order.rows.tolist() == [draw.row for draw in static.ask(SIZE)]
    with pytest.raises(BadInput, match="learns from labels"):
        priority(inputs, request("rra"))


@each("variant", ["static", None])
def test_faults_the_network_is_sure_of_come_first_where_another_model_sees_them(variant):
    sure_faults = np.arange(10)
    confidence = np.full(SIZE, 0.97)
    losses = np.zeros(SIZE)
    losses[sure_faults] = 1.0
    inputs = made(confidence=confidence, scores={"confidence": 1 - confidence}, losses=losses, features={})
    said = inputs.predictions.copy()
    said[sure_faults] = (said[sure_faults] + 1) % 3
    helped = with_others(inputs, [OtherModel("rival", said, np.full(SIZE, 0.9))])
    ordered = request("severity-first", variant=variant)
    alone = priority(inputs, ordered).rows[:10]
    known = priority(helped, replace(ordered, auxiliary="combined")).rows[:10]
    assert sorted(known.tolist()) == sure_faults.tolist()
    assert np.isin(alone, sure_faults).sum() < 5


def test_severity_first_of_before_learns_nothing_from_other_models():
    settings = {"options": {}, "rounds_ahead": 2}
    assert stored_settings(made(), request("severity-first"), settings)["others_teach"] is False


def test_what_may_draw_twice_makes_no_order():
    with pytest.raises(BadInput, match="draw an input twice"):
        priority(made(), request("sups"))


@each("technique", ["deepgini", "entropy", "margin", "dsa", "lsa", "neuron-pattern", "deepabstraction"])
def test_what_a_technique_lacks_is_reported_before_and_when_it_is_built(technique):
    bare = made(scores={"confidence": np.full(SIZE, 0.2)}, features={})
    assert possible(bare, SELECTORS[technique]).startswith("It needs")
    with pytest.raises(BadInput, match=r"needs|no 'LHL'"):
        build(bare, request(technique))


def test_classes_of_the_training_set_are_matched_by_name():
    inputs = made(training=made(classes=("c", "x", "a"), seed=2, size=50))
    numbers = {"c": 2, "x": 4, "a": 0}  # "x" is none of ours and gets a number beyond them
    names = [("c", "x", "a")[place] for place in inputs.training.predictions]
    assert training_classes(inputs).tolist() == [numbers[name] for name in names]
    assert len(priority(inputs, request("neuron-pattern")).rows) == SIZE
    assert len(priority(inputs, request("deepabstraction")).rows) == SIZE


def test_an_order_written_is_read_back(tmp_path):
    inputs = made()
    order = priority(inputs, request("severity-first"))
    write_order(inputs, order, tmp_path / "order.csv")
    read = read_order(tmp_path / "order.csv")
    assert (read.failed == inputs.losses[order.rows].astype(bool)).all()
    assert (read.probability == inputs.confidence[order.rows]).all()
    lines = list(csv.DictReader((tmp_path / "order.csv").read_text().splitlines()))
    assert [int(line["row"]) for line in lines] == order.rows.tolist()


def test_an_order_without_answers_leaves_room_for_them(tmp_path):
    inputs = made(losses=None)
    write_order(inputs, priority(inputs, request("confidence")), tmp_path / "order.csv")
    with pytest.raises(BadInput, match="failed is ''"):
        read_order(tmp_path / "order.csv")


def test_an_order_of_a_regression_holds_the_severity_of_its_errors(tmp_path):
    errors = np.random.default_rng(1).normal(0, 1, SIZE)
    inputs = made(
        task=Regression(tolerance=0.5),
        predictions=errors,
        confidence=None,
        scores={"lsa": np.abs(errors)},
        losses=np.square(errors),
    )
    order = priority(inputs, request("lsa"))
    write_order(inputs, order, tmp_path / "order.csv")
    read = read_order(tmp_path / "order.csv")
    assert (read.failed == (np.abs(errors) > 0.5)[order.rows]).all()
    assert read.probability == pytest.approx(error_severity(errors, tolerance=0.5)[order.rows])


def test_an_order_that_learns_tells_how_far_it_is_by_its_work_and_not_by_its_inputs(monkeypatch):
    """Its blocks grow, and each looks at all inputs left: by the inputs, a forecast was 2.35 times what came."""
    fitted, reports = [0], []
    learn = SeverityChance.learn
    monkeypatch.setattr(
        SeverityChance, "learn", lambda self, *a: fitted.__setitem__(0, fitted[0] + 1) or learn(self, *a)
    )
    inputs = made(size=4_000)
    priority(
        inputs,
        request("severity-first", budget=400),
        progress=lambda done, total, what: reports.append((what, done / total, fitted[0])),
    )
    shares, blocks = np.array([numbers for what, *numbers in reports if what == "ordering"]).T
    blocks /= blocks[-1]
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] == 1
    assert np.abs(shares - blocks).max() < 0.2
