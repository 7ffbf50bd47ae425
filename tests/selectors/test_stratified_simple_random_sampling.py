"""Stratified simple random sampling: its allocation and the order of its draws."""

import numpy as np

from testimate.selectors.random_sampling import StratifiedSimpleRandomSampling


def test_the_allocation_is_neymans_on_the_spread_of_the_score():
    rng = np.random.default_rng(0)
    groups = [rng.normal(0, 0.5, 600), rng.normal(20, 1.0, 300), rng.normal(60, 3.0, 100)]
    selector = StratifiedSimpleRandomSampling(np.concatenate(groups), budget=120, seed=1, clusters=3)
    taken = np.bincount([draw.stratum for draw in selector.ask(120)])
    weights = np.array([len(group) * group.std() for group in groups])
    assert selector.design.stratum_sizes == (600, 300, 100)
    assert np.abs(taken - 120 * weights / weights.sum()).max() < 1


def test_every_stratum_gets_two_while_the_budget_allows(population):
    selector = StratifiedSimpleRandomSampling(population.scores, budget=20, seed=1)
    assert np.bincount([draw.stratum for draw in selector.ask(20)]).tolist() == [2] * 10


def test_every_prefix_is_near_the_allocation(population):
    strata = np.array(
        [draw.stratum for draw in StratifiedSimpleRandomSampling(population.scores, budget=80, seed=1).ask(80)]
    )
    drawn = np.cumsum(strata[:, None] == np.arange(10), axis=0)  # (n, H)
    due = np.arange(1, 81)[:, None] * drawn[-1] / 80
    assert np.abs(drawn - due).max() < 1
