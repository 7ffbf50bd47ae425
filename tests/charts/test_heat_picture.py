"""The shade over a picture: orange where the model needs it, blue where it does not, and a frame where it is enough."""

import io

import numpy as np
from PIL import Image

from testimate.charts.pictures import AGAINST, NEEDED, STRONGEST, heat_picture


def drawn(effect: np.ndarray, frame: tuple[int, ...] | None = None) -> np.ndarray:
    file = io.BytesIO()
    Image.fromarray(np.full((10, 20), 255, dtype=np.uint8)).save(file, "PNG")
    return np.asarray(Image.open(io.BytesIO(heat_picture(file.getvalue(), effect, frame, side=200)))).astype(float)


def test_the_strongest_effect_is_orange_the_opposite_blue_and_none_is_the_picture_itself():
    effect = np.zeros((10, 20))
    effect[:, :6], effect[:, 14:] = 0.5, -0.25
    picture = drawn(effect)
    assert picture.shape == (100, 200, 3)
    white = np.full(3, 255.0)
    np.testing.assert_allclose(picture[50, 20], STRONGEST * np.array(NEEDED) + (1 - STRONGEST) * white, atol=2)
    half = STRONGEST / 2
    np.testing.assert_allclose(picture[50, 180], half * np.array(AGAINST) + (1 - half) * white, atol=2)
    np.testing.assert_array_equal(picture[50, 100], white)


def test_no_effect_leaves_the_picture_and_the_frame_stands_where_it_is_said():
    assert (drawn(np.zeros((10, 20))) == 255).all()
    framed = (drawn(np.zeros((10, 20)), (2, 3, 6, 8)) != 255).any(axis=2)
    rows, columns = np.flatnonzero(framed.any(axis=1)), np.flatnonzero(framed.any(axis=0))
    assert (columns[0], columns[-1], rows[0], rows[-1]) == (20, 59, 30, 79)
