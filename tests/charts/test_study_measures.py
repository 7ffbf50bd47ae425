"""Failures, coverage and width of a study: what is drawn is what was measured."""

import numpy as np
import pytest

from testimate.charts.comparison import order_scores
from testimate.charts.estimates import StudyLine, coverage_lines, failure_lines, width_lines

BUDGETS = [50, 100]
COVERED = {
    "srs": StudyLine(BUDGETS, [0.93, 0.96], [0.9, 0.94], [0.95, 0.97]),
    "pace": StudyLine(BUDGETS, [None, None]),
    "rrs": StudyLine(BUDGETS, [0.95, 0.95], [0.92, 0.92], [0.97, 0.97]),
}


def named(figure):
    return {trace.name: trace for trace in figure.data if trace.name}


def test_coverage_has_error_bars_beside_each_other_and_the_claim_as_a_line():
    traces = named(coverage_lines(COVERED, dark=False))
    assert set(traces) == {"srs", "rrs", "claimed: 95%"}
    bars = traces["srs"]
    assert list(bars.y) == pytest.approx([93, 96])
    assert list(bars.error_y.array) == pytest.approx([2, 1])
    assert list(bars.error_y.arrayminus) == pytest.approx([3, 2])
    assert (np.array(bars.x) < np.array(traces["rrs"].x)).all()
    assert set(traces["claimed: 95%"].y) == {95}


def test_the_axis_reaches_down_to_the_lowest_bar():
    low = coverage_lines({"srs": StudyLine([50], [0.6], [0.5], [0.7])}, dark=True).layout.yaxis.range[0]
    assert low < 50


def test_failures_start_at_nothing_and_widths_are_points():
    figure = failure_lines({"srs": StudyLine(BUDGETS, [5, 10], [4, 9], [6, 11])}, dark=False)
    assert figure.layout.yaxis.rangemode == "tozero"
    assert list(named(figure)["srs"].y) == [5, 10]
    figure = width_lines({"srs": StudyLine(BUDGETS, [0.2, 0.1])}, dark=False)
    assert list(named(figure)["srs"].y) == pytest.approx([20, 10])


def test_each_metric_of_an_order_is_a_symbol_in_its_line():
    figure = order_scores(["a", "b"], {"WFDR": [0.5, None], "APFD": [0.9, 0.8]}, dark=False)
    wfdr = named(figure)["WFDR"]
    assert wfdr.x[0] == 50
    assert np.isnan(wfdr.x[1])
    assert len({trace.marker.symbol for trace in figure.data}) == 2
