"""The size of a zip's table of contents, asked before it is read: a small file may claim a million members."""

import io
import struct
from typing import IO

from testimate.core.errors import BadInput
from testimate.core.rounding import spaced

END, END_64, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
OF_MEMBER = 128
"""Bytes of the table of contents for each member, its name among them."""


def check_directory(file: IO[bytes], name: str, members: int) -> None:
    """BadInput where the zip has no table of contents, or a longer one than that many members need.

    APPNOTE.TXT, section 4.3.16 (and 4.3.14 for the large form): its size is in the record at the end of the file.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(max(size - (1 << 16) - 22 - 76, 0))
    tail = file.read()
    place = tail.rfind(END)
    if place < 0 or len(tail) - place < 22:
        raise BadInput(f"{name!r:.100} is damaged or cut off; expected a complete zip. Copy or make it again.")
    (directory,) = struct.unpack_from("<I", tail, place + 12)
    if place >= 76 and tail[place - 20 : place - 16] == LOCATOR_64 and tail[place - 76 : place - 72] == END_64:
        directory = max(directory if directory < 0xFFFFFFFF else 0, struct.unpack_from("<Q", tail, place - 76 + 40)[0])
    if directory > members * OF_MEMBER:
        raise BadInput(
            f"{name!r:.100} has a table of contents of {spaced(directory)} bytes; expected one of at most "
            f"{spaced(members)} files ({spaced(members * OF_MEMBER)} bytes). Make it again from fewer files."
        )
