"""Severity first where the faults do not lie as on the networks it was made on: calibrated, inverted, constant confidence."""

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.selectors.severity_first import LOOK_WORDS, SeverityFirst

SIZE, LABELS = 1200, 200


def calibrated(rng):
    doubt = rng.beta(0.7, 2.6, SIZE)
    return 1 - doubt, 0.6 * doubt + 0.04


def inverted(rng):
    confidence, chance = calibrated(rng)
    surest_fails_most = np.empty(SIZE)
    surest_fails_most[np.argsort(confidence)] = np.sort(chance)
    return confidence, surest_fails_most


def constant(_rng):
    return np.full(SIZE, 0.9), np.full(SIZE, 0.17)


def labeled(selector, failed):
    draws = []
    while selector.remaining:
        asked = selector.ask(selector.remaining)
        selector.tell([Verdict(draw, float(failed[draw.row])) for draw in asked])
        draws += asked
    return draws


@pytest.mark.parametrize("network", [calibrated, inverted, constant])
def test_on_average_it_finds_at_least_eight_tenths_of_the_severe_faults_that_random_labels_find(network):
    found, by_chance = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        confidence, chance = network(rng)
        failed = rng.random(SIZE) < chance
        severe = failed & (confidence >= 0.8)
        rows = [draw.row for draw in labeled(SeverityFirst(confidence, budget=LABELS, seed=seed), failed)]
        found.append(severe[rows].sum())
        by_chance.append(severe.sum() * LABELS / SIZE)  # hypergeometric mean
    assert np.mean(found) >= 0.8 * np.mean(by_chance)


def test_without_looks_a_calibrated_network_shows_hardly_a_severe_fault():
    rng = np.random.default_rng(0)
    confidence, chance = calibrated(rng)
    failed = rng.random(SIZE) < chance
    draws = labeled(SeverityFirst(confidence, budget=LABELS, seed=0, looks=0.0), failed)
    assert sum(failed[draw.row] and confidence[draw.row] >= 0.8 for draw in draws) <= 2
    assert not any(LOOK_WORDS in draw.reason for draw in draws)


def test_the_share_of_sure_inputs_is_kept_at_every_block_and_a_look_says_what_it_is():
    rng = np.random.default_rng(1)
    confidence, chance = calibrated(rng)
    draws = labeled(SeverityFirst(confidence, budget=LABELS, seed=1), rng.random(SIZE) < chance)
    sure = np.cumsum([confidence[draw.row] >= 0.8 for draw in draws])
    for drawn in range(5, LABELS + 1, 5):  # blocks of five
        assert sure[drawn - 1] >= np.floor(0.6 * 400 * np.log(1 + drawn / 400))
    assert all(confidence[draw.row] >= 0.8 for draw in draws if LOOK_WORDS in draw.reason)
    assert any(LOOK_WORDS in draw.reason for draw in draws)


def test_where_no_input_is_sure_there_is_nothing_to_look_at():
    confidence = np.linspace(0.1, 0.79, 100)
    draws = labeled(SeverityFirst(confidence, budget=100, seed=1), np.zeros(100))
    assert sorted(draw.row for draw in draws) == list(range(100))
    assert not any(LOOK_WORDS in draw.reason for draw in draws)
