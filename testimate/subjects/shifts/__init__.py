"""Shifts inputs on request: corruptions of pictures, a patch, a change of light, and adversarial steps."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.core.plug_ins import LazyMapping
from testimate.core.progress import Progress, silent

Shift = Callable[[NDArray[np.float64], int, np.random.Generator], NDArray[np.float64]]
"""Pictures (n, height, width, channels) from 0 to 1, a severity from 1 to 5, and a random generator; gives the same shape."""

SHIFTS: LazyMapping[str, Any] = LazyMapping(
    __name__,
    {
        "gaussian-noise": "corruptions:gaussian_noise",
        "shot-noise": "corruptions:shot_noise",
        "impulse-noise": "corruptions:impulse_noise",
        "defocus-blur": "corruptions:defocus_blur",
        "glass-blur": "corruptions:glass_blur",
        "motion-blur": "corruptions:motion_blur",
        "zoom-blur": "corruptions:zoom_blur",
        "snow": "corruptions:snow",
        "frost": "corruptions:frost",
        "fog": "corruptions:fog",
        "brightness": "corruptions:brightness",
        "contrast": "corruptions:contrast",
        "elastic": "corruptions:elastic",
        "pixelate": "corruptions:pixelate",
        "jpeg": "corruptions:jpeg",
        "patch": "corruptions:patch",
        "light": "corruptions:light",
    },
    "shift",
)
"""The fifteen corruptions of Hendrycks and Dietterich (2019) in their order, then PACE's patch and light."""

ATTACKS = ("fgsm", "bim", "carlini-wagner")
"""Adversarial steps against a model, which need its weights; see ``attacks``."""

BLOCK = 256
SEVERITIES = (1, 2, 3, 4, 5)


def shifted(
    pictures: NDArray[Any], shift: str, severity: int, *, seed: int, progress: Progress = silent
) -> NDArray[Any]:
    """The pictures under a shift, in their own shape, type and range.

    Parameters
    ----------
    pictures : (N, height, width) or (N, height, width, channels) with 1 or 3 channels: whole numbers from 0 to 255, or
        floating ones from 0 to 1.
    severity : 1 to 5.
    seed : the same seed gives the same shifts; each picture has its own random numbers, independent of those before it.

    Raises
    ------
    BadInput : the pictures are of another kind, or the shift or severity is unknown.
    """
    _check(shift, severity)
    scale, found = _scale(pictures), np.empty_like(pictures)
    for row, picture in enumerate(pictures):
        if row % BLOCK == 0:
            progress(row, len(pictures), f"{shift}, severity {severity}")
        found[row] = _worked(picture, shift, severity, seed, row, scale)
    return found


def shifted_one(picture: NDArray[Any], shift: str, severity: int, *, seed: int, row: int) -> NDArray[Any]:
    """One picture as ``shifted`` makes it at that row, (height, width) or (height, width, channels)."""
    _check(shift, severity)
    return _worked(picture, shift, severity, seed, row, _scale(picture[None]))


def _check(shift: str, severity: int) -> None:
    """BadInput where the shift or severity does not exist."""
    SHIFTS[shift]
    if not is_whole(severity) or severity not in SEVERITIES:
        raise BadInput(f"The severity is {severity!r:.60}. Expected a whole number from 1 to 5. Change it.")


def _worked(picture: NDArray[Any], shift: str, severity: int, seed: int, row: int, scale: float) -> NDArray[Any]:
    work: Shift = SHIFTS[shift]
    one = picture.reshape(1, *picture.shape[:2], -1).astype(np.float64) / scale
    made = np.clip(work(one, severity, np.random.default_rng([seed, row])), 0, 1) * scale
    made = np.rint(made) if scale == 255 else made
    return made.reshape(picture.shape).astype(picture.dtype)


def _scale(pictures: NDArray[Any]) -> float:
    """255 for bytes and 1 for floating-point numbers; BadInput for anything that is not a picture."""
    shape = pictures.shape
    if pictures.ndim not in (3, 4) or (pictures.ndim == 4 and shape[3] not in (1, 3)) or min(shape[1:3], default=0) < 4:
        raise BadInput(
            f"The array has the shape {shape}. Expected pictures, (N, height, width) or (N, height, width, 1 or 3), of at "
            "least 4 pixels a side. Move the channels last."
        )
    if pictures.dtype == np.uint8:
        return 255.0
    if pictures.dtype.kind != "f" or (pictures.size and not (pictures.min() >= 0 and pictures.max() <= 1)):
        raise BadInput(
            f"The pictures are {pictures.dtype} and not from 0 to 1. Expected bytes from 0 to 255, or floating-point "
            "numbers from 0 to 1. Undo their scaling."
        )
    return 1.0
