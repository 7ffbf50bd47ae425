"""A trained network as a person describes it: its file, and their choices where the file leaves something open.

What a model's process opens, and what it returns.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from testimate.core.subject import Model
from testimate.models.confinement import Device
from testimate.models.facts import ModelFacts


@dataclass(frozen=True)
class ModelDescription:
    """A model's file and how to read it. Nothing here lets a file run a program: trust is given when it is opened.

    Attributes
    ----------
    path : the file, or the folder of a SavedModel.
    output : what the output means (one of ``outputs.OUTPUT_KINDS``), if the person knows; None: as found.
    architecture : one of ``known_networks.ARCHITECTURES``, for files that hold only weights and fit several; None: as
        found.
    mixed_precision : on CUDA, products in sixteen bits where the framework considers them safe; part of the
        fingerprint.
    roles : the layers chosen for a role ("FL", "LHL") instead of those found.
    tokenizer : whether texts are cut into tokens by the tokenizer.json beside the file, or in its folder or zip.
    length : tokens to which that tokenizer cuts or pads a text. pad : number of the padding token, which the model
        ignores. None: as the files beside it say.
    """

    path: Path
    output: str | None = None
    architecture: str | None = None
    mixed_precision: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    tokenizer: bool = False
    length: int | None = None
    pad: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What is stored of it besides the roles; settings that have the behavior of versions without them are left out."""
        stored: dict[str, Any] = {"output": self.output, "architecture": self.architecture}
        stored |= {"mixed_precision": True} if self.mixed_precision else {}
        return stored | self.tokens

    @property
    def tokens(self) -> dict[str, Any]:
        """The choices about the tokens of texts; empty if there are none."""
        chosen = {"tokenizer": self.tokenizer or None, "length": self.length, "pad": self.pad}
        return {name: value for name, value in chosen.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """The description as plain JSON values."""
        return {**asdict(self), "path": str(self.path)}


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
