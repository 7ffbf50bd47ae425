"""What is known about a model once it is open."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from testimate.subjects.models.outputs import OUTPUT_KINDS, OutputKind

Channels = Literal["first", "last"]
PictureRange = Literal["0 to 255", "0 to 1"]


@dataclass(frozen=True)
class ModelFacts:
    """A model's size, layers and behaviour, for a screen.

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

    parameters: int
    layers: tuple[str, ...]
    roles: Mapping[str, str]
    widths: Mapping[str, int]
    input_shape: tuple[int | None, ...]
    input_type: str
    channels: Channels | None
    output: OutputKind
    classes: int
    class_names: tuple[str, ...] = ()
    own_range: PictureRange | None = None
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    masks: bool = False

    @property
    def takes_texts(self) -> bool:
        """Whether the model takes texts as they are."""
        return self.input_type == "str"

    def to_json(self) -> dict[str, Any]:
        """The facts as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "ModelFacts":
        """The facts from ``to_json``; ValueError where one of them is impossible."""
        lists = ("layers", "input_shape", "class_names", "columns", "notes")
        for name, can_be in POSSIBLE.items():
            if name in said and not can_be(said[name]):
                raise ValueError(f"{name} is {said[name]!r:.80}")
        try:
            facts = cls(**{**said, **{name: tuple(said.get(name, ())) for name in lists}})
        except TypeError as error:  # a fact is missing, or there is an unknown one
            raise ValueError(str(error)) from error
        if not set(facts.roles.values()) <= set(facts.layers) or not set(facts.widths) <= set(facts.roles):
            raise ValueError(f"the roles {dict(facts.roles)!r:.80} are of other layers")
        return facts


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def _lists(of: Callable[[object], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and len(value) <= MOST_LISTED and all(map(of, value))


def _maps(to: Callable[[object], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, dict)
        and len(value) <= MOST_LISTED
        and all(map(_is_text, value))
        and all(map(to, value.values()))
    )


def _one_of(*values: object) -> Callable[[Any], bool]:
    return lambda value: any(value is one or (isinstance(value, str) and value == one) for one in values)


MOST_LISTED = 100_000
"""Layers, classes or columns of a model; no real model has as many."""

POSSIBLE: Mapping[str, Callable[[Any], bool]] = {
    "parameters": _is_count,
    "layers": _lists(_is_text),
    "roles": _maps(_is_text),
    "widths": _maps(_is_count),
    "input_shape": _lists(lambda size: size is None or _is_count(size)),
    "input_type": _is_text,
    "channels": _one_of(None, *get_args(Channels)),
    "output": _one_of(*OUTPUT_KINDS),
    "classes": _is_count,
    "class_names": _lists(_is_text),
    "own_range": _one_of(None, *get_args(PictureRange)),
    "columns": _lists(_is_text),
    "notes": _lists(_is_text),
    "masks": _one_of(True, False),
}
"""The possible values of each fact, checked because it comes from a process that ran an untrusted file."""


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
