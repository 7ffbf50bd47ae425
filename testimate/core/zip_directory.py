"""What a zip says about itself, asked before it is unpacked: a small file may claim a million members."""

import io
import stat
import struct
import zipfile
from typing import IO

from testimate.core.errors import BadInput
from testimate.core.rounding import spaced

END, END_64, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
OF_MEMBER = 128
"""Bytes of the table of contents for each member, its name among them."""

PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


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


def check_member(member: zipfile.ZipInfo) -> None:
    """BadInput if a member is a link, encrypted, or packed in a way that other programs do not use."""
    name = member.filename
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadInput(
            f"The zip holds the link {name!r:.100}; expected files. Make it again from the files themselves."
        )
    if member.flag_bits & 0x1:
        raise BadInput(f"{name!r:.100} is encrypted in the zip; expected one without a password. Make it again.")
    if member.compress_type not in PACKINGS:
        raise BadInput(
            f"{name!r:.100} is compressed in an unusual way; expected deflate or no compression. Make the zip again."
        )


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, no more than it claims; without a number zipfile unpacks all there is before it looks."""
    with archive.open(name) as stream:
        return stream.read(archive.getinfo(name).file_size)
