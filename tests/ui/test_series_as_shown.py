"""Long and wide series as they go to the browser and to pictures: nothing of them is hidden."""

import io

import numpy as np
from PIL import Image

from testimate.charts.pictures import HEIGHT, WIDTH, series_png
from testimate.core.subject import MOST_POINTS, Shown, series_of
from testimate.ui.components.labeling_surface.view import shown_to_json


def test_a_series_of_a_million_points_keeps_its_single_peak_and_says_how_long_it_is():
    values = np.zeros((1_000_000, 2))
    values[777_777, 1] = -9.5
    sent = shown_to_json(0, Shown("tabular", series=series_of(values)))["series"]
    assert len(sent["channels"][0]) <= MOST_POINTS
    assert sent["length"] == 1_000_000
    assert min(sent["channels"][1]) == -9.5
    near = sent["at"][int(np.argmin(sent["channels"][1]))]
    assert near <= 777_777 < near + 100


def test_what_is_no_number_in_a_series_is_a_gap_and_not_a_zero():
    values = np.array([[1.0], [np.nan], [np.inf], [2.0]])
    sent = shown_to_json(0, Shown("tabular", series=series_of(values)))["series"]
    assert sent == {"channels": [[1.0, None, None, 2.0]], "at": None, "length": 4}


def test_a_series_is_a_picture_in_galleries_also_where_all_its_values_are_one_or_none_is_a_number():
    for values in (np.ones((5, 1)), np.full((5, 3), np.nan), np.arange(6.0).reshape(3, 2)):
        with Image.open(io.BytesIO(series_png(values.astype(np.float32)))) as picture:
            assert picture.size == (WIDTH, HEIGHT)
