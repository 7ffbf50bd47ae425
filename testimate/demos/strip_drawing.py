"""Draws a few inputs of a demo side by side, for the first screen; done once, by make pictures."""

import io

import numpy as np
from PIL import Image

from testimate.core.subject import Dataset

MOST, WIDTH, HEIGHT, GAP = 8, 520, 56, 6
"""Inputs in a strip at most; in pixels its width at most, the height of each and the gap between two."""


def draw_strip(dataset: Dataset) -> bytes:
    """The strip as PNG: pictures of the dataset, evenly spread over it, as many as fit, on nothing."""
    fitting = min(MOST, (WIDTH + GAP) // (_picture(dataset, 0).width + GAP))
    rows = np.linspace(0, len(dataset) - 1, fitting).astype(int).tolist()
    pictures = [_picture(dataset, row) for row in rows]
    whole = Image.new("RGBA", (sum(one.width + GAP for one in pictures) - GAP, HEIGHT))
    place = 0
    for one in pictures:
        whole.paste(one, (place, 0))
        place += one.width + GAP
    kept = io.BytesIO()
    whole.save(kept, "PNG", optimize=True)
    return kept.getvalue()


def _picture(dataset: Dataset, row: int) -> Image.Image:
    shown = dataset.show(row).image
    assert shown is not None, "the demos are of pictures"
    picture = Image.open(io.BytesIO(shown)).convert("RGBA")
    method = Image.Resampling.NEAREST if picture.height < HEIGHT else Image.Resampling.BOX
    return picture.resize((round(picture.width * HEIGHT / picture.height), HEIGHT), method)
