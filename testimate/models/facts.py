"""What is known about a model once it is open.

What a model's output means, and the probabilities made from it.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.stored_record import Text, TextByName, Texts
from testimate.models import bounds

OutputKind = Literal[
    "probabilities",
    "log-probabilities",
    "logits",
    "one probability",
    "one logit",
    "several probabilities",
    "several logits",
    "predicted class",
    "numbers",
]
"""One class per input: probabilities, their logarithms, logits; of two classes one probability or logit; of a
multi-label task one probability or logit per label; the number of the predicted class alone; numbers are a regression."""

WITHOUT_CHANCES = ("predicted class", "numbers")
"""Outputs from which no probabilities follow; their role is OUT."""

Closing = Literal["softmax", "log-softmax", "sigmoid"]
"""The operation that a model ends with, if it is known."""

OUTPUT_KINDS: tuple[OutputKind, ...] = get_args(OutputKind)
Values = NDArray[np.float32]

_SUM_TOLERANCE = 1e-3  # of float16 models, too
ROUNDED = 1e-6
"""How far below 0 the sum of a forest's trees may put a probability that is 0."""


CERTAIN, MOST_CERTAIN = 0.9999, 0.95
"""A confidence that hardly occurs, and the share of the inputs beyond which that many are unusual."""


def judge_output(
    output: Values, *, closing: Closing | None = None, logits: Values | None = None, whole: bool = False
) -> OutputKind:
    """What the outputs (n, width) of a few inputs mean.

    The closing operation decides if it is known; else the values do: rows that sum to 1, rows whose exponentials do,
    sigmoids of the ``logits`` (n, width), or other values from 0 to 1 computed from these. A single column that is not
    a sigmoid is a number, because a lone logit looks like one; several columns of any other kind are logits. ``whole`` :
    the model gives whole numbers by their type; a single one from 0 on is that of the predicted class.

    >>> judge_output(np.array([[0.25, 0.75], [0.5, 0.5]], dtype=np.float32))
    'probabilities'
    >>> judge_output(np.array([[0.9, 0.8], [0.1, 0.3]], dtype=np.float32), closing="sigmoid")
    'several probabilities'

    Raises
    ------
    BadInput : a softmax over a single column, which is always 1.
    """
    wide = output.astype(np.float64)
    sigmoid = closing == "sigmoid" or (closing is None and _is_sigmoid_of(wide, logits))
    if wide.shape[1] == 1:
        if closing in ("softmax", "log-softmax"):
            raise BadInput(
                "The model applies softmax to a single output, which then always says 1. Expected two outputs or a "
                "sigmoid. Replace the softmax by a sigmoid."
            )
        if whole and (wide >= 0).all():
            return "predicted class"
        return "one probability" if sigmoid else "numbers"
    if closing in ("softmax", "log-softmax"):
        return "probabilities" if closing == "softmax" else "log-probabilities"
    if sigmoid:
        return "several probabilities"
    if (wide >= -ROUNDED).all() and _sums_to_one(wide):
        return "probabilities"
    if (wide <= 0).all() and _sums_to_one(np.exp(wide)):
        return "log-probabilities"
    own_word = logits is not None and np.array_equal(logits, output)
    if not own_word and ((wide >= 0) & (wide <= 1)).all():
        return "several probabilities"
    return "logits"


def to_probabilities(output: Values, kind: OutputKind) -> Values:
    """Probabilities (n, C) of the outputs (n, width) of that kind; softmax is applied only to logits.

    Raises BadInput for numbers and for a predicted class, which have none.
    """
    if kind in ("probabilities", "several probabilities"):
        below = (output < 0) & (output >= -ROUNDED)
        return np.where(below, np.float32(0), output) if below.any() else output
    if kind == "log-probabilities":
        return np.exp(output)
    if kind == "logits":
        weights = np.exp(output - output.max(axis=1, keepdims=True))
        softmax: Values = weights / weights.sum(axis=1, keepdims=True)
        return softmax
    if kind == "one probability":
        return np.hstack([1 - output, output])
    if kind == "one logit":
        return np.hstack([_sigmoid(-output), _sigmoid(output)])
    if kind == "several logits":
        return _sigmoid(output)
    raise BadInput("The model's output is a number, not a probability. Expected classes. Treat it as a regression.")


