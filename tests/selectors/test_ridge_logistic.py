"""The most likely line, held against a general minimiser and against what a prior must do."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm

from testimate.selectors.ridge_logistic import Line, Prior, most_likely_line
from tests.each import each

PRIOR = Prior(Line(0.6, 0.9), Line(0.5, 0.25))


def minus_log_posterior(line, x, outcomes):
    chances = expit(line[0] + line[1] * x)
    likelihood = outcomes * np.log(chances) + (1 - outcomes) * np.log1p(-chances)
    return -likelihood.sum() - norm.logpdf(line[0], 0.6, 0.5) - norm.logpdf(line[1], 0.9, 0.25)


@each("count", [1, 10, 300])
@each("seed", [1, 2, 3])
def test_it_is_the_maximum_of_the_posterior_density(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(-3, 3, count)
    outcomes = (rng.random(count) < expit(1 + 0.6 * x)).astype(float)
    found = most_likely_line(x, outcomes, PRIOR, PRIOR.mean)
    best = minimize(minus_log_posterior, [0.6, 0.9], args=(x, outcomes), tol=1e-12)
    assert (found.intercept, found.slope) == pytest.approx(best.x, abs=1e-5)
    assert minus_log_posterior([found.intercept, found.slope], x, outcomes) <= best.fun + 1e-12


@pytest.mark.parametrize("start", [Line(-8.0, 3.0), Line(0.0, 0.0), Line(9.0, -2.0)])
def test_it_does_not_depend_on_where_it_starts(start):
    rng = np.random.default_rng(4)
    x = rng.normal(-3, 3, 80)
    outcomes = (rng.random(80) < expit(x)).astype(float)
    usual, found = (most_likely_line(x, outcomes, PRIOR, begin) for begin in (PRIOR.mean, start))
    assert (found.intercept, found.slope) == pytest.approx((usual.intercept, usual.slope), abs=1e-9)


@pytest.mark.parametrize(("x", "outcome"), [(9.2, 0.0), (-9.2, 1.0), (9.2, 1.0), (0.0, 0.0)])
def test_labels_that_all_say_the_opposite_still_have_a_finite_answer(x, outcome):
    places, outcomes = np.full(500, x), np.full(500, outcome)
    found = most_likely_line(places, outcomes, PRIOR, PRIOR.mean)
    best = np.array([found.intercept, found.slope])
    around = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * 1e-3
    here = minus_log_posterior(best, places, outcomes)
    assert all(minus_log_posterior(best + step, places, outcomes) > here for step in around)


def test_the_chances_are_the_logistic_function():
    x = np.linspace(-9, 9, 50)
    assert Line(0.4, -1.3).chances(x) == pytest.approx(expit(0.4 - 1.3 * x), rel=1e-14)
    assert x[0] == -9  # what was handed in stays as it was
