"""A model and the files that hold its weights or its classes, as one archive in memory; nothing is unpacked to disk."""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from testimate.core.errors import BadInput
from testimate.core.files import read_member
from testimate.core.visible_text import is_line
from testimate.core.words import commas
from testimate.models.bounds import MAX_FILE_BYTES

ONE_FILE = "torch.onnx.export(..., external_data=False)"

_LOCATION = re.compile(rb"\x0a\x08location\x12([\x01-\x7f])", re.DOTALL)
"""How an entry of TensorProto.external_data names a file of up to 127 bytes (onnx.proto: StringStringEntryProto)."""

MOST_MEMBERS = 10_000

ONNX_ENDINGS, HDF5_ENDINGS = (".onnx",), (".h5", ".hdf5")
"""Endings of the models that may be in a zip with what belongs to them."""


@dataclass(frozen=True, eq=False)
class OnnxParts:
    """``main`` : the model's bytes. ``beside`` : those of the other files in its folder, by their names."""

    main: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)


def onnx_in_folder(folder: Path) -> Path | None:
    """The ONNX file of a folder, None if it has none; BadInput where it has several."""
    found = sorted(path for path in folder.glob("*.onnx") if path.is_file())
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise BadInput(
            f"The folder {folder.name!r:.80} has several ONNX files ({names:.200}). Expected one. Choose the file."
        )
    return found[0] if found else None


def with_weight_files(path: Path, data: bytes) -> bytes:
    """The file's bytes, or an archive of it and the weight files it names, which must be plain files beside it."""
    names = {name for name in _named_files(data) if _is_plain(name)}
    found = {name: path.with_name(name) for name in sorted(names)}
    found = {name: file for name, file in found.items() if file.is_file() and not file.is_symlink() and file != path}
    if not found:
        return data
    total = len(data) + sum(file.stat().st_size for file in found.values())
    if total > MAX_FILE_BYTES:
        raise BadInput(
            f"The model {path.name!r:.80} and its weights have {commas(total)} bytes. Expected at most "
            f"{commas(MAX_FILE_BYTES)}. Use a prediction table for a model of that size."
        )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        file.writestr(zipfile.ZipInfo("model.onnx"), data)
        for name, other in found.items():
            file.writestr(zipfile.ZipInfo(name), other.read_bytes())
    return archive.getvalue()


def unpacked(content: bytes, endings: tuple[str, ...] = ONNX_ENDINGS, called: str = "ONNX") -> OnnxParts:
    """The model and the files beside it; BadInput for an archive of several models, or of more bytes than the limit.

    ``endings`` : of a model's name. ``called`` : its kind, for people.
    """
    if not content.startswith(b"PK"):
        return OnnxParts(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and "__MACOSX" not in one.filename]
            names = [one.filename for one in members]
            models = [name for name in names if name.lower().endswith(endings)]
            if len(models) != 1 or len(names) != len(set(names)) or len(names) > MOST_MEMBERS:
                raise BadInput(
                    f"The zip contains {len(models)} {called} files among {commas(len(names))} names. Expected one model, its "
                    "weight files beside it, each name once. Make it again from these alone."
                )
            if sum(one.file_size for one in members) > MAX_FILE_BYTES:
                raise BadInput(
                    f"The zip unpacks to more than {commas(MAX_FILE_BYTES)} bytes. Expected at most that many. Use a "
                    "prediction "
                    "table for a model of that size."
                )
            place = models[0].rpartition("/")[0]
            place = f"{place}/" if place else ""
            beside = {
                name[len(place) :]: read_member(archive, name)
                for name in names
                if name.startswith(place) and name != models[0] and "/" not in name[len(place) :]
            }
            return OnnxParts(read_member(archive, models[0]), beside)
    # zipfile raises NotImplementedError for an unknown compression, RuntimeError for an encrypted file
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"The zip is damaged or locked ({error!s:.80}). Expected a complete one. Make it again."
        ) from error


def has_onnx(content: bytes) -> bool:
    """Whether an archive that can be read has an ONNX file in it, beside which there may be a tokenizer."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(name.lower().endswith(ONNX_ENDINGS) for name in archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return False  # opening the model says what is wrong


def plain_name(location: str) -> str:
    """The name of a file in the model's own folder; BadInput for a path to anywhere else."""
    name = location.removeprefix("./")
    if not _is_plain(name):
        raise BadInput(
            f"This ONNX file keeps its weights in {location!r:.80}. Expected a file in its own folder. Export it again as one "
            f"file: {ONE_FILE}."
        )
    return name


def _named_files(data: bytes) -> Iterator[str]:
    for match in _LOCATION.finditer(data):
        name = data[match.end() : match.end() + match.group(1)[0]]
        yield name.decode("utf-8", "replace").removeprefix("./")


def _is_plain(name: str) -> bool:
    return bool(name) and name not in (".", "..") and not set(name) & set("/\\\0:") and is_line(name)
