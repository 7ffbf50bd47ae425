"""Kappa of a judge and people over the whole set: the published variance, and known truth."""

import math

import numpy as np
import pytest

from testimate.core.design import Groups, SimpleRandom
from testimate.core.draw import Draw, Verdict
from testimate.estimators.second_look import judge_agreement


def labels(count):
    return [Verdict(Draw(row), 0.0) for row in range(count)]


def test_of_a_simple_random_sample_it_is_cohens_kappa_with_the_variance_of_fleiss_cohen_and_everitt():
    cells = np.array([[40, 9], [6, 25]])  # judge right / wrong by people right / wrong
    judge = np.repeat([True, True, False, False], cells.ravel())
    people = np.repeat([True, False, True, False], cells.ravel())
    n, size = int(cells.sum()), 10_000
    found = judge_agreement(SimpleRandom((size,), n), labels(n), judge, people)
    p = cells / n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, chance = float(np.trace(p)), float(rows @ columns)
    kappa = (observed - chance) / (1 - chance)
    on = sum(p[i, i] * ((1 - chance) - (rows[i] + columns[i]) * (1 - observed)) ** 2 for i in range(2))
    off = (1 - observed) ** 2 * sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j)
    variance = (on + off - (observed * chance - 2 * chance + observed) ** 2) / (n * (1 - chance) ** 4)  # 1969, eq. 13
    variance *= n / (n - 1) * (1 - n / size)
    assert found.agreement == pytest.approx(observed, abs=1e-12)
    assert found.kappa == pytest.approx(kappa, abs=1e-12)
    half = (math.atanh(found.high) - math.atanh(found.low)) / 2 * (1 - kappa**2)
    assert half / 1.9904502 == pytest.approx(math.sqrt(variance), rel=1e-6)  # t with 79 degrees of freedom


def test_without_disagreement_or_with_few_labels_there_is_a_sentence_and_no_interval():
    everything = np.ones(20, dtype=bool)
    assert "always say the same" in judge_agreement(SimpleRandom((99,), 20), labels(20), everything, everything).why
    half = np.arange(20) % 2 == 0
    agreeing = judge_agreement(SimpleRandom((99,), 20), labels(20), half, half)
    assert (agreeing.kappa, agreeing.low) == (1.0, None)
    assert judge_agreement(SimpleRandom((99,), 9), labels(9), half[:9], half[:9]).why == "9 labels, 10 needed"
    assert "no honest interval" in judge_agreement(Groups((99,), 20), labels(20), half, half).why
