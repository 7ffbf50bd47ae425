"""Compare pictures of screens, and write what to look at."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops

from equality.compare import Difference

FIELD = "picture"
TOLERATED = 0.002
"""Share of the pixels that may differ: a caret, the edge of a letter."""
SEEN = 16
"""Of 255: how far a color has to be off to count."""


def picture_differences(base: Path, now: Path, looked_at: Path) -> Iterator[Difference]:
    """Yield the pictures that differ or are on one side alone; write both sides and the difference for each."""
    for name in sorted({str(path.relative_to(folder)) for folder in (base, now) for path in folder.rglob("*.png")}):
        case, picture = str(Path(name).parent), Path(name).stem
        before, after = base / name, now / name
        if not (before.exists() and after.exists()):
            there = (None, "") if after.exists() else ("", None)
            yield Difference(case, f"{FIELD} of {picture}", *there)
            continue
        sides = [picture_in(path) for path in (before, after)]
        share = share_that_differs(*sides)
        if share > TOLERATED:
            written = looked_at / name
            write_sides(sides[0], sides[1], written)
            yield Difference(
                case, f"{FIELD} of {picture}", "the base", f"{100 * share:.2f}% of the pixels differ: {written}"
            )


def picture_in(path: Path) -> Image.Image:
    """Return the picture in a file."""
    with Image.open(path) as picture:
        return picture.convert("RGB")


def share_that_differs(before: Image.Image, after: Image.Image) -> float:
    """Return the share of pixels whose color is off by more than what is tolerated; all of them if the sizes differ.

    >>> gray, spot = Image.new("RGB", (10, 10), "gray"), Image.new("RGB", (10, 10), "gray")
    >>> spot.putpixel((3, 4), (0, 0, 0))
    >>> share_that_differs(gray, spot)
    0.01
    """
    if before.size != after.size:
        return 1.0
    off = np.asarray(ImageChops.difference(before, after)).max(axis=2)
    return float((off > SEEN).mean())


def write_sides(before: Image.Image, after: Image.Image, path: Path) -> None:
    """Write one picture with the base, this checkout and what differs side by side."""
    path.parent.mkdir(parents=True, exist_ok=True)
    size = (max(before.width, after.width), max(before.height, after.height))
    sides = [Image.new("RGB", size, "white") for _ in range(2)]
    for side, picture in zip(sides, (before, after), strict=True):
        side.paste(picture, (0, 0))
    off = ImageChops.difference(*sides).convert("L").point(lambda value: 255 if value > SEEN else 0)
    both = Image.new("RGB", (3 * size[0], size[1]))
    for place, picture in enumerate((*sides, off)):
        both.paste(picture, (place * size[0], 0))
    both.save(path)
