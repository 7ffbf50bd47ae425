"""The most likely weights, held against an optimiser of another library."""

import numpy as np
import pytest
from scipy.optimize import minimize

from testimate.selectors.failure_terms import Terms, chances_of, most_likely_weights, prior_weights


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


@pytest.mark.parametrize(("groups", "labels"), [(1, 1), (3, 40), (100, 300)])
def test_they_are_where_an_optimiser_finds_the_highest_posterior(groups, labels):
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
