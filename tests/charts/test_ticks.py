"""Ticks of a logarithmic axis: round numbers in full, enough of them, none outside."""

import math

import numpy as np

from testimate.charts.estimates import StudyLine, error_lines
from testimate.charts.theme import FEWEST, log_ticks
from tests.each import each


@each("low", [0.0007, 0.06, 0.55, 1.0, 1.31, 7.9, 96.0])
@each("times", [1.4, 2.0, 6.0, 30.0, 5_000.0])
def test_there_are_enough_ticks_and_each_is_a_number_of_at_most_two_digits(low, times):
    ticks = log_ticks(low, low * times)
    assert FEWEST <= len(ticks) <= 13
    assert ticks.min() >= low
    assert ticks.max() <= low * times
    assert (np.diff(ticks) > 0).all()
    for tick in ticks.tolist():
        power = math.floor(math.log10(tick) + 1e-12)
        assert round(tick / 10**power, 9) == round(tick / 10**power, 1)


def test_errors_below_a_point_are_written_in_full_and_lie_within_the_axis():
    errors = {"srs": StudyLine([50, 200, 800], [0.02, 0.009, 0.006], [0.015, 0.007, 0.0055], [0.03, 0.012, 0.007])}
    axis = error_lines(errors, dark=False).layout.yaxis
    assert list(axis.ticktext) == [f"{tick:g}" for tick in axis.tickvals]
    assert "0.7" in axis.ticktext
    low, high = (10**end for end in axis.range)
    assert low < 0.55 < 3 < high
