"""What lies in a project's folder to choose from: models and datasets."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from testimate.core import fingerprint
from testimate.core.errors import BadInput, StoreUnavailable

FileKind = Literal["model", "dataset"]

FOLDERS: dict[FileKind, str] = {"model": "models", "dataset": "datasets"}
"""Where files of each kind lie in the project."""

BESIDE = (".toml", ".txt", ".md", ".part")
"""Endings of what may lie beside a model and is none."""

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
    """Those of one kind, by name: files laid there by hand, datasets also as folders, and uploads."""
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

    Nothing of it is read here. Raises BadInput where it is empty, StoreUnavailable where it found no room.
    """
    if not data:
        raise BadInput(f"{name!r:.100} is empty (0 bytes); expected a {kind}. Export it again.")
    folder = project / FOLDERS[kind] / fingerprint.of_bytes(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = [path for path in sorted(folder.iterdir()) if _is_one(path, kind)]
        path = there[0] if there else folder / safe_name(name)
        if not there:
            write_whole(path, data)
    except OSError as error:
        raise StoreUnavailable(
            f"The {kind} could not be kept in {folder} ({error.strerror}). Free space or choose another project folder."
        ) from None
    return _file(kind, path)


def safe_name(name: str) -> str:
    """The name of an uploaded file with nothing in it that means something to a file system; of a long one the end.

    >>> safe_name("../a b/le net?.onnx")
    'le net_.onnx'
    """
    last = re.sub(r"[^\w .()+-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")
    return last.encode()[-NAME_BYTES:].decode(errors="ignore").lstrip(" .") or "file"


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    part = path.with_name(f"{secrets.token_hex(8)}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def name_in_project(path: Path, project: Path) -> str:
    """The path from the project's folder where it lies inside, so that the folder may be moved; else as it is."""
    absolute = path.absolute()
    inside = absolute.is_relative_to(project.absolute())
    return str(absolute.relative_to(project.absolute()) if inside else absolute)


def _is_one(path: Path, kind: FileKind) -> bool:
    beside = (*BESIDE, ".json") if kind == "model" else BESIDE  # a list of classes or a configuration
    if path.name.startswith(".") or path.suffix.lower() in beside:
        return False
    return path.is_file() or (kind == "dataset" and path.is_dir())


def _file(kind: FileKind, path: Path) -> ProjectFile:
    return ProjectFile(kind, path.name, path, path.stat().st_size if path.is_file() else None)
