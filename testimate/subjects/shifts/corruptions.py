"""Corruptions of pictures: blurs, weather, noise, what a camera and a file do, a blocked part and changed light.

Blurs: out of focus, behind frosted glass, in motion, and while zooming.

After Hendrycks and Dietterich (ICLR 2019). Lengths are in pixels of a picture of 32 and grow with the picture.

Brightness, contrast, elastic warping, pixelation and JPEG.

After Hendrycks and Dietterich (ICLR 2019), with the strengths of their pictures of 32 x 32 pixels.

Noise: Gaussian, Poisson, and dead pixels.

Hendrycks and Dietterich: Benchmarking Neural Network Robustness to Common Corruptions and Perturbations, ICLR 2019. The
strengths are those of their pictures of 32 x 32 pixels (CIFAR-10-C), to which the paper's comparison refers.

A blocked part of the picture, and changed light, as a camera in use sees them.

PACE (Chen et al. 2020, section 4.1.1) made its Driving-patch and Driving-light this way, "by randomly blocking some
parts of each input" and "by randomly changing the intensities of lights"; it names no sizes.

Weather: snow, frost and fog, all made from noise.

After Hendrycks and Dietterich (ICLR 2019). Their frost uses photographs of ice of unknown license; here the ice is made
of noise, too.
"""

import io
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image
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


BRIGHTER = (0.05, 0.1, 0.15, 0.2, 0.3)
CONTRAST = (0.75, 0.5, 0.4, 0.3, 0.15)
WARP = (0.8, 1.1, 1.4, 1.8, 2.3)
"""Farthest shift of a pixel, in pixels of a picture of 32."""
PIXELS = (0.95, 0.9, 0.85, 0.75, 0.65)
QUALITY = (80, 65, 58, 50, 40)


def brightness(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The value of every color (its largest channel) raised, with hue and saturation kept."""
    del rng
    value = pictures.max(axis=3, keepdims=True)
    raised = np.minimum(value + BRIGHTER[severity - 1], 1)
    found: Pictures = np.where(value > 0, pictures * raised / np.where(value > 0, value, 1), raised)
    return found


def contrast(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Every value moved toward the mean of its picture's channel."""
    del rng
    mean = pictures.mean(axis=(1, 2), keepdims=True)
    found: Pictures = (pictures - mean) * CONTRAST[severity - 1] + mean
    return found


def elastic(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Pixels moved by a smooth random field."""
    n, height, width, channels = pictures.shape
    moves = ndimage.gaussian_filter(rng.uniform(-1, 1, (2, n, height, width)), (0, 0, *(2 * [3 * unit(pictures)])))
    farthest = np.abs(moves).max(axis=(2, 3), keepdims=True)
    moves = moves / np.maximum(farthest, 1e-12) * WARP[severity - 1] * unit(pictures)
    y, x = np.mgrid[:height, :width]
    found = np.empty_like(pictures)
    for one in range(n):
        for channel in range(channels):
            where = (y + moves[0, one], x + moves[1, one])
            found[one, :, :, channel] = ndimage.map_coordinates(
                pictures[one, :, :, channel], where, order=1, mode="reflect"
            )
    return found


def pixelate(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The pictures made smaller by averaging, and enlarged again without smoothing."""
    del rng
    height, width = pictures.shape[1:3]
    share = PIXELS[severity - 1]
    small = (max(1, int(width * share)), max(1, int(height * share)))

    def worked(picture: Image.Image) -> Image.Image:
        return picture.resize(small, Image.Resampling.BOX).resize((width, height), Image.Resampling.NEAREST)

    return _each(pictures, worked)


def jpeg(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The pictures compressed as JPEG and opened again."""
    del rng

    def worked(picture: Image.Image) -> Image.Image:
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=QUALITY[severity - 1])
        return Image.open(io.BytesIO(file.getvalue()), formats=["JPEG"]).convert(picture.mode)

    return _each(pictures, worked)


def _each(pictures: Pictures, work: Callable[[Image.Image], Image.Image]) -> Pictures:
    found = np.empty_like(pictures)
    for one, picture in enumerate(np.rint(255 * np.clip(pictures, 0, 1)).astype(np.uint8)):
        drawn = Image.fromarray(picture[:, :, 0] if picture.shape[2] == 1 else picture)
        found[one] = np.asarray(work(drawn), dtype=np.float64).reshape(picture.shape) / 255
    return found


DEVIATION = (0.04, 0.06, 0.08, 0.09, 0.10)
PHOTONS = (500, 250, 100, 75, 50)
DEAD = (0.01, 0.02, 0.03, 0.05, 0.07)


def gaussian_noise(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """A normally distributed number added to every value."""
    return pictures + rng.normal(0, DEVIATION[severity - 1], pictures.shape)


def shot_noise(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Every value replaced by a Poisson count of photons; the fewer photons, the coarser."""
    photons = PHOTONS[severity - 1]
    return rng.poisson(np.clip(pictures, 0, 1) * photons) / photons


def impulse_noise(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Values at random set to black or white."""
    dead = rng.random(pictures.shape) < DEAD[severity - 1]
    return np.where(dead, rng.integers(2, size=pictures.shape).astype(np.float64), pictures)


SIDE = (0.15, 0.2, 0.25, 0.3, 0.4)
"""Side of the blocked square, as a share of the picture's shorter one."""
LIGHT = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Largest change of the light, up or down; the least is half of it."""


def patch(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """A black square at a random place."""
    found = pictures.copy()
    height, width = pictures.shape[1:3]
    side = max(1, round(SIDE[severity - 1] * min(height, width)))
    for one in found:
        top, left = rng.integers(height - side + 1), rng.integers(width - side + 1)
        one[top : top + side, left : left + side] = 0
    return found


def light(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The same amount, up or down at random, added to every value of a picture."""
    farthest = LIGHT[severity - 1]
    amount = rng.uniform(farthest / 2, farthest, len(pictures)) * rng.choice([-1, 1], len(pictures))
    lit: Pictures = pictures + amount[:, None, None, None]
    return lit


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
    gray = pictures.mean(axis=3, keepdims=True)
    paler = kept * pictures + (1 - kept) * np.maximum(pictures, 1.5 * gray + 0.5)
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
