"""Notices that a file which is mapped into memory was changed: its rows would silently become others."""

import os
from pathlib import Path

from testimate.core.errors import SubjectChanged


class WatchedFile:
    """A file as it was when this was made: its place on the disk, its size and the time of its last change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _state(path)

    def check(self) -> None:
        """SubjectChanged where the file is no longer what it was."""
        if _state(self._path) != self._seen:
            raise SubjectChanged(
                f"{self._path.name!r:.100} was changed or removed after the dataset was opened; expected the file as it was. "
                "Open the dataset again."
            )


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns
