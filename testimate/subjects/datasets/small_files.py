"""Reads a small text file whole, unless it is a link, no file or too large."""

import os
import stat
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.rounding import spaced


def small_text(path: Path, most: int) -> str:
    """The UTF-8 text of a file of at most ``most`` bytes; BadInput otherwise."""
    content = file_content(path, most)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name!r:.100} is not UTF-8 text ({error.reason}). Save it as UTF-8.") from error


def file_content(path: Path, most: int) -> bytes:
    """The bytes of a plain file of at most ``most`` bytes; BadInput for a link, a pipe, a larger one or none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            seen = os.fstat(handle)
            if not stat.S_ISREG(seen.st_mode):
                raise BadInput(f"{path.name!r:.100} is not a plain file; expected one. Take it out of the folder.")
            content = file.read(min(seen.st_size, most) + 1)  # room is taken for all that is asked for
    except OSError as error:
        raise BadInput(
            f"{path.name!r:.100} could not be read ({error.strerror}); expected a plain file that may be read, not a "
            "link. Check its name and its rights."
        ) from error
    if len(content) > most:
        raise BadInput(
            f"{path.name!r:.100} has more than {spaced(most)} bytes; that is the most that can be read. Make it smaller."
        )
    return content
