"""Small grey pictures as a dataset, such as those of the demos."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.subjects.png import grey_png


class GreyPictures:
    """``images`` (N, height, width) float32, 0 = paper to 1 = ink."""

    modality: Modality = "image"

    def __init__(self, images: NDArray[np.float32]) -> None:
        self._images = images
        self.fingerprint = fingerprint.of_array(images)

    def __len__(self) -> int:
        return len(self._images)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows with one channel, (len(rows), 1, height, width) float32."""
        return self._images[rows][:, None]

    def show(self, row: int) -> Shown:
        """The picture as PNG, dark ink on white paper, pixel for pixel; BadInput where there is no such row."""
        if not 0 <= row < len(self):
            raise BadInput(f"There is no row {row}; needed is one from 0 to {len(self) - 1}. Choose another.")
        grey = np.rint(255 * (1 - self._images[row])).astype(np.uint8)
        return Shown(modality="image", image=grey_png(grey))
