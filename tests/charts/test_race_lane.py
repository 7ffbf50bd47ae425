"""A lane of a race: a small drawing whose marks lie where the numbers are."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from testimate.charts.comparison import Lane, race_frame, race_lane
from testimate.charts.palette import FAILED, shades
from testimate.core.task import ONE_MINUS_SQUARED_ERROR

SVG = "{http://www.w3.org/2000/svg}"
LANE = Lane(budget=100, ends=(75.0, 100.4), truth=0.91)
NONE = [np.nan] * 4


def drawn(*columns, chosen=False, dark=False, failed=(0, 1, 0, 0), lane=LANE):
    return ET.fromstring(race_lane(lane, *columns, failed, dark=dark, chosen=chosen))


def texts(svg):
    return [element.text for element in svg.iter(f"{SVG}text")]


def test_the_line_and_its_bands_lie_where_the_numbers_are():
    accuracy, low, high = [np.nan, 0.9, 0.92, 0.91], [np.nan, 0.8, 0.82, 0.83], [np.nan, 0.98, 0.97, 0.96]
    svg = drawn(accuracy, low, high, NONE, NONE)
    line = svg.find(f"{SVG}polyline")
    points = np.array([point.split(",") for point in line.get("points").split()], dtype=float)
    assert points[:, 0] == pytest.approx(LANE.x([2, 3, 4]), abs=0.06)
    assert points[:, 1] == pytest.approx(LANE.y([90, 92, 91]), abs=0.06)
    (band,) = svg.findall(f"{SVG}polygon")
    ends = np.array([point.split(",") for point in band.get("points").split()], dtype=float)
    assert ends[:3, 1] == pytest.approx(LANE.y([98, 97, 96]), abs=0.06)
    assert ends[3:, 1] == pytest.approx(LANE.y([83, 82, 80]), abs=0.06)


def test_a_failure_is_a_cross_where_it_was_found_and_the_truth_a_dashed_line():
    svg = drawn([0.9] * 4, NONE, NONE, NONE, NONE)
    (crosses,) = [path for path in svg.findall(f"{SVG}path") if path.get("stroke") == FAILED]
    assert crosses.get("d").startswith(f"M{LANE.x(2) - 3:.1f} ")
    (truth,) = [path for path in svg.findall(f"{SVG}path") if path.get("stroke-dasharray")]
    assert f" {LANE.y(91):.1f}H" in truth.get("d")


def test_both_axes_are_named_with_their_units_and_a_chosen_mean_is_no_accuracy():
    assert {"labels (inputs)", "accuracy (%)"} <= set(texts(drawn(*[[0.9] * 4] * 1, NONE, NONE, NONE, NONE)))
    assert "mean of the chosen (%)" in texts(drawn([0.9] * 4, NONE, NONE, NONE, NONE, chosen=True))
    numbers = Lane(100, (0.5, 1.0), 0.9, measure=ONE_MINUS_SQUARED_ERROR)
    assert "1 - MSE" in texts(drawn([0.9] * 4, NONE, NONE, NONE, NONE, lane=numbers))


def test_before_a_number_it_says_so():
    assert "no number yet" in texts(drawn([], [], [], [], [], failed=()))
    assert "no number yet" in texts(drawn(NONE, NONE, NONE, NONE, NONE))


@pytest.mark.parametrize("dark", [False, True])
def test_the_newest_number_is_written_in_the_letters_of_the_theme(dark):
    svg = drawn([0.9, 0.9, 0.9, 0.936], NONE, NONE, NONE, NONE, dark=dark)
    (newest,) = [element for element in svg.iter(f"{SVG}text") if element.text == "93.6%"]
    assert newest.get("fill") == shades(dark).text


def test_the_frame_holds_all_lanes_but_their_rough_beginnings():
    rough = np.concatenate([np.zeros(10), np.full(30, 0.9)])
    low, high = race_frame([(rough, rough - 0.02, rough + 0.02), (np.full(40, 0.8), None, None)], 0.91)
    assert low <= 80 <= 92 <= high
    assert low > 50
    low, high = race_frame([([0.2, 0.4], None, None)], 0.3, measure=ONE_MINUS_SQUARED_ERROR)
    assert low < 0.3 < 0.4 < high
