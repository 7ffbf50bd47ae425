"""A trained network as a person describes it: its file, and what they chose where the file leaves it open."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class ModelDescription:
    """A model's file and how to read it. Nothing here lets a file run a program: trust is given where it is opened.

    Attributes
    ----------
    path : the file, or the folder of a SavedModel.
    output : what the output means (one of ``outputs.OUTPUT_KINDS``), where the person knows better; None: as found.
    architecture : one of ``known_networks.ARCHITECTURES``, for files that hold weights alone and fit several; None: as found.
    mixed_precision : on CUDA, products of sixteen bits where the framework thinks them harmless; the fingerprint says so.
    roles : the layers that play other roles than those found, by role ("FL", "LHL").
    tokenizer : whether texts are cut into tokens by the tokenizer.json beside the file, or in its folder or zip.
    length : tokens that a text is cut or filled up to by that tokenizer. pad : number of the token that fills a text up, which
        the model does not look at. None: as the files beside it say.
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
        """What is stored of it beside the roles; what is as it was before there was such a setting is left out."""
        stored: dict[str, Any] = {"output": self.output, "architecture": self.architecture}
        stored |= {"mixed_precision": True} if self.mixed_precision else {}
        return stored | self.tokens

    @property
    def tokens(self) -> dict[str, Any]:
        """What was chosen about the tokens of texts; empty where nothing was."""
        chosen = {"tokenizer": self.tokenizer or None, "length": self.length, "pad": self.pad}
        return {name: value for name, value in chosen.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """The description as what JSON can hold."""
        return {**asdict(self), "path": str(self.path)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ModelDescription":
        """The description from ``to_json``."""
        return cls(**{**stored, "path": Path(stored["path"])})
