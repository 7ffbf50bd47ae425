"""What is done to an input before the model sees it: scale, mean and deviation, size, channels, tokens, length.

Reads a model's preprocessing from the small TOML file beside it.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from testimate.core import fingerprint
from testimate.core.checks import is_number, is_whole
from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.folders import small_text

Channels = Literal["as stored", "first", "last", "none", "flat", "swapped"]
Color = Literal["as stored", "gray", "rgb", "bgr"]
Resample = Literal["nearest", "bilinear", "bicubic"]
Tokens = Literal["none", "bytes", "characters", "words"]
Padding = Literal["after", "before"]
Background = Literal["none", "white", "black"]

MAX_RATE = 1_000_000
"""Samples per second."""

LATER: Mapping[str, object] = {"rate": None, "background": "none"}
"""Settings that the first fingerprints did not have, and their value if they are not set."""

STORED_AS: Mapping[str, str] = {"color": "colour", "gray": "grey"}
"""Words that are stored, and part of every fingerprint, in the spelling of the first versions."""

SPELLED_NOW: Mapping[str, str] = {stored: now for now, stored in STORED_AS.items()}


@dataclass(frozen=True)
class Preprocessing:
    """Numbers become ``(value x scale - mean) / deviation``; pictures are first resized, recolored and arranged.

    Attributes
    ----------
    scale : factor of every number, 1/255 for pictures from 0 to 1.
    mean, deviation : applied after scaling; none, one for all, or one per channel (or column) in the model's order.
    resize : (height, width) in pixels, or None. resample : how pixels are interpolated.
    color : of pictures; "bgr" is OpenCV's order of red, green and blue.
    channels : the place of the channel axis: (C, H, W), (H, W, C), none (H, W), flat (H x W x C numbers in a row), or none with
        both axes swapped (W, H), as for lines that a model takes channels first.
    tokens : what a text is split into, each a whole number: its UTF-8 bytes, or characters or lower-case words by their
        place in the vocabulary; "none" gives the model the text itself.
    vocabulary : the tokens in the order of their numbers. unknown : number of any other token.
    length : numbers per text or sound, which is cut or padded to it; None if all have the same length.
    pad : the number to pad with. padding : the end to pad; "before" also cuts at the beginning, as Keras's
        pad_sequences does.
    rate : samples per second that a sound is brought to before it is cut or padded; None for its own.
    background : what stands behind the transparent parts of a picture; "none" takes the colors as they are stored there.

    >>> Preprocessing(scale=1 / 255).title
    'scale 0.00392157'
    """

    scale: float = 1.0
    mean: tuple[float, ...] = ()
    deviation: tuple[float, ...] = ()
    resize: tuple[int, int] | None = None
    resample: Resample = "bilinear"
    color: Color = "as stored"
    channels: Channels = "as stored"
    tokens: Tokens = "none"
    vocabulary: tuple[str, ...] = ()
    unknown: int = 1
    length: int | None = None
    pad: int = 0
    padding: Padding = "after"
    rate: int | None = None
    background: Background = "none"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.scale) and self.scale):
            raise _wrong("scale", self.scale, "a number other than 0, such as 1 or 1/255")
        if not np.isfinite(self.mean).all():
            raise _wrong("mean", self.mean, "numbers, one or one per channel")
        if not (np.isfinite(self.deviation).all() and all(number > 0 for number in self.deviation)):
            raise _wrong("deviation", self.deviation, "numbers above 0, one or one per channel")
        for name, kind in (
            *(("resample", Resample), ("color", Color), ("channels", Channels)),
            *(("tokens", Tokens), ("padding", Padding), ("background", Background)),
        ):
            if getattr(self, name) not in get_args(kind):
                raise _wrong(name, getattr(self, name), f"one of {', '.join(get_args(kind))}")
        if self.resize is not None:
            _check_size(self.resize)
        if self.length is not None and not 1 <= self.length <= limits.MAX_VALUES:
            raise _wrong("length", self.length, f"a whole number from 1 to {commas(limits.MAX_VALUES)}")
        if self.rate is not None and not 1 <= self.rate <= MAX_RATE:
            raise _wrong("rate", self.rate, f"a whole number from 1 to {commas(MAX_RATE)}")
        if self.unknown < 0 or self.pad < 0:
            raise _wrong("unknown, pad", (self.unknown, self.pad), "whole numbers from 0 on")
        if self.tokens in ("characters", "words") and not self.vocabulary:
            raise _wrong("vocabulary", (), f"a list of the {self.tokens} in the order of their numbers")

    @property
    def is_identity(self) -> bool:
        """Whether no number is changed by scale, mean or deviation."""
        return self.scale == 1 and not self.mean and not self.deviation

    def as_stored(self) -> dict[str, Any]:
        """Every setting by the name, and with the value, that it is stored as."""
        settings = {**asdict(self), "color": STORED_AS.get(self.color, self.color)}
        return {STORED_AS.get(name, name): value for name, value in settings.items()}

    @property
    def fingerprint(self) -> str:
        """A digest of every setting; those of ``LATER`` leave it as it was before there were any, unless they are set."""
        settings = {
            name: value for name, value in self.as_stored().items() if name not in LATER or value != LATER[name]
        }
        return fingerprint.of_bytes(json.dumps(settings, sort_keys=True).encode())

    @property
    def title(self) -> str:
        """What it does, in a few words; "as stored" if it does nothing."""
        standard = Preprocessing()
        said = []
        for name in (
            "scale",
            "mean",
            "deviation",
            "resize",
            "background",
            "color",
            "channels",
            "tokens",
            "rate",
            "length",
        ):
            value = getattr(self, name)
            if value != getattr(standard, name):
                values = value if isinstance(value, tuple) else (value,)
                more = f" and {len(values) - 3} more" if len(values) > 4 else ""
                shown = values[:3] if more else values
                said.append(f"{name} {', '.join(v if isinstance(v, str) else f'{v:.6g}' for v in shown)}{more}")
        return "; ".join(said) or "as stored"


def spelled_now(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that were stored, or written into a file, by the names and with the words of today."""
    now = {SPELLED_NOW.get(name, name): value for name, value in settings.items()}
    return now | {"color": SPELLED_NOW.get(now["color"], now["color"])} if isinstance(now.get("color"), str) else now


