"""CIFAR-10 and CIFAR-100 as their makers publish them: the binary form is a dataset, the pickled one is converted.

Turns CIFAR, including the pickled form, into an .npz that holds no code; only for the terminal.

Reads the pickles CIFAR comes in without running anything they name: stand-ins only store their arguments.
"""

import io
import math
import pickle
import pickletools
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.files import replacing
from testimate.core.progress import Progress, silent
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.array_files import is_packed, opened
from testimate.datasets.folders import FolderFiles, check_member_name, file_content
from testimate.tables.kinds import FOREIGN

OPCODES = frozenset(
    (
        *("PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1"),
        *("BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINUNICODE", "SHORT_BINUNICODE"),
        *("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
        *("APPEND", "APPENDS", "SETITEM", "SETITEMS", "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD"),
        *("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE", "GET", "BINGET", "LONG_BINGET"),
    )
)
"""The instructions that write a dictionary of arrays, lists and strings; all others are refused."""


class _Array:
    """The stand-in for an array: its shape, kind and bytes as the pickle gives them."""

    state: tuple[Any, ...] = ()

    def __setstate__(self, state: object) -> None:
        self.state = state if isinstance(state, tuple) else ()


class _Kind:
    """The stand-in for a kind of number."""

    def __init__(self, name: object = "", *_flags: object) -> None:
        self.name = name.decode("latin-1") if isinstance(name, bytes) else name

    def __setstate__(self, _state: object) -> None:
        pass  # byte order: there are only single bytes here


def _array(*_arguments: object) -> _Array:
    return _Array()


def _encoded(text: object, _coding: object = "") -> bytes:
    return text.encode("latin-1") if isinstance(text, str) else b""


ADMITTED: Mapping[tuple[str, str], object] = {
    ("numpy.core.multiarray", "_reconstruct"): _array,
    ("numpy._core.multiarray", "_reconstruct"): _array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Kind,
    ("_codecs", "encode"): _encoded,
}
"""The only names a pickle may call, and the stand-ins that are called for them."""


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ADMITTED:
            raise _refused(f"names {module}.{name}"[:100])
        return ADMITTED[module, name]


def read_cifar_pickle(content: bytes) -> Mapping[str, Any]:
    """The dictionary of a CIFAR batch: "data" as (n, 3072) uint8, other values as the pickle has them.

    Every instruction is checked before the first one runs. BadInput where the pickle asks for anything that CIFAR does
    not need, or is damaged.
    """
    try:
        for instruction, argument, _place in pickletools.genops(content):
            if instruction.name not in OPCODES:
                raise _refused(f"has the instruction {instruction.name}")
            if "PUT" in instruction.name and isinstance(argument, int) and argument > len(content):
                raise _refused("claims more objects than it has bytes")
        read = _Reader(io.BytesIO(content), encoding="bytes").load()
    except BadInput:
        raise
    except Exception as error:  # a hostile pickle can make the reader raise anything
        raise _refused(f"is damaged ({type(error).__name__})") from error
    if not isinstance(read, dict):
        raise _refused("contains no dictionary")
    named = {key.decode("latin-1") if isinstance(key, bytes) else key: value for key, value in read.items()}
    return {str(key): _pixels(value) if isinstance(value, _Array) else value for key, value in named.items()}


def _pixels(array: _Array) -> NDArray[np.uint8]:
    """The bytes of a stand-in, (n, width); BadInput where they do not fit its shape."""
    if len(array.state) != 5:
        raise _refused("contains an invalid array")
    _version, shape, kind, fortran, data = array.state
    whole = isinstance(shape, tuple) and len(shape) == 2 and all(is_whole(side, 1) for side in shape)
    if not (whole and isinstance(kind, _Kind) and kind.name in ("u1", "|u1") and isinstance(data, bytes)):
        raise _refused("contains an array of something other than pixels")
    if math.prod(shape) != len(data):
        raise _refused("contains an array whose bytes do not fit its shape")
    return np.frombuffer(data, np.uint8).reshape(shape, order="F" if fortran else "C")


def _refused(what: str) -> BadInput:
    return BadInput(
        f"This file {what}, which a CIFAR batch never does, so it was not read. Expected a file from the archive that "
        "CIFAR's authors publish. Download it again, and do not open this one in other programs."
    )


MAX_BATCH_BYTES = 250_000_000
"""Bytes of one file; CIFAR-100's largest has 155 million."""

MAX_ARCHIVE_BYTES = 600_000_000
"""Bytes of all files; CIFAR-100 has 187 million."""

TRAINING = (*(f"data_batch_{number}" for number in range(1, 6)), "train")
TEST = ("test_batch", "test")
NAMES = ("batches.meta", "meta", "batches.meta.txt", "fine_label_names.txt")
PIXELS = 3 * 32 * 32
CONVERT = "testimate convert cifar FOLDER --out DATA.npz"


@dataclass(frozen=True, eq=False)
class CifarSplit:
    """Pictures (n, 32, 32, 3) uint8 and their classes (n,)."""

    images: NDArray[np.uint8]
    labels: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Cifar:
    """Both splits, either of which may be missing, and the class names in order; empty if no file names them."""

    training: CifarSplit | None
    test: CifarSplit | None
    classes: tuple[str, ...]


def is_cifar(names: Mapping[str, int] | set[str]) -> bool:
    """Whether files of these names are a CIFAR folder: a batch, and no ending but .bin or none."""
    stems = {name.removesuffix(".bin") for name in names}
    return bool(stems & set(TEST)) and bool(stems & {*TRAINING, *NAMES})


def read_cifar(source: Path, *, pickles: bool = False, progress: Progress = silent) -> Cifar:
    """Reads a folder or a .tar.gz as published.

    ``pickles`` : whether the form for Python is read, too; only the terminal asks for it. Reading it runs nothing
    (see `cifar_pickle`). Raises BadInput for anything that is not CIFAR.
    """
    files: dict[str, bytes] = {}
    wanted = {*TRAINING, *TEST, *NAMES} | {f"{name}.bin" for name in (*TRAINING, *TEST)}
    for name, content in _folder(source, wanted) if source.is_dir() else _archive(source, wanted):
        progress(len(files), 8, "reading CIFAR")
        files[name] = content
    binary = any(name.endswith(".bin") for name in files)
    if not binary and files and not pickles:
        raise BadInput(
            "These CIFAR files are pickles, which can contain programs. Expected a form without them. Convert them "
            f"at the terminal ({CONVERT.replace('FOLDER', quote(source.name))}) or download the binary version."
        )
    read: Callable[[bytes, str], CifarSplit] = _binary if binary else _pickled
    ending = ".bin" if binary else ""
    splits = [
        _joined([read(files[name + ending], name) for name in names if name + ending in files])
        for names in (TRAINING, TEST)
    ]
    if not any(splits):
        if source.is_dir():
            raise BadInput(
                f"{source.name!r:.100} contains no CIFAR batches. Expected data_batch_1 and so on. Choose another."
            )
        archive = next(kind for kind in FOREIGN if b"ustar" in kind.starts)
        raise BadInput(
            f"{source.name!r:.100} is {archive.called} without CIFAR's data_batch_1 and so on. Expected a folder or a zip. "
            f"{archive.inputs}"
        )
    classes = _class_names(files, binary)
    most = max(int(split.labels.max()) for split in splits if split is not None)
    if classes and most >= len(classes):
        raise BadInput(
            f"A label is class {most} and there are {len(classes)} names. Expected a name for each class. Download it again."
        )
    return Cifar(splits[0], splits[1], classes)


def _folder(folder: Path, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    for name in FolderFiles(folder).names:
        if name.rsplit("/", 1)[-1] in wanted:
            yield name.rsplit("/", 1)[-1], file_content(folder / name, MAX_BATCH_BYTES)


def _archive(path: Path, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """The wanted files of a .tar.gz, read one by one as the stream unpacks, never extracted."""
    try:
        with opened(path, packed=is_packed(path)) as stream:  # some browsers unpack what they download
            counted: Any = _Counted(stream)
            with tarfile.open(fileobj=counted, mode="r|") as archive:
                for member in archive:
                    _check_member(member)
                    name = member.name.rsplit("/", 1)[-1]
                    content = archive.extractfile(member) if name in wanted else None
                    if content is not None:
                        yield name, content.read()
    except TestimateError:
        raise
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        raise BadInput(
            f"{path.name!r:.100} is a tar archive that is damaged or cut off ({error!s:.80}). Expected a complete one. "
            "Download it again."
        ) from error


def _check_member(member: tarfile.TarInfo) -> None:
    check_member_name(member.name)
    if not (member.isfile() or member.isdir()):
        raise BadInput(
            f"The archive contains {member.name!r:.100}, a link or a device. Expected files. Download it again."
        )
    if member.size > MAX_BATCH_BYTES:
        raise limits.too_large(f"bytes in {member.name!r:.60}", member.size, MAX_BATCH_BYTES, "Download it again.")


class _Counted:
    """A stream that refuses to unpack to more than ``MAX_ARCHIVE_BYTES``."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._count = stream, 0

    def read(self, size: int) -> bytes:
        piece: bytes = self._stream.read(size)
        self._count += len(piece)
        if self._count > MAX_ARCHIVE_BYTES:
            raise limits.too_large("or more bytes when unpacked", self._count, MAX_ARCHIVE_BYTES, "Download it again.")
        return piece


def _binary(content: bytes, name: str) -> CifarSplit:
    """Records of 1 label (CIFAR-10) or 2 (CIFAR-100, the second is the fine one) and 3,072 pixels, red first."""
    marks = 2 if name in ("train", "test") else 1
    if not content or len(content) % (marks + PIXELS):
        raise BadInput(f"{name!r} is cut off in the middle of a picture. Expected a complete file. Download it again.")
    records = np.frombuffer(content, np.uint8).reshape(-1, marks + PIXELS)
    return CifarSplit(_pictures(records[:, marks:]), records[:, marks - 1].astype(np.intp))


def _pickled(content: bytes, name: str) -> CifarSplit:
    read = read_cifar_pickle(content)
    pixels, labels = read.get("data"), read.get("labels", read.get("fine_labels"))
    if not (isinstance(pixels, np.ndarray) and pixels.shape[1] == PIXELS and _are_labels(labels, len(pixels))):
        raise BadInput(
            f"{name!r} does not contain {commas(3072)} pixels and a label per picture. Expected CIFAR's own file. Download it "
            "again."
        )
    return CifarSplit(_pictures(pixels), np.array(labels, np.intp))


def _are_labels(labels: object, count: int) -> bool:
    if not isinstance(labels, list) or len(labels) != count:
        return False
    return all(is_whole(label, 0, 255) for label in labels)


def _pictures(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(n, 3072) pixels, all red ones first, as (n, 32, 32, 3)."""
    return np.ascontiguousarray(rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))


def _joined(splits: list[CifarSplit]) -> CifarSplit | None:
    if not splits:
        return None
    images = splits[0].images if len(splits) == 1 else np.concatenate([split.images for split in splits])
    return CifarSplit(images, np.concatenate([split.labels for split in splits]))


def _class_names(files: Mapping[str, bytes], binary: bool) -> tuple[str, ...]:
    for name in NAMES:
        if name in files and binary == name.endswith(".txt"):
            if binary:
                return tuple(files[name].decode("utf-8", "replace").split())
            read = read_cifar_pickle(files[name])
            given = read.get("label_names", read.get("fine_label_names", ()))
            if isinstance(given, list):
                return tuple(n.decode("utf-8", "replace") if isinstance(n, bytes) else str(n)[:200] for n in given)
    return ()


def convert_cifar(source: Path, out: Path, *, progress: Progress = silent) -> Cifar:
    """Writes CIFAR in either form, a folder or a .tar.gz, as arrays that hold no code; returns what was written.

    The .npz has x_train and x_test (n, 32, 32, 3) uint8, y_train and y_test (n,), and class_names; it is written whole or
    not at all, and equal files give equal bytes. The form for Python is a pickle; nothing that it names is run.

    Raises
    ------
    BadInput : not CIFAR, a pickle that asks for more than CIFAR needs, or ``out`` does not end in .npz.
    StoreUnavailable : the file could not be written.
    """
    if out.suffix != ".npz":
        raise BadInput(f"The file to write is {out.name!r:.100}. Expected a name that ends in .npz. Change it.")
    read = read_cifar(source, pickles=True, progress=progress)
    arrays: dict[str, Any] = {"class_names": np.array(read.classes)} if read.classes else {}
    for name, split in (("train", read.training), ("test", read.test)):
        if split is not None:
            arrays |= {f"x_{name}": split.images, f"y_{name}": split.labels.astype(np.uint8)}
    try:
        with replacing(out) as file:
            np.savez(file, **arrays)
    except OSError as error:
        raise StoreUnavailable(
            f"{out.name!r:.100} could not be written ({error.strerror}). Expected a folder that can be written and has "
            "room. Free space or choose another."
        ) from error
    return read