def two_sided(logit: Values) -> Values:
    """One logit (n, 1) as those of two classes (n, 2), whose softmax is its sigmoid."""
    return np.hstack([np.zeros_like(logit), logit])


def check_output_kind(kind: str, width: int) -> OutputKind:
    """The kind, if outputs of that width can be of it; BadInput otherwise."""
    for known in OUTPUT_KINDS:
        if known == kind and _fits_width(known, width):
            return known
    raise BadInput(
        f"The model's {width} outputs per input cannot be {kind!r:.40}. Expected one of "
        f"{', '.join(known for known in OUTPUT_KINDS if _fits_width(known, width))}. "
        "Choose one of these."
    )


def _fits_width(kind: OutputKind, width: int) -> bool:
    if kind == "numbers":
        return True
    return (kind == "predicted class" or kind.startswith("one ")) == (width == 1)


def _is_sigmoid_of(output: NDArray[np.float64], logits: Values | None) -> bool:
    if logits is None or logits.shape != output.shape or np.array_equal(output, logits):
        return False
    return np.allclose(output, _sigmoid(logits.astype(np.float64)), rtol=1e-3, atol=1e-5)


def _sums_to_one(rows: NDArray[np.float64]) -> bool:
    return bool((np.abs(rows.sum(axis=1) - 1) <= _SUM_TOLERANCE).all())


def _sigmoid(values: NDArray[np.floating]) -> NDArray[np.floating]:
    halves: NDArray[np.floating] = 0.5 * (1 + np.tanh(0.5 * values))  # never overflows
    return halves


Channels = Literal["first", "last"]
PictureRange = Literal["0 to 255", "0 to 1"]


@dataclass(frozen=True)
class ModelFacts:
    """A model's size, layers and behavior, for a screen. Its process ran an untrusted file, so each fact has its bounds.

    Attributes
    ----------
    parameters : numbers it has learned. layers : those whose outputs can be read, in the order in which they run;
        untrusted text. roles : the layer in the role of ORI, FL, LHL, logits, CON or (regression) OUT. widths : numbers
        per input, by role.
    input_shape : of one input, None for a variable length. input_type : numpy's name, such as "float32"; whole numbers
        for token ids, "str" for texts. masks : whether it takes a mask with the token ids. channels : the place of the
        channels in the input shape, None if it is not a picture's.
    output : what the model's output means. classes : how many, or labels; 0 for a regression. class_names : those
        listed in the file, in the order of the outputs; untrusted text, empty if it lists none.
    columns : names of the columns it takes, in order; empty if it takes an array. notes : sentences on what was chosen
        in it and what it lacks; untrusted text.
    own_range : the range of pictures' numbers, if the model's first layers scale them; else None.
    """

    parameters: bounds.Count
    layers: Texts
    roles: TextByName
    widths: bounds.Widths
    input_shape: bounds.Shape
    input_type: Text
    channels: Channels | None
    output: OutputKind
    classes: bounds.ClassCount
    class_names: Texts = ()
    own_range: PictureRange | None = None
    columns: Texts = ()
    notes: Texts = ()
    masks: bool = False

    def __post_init__(self) -> None:
        if not set(self.roles.values()) <= set(self.layers) or not set(self.widths) <= set(self.roles):
            raise ValueError(f"the roles {dict(self.roles)!r:.80} are of other layers")
        if self.widths.get("CON", self.classes) != self.classes:
            raise ValueError(f"classes is {self.classes} and as many probabilities are {self.widths['CON']}")

    @property
    def takes_texts(self) -> bool:
        """Whether the model takes texts as they are."""
        return self.input_type == "str"

    def to_json(self) -> dict[str, Any]:
        """The facts as plain JSON values."""
        return asdict(self)


def channels_of(shape: tuple[int | None, ...], default: Channels) -> Channels | None:
    """The end at which a shape of three axes has its channels, one to four of them; ``default`` if both could be.

    >>> channels_of((28, 28, 1), "first"), channels_of((3, 32, 32), "last"), channels_of((10,), "last")
    ('last', 'first', None)
    """
    if len(shape) != 3:
        return None
    first, last = (size in (1, 2, 3, 4) for size in (shape[0], shape[2]))
    if first and last:
        return default
    return "first" if first else "last" if last else None
