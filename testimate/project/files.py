"""The models and datasets in a project's folder that a page offers.

Warnings about where a project is kept: a network drive, a synchronized folder, copies of the labels beside them.
"""

from __future__ import annotations

import ctypes
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from testimate.core import fingerprint
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.core.words import commas
from testimate.tables.kinds import is_parquet

if TYPE_CHECKING:
    from testimate.datasets.folders import ZipFiles


FileKind = Literal["model", "dataset"]

FOLDERS: dict[FileKind, str] = {"model": "models", "dataset": "datasets"}
"""Where files of each kind lie in the project."""

BESIDE = (".toml", ".txt", ".md", ".part")
"""Endings of files that may lie beside a model but are not models."""

INSTEAD: dict[FileKind, str] = {
    "model": "the model's own file. A list of classes is given below the preview; settings lie beside a model in the folder "
    "models.",
    "dataset": "inputs in a zip (texts as .txt or sounds and pictures inside), .npz, CSV, Excel, JSON or Parquet. Make one of "
    "these.",
}
"""What is expected in place of a file that may lie beside one."""

MOST_LISTED = 500

NAME_BYTES = 140
"""The longest name of a file kept here, in UTF-8; file systems take 255, encrypted ones 143."""


@dataclass(frozen=True)
class ProjectFile:
    """A model or dataset in the project's folder.

    Attributes
    ----------
    kind : what it is there for. name : for people; untrusted text. path : where it lies. bytes : its size, None of a folder.
    """

    kind: FileKind
    name: str
    path: Path
    bytes: int | None


def project_files(project: Path, kind: FileKind) -> list[ProjectFile]:
    """Those of one kind, by name: files put there by hand, datasets also as folders, and uploads."""
    folder = project / FOLDERS[kind]
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if re.fullmatch(r"[0-9a-f]{32}", path.name) and path.is_dir():
            found += [_file(kind, inside) for inside in sorted(path.iterdir()) if _is_one(inside, kind)]
        elif _is_one(path, kind):
            found.append(_file(kind, path))
    return sorted(found, key=lambda file: file.name.casefold())[:MOST_LISTED]


