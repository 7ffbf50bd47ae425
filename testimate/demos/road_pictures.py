"""Road scenes as a dataset: a small grey picture for the network, a large one with a ruler for the tester, kept on disk."""

import contextlib
import io
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.files import replace_file
from testimate.core.subject import Modality, Shown
from testimate.demos.road_drawing import draw, grey
from testimate.demos.road_scenes import AHEAD, CAMERA, FARTHEST, FOCAL, HORIZON, SIDEWAYS, Scenes

DRAWING = b"road 1"
"""Name of the way of drawing; another one gets another name, and with it the pictures another fingerprint."""

VIEW = "view-1"
"""Name of the way a view is drawn and ruled; another one gets another name, and views that were kept are drawn again."""

HEIGHT, CUT = 40, 14
"""Rows of the camera's picture as the network gets it, and how many of them from above, mostly sky, are cut off."""

SHOWN_HEIGHT = 240
"""Rows of the same view as a tester sees it."""

KEPT = 256
"""Of the views drawn last; a page asks for the same ones again and again, and each takes some 50 ms and 60 KB."""

NUMBERED, LONGER = 10, 5
"""Degrees between two numbers of the ruler, and between two of its longer marks."""

REACH = 35
"""Degrees to either side: beyond what can be steered, so that the lane's marks lie on the ruler too."""

COLOURS = 192
"""Of the picture: a third of the bytes of one in all its colours, and looks the same."""

MOST = 1_000
"""Views kept in a folder: of the road about 50 MB, and more than a session looks at; the others are drawn every time."""


class RoadPictures:
    """The pictures of the ``scenes``, drawn when they are asked for; ``folder`` : to keep the views in that were looked at."""

    modality: Modality = "image"

    def __init__(self, scenes: Scenes, folder: Path | None = None) -> None:
        self.scenes = scenes
        self.fingerprint = fingerprint.of_bytes(DRAWING, scenes.fingerprint.encode())
        view = self._drawn if folder is None else KeptViews(folder / self.fingerprint / VIEW, self._drawn).view
        self._png = lru_cache(maxsize=KEPT)(view)

    def __len__(self) -> int:
        return len(self.scenes)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, grey and without most of the sky, (len(rows), 1, 26, 80) float32 from 0 to 1."""
        pictures = grey(draw(self.scenes[np.asarray(rows)], HEIGHT, CUT))[:, None]
        return np.divide(pictures, np.float32(255), dtype=np.float32)

    def glances(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """The whole views of these rows, small and without the ruler, (len(rows), 40, 80, 3)."""
        return draw(self.scenes[np.asarray(rows)], HEIGHT)

    def show(self, row: int) -> Shown:
        """The whole view in colour, with a ruler of angles; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}; expected one from 0 to {len(self) - 1}. Choose another.")
        return Shown(modality="image", image=self._png(int(row)))

    def _drawn(self, row: int) -> bytes:
        (picture,) = draw(self.scenes[np.array([row])], SHOWN_HEIGHT)
        return ruled_png(picture)


def ruled_png(picture: NDArray[np.uint8]) -> bytes:
    """The picture (height, 2 * height, 3) as PNG with the ruler across the road, ``AHEAD`` metres ahead."""
    from PIL import Image, ImageDraw, ImageFont

    height = len(picture)
    image = Image.fromarray(picture)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(height / 18)
    ends = [place_of(degrees, height) for degrees in (-REACH, REACH)]
    y = round(ends[0][1])
    pen.line([(ends[0][0], y + 1), (ends[1][0], y + 1)], fill=(0, 0, 0))
    pen.line([(ends[0][0], y), (ends[1][0], y)], fill=(255, 255, 255))
    for degrees in range(-REACH, REACH + 1):
        x = round(place_of(degrees, height)[0])
        long = height // 40 if degrees % LONGER == 0 else height // 100
        pen.line([(x + 1, y - long), (x + 1, y + long)], fill=(0, 0, 0))
        pen.line([(x, y - long), (x, y + long)], fill=(255, 255, 255))
        if degrees % NUMBERED == 0:
            at = (x, y + height // 25)
            pen.text(
                at, f"{degrees}", font=font, anchor="mt", fill=(255, 255, 255), stroke_width=1, stroke_fill=(0, 0, 0)
            )
    file = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, "PNG")
    return file.getvalue()


def place_of(degrees: float, height: int) -> tuple[float, float]:
    """Where the middle of the lane is in a picture of that height when that steering angle is right, across and down.

    >>> place_of(0, 100)
    (100.0, 59.28...)
    """
    scale = FOCAL * height / AHEAD  # pixels a metre spans there
    return height + degrees / FARTHEST * SIDEWAYS * scale, HORIZON * height + CAMERA * scale


class KeptViews:
    """Views by row, as files; a view that is missing or damaged is drawn and kept.

    A folder that cannot be written is not an error: the views are then drawn every time.

    Parameters
    ----------
    folder : of views that are all drawn in the same way; made when one is kept. draw : the view of a row, as PNG.
    """

    def __init__(self, folder: Path, draw: Callable[[int], bytes]) -> None:
        self._folder, self._draw = folder, draw
        self._digests: dict[int, str] | None = None

    def view(self, row: int) -> bytes:
        """The view of that row, as PNG."""
        if self._digests is None:
            self._digests = {}
            for path in self._folder.glob("*-*.png"):
                number, _, digest = path.stem.partition("-")
                if number.isdecimal():
                    self._digests[int(number)] = digest
        kept = self._read(row, self._digests.get(row, ""))
        if kept is not None:
            return kept
        drawn = self._draw(row)
        if row in self._digests or len(self._digests) < MOST:
            self._digests[row] = digest = fingerprint.of_bytes(drawn)
            self._keep(self._path(row, digest), drawn)
        return drawn

    def _path(self, row: int, digest: str) -> Path:
        return self._folder / f"{row}-{digest}.png"

    def _read(self, row: int, digest: str) -> bytes | None:
        if not digest:
            return None
        try:
            content = self._path(row, digest).read_bytes()
        except OSError:  # unreadable is as good as damaged: drawn again
            return None
        return content if fingerprint.of_bytes(content) == digest else None

    def _keep(self, path: Path, content: bytes) -> None:
        """Writes the view whole or not at all; not flushed, because one that a power cut takes is drawn again."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, content, flushed=False)
