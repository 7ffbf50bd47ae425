"""The accuracy of a set with other shares, against hand computation, enumeration, and campaigns."""

from itertools import combinations

import numpy as np
import pytest

from testimate.core.design import PerDraw, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators.intervals import wilson
from testimate.estimators.reweighted import estimate_reweighted

KINDS = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
LOSSES = np.array([0, 0, 0, 0, 0, 1.0, 1, 1, 0, 1])


def verdicts(rows, strata=None) -> list[Verdict]:
    return [Verdict(Draw(row, None, 0 if strata is None else int(strata[row])), float(LOSSES[row])) for row in rows]


def test_each_kind_counts_by_its_share_in_the_other_set():
    found = estimate_reweighted(
        SimpleRandom((10,), 6), verdicts([0, 1, 2, 5, 6, 8]), KINDS, np.array([0.2, 0.8]), np.array([0.1, 0.1])
    )
    assert found.accuracy == pytest.approx(1 - (0.2 * 1 / 4 + 0.8 * 1 / 2))
    assert found.low < found.accuracy < found.high
    assert (found.always_low, found.labeled) == (None, 6)


def test_labels_of_every_input_give_the_weighted_rate_and_equal_shares_the_rate_itself():
    design, shares = SimpleRandom((10,), 10), np.array([0.25, 0.75])
    whole = estimate_reweighted(design, verdicts(range(10)), KINDS, shares, np.array([0.1, 0.1]))
    assert whole.accuracy == pytest.approx(1 - (0.25 / 6 + 0.75 * 3 / 4))
    same = estimate_reweighted(design, verdicts(range(10)), KINDS, np.array([0.6, 0.4]), np.array([0.1, 0.1]))
    assert same.accuracy == pytest.approx(1 - LOSSES.mean())


def test_labels_weigh_by_their_chances_of_being_drawn():
    strata = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1, 1])
    design = Stratified((5, 5), 4)
    rows = [0, 6, 5, 8]  # of stratum 0: rows 0 and 6, of 1: 5 and 8
    found = estimate_reweighted(design, verdicts(rows, strata), KINDS, np.array([0.5, 0.5]), np.array([0.1, 0.1]))
    # each label stands for 5 / 2 inputs: kind 0 has rows 0 (right) and 5 (wrong), kind 1 rows 6 (wrong) and 8 (right)
    assert found.accuracy == pytest.approx(0.5)
    uneven = estimate_reweighted(
        Stratified((2, 8), 3),
        [Verdict(Draw(0, None, 0), 0.0), Verdict(Draw(5, None, 1), 1.0), Verdict(Draw(1, None, 1), 0.0)],
        KINDS,
        np.array([1.0, 0.0]),
        np.array([0.1, 0.1]),
    )
    assert uneven.accuracy == pytest.approx(1 - 4 / (2 + 4 + 4))


def test_it_is_unbiased_over_all_samples_that_hold_each_kind():
    """Given how many labels each kind has, they are simple random samples of the kinds, so their rates are unbiased."""
    shares, guesses = np.array([0.3, 0.7]), np.array([0.1, 0.1])
    means: dict[int, list[float]] = {}
    for rows in combinations(range(10), 5):
        ones = int(KINDS[list(rows)].sum())
        if 0 < ones < 5:
            found = estimate_reweighted(SimpleRandom((10,), 5), verdicts(rows), KINDS, shares, guesses)
            means.setdefault(ones, []).append(found.accuracy)
    assert [np.mean(one) for one in means.values()] == pytest.approx([1 - (0.3 / 6 + 0.7 * 3 / 4)] * len(means))


def test_with_one_kind_the_interval_is_near_wilson_s_and_wider_for_uneven_weights():
    rng = np.random.default_rng(1)
    losses = (rng.random(200) < 0.2).astype(float)
    draws = [Verdict(Draw(row), loss) for row, loss in enumerate(losses)]
    one, sure = np.zeros(10_000, dtype=np.intp), np.array([1.0])
    found = estimate_reweighted(SimpleRandom((10_000,), 200), draws, one, sure, np.array([losses.mean()]))
    plain = wilson(losses.mean(), 200)
    assert (1 - found.high, 1 - found.low) == pytest.approx((plain.low, plain.high), abs=0.004)
    halves = [Verdict(Draw(row, None, row % 2), loss) for row, loss in enumerate(losses)]
    uneven = estimate_reweighted(Stratified((9_000, 1_000), 200), halves, one, sure, np.array([0.2]))
    assert uneven.high - uneven.low > 1.2 * (found.high - found.low)


def test_kinds_without_a_label_may_all_fail_or_none():
    shares = np.array([0.7, 0.3])
    found = estimate_reweighted(SimpleRandom((10,), 4), verdicts([0, 1, 2, 3]), KINDS, shares, np.array([0.1, 0.5]))
    assert found.accuracy == pytest.approx(1 - 0.3 * 0.5)
    assert found.low < 0.7
    assert found.high == pytest.approx(1.0)
    with pytest.raises(NotEnoughLabels, match="of a kind that the other set has"):
        estimate_reweighted(SimpleRandom((10,), 4), verdicts([0, 1]), KINDS, np.array([0.0, 1.0]), np.array([0.1, 0.5]))


def test_a_skipped_draw_widens_the_interval_whether_it_failed_or_not():
    shares, guesses, design = np.array([0.5, 0.5]), np.array([0.1, 0.1]), SimpleRandom((10,), 6)
    some = verdicts([0, 1, 5, 6, 8])
    skipped = estimate_reweighted(design, [*some, Verdict(Draw(9), None)], KINDS, shares, guesses)
    ends = [estimate_reweighted(design, [*some, Verdict(Draw(9), loss)], KINDS, shares, guesses) for loss in (0.0, 1.0)]
    assert (skipped.low, skipped.high) == (min(one.low for one in ends), max(one.high for one in ends))
    assert (skipped.skipped_low, skipped.skipped_high) == (ends[1].accuracy, ends[0].accuracy)


def test_draws_with_unequal_chances_and_replacement_are_refused():
    with pytest.raises(BadInput, match="Plan new labels"):
        estimate_reweighted(PerDraw((10,), 3), verdicts([0]), KINDS, np.array([0.5, 0.5]), np.array([0.1, 0.1]))


def test_the_interval_covers_the_weighted_rate_as_often_as_it_claims():
    rng = np.random.default_rng(5)
    kinds = rng.choice(4, 3000, p=[0.5, 0.3, 0.15, 0.05])
    losses = (rng.random(3000) < np.array([0.02, 0.1, 0.2, 0.3])[kinds]).astype(float)
    shares = np.array([0.2, 0.2, 0.2, 0.4])
    true = 1 - sum(share * losses[kinds == kind].mean() for kind, share in enumerate(shares))
    held = 0
    for _ in range(600):
        rows = rng.choice(3000, 250, replace=False)
        draws = [Verdict(Draw(int(row)), float(losses[row])) for row in rows]
        found = estimate_reweighted(SimpleRandom((3000,), 250), draws, kinds, shares, np.full(4, 0.1))
        held += found.low <= true <= found.high
    assert 0.93 <= held / 600 <= 0.985
