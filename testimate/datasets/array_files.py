"""Files of arrays: NumPy and IDX, checked before they are read, with their splits, and mapped from disk."""

import gzip
import hashlib
import io
import math
import re
import shutil
import struct
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.folders import FolderFiles, WatchedFile, ZipFiles, reading_zip
from testimate.tables.column_names import SPLITS, TEST, TRAINING, VALIDATION

MAGIC = b"\x93NUMPY"
MAX_HEADER_BYTES = 10_000
"""Most bytes of a header; numpy itself would allocate the 4 GB that one can claim."""

LENGTH_BYTES = {(1, 0): 2, (2, 0): 4}
"""Bytes of the number that says how long the header is, by version (numpy.lib.format, "Format Version")."""

UNREADABLE = (
    *(ValueError, KeyError, SyntaxError, TypeError, MemoryError, RecursionError, OverflowError),
    tokenize.TokenError,
)
"""What numpy raises for an invalid header."""

HEADER_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class ArrayHeader:
    """Kind of number, shape and order of an array in a file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool = False

    @property
    def bytes(self) -> int:
        """Bytes of all its numbers."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(stream: IO[bytes], name: str) -> ArrayHeader:
    """Reads the header of an .npy stream and leaves it at the first number.

    Raises
    ------
    BadInput : not an .npy, Python objects, fields or times instead of numbers or words, empty, or above the limits.
    """
    try:
        version = npy.read_magic(stream)
        read, width = HEADER_READERS[version], LENGTH_BYTES[version]
        length = stream.read(width)
        if len(length) < width or int.from_bytes(length, "little") > MAX_HEADER_BYTES:
            raise ValueError("the header is too long")
        header_only = io.BytesIO(length + stream.read(int.from_bytes(length, "little")))
        shape, fortran, dtype = read(header_only, max_header_size=MAX_HEADER_BYTES)
    except UNREADABLE as error:
        raise BadInput(
            f"{name!r:.100} has no readable header of a NumPy array ({type(error).__name__}). Expected an array "
            "saved by numpy.save or numpy.savez. Save it again."
        ) from error
    if dtype.hasobject:
        raise BadInput(
            f"{name!r:.100} contains Python objects, and reading them can run any program on this computer. Expected "
            "numbers or words. Convert it (array.astype(float) or astype(str)) and save it again."
        )
    if dtype.kind not in "buifUS" or dtype.subdtype is not None or not dtype.itemsize:
        raise BadInput(
            f"{name!r:.100} contains {dtype!s:.60}. Expected numbers or words. Convert it and save it again."
        )
    header = ArrayHeader(dtype, tuple(int(side) for side in shape), bool(fortran))
    check_header(header, name)
    return header


def check_header(header: ArrayHeader, name: str) -> None:
    """BadInput where the array is empty, has a negative side, or claims more than the limits."""
    if header.bytes > limits.MAX_UNFOLDED_BYTES:
        raise limits.too_large(f"bytes in {name!r:.60}", header.bytes, limits.MAX_UNFOLDED_BYTES)
    if any(side < 1 for side in header.shape):
        raise BadInput(f"{name!r:.100} has shape {header.shape}. Expected an array that is not empty. Export it again.")


PIECE = 1 << 20
SPARE_BYTES = 100_000_000
"""Bytes to leave free on the disk that arrays are unpacked to."""


@dataclass(frozen=True, eq=False)
class StoredArray:
    """An array (N, ...) that is mapped from a file and read page by page as it is used, or is in memory.

    In another process or on another machine a mapped one is mapped again, so that its numbers need not be sent.

    Attributes
    ----------
    name : for sentences. values : read-only if they are mapped. fingerprint : of kind, shape and every byte. file : the
        one the values are mapped from, if others can change it, and ``place`` where they are in it.
    """

    name: str
    values: NDArray[Any]
    fingerprint: str
    file: WatchedFile | None = None
    place: "PlaceInFile | None" = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self.file is None or self.place is None:
            return StoredArray, (self.name, self.values, self.fingerprint, self.file)
        return _mapped_again, (self.name, self.fingerprint, self.file, self.place)

    def digests(self) -> Iterator[bytes]:
        """A digest of each row's values."""
        return (hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in self.rows(slice(None)))

    def rows(self, rows: Any) -> NDArray[Any]:
        """The values of some rows; SubjectChanged where the file has changed."""
        if self.file is not None:
            self.file.check()
        taken: NDArray[Any] = self.values[rows]
        return taken


