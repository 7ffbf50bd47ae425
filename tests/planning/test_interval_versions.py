"""Version 2 of the interval of right or wrong is that of rrs and rra alone: other intervals are the same by both versions.

So reused labels, differences of versions, grades and slices needed no new measurement when it came.
"""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from research.studies.interval_suite import inputs_of
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.learned_guesses import estimate_with_learned_guesses
from testimate.estimators.version_difference import difference_ends
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.parts import Grouping, PartLabels, slices_of
from testimate.studies.campaign import known_losses

INPUTS = inputs_of("overconfident", 1_000)
CLASSES = np.arange(len(INPUTS)) % 4


def graded(verdicts):
    return [replace(one, loss=0.5 * (one.loss or 0.0) + 0.25 * (one.draw.row % 2)) for one in verdicts]


def reused(design, verdicts, technique):
    return estimate_with_learned_guesses(design, verdicts, lambda rows, losses: INPUTS.scores["confidence"])


def difference(design, verdicts, technique):
    return difference_ends(design, graded(verdicts), CLASSES == 1)


def grades(design, verdicts, technique):
    return estimator_of(design).estimate(design, graded(verdicts), always_valid=False)


def slices(design, verdicts, technique):
    return slices_of([Grouping("class", tuple("abcd"), CLASSES)], PartLabels(design, verdicts, technique))


def right_or_wrong(design, verdicts, technique):
    return estimator_of(design).estimate(design, verdicts, always_valid=False)


@pytest.mark.parametrize("technique", ["rrs", "rra"])
@pytest.mark.parametrize(
    ("made", "same"), [(reused, True), (difference, True), (grades, True), (slices, True), (right_or_wrong, False)]
)
def test_only_the_interval_of_right_or_wrong_depends_on_its_version(technique, made, same):
    selector = build(INPUTS, Request(technique, 100, 1))
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, known_losses(INPUTS)))]
    found = [made(replace(selector.design, interval_version=one), verdicts, technique) for one in (1, 2)]
    assert (repr(found[0]) == repr(found[1])) == same
