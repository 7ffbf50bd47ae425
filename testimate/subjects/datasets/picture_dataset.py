"""Pictures as a dataset, from an array or from encoded files: prepared for the model, shown as they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown, series_of
from testimate.subjects.datasets.file_rows import Contents
from testimate.subjects.datasets.pictures import PictureSize, decoded, shown_png
from testimate.subjects.datasets.pixels import laid_out, recoloured, resized, scaled
from testimate.subjects.datasets.preprocessing import Preprocessing, prepared_fingerprint
from testimate.subjects.datasets.row_checks import checked_row, checked_rows
from testimate.subjects.datasets.stored_array import StoredArray

Layout = Literal["none", "first", "last"]
SAMPLE = 200
"""Pictures sampled to find the range of their values."""

SERIES_SHAPE = 4
"""Numbers at least this many times longer than wide are lines, not a picture."""


class PictureSource(Protocol):
    """Pictures before any preparation.

    ``shape`` : (height, width, C) where all agree, else None. ``layout`` : where the channel axis is in the file.
    ``low``, ``high`` : black and white, for a person.
    """

    fingerprint: str
    shape: tuple[int, int, int] | None
    layout: Layout
    low: float
    high: float

    def __len__(self) -> int: ...

    def picture(self, row: int) -> NDArray[Any]:
        """One picture, (height, width, C)."""
        ...

    def stack(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Pictures of one size, (n, height, width, C)."""
        ...


