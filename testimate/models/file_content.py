"""The bytes of a model's file, or the names and bytes of a folder's, with their SHA-256."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.words import commas
from testimate.models.bounds import MAX_FILE_BYTES
from testimate.models.description import ModelDescription
from testimate.models.onnx_parts import onnx_in_folder, with_weight_files
from testimate.models.texts import tokenizer_of


@dataclass(frozen=True, eq=False)
class FileContent:
    """``data`` : the file's bytes, empty for a folder. ``digest`` : 64 hex digits of SHA-256. ``tokenizer`` : its bytes."""

    data: bytes
    digest: str
    tokenizer: bytes = b""


def read_content(path: Path) -> FileContent:
    """The file's content; for an ONNX file with the weight files it names, for a folder with one ONNX file that file's content.

    For any other folder only the digest is given, over the names and bytes of all its files. A tokenizer is left out.

    Raises BadInput where it is missing, unreadable or too large, or a folder has links in it.
    """
    try:
        if path.is_dir():
            inside = onnx_in_folder(path)
            if inside is None:
                return FileContent(b"", _folder_digest(path))
            path = inside
        _check_size(path.stat().st_size, path)
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(
            f"The model file {path.name!r:.100} cannot be read ({error.strerror}). Expected a file that exists and may "
            "be read. Check its path and permissions."
        ) from None
    _check_size(len(data), path)
    if path.suffix.lower() == ".onnx":
        data = with_weight_files(path, data)
    return FileContent(data, hashlib.sha256(data).hexdigest())


def read_described(model: ModelDescription) -> FileContent:
    """The content as ``read_content`` gives it, with the tokenizer if the model is described with one."""
    content = read_content(model.path)
    if not model.tokenizer:
        return content
    tokenizer = tokenizer_of(model.path)
    digest = hashlib.sha256(content.digest.encode() + tokenizer).hexdigest()
    return FileContent(content.data, digest, tokenizer)


def read_unchanged(model: ModelDescription, digest: str) -> FileContent:
    """The content, as ``read_described`` gives it; SubjectChanged where its digest has changed."""
    content = read_described(model)
    if content.digest != digest:
        raise SubjectChanged(
            f"The model file {model.path.name!r:.100} has changed since it was opened. Expected the same file. Open it again."
        )
    return content


def _folder_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise BadInput(
                f"The folder {folder.name!r:.100} has a link in it ({path.name!r:.60}). Expected plain files. Copy what the "
                "link points to into its place."
            )
        if not path.is_file():
            continue
        total += path.stat().st_size
        _check_size(total, folder)
        name, data = path.relative_to(folder).as_posix().encode(), path.read_bytes()
        for part in (name, data):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.hexdigest()


def _check_size(size: int, path: Path) -> None:
    if size > MAX_FILE_BYTES:
        raise BadInput(
            f"The model {path.name!r:.100} has {commas(size)} bytes. Expected at most {commas(MAX_FILE_BYTES)}. Use a "
            "prediction table for a model of that size."
        )
