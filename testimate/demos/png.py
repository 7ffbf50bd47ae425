"""Writes small gray pictures as PNG, pixel for pixel."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def gray_png(pixels: NDArray[np.uint8]) -> bytes:
    """The (height, width) picture as a PNG file, 0 = black, 255 = white (PNG specification, third edition, section 5).

    >>> gray_png(np.zeros((2, 3), dtype=np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # 8 bits, gray, deflate, plain filters, whole
    lines = np.zeros((height, 1 + width), dtype=np.uint8)  # each line begins with its filter: 0, none
    lines[:, 1:] = pixels
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)), _chunk(b"IEND", b""))
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
