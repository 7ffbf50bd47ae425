"""Notices when a file that is mapped into memory changes, because its rows would change silently."""

import os
from pathlib import Path

from testimate.core.errors import SubjectChanged
from testimate.core.fingerprint import of_content


class WatchedFile:
    """A file as it was when this was made: its place on the disk, its size and the time of its last change.

    On another machine, where places and times differ, the file at the same path counts as the same if its content is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _state(path)
        self._content = ""  # its fingerprint, if it came from another process and was not checked yet

    def __getstate__(self) -> tuple[Path, str]:
        self.check()
        return self._path, self._content or of_content(self._path)

    def __setstate__(self, sent: tuple[Path, str]) -> None:
        self._path, self._content = sent
        self._seen = None

    def check(self) -> None:
        """Raises SubjectChanged if the file has changed."""
        if self._content:
            self._check_sent()
        if _state(self._path) != self._seen:
            raise SubjectChanged(
                f"{self._path.name!r:.100} was changed or removed after the dataset was opened; expected the file as it was. "
                "Open the dataset again."
            )

    def _check_sent(self) -> None:
        """Compares the content once with that of the original file."""
        before = _state(self._path)
        try:
            found = of_content(self._path)
        except OSError as error:
            raise SubjectChanged(
                f"{str(self._path)!r:.200} could not be read on this machine ({error.strerror}); expected the same file under "
                "the same path everywhere. Copy it there."
            ) from error
        if found != self._content:
            raise SubjectChanged(
                f"{str(self._path)!r:.200} is another file on this machine; expected the same content under the same path "
                "everywhere. Copy it there."
            )
        self._seen, self._content = before, ""


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns
