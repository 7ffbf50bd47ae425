"""Severity levels and bands at their borders."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.metrics import SeverityCounts, error_bands, severity_band, severity_counts, severity_level
from testimate.tasks.regression import Regression
from tests.each import each


def test_every_tenth_opens_the_next_level_however_it_is_rounded_in_binary():
    tenths = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert severity_level(tenths).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]
    assert severity_level(0.1 * np.arange(11)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]
    assert severity_level(tenths[1:] - 1e-6).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_a_correct_input_has_level_0_however_sure_the_network_was():
    assert severity_level([0.99, 0.99], [0, 1]).tolist() == [0, 10]


def test_example_6_of_the_paper_has_these_levels():
    assert severity_level([0.99, 0.91, 0.85, 0.83, 0.64, 0.24]).tolist() == [10, 10, 9, 9, 7, 3]


@each(
    ("probability", "band"),
    [(0.0, "low"), (0.499, "low"), (0.5, "moderate"), (0.799, "moderate"), (0.8, "high"), (1.0, "high")],
)
def test_bands_begin_at_50_and_80_percent(probability, band):
    assert severity_band(probability) == band
    counts = severity_counts([1, 0], [probability, 0.9]).to_json()
    assert counts == {"low": 0, "moderate": 0, "high": 0} | {band: 1}


def test_bands_and_levels_agree_everywhere():
    for probability in np.linspace(0, 1, 2001):
        (level,) = severity_level([probability])
        assert severity_band(probability) == ("low" if level <= 5 else "moderate" if level <= 8 else "high")


def test_without_faults_every_band_is_empty():
    assert severity_counts([0, 0], [0.1, 0.9]) == SeverityCounts(0, 0, 0)


def test_errors_are_counted_as_failures_are():
    degrees = np.random.default_rng(4).normal(0, 12, 400)
    bands = error_bands(degrees)
    failures = Regression(tolerance=12.5).failed(np.square(degrees)).sum()
    assert bands.beyond[bands.edges.index(12.5)] == failures
    assert sum(bands.counts) == 400  # no error is exactly 0 here, and the last band is open
    assert bands.counts == tuple(np.histogram(np.abs(degrees), bins=[*bands.edges, np.inf])[0])


def test_an_error_on_an_edge_is_not_beyond_it():
    assert error_bands([2.5, -2.5, 0.0], edges=(0.0, 2.5)).counts == (2, 0)


@each("edges", [(), (-1.0, 2.0), (0.0, 0.0), (2.0, 1.0)])
def test_edges_must_increase_from_0(edges):
    with pytest.raises(BadInput, match="edges"):
        error_bands([1.0], edges=edges)


@each("probability", [-1e-6, 1.000001, 80.0, float("nan")])
def test_a_probability_outside_0_to_1_has_no_severity(probability):
    with pytest.raises(BadInput, match=r"probability\[0\]"):
        severity_level([probability])
    with pytest.raises(BadInput, match=r"probability\[0\]"):
        severity_band(probability)
