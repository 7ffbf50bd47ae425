"""The pictures on the first screen are those of the demos' own inputs."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from research.demos.draw_strips import GAP, HEIGHT, WIDTH, draw_strip
from testimate.core.progress import silent
from testimate.demos.catalog import DEMOS, strip_of


@pytest.mark.parametrize(
    "name", [name if name == "digits" else pytest.param(name, marks=pytest.mark.slow) for name in DEMOS]
)
def test_the_strip_that_is_shipped_is_drawn_from_the_demo(demo_ready, tmp_path, name):
    dataset = DEMOS[name].open(demo_ready(name, tmp_path), silent).dataset
    shipped = np.asarray(Image.open(strip_of(name)))
    assert np.array_equal(shipped, np.asarray(Image.open(io.BytesIO(draw_strip(dataset)))))
    assert shipped.shape[0] == HEIGHT
    assert shipped.shape[1] <= WIDTH


def test_a_digit_of_eight_pixels_is_magnified_pixel_by_pixel(demo_ready, tmp_path):
    dataset = DEMOS["digits"].open(demo_ready("digits", tmp_path), silent).dataset
    first = np.asarray(Image.open(io.BytesIO(dataset.show(0).image)).convert("L"))
    drawn = np.asarray(Image.open(strip_of("digits")).convert("L"))[:, :HEIGHT]
    times = HEIGHT // first.shape[0]
    assert np.array_equal(drawn, np.kron(first, np.ones((times, times), dtype=first.dtype)))
    between = np.asarray(Image.open(strip_of("digits")))[:, HEIGHT : HEIGHT + GAP, 3]
    assert not between.any()
    assert Path(strip_of("digits")).stat().st_size < 20_000
