"""Shifted pictures: what every shift promises, and each one against what it is by definition."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.shifts import SHIFTS, shifted
from testimate.subjects.shifts.corruptions import DEAD, DEVIATION, PHOTONS, QUALITY
from tests.each import each
from tests.sampling import rotating

EVERY = list(SHIFTS)


def pictures(count=2, side=24, channels=3, seed=0):
    """Smooth colors with a few edges, as bytes."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side] / side
    waves = [np.sin(6 * (a * x + b * y) + c) for a, b, c in rng.uniform(0, 2, (count * channels, 3))]
    found = np.stack(waves).reshape(count, channels, side, side).transpose(0, 2, 3, 1) / 2 + 0.5
    found[:, side // 3 : side // 2, side // 4 : side // 2] *= 0.3
    return np.rint(255 * found).astype(np.uint8)


def test_the_shifts_are_the_fifteen_corruptions_of_the_paper_and_paces_two():
    assert len(EVERY) == 17


GIVEN = {
    "color": pictures(),
    "gray": pictures(channels=1),
    "flat": pictures(channels=1)[..., 0],
    "floating": pictures(side=8) / 255,
}


@each(("shift", "kind"), rotating(EVERY, list(GIVEN), each=2))
def test_a_shift_keeps_shape_type_and_range_and_changes_the_picture(shift, kind):
    given = GIVEN[kind]
    found = shifted(given, shift, 3, seed=1)
    assert found.shape == given.shape
    assert found.dtype == given.dtype
    assert found.min() >= 0
    assert found.max() <= (255 if given.dtype == np.uint8 else 1)
    assert not np.array_equal(found, given)


@each("shift", EVERY)
def test_the_same_seed_shifts_a_picture_alike_whatever_comes_before_it(shift):
    given = pictures(3)
    found = shifted(given, shift, 2, seed=5)
    np.testing.assert_array_equal(found, shifted(given, shift, 2, seed=5))
    np.testing.assert_array_equal(found[:2], shifted(given[:2], shift, 2, seed=5))


@each("shift", EVERY)
def test_the_severest_shift_changes_more_than_the_slightest(shift):
    given = pictures(4, side=32) / 255
    slight, severe = (np.abs(shifted(given, shift, severity, seed=1) - given).mean() for severity in (1, 5))
    assert severe > slight > 0


def test_noises_have_the_moments_they_are_named_for():
    gray = np.full((3, 64, 64), 0.5)
    count = gray.size
    for severity in (1, 5):
        gaussian = shifted(gray, "gaussian-noise", severity, seed=1) - gray
        assert gaussian.std() == pytest.approx(DEVIATION[severity - 1], rel=0.05)
        shot = shifted(gray, "shot-noise", severity, seed=1)
        assert shot.std() == pytest.approx(np.sqrt(0.5 / PHOTONS[severity - 1]), rel=0.05)
        dead = np.isin(shifted(gray, "impulse-noise", severity, seed=1), (0.0, 1.0)).mean()
        share = DEAD[severity - 1]
        assert abs(dead - share) < 4 * np.sqrt(share * (1 - share) / count)


@each("shift", ["defocus-blur", "glass-blur", "motion-blur", "zoom-blur", "elastic", "pixelate"])
def test_blurs_and_warps_leave_an_even_picture_as_it_is(shift):
    even = np.full((1, 20, 20), 0.4)
    np.testing.assert_allclose(shifted(even, shift, 4, seed=1), even, atol=0.003)


def test_contrast_keeps_the_mean_and_shrinks_the_spread():
    given = pictures(1) / 255
    found = shifted(given, "contrast", 2, seed=1)
    np.testing.assert_allclose(found.mean(axis=(1, 2)), given.mean(axis=(1, 2)), atol=1e-12)
    np.testing.assert_allclose(found.std(axis=(1, 2)), 0.5 * given.std(axis=(1, 2)), atol=1e-12)


def test_brightness_raises_the_value_and_keeps_the_hue():
    color = np.full((1, 8, 8, 3), [0.2, 0.4, 0.1])
    found = shifted(color, "brightness", 3, seed=1)[0, 0, 0]
    np.testing.assert_allclose(found, np.array([0.2, 0.4, 0.1]) * 0.55 / 0.4)


def test_jpeg_is_pillows_own_at_that_quality():
    import io

    from PIL import Image

    given = pictures(1)
    file = io.BytesIO()
    Image.fromarray(given[0]).save(file, "JPEG", quality=QUALITY[4])
    np.testing.assert_array_equal(shifted(given, "jpeg", 5, seed=1)[0], np.asarray(Image.open(file)))


def test_a_patch_is_a_black_square_and_light_one_amount_for_all():
    white = np.ones((3, 20, 20))
    assert ((shifted(white, "patch", 5, seed=1) == 0).sum(axis=(1, 2)) == 64).all()
    gray = np.full((5, 10, 10), 0.5)
    amounts = shifted(gray, "light", 4, seed=1) - gray
    assert (np.ptp(amounts, axis=(1, 2)) < 1e-12).all()
    assert ((np.abs(amounts) >= 0.2) & (np.abs(amounts) <= 0.4)).all()


@each(
    ("given", "shift", "severity", "sentence"),
    [
        (np.zeros((2, 8)), "fog", 1, "shape"),
        (np.zeros((2, 3, 8, 8)), "fog", 1, "channels last"),
        (np.full((2, 8, 8), 7.0), "fog", 1, "from 0 to 1"),
        (np.zeros((2, 8, 8)), "fog", 6, "from 1 to 5"),
        (np.zeros((2, 8, 8)), "rain", 1, "Expected one of gaussian-noise"),
    ],
)
def test_what_cannot_be_shifted_is_refused(given, shift, severity, sentence):
    with pytest.raises(BadInput, match=sentence):
        shifted(given, shift, severity, seed=1)
