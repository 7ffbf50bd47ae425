"""The running estimate: its line and bands are the numbers given, its range is calm."""

from itertools import pairwise

import numpy as np
import pytest

from testimate.charts.estimates import axis_range, running_estimate
from testimate.charts.palette import shades
from testimate.core.draw import Trail
from testimate.core.task import ONE_MINUS_SQUARED_ERROR

LABELS = [1, 2, 3, 4, 5]
ACCURACY = [None, None, 0.9, 0.8, 0.85]
LOW = [None, None, 0.6, 0.55, 0.65]
HIGH = [None, None, 0.98, 0.95, 0.96]
ALWAYS_LOW = [0.0, 0.1, 0.5, 0.5, 0.6]
ALWAYS_HIGH = [1.0, 1.0, 1.0, 0.99, 0.98]


def drawn(dark: bool = False, **options):
    return running_estimate(Trail(LABELS, ACCURACY, LOW, HIGH, ALWAYS_LOW, ALWAYS_HIGH), dark=dark, **options)


def trace(figure, name: str):
    return next(one for one in figure.data if one.name and one.name.startswith(name))


def test_the_line_is_the_accuracy_in_percent_and_starts_where_there_is_a_number():
    line = trace(drawn(), "accuracy")
    assert list(line.x) == LABELS
    np.testing.assert_allclose(line.y, [np.nan, np.nan, 90, 80, 85])


def test_the_bands_are_the_two_intervals_and_the_always_valid_one_lies_underneath():
    figure = drawn()
    names = [one.name for one in figure.data]
    assert names.index("stop-safe 95% interval") < names.index("95% interval") < names.index("accuracy")
    band = trace(figure, "95%")
    np.testing.assert_allclose(band.x, [3, 4, 5, 5, 4, 3, 3])
    np.testing.assert_allclose(band.y, [98, 95, 96, 65, 55, 60, 98])
    safe = trace(figure, "stop-safe")
    np.testing.assert_allclose(safe.x, [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 1])
    np.testing.assert_allclose(safe.y, [100, 100, 100, 99, 98, 60, 50, 50, 10, 0, 100])


def test_a_gap_in_the_interval_is_a_gap_in_the_band():
    figure = running_estimate(Trail([1, 2, 3], [0.9, 0.9, 0.9], [0.8, None, 0.8], [1, None, 1], None, None), dark=False)
    band = trace(figure, "95%")
    assert np.isnan(band.x).sum() == 1
    assert not np.any((np.asarray(band.x) > 1.5) & (np.asarray(band.x) < 2.5))


def test_a_technique_without_intervals_shows_its_line_alone():
    figure = running_estimate(Trail([1, 2], [0.9, 0.8], None, None, None, None), dark=False)
    assert not [one for one in figure.data if one.fill]
    assert "interval" not in trace(figure, "accuracy").hovertemplate


@pytest.mark.parametrize("dark", [False, True])
def test_the_ordinary_band_is_darker_than_the_always_valid_one(dark: bool):
    opacity = {one.name: float(one.fillcolor.rstrip(")").split(",")[-1]) for one in drawn(dark).data if one.fill}
    assert opacity["95% interval"] > 1.5 * opacity["stop-safe 95% interval"]


def test_the_truth_is_a_thin_dashed_line_at_its_height():
    line, estimate = trace(drawn(truth=0.913), "truth"), trace(drawn(truth=0.913), "accuracy")
    np.testing.assert_allclose(line.y, 91.3)
    assert line.line.dash == "dash"
    assert line.line.width < estimate.line.width
    assert line.line.color == shades(False).text


def test_the_light_band_fits_into_the_goal_exactly_when_one_may_stop():
    goal = trace(drawn(target_half_width=0.2), "goal")
    ends = goal.y[0] - goal.error_y.value, goal.y[0] + goal.error_y.value
    assert ends[0] < 60
    assert ends[1] > 98  # half-width 0.19 < 0.2: one may
    goal = trace(drawn(target_half_width=0.18), "goal")
    assert goal.y[0] - goal.error_y.value > 60  # 0.19 > 0.18: one may not


def test_before_there_is_a_number_it_says_what_to_do():
    figure = running_estimate(
        Trail([1, 2], [None, None], None, None, None, None), dark=False, next_step="label 8 more, one in each stratum"
    )
    assert figure.layout.annotations[0].text == "No number yet: label 8 more,<br>one in each stratum."


def test_the_range_holds_the_last_interval_whole_and_the_truth():
    low, high = drawn(truth=0.3).layout.yaxis.range
    assert low <= 30
    assert high >= 98


def test_the_range_stays_within_0_and_100_percent_but_for_the_width_of_a_line():
    for values in ([0, 1], [99, 100], [0, 100], [50, 50]):
        low, high = axis_range(np.array(values, dtype=float))
        assert low >= -2
        assert high <= 102
        assert low <= min(values)
        assert high >= max(values)
        assert high - low >= 3.9


def test_an_accuracy_below_zero_as_a_regression_may_have_is_shown():
    low, _ = axis_range(np.array([-35.0, 20.0]))
    assert low <= -35


def test_the_range_moves_seldom_while_two_hundred_labels_come_in():
    labels = np.arange(1, 201)
    failed = np.random.default_rng(5).random(200) < 0.1
    accuracy = 1 - np.cumsum(failed) / labels
    half = 1.96 * np.sqrt(np.maximum(accuracy * (1 - accuracy), 0.05) / labels)
    low, high = np.clip(accuracy - half, 0, 1), np.clip(accuracy + half, 0, 1)
    ranges = [
        running_estimate(Trail(labels[:n], accuracy[:n], low[:n], high[:n], None, None), dark=False).layout.yaxis.range
        for n in range(20, 201, 2)
    ]
    assert sum(before != after for before, after in pairwise(ranges)) <= 12


def test_a_mean_squared_error_is_shown_as_it_is_and_not_in_percent():
    figure = running_estimate(
        Trail([1, 2, 3], [-3.0, 0.25, 0.5], [-4.0, 0.0, 0.25], [-2.0, 0.5, 0.75], None, None),
        dark=False,
        truth=0.5,
        target_half_width=0.125,
        measure=ONE_MINUS_SQUARED_ERROR,
    )
    assert figure.layout.yaxis.title.text == "1 - MSE of all inputs"
    [line] = [trace for trace in figure.data if trace.name == "1 - MSE"]
    assert list(line.y) == [-3.0, 0.25, 0.5]
    words = " ".join([str(figure.to_dict())])
    assert "goal ±0.125" in words
    assert "truth 0.5" in words
    assert " %<" not in words
    low, high = figure.layout.yaxis.range
    assert low < 0
    assert 0.75 < high < 1.5
