"""Pictures and sounds as files, for the tests that need some."""

import io
import wave
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def png(pixels: NDArray[Any]) -> bytes:
    """The pixels, (height, width) or (height, width, channels), as a PNG."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def gray(shade: int) -> bytes:
    """A small square of one shade, as a PNG."""
    return png(np.full((4, 4), shade, np.uint8))


def wav(samples: Sequence[int]) -> bytes:
    """The samples, 16,000 in a second, as a WAV."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16_000)
        writer.writeframes(np.array(samples, "<i2").tobytes())
    return file.getvalue()
