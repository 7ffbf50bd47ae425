"""A series as a small picture, for galleries and reports: a line for each of its channels."""

import io
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from testimate.charts.palette import CHOSEN, FAILED, RIGHT, UNLABELED

WIDTH, HEIGHT = 480, 160
MARGIN = 4
COLOURS = (CHOSEN, FAILED, RIGHT, UNLABELED)


def series_png(values: NDArray[np.float32]) -> bytes:
    """PNG bytes of the (t, C) values, all on one scale; values that are not finite leave a gap."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(picture)
    finite = values[np.isfinite(values)].astype(np.float64)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    across = np.linspace(MARGIN, WIDTH - MARGIN, max(len(values), 2))
    for place, channel in enumerate(values.T.astype(np.float64)):
        up = (channel - low) / (high - low) if high > low else np.full(len(channel), 0.5)
        points = list(zip(across.tolist(), (HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN)).tolist(), strict=False))
        for start, end in pairwise(points):
            if np.isfinite(start[1]) and np.isfinite(end[1]):
                pen.line([start, end], fill=COLOURS[place % len(COLOURS)])
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()
