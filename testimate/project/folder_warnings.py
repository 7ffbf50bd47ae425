"""Warnings about where a project is kept: a network drive, a synchronised folder, copies of the labels beside them."""

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path

LABELS = "labels.sqlite"

MOVED = "labels.moved"
"""A file that names the database to which the labels of a project were moved."""

NETWORK_SYSTEMS = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "afs",
    "ceph",
    "davfs",
    "fuse.sshfs",
    "fuse.rclone",
    "lustre",
)
"""File systems of other computers, as Linux names them."""

SYNCHRONISERS = (
    "OneDrive",
    "Dropbox",
    "Google Drive",
    "GoogleDrive",
    "iCloud",
    "Mobile Documents",
    "Nextcloud",
    "ownCloud",
)
"""How the folders are called, or begin to be called, that a synchroniser copies to other computers."""

SHORT_ENOUGH = 75
"""Letters of a project's path that leave room for our longest names below it in the 260 that Windows allows by itself."""


def remarks_on_place(folder: Path, on_network: Callable[[Path], bool] | None = None) -> list[str]:
    """Sentences on what may go wrong in that place, none where nothing can.

    ``on_network`` : whether a folder lies on another computer; this system's own answer by default.
    """
    place = folder.absolute()
    found = []
    if (on_network or lies_on_network)(place):
        found.append(
            f"The project folder {place} is on a network drive, where two programs may write the labels at once without seeing "
            "each other. Work in a folder of this computer, or give a team one database with --database postgresql://..."
        )
    synchroniser = next((name for part in place.parts for name in SYNCHRONISERS if part.startswith(name)), None)
    if synchroniser is not None:
        found.append(
            f"The project folder {place} is copied by {synchroniser}, which may copy the labels while they are "
            "written and makes a second file when two computers write. Work in a folder that is not synchronised, "
            "and copy it there while Testimate is closed."
        )
    copies = sorted(path.name for path in place.glob("labels?*.sqlite"))
    if copies:
        found.append(
            f"Beside {LABELS} lies {copies[0]!r:.100}{_and_more(len(copies) - 1)}, as a synchroniser makes when two "
            f"computers write. Testimate reads {LABELS} alone. To see what the other holds: testimate sessions list "
            f"--database sqlite:///{place / copies[0]}; then bring its votes over with testimate sessions export and "
            "import."
        )
    if sys.platform == "win32" and len(str(place)) > SHORT_ENOUGH:
        found.append(
            f"The path of the project folder has {len(str(place))} characters, and Windows by itself allows 260 for "
            f"each file below it. Choose a folder of at most {SHORT_ENOUGH}, or turn long paths on in Windows."
        )
    return found


def lies_on_network(folder: Path) -> bool:
    """Whether the folder lies on another computer, as far as this system says; False where it does not."""
    if str(folder).startswith(("\\\\", "//")) and not str(folder).startswith("\\\\?\\"):
        return True
    if sys.platform == "win32":
        return int(ctypes.windll.kernel32.GetDriveTypeW(folder.anchor)) == 4  # DRIVE_REMOTE, fileapi.h
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return file_system_of(folder, mounts) in NETWORK_SYSTEMS


def file_system_of(folder: Path, mounts: str) -> str:
    """The kind of file system a folder is in, from Linux's list of mounts (proc(5)); "" where none holds it.

    >>> file_system_of(Path("/mnt/labels/mine"), "/dev/sda1 / ext4 rw 0 0\\nserver:/a /mnt/labels nfs4 rw 0 0")
    'nfs4'
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        if folder.is_relative_to(point) and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