def keep_upload(project: Path, kind: FileKind, name: str, data: bytes) -> ProjectFile:
    """Keeps an uploaded file in a folder named by its content, so that the same content is kept once.

    Nothing of it is read here. Raises BadInput where it is empty or named like what lies beside a file of this kind,
    StoreUnavailable where it found no room.
    """
    if Path(safe_name(name)).suffix.lower() in _beside(kind):
        raise BadInput(f"{name!r:.100} is not a {kind}. Expected {INSTEAD[kind]}")
    if not data:
        raise BadInput(f"{name!r:.100} is empty (0 bytes). Expected a {kind}. Export it again.")
    folder = project / FOLDERS[kind] / fingerprint.of_bytes(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = [path for path in sorted(folder.iterdir()) if _is_one(path, kind)]
        path = there[0] if there else folder / safe_name(name)
        if not there:
            replace_file(path, data)
    except OSError as error:
        raise StoreUnavailable(
            f"The {kind} could not be kept in {folder} ({error.strerror}). Free space or choose another project folder."
        ) from None
    return _file(kind, path)


def keep_unpacked(project: Path, name: str, data: bytes) -> Path:
    """Unpacks an uploaded zip of a Hugging Face dataset into a folder of its own, and only once; returns the folder.

    Only Arrow, Parquet and JSON files are taken out, each counted as it unpacks. Raises BadInput where the zip is
    damaged, has names that lead elsewhere, or holds no such dataset; StoreUnavailable where it found no room.
    """
    from testimate.datasets.folders import ZipFiles

    folder = project / FOLDERS["dataset"] / fingerprint.of_bytes(data)
    place = folder / (safe_name(name).removesuffix(".zip").rstrip(". ") or "dataset")
    if place.is_dir():
        return place
    part = folder / f"{secrets.token_hex(8)}.part"
    try:
        part.mkdir(parents=True)
        (part / "zip").write_bytes(data)
        files = ZipFiles(part / "zip")
        start = _dataset_in(files.names, name)
        for member in files.names:
            if member.startswith(start) and member.lower().endswith(TABLE_PARTS):
                target = part / "files" / member.removeprefix(start)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as out:
                    for piece in _pieces(files, member):
                        out.write(piece)
        (part / "files").replace(place)
    except OSError as error:
        raise StoreUnavailable(
            f"The dataset could not be kept in {folder} ({error.strerror}). Free space or choose another project folder."
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return place


def _pieces(files: ZipFiles, member: str) -> Iterator[bytes]:
    """The bytes of a file in a zip, a megabyte at a time; BadInput where it is damaged."""
    from testimate.datasets.folders import reading_zip

    with reading_zip(member):
        stream = files.open(member)
    with stream:
        while True:
            with reading_zip(member):
                piece = stream.read(1 << 20)
            if not piece:
                return
            yield piece


TABLE_PARTS = (".arrow", ".parquet", ".json")
"""Endings of the files of a Hugging Face dataset."""

SAVED = ("dataset_dict.json", "state.json")
"""Files by which a folder is known as a dataset that save_to_disk left."""


def holds_table(folder: Path) -> bool:
    """Whether this is a Parquet file, or a folder that looks like a Hugging Face dataset; no more than four bytes are read."""
    if is_parquet(folder):
        return True
    return folder.is_dir() and (
        any((folder / name).is_file() for name in SAVED)
        or any(next(one.glob("*.parquet"), None) is not None for one in (folder, folder / "data"))
    )


def _dataset_in(names: Sequence[str], zip_name: str) -> str:
    """The folder inside the zip, "" or ending in "/", in which the dataset lies; BadInput where there is none."""
    folders = {own: [name.removesuffix(own) for name in names if name.rsplit("/", 1)[-1] == own] for own in SAVED}
    for found in folders.values():
        if found:
            return min(found, key=len)
    if any(name.lower().endswith(".parquet") for name in names):
        return ""
    tables = [name for name in names if name.lower().endswith((".csv", ".csv.gz"))]
    what = (
        f"the table {tables[0]!r:.60} among other files"
        if tables
        else f"{commas(len(names))} files and no dataset among them"
    )
    raise BadInput(
        f"{zip_name!r:.100} contains {what}. Expected a Hugging Face dataset, as save_to_disk leaves it or as Parquet files. "
        "Upload a table by itself, and the zip of its pictures, sounds or texts after it."
    )


DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that on Windows mean a device, whatever ending follows."""


def safe_name(name: str) -> str:
    """The name of an uploaded file with nothing in it that means something to a file system; of a long one the end.

    >>> safe_name("../a b/le net?.onnx")
    'le net_.onnx'
    """
    last = re.sub(r"[^\w .()+-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")
    if DEVICES.fullmatch(last.split(".", 1)[0].strip()):
        last = f"_{last}"
    return last.encode()[-NAME_BYTES:].decode(errors="ignore").lstrip(" .") or "file"


def _beside(kind: FileKind) -> tuple[str, ...]:
    return (*BESIDE, ".json") if kind == "model" else BESIDE  # a list of classes or a configuration


def _is_one(path: Path, kind: FileKind) -> bool:
    if path.name.startswith(".") or path.suffix.lower() in _beside(kind):
        return False
    return path.is_file() or (kind == "dataset" and path.is_dir())


def _file(kind: FileKind, path: Path) -> ProjectFile:
    return ProjectFile(kind, path.name, path, path.stat().st_size if path.is_file() else None)


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

SYNCHRONIZERS = (
    "OneDrive",
    "Dropbox",
    "Google Drive",
    "GoogleDrive",
    "iCloud",
    "Mobile Documents",
    "Nextcloud",
    "ownCloud",
)
"""How the folders are called, or begin to be called, that a synchronizer copies to other computers."""

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
    synchronizer = next((name for part in place.parts for name in SYNCHRONIZERS if part.startswith(name)), None)
    if synchronizer is not None:
        found.append(
            f"The project folder {place} is copied by {synchronizer}, which may copy the labels while they are "
            "written and makes a second file when two computers write. Work in a folder that is not synchronized, "
            "and copy it there while Testimate is closed."
        )
    copies = sorted(path.name for path in place.glob("labels?*.sqlite"))
    if copies:
        found.append(
            f"Beside {LABELS} lies {copies[0]!r:.100}{_and_more(len(copies) - 1)}, as a synchronizer makes when two "
            f"computers write. Testimate reads {LABELS} alone. To see what the other contains: testimate sessions list "
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
