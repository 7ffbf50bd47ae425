"""Two-stage unequal probability sampling: its clusters' chances and the order inside them."""

import numpy as np
import pytest

from testimate.selectors.unequal_probability import TwoStageSampling

SCORES = np.r_[np.linspace(0.0, 0.1, 60), np.linspace(0.4, 0.5, 30), np.linspace(0.9, 1.0, 10)]
SUMS = np.array([SCORES[:60].sum(), SCORES[60:90].sum(), SCORES[90:].sum()])


@pytest.mark.parametrize(("settings", "share"), [({}, 0.05), ({"variant": "as published"}, 0.0)])
def test_a_cluster_is_drawn_by_its_total_score_and_the_uniform_share(settings, share):
    psi = (1 - share) * SUMS / SUMS.sum() + share * np.array([0.6, 0.3, 0.1])
    selector = TwoStageSampling(SCORES, budget=8, seed=1, clusters=3, **settings)
    assert selector.design.stratum_sizes == (60, 30, 10)
    assert selector.design.stratum_chances == pytest.approx(psi)
    counts = np.zeros(3)
    for seed in range(1000):
        for draw in TwoStageSampling(SCORES, budget=8, seed=seed, clusters=3, **settings).ask(8):
            counts[draw.stratum] += 1
            assert draw.probability == pytest.approx(psi[draw.stratum] / (60, 30, 10)[draw.stratum])
    assert ((counts - 8000 * psi) ** 2 / (8000 * psi)).sum() < 13.8  # chi-square, 2 degrees of freedom, 0.1%


def test_inside_a_cluster_every_input_comes_once_before_any_comes_again():
    draws = TwoStageSampling(SCORES, budget=100, seed=1, clusters=3).ask(100)
    top = [draw.row for draw in draws if draw.stratum == 2]
    assert len(top) > 20  # its chance is about 0.38
    assert sorted(top[:10]) == sorted(top[10:20]) == list(range(90, 100))


def test_as_published_an_exhausted_cluster_is_passed_over():
    draws = TwoStageSampling(SCORES, budget=100, seed=1, clusters=3, variant="as published").ask(100)
    assert sorted(draw.row for draw in draws) == list(range(100))


def test_each_input_of_a_cluster_is_as_likely_as_the_others():
    counts = np.zeros(100)
    for seed in range(3000):
        for draw in TwoStageSampling(SCORES, budget=4, seed=seed, clusters=3).ask(4):
            counts[draw.row] += 1
    inside = counts[90:]
    assert ((inside - inside.mean()) ** 2 / inside.mean()).sum() < 27.9  # chi-square, 9 degrees of freedom, 0.1%
