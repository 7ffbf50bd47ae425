"""From inputs and a request to a selector: what depends on the task, and what comes from the training data."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.planning.needs import possible
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.each import each

LSA = np.array([-2.5, 0.0, 1.5, 2.0])
WITH_NEGATIVE = ["sups", "rhc-s", "2-ups", "deepest"]


def inputs_of(task, size=4, **more):
    settings = {"fingerprint": "f", "task": task, "predictions": np.zeros(size), "scores": {"lsa": LSA}, **more}
    return Inputs(**settings)


def chances_of(task, **options):
    """Chance of each input at a draw of sups without its uniform share."""
    found = {}
    for seed in range(60):
        request = Request("sups", 4, seed, auxiliary="lsa", variant="as published", options=options)
        found |= {draw.row: draw.probability for draw in build(inputs_of(task), request).ask(4)}
    return [found.get(row, 0.0) for row in range(4)]


def test_negative_scores_are_shifted_for_regression_and_scaled_for_classes():
    shifted, scaled = (LSA + 3) / 13, (LSA + 2.5) / 11  # the ceiling of 2.5 is 3; DeepSample, section 3.3
    assert chances_of(Regression(tolerance=1.0)) == pytest.approx(shifted)
    assert chances_of(Classification(("a", "b"))) == pytest.approx(scaled)
    assert chances_of(MultiLabel(("a", "b"))) == pytest.approx(scaled)


def test_an_option_for_negative_scores_overrides_the_default():
    assert chances_of(Regression(tolerance=1.0), negative="min-max") == pytest.approx((LSA + 2.5) / 11)
    assert chances_of(Classification(("a", "b")), negative="shift") == pytest.approx((LSA + 3) / 13)


@each("name", WITH_NEGATIVE)
def test_every_technique_with_sizes_shifts_for_regression(name):
    scores = np.array([-2.5, -2.4, 1.0, 1.5, 2.0])

    def drawn(task):
        """The rows of the second of three draws, which is made by sizes alone."""
        inputs = inputs_of(task, size=5, scores={"lsa": scores})
        settings = {"auxiliary": "lsa", "variant": "as published"}
        if name == "deepest":
            settings["options"] = {"deviations": -10.0, "r": 1.0}
        return {build(inputs, Request(name, 3, seed, **settings)).ask(3)[1].row for seed in range(200)}

    assert 0 in drawn(Regression(tolerance=1.0))
    assert 0 not in drawn(Classification(("a", "b")))  # by min-max its size is 0


def test_techniques_without_sizes_are_built_for_regression_as_they_are():
    inputs = inputs_of(Regression(tolerance=1.0))
    assert build(inputs, Request("css", 4, 1, auxiliary="lsa")).remaining == 4


@pytest.mark.parametrize("name", ["ssoa-r-t", "ssoa-c-t"])
def test_training_scores_and_losses_come_from_the_training_inputs(name):
    size = 100
    chance = np.linspace(0, 0.99, size)
    task = Classification(("a", "b"))
    training = inputs_of(
        task,
        size=400,
        scores={"confidence": np.tile(chance, 4)},
        losses=np.tile(chance > 0.9, 4) * np.tile([0.0, 1], 200),
    )
    inputs = inputs_of(task, size=size, scores={"confidence": chance}, training=training)
    selector = build(inputs, Request(name, 9, 1, variant="as published"))
    assert {draw.row > 60 for draw in selector.ask(9)} == {True}  # where training inputs fail


@each("name", ["ssoa-r-t", "ssoa-c-t"])
@each("training", [None, inputs_of(Classification(("a", "b")))])
def test_without_training_data_and_its_losses_they_cannot_run(name, training):
    inputs = inputs_of(Classification(("a", "b")), training=training)
    with pytest.raises(BadInput, match="training data"):
        build(inputs, Request(name, 4, 1, auxiliary="lsa"))
    assert "training data" in possible(inputs, SELECTORS[name])


def test_training_data_without_the_auxiliary_variable_is_refused():
    training = inputs_of(Classification(("a", "b")), scores={"dsa": LSA}, losses=np.zeros(4))
    inputs = inputs_of(Classification(("a", "b")), training=training)
    with pytest.raises(BadInput, match="lsa"):
        build(inputs, Request("ssoa-r-t", 4, 1, auxiliary="lsa"))
    assert possible(inputs, SELECTORS["ssoa-r-t"]) == ""
