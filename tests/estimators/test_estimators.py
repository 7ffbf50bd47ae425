"""The list of estimators, and what all of them refuse."""

import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from testimate.core.design import (
    DESIGNS,
    Design,
    Groups,
    PerDraw,
    Purposive,
    Rounds,
    Sequential,
    SimpleRandom,
    Stratified,
    StratifiedAsPublished,
    TwoStage,
)
from testimate.core.errors import BadInput, WrongDesign
from testimate.estimators import ESTIMATORS, estimator_of
from tests.each import each

EXAMPLES = [SimpleRandom((40,), 9), Stratified((20, 20), 9), PerDraw((40,), 9), Purposive((40,), 9)]
EXAMPLES += [TwoStage((20, 20), 9, (0.5, 0.5)), StratifiedAsPublished((20, 20), 9, program="ssoa")]
EVERY = [
    Rounds((40,), 9),
    *EXAMPLES,
    Sequential((40,), 9),
    Groups((20, 20), 2, (0.5, 0.5)),
]  # the last two know an order, or one draw each
WITHOUT_REPLACEMENT = [EVERY[0], *EVERY[-3:], SimpleRandom((40,), 9), Stratified((20, 20), 9), Purposive((40,), 9)]


def test_every_kind_of_design_has_its_estimator(verdicts_of):
    assert set(ESTIMATORS) == set(DESIGNS.values())
    for design in EXAMPLES:
        labels = verdicts_of([0, 1, 0, 1], [0, len(design.stratum_sizes) - 1] * 2, [0.025] * 4)
        found = estimator_of(design).estimate(design, labels)
        assert (found.accuracy, found.design) == (pytest.approx(0.5), design.kind)


def test_naming_the_estimators_imports_none():
    code = "import sys, testimate.estimators as e; print(len(e.ESTIMATORS), sum('sample' in m for m in sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == [str(len(DESIGNS)), "0"]


def test_a_design_nobody_knows_is_refused_with_those_known():
    @dataclass(frozen=True)
    class Dreamt(Design):
        kind: ClassVar[str] = "dreamt"

    with pytest.raises(WrongDesign, match="simple random, stratified, per draw, purposive"):
        estimator_of(Dreamt((5,), 1))


@each("design", EVERY)
def test_an_estimator_refuses_every_other_kind_of_design(design, verdicts_of):
    for other in EVERY:
        if other is not design:
            with pytest.raises(WrongDesign, match=f"draws of a {other.kind} design"):
                estimator_of(design).estimate(other, verdicts_of([0, 1], [0, 1], [0.025, 0.025]))


@each("design", EVERY)
def test_draws_from_outside_the_design_are_refused(design, verdicts_of):
    chances = [0.025, 0.025]
    with pytest.raises(BadInput, match="was drawn from stratum 7"):
        estimator_of(design).estimate(design, verdicts_of([0, 1], [0, 7], chances))
    with pytest.raises(BadInput, match="Row 40 was drawn"):
        estimator_of(design).estimate(design, verdicts_of([0, 1], [0, 0], chances, rows=[3, 40]))


@each("design", EVERY)
def test_losses_beyond_the_bound_are_refused(design, verdicts_of):
    with pytest.raises(BadInput, match=r"loss of row 1 is 1\.5"):
        estimator_of(design).estimate(design, verdicts_of([0, 1.5], [0, 0], [0.025, 0.025]))
    with pytest.raises(BadInput, match="largest loss is 0"):
        estimator_of(design).estimate(design, verdicts_of([0, 0], [0, 0], [0.025, 0.025]), loss_bound=0.0)


@each("design", WITHOUT_REPLACEMENT)
def test_a_row_that_occurs_twice_is_refused_where_none_is_drawn_twice(design, verdicts_of):
    with pytest.raises(BadInput, match="Row 3 occurs 2 times"):
        estimator_of(design).estimate(design, verdicts_of([0, 1, 0], [0, 0, 0], rows=[3, 2, 3]))


def test_more_draws_than_a_stratum_holds_are_refused(verdicts_of):
    with pytest.raises(BadInput, match="Stratum 1 has 3 draws; it contains 2"):
        estimator_of(Stratified((8, 2), 4)).estimate(
            Stratified((8, 2), 4), verdicts_of([0, 1, 0, 1], [0, 1, 1, 1], rows=[1, 2, 3, 4])
        )


def test_chosen_inputs_give_a_point_without_guarantee(verdicts_of):
    design = Purposive((30, 10), 5)
    found = estimator_of(design).estimate(design, verdicts_of([0, 1, None, 0, 0], [0, 0, 1, 1, 1]))
    assert (found.accuracy, found.skipped_low, found.skipped_high) == (0.75, 0.6, 0.8)
    assert (found.standard_error, found.low, found.high, found.always_low) == (None, None, None, None)
    assert "rrs" in found.why
