"""Pictures as a dataset, from an array or from encoded files: prepared for the model, shown as they are."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown, series_of
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.array_files import StoredArray
from testimate.datasets.preprocessing import Background, Channels, Color, Preprocessing, prepared_fingerprint
from testimate.datasets.rows import Contents, checked_row, checked_rows

FORMATS = ("PNG", "JPEG", "BMP", "WEBP")
ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
ENDS = {"JPEG": b"\xff\xd9", "PNG": b"IEND"}
"""The last bytes of complete pictures."""

TAIL = 4_096
ORIENTATION = 0x0112  # of EXIF 2.32, table 4
GRAY_MODES = ("1", "L", "LA", "I", "I;16", "I;16B", "I;16L")


@dataclass(frozen=True, slots=True)
class PictureSize:
    """Height and width in pixels as stored, and whether it is gray, rotated by its EXIF, or transparent somewhere.

    ``animated`` : whether it has several frames. ``largest`` : the largest number of a picture of 16 bits, else None.
    """

    height: int
    width: int
    gray: bool
    turned: bool = False
    transparent: bool = False
    animated: bool = False
    largest: int | None = None


def picture_size(content: bytes, name: str) -> PictureSize:
    """What the picture's header says; BadInput for another format, a truncated file, or more than ``limits.MAX_PIXELS``."""
    with _opened(content, name) as image:
        turned = image.format == "JPEG" and image.getexif().get(ORIENTATION, 1) != 1
        gray = image.mode in GRAY_MODES
        seen_through = has_alpha(image) and _lowest_alpha(image) < OPAQUE
        animated = getattr(image, "n_frames", 1) > 1
        largest = int(image.getextrema()[1]) if image.mode.startswith("I") else None
        size = PictureSize(image.height, image.width, gray, turned, seen_through, animated, largest)
        end = ENDS.get(image.format or "")
        if end is not None and end not in content[-TAIL:]:
            image.load()  # finds truncated files; a complete one ends with its mark and need not be unpacked
        return size


OPAQUE = 255
"""The alpha of what nothing is seen behind."""


def has_alpha(image: Any) -> bool:
    """Whether the picture can be transparent somewhere."""
    return image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info


def _lowest_alpha(image: Any) -> int:
    return int(image.convert("RGBA").getchannel("A").getextrema()[0])


def decoded(content: bytes, name: str, background: Background = "none") -> NDArray[np.uint8]:
    """The pixels, (height, width, 1) for a gray picture and (height, width, 3) for another.

    Transparent parts show the ``background``, or the colors that are stored there. For an animation it is the first frame.
    BadInput where the picture is damaged.
    """
    with _opened(content, name) as image:
        if background != "none" and has_alpha(image):
            gray = image.mode in GRAY_MODES
            behind = Image.new("RGBA", image.size, background)
            return _pixels(Image.alpha_composite(behind, image.convert("RGBA")).convert("L" if gray else "RGB"))
        if image.mode.startswith("I"):  # 16 bits; Pillow would clip them at 255
            return (np.asarray(image).astype(np.int64).clip(0, 65_535) // 257).astype(np.uint8)[:, :, None]
        if image.mode in GRAY_MODES:
            return _pixels(image.convert("L"))
        return _pixels(image.convert("RGB"))


def _pixels(image: Any) -> NDArray[np.uint8]:
    """The pixels of a gray or colored picture, (height, width, 1 or 3)."""
    pixels = np.asarray(image)
    return pixels[:, :, None] if pixels.ndim == 2 else pixels


def shown_png(pixels: NDArray[np.uint8]) -> bytes:
    """The (height, width, 1 or 3) picture as PNG, its longer side at most ``limits.SHOWN_SIDE``."""
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    image.thumbnail((limits.SHOWN_SIDE, limits.SHOWN_SIDE))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[Any]:
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > limits.MAX_PIXELS:
                raise _too_many_pixels(name, f"{commas(image.width)} x {commas(image.height)}")
            yield image
    except BadInput:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels(name, "far too many") from None
    except Exception as error:  # decoders fed with hostile bytes may raise anything
        raise BadInput(
            f"{name!r:.100} is not a readable picture ({type(error).__name__}). Expected a complete PNG, JPEG, BMP or WebP. "
            "Convert it or take it out."
        ) from error


def _too_many_pixels(name: str, count: str) -> BadInput:
    return BadInput(
        f"{name!r:.100} has {count} pixels. Expected at most {commas(limits.MAX_PIXELS)}. Make it smaller or take it out."
    )


FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}


