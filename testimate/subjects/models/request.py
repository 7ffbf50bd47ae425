"""What a model's process is asked to open, and what it gives."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from testimate.core.subject import Model
from testimate.subjects.models.devices import Device
from testimate.subjects.models.facts import ModelFacts


class Opened(Model, Protocol):
    """A model that knows its facts, and the device it runs on."""

    facts: ModelFacts

    @property
    def device(self) -> Device:
        """What it runs on."""
        ...


@dataclass(frozen=True, eq=False)
class Request:
    """What to open.

    ``kind`` : as ``file_kinds`` names it. ``content`` : the file's bytes; of a folder empty, and ``path`` says where it is.
    ``trust`` : whether the person at the terminal vouches for it. ``example`` : inputs of its dataset, where there are any.
    ``output``, ``architecture`` : what the person chose, or None. ``mixed`` : whether to run in mixed precision.
    """

    kind: str
    content: bytes
    path: Path
    trust: bool
    fingerprint: str
    example: NDArray[Any] | None = None
    output: str | None = None
    architecture: str | None = None
    mixed: bool = False
