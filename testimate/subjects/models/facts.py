"""What is known of a model once it is open."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from testimate.subjects.models.outputs import OutputKind

Channels = Literal["first", "last"]
PictureRange = Literal["0 to 255", "0 to 1"]


@dataclass(frozen=True)
class ModelFacts:
    """A model's size, layers and manners, for a screen.

    Attributes
    ----------
    parameters : numbers it has learned. layers : those that can be asked for, in the order in which they run; untrusted
        text. roles : which layer plays ORI, FL, LHL, logits, CON or (regression) OUT. widths : numbers per input, by
        role.
    input_shape : of one input, None where any length goes. input_type : numpy's name, such as "float32"; whole numbers
        for token ids, "str" for texts. masks : whether it takes a mask beside token ids. channels : where the input shape
        has the colours of a picture, None where it is none.
    output : what the model's output means. classes : how many, or labels; 0 for a regression. class_names : those that the
        file itself lists, in the order of the outputs; untrusted text, empty where it lists none.
    columns : names of the columns it takes, in order; empty where it takes an array. notes : sentences on what was taken
        of it, and what it lacks; untrusted text.
    own_range : between which numbers the model takes pictures, where its own first layers scale them; else None.
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
        """Whether a text goes in as it is."""
        return self.input_type == "str"

    def to_json(self) -> dict[str, Any]:
        """The facts as what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "ModelFacts":
        """The facts from ``to_json``."""
        listed = {
            name: tuple(said.get(name, ())) for name in ("layers", "input_shape", "class_names", "columns", "notes")
        }
        return cls(**{**said, **listed})


def channels_of(shape: tuple[int | None, ...], default: Channels) -> Channels | None:
    """Where a shape of three axes has its colours, one to four of them; ``default`` where both ends could be.

    >>> channels_of((28, 28, 1), "first"), channels_of((3, 32, 32), "last"), channels_of((10,), "last")
    ('last', 'first', None)
    """
    if len(shape) != 3:
        return None
    first, last = (size in (1, 2, 3, 4) for size in (shape[0], shape[2]))
    if first and last:
        return default
    return "first" if first else "last" if last else None
