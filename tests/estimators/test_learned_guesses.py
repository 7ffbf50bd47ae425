"""Guesses learned from the labels leave the estimate exactly unbiased: every sample of small populations is enumerated."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import hypergeom, multivariate_hypergeom

from testimate.core.design import Round, Rounds, SimpleRandom, Stratified
from testimate.core.draw import RoundDraw, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.adaptive_rounds import weighted_mean
from testimate.estimators.learned_guesses import estimate_with_learned_guesses, judged_across_folds, judged_by_round
from testimate.estimators.version_difference import difference_ends, difference_with_learned_guesses, spoken_for

SCORES = np.array([0.9, 0.1, 0.4, 0.7, 0.2, 0.6, 0.3])


def learn(rows, losses):
    """Guesses that follow the labels in no way that would suit the truth."""
    level = 0.3 if not rows.size else (losses.sum() + 0.5) / (rows.size + 1)
    near = np.abs(SCORES[:, None] - SCORES[rows]).sum(axis=1) if rows.size else 0.0
    return np.clip(level * SCORES + 0.1 * near, 0.0, 1.0)


@pytest.mark.parametrize(
    ("sizes", "counts", "replacement"),
    [
        ((4, 3), (2, 2), False),
        ((4, 3), (3, 2), False),
        ((4, 3), (1, 2), False),
        ((4, 3), (2, 3), False),
        ((7,), (3,), False),
        ((3, 4), (2, 2), True),
    ],
)
def test_guesses_learned_across_folds_leave_the_mean_unbiased_over_all_samples(sizes, counts, replacement, verdicts_of):
    losses = np.array([1, 0, 0, 1, 0, 1, 0.0])
    design = Stratified(sizes, sum(counts), replacement=replacement)
    starts = np.cumsum(sizes) - sizes
    inside = [
        (
            product(range(first, first + size), repeat=count)
            if replacement
            else permutations(range(first, first + size), count)
        )
        for first, size, count in zip(starts, sizes, counts, strict=True)
    ]
    means = []
    for picked in product(*map(list, inside)):
        rows = [row for part in picked for row in part]
        strata = [h for h, part in enumerate(picked) for _ in part]
        means.append(judged_across_folds(design, verdicts_of(losses[rows], strata, rows=rows), learn).mean)
    assert np.ptp(means) > 0.1
    assert np.mean(means) == pytest.approx(losses.mean(), abs=1e-12)


def chances(losses_so_far, left):
    """How a technique that learns from the old labels would draw next."""
    weights = 0.2 + SCORES[left] * (1 + 2 * sum(losses_so_far))
    return weights / weights.sum()


@pytest.mark.parametrize("exploit", [0, 1])
def test_rounds_drawn_by_the_old_labels_judge_new_losses_without_bias_over_all_sequences(exploit):
    old, new = np.array([1, 0, 0, 1, 0, 0, 1.0]), np.array([0, 0, 1, 1, 0, 1, 0.0])
    one = Round(1, exploit, 1.0, -1.0, 1.0, 0.1)
    design = Rounds((7,), 3 * (1 + exploit), rounds=(one,) * 3)
    total = mean = 0.0

    def follow(drawn, chance):
        nonlocal total, mean
        number = len(drawn) // (1 + exploit)
        if number == 3:
            verdicts = [Verdict(draw, new[draw.row]) for draw in drawn]
            total += chance
            mean += chance * weighted_mean(judged_by_round(design, verdicts, learn))
            return
        left = np.setdiff1d(np.arange(7), [draw.row for draw in drawn])
        shares = chances([old[draw.row] for draw in drawn], left)
        for row, share in zip(left.tolist(), shares.tolist(), strict=True):
            follow([*drawn, RoundDraw(row, share, 0, "", number, 0.5), *picked(left, row, number)], chance * share)

    def picked(left, row, number):
        return [RoundDraw(int(max(set(left.tolist()) - {row})), None, 0, "", number, 0.5, True)][:exploit]

    follow([], 1.0)
    assert total == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(new.mean(), abs=1e-12)


def test_the_difference_is_unbiased_over_all_samples_too(verdicts_of):
    half_points = np.array([0, 0.5, 1, 0.5, 0.5, 1, 0.0])
    design = Stratified((4, 3), 4)
    values = []
    for first, second in product(permutations(range(4), 2), permutations(range(4, 7), 2)):
        rows = [*first, *second]
        labels = verdicts_of(half_points[rows], [0, 0, 1, 1], rows=rows)
        values.append(difference_with_learned_guesses(design, labels, learn, np.full(7, 0.2), half_points != 0.5).value)
    assert np.mean(values) == pytest.approx(1 - 2 * half_points.mean(), abs=1e-12)


def test_of_versions_that_hardly_differ_the_interval_of_their_difference_holds_as_often_as_it_says(verdicts_of):
    size, labels, campaigns = 2000, 200, 300
    half_points = np.full(size, 0.5)
    half_points[:60] = np.where(np.arange(60) < 45, 1.0, 0.0)  # 45 only the old one has right, 15 only the new one
    spreads = np.where(np.arange(size) < 60, 0.2, 0.0)
    rng, held = np.random.default_rng(7), 0
    for _ in range(campaigns):
        rows = rng.choice(size, labels, replace=False)
        verdicts = verdicts_of(half_points[rows], [0] * labels, rows=rows)
        found = difference_with_learned_guesses(
            SimpleRandom((size,), labels), verdicts, lambda rows, said: np.full(size, 0.5), spreads, spreads > 0
        )
        held += found.low <= 1 - 2 * half_points.mean() <= found.high
    assert held >= 0.925 * campaigns  # 95% less two standard errors of 300 campaigns


def test_a_whole_set_of_labels_is_its_mean(verdicts_of):
    losses = np.array([1, 0, 0, 1, 0, 1, 0.0])
    found = estimate_with_learned_guesses(SimpleRandom((7,), 7), verdicts_of(losses, [0] * 7, rows=range(7)), learn)
    assert (found.accuracy, found.low, found.high, found.standard_error) == pytest.approx((4 / 7, 4 / 7, 4 / 7, 0))


def test_a_skipped_draw_gives_bounds_and_widens_the_interval(verdicts_of):
    losses = [1, 0, 0, 1, None, 0.0]
    design = SimpleRandom((7,), 6)
    found = estimate_with_learned_guesses(design, verdicts_of(losses, [0] * 6, rows=range(6)), learn)
    right, wrong = (
        judged_across_folds(design, verdicts_of([*losses[:4], loss, 0.0], [0] * 6, rows=range(6)), learn).mean
        for loss in (0.0, 1.0)
    )
    assert (found.skipped_low, found.skipped_high) == pytest.approx((1 - wrong, 1 - right))
    assert found.low <= 1 - wrong < 1 - right <= found.high


def test_a_stratum_without_a_label_that_can_be_used_has_no_estimate(verdicts_of):
    labels = verdicts_of([1, 0, None], [0, 0, 1], rows=[0, 1, 5])
    with pytest.raises(NotEnoughLabels, match="1 of the 2 strata have no settled label yet"):
        estimate_with_learned_guesses(Stratified((4, 3), 3), labels, learn)


def test_the_first_round_has_to_be_whole():
    design = Rounds((7,), 4, rounds=(Round(2, 0, 1.0, -1.0, 1.0, 0.1),) * 2)
    with pytest.raises(NotEnoughLabels, match="1 label, 2 needed"):
        judged_by_round(design, [Verdict(RoundDraw(0, 0.5, 0, "", 0, 0.5), 1.0)], learn)


def test_labels_of_inputs_where_the_versions_agree_leave_all_that_the_predictions_allow(verdicts_of):
    apart = np.arange(1000) < 50
    labels = verdicts_of([0.5] * 20, [0] * 20, rows=range(500, 520))
    assert difference_ends(SimpleRandom((1000,), 20), labels, apart) == (-0.05, 0.05)


def test_where_the_versions_differ_on_one_in_twenty_few_labels_give_an_interval_that_holds(verdicts_of):
    size, differing, campaigns = 3000, 145, 1000
    half_points = np.full(size, 0.5)
    half_points[:differing] = np.where(np.arange(differing) < 100, 0.0, 1.0)
    apart = np.arange(size) < differing
    true = 1 - 2 * half_points.mean()
    rng = np.random.default_rng(53)
    for labels in (60, 200):
        held = widths = 0.0
        for _ in range(campaigns):
            rows = rng.choice(size, labels, replace=False)
            said = verdicts_of(half_points[rows], [0] * labels, rows=rows)
            found = difference_ends(SimpleRandom((size,), labels), said, apart)
            held += found.low <= true <= found.high
            widths += found.high - found.low
        assert held >= 0.936 * campaigns  # 95% less two standard errors
        assert widths / campaigns < 2 * differing / size


@pytest.mark.parametrize("labels", [60, 400])
@pytest.mark.parametrize("differing", [1, 2, 3, 5])
def test_where_the_versions_differ_on_a_handful_the_ends_are_whole_inputs_and_hold_over_all_samples(
    verdicts_of, differing, labels
):
    size = 1000
    for lost in range(differing + 1):
        gains, apart = (
            np.where(np.arange(size) < lost, -1, 1) * (np.arange(size) < differing),
            np.arange(size) < differing,
        )
        true, held = gains.sum() / size, 0.0
        for met in product(range(lost + 1), range(differing - lost + 1)):
            rows = [*range(met[0]), *range(lost, lost + met[1]), *range(differing, differing + labels - sum(met))]
            said = verdicts_of((1 - gains[rows]) / 2, [0] * labels, rows=rows)
            found = difference_ends(SimpleRandom((size,), labels), said, apart)
            assert found.low * size == pytest.approx(round(found.low * size))
            groups = [lost, differing - lost, size - differing]
            chance = multivariate_hypergeom.pmf([*met, labels - sum(met)], groups, labels)
            held += chance * (found.low - 1e-9 <= true <= found.high + 1e-9)
        assert held >= 0.95, (lost, held)


@pytest.mark.parametrize("gained", [1, 3, 12])
def test_where_a_version_loses_nearly_always_the_few_that_gain_rule_nothing_true_out_over_all_samples(
    verdicts_of, gained
):
    size, differing, labels, held = 1000, 100, 30, 0.0
    gains, apart = np.zeros(size), np.arange(size) < differing
    gains[:gained], gains[gained:differing] = 1, -1
    for met in product(range(min(gained, 4) + 1), range(labels - 15)):  # more are met once in 10,000 samples
        rows = [*range(met[0]), *range(gained, gained + met[1]), *range(differing, differing + labels - sum(met))]
        said = verdicts_of((1 - gains[rows]) / 2, [0] * labels, rows=rows)
        found = difference_ends(SimpleRandom((size,), labels), said, apart)
        groups = [gained, differing - gained, size - differing]
        chance = multivariate_hypergeom.pmf([*met, labels - sum(met)], groups, labels)
        held += chance * (found.low - 1e-9 <= gains.mean() <= found.high + 1e-9)
    assert held >= 0.95  # 0.925 for 3 by the interval of Tango alone


def test_what_a_new_version_breaks_among_sure_inputs_is_not_forgotten_where_few_labels_meet_it(verdicts_of):
    sizes, labels, campaigns = np.array([800, 100, 100]), 20, 500
    strata = np.repeat(np.arange(3), sizes)
    gains = np.zeros(1000)
    gains[:30], gains[800:812], gains[900:912] = -1, 1, 1  # sure inputs broken, doubtful ones mended
    design, rng, held = Stratified(tuple(sizes.tolist()), 3 * labels), np.random.default_rng(53), 0
    for _ in range(campaigns):
        rows = np.concatenate([rng.choice(np.flatnonzero(strata == one), labels, replace=False) for one in range(3)])
        said = verdicts_of((1 - gains[rows]) / 2, strata[rows].tolist(), rows=rows)
        found = difference_ends(design, said, gains != 0)
        held += found.low <= gains.mean() <= found.high
    assert held >= 0.936 * campaigns  # it held in 0.75 of them while the labels that were met spoke for the others


TEN_STRATA = (174, 152, 136, 121, 107, 93, 78, 64, 48, 27)
"""Of 1,000 inputs, the surest first, as rrs cuts them; six labels in each."""


@pytest.mark.parametrize(("broken", "mended"), [((2, 2, 2, 1, 1, 1), (0, 0, 0, 1)), ((3, 3, 3, 3, 0, 0), (0, 0, 0, 4))])
def test_strata_in_which_no_label_differs_are_no_labels_of_their_own_over_all_samples(verdicts_of, broken, mended):
    sizes, counts, labels = np.array(TEN_STRATA), (*broken, *mended), 6
    starts, signs = np.cumsum(sizes) - sizes, np.repeat([-1, 1], [6, 4])
    gains, held = np.zeros(sizes.sum()), {2: 0.0, 3: 0.0}
    for first, count, sign in zip(starts, counts, signs, strict=True):
        gains[first : first + count] = sign
    for met in product(*(range(count + 1) for count in counts)):
        picked = [
            [*range(first, first + one), *range(first + count, first + count + labels - one)]
            for first, count, one in zip(starts, counts, met, strict=True)
        ]
        rows, strata = np.concatenate(picked), np.repeat(np.arange(10), labels).tolist()
        said = verdicts_of((1 - gains[rows]) / 2, strata, rows=rows)
        chance = np.prod(hypergeom.pmf(met, sizes, counts, labels))
        for version in held:
            design = Stratified(TEN_STRATA, labels * 10, interval_version=version)
            found = difference_ends(design, said, gains != 0)
            held[version] += chance * (found.low - 1e-9 <= gains.mean() <= found.high + 1e-9)
    assert held[2] < 0.93  # the one label that met a doubtful input spoke for the sure ones
    assert held[3] >= 0.95


@pytest.mark.parametrize(("right", "narrower"), [(0.9, 0.85), (0.5, 1.05), (0.1, 1.05)])
def test_guesses_of_a_difference_narrow_its_interval_where_they_help_and_it_holds_where_they_mislead(
    verdicts_of, right, narrower
):
    size, labels, campaigns, rng = 2000, 100, 300, np.random.default_rng(53)
    apart = np.arange(size) % 1000 < 300
    gains = np.where(apart, np.where(rng.random(size) < 0.5, 1, -1), 0)
    guessed = np.where(rng.random(size) < right, gains, -gains) * 0.8
    strata, spreads = np.repeat([0, 1], 1000), np.where(apart, 0.2, 0.0)
    held, widths = 0, {2: 0.0, 3: 0.0}
    for _ in range(campaigns):
        rows = np.concatenate([rng.choice(np.flatnonzero(strata == one), labels, replace=False) for one in (0, 1)])
        said = verdicts_of((1 - gains[rows]) / 2, strata[rows].tolist(), rows=rows)
        for version in widths:
            design = Stratified((1000, 1000), 2 * labels, interval_version=version)
            found = difference_with_learned_guesses(design, said, lambda *_: (1 - guessed) / 2, spreads, apart)
            widths[version] += found.high - found.low
        held += found.low <= gains.mean() <= found.high
    assert held >= 0.925 * campaigns  # 95% less two standard errors
    assert widths[3] < narrower * widths[2]


def test_where_a_top_up_drew_only_inputs_that_differ_the_others_take_no_part(verdicts_of):
    gains, rows = np.zeros(1000), range(30)
    gains[:100] = np.where(np.arange(100) % 3, 1, -1)
    said = verdicts_of((1 - gains[rows]) / 2, [0] * 30, rows=rows)
    alone = difference_ends(SimpleRandom((100,), 30), said, np.ones(100, dtype=bool))
    design = Stratified((100, 900), 30, interval_version=3)
    found = difference_ends(design, said, gains != 0, certain=frozenset({1}))
    assert (1000 * found.low, 1000 * found.high) == pytest.approx((100 * alone.low, 100 * alone.high))


def test_of_rounds_whose_labels_stand_for_too_few_a_quarter_of_what_is_missing_has_no_label():
    beside, unseen = spoken_for(np.array([10.0, 20.0, 30.0]), 100, 0.25)
    assert (beside + 1).tolist() == pytest.approx([15, 30, 45])
    assert unseen.tolist() == pytest.approx([10])
    beside, unseen = spoken_for(np.array([40.0, 80.0]), 100, 0.25)
    assert ((beside + 1).tolist(), unseen.size) == (pytest.approx([100 / 3, 200 / 3]), 0)
