"""Weather: snow, frost and fog, all made from noise.

After Hendrycks and Dietterich (ICLR 2019). Their frost uses photographs of ice of unknown licence; here the ice is made
of noise, too.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from testimate.subjects.shifts.blurs import motion_blur

Pictures = NDArray[np.float64]

SNOW = ((0.95, 0.10), (0.90, 0.16), (0.88, 0.24), (0.85, 0.32), (0.82, 0.42))
"""Share of the picture kept before it is whitened, and share of pixels with flakes."""
FROST = ((0.95, 0.2), (0.88, 0.3), (0.8, 0.4), (0.75, 0.45), (0.7, 0.5))
"""Weights of picture and ice."""
FOG = (0.2, 0.5, 0.75, 1.0, 1.5)


def snow(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Flakes in motion over a paler picture."""
    kept, share = SNOW[severity - 1]
    flakes = (rng.random((*pictures.shape[:3], 1)) < share / 4) * rng.uniform(0.5, 1.0, (*pictures.shape[:3], 1))
    falling = motion_blur(flakes, 1, rng) * 1.5
    grey = pictures.mean(axis=3, keepdims=True)
    paler = kept * pictures + (1 - kept) * np.maximum(pictures, 1.5 * grey + 0.5)
    found: Pictures = paler + falling + falling[:, ::-1, ::-1]
    return found


def frost(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Needles of ice over the picture."""
    kept, laid = FROST[severity - 1]
    ridges = 1 - 2 * np.abs(clouds(pictures.shape, rng, 1.2) - 0.5)  # bright where the noise is near its middle value
    return kept * pictures + laid * ridges**3


def fog(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Clouds added, and the whole scaled back to the picture's maximum."""
    strength = FOG[severity - 1]
    brightest = pictures.max(axis=(1, 2, 3), keepdims=True)
    found: Pictures = (pictures + strength * clouds(pictures.shape, rng, 2.0)) * brightest / (brightest + strength)
    return found


def clouds(shape: tuple[int, ...], rng: np.random.Generator, decay: float) -> Pictures:
    """Noise whose details halve in size and fade by ``decay``, (n, height, width, 1), from 0 to 1."""
    n, height, width = shape[:3]
    total, weight = np.zeros((n, height, width)), 1.0
    cells = 2
    while cells <= max(height, width):
        coarse = rng.random((n, cells + 1, cells + 1))
        y, x = np.linspace(0, cells, height), np.linspace(0, cells, width)
        grid = np.meshgrid(np.arange(n), y, x, indexing="ij")
        total += weight * ndimage.map_coordinates(coarse, grid, order=1)
        cells, weight = 2 * cells, weight / decay
    low, high = total.min(axis=(1, 2), keepdims=True), total.max(axis=(1, 2), keepdims=True)
    found: Pictures = ((total - low) / np.maximum(high - low, 1e-12))[..., None]
    return found
