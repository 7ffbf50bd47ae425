"""Logistic regression with normal priors finds the weights of highest posterior density."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm

from testimate.selectors.logistic_regression import (
    Line,
    Prior,
    Terms,
    chances_of,
    fits,
    most_likely_line,
    most_likely_weights,
    prior_weights,
)
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


@each("start", [Line(-8.0, 3.0), Line(0.0, 0.0), Line(9.0, -2.0)])
def test_it_does_not_depend_on_where_it_starts(start):
    rng = np.random.default_rng(4)
    x = rng.normal(-3, 3, 80)
    outcomes = (rng.random(80) < expit(x)).astype(float)
    usual, found = (most_likely_line(x, outcomes, PRIOR, begin) for begin in (PRIOR.mean, start))
    assert (found.intercept, found.slope) == pytest.approx((usual.intercept, usual.slope), abs=1e-9)


@each(("x", "outcome"), [(9.2, 0.0), (-9.2, 1.0), (9.2, 1.0), (0.0, 0.0)])
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


def made(groups: int, labels: int, seed: int):
    rng = np.random.default_rng(seed)
    size = 3 * labels
    columns = (np.ones(size), rng.normal(size=size), rng.normal(size=size))
    terms = Terms(
        columns,
        rng.integers(groups, size=size),
        np.array([0.7, 0.6, -0.2]),
        np.array([1.0, 0.3, 0.2]),
        rng.normal(size=groups) / 5,
        0.5,
    )
    rows = rng.choice(size, labels, replace=False)
    return terms, rows, (rng.random(labels) < 0.3).astype(float)


@each(("groups", "labels"), [(1, 1), (3, 40), (100, 300)])
def test_they_are_where_an_optimizer_finds_the_highest_posterior(groups, labels):
    terms, rows, outcomes = made(groups, labels, seed=groups)
    matrix = np.column_stack([*terms.columns, np.eye(groups)[terms.groups]])[rows]
    mean, sd = np.r_[terms.mean, terms.group_mean], np.r_[terms.sd, np.full(groups, terms.group_sd)]

    def minus_log_posterior(weights):
        odds = matrix @ weights
        return (np.logaddexp(0, odds) - outcomes * odds).sum() + (((weights - mean) / sd) ** 2).sum() / 2

    best = minimize(minus_log_posterior, mean, method="BFGS", options={"gtol": 1e-7, "maxiter": 2000})
    found = most_likely_weights(terms, rows, outcomes, prior_weights(terms))
    assert np.r_[found.columns, found.groups] == pytest.approx(best.x, abs=2e-5)
    assert chances_of(found.log_odds(terms))[rows] == pytest.approx(1 / (1 + np.exp(-(matrix @ best.x))), abs=1e-5)


def test_without_labels_they_are_the_prior():
    terms, _, _ = made(4, 20, seed=2)
    found = most_likely_weights(terms, np.empty(0, dtype=np.intp), np.empty(0), prior_weights(terms))
    assert found.columns == pytest.approx(terms.mean)
    assert found.groups == pytest.approx(terms.group_mean)


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_labels_that_are_all_the_same_still_have_an_answer(outcome):
    terms, rows, _ = made(3, 200, seed=5)
    found = most_likely_weights(terms, rows, np.full(200, outcome), prior_weights(terms))
    chances = chances_of(found.log_odds(terms))[rows]
    assert np.isfinite(found.columns).all()
    assert abs(chances.mean() - outcome) < 0.05


def test_the_start_does_not_matter():
    terms, rows, outcomes = made(5, 120, seed=9)
    one = most_likely_weights(terms, rows, outcomes, prior_weights(terms))
    other = most_likely_weights(terms, rows, 1 - outcomes, prior_weights(terms))
    again = most_likely_weights(terms, rows, outcomes, other)
    assert again.columns == pytest.approx(one.columns, abs=1e-7)
    assert again.groups == pytest.approx(one.groups, abs=1e-7)


@each("groups", [1, 10, 100])
def test_a_fit_is_the_same_to_the_last_bit_whatever_is_fitted_beside_it(groups):
    terms, rows, outcomes = made(groups, 90, seed=groups)
    beliefs = [replace(terms, mean=terms.mean * scale, group_sd=sd) for scale in (1, 0.2) for sd in (0.25, 0.7, 4.0)]
    together = fits(beliefs, rows, outcomes, [prior_weights(one) for one in beliefs])
    for belief, found in zip(beliefs, together, strict=True):
        (alone,) = fits([belief], rows, outcomes, [prior_weights(belief)])
        assert np.array_equal(alone.weights.columns, found.weights.columns)
        assert np.array_equal(alone.weights.groups, found.weights.groups)
        assert alone.log_evidence == found.log_evidence


def test_the_evidence_is_the_integral_over_the_weights():
    terms, rows, outcomes = made(1, 30, seed=3)
    terms = replace(terms, columns=terms.columns[1:2], mean=terms.mean[:1], sd=terms.sd[:1], group_sd=0.3)
    slope, lean = np.meshgrid(
        *(np.linspace(center - 4, center + 4, 801) for center in (terms.mean[0], terms.group_mean[0]))
    )
    x = terms.columns[0][rows]
    odds = slope[..., None] * x + lean[..., None]
    log = (outcomes * odds - np.logaddexp(0, odds)).sum(axis=2)
    log += norm.logpdf(slope, terms.mean[0], terms.sd[0]) + norm.logpdf(lean, terms.group_mean[0], terms.group_sd)
    integral = np.log(np.exp(log).sum() * 0.01**2)
    (fit,) = fits([terms], rows, outcomes, [prior_weights(terms)])
    assert fit.log_evidence == pytest.approx(integral, abs=0.05)  # by Laplace
