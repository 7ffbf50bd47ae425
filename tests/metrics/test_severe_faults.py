"""Faults found by severity, and the severity of a regression's errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics import (
    error_bands,
    error_severity,
    error_severity_counts,
    fdro,
    fdro_by_severity,
    found_by_severity,
    severity_band,
    severity_counts,
    severity_level,
)
from tests.each import each

orders = st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=40).filter(
    lambda order: any(failed for failed, _ in order)
)


@given(orders, st.data())
def test_the_shares_are_counts_of_the_bands_one_by_one(order, data):
    budget = data.draw(st.integers(1, len(order)))
    failed, probability = [f for f, _ in order], [p for _, p in order]
    shares = fdro_by_severity(failed, probability, budget=budget).to_json()
    for band, share in shares.items():
        inside = [severity_band(p) == band for f, p in order if f]
        found = sum(f and severity_band(p) == band for f, p in order[:budget])
        assert share == (found / sum(inside) if any(inside) else None)


@given(orders)
def test_the_curves_of_the_bands_add_up_to_the_faults_found(order):
    failed, probability = [f for f, _ in order], [p for _, p in order]
    found = found_by_severity(failed, probability)
    total = sum(found.values())
    assert total.tolist() == np.cumsum(failed)[: sum(failed)].tolist()
    assert total[-1] / sum(failed) == pytest.approx(fdro(failed))


def test_table_5_of_the_paper_is_such_a_share():
    # Experiment 5: 36 severe, 38 moderate and 10 low faults; DeepGini finds 0, 33 and (51.19% of 84 in all) 10 of them.
    probability = np.r_[np.full(33, 0.6), np.full(10, 0.4), np.full(41, 0.99), np.full(5, 0.6), np.full(36, 0.9)]
    failed = np.r_[np.ones(43), np.zeros(41), np.ones(41)]
    shares = fdro_by_severity(failed, probability)
    assert shares.high == 0
    assert round(100 * shares.moderate, 2) == 86.84
    assert round(100 * fdro(failed), 2) == 51.19


def test_an_order_cut_short_needs_the_probabilities_of_all_faults():
    with pytest.raises(NotEnoughLabels, match="2 of 3 faults"):
        fdro_by_severity([1, 0, 1], [0.9, 0.9, 0.6], size=9, faults=3)
    shares = fdro_by_severity([1, 0, 1], [0.9, 0.9, 0.6], size=9, all_faults=[0.9, 0.6, 0.95])
    assert (shares.low, shares.moderate, shares.high) == (None, 1.0, 0.5)
    with pytest.raises(BadInput, match="do not hold the 2 faults"):
        fdro_by_severity([1, 0, 1], [0.9, 0.9, 0.6], size=9, all_faults=[0.2, 0.3, 0.6])


def test_without_faults_there_is_no_share():
    with pytest.raises(NotEnoughLabels, match="no fault"):
        fdro_by_severity([0, 0], [0.5, 0.9])


@each("probability", [1.2, -0.1, float("nan")])
def test_a_probability_outside_0_to_1_is_refused(probability):
    with pytest.raises(BadInput, match=r"probability\[1\]"):
        fdro_by_severity([1, 0], [0.9, probability])


def test_levels_of_steering_errors_are_2_5_degrees_wide_from_12_5_to_35():
    errors = np.arange(12.5, 40, 2.5) + 1.0
    levels = severity_level(error_severity(errors, tolerance=12.5))
    assert levels.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]


def test_bands_of_a_regression_are_those_of_its_counts_beyond():
    degrees = np.random.default_rng(4).normal(0, 20, 500)
    counts = error_severity_counts(degrees, tolerance=12.5)
    beyond = error_bands(degrees, edges=(12.5, 25.0, 32.5)).beyond
    assert (counts.low, counts.moderate, counts.high) == (beyond[0] - beyond[1], beyond[1] - beyond[2], beyond[2])
    assert counts == severity_counts(np.abs(degrees) > 12.5, error_severity(degrees, tolerance=12.5))


@each(("tolerance", "largest"), [(0.0, None), (2.0, 2.0), (-1.0, 5.0), (float("nan"), 1.0)])
def test_the_largest_error_lies_above_the_tolerance(tolerance, largest):
    with pytest.raises(BadInput, match="largest error"):
        error_severity([1.0], tolerance=tolerance, largest=largest)
