"""A study's lines: what is drawn is what was measured."""

import numpy as np
import pytest

from testimate.charts.estimates import StudyLine, error_lines, ratio_lines
from testimate.core.errors import BadInput
from tests.each import each

BUDGETS = [50, 200, 800]
LINES = {"srs": StudyLine(BUDGETS, [0.06, 0.03, 0.015], [0.05, 0.025, 0.01], [0.07, 0.035, 0.02]), "<b>rrs": None}
LINES["<b>rrs"] = StudyLine(BUDGETS, [0.05, None, 0.0125])


def named(figure):
    return {trace.name: trace for trace in figure.data if trace.name}


def test_errors_are_shown_in_points_on_axes_where_the_root_law_is_straight():
    figure = error_lines(LINES, dark=False)
    drawn = named(figure)["srs"]
    assert list(drawn.y) == pytest.approx([6, 3, 1.5])
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert np.diff(np.log(drawn.y)) / np.diff(np.log(np.array(drawn.x))) == pytest.approx([-0.5, -0.5])
    assert "points" in figure.layout.yaxis.title.text


def test_a_band_goes_from_the_low_ends_to_the_high_ends_beneath_its_line():
    band, line = error_lines({"srs": LINES["srs"]}, dark=True).data
    assert list(band.y) == pytest.approx([7, 3.5, 2, 1, 2.5, 5])
    assert band.legendgroup == line.legendgroup
    assert not band.showlegend


def test_a_budget_without_a_number_leaves_a_gap_and_every_budget_is_a_tick():
    figure = error_lines(LINES, dark=False)
    assert np.isnan(named(figure)["&lt;b&gt;rrs"].y[1])
    assert list(figure.layout.xaxis.ticktext) == ["50", "200", "800"]


def test_ratios_stand_beside_the_line_of_simple_random_sampling_at_1():
    figure = ratio_lines({"rrs": StudyLine(BUDGETS, [0.8, 0.82, 0.79])}, dark=False)
    assert list(figure.data[0].y) == [0.8, 0.82, 0.79]
    at_one = named(figure)["srs, exact"]
    assert set(at_one.y) == {1}
    assert list(at_one.x) == [50, 800]


@each("chart", [error_lines, ratio_lines])
@each("lines", [{}, {"srs": StudyLine([50], [None])}])
def test_without_a_number_it_says_what_to_do(chart, lines):
    figure = chart(lines, dark=False)
    assert "No study yet" in figure.layout.annotations[-1].text
    assert figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text


def test_a_line_with_too_few_values_is_refused():
    with pytest.raises(BadInput):
        error_lines({"srs": StudyLine(BUDGETS, [0.1])}, dark=False)
