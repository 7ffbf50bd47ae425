"""Bars, histograms, heatmaps and curves: what is drawn is what was counted."""

import numpy as np
import pytest

from testimate.charts.clusters import allocation, cluster_sizes, strata_filled, strata_histogram
from testimate.charts.comparison import confusion, fault_curve, predicted_classes
from testimate.charts.estimates import forecast, severity, severity_bands
from testimate.charts.palette import hue, shades
from testimate.metrics.severity import severity_level


def by_name(figure, name: str):
    return next(one for one in figure.data if one.name == name)


def test_cluster_sizes_come_in_the_order_of_the_labels_and_the_minority_space_last():
    bars = cluster_sizes([5, 9, 2], 4, dark=False).data[0]
    assert list(bars.y) == [5, 9, 2, 4]
    assert list(bars.customdata) == ["cluster 1", "cluster 2", "cluster 3", "minority space"]
    assert list(bars.marker.color[:3]) == [hue(place, dark=False) for place in range(3)]
    assert list(bars.marker.pattern.shape) == ["", "", "", "/"]
    assert "(20.0%)" in bars.hovertemplate[3]


def test_the_histogram_counts_every_value_once_as_numpy_does():
    values = np.random.default_rng(8).beta(0.4, 3, size=3000)
    bars = strata_histogram(values, dark=False, name="lsa", bins=40).data[0]
    heights, edges = np.histogram(values, bins=40)
    np.testing.assert_array_equal(bars.y, heights)
    np.testing.assert_allclose(np.asarray(bars.x) - np.asarray(bars.width) / 2, edges[:-1])


def test_the_strata_tile_the_axis_and_a_value_on_a_bound_belongs_to_the_next():
    figure = strata_histogram([0.0, 0.2, 0.5, 0.5, 0.9, 1.0], [0.5, 0.95], dark=False, name="confidence")
    strip = by_name(figure, "strata")
    assert [cell[3] for cell in strip.customdata] == [2, 3, 1]
    left = np.asarray(strip.x) - np.asarray(strip.width) / 2
    np.testing.assert_allclose(left, [0, 0.5, 0.95])
    assert sum(strip.width) == pytest.approx(1)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.5, 0.95]


def test_stratum_sizes_that_ties_broke_by_lot_are_shown_as_given():
    figure = strata_histogram([1.0] * 9 + [0.0], [1.0], dark=False, name="confidence", counts=[5, 5])
    assert [cell[3] for cell in by_name(figure, "strata").customdata] == [5, 5]


def test_counts_can_be_on_a_log_scale_that_still_shows_a_single_input():
    figure = strata_histogram([0.0] * 999 + [1.0], dark=False, name="lsa", log_count=True)
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.range[0] < 0 < np.log10(999) < figure.layout.yaxis.range[1]


def test_each_technique_has_a_row_of_counts_the_darker_the_more_of_all():
    figure = allocation({"srs": [10, 20], "ssrs": [15, 15], "gbs": [25, 5]}, dark=False)
    [cells] = figure.data
    assert np.asarray(cells.z).tolist() == [[10, 20], [15, 15], [25, 5]]
    assert [list(line) for line in cells.text] == [["10", "20"], ["15", "15"], ["25", "5"]]
    assert (cells.zmin, cells.zmax) == (0, 25)
    assert list(figure.layout.yaxis.ticktext) == ["srs", "ssrs", "gbs"]
    assert figure.layout.yaxis.autorange == "reversed"  # the first on top, as in the table below it


def test_a_long_name_of_a_technique_takes_two_lines_of_about_the_same_length():
    figure = allocation({"Stratified simple random sampling (ssrs) (Neyman)": [1, 2]}, dark=True)
    assert list(figure.layout.yaxis.ticktext) == ["Stratified simple random<br>sampling (ssrs) (Neyman)"]


def test_the_forecast_is_in_points_and_marks_budget_and_wish():
    figure = forecast(
        [50, 100, 200],
        {"rra": [0.08, 0.05, 0.03], "srs": [0.1, None, 0.05]},
        dark=False,
        chosen_budget=120,
        target=0.04,
    )
    np.testing.assert_allclose(figure.data[0].y, [8, 5, 3])
    np.testing.assert_allclose(figure.data[1].y, [10, np.nan, 5])
    assert figure.data[0].line.dash != figure.data[1].line.dash
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol
    lines = {(shape.x0, shape.y0) for shape in figure.layout.shapes}
    assert any(x == 120 for x, _ in lines)
    assert any(y == 4 for _, y in lines)


def test_the_words_on_budget_and_wish_stand_beyond_the_plot_where_no_curve_runs_through_them():
    figure = forecast([50, 200], {"srs": [0.1, 0.05]}, dark=False, chosen_budget=120, target=0.04)
    words = {note.text: note for note in figure.layout.annotations}
    budget, wish = words["budget: 120 labels"], words["wanted:<br>±4"]
    assert (budget.x, budget.y, budget.yanchor) == (120, 1, "bottom")  # upwards from the upper end of the plot
    assert (wish.x, wish.y, wish.xanchor) == (1, 4, "left")  # rightwards from its right end
    assert budget.yref.endswith("domain")
    assert wish.xref.endswith("domain")
    assert figure.layout.margin.r >= 60
    assert figure.layout.legend.y > 1.05


