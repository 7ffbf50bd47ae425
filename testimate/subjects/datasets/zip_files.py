"""The files inside a zip by name, read as counted streams and never extracted."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from testimate.core.errors import BadInput, TestimateError
from testimate.core.files import check_directory, check_member, read_member
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.member_names import check_member_name, is_hidden


class ZipFiles:
    """All files inside a zip, in order of their names; hidden ones are left out.

    ``names`` : with "/" between folders. ``sizes`` : unpacked bytes by name, as the zip claims; they are counted again
        on reading. BadInput for a damaged zip, malicious names, links, encryption, unusual compression, or more than
        the limits.
    """

    def __init__(self, path: Path) -> None:
        with reading_zip(path.name), path.open("rb") as file:
            check_directory(file, path.name, limits.MAX_FILES)
        with reading_zip(path.name):
            self._zip = zipfile.ZipFile(path)
        self.members: dict[str, zipfile.ZipInfo] = {}
        for member in self._zip.infolist():
            check_member_name(member.filename)
            check_member(member)
            if member.is_dir() or any(is_hidden(part) for part in member.filename.split("/")):
                continue
            if member.filename in self.members:
                raise BadInput(f"The zip holds {member.filename!r:.100} twice; expected each name once. Make it again.")
            self.members[member.filename] = member
        self.names = tuple(sorted(self.members))
        self.sizes = {name: self.members[name].file_size for name in self.names}
        total = sum(self.sizes.values())
        if total > limits.MAX_UNFOLDED_BYTES:
            raise limits.too_large("bytes when unpacked", total, limits.MAX_UNFOLDED_BYTES)

    def open(self, name: str) -> IO[bytes]:
        """The file's bytes as a stream; read it inside ``reading_zip``."""
        return self._zip.open(self.members[name])

    def read(self, name: str) -> bytes:
        """The file's bytes, at most ``limits.MAX_ITEM_BYTES``; BadInput otherwise."""
        if self.sizes[name] > limits.MAX_ITEM_BYTES:
            raise limits.too_large(f"bytes in {name!r:.60}", self.sizes[name], limits.MAX_ITEM_BYTES)
        with reading_zip(name):
            return read_member(self._zip, name)


@contextmanager
def reading_zip(name: str) -> Iterator[None]:
    """Turns the errors of a damaged zip into BadInput."""
    try:
        yield
    except TestimateError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,  # a compression that zipfile does not know
        ValueError,
        struct.error,
    ) as error:
        raise BadInput(
            f"{name!r:.100} is damaged or cut off ({error!s:.80}); expected a complete zip. Copy or make it again."
        ) from error