@dataclass(frozen=True)
class PlaceInFile:
    """Where an array lies in a file: its header, and the byte at which its numbers begin."""

    path: Path
    header: ArrayHeader
    offset: int


def _mapped_again(name: str, fingerprint: str, file: WatchedFile, place: PlaceInFile) -> StoredArray:
    """The array in another process; SubjectChanged where the file is not there or is another one."""
    file.check()
    with place.path.open("rb") as opened:
        return StoredArray(name, _mapped(opened, place.header, place.offset), fingerprint, file, place)


def mapped_in_place(path: Path, name: str, header: ArrayHeader, offset: int) -> StoredArray:
    """The array whose numbers begin at ``offset`` in the file; read once for its fingerprint."""
    digest, watched = _digest_of(header), WatchedFile(path)
    with path.open("rb") as file:
        file.seek(offset)
        left = header.bytes
        while left and (piece := file.read(min(PIECE, left))):
            digest.update(piece)
            left -= len(piece)
        if left:
            raise _cut_off(name, left)
        place = PlaceInFile(path, header, offset)
        return StoredArray(name, _mapped(file, header, offset), digest.hexdigest()[:32], watched, place)


def unfolded(stream: IO[bytes], name: str, header: ArrayHeader) -> StoredArray:
    """The array whose numbers the stream gives, counted as they unpack into an unnamed file.

    Raises
    ------
    BadInput : the stream holds fewer or more bytes than the header says, or is damaged.
    StoreUnavailable : the disk is full.
    """
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if header.bytes + SPARE_BYTES > free:
        raise StoreUnavailable(
            f"{name!r:.100} unpacks to {commas(header.bytes)} bytes and {tempfile.gettempdir()} has {commas(free)} free. "
            "Expected room for it. Free space, or set TMPDIR to a larger disk."
        )
    digest = _digest_of(header)
    with tempfile.TemporaryFile() as file:
        left = header.bytes
        while left and (piece := _piece(stream, min(PIECE, left), name)):
            digest.update(piece)
            _write(file, piece)
            left -= len(piece)
        if left:
            raise _cut_off(name, left)
        if _piece(stream, 1, name):
            raise BadInput(
                f"{name!r:.100} contains more than its header says. Expected an array as saved. Save it again."
            )
        _write(file, b"")
        return StoredArray(name, _mapped(file, header, 0), digest.hexdigest()[:32])


def _piece(stream: IO[bytes], most: int, name: str) -> bytes:
    try:
        return stream.read(most)
    except (zlib.error, EOFError, OSError) as error:  # gzip.BadGzipFile is an OSError
        raise BadInput(
            f"{name!r:.100} is damaged or cut off ({error!s:.80}). Expected a complete file. Copy or download it again."
        ) from error


