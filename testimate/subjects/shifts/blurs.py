"""Blurs: out of focus, behind frosted glass, in motion, and while zooming.

After Hendrycks and Dietterich (ICLR 2019). Lengths are in pixels of a picture of 32 and grow with the picture.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Pictures = NDArray[np.float64]

RADIUS = (0.3, 0.6, 1.0, 1.4, 2.0)
GLASS = ((0.1, 1, 1), (0.25, 1, 1), (0.4, 1, 2), (0.4, 2, 1), (0.4, 2, 2))
"""Blur, farthest shift of a pixel, rounds."""
MOTION = (3.0, 4.0, 5.0, 6.5, 8.0)
ZOOM = (1.06, 1.11, 1.16, 1.21, 1.26)


def unit(pictures: Pictures) -> float:
    """One pixel of a picture of 32, in pixels of these pictures, at least half a pixel."""
    side: int = max(pictures.shape[1:3])
    return max(0.5, side / 32)


def defocus_blur(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The mean over a disc with a soft edge."""
    del rng
    return _filtered(pictures, _disc(RADIUS[severity - 1] * unit(pictures)))


def glass_blur(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Swaps pixels with near ones, between two blurs."""
    blur, farthest, rounds = GLASS[severity - 1]
    reach = max(1, round(farthest * unit(pictures)))
    sigma = (0, blur * unit(pictures), blur * unit(pictures), 0)
    found = ndimage.gaussian_filter(pictures, sigma)
    height, width = pictures.shape[1:3]
    for _ in range(rounds):
        for y, x in np.ndindex(height, width):
            dy, dx = rng.integers(-reach, reach + 1, size=2)
            other_y, other_x = np.clip(y + dy, 0, height - 1), np.clip(x + dx, 0, width - 1)
            kept = found[:, y, x].copy()
            found[:, y, x] = found[:, other_y, other_x]
            found[:, other_y, other_x] = kept
    blurred: Pictures = ndimage.gaussian_filter(found, sigma)
    return blurred


def motion_blur(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The mean along a line that leans at most 45 degrees."""
    length, angle = MOTION[severity - 1] * unit(pictures), rng.uniform(-np.pi / 4, np.pi / 4)
    reach = int(np.ceil(length / 2))
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for step in np.linspace(-length / 2, length / 2, 8 * reach + 1):
        _drop(kernel, reach + step * np.sin(angle), reach + step * np.cos(angle))
    return _filtered(pictures, kernel / kernel.sum())


def zoom_blur(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The mean of the picture and of enlarged ones."""
    del rng
    factors = np.arange(1.0, ZOOM[severity - 1], 0.01)
    found: Pictures = np.mean([enlarged(pictures, factor) for factor in factors], axis=0)
    return (pictures + found) / 2


def enlarged(pictures: Pictures, factor: float) -> Pictures:
    """The pictures enlarged ``factor`` times around their middle, in the same size."""
    height, width = pictures.shape[1:3]
    middle = np.array([0, (height - 1) / 2, (width - 1) / 2, 0])
    matrix = np.array([1, 1 / factor, 1 / factor, 1])
    found: Pictures = ndimage.affine_transform(pictures, matrix, middle - matrix * middle, order=1, mode="nearest")
    return found


def _disc(radius: float) -> NDArray[np.float64]:
    reach = int(np.ceil(radius)) + 1
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disc = np.clip(radius + 1 - np.hypot(y, x), 0, 1)
    shares: NDArray[np.float64] = disc / disc.sum()
    return shares


def _drop(kernel: NDArray[np.float64], y: float, x: float) -> None:
    """Adds one at a place between cells, distributed over the four cells around it."""
    top, left = int(np.floor(y)), int(np.floor(x))
    for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            if 0 <= row < len(kernel) and 0 <= column < len(kernel):
                kernel[row, column] += down * across


def _filtered(pictures: Pictures, kernel: NDArray[np.float64]) -> Pictures:
    found: Pictures = ndimage.convolve(pictures, kernel[None, :, :, None], mode="reflect")
    return found