def test_severity_bands_begin_at_50_and_80_percent_and_levels_are_those_of_sfdr():
    probabilities = [0.0, 0.1, 0.49, 0.5, 0.7, 0.79, 0.8, 0.95, 1.0]
    bands = severity(severity_level(probabilities), dark=False)
    assert list(bands.data[0].x) == [3, 3, 3]
    assert [text.split()[0] for text in bands.layout.yaxis.ticktext] == ["low", "moderate", "severe"]
    # floor(10 p + 1e-9) + 1, at most 10
    assert list(severity(severity_level(probabilities), dark=False, ten_levels=True).data[0].y) == [
        1,
        1,
        0,
        0,
        1,
        1,
        0,
        2,
        1,
        2,
    ]


def test_a_tenth_that_floats_just_miss_still_reaches_its_level():
    below = np.nextafter(0.8, 0)
    assert list(severity(severity_level([below, 0.1 + 0.2, 0.6 + 0.1]), dark=False).data[0].x) == [1, 1, 1]


def test_the_bands_of_a_regression_are_as_many_as_there_are_names():
    figure = severity_bands(
        ["up to 2.5", "up to 5", "up to 12.5", "beyond"], [4, 3, 2, 1], dark=False, what="error (degrees)"
    )
    assert list(figure.data[0].x) == [4, 3, 2, 1]
    assert list(figure.layout.yaxis.ticktext) == ["up to 2.5", "up to 5", "up to 12.5", "beyond"]


def test_the_fault_curve_lies_between_the_ideal_and_the_random_line():
    found = np.cumsum([1, 0, 1, 1, 0, 0, 1, 0])
    figure = fault_curve({"rra": found}, dark=False, size=80, faults=5)
    assert list(by_name(figure, "rra").x) == list(range(9))
    assert list(by_name(figure, "rra").y) == [0, *found]
    ideal = next(one for one in figure.data if one.name.startswith("ideal"))
    np.testing.assert_allclose(np.interp(range(9), ideal.x, ideal.y), np.minimum(range(9), 5))
    random = next(one for one in figure.data if one.name.startswith("random"))
    np.testing.assert_allclose(np.interp(range(9), random.x, random.y), np.arange(9) * 5 / 80)
    assert len({one.line.dash for one in figure.data}) == 3


def test_an_estimated_number_of_faults_is_called_estimated():
    names = [one.name for one in fault_curve({"a": [1]}, dark=False, size=9, faults=3.2, faults_estimated=True).data]
    assert any("estimated" in name for name in names)
    assert not any("ideal" in one.name for one in fault_curve({"a": [1]}, dark=False, size=9).data)


def test_strata_filled_shows_labeled_within_planned_in_words_too():
    figure = strata_filled([2, 5], [4, 5], dark=False, what="zone")
    planned, labeled = figure.data
    assert list(planned.x) == [4, 5]
    assert list(labeled.x) == [2, 5]
    assert list(planned.text) == ["2 of 4", "5 of 5"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first on top


def test_confusion_counts_every_pair_right_on_the_diagonal_and_wrong_off_it():
    predicted, answered = [0, 0, 2, 2, 2, 0], [0, 0, 2, 0, 0, 2]
    figure = confusion(predicted, answered, ["a", "never", "c"], dark=False)
    right, wrong = (np.asarray(by_name(figure, name).z, dtype=float) for name in ("right", "wrong"))
    np.testing.assert_array_equal(right, [[2, np.nan], [np.nan, 1]])
    np.testing.assert_array_equal(wrong, [[np.nan, 2], [1, np.nan]])  # row: answered, column: predicted
    assert list(figure.layout.xaxis.ticktext) == ["a", "c"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


def test_of_many_classes_those_in_mistakes_are_shown_and_the_rest_is_told():
    answered = np.arange(50)
    predicted = answered.copy()
    predicted[[7, 31]] = [8, 32]
    figure = confusion(predicted, answered, [f"class {place}" for place in range(50)], dark=False, limit=4)
    assert list(figure.layout.xaxis.ticktext) == ["class 7", "class 8", "class 31", "class 32"]
    assert "4 of 50 classes seen" in figure.layout.xaxis.title.text  # beside the cells, not over them
    assert not figure.layout.annotations


def test_of_300_classes_the_most_frequent_stand_in_the_order_of_their_numbers_and_what_they_are_stands_below():
    names = sorted(f"kind {place}" for place in range(1, 301))  # alphabetical, as a table's are
    counts = [300 - int(name.split()[1]) for name in names]
    figure = predicted_classes(counts, names, dark=False)
    assert list(figure.layout.xaxis.ticktext) == [f"kind {place}" for place in range(1, 31)]
    assert list(figure.data[0].y) == list(range(299, 269, -1))
    assert "the 30 most frequent of 300" in figure.layout.xaxis.title.text
    assert not figure.layout.annotations
    assert figure.layout.xaxis.tickangle == -45


def test_two_long_names_that_begin_alike_are_two_bars():
    names = [f"a very long name of a class, number {place}" for place in range(2)]
    figure = predicted_classes([3, 5], names, dark=False)
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([0, 1], [3, 5])


def test_two_long_names_that_are_shortened_alike_stay_two_classes():
    names = ["a very long name of a class, first", "a very long name of a class, second"]
    figure = confusion([0, 1], [0, 1], names, dark=False)
    assert list(figure.layout.xaxis.tickvals) == [0, 1]


@pytest.mark.parametrize("dark", [False, True])
def test_reference_lines_are_drawn_in_the_color_of_the_letters(dark: bool):
    ideal = fault_curve({"a": [1]}, dark=dark, size=9, faults=3).data[0]
    assert ideal.line.color == shades(dark).text
