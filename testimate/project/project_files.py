"""The models and datasets in a project's folder that a page offers."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from testimate.core import fingerprint
from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.core.words import spaced

if TYPE_CHECKING:
    from testimate.subjects.datasets.zip_files import ZipFiles

FileKind = Literal["model", "dataset"]

FOLDERS: dict[FileKind, str] = {"model": "models", "dataset": "datasets"}
"""Where files of each kind lie in the project."""

BESIDE = (".toml", ".txt", ".md", ".part")
"""Endings of files that may lie beside a model but are not models."""

INSTEAD: dict[FileKind, str] = {
    "model": "the model's own file. A list of classes is given below the preview; settings lie beside a model in the folder "
    "models.",
    "dataset": "inputs in a zip (texts as .txt or sounds and pictures inside), .npz, CSV, Parquet or JSON Lines. Make one of "
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
        raise BadInput(f"{name!r:.100} is not a {kind}; expected {INSTEAD[kind]}")
    if not data:
        raise BadInput(f"{name!r:.100} is empty (0 bytes); expected a {kind}. Export it again.")
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
    from testimate.subjects.datasets.zip_files import ZipFiles

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
    from testimate.subjects.datasets.zip_files import reading_zip

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
    """Whether a folder looks like a Hugging Face dataset, saved to disk or as Parquet files; nothing is read."""
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
        else f"{spaced(len(names))} files and no dataset among them"
    )
    raise BadInput(
        f"{zip_name!r:.100} holds {what}; expected a Hugging Face dataset, as save_to_disk leaves it or as Parquet files. "
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
