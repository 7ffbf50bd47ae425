"""Samples that say little or one thing only: an interval as wide as what remains possible, never nan, never an exception."""

import math

import numpy as np
import pytest
from scipy import stats

from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators import estimator_of
from testimate.selectors.adaptive_rounds import AdaptiveRounds
from tests.each import each

INTERVALS = ("ordinary", "conservative")


def judged(design, verdicts, interval):
    """The estimate, whose interval holds its point and lies within what the labels leave possible."""
    found = estimator_of(design, interval).estimate(design, verdicts)
    losses = [one.loss for one in verdicts if one.loss is not None]
    most, least = 1 - sum(losses) / design.size, (len(losses) - sum(losses)) / design.size
    numbers = (found.accuracy, found.standard_error, found.low, found.high, found.always_low, found.always_high)
    assert all(math.isfinite(one) for one in numbers if one is not None)
    assert least - 1e-9 <= found.low <= found.accuracy + 1e-9
    assert found.accuracy - 1e-9 <= found.high <= most + 1e-9
    return found


def rounds_of(losses, budget, seed=1):
    """Adaptive rounds over inputs with these losses, all labeled."""
    selector = AdaptiveRounds(np.full(len(losses), 0.1), True, budget=budget, seed=seed)
    verdicts = []
    while selector.remaining:
        batch = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(selector.remaining)]
        selector.tell(batch)
        verdicts += batch
    return selector.design, verdicts


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("in_one_stratum", [False, True])
@pytest.mark.parametrize(
    ("failures", "n", "size"), [(0, 1, 10), (1, 1, 10), (0, 20, 50), (20, 20, 50), (0, 40, 50), (1, 1, 2)]
)
def test_no_count_is_excluded_that_few_or_equal_labels_do_not_refute(
    failures, n, size, in_one_stratum, interval, verdicts_of
):
    """A budget of 1, one label in a stratum, all failing, none failing: each count of failures with its chance."""
    design = Stratified((size,), n, prior_failure=(0.01,)) if in_one_stratum else SimpleRandom((size,), n)
    found = judged(design, verdicts_of([1.0] * failures + [0.0] * (n - failures)), interval)
    counts = np.arange(size + 1)
    possible = counts[stats.hypergeom.pmf(failures, size, counts, n) > 0.025]
    assert 1 - found.high <= possible.min() / size + 1e-9
    assert 1 - found.low >= possible.max() / size - 1e-9


@pytest.mark.parametrize("interval", INTERVALS)
def test_a_set_of_one_input_is_known_once_it_is_labeled(interval, verdicts_of):
    for loss in (0.0, 1.0):
        for design in (SimpleRandom((1,), 1), Stratified((1,), 1)):
            found = judged(design, verdicts_of([loss]), interval)
            assert (found.low, found.high) == (1 - loss, 1 - loss)
        found = judged(*rounds_of([loss], 1), interval)
        assert (found.low, found.high) == (1 - loss, 1 - loss)


@pytest.mark.parametrize("interval", INTERVALS)
def test_where_all_is_skipped_there_is_no_number(interval, verdicts_of):
    design, verdicts = rounds_of(np.zeros(30), 10)
    skipped = [Verdict(one.draw, None) for one in verdicts]
    cases = [(SimpleRandom((30,), 10), verdicts_of([None] * 10)), (design, skipped)]
    cases.append((Stratified((20, 10), 10), verdicts_of([None] * 10, [0, 1] * 5)))
    for one, batch in cases:
        with pytest.raises(NotEnoughLabels):
            estimator_of(one, interval).estimate(one, batch)


@pytest.mark.parametrize("interval", INTERVALS)
def test_a_stratum_labeled_whole_adds_nothing_and_the_other_is_not_known(interval, verdicts_of):
    design = Stratified((4, 16), 8, prior_failure=(0.5, 1e-9))
    for in_first in (0, 4):
        losses = [1.0] * in_first + [0.0] * (8 - in_first)
        found = judged(design, verdicts_of(losses, [0] * 4 + [1] * 4), interval)
        hidden = np.flatnonzero(stats.hypergeom.pmf(0, 16, np.arange(17), 4) > 0.025).max()
        assert 1 - found.low >= (in_first + hidden) / 20 - 1e-9
        assert found.high == 1 - in_first / 20


@each("interval", INTERVALS)
@each("loss", [0.0, 1.0])
def test_rounds_in_which_all_ends_alike_leave_open_what_was_not_labeled(loss, interval):
    for size, budget in ((2, 1), (12, 10), (60, 20)):
        found = judged(*rounds_of(np.full(size, loss), budget), interval)
        counts = np.arange(size + 1)
        seen = round(loss * budget)
        possible = counts[stats.hypergeom.pmf(seen, size, counts, budget) > 0.025]
        reached = 1 - found.low if loss == 0 else 1 - found.high
        end = possible.max() if loss == 0 else possible.min()
        assert abs(reached - loss) >= 0.75 * abs(end / size - loss)
