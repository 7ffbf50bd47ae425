"""Printed letters as a dataset: the same small grey picture for the network and for the tester."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.demos.glyph_drawing import Glyphs
from testimate.demos.png import grey_png


class GlyphPictures:
    """The pictures of the ``glyphs``, drawn when they are asked for; ``fingerprint`` : of them all, as they are known to be."""

    modality: Modality = "image"

    def __init__(self, glyphs: Glyphs, fingerprint: str) -> None:
        self.glyphs, self.fingerprint = glyphs, fingerprint

    def __len__(self) -> int:
        return len(self.glyphs)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, (len(rows), 1, 28, 28) float32, 0 = paper to 1 = ink."""
        pictures = self.glyphs.drawn(np.asarray(rows))[:, None]
        return np.divide(pictures, np.float32(255), dtype=np.float32)

    def show(self, row: int) -> Shown:
        """The picture as PNG, dark ink on white paper, pixel for pixel; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}; expected one from 0 to {len(self) - 1}. Choose another.")
        (ink,) = self.glyphs.drawn(np.array([row]))
        return Shown(modality="image", image=grey_png(255 - ink))
