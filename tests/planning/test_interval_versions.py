"""Version 2 of the interval is that of right or wrong by rrs and rra alone, and version 3 that of differences of versions.

So the other intervals needed no new measurement when these came, and the plans made before keep theirs.
"""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from research.studies.interval_suite import inputs_of
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.learned_guesses import estimate_with_learned_guesses
from testimate.estimators.version_difference import difference_with_learned_guesses
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.parts import Grouping, PartLabels, slices_of
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, reuse_labels
from testimate.studies.campaign import known_losses

INPUTS = inputs_of("overconfident", 1_000)
CLASSES = np.arange(len(INPUTS)) % 4


def graded(verdicts):
    return [replace(one, loss=0.5 * (one.loss or 0.0) + 0.25 * (one.draw.row % 2)) for one in verdicts]


def reused(design, verdicts, technique):
    return estimate_with_learned_guesses(design, verdicts, lambda rows, losses: INPUTS.scores["confidence"])


def difference(design, verdicts, technique):
    apart = CLASSES == 1
    halves = [replace(one, loss=(one.loss if apart[one.draw.row] else 0.5)) for one in verdicts]
    guesses, spreads = np.where(apart, 0.1, 0.5), np.where(apart, 0.2, 0.0)
    return difference_with_learned_guesses(design, halves, lambda rows, losses: guesses, spreads, apart)


def grades(design, verdicts, technique):
    return estimator_of(design).estimate(design, graded(verdicts), always_valid=False)


def slices(design, verdicts, technique):
    return slices_of([Grouping("class", tuple("abcd"), CLASSES)], PartLabels(design, verdicts, technique))


def right_or_wrong(design, verdicts, technique):
    return estimator_of(design).estimate(design, verdicts, always_valid=False)


@pytest.mark.parametrize("technique", ["rrs", "rra"])
@pytest.mark.parametrize(
    ("made", "versions"),
    [
        (reused, {(1, 2, 3)}),
        (difference, {(1, 2), (3,)}),
        (grades, {(1, 2, 3)}),
        (slices, {(1, 2, 3)}),
        (right_or_wrong, {(1,), (2, 3)}),
    ],
)
def test_each_version_of_the_interval_changes_one_interval_alone(technique, made, versions):
    selector = build(INPUTS, Request(technique, 100, 1))
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, known_losses(INPUTS)))]
    found = [repr(made(replace(selector.design, interval_version=one), verdicts, technique)) for one in (1, 2, 3)]
    alike = {tuple(version for version in (1, 2, 3) if found[version - 1] == one) for one in found}
    assert alike == versions


@pytest.mark.parametrize("technique", ["rrs", "rra"])
def test_a_plan_made_before_keeps_the_interval_of_a_difference_and_says_so(technique):
    truth = np.where(known_losses(INPUTS) > 0, (INPUTS.predictions + 1) % 10, INPUTS.predictions)
    new = replace(
        INPUTS, predictions=np.where(np.arange(len(INPUTS)) % 10 == 3, truth, INPUTS.predictions), losses=None
    )
    found = {}
    for version, settings in ((1, {}), (3, None)):
        request = Request(technique, 60, 1, auxiliary="confidence")
        selector = build(INPUTS, request, settings)
        verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, known_losses(INPUTS)))]
        design, draws = selector.design, tuple(one.draw for one in verdicts)
        assert design.interval_version == version
        votes = {draw.row: INPUTS.task.classes[truth[draw.row]] for draw in draws}
        plan = Plan(request, INPUTS.fingerprint, 1.0, design, draws)
        found[version] = reuse_labels(new, [LabeledPlan(plan, "label", votes)], old=INPUTS)
    kept = "The plan has the earlier interval of a difference."
    assert found[1].warning.startswith(kept)
    assert kept in repr(found[1])
    assert found[1].to_json()["difference"]["warning"] == found[1].warning
    assert found[3].to_json()["difference"]["warning"] == found[3].warning == ""
