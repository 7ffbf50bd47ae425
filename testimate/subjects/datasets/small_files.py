"""Reads a small text file whole; refuses links, anything but plain files, and files that are too large."""

import errno
import os
import stat
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.words import spaced

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
PLAIN = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""How a file is opened that might be a link or a pipe. Windows has no such flags: there a link is looked for first, and a
file would be taken for text without a flag of its own."""


def small_text(path: Path, most: int) -> str:
    """The UTF-8 text of a file of at most ``most`` bytes; BadInput otherwise."""
    content = file_content(path, most)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name!r:.100} is not UTF-8 text ({error.reason}). Save it as UTF-8.") from error


def file_content(path: Path, most: int) -> bytes:
    """The bytes of a plain file of at most ``most`` bytes; BadInput for a link, a pipe, or a larger or missing file."""
    try:
        if not NO_LINK and path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link", str(path))
        handle = os.open(path, PLAIN)
        with open(handle, "rb") as file:
            seen = os.fstat(handle)
            if not stat.S_ISREG(seen.st_mode):
                raise BadInput(f"{path.name!r:.100} is not a plain file; expected one. Take it out of the folder.")
            content = file.read(min(seen.st_size, most) + 1)  # memory is allocated for the full size requested
    except OSError as error:
        raise BadInput(
            f"{path.name!r:.100} could not be read ({error.strerror}); expected a plain file that may be read, not a "
            "link. Check its name and permissions."
        ) from error
    if len(content) > most:
        raise BadInput(
            f"{path.name!r:.100} has more than {spaced(most)} bytes; expected at most that many. Make it smaller."
        )
    return content
