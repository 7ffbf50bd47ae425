"""Draws a few inputs of a demo side by side, for the first screen, which opens no demo; done once, by make pictures."""

import io
import textwrap

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from testimate.core.subject import Dataset

MOST, WIDTH, HEIGHT, GAP = 8, 520, 56, 6
"""Inputs in a strip at most; in pixels its width at most, the height of each and the gap between two."""


def draw_strip(dataset: Dataset) -> bytes:
    """The strip as PNG: pictures of the dataset, or of texts a card each, evenly spread over it, as many as fit, on nothing."""
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


CARD = 3 * HEIGHT
"""Width of a card of text in pixels."""


def _card(texts: list[str]) -> Image.Image:
    """A question and below it its answer, as they would look on a card of paper."""
    card = Image.new("RGBA", (CARD, HEIGHT), "#ffffff")
    pen = ImageDraw.Draw(card)
    pen.rectangle((0, 0, CARD - 1, HEIGHT - 1), outline="#c9ccd1")
    for place, text in enumerate(texts[:2]):
        font = ImageFont.load_default(11)
        lines = textwrap.wrap(text, 27)[:2]
        pen.multiline_text(
            (8, 5 + 25 * place), "\n".join(lines), "#6b7280" if place == 0 else "#111827", font, spacing=1
        )
    return card


def _picture(dataset: Dataset, row: int) -> Image.Image:
    seen = dataset.show(row)
    if seen.image is None:
        return _card([pane.shown.text or "" for pane in seen.panes])
    picture = Image.open(io.BytesIO(seen.image)).convert("RGBA")
    method = Image.Resampling.NEAREST if picture.height < HEIGHT else Image.Resampling.BOX
    return picture.resize((round(picture.width * HEIGHT / picture.height), HEIGHT), method)
