"""What is done to an input before the model sees it: scale, mean and deviation, size, channels, tokens, length."""

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects.datasets import limits

Channels = Literal["as stored", "first", "last", "none", "flat"]
Colour = Literal["as stored", "grey", "rgb", "bgr"]
Resample = Literal["nearest", "bilinear", "bicubic"]
Tokens = Literal["none", "bytes", "characters", "words"]
Padding = Literal["after", "before"]


@dataclass(frozen=True)
class Preprocessing:
    """Numbers become ``(value x scale - mean) / deviation``; pictures are first resized, recoloured and arranged.

    Attributes
    ----------
    scale : factor of every number, 1/255 for pictures from 0 to 1.
    mean, deviation : applied after scaling; none, one for all, or one per channel (or column) in the model's order.
    resize : (height, width) in pixels, or None. resample : how pixels are interpolated.
    colour : of pictures; "bgr" is OpenCV's order of red, green and blue.
    channels : the place of the channel axis: (C, H, W), (H, W, C), none (H, W), or flat (H x W x C numbers in a row).
    tokens : what a text is split into, each a whole number: its UTF-8 bytes, or characters or lower-case words by their
        place in the vocabulary; "none" gives the model the text itself.
    vocabulary : the tokens in the order of their numbers. unknown : number of any other token.
    length : numbers per text or sound, which is cut or padded to it; None if all have the same length.
    pad : the number to pad with. padding : the end to pad; "before" also cuts at the beginning, as Keras's
        pad_sequences does.

    >>> Preprocessing(scale=1 / 255).title
    'scale 0.00392157'
    """

    scale: float = 1.0
    mean: tuple[float, ...] = ()
    deviation: tuple[float, ...] = ()
    resize: tuple[int, int] | None = None
    resample: Resample = "bilinear"
    colour: Colour = "as stored"
    channels: Channels = "as stored"
    tokens: Tokens = "none"
    vocabulary: tuple[str, ...] = ()
    unknown: int = 1
    length: int | None = None
    pad: int = 0
    padding: Padding = "after"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.scale) and self.scale):
            raise _wrong("scale", self.scale, "a number other than 0, such as 1 or 1/255")
        if not np.isfinite(self.mean).all():
            raise _wrong("mean", self.mean, "numbers, one or one per channel")
        if not (np.isfinite(self.deviation).all() and all(number > 0 for number in self.deviation)):
            raise _wrong("deviation", self.deviation, "numbers above 0, one or one per channel")
        for name, kind in (
            *(("resample", Resample), ("colour", Colour), ("channels", Channels)),
            *(("tokens", Tokens), ("padding", Padding)),
        ):
            if getattr(self, name) not in get_args(kind):
                raise _wrong(name, getattr(self, name), f"one of {', '.join(get_args(kind))}")
        if self.resize is not None:
            _check_size(self.resize)
        if self.length is not None and not 1 <= self.length <= limits.MAX_VALUES:
            raise _wrong("length", self.length, f"a whole number from 1 to {spaced(limits.MAX_VALUES)}")
        if self.unknown < 0 or self.pad < 0:
            raise _wrong("unknown, pad", (self.unknown, self.pad), "whole numbers from 0 on")
        if self.tokens in ("characters", "words") and not self.vocabulary:
            raise _wrong("vocabulary", (), f"a list of the {self.tokens} in the order of their numbers")

    @property
    def is_identity(self) -> bool:
        """Whether no number is changed by scale, mean or deviation."""
        return self.scale == 1 and not self.mean and not self.deviation

    @property
    def fingerprint(self) -> str:
        """A digest of every setting."""
        return fingerprint.of_bytes(json.dumps(asdict(self), sort_keys=True).encode())

    @property
    def title(self) -> str:
        """What it does, in a few words; "as stored" if it does nothing."""
        standard = Preprocessing()
        said = []
        for name in ("scale", "mean", "deviation", "resize", "colour", "channels", "tokens", "length"):
            value = getattr(self, name)
            if value != getattr(standard, name):
                values = value if isinstance(value, tuple) else (value,)
                more = f" and {len(values) - 3} more" if len(values) > 4 else ""
                shown = values[:3] if more else values
                said.append(f"{name} {', '.join(v if isinstance(v, str) else f'{v:.6g}' for v in shown)}{more}")
        return "; ".join(said) or "as stored"


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
        raise _wrong("resize", size, f"height and width, at most {spaced(limits.MAX_PIXELS)} pixels in all")


def _wrong(name: str, found: object, expected: str) -> BadInput:
    return BadInput(f"The preprocessing says {name} = {found!r:.80}; expected {expected}. Correct it.")
