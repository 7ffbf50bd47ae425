"""Decodes pictures of unknown origin: four formats, whose size is known before a pixel is unpacked."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects.datasets import limits

FORMATS = ("PNG", "JPEG", "BMP", "WEBP")
ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
ENDS = {"JPEG": b"\xff\xd9", "PNG": b"IEND"}
"""The last bytes of complete pictures."""

TAIL = 4_096
ORIENTATION = 0x0112  # of EXIF 2.32, table 4
GREY_MODES = ("1", "L", "LA", "I", "I;16", "I;16B", "I;16L")


@dataclass(frozen=True, slots=True)
class PictureSize:
    """Height and width in pixels as stored, whether it is grey, and whether its EXIF says to rotate it."""

    height: int
    width: int
    grey: bool
    turned: bool = False


def picture_size(content: bytes, name: str) -> PictureSize:
    """What the picture's header says; BadInput for another format, a truncated file, or more than ``limits.MAX_PIXELS``."""
    with _opened(content, name) as image:
        turned = image.format == "JPEG" and image.getexif().get(ORIENTATION, 1) != 1
        size = PictureSize(image.height, image.width, image.mode in GREY_MODES, turned)
        end = ENDS.get(image.format or "")
        if end is not None and end not in content[-TAIL:]:
            image.load()  # finds truncated files; a complete one ends with its mark and need not be unpacked
        return size


def decoded(content: bytes, name: str) -> NDArray[np.uint8]:
    """The pixels, (height, width, 1) for a grey picture and (height, width, 3) for another; transparency is dropped.

    For an animation it is the first frame. BadInput where the picture is damaged.
    """
    with _opened(content, name) as image:
        if image.mode.startswith("I"):  # 16 bits; Pillow would clip them at 255
            return (np.asarray(image).astype(np.int64).clip(0, 65_535) // 257).astype(np.uint8)[:, :, None]
        if image.mode in GREY_MODES:
            return np.asarray(image.convert("L"))[:, :, None]
        return np.asarray(image.convert("RGB"))


def shown_png(pixels: NDArray[np.uint8]) -> bytes:
    """The (height, width, 1 or 3) picture as PNG, its longer side at most ``limits.SHOWN_SIDE``."""
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    image.thumbnail((limits.SHOWN_SIDE, limits.SHOWN_SIDE))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[Any]:
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > limits.MAX_PIXELS:
                raise _too_many_pixels(name, f"{spaced(image.width)} x {spaced(image.height)}")
            yield image
    except BadInput:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels(name, "far too many") from None
    except Exception as error:  # decoders fed with hostile bytes may raise anything
        raise BadInput(
            f"{name!r:.100} is not a readable picture ({type(error).__name__}); expected a complete PNG, JPEG, BMP or WebP. "
            "Convert it or take it out."
        ) from error


def _too_many_pixels(name: str, count: str) -> BadInput:
    return BadInput(
        f"{name!r:.100} has {count} pixels; expected at most {spaced(limits.MAX_PIXELS)}. Make it smaller or take it out."
    )
