"""Gaps between groups: a published example, a census, what Bonferroni costs, and how often the intervals hold."""

import numpy as np
import pytest

from testimate.core.design import Purposive, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.estimators.gaps import REST, group_gaps, mover
from testimate.estimators.intervals import wilson
from tests.each import each


@each(
    "first, second, ends",
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
    ],
)
def test_two_samples_have_the_intervals_of_newcombes_table(first, second, ends):
    """Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10 (hybrid score)."""
    values = first[0] / first[1], second[0] / second[1]
    found = mover(wilson(values[0], first[1]), wilson(values[1], second[1]), values)
    assert found == pytest.approx(ends, abs=6e-5)


def test_a_gap_of_sides_that_move_together_is_narrower():
    one, other = wilson(0.8, 50), wilson(0.6, 50)
    apart, together = (mover(one, other, (0.8, 0.6), correlation) for correlation in (0.0, 0.5))
    assert together.high - together.low < apart.high - apart.low


def test_a_census_knows_every_gap(verdicts_of):
    losses = np.arange(60) % 3 == 0
    groups = np.arange(60) // 20
    found = group_gaps(SimpleRandom((60,), 60), verdicts_of(losses), groups, 3)
    for place, one in enumerate(found.each):
        exact = losses[groups != place].mean() - losses[groups == place].mean()
        assert (one.second, one.value) == (REST, pytest.approx(exact))
        assert (one.low, one.high) == (pytest.approx(exact), pytest.approx(exact))


def test_a_group_of_few_labels_has_no_number_and_joins_the_rest_of_the_others(verdicts_of):
    groups = np.where(np.arange(400) % 100 == 0, 2, np.arange(400) % 2)
    found = group_gaps(SimpleRandom((400,), 60), verdicts_of([0, 1, 0, 0] * 15), groups, 3)
    assert found.each[2].value is None
    assert found.each[2].why == "1 label, 10 needed"
    assert {found.largest.first, found.largest.second} == {0, 1}


def test_a_chosen_sample_has_no_gap(verdicts_of):
    found = group_gaps(Purposive((100,), 30), verdicts_of([0] * 30), np.arange(100) % 2, 2)
    assert found.largest is None
    assert all("no honest interval" in one.why for one in found.each)


@each("simultaneous", [False, True])
def test_intervals_of_gaps_hold_as_often_as_they_say(simultaneous):
    """Four groups of 0.95, 0.9, 0.8 and 0.7 in a stratified sample of 240; 300 campaigns."""
    rng = np.random.default_rng(54)
    size, campaigns = 6000, 300
    groups = rng.integers(0, 4, size)
    losses = (rng.random(size) > np.array([0.95, 0.9, 0.8, 0.7])[groups]).astype(float)
    strata = (np.argsort(np.argsort(losses + rng.normal(0, 1, size))) * 4) // size
    sizes = np.bincount(strata)
    design = Stratified(tuple(sizes.tolist()), 240)
    truth = [losses[groups != place].mean() - losses[groups == place].mean() for place in range(4)]
    largest = losses[groups == 3].mean() - losses[groups == 0].mean()
    each_held, all_held, largest_held = [], [], []
    for _ in range(campaigns):
        rows = np.concatenate([rng.choice(np.flatnonzero(strata == one), 60, replace=False) for one in range(4)])
        verdicts = [Verdict(Draw(int(row), None, int(strata[row])), float(losses[row])) for row in rows]
        found = group_gaps(design, verdicts, groups, 4, simultaneous=simultaneous)
        held = [one.low <= exact <= one.high for one, exact in zip(found.each, truth, strict=True)]
        each_held += held
        all_held.append(all(held))
        if (found.largest.first, found.largest.second) == (0, 3):
            largest_held.append(found.largest.low <= largest <= found.largest.high)
    error = np.sqrt(0.95 * 0.05 / campaigns)
    assert np.mean(each_held) >= 0.95 - 2 * error
    assert np.mean(largest_held) >= 0.95 - 2 * error
    if simultaneous:
        assert np.mean(all_held) >= 0.95 - 2 * error
    else:
        assert np.mean(each_held) <= 0.98
