"""Brightness, contrast, elastic warping, pixelation and JPEG.

After Hendrycks and Dietterich (ICLR 2019), with the strengths of their pictures of 32 x 32 pixels.
"""

import io
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from testimate.subjects.shifts.blurs import unit

Pictures = NDArray[np.float64]

BRIGHTER = (0.05, 0.1, 0.15, 0.2, 0.3)
CONTRAST = (0.75, 0.5, 0.4, 0.3, 0.15)
WARP = (0.8, 1.1, 1.4, 1.8, 2.3)
"""Farthest shift of a pixel, in pixels of a picture of 32."""
PIXELS = (0.95, 0.9, 0.85, 0.75, 0.65)
QUALITY = (80, 65, 58, 50, 40)


def brightness(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The value of every colour (its largest channel) raised, with hue and saturation kept."""
    del rng
    value = pictures.max(axis=3, keepdims=True)
    raised = np.minimum(value + BRIGHTER[severity - 1], 1)
    found: Pictures = np.where(value > 0, pictures * raised / np.where(value > 0, value, 1), raised)
    return found


def contrast(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """Every value moved towards the mean of its picture's channel."""
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
