"""Which files of the cache some process has mapped, so that nobody removes them while they are in use."""

from io import BufferedReader
from pathlib import Path

from testimate.core.plug_ins import optional_module

fcntl = optional_module("fcntl")
"""Its shared locks let several processes use one file; a lock goes with the last handle, also of a killed process."""


def mark_used(file: BufferedReader) -> None:
    """Marks an open file as used for as long as a handle of it, or a mapping, stays open.

    Where there is no ``fcntl``, as on Windows, the system itself keeps an open file from being removed.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_SH)


def is_used(path: Path) -> bool:
    """Whether some process, this one too, uses the file; FileNotFoundError where there is none."""
    if fcntl is None:
        try:
            path.rename(path)  # refused by Windows for a file that is open
        except PermissionError:
            return True
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
