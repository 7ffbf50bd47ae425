"""Readers of datasets that other packages bring, under the entry point ``testimate.datasets``."""

from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from testimate.core.errors import BadInput
from testimate.core.plug_ins import first_that_knows, plug_ins
from testimate.subjects.datasets.opened_dataset import OpenedDataset
from testimate.subjects.datasets.preprocessing import Preprocessing


@runtime_checkable
class DatasetReader(Protocol):
    """Reads one kind of file that Testimate itself does not; the files are of unknown origin and may be malicious."""

    def knows(self, start: bytes) -> bool:
        """Whether the file begins like one of its kind; ``start`` is its first 512 bytes."""
        ...

    def open(self, path: Path, preprocessing: Preprocessing) -> OpenedDataset:
        """The inputs in the file's order, with their answers where it has them; BadInput where it cannot be read."""
        ...


@cache
def dataset_readers() -> dict[str, DatasetReader]:
    """The readers of installed packages, by name."""
    return plug_ins("testimate.datasets", _check)


def read_by_plug_in(path: Path, start: bytes, preprocessing: Preprocessing) -> OpenedDataset | None:
    """The dataset read by the reader that knows a file with this beginning; None if none does.

    Raises BadInput where it cannot be read, whatever the reader itself raises.
    """
    name = first_that_knows(dataset_readers(), start)
    if name is None:
        return None
    try:
        return dataset_readers()[name].open(path, preprocessing)
    except BadInput:
        raise
    except Exception as error:  # another package's code may raise anything for a damaged file
        raise BadInput(
            f"{path.name!r:.100} could not be read by {name} ({type(error).__name__}: {error!s:.200}); expected a "
            "complete file of its kind. Export it again, or tell the author of the reader."
        ) from error


def _check(name: str, reader: Any) -> None:
    if isinstance(reader, type) or not isinstance(reader, DatasetReader):
        raise BadInput(
            f"{name!r:.60} is {reader!r:.60}; expected an object with knows and open. Name one in the entry point"
        )
