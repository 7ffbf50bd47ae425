"""Notices that a file which is mapped into memory was changed: its rows would silently become others."""

import os
from pathlib import Path

from testimate.core.errors import SubjectChanged
from testimate.core.fingerprint import of_content


class WatchedFile:
    """A file as it was when this was made: its place on the disk, its size and the time of its last change.

    Sent to another machine, where places and times are others, it is the file of that path if its content is the same there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _state(path)
        self._content = ""  # its fingerprint, where it came from another process and was not looked at yet

    def __getstate__(self) -> tuple[Path, str]:
        self.check()
        return self._path, self._content or of_content(self._path)

    def __setstate__(self, sent: tuple[Path, str]) -> None:
        self._path, self._content = sent
        self._seen = None

    def check(self) -> None:
        """SubjectChanged where the file is no longer what it was."""
        if self._content:
            self._check_sent()
        if _state(self._path) != self._seen:
            raise SubjectChanged(
                f"{self._path.name!r:.100} was changed or removed after the dataset was opened; expected the file as it was. "
                "Open the dataset again."
            )

    def _check_sent(self) -> None:
        """Compares the content once with that of the file where this came from."""
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