class ArrayPictures:
    """The pictures of an array (N, H, W), (N, H, W, C) or (N, C, H, W); only the rows asked for are ever copied."""

    def __init__(self, stored: StoredArray) -> None:
        self._stored, self.fingerprint = stored, stored.fingerprint
        self.layout: Layout = _layout_of(stored.values.shape)
        one = self.stack(np.array([0]))[0]
        self.shape: tuple[int, int, int] | None = (one.shape[0], one.shape[1], one.shape[2])
        self.low, self.high = _black_and_white(stored.values)

    def __len__(self) -> int:
        return len(self._stored.values)

    def picture(self, row: int) -> NDArray[Any]:
        """One picture, (height, width, C)."""
        one: NDArray[Any] = self.stack(np.array([row]))[0]
        return one

    def stack(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, (n, height, width, C)."""
        values = self._stored.rows(rows)
        if self.layout == "none":
            return values[..., None]
        return np.moveaxis(values, 1, 3) if self.layout == "first" else values


class EncodedPictures:
    """Pictures in files, decoded on demand; ``sizes`` is what their headers said when they were opened."""

    layout: Layout = "last"
    low, high = 0.0, 255.0

    def __init__(self, contents: Contents, sizes: Sequence[PictureSize]) -> None:
        self._contents, self.fingerprint = contents, contents.fingerprint
        self._channels = 1 if all(size.grey for size in sizes) else 3
        first = sizes[0]
        same = all((size.height, size.width) == (first.height, first.width) for size in sizes)
        self.shape = (first.height, first.width, self._channels) if same else None

    def __len__(self) -> int:
        return len(self._contents)

    def picture(self, row: int) -> NDArray[Any]:
        """One picture, (height, width, C) uint8."""
        pixels = decoded(self._contents.read(row), self._contents.name(row))
        return pixels if pixels.shape[2] == self._channels else np.repeat(pixels, 3, axis=2)

    def stack(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, (n, height, width, C) uint8."""
        return np.stack([self.picture(int(row)) for row in rows])


@dataclass(frozen=True)
class Preview:
    """What a model gets of one input: the picture in its size and colours, the shape and the range of its numbers."""

    shown: Shown
    shape: tuple[int, ...]
    low: float
    high: float


class PictureDataset:
    """Pictures prepared for a model; row i is always the i-th of the source."""

    modality: Modality = "image"

    def __init__(self, source: PictureSource, preprocessing: Preprocessing) -> None:
        self.source, self.preprocessing = source, preprocessing
        self.content_fingerprint = source.fingerprint
        self.fingerprint = prepared_fingerprint(source.fingerprint, preprocessing)

    def __len__(self) -> int:
        return len(self.source)

    def with_preprocessing(self, preprocessing: Preprocessing) -> "PictureDataset":
        """The same pictures with another preprocessing."""
        return PictureDataset(self.source, preprocessing)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures as the model takes them, (len(rows), ...) float32, arranged as ``channels`` says."""
        rows = checked_rows(rows, len(self))
        shape, size = self.source.shape, self.preprocessing.resize
        if shape is None and size is None:
            raise BadInput(
                "The pictures are of different sizes; expected one size for the model. Choose a size to resize them to."
            )
        if len(rows) and size is not None and (shape is None or shape[:2] != size):
            stack = np.stack([resized(self.source.picture(int(row)), self.preprocessing) for row in rows])
        else:
            stack = self.source.stack(rows) if len(rows) else self.source.stack(np.array([0]))[:0]
        values = scaled(recoloured(stack, self.preprocessing.colour), self.preprocessing)
        channels = self.preprocessing.channels
        if channels == "as stored":
            channels = "last" if self.source.layout == "none" and values.shape[3] > 1 else self.source.layout
        return laid_out(values, channels)

    def show(self, row: int) -> Shown:
        """The picture as PNG, as it is stored; large ones smaller. A narrow (T, C) table of fractions is a series."""
        picture = self.source.picture(checked_row(row, len(self)))
        if self.source.layout == "none" and is_series(picture[..., 0]):
            return Shown(modality="image", series=series_of(picture[..., 0]))
        return Shown(modality="image", image=shown_png(self._visible(picture)))

    def preview(self, row: int) -> Preview:
        """What the model gets of this row."""
        given = self.batch(np.array([row]))[0]
        kept = replace(self.preprocessing, scale=1.0, mean=(), deviation=(), channels="last")
        picture = self.with_preprocessing(kept).batch(np.array([row]))[0]
        if self.preprocessing.colour == "bgr":  # shown to a person, so without the model's order of colours
            picture = picture[..., ::-1]
        shown = Shown(modality="image", image=shown_png(self._visible(picture)))
        return Preview(shown, given.shape, float(given.min()), float(given.max()))

    def _visible(self, picture: NDArray[Any]) -> NDArray[np.uint8]:
        """The (height, width, C) picture scaled from black to white, with 1 or 3 channels."""
        picture = picture if picture.shape[2] in (1, 3) else picture[..., : 3 if picture.shape[2] > 3 else 1]
        if picture.dtype == np.uint8:
            return np.ascontiguousarray(picture)
        with np.errstate(invalid="ignore"):
            grey = (picture.astype(np.float64) - self.source.low) * (255 / (self.source.high - self.source.low))
        visible: NDArray[np.uint8] = np.rint(np.nan_to_num(grey).clip(0, 255)).astype(np.uint8)
        return visible


def is_series(numbers: NDArray[Any]) -> bool:
    """Whether (T, C) numbers are several lines rather than a grey picture: far longer than wide, and not of bytes.

    >>> is_series(np.zeros((128, 9))), is_series(np.zeros((28, 28))), is_series(np.zeros((128, 9), np.uint8))
    (True, False, False)
    """
    return numbers.dtype != np.uint8 and len(numbers) >= SERIES_SHAPE * numbers.shape[1]


def _layout_of(shape: tuple[int, ...]) -> Layout:
    if len(shape) == 3:
        return "none"
    if len(shape) == 4 and shape[3] in (1, 3, 4):
        return "last"
    if len(shape) == 4 and shape[1] in (1, 3, 4):
        return "first"
    raise BadInput(
        f"The array has shape {shape}; expected (N, width), (N, H, W), (N, H, W, C) or (N, C, H, W) with 1, 3 or 4 "
        "channels. Reshape it."
    )


def _black_and_white(values: NDArray[Any]) -> tuple[float, float]:
    """The numbers to show as black and white: 0 to 1, -1 to 1 or 0 to 255 where they fit, else the least and largest."""
    if values.dtype == np.uint8:
        return 0.0, 255.0
    rows = np.unique(np.linspace(0, len(values) - 1, min(SAMPLE, len(values))).astype(np.intp))
    some = values[rows].astype(np.float64)
    finite = some[np.isfinite(some)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    for black, white in ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)):
        if black <= low and high <= white and (white < 255 or high > 1):
            return black, white
    return low, high if high > low else low + 1.0