def listed(numbers: tuple[float, ...]) -> str:
    """Numbers as a person reads and types them."""
    return ", ".join(f"{number:.10g}" for number in numbers)


def as_fraction(number: float) -> str:
    """A number as a person reads and types it, a simple fraction where it is exactly one.

    >>> as_fraction(1 / 255), as_fraction(2 / 255), as_fraction(0.5), as_fraction(1.0), as_fraction(0.0123)
    ('1/255', '2/255', '1/2', '1', '0.0123')
    """
    simple = Fraction(number).limit_denominator(1_000)
    if simple and simple.numerator / simple.denominator == number and simple.numerator <= 10:
        return str(simple)
    return f"{number:.10g}"


def numbers_in(text: str, name: str) -> tuple[float, ...]:
    """The numbers in a text such as "0.5, 0.5, 0.5"; BadInput where one is not a number."""
    try:
        return tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError:
        raise BadInput(f"Expected numbers such as 0.5, 0.5, 0.5 as the {name}, got {text!r:.60}. Correct it.") from None


def number_in(text: str) -> float:
    """The value of a number or of a fraction; BadInput where the text is neither."""
    over, _, under = text.partition("/")
    try:
        return float(over) / float(under or "1")
    except (ValueError, ZeroDivisionError):
        raise BadInput(f"Expected a number such as 1/255 as the scale, got {text!r:.60}. Correct it.") from None


def prepared_fingerprint(content: str, preprocessing: Preprocessing) -> str:
    """The fingerprint of a content with this preprocessing."""
    return fingerprint.of_bytes(content.encode(), preprocessing.fingerprint.encode())


def _check_size(size: tuple[int, int]) -> None:
    if (
        len(size) != 2
        or not all(1 <= side <= limits.MAX_SIDE for side in size)
        or size[0] * size[1] > limits.MAX_PIXELS
    ):
        raise _wrong("resize", size, f"height and width, at most {commas(limits.MAX_PIXELS)} pixels in all")


def _wrong(name: str, found: object, expected: str) -> BadInput:
    return BadInput(f"The preprocessing says {name} = {found!r:.80}. Expected {expected}. Correct it.")


NUMBERS = {"scale": float, "length": int, "rate": int, "unknown": int, "pad": int}
MOST = 1e30
WORDS = ("resample", "color", "channels", "tokens", "padding", "background")
EXAMPLE = 'scale = "1/255"'


def preprocessing_beside(model: Path) -> tuple[Preprocessing, str] | None:
    """The preprocessing in the model's own TOML (LeNet-5.toml beside LeNet-5.h5), else in the folder's model.toml, else None.

    The second value is the name of the file.
    """
    if not model.name:  # a current folder; opening the model refuses it
        return None
    for path in (model.with_suffix(".toml"), model.with_name("model.toml")):
        if path.is_file() and path != model:
            found = read_preprocessing(path)
            if found is not None:
                return found, path.name
    return None


