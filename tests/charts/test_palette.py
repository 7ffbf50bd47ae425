"""The colors as people see them: contrast by WCAG 2.1, distances in CIE Lab under simulated color blindness."""

from itertools import combinations

import numpy as np
import pytest

from testimate.charts.palette import CHOSEN, FAILED, RIGHT, UNLABELED, Shades, hue, shades, symbol
from tests.each import each

BOTH = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])

# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color vision deficiency",
# table of matrices for linear RGB at severity 1.0.
SIGHT = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
# sRGB (IEC 61966-2-1) to CIE XYZ, white D65.
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color: str) -> np.ndarray:
    share = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str) -> float:
    """Contrast ratio, WCAG 2.1, 1..21."""
    light, dim = sorted((float(TO_XYZ[1] @ linear(color)) for color in (first, second)), reverse=True)
    return (light + 0.05) / (dim + 0.05)


def lab(color: str, sight: str) -> np.ndarray:
    """CIE 1976 L*a*b* of the color as it is seen."""
    seen = np.clip(SIGHT[sight] @ linear(color), 0, 1)
    share = TO_XYZ @ seen / (TO_XYZ @ np.ones(3))
    curve = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * curve[1] - 16, 500 * (curve[0] - curve[1]), 200 * (curve[1] - curve[2])])


def nearest(colors: tuple[str, ...], sight: str) -> float:
    return min(float(np.linalg.norm(lab(a, sight) - lab(b, sight))) for a, b in combinations(colors, 2))


def test_the_contrast_of_black_on_white_is_the_21_that_wcag_names():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)  # WCAG's well-known near miss of 4.5


@BOTH
def test_every_color_of_a_line_or_marker_stands_out_three_to_one_from_the_background(dark: bool):
    colors = shades(dark)
    for color in (FAILED, RIGHT, UNLABELED, CHOSEN, colors.estimate, *colors.hues):
        assert contrast(color, colors.background) >= 3, color


@BOTH
def test_text_stands_out_as_wcag_asks_of_small_letters(dark: bool):
    colors = shades(dark)
    for ground in (colors.background, colors.panel):
        assert contrast(colors.text, ground) >= 7
        assert contrast(colors.muted, ground) >= 4.5


@BOTH
def test_the_grid_is_quieter_than_the_noise_and_the_noise_quieter_than_any_cluster(dark: bool):
    colors = shades(dark)
    grid, noise = (contrast(color, colors.background) for color in (colors.grid, colors.noise))
    assert 1 < grid < noise < min(contrast(color, colors.background) for color in colors.hues)


@BOTH
@pytest.mark.parametrize("sight", SIGHT)
def test_twelve_clusters_are_told_apart_by_normal_protan_and_deutan_sight(dark: bool, sight: str):
    colors: Shades = shades(dark)
    # 2.3 is the just noticeable difference in CIE Lab (Mahy, Van Eycken and Oosterlinck 1994): eight times that.
    assert nearest((*colors.hues[:12], colors.noise), sight) > 8 * 2.3
    assert nearest(colors.hues, sight) > 5 * 2.3


@each("sight", SIGHT)
def test_failed_right_chosen_and_unlabeled_are_told_apart_by_everyone(sight: str):
    assert nearest((FAILED, RIGHT, CHOSEN, UNLABELED), sight) > 8 * 2.3


@BOTH
def test_no_cluster_looks_as_if_it_had_failed(dark: bool):
    assert min(np.linalg.norm(lab(FAILED, "normal") - lab(color, "normal")) for color in shades(dark).hues) > 25


def test_no_two_of_the_first_hundred_and_forty_clusters_share_both_hue_and_symbol():
    assert len({(hue(place, dark=False), symbol(place)) for place in range(140)}) == 140
