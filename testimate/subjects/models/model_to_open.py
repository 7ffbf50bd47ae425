"""What a model's process opens, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from testimate.core.subject import Model
from testimate.subjects.models.description import ModelDescription
from testimate.subjects.models.devices import Device
from testimate.subjects.models.facts import ModelFacts


class Opened(Model, Protocol):
    """An open model, its facts, and the device it runs on."""

    facts: ModelFacts

    @property
    def device(self) -> Device:
        """The device it runs on."""
        ...


@dataclass(frozen=True, eq=False)
class ModelToOpen:
    """A model's bytes, as they reach its process.

    Attributes
    ----------
    kind : as ``file_kinds`` names it. content : the file's bytes; empty for a folder, which is read from its path.
    fingerprint : of the model. trust : whether the person at the terminal trusts it.
    model : how it was described. example : inputs of its dataset, (n, *shape), or None.
    cut : splits texts into (n, length) tokens for a model that takes that many; None: any number, or no tokenizer.
        padding, filler : number of the padding token for the model, and the one used in the inputs.
    """

    kind: str
    content: bytes
    fingerprint: str
    trust: bool
    model: ModelDescription
    example: NDArray[Any] | None = None
    cut: Callable[[NDArray[Any], int | None], NDArray[Any]] | None = None
    padding: int = 0
    filler: int = 0
