"""A dataset of pictures as it looks under a shift."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.subject import Dataset, Modality, Shown
from testimate.subjects.shifts import shifted_one


class ShiftedPictures:
    """Shows each picture of a dataset under a shift; it makes no batches for a model."""

    modality: Modality = "image"

    def __init__(self, dataset: Dataset, shift: str, severity: int, seed: int) -> None:
        if dataset.modality != "image":
            raise BadInput(
                f"The inputs are of the kind {dataset.modality}; only pictures can be shifted. Choose pictures."
            )
        self._dataset, self._shift, self._severity, self._seed = dataset, shift, severity, seed
        self.fingerprint = fingerprint.of_bytes(dataset.fingerprint.encode(), f"{shift} {severity} {seed}".encode())

    def __len__(self) -> int:
        return len(self._dataset)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Always BadInput: these pictures are only for people."""
        raise BadInput(
            f"{len(rows)} shifted inputs were asked for as a model takes them; only their looks are kept here."
        )

    def show(self, row: int) -> Shown:
        """The shifted picture as PNG."""
        with Image.open(io.BytesIO(self._dataset.show(row).image or b""), formats=["PNG"]) as opened:
            picture = np.asarray(opened.convert("L" if opened.mode in ("1", "L") else "RGB"))
        file = io.BytesIO()
        moved = shifted_one(picture, self._shift, self._severity, seed=self._seed, row=row)
        Image.fromarray(moved).save(file, "PNG")
        return Shown(modality="image", image=file.getvalue())