def _write(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
        if not piece:
            file.flush()
    except OSError as error:
        raise StoreUnavailable(
            f"The dataset could not be unpacked into {tempfile.gettempdir()} ({error.strerror}). Expected a disk with "
            "room. Free space, or set TMPDIR to a larger disk."
        ) from error


def _digest_of(header: ArrayHeader) -> Any:
    return hashlib.sha256(f"{header.dtype.str} {header.shape} {header.fortran} ".encode())


def _mapped(file: IO[bytes], header: ArrayHeader, offset: int) -> NDArray[Any]:
    order: Any = "F" if header.fortran else "C"
    values = np.memmap(file, dtype=header.dtype, mode="r", offset=offset, shape=header.shape, order=order)
    return np.asarray(values)


def _cut_off(name: str, missing: int) -> BadInput:
    return BadInput(
        f"{name!r:.100} ends {commas(missing)} bytes before its header says. Expected a complete file. Copy or download it "
        "again."
    )


@dataclass(frozen=True)
class ArrayMember:
    """An array known by its header; ``open`` maps it, and unpacks it first if it is packed."""

    name: str
    header: ArrayHeader
    open: Callable[[], StoredArray]


def array_members(path: Path) -> Mapping[str, ArrayMember]:
    """The arrays by name, without their ending .npy; none of them is read yet.

    Raises
    ------
    BadInput : a damaged file, something that is not an array or holds Python objects, sizes that contradict each other,
        or more bytes in all than ``limits.MAX_UNFOLDED_BYTES``.
    """
    if path.is_dir():
        found = [_npy(path / name) for name in FolderFiles(path).names if "/" not in name and name.endswith(".npy")]
    elif zipfile.is_zipfile(path):
        files = ZipFiles(path)
        found = [_member(path, files, name) for name in files.names if name.endswith(".npy")]
    else:
        found = [_npy(path)]
    total = sum(member.header.bytes for member in found)
    if total > limits.MAX_UNFOLDED_BYTES:
        raise limits.too_large("bytes in its arrays", total, limits.MAX_UNFOLDED_BYTES)
    return {member.name: member for member in found}


def _npy(path: Path) -> ArrayMember:
    with path.open("rb") as stream:
        header = read_header(stream, path.name)
        offset = stream.tell()
    _check_size(path.name, header, path.stat().st_size - offset)
    return ArrayMember(path.stem, header, partial(mapped_in_place, path, path.stem, header, offset))


def _member(path: Path, files: ZipFiles, name: str) -> ArrayMember:
    with reading_zip(path.name), files.open(name) as stream:
        header = read_header(stream, name)
        offset = stream.tell()
    _check_size(name, header, files.sizes[name] - offset)
    short = name.removesuffix(".npy")
    if files.members[name].compress_type == zipfile.ZIP_STORED:
        return ArrayMember(short, header, partial(_in_place, path, files, name, header, offset))
    return ArrayMember(short, header, partial(_unpacked, path, files, name, header))


def _in_place(path: Path, files: ZipFiles, name: str, header: ArrayHeader, offset: int) -> StoredArray:
    """A member that is not packed, mapped inside the zip; it begins after its local header (APPNOTE.TXT, 4.3.7)."""
    place = files.members[name].header_offset
    with reading_zip(path.name), path.open("rb") as file:
        file.seek(place)
        start = file.read(30)
        letters, extra = struct.unpack_from("<HH", start, 26)
    return mapped_in_place(path, name, header, place + 30 + letters + extra + offset)


def _unpacked(path: Path, files: ZipFiles, name: str, header: ArrayHeader) -> StoredArray:
    with reading_zip(path.name), files.open(name) as stream:
        read_header(stream, name)
        return unfolded(stream, name, header)


def _check_size(name: str, header: ArrayHeader, held: int) -> None:
    if held != header.bytes:
        raise BadInput(
            f"{name!r:.100} claims {commas(header.bytes)} bytes of numbers and contains {commas(held)}. Expected a complete "
            "array. Save it again."
        )


INPUTS = frozenset({"x", "image", "images", "img", "data", "inputs", "input", "features", "samples", "text", "texts"})
ANSWERS = frozenset({"y", "label", "labels", "target", "targets", "answers", "truth"})
CLASS_NAMES = frozenset({"classes", "classnames", "labelnames", "names", "categories"})


@dataclass(frozen=True)
class ArraySplit:
    """The names of the arrays of one split; ``answers`` is None if it has none."""

    inputs: str
    answers: str | None


@dataclass(frozen=True)
class ArrayRoles:
    """The splits by name ("test", "train", "validation", or "" for the only one), the array of class names, and the rest."""

    splits: Mapping[str, ArraySplit]
    class_names: str | None
    unused: tuple[str, ...] = ()


def array_roles(
    headers: Mapping[str, ArrayHeader], label: str | None = None, *, may_be_answers: Callable[[str], bool] | None = None
) -> ArrayRoles:
    """Sorts the arrays: x_test, y_train, X, images, test_labels, arr_0 and the like; BadInput where the names are unclear.

    ``label`` : the array of the answers, if a person named it; one that is not there counts as none. ``may_be_answers`` :
    whether an array with a value for each input may hold the answers; one that may not, such as image_ids, has no role.
    """
    inputs, answers, class_names = dict[str, str](), dict[str, str](), None
    other = set[str]()
    if may_be_answers is not None:
        other = {name for name, one in headers.items() if _is_beside(name, headers) and not may_be_answers(name)}
    for name, header in headers.items():
        if name == label or name in other:
            continue
        words = _parts_of(name)
        split = next((SPLITS[word] for word in words if word in SPLITS), "")
        if "".join(words) in CLASS_NAMES and header.dtype.kind in "US":
            class_names = name
        elif ANSWERS & set(words):  # before the inputs: "image_labels" are labels
            _add(answers, split, name)
        elif INPUTS & set(words):
            _add(inputs, split, name)
    if not inputs:
        inputs, answers = _by_shape({name: one for name, one in headers.items() if name != label}, answers, other)
    if label is not None and label in headers:
        answers[_split_of(label, inputs, headers)] = label
    splits = {split: ArraySplit(name, answers.get(split)) for split, name in inputs.items()}
    for one in splits.values():
        _check_counts(headers, one)
    used = {*inputs.values(), *answers.values(), class_names}
    return ArrayRoles(splits, class_names, tuple(name for name in headers if name not in used))


def _is_beside(name: str, headers: Mapping[str, ArrayHeader]) -> bool:
    """Whether an array has one value for each row of another one, which is wider."""
    shape = headers[name].shape
    wider = [one.shape for one in headers.values() if len(one.shape) > 1 and math.prod(one.shape[1:]) > 1]
    return bool(shape) and math.prod(shape[1:]) == 1 and any(shape[0] == one[0] for one in wider)


def _split_of(label: str, inputs: Mapping[str, str], headers: Mapping[str, ArrayHeader]) -> str:
    """The split that an array of answers belongs to: by its name, else the one to be tested that has as many inputs."""
    named = [SPLITS[word] for word in words_of(label) if SPLITS.get(word) in inputs]
    alike = [split for split, name in inputs.items() if headers[name].shape[:1] == headers[label].shape[:1]]
    return next(iter(named), operational_split(alike or inputs, None))


def calls_answers(name: str) -> bool:
    """Whether a name is that of answers, such as y_test."""
    return bool(ANSWERS & {*_parts_of(name)})


def _parts_of(name: str) -> list[str]:
    """The words and numbers of an array's name.

    >>> _parts_of("trainImages"), _parts_of("Xtest"), _parts_of("arr_0")
    (['train', 'images'], ['x', 'test'], ['arr', '0'])
    """
    parted = re.sub("([a-z])([A-Z])", r"\1_\2", name)
    return re.findall("[a-z0-9]+", re.sub("^([xy])(?=(train|test|val|valid)([^a-z]|$))", r"\1_", parted.casefold()))


def words_of(name: str) -> list[str]:
    """The words of a name, without its numbers.

    >>> words_of("val2017"), words_of("trainImages")
    (['val'], ['train', 'images'])
    """
    return re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1_\2", name).casefold())


def _add(found: dict[str, str], split: str, name: str) -> None:
    if split in found:
        raise BadInput(
            f"The arrays {found[split]!r:.60} and {name!r:.60} play the same role. Expected one of them, such as x_test "
            f"with y_test. Remove or rename the other{f', or say --label {name:.60}' if calls_answers(name) else ''}."
        )
    found[split] = name


def _by_shape(
    headers: Mapping[str, ArrayHeader], answers: dict[str, str], other: Collection[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """If no name says so: the only array that can be the inputs, and the only one with a value for each, unless ``other``."""
    others = {name: header for name, header in headers.items() if name not in answers.values() and header.shape}
    wide = [name for name, header in others.items() if len(header.shape) > 1] or list(others)
    if len(wide) != 1:
        raise BadInput(
            f"The arrays are {', '.join(map(repr, headers)) or 'none'!s:.200}. Expected names that say which are the "
            "inputs, such as x_test and y_test, x_train and y_train. Rename them."
        )
    count = headers[wide[0]].shape[0]
    beside = [name for name, header in others.items() if name != wide[0] and header.shape == (count,)]
    return {"": wide[0]}, answers or ({"": beside[0]} if len(beside) == 1 and beside[0] not in other else {})


def _check_counts(headers: Mapping[str, ArrayHeader], split: ArraySplit) -> None:
    if split.answers is None:
        return
    shape, labels = headers[split.inputs].shape, headers[split.answers].shape
    if not shape or not labels or shape[0] != labels[0]:
        raise BadInput(
            f"{split.inputs!r:.60} has shape {shape} and {split.answers!r:.60} {labels}. Expected an answer for each "
            "input. Correct them."
        )


def operational_split(splits: Collection[str], asked: str | None) -> str:
    """The requested split, else test, else validation, else the only one; BadInput where there is no such split."""
    if asked is not None:
        wanted = SPLITS.get(asked.casefold(), asked)
        if wanted in splits:
            return wanted
        raise BadInput(
            f"There is no split {asked!r:.60}. Expected one of {', '.join(map(repr, splits))!s:.200}. Choose one of these."
        )
    return next(split for split in (TEST, VALIDATION, "", *splits) if split in splits)


def training_split(splits: Mapping[str, object], operational: str) -> str | None:
    """The split a network was trained on, unless it is the operational one."""
    return TRAINING if TRAINING in splits and operational != TRAINING else None


KINDS = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""Kinds of numbers by the third byte of the file (LeCun, Cortes and Burges, "The MNIST database", file formats)."""

GZIP = b"\x1f\x8b"


def is_idx(start: bytes) -> bool:
    """Whether a file with this beginning is IDX: two zeros, the kind of number, 1 to 4 dimensions."""
    return len(start) >= 4 and start[:2] == b"\0\0" and start[2] in KINDS and 1 <= start[3] <= 4


def idx_members(path: Path) -> Mapping[str, ArrayMember]:
    """The arrays of a folder or zip of IDX files, or of one file with the labels beside it, by name.

    An images file finds its labels by its name: train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz. BadInput where
    a file is damaged or its size is not what its header says.
    """
    if zipfile.is_zipfile(path):
        files = ZipFiles(path)
        found = [_idx_in_zip(path, files, one) for one in files.names if is_idx_name(one)]
        return {member.name: member for member in found}
    if path.is_dir():
        paths = [path / name for name in FolderFiles(path).names if "/" not in name and is_idx_name(name)]
    else:
        labels = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1"))
        paths = [path, labels] if labels != path and labels.is_file() else [path]
    members = (_idx_member(one) for one in paths)
    return {member.name: member for member in members}


def is_idx_name(name: str) -> bool:
    """Whether a file of an archive is called as MNIST's are."""
    return "idx" in name.rsplit("/", 1)[-1]


def _idx_in_zip(path: Path, files: ZipFiles, member: str) -> ArrayMember:
    def stream() -> Any:
        with files.open(member) as held:
            packed = held.read(2) == GZIP
        return gzip.open(files.open(member)) if packed else files.open(member)

    def unpacked() -> StoredArray:
        with reading_zip(path.name), stream() as held:
            _header(held, member)
            return unfolded(held, name, header)

    name = _idx_name(member.rsplit("/", 1)[-1])
    with reading_zip(path.name), stream() as held:
        header = _header(held, member)
    return ArrayMember(name, header, unpacked)


def _idx_name(name: str) -> str:
    return name.split("-idx")[0].split(".")[0]


def _idx_member(path: Path) -> ArrayMember:
    name = _idx_name(path.name)
    packed = is_packed(path)
    try:
        with opened(path, packed=packed) as stream:
            header = _header(stream, path.name)
            offset = stream.tell()
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(
            f"{path.name!r:.100} is damaged or cut off ({error!s:.80}). Expected a complete file. Download it again."
        ) from error
    if packed:
        return ArrayMember(name, header, partial(_unpacked_idx, path, name, header))
    held = path.stat().st_size - offset
    if held != header.bytes:
        raise BadInput(
            f"{path.name!r:.100} claims {commas(header.bytes)} bytes of numbers and contains {commas(held)}. Expected a "
            "complete file. Download it again."
        )
    return ArrayMember(name, header, partial(mapped_in_place, path, name, header, offset))


def _unpacked_idx(path: Path, name: str, header: ArrayHeader) -> StoredArray:
    with opened(path, packed=True) as stream:
        _header(stream, path.name)
        return unfolded(stream, name, header)


def _header(stream: IO[bytes], name: str) -> ArrayHeader:
    start = stream.read(4)
    sides = stream.read(4 * start[3]) if is_idx(start) else b""
    if not sides or len(sides) != 4 * start[3]:
        raise BadInput(f"{name!r:.100} is not an IDX file. Expected one like MNIST's. Download it again.")
    header = ArrayHeader(np.dtype(KINDS[start[2]]), struct.unpack(f">{start[3]}I", sides))
    check_header(header, name)
    return header


def is_packed(path: Path) -> bool:
    """Whether a file is packed by gzip."""
    with path.open("rb") as file:
        return file.read(2) == GZIP


def opened(path: Path, *, packed: bool) -> Any:
    """A stream of bytes to be closed by ``with``."""
    return gzip.open(path) if packed else path.open("rb")
