"""What is known about a model once it is open."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from testimate.subjects.models import bounds
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
        if facts.widths.get("CON", facts.classes) != facts.classes:
            raise ValueError(f"classes is {facts.classes} and as many probabilities are {facts.widths['CON']}")
        return facts


def _counts(most: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _lists(of: Callable[[object], bool], most: int = bounds.MAX_LISTED) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and len(value) <= most and all(map(of, value))


_is_width = _counts(bounds.MAX_WIDTH)
_are_sizes = _lists(lambda size: size is None or _is_width(size), bounds.MAX_AXES)


def _is_shape(value: object) -> bool:
    return isinstance(value, list | tuple) and _are_sizes(value) and _is_width(bounds.input_size(tuple(value)))


def _maps(to: Callable[[object], bool]) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, dict)
        and len(value) <= bounds.MAX_LISTED
        and all(map(bounds.is_short_text, value))
        and all(map(to, value.values()))
    )


def _one_of(*values: object) -> Callable[[Any], bool]:
    return lambda value: any(value is one or (isinstance(value, str) and value == one) for one in values)


POSSIBLE: Mapping[str, Callable[[Any], bool]] = {
    "parameters": _counts(bounds.MAX_COUNTED),
    "layers": _lists(bounds.is_short_text),
    "roles": _maps(bounds.is_short_text),
    "widths": _maps(_is_width),
    "input_shape": _is_shape,
    "input_type": bounds.is_short_text,
    "channels": _one_of(None, *get_args(Channels)),
    "output": _one_of(*OUTPUT_KINDS),
    "classes": _counts(bounds.MAX_CLASSES),
    "class_names": _lists(bounds.is_short_text),
    "own_range": _one_of(None, *get_args(PictureRange)),
    "columns": _lists(bounds.is_short_text),
    "notes": _lists(bounds.is_short_text),
    "masks": _one_of(True, False),
}
"""The possible values of each fact, checked because it comes from a process that ran an untrusted file: a count has its
bound in ``bounds``, because lists and pictures are made of as many parts."""


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
