"""Difficulties from earlier results: against scipy's maximum of the same likelihood, a closed form, and simulated models."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from testimate.auxiliary.history import WEAKEST, chances_of_failure, difficulties
from testimate.core.errors import BadInput


def simulated(size, models, seed=54, spread=2.0):
    rng = np.random.default_rng(seed)
    hard = rng.normal(-2, spread, size)
    chance = 1 / (1 + np.exp(rng.normal(0, 0.7, models)[None] - hard[:, None]))
    return (rng.random((size, models)) < chance).astype(float), 1 / (1 + np.exp(-hard))


def test_abilities_and_spread_are_the_maximum_that_scipy_finds():
    losses, _ = simulated(400, 3)
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()

    def minus_log_likelihood(asked):
        abilities, spread = asked[:-1], np.exp(asked[-1])
        chance = 1 / (1 + np.exp(abilities[:, None] - spread * points))
        each = np.exp(losses @ np.log(chance) + (1 - losses) @ np.log(1 - chance)) @ weights
        return -np.log(each).sum() + WEAKEST / 2 * (abilities**2).sum()

    best = minimize(minus_log_likelihood, np.zeros(4), tol=1e-10).x
    found = difficulties(losses)
    assert found.abilities == pytest.approx(best[:-1], abs=5e-3)
    assert found.spread == pytest.approx(np.exp(best[-1]), abs=1e-2)


def test_the_chance_of_an_input_is_bayes_rule_integrated():
    only = difficulties([[1.0, 0.0]] * 2 + simulated(300, 2)[0].tolist())

    def joint(hard, *, new):
        chance = 1 / (1 + np.exp(only.abilities - hard))
        density = np.exp(-((hard / only.spread) ** 2) / 2)
        return density * chance[0] * (1 - chance[1]) * (chance.mean() if new else 1)

    reach = 5 * only.spread
    with_new, alone = (quad(lambda hard, new=new: joint(hard, new=new), -reach, reach)[0] for new in (True, False))
    assert only.chances[0] == pytest.approx(with_new / alone, abs=1e-4)


def test_results_of_many_models_recover_the_difficulties_and_the_rate():
    losses, hard = simulated(2000, 20)
    found = difficulties(losses)
    assert np.corrcoef(found.chances, hard)[0, 1] > 0.94
    assert found.chances.mean() == pytest.approx(losses.mean(), abs=0.005)


def test_blanks_are_left_out_and_an_input_without_a_result_is_a_usual_one():
    losses, hard = simulated(2000, 20)
    blank = np.random.default_rng(1).random(losses.shape) < 0.3
    losses[blank] = np.nan
    losses[0] = np.nan
    found = difficulties(losses)
    assert np.corrcoef(found.chances, hard)[0, 1] > 0.9
    assert found.chances[0] == pytest.approx(found.chances.mean(), abs=0.02)


def test_a_faultless_model_and_grades_have_finite_chances():
    losses, _ = simulated(300, 3)
    losses[:, 0] = 0
    assert np.isfinite(difficulties(losses).abilities).all()
    grades = np.round(simulated(300, 4)[0] * 0.5 + simulated(300, 4, 2)[0] * 0.5, 2)
    found = difficulties(grades).chances
    assert found[grades.mean(axis=1).argmax()] == found.max() > found.min()


def test_with_a_confidence_the_chance_is_the_mean_of_the_log_odds():
    losses, _ = simulated(50, 5)
    found = difficulties(losses)
    mixed = chances_of_failure(found, np.full(50, 0.2))
    odds = (np.log(found.chances / (1 - found.chances)) + np.log(0.2 / 0.8)) / 2
    assert mixed == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_losses_beyond_0_to_1_are_refused():
    with pytest.raises(BadInput, match="loss from 0 to 1"):
        difficulties([[0.0, 2.0]])
