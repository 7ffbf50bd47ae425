"""CIFAR-10 and CIFAR-100 as their makers publish them: the binary form is a dataset, the pickled one is converted."""

import gzip
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, TestimateError
from testimate.core.progress import Progress, silent
from testimate.core.words import spaced
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.cifar_pickle import read_cifar_pickle
from testimate.subjects.datasets.folder_files import FolderFiles
from testimate.subjects.datasets.member_names import check_member_name
from testimate.subjects.datasets.small_files import file_content

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
            "These CIFAR files are pickles, which can hold programs; expected a form without them. Convert them "
            f"at the terminal ({CONVERT}) or download the binary version."
        )
    read: Callable[[bytes, str], CifarSplit] = _binary if binary else _pickled
    ending = ".bin" if binary else ""
    splits = [
        _joined([read(files[name + ending], name) for name in names if name + ending in files])
        for names in (TRAINING, TEST)
    ]
    if not any(splits):
        raise BadInput(f"{source.name!r:.100} holds no CIFAR batches; expected data_batch_1 and so on. Choose another.")
    classes = _class_names(files, binary)
    most = max(int(split.labels.max()) for split in splits if split is not None)
    if classes and most >= len(classes):
        raise BadInput(
            f"A label is class {most} and there are {len(classes)} names; expected a name for each class. Download it again."
        )
    return Cifar(splits[0], splits[1], classes)


def _folder(folder: Path, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    for name in FolderFiles(folder).names:
        if name.rsplit("/", 1)[-1] in wanted:
            yield name.rsplit("/", 1)[-1], file_content(folder / name, MAX_BATCH_BYTES)


def _archive(path: Path, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """The wanted files of a .tar.gz, read one by one as the stream unpacks, never extracted."""
    try:
        with gzip.open(path) as stream:
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
            f"{path.name!r:.100} is damaged or cut off ({error!s:.80}); expected a complete .tar.gz. Download it again."
        ) from error


def _check_member(member: tarfile.TarInfo) -> None:
    check_member_name(member.name)
    if not (member.isfile() or member.isdir()):
        raise BadInput(
            f"The archive holds {member.name!r:.100}, a link or a device; expected files. Download it again."
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
        raise BadInput(f"{name!r} is cut off in the middle of a picture; expected a complete file. Download it again.")
    records = np.frombuffer(content, np.uint8).reshape(-1, marks + PIXELS)
    return CifarSplit(_pictures(records[:, marks:]), records[:, marks - 1].astype(np.intp))


def _pickled(content: bytes, name: str) -> CifarSplit:
    read = read_cifar_pickle(content)
    pixels, labels = read.get("data"), read.get("labels", read.get("fine_labels"))
    if not (isinstance(pixels, np.ndarray) and pixels.shape[1] == PIXELS and _are_labels(labels, len(pixels))):
        raise BadInput(
            f"{name!r} does not hold {spaced(3072)} pixels and a label per picture; expected CIFAR's own file. Download it "
            "again."
        )
    return CifarSplit(_pictures(pixels), np.array(labels, np.intp))


def _are_labels(labels: object, count: int) -> bool:
    if not isinstance(labels, list) or len(labels) != count:
        return False
    return all(type(label) is int and 0 <= label < 256 for label in labels)


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