def resized(picture: NDArray[Any], preprocessing: Preprocessing) -> NDArray[Any]:
    """The (height, width, C) picture in the requested size; uint8 stays uint8, others become float32."""
    if preprocessing.resize is None or picture.shape[:2] == preprocessing.resize:
        return picture
    height, width = preprocessing.resize
    kind = np.uint8 if picture.dtype == np.uint8 else np.float32
    channels = [np.ascontiguousarray(picture[:, :, place], dtype=kind) for place in range(picture.shape[2])]
    images = [Image.fromarray(c).resize((width, height), FILTERS[preprocessing.resample]) for c in channels]
    return np.stack([np.asarray(image) for image in images], axis=2)


def recolored(stack: NDArray[Any], color: Color) -> NDArray[Any]:
    """The (n, height, width, C) pictures in other colors; gray is Pillow's (ITU-R 601-2 luma)."""
    channels = stack.shape[3]
    if color == "as stored":
        return stack
    if color == "gray":
        return stack if channels == 1 else _luma(stack[..., :3])
    red_first = np.repeat(stack, 3, axis=3) if channels == 1 else stack[..., :3]
    return red_first[..., ::-1] if color == "bgr" else red_first


def _luma(stack: NDArray[Any]) -> NDArray[Any]:
    if stack.dtype == np.uint8:  # in whole numbers, as Pillow's convert("L")
        weighted = stack @ np.array([19_595, 38_470, 7_471], dtype=np.uint32)
        return ((weighted + 0x8000) >> 16).astype(np.uint8)[..., None]
    return (stack.astype(np.float32) @ np.array([0.299, 0.587, 0.114], dtype=np.float32))[..., None]


def scaled(values: NDArray[Any], preprocessing: Preprocessing) -> NDArray[np.float32]:
    """``(value x scale - mean) / deviation`` along the last axis, computed in float64 and rounded once to float32."""
    width = values.shape[-1]
    mean = _per_channel("mean", preprocessing.mean, width, 0.0)
    deviation = _per_channel("deviation", preprocessing.deviation, width, 1.0)
    if preprocessing.is_identity:
        return np.ascontiguousarray(values, dtype=np.float32)

    def computed(numbers: NDArray[Any]) -> NDArray[np.float32]:
        result: NDArray[np.float32] = ((numbers * preprocessing.scale - mean) / deviation).astype(np.float32)
        return result

    if values.dtype == np.uint8:
        return _looked_up(values, computed, width)
    all_of_them = np.empty(values.shape, dtype=np.float32)
    for place in range(len(values)):  # one input at a time, because float64 takes twice the memory
        all_of_them[place] = computed(values[place].astype(np.float64))
    return all_of_them


def _looked_up(
    values: NDArray[np.uint8], computed: Callable[[NDArray[Any]], NDArray[np.float32]], width: int
) -> NDArray[np.float32]:
    """The result for each of the 256 values is computed once and looked up for every pixel."""
    table = computed(np.repeat(np.arange(256.0)[:, None], width, axis=1))  # (256, C)
    if (table == table[:, :1]).all():
        return np.take(table[:, 0], values)  # three times as fast as table[values]
    return np.stack([np.take(table[:, place], values[..., place]) for place in range(width)], axis=-1)


def laid_out(stack: NDArray[np.float32], channels: Channels) -> NDArray[np.float32]:
    """The (n, height, width, C) pictures with the channel axis moved to where the model takes it, contiguous in memory."""
    if channels == "first":
        return np.ascontiguousarray(np.moveaxis(stack, 3, 1))
    if channels == "flat":
        return stack.reshape(len(stack), -1)
    if channels in ("none", "swapped"):
        if stack.shape[3] != 1:
            raise BadInput(
                f"The pictures have {stack.shape[3]} channels, and the model is to get none of them as an axis. "
                "Expected one. Make the pictures gray, or choose another order of channels."
            )
        return stack[..., 0] if channels == "none" else np.ascontiguousarray(stack[..., 0].swapaxes(1, 2))
    return stack


