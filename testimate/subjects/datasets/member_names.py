"""Names of files inside archives and folders: which are attacks, and which are only clutter."""

import re

from testimate.core.errors import BadInput
from testimate.core.visible_text import is_line

CLUTTER = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
"""Names that file managers leave behind."""


def is_hidden(part: str) -> bool:
    """Whether a file or folder of that name is not part of the data."""
    return part.startswith(".") or part in CLUTTER


def check_member_name(name: str) -> None:
    """BadInput where a name in an archive is absolute, climbs out of its folder, or is not printable.

    >>> check_member_name("train/cat/1.png")
    """
    tricks = not name or name.startswith("/") or "\\" in name or ".." in name.split("/") or re.match("[A-Za-z]:", name)
    if tricks or not is_line(name):
        raise BadInput(
            f"The archive names a file {name!a:.100}, which lies outside it or cannot be printed; expected plain "
            "names inside the archive. Do not trust its maker; make the archive again from the files themselves."
        )