PROCESSOR = "preprocessor_config.json"
"""Where an image processor of transformers says how pictures are prepared, beside the model."""

PIXEL = 1 / 255
RESAMPLES: Mapping[object, Resample] = {0: "nearest", 2: "bilinear", 3: "bicubic"}
"""Pillow's numbers of filters."""


def processor_beside(model: Path) -> Preprocessing | None:
    """The preprocessing of pictures from 0 to 255 that an image processor's file beside a model, or in its folder, says.

    None without one, and where it says what cannot be done here: to cut out the middle, or to resize the shorter side.
    """
    folder = model if model.is_dir() else model.parent
    path = folder / PROCESSOR
    if not model.name or not path.is_file():
        return None
    try:
        said = json.loads(small_text(path, limits.MAX_SETTINGS_BYTES))
        if not isinstance(said, dict) or "image_mean" not in said or said.get("do_center_crop", False):
            return None
        resize = _size_of_processor(said["size"]) if said.get("do_resize", "size" in said) else None
        normal = said.get("do_normalize", True)
        scale = float(said.get("rescale_factor", PIXEL)) if said.get("do_rescale", True) else 1.0
        mean, deviation = (tuple(map(float, said[name])) if normal else () for name in ("image_mean", "image_std"))
        resample = RESAMPLES[said.get("resample", 2)]
        return Preprocessing(scale=scale, mean=mean, deviation=deviation, resize=resize, resample=resample)
    except (BadInput, ValueError, KeyError, TypeError, RecursionError):  # another layout
        return None


def _size_of_processor(size: Any) -> tuple[int, int]:
    """Height and width; KeyError where only one side is given."""
    return (int(size["height"]), int(size["width"])) if isinstance(size, dict) else (int(size), int(size))


def read_preprocessing(path: Path) -> Preprocessing | None:
    """The preprocessing in the file's table [preprocessing], None if it has none; other tables are ignored.

    The keys are those of `Preprocessing`; ``scale`` may be a fraction in quotation marks, ``mean`` and ``deviation`` a
    number or a list, ``vocabulary`` the name of a text file beside the TOML, one token per line.

    Raises
    ------
    BadInput : not a TOML file, an unknown key, or an impossible value.
    """
    try:
        read = tomllib.loads(small_text(path, limits.MAX_SETTINGS_BYTES))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(
            f"{path.name!r:.100} is not valid TOML ({error!s:.100}). Expected lines like {EXAMPLE}. Correct it."
        ) from error
    table = read.get("preprocessing")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise BadInput(f"{path.name!r:.100} says preprocessing = .... Expected a table [preprocessing]. Correct it.")
    return Preprocessing(**{key: _value(path, key, value) for key, value in spelled_now(table).items()})


def _value(path: Path, key: str, value: Any) -> Any:
    if key == "scale" and isinstance(value, str):
        return _fraction(path, value)
    if key in NUMBERS and is_number(value, -MOST, MOST) and float(value) == NUMBERS[key](value):
        return NUMBERS[key](value)
    if key in WORDS and isinstance(value, str):
        return value
    if key in ("mean", "deviation"):
        numbers = value if isinstance(value, list) else [value]
        if all(is_number(number, -MOST, MOST) for number in numbers):
            return tuple(float(number) for number in numbers)
    if key == "resize" and isinstance(value, list) and len(value) == 2 and all(map(is_whole, value)):
        return tuple(value)
    if key == "vocabulary" and isinstance(value, str):
        return _vocabulary(path, value)
    known = ", ".join((*NUMBERS, *WORDS, "mean", "deviation", "resize", "vocabulary"))
    raise BadInput(
        f"{path.name!r:.100} says {key!r:.40} = {value!r:.60} under [preprocessing]. Expected one of {known}, for example "
        f"{EXAMPLE}. Correct it."
    )


def _fraction(path: Path, text: str) -> float:
    match = re.fullmatch(r"\s*([0-9.]{1,20})\s*/\s*([0-9.]{1,20})\s*", text)
    try:
        if match is not None:
            return float(match.group(1)) / float(match.group(2))
    except (ValueError, ZeroDivisionError):
        pass  # refused below
    raise BadInput(f"{path.name!r:.100} says scale = {text!r:.40}. Expected a number or {EXAMPLE}. Correct it.")


def _vocabulary(path: Path, name: str) -> tuple[str, ...]:
    if Path(name).name != name:
        raise BadInput(
            f"{path.name!r:.100} names the vocabulary {name!r:.60}. Expected the name of a file beside it, without a "
            "folder. Put it there."
        )
    return tuple(small_text(path.with_name(name), limits.MAX_VOCABULARY_BYTES).splitlines())
