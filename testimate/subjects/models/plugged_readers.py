"""Readers of models that other packages bring, under the entry point ``testimate.models``; they run in the model's process."""

from functools import cache
from typing import Any, Protocol, runtime_checkable

from testimate.core.errors import BadInput
from testimate.core.plug_ins import first_that_knows, plug_ins
from testimate.subjects.models.graph_model import Graph


@runtime_checkable
class ModelReader(Protocol):
    """Reads one kind of file with a trained network; its framework may be imported only in ``open``."""

    def knows(self, content: bytes) -> bool:
        """Whether the content is of its kind; called in the app's own process."""
        ...

    def open(self, content: bytes) -> Graph:
        """The network, in evaluation mode; BadInput where it cannot be read. Called in the model's confined process."""
        ...


@cache
def model_readers() -> dict[str, ModelReader]:
    """The readers of installed packages, by name, which also names their kind of file."""
    return plug_ins("testimate.models", _check)


def plugged_kind(content: bytes) -> str | None:
    """The name of the reader that knows the content; None if there is none."""
    return first_that_knows(model_readers(), content)


def _check(name: str, reader: Any) -> None:
    if isinstance(reader, type) or not isinstance(reader, ModelReader):
        raise BadInput(
            f"{name!r:.60} is {reader!r:.60}; expected an object with knows and open. Name one in the entry point"
        )
