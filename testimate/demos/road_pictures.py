"""Road scenes as a dataset: a small grey picture for the network, a large one with a ruler for the tester."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.demos.road_drawing import draw, grey
from testimate.demos.road_ruler import ruled_png
from testimate.demos.road_scenes import Scenes
from testimate.demos.view_cache import KeptViews

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
        pictures = grey(draw(self.scenes[np.asarray(rows)], HEIGHT))[:, None, CUT:]
        return np.divide(pictures, np.float32(255), dtype=np.float32)

    def show(self, row: int) -> Shown:
        """The whole view in colour, with a ruler of angles; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}; expected one from 0 to {len(self) - 1}. Choose another.")
        return Shown(modality="image", image=self._png(int(row)))

    def _drawn(self, row: int) -> bytes:
        (picture,) = draw(self.scenes[np.array([row])], SHOWN_HEIGHT)
        return ruled_png(picture)