def _per_channel(name: str, numbers: tuple[float, ...], width: int, otherwise: float) -> NDArray[np.float64]:
    if len(numbers) not in (0, 1, width):
        raise BadInput(
            f"The preprocessing has {len(numbers)} numbers as {name} and the inputs have {width} channels. Expected "
            "one number, or one for each channel. Correct it."
        )
    return np.array(numbers or (otherwise,), dtype=np.float64)


Layout = Literal["none", "first", "last"]
SAMPLE = 200
"""Pictures sampled to find the range of their values."""

SERIES_SHAPE = 4
"""Numbers at least this many times longer than wide are lines, not a picture."""


class PictureSource(Protocol):
    """Pictures before any preparation.

    ``shape`` : (height, width, C) where all agree, else None. ``layout`` : where the channel axis is in the file.
    ``low``, ``high`` : black and white, for a person. ``transparent`` : how many of them are transparent somewhere.
    ``largest`` : the largest number of those of 16 bits in files, None without such. ``measured`` : whether they are (H, W)
    numbers but no bytes, such as lines of a sensor or a spectrogram.
    """

    fingerprint: str
    shape: tuple[int, int, int] | None
    layout: Layout
    low: float
    high: float
    transparent: int
    largest: int | None
    measured: bool

    def __len__(self) -> int: ...

    def on(self, background: Background, /) -> "PictureSource":
        """The same pictures with this behind their transparent parts."""
        ...

    def picture(self, row: int) -> NDArray[Any]:
        """One picture, (height, width, C)."""
        ...

    def stack(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Pictures of one size, (n, height, width, C)."""
        ...

    def digests(self) -> Iterator[bytes]:
        """A digest of each picture as it is stored."""
        ...


class ArrayPictures:
    """The pictures of an array (N, H, W), (N, H, W, C) or (N, C, H, W); only the rows asked for are ever copied."""

    transparent = 0
    largest: int | None = None

    def __init__(self, stored: StoredArray) -> None:
        self._stored, self.fingerprint = stored, stored.fingerprint
        self.layout: Layout = _layout_of(stored.values.shape)
        one = self.stack(np.array([0]))[0]
        self.shape: tuple[int, int, int] | None = (one.shape[0], one.shape[1], one.shape[2])
        self.low, self.high = _black_and_white(stored.values)
        self.measured = self.layout == "none" and stored.values.dtype != np.uint8

    def __len__(self) -> int:
        return len(self._stored.values)

    def on(self, _: Background) -> "ArrayPictures":
        """The same pictures: nothing says that a channel of an array is transparency."""
        return self

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

    def digests(self) -> Iterator[bytes]:
        """A digest of each picture's numbers."""
        return self._stored.digests()


class EncodedPictures:
    """Pictures in files, decoded on demand; ``sizes`` is what their headers said when they were opened."""

    layout: Layout = "last"
    low, high = 0.0, 255.0
    measured = False

    def __init__(self, contents: Contents, sizes: Sequence[PictureSize], background: Background = "none") -> None:
        self._contents, self.fingerprint = contents, contents.fingerprint
        self._sizes, self._background = sizes, background
        self.transparent = sum(size.transparent for size in sizes)
        self.largest = max((size.largest for size in sizes if size.largest is not None), default=None)
        self._channels = 1 if all(size.gray for size in sizes) else 3
        first = sizes[0]
        same = all((size.height, size.width) == (first.height, first.width) for size in sizes)
        self.shape = (first.height, first.width, self._channels) if same else None

    def __len__(self) -> int:
        return len(self._contents)

    def on(self, background: Background) -> "EncodedPictures":
        """The same pictures with this behind their transparent parts."""
        if background == self._background or not self.transparent:
            return self
        return EncodedPictures(self._contents, self._sizes, background)

    def picture(self, row: int) -> NDArray[Any]:
        """One picture, (height, width, C) uint8."""
        pixels = decoded(self._contents.read(row), self._contents.name(row), self._background)
        return pixels if pixels.shape[2] == self._channels else np.repeat(pixels, 3, axis=2)

    def stack(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures of these rows, (n, height, width, C) uint8."""
        return np.stack([self.picture(int(row)) for row in rows])

    def digests(self) -> Iterator[bytes]:
        """A digest of each picture's file."""
        return self._contents.digests()


@dataclass(frozen=True)
class Preview:
    """What a model gets of one input: the picture in its size and colors, the shape and the range of its numbers."""

    shown: Shown
    shape: tuple[int, ...]
    low: float
    high: float


SEEN_ON: Background = "white"
"""What a person sees behind the transparent parts of a picture."""


class PictureDataset:
    """Pictures prepared for a model; row i is always the i-th of the source."""

    modality: Modality = "image"

    def __init__(self, source: PictureSource, preprocessing: Preprocessing) -> None:
        self.source, self.preprocessing = source.on(preprocessing.background), preprocessing
        self.content_fingerprint = source.fingerprint
        self.fingerprint = prepared_fingerprint(source.fingerprint, preprocessing)

    def __len__(self) -> int:
        return len(self.source)

    def with_preprocessing(self, preprocessing: Preprocessing) -> "PictureDataset":
        """The same pictures with another preprocessing."""
        return PictureDataset(self.source, preprocessing)

    def digests(self) -> Iterator[bytes]:
        """A digest of each picture as it is stored."""
        return self.source.digests()

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The pictures as the model takes them, (len(rows), ...) float32, arranged as ``channels`` says."""
        rows = checked_rows(rows, len(self))
        shape, size = self.source.shape, self.preprocessing.resize
        if shape is None and size is None:
            raise BadInput(
                "The pictures are of different sizes. Expected one size for the model. Choose a size to resize them to."
            )
        if len(rows) and size is not None and (shape is None or shape[:2] != size):
            stack = np.stack([resized(self.source.picture(int(row)), self.preprocessing) for row in rows])
        else:
            stack = self.source.stack(rows) if len(rows) else self.source.stack(np.array([0]))[:0]
        values = scaled(recolored(stack, self.preprocessing.color), self.preprocessing)
        channels = self.preprocessing.channels
        if channels == "as stored":
            channels = "last" if self.source.layout == "none" and values.shape[3] > 1 else self.source.layout
        return laid_out(values, channels)

    def show(self, row: int) -> Shown:
        """The picture as PNG, as it is stored; large ones smaller. A narrow (T, C) table of fractions is a series.

        Transparent parts show the background of the preprocessing, white if it has none.
        """
        source = self.source.on(SEEN_ON if self.preprocessing.background == "none" else self.preprocessing.background)
        picture = source.picture(checked_row(row, len(self)))
        if self.source.layout == "none" and is_series(picture[..., 0]):
            return Shown(modality="image", series=series_of(picture[..., 0]))
        return Shown(modality="image", image=shown_png(self._visible(picture)))

    def preview(self, row: int) -> Preview:
        """What the model gets of this row."""
        given = self.batch(np.array([row]))[0]
        kept = replace(self.preprocessing, scale=1.0, mean=(), deviation=(), channels="last")
        picture = self.with_preprocessing(kept).batch(np.array([row]))[0]
        if self.preprocessing.color == "bgr":  # shown to a person, so without the model's order of colors
            picture = picture[..., ::-1]
        shown = Shown(modality="image", image=shown_png(self._visible(picture)))
        return Preview(shown, given.shape, float(given.min()), float(given.max()))

    def _visible(self, picture: NDArray[Any]) -> NDArray[np.uint8]:
        """The (height, width, C) picture scaled from black to white, with 1 or 3 channels."""
        picture = picture if picture.shape[2] in (1, 3) else picture[..., : 3 if picture.shape[2] > 3 else 1]
        if picture.dtype == np.uint8:
            return np.ascontiguousarray(picture)
        with np.errstate(invalid="ignore"):
            gray = (picture.astype(np.float64) - self.source.low) * (255 / (self.source.high - self.source.low))
        visible: NDArray[np.uint8] = np.rint(np.nan_to_num(gray).clip(0, 255)).astype(np.uint8)
        return visible


def is_series(numbers: NDArray[Any]) -> bool:
    """Whether (T, C) numbers are several lines rather than a gray picture: far longer than wide, and not of bytes.

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
        f"The array has shape {shape}. Expected (N, width), (N, H, W), (N, H, W, C) or (N, C, H, W) with 1, 3 or 4 "
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
