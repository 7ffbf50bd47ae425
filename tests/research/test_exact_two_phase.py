"""SSOA's P variants and 2-UPS's program by formulas: against enumeration of small sets and against simulation."""

from itertools import combinations

import numpy as np
import pytest

from research.methods.exact import bias_of_average_over_strata, two_phase
from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.selectors.optimum_allocation import loss_spreads
from testimate.structure.strata import by_clusters, by_rule, neyman
from testimate.studies.campaign import campaign
from tests.each import each

LOSSES = np.array([1.0, 0, 1, 0, 0, 0, 0, 0, 1])
STRATA = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])


def every_campaign(budget, h, smooth):
    """The estimated failure rate of every ordered pair of samples, with its chance."""
    for first in combinations(range(4), h):
        for second in combinations(range(4, 9), h):
            drawn = np.array([*first, *second])
            spreads = loss_spreads(LOSSES[drawn], STRATA[drawn], 2, smooth=smooth)
            sizes = neyman(np.array([4, 5]), spreads, budget, minimum=np.array([h, h]))
            more = [
                list(combinations([row for row in range(9) if STRATA[row] == own and row not in drawn], count))
                for own, count in enumerate(sizes - h)
            ]
            for one in more[0]:
                for other in more[1]:
                    means = [LOSSES[[*first, *one]].mean(), LOSSES[[*second, *other]].mean()]
                    yield 4 / 9 * means[0] + 5 / 9 * means[1], 1 / (len(more[0]) * len(more[1]))


@each("published", [False, True])
@each("budget", [5, 6, 8])
def test_bias_and_error_are_those_of_every_campaign_counted_out(budget, published):
    rates, chances = np.array(list(every_campaign(budget, 2, smooth=not published))).T
    chances = chances / chances.sum()
    found = two_phase(LOSSES, STRATA, budget, seed=1, h=2, as_published=published)
    assert found.exact
    assert found.bias == pytest.approx(LOSSES.mean() - chances @ rates, abs=1e-12)
    assert found.rmse == pytest.approx(np.sqrt(chances @ (rates - LOSSES.mean()) ** 2), abs=1e-12)


@pytest.mark.parametrize(("technique", "variant"), [("ssoa-r-p", None), ("ssoa-c-p", "as published")])
def test_the_formula_agrees_with_the_selectors_campaigns(inputs, technique, variant):
    score = inputs.scores["confidence"]
    strata = by_rule(score, seed=1) if "-r-" in technique else by_clusters(score, 3)
    exact = two_phase(inputs.losses, strata, 80, seed=1, as_published=variant is not None)
    campaigns = [campaign(inputs, Request(technique, 80, seed, variant=variant)) for seed in range(250)]
    errors = np.array([one.accuracy for one in campaigns]) - (1 - inputs.losses.mean())
    failures = np.array([one.failures for one in campaigns])
    assert errors.mean() == pytest.approx(exact.bias, abs=4 * errors.std() / np.sqrt(250))
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(exact.rmse, rel=4 / np.sqrt(500))
    assert failures.mean() == pytest.approx(exact.failures, abs=4 * failures.std() / np.sqrt(250))


def test_drawn_pre_samples_come_close_to_all_of_them(inputs, monkeypatch):
    strata = by_clusters(inputs.scores["confidence"], 3)
    exact = two_phase(inputs.losses, strata, 80, seed=1)
    monkeypatch.setattr("research.methods.exact.EVERY", 10)
    drawn = two_phase(inputs.losses, strata, 80, seed=1)
    assert not drawn.exact
    assert drawn.rmse == pytest.approx(exact.rmse, rel=0.03)


def test_every_set_of_clusters_reached_by_enumeration():
    losses, strata = np.array([1.0, 0, 0, 0, 1, 1, 1, 0]), np.array([0, 0, 1, 1, 1, 2, 2, 2])
    chances = np.array([0.5, 0.3, 0.2])
    terms = np.bincount(strata, losses) / 8 / chances
    expected = 0.0
    for draws in np.ndindex(3, 3, 3):
        met = sorted(set(draws))
        expected += np.prod(chances[list(draws)]) * terms[met].mean()
    found = bias_of_average_over_strata(losses, strata, chances, 3)
    assert found == pytest.approx(losses.mean() - expected, abs=1e-15)


def test_what_the_formulas_do_not_hold_for_is_refused():
    with pytest.raises(BadInput, match="losses of 0 and 1"):
        two_phase(LOSSES / 2, STRATA, 6, seed=1)
    with pytest.raises(BadInput, match="label for each stratum"):
        two_phase(LOSSES, STRATA, 1, seed=1)
    with pytest.raises(BadInput, match="at most 16"):
        bias_of_average_over_strata(LOSSES, STRATA, np.array([1.0, 0.0]), 6)
