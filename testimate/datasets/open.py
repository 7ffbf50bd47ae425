"""Opens any dataset, a file or a folder, by its content and not by its name: the first reader that knows the content.

A reader says how a kind is recognized and how it is opened; other packages bring theirs under the entry point
``testimate.datasets``. Files of arrays become pictures, rows of numbers or texts by the shape of their inputs.
"""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput, TestimateError
from testimate.core.plug_ins import first_that_knows, plug_ins
from testimate.core.progress import Progress, silent
from testimate.core.reading import Reading
from testimate.core.words import commas
from testimate.datasets import limits
from testimate.datasets.array_files import (
    MAGIC,
    ArrayMember,
    ArraySplit,
    StoredArray,
    array_members,
    array_roles,
    calls_answers,
    idx_members,
    is_idx,
    is_idx_name,
    operational_split,
    training_split,
)
from testimate.datasets.cifar import CifarSplit, is_cifar, read_cifar
from testimate.datasets.companions import BELONGING
from testimate.datasets.dataset import KnownAnswers, OpenedDataset, PreparedDataset, from_array
from testimate.datasets.file_sets import ANIMATED, NAMED_BY, OTHER_FOLDERS, TURNED, open_file_set
from testimate.datasets.folders import FolderFiles, WatchedFile, ZipFiles
from testimate.datasets.label_columns import may_be_labels
from testimate.datasets.labels_beside import LABELS_FROM, NOT_USED, SEVERAL
from testimate.datasets.parquet_folders import is_parquet_file, one_table, parquet_splits
from testimate.datasets.pictures import ArrayPictures, PictureDataset
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.saved import is_saved_dataset, open_embedded, open_saved_dataset
from testimate.datasets.sounds import SoundDataset
from testimate.datasets.tables import (
    NumberDataset,
    is_json_lines,
    open_cells,
    open_csv_texts,
    open_json_lines,
    open_parquet_texts,
    open_table,
    text_column_of_csv,
    text_column_of_parquet,
)
from testimate.datasets.texts import CONVERT, MARKS, TextDataset, TextList
from testimate.tables.archives import holds_one_table
from testimate.tables.cells import Cells, parquet
from testimate.tables.files import file_bytes, read_cells, read_table_file
from testimate.tables.kinds import FOREIGN, NOT_TEXT, START_BYTES, ForeignKind, begins, is_json
from testimate.tables.parquet import holds_files, readable
from testimate.tables.rules import FOUND, LATEST


@dataclass(frozen=True)
class Asked:
    """The caller's settings for the dataset: see ``open_dataset_file``."""

    split: str | None
    preprocessing: Preprocessing
    label: str | None
    progress: Progress
    leave_out: bool
    labels_above: bool
    apart: bool
    text: str | None
    rules: int


@dataclass(frozen=True)
class FileToRead:
    """A file and its first 512 bytes, unpacked if it is packed by gzip."""

    path: Path
    start: bytes
    asked: Asked

    @property
    def name(self) -> str:
        """Return the file's name for a sentence."""
        return f"{self.path.name!r:.100}"


@dataclass(frozen=True)
class FolderToRead:
    """A folder and the files in it."""

    path: Path
    files: FolderFiles
    asked: Asked

    @cached_property
    def here(self) -> dict[str, int]:
        """Return the bytes of each file that lies in the folder itself, by name."""
        return {name: size for name, size in self.files.sizes.items() if "/" not in name}


class FileReader(NamedTuple):
    """One kind of file."""

    knows: Callable[[FileToRead], bool]
    open: Callable[[FileToRead], OpenedDataset]


class FolderReader(NamedTuple):
    """One kind of folder."""

    knows: Callable[[FolderToRead], bool]
    open: Callable[[FolderToRead], OpenedDataset]


def refused(knows: Callable[[FileToRead], bool], sentence: str) -> FileReader:
    """Return the reader of a kind that is not read: the sentence follows the file's name."""

    def refuse(file: FileToRead) -> OpenedDataset:
        raise BadInput(f"{file.name} {sentence}")

    return FileReader(knows, refuse)


def open_arrays(
    members: Mapping[str, ArrayMember],
    name: str,
    *,
    split: str | None,
    preprocessing: Preprocessing,
    label: str | None = None,
    apart: bool = False,
) -> OpenedDataset:
    """The arrays of the operational split, with those of the training set where there are any.

    (N, H, W), (N, H, W, C) and (N, C, H, W) are pictures, (N, width) and (N,) rows of numbers, (N,) words texts. Arrays of
    other splits are not read, and those without a role are said. BadInput where names and shapes do not show which array is
    which. ``apart`` : whether one that is called or filled as a key, a prediction or a weight holds no labels.
    """
    may_be = partial(_may_be_answers, members) if apart else None
    roles = array_roles({name: member.header for name, member in members.items()}, label, may_be_answers=may_be)
    operational = operational_split(roles.splits, split)
    training = training_split(roles.splits, operational)
    class_names: tuple[str, ...] = ()
    if roles.class_names is not None:
        class_names = _class_names(members[roles.class_names])

    def opened(one: ArraySplit, training_set: OpenedDataset | None) -> OpenedDataset:
        dataset = _dataset(members[one.inputs].open(), preprocessing)
        return OpenedDataset(
            name, dataset, _answers(members, one, class_names), _facts(members[one.inputs]), training_set, class_names
        )

    trained = None if training is None else opened(roles.splits[training], None)
    found = opened(roles.splits[operational], trained)
    said = [(NOT_USED, f"{one}, an array of {_in_words(members[one])}") for one in roles.unused]
    answers = roles.splits[operational].answers
    if answers is not None and (answers == label or (apart and not calls_answers(answers))):
        said.append((LABELS_FROM, answers))
    beside = () if found.known is not None else _beside(members, roles.unused, len(found.dataset))
    words = {one: few for one in may_be_labels(beside) if (few := _few_values(members[one]))}
    return replace(found, facts=(*found.facts, *said), columns=beside, words=words)


def _may_be_answers(members: Mapping[str, ArrayMember], name: str) -> bool:
    """Whether an array with a value for each input may hold the labels: neither its name nor a number of its own for each
    says that it is a key or the like."""
    if not may_be_labels([name]):
        return False
    member = members[name]
    if calls_answers(name) or member.header.dtype.kind == "f" or member.header.bytes > limits.MAX_TEXT_BYTES:
        return True
    values = member.open().values.ravel()
    return len(values) < EACH_VALUE or len(np.unique(values)) < len(values)


def _beside(members: Mapping[str, ArrayMember], unused: Sequence[str], count: int) -> tuple[str, ...]:
    """The arrays without a role that have one value for each input."""
    return tuple(one for one in unused if members[one].header.shape in ((count,), (count, 1)))


def _few_values(member: ArrayMember) -> tuple[str, ...]:
    """The different words or whole numbers of an array, where there are two, or each stands ten times on average; else none."""
    values = member.open().values.ravel()
    if values.nbytes > limits.MAX_TEXT_BYTES or (
        values.dtype.kind == "f" and not (np.isfinite(values) & (values % 1 == 0)).all()
    ):
        return ()
    different = np.unique(values)
    if not 2 <= len(different) <= max(2, len(values) // EACH_VALUE):
        return ()
    if different.dtype.kind == "f":
        different = different.astype(np.int64)
    return tuple(one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in different.tolist())


EACH_VALUE = 10
"""How often each class stands on average in an array of labels that no name calls so."""


def _dataset(stored: StoredArray, preprocessing: Preprocessing) -> PreparedDataset:
    values = stored.values
    limits.check_rows(len(values))
    if values.size // len(values) > limits.MAX_VALUES:
        raise limits.too_large("numbers in an input", values.size // len(values), limits.MAX_VALUES)
    if values.dtype.kind in "US":
        if values.ndim != 1:
            raise BadInput(
                f"{stored.name!r:.60} contains words of shape {values.shape}. Expected one text per input, (N,). Join "
                "them."
            )
        return TextDataset(TextList(len(values), partial(_text, stored), stored.fingerprint), preprocessing)
    if values.ndim <= 2:
        return NumberDataset(stored, preprocessing)
    return PictureDataset(ArrayPictures(stored), preprocessing)


def _text(stored: StoredArray, row: int) -> str:
    text: Any = stored.rows(row)  # a single word, not an array
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _answers(members: Mapping[str, ArrayMember], one: ArraySplit, names: tuple[str, ...]) -> KnownAnswers | None:
    if one.answers is None:
        return None
    values = members[one.answers].open().values
    if values.nbytes > limits.MAX_TEXT_BYTES:
        raise limits.too_large("bytes of labels", values.nbytes, limits.MAX_TEXT_BYTES)
    return from_array(np.array(values), names=names)


def _class_names(member: ArrayMember) -> tuple[str, ...]:
    if member.header.bytes > limits.MAX_SETTINGS_BYTES * 10 or len(member.header.shape) != 1:
        raise BadInput(f"{member.name!r:.60} has no list of class names. Expected one name per class. Correct it.")
    return tuple(
        n.decode("utf-8", "replace") if isinstance(n, bytes) else str(n) for n in member.open().values.tolist()
    )


def _facts(member: ArrayMember) -> tuple[tuple[str, str], ...]:
    return (("array", f"{member.name}, {_in_words(member)}"),)


def _in_words(member: ArrayMember) -> str:
    return f"{' x '.join(map(str, member.header.shape)) or 'one'}, {member.header.dtype}"


@runtime_checkable
class DatasetReader(Protocol):
    """Reads one kind of file that Testimate itself does not; the files are of unknown origin and may be malicious."""

    def knows(self, start: bytes) -> bool:
        """Whether the file begins like one of its kind; ``start`` is its first 512 bytes."""
        ...

    def open(self, path: Path, preprocessing: Preprocessing) -> OpenedDataset:
        """The inputs in the file's order, with their answers where it has them; BadInput where it cannot be read."""
        ...


@cache
def dataset_readers() -> dict[str, DatasetReader]:
    """The readers of installed packages, by name."""
    return plug_ins("testimate.datasets", _check)


def _check(name: str, reader: Any) -> None:
    if isinstance(reader, type) or not isinstance(reader, DatasetReader):
        raise BadInput(
            f"{name!r:.60} is {reader!r:.60}. Expected an object with knows and open. Name one in the entry point"
        )


PLURALS = {"image": "pictures", "text": "texts", "audio": "sounds", "tabular": "rows of numbers"}


def facts_of(opened: OpenedDataset) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs: how many inputs of what kind, and what is known about their answers."""
    dataset = opened.dataset
    facts = [
        ("inputs", f"{commas(len(dataset))} {PLURALS[dataset.modality]}{_details(opened)}"),
        ("labels", _labels(opened)),
    ]
    if opened.classes:
        facts.append(("classes", str(len(opened.classes))))
    return tuple(facts)


def _truth_in_words(opened: OpenedDataset) -> str:
    """Which inputs came with their truth, and from where; "" where none did."""
    if opened.known is None:
        return ""
    table = dict(opened.facts).get(LABELS_FROM, "").partition(" (")[0]
    where = f"in {table}" if table else "beside the inputs"
    where = "by the names of the folders" if opened.known.source == "folders" else where
    count = "" if opened.truth is not None else f" of {commas(len(opened.known.rows))}"
    return f"{where}{count}"


def _labels(opened: OpenedDataset) -> str:
    if opened.known is None:
        return "none known"
    if opened.truth is None:
        return f"{commas(len(opened.known.rows))} of {commas(len(opened.dataset))} known"
    return "all known"


def _details(opened: OpenedDataset) -> str:
    dataset = opened.dataset
    if isinstance(dataset, PictureDataset):
        shape = dataset.source.shape
        if shape is None:
            return " of different sizes"
        colors = "gray" if shape[2] == 1 else "in color"
        return f" of {shape[0]} x {shape[1]} pixels, {colors}"
    if isinstance(dataset, SoundDataset):
        lengths = [size.samples for size in dataset.sizes]
        rates = Counter(size.rate for size in dataset.sizes)
        said = ", ".join(commas(rate) for rate in sorted(rates)[:3])
        shortest = "" if min(lengths) == max(lengths) else f"{commas(min(lengths))} to "
        return f" of {shortest}{commas(max(lengths))} samples, {said} per second"
    return ""


GZIP, ZIP, PARQUET, BYTE_ORDER_MARK = b"\x1f\x8b", b"PK", b"PAR1", b"\xef\xbb\xbf"


def open_dataset_file(
    path: Path,
    *,
    split: str | None = None,
    preprocessing: Preprocessing | None = None,
    label: str | None = None,
    leave_out: bool = False,
    labels_above: bool = True,
    apart: bool = True,
    text: str | None = None,
    rules: int = LATEST,
    progress: Progress = silent,
) -> OpenedDataset:
    """Opens a dataset of unknown origin; nothing in it is run, followed or extracted, and limits are checked before reading.

    A file may be .npz, .npy, IDX (.gz), a table of any kind that is read here, a zip of pictures, texts or sounds, or CIFAR's
    binary .tar.gz. A folder may hold pictures, texts or sounds, .npy or IDX files, CIFAR's binary files, or what Hugging
    Face's save_to_disk left. Rows keep the order of the file; those of a folder or zip, the order of names.

    Parameters
    ----------
    path : of the file or folder.
    split : the operational one; by default test, else validation, else the only split.
    preprocessing : what is done to each input before the model sees it; by default nothing.
    label : name of the column with the answers, if it is not a usual one.
    leave_out : whether files of a folder or zip that cannot be read are left out; else UnreadableFiles names them.
    labels_above : whether a labels.csv beside the folder of the inputs gives their labels too.
    apart : whether masks and thumbnails beside their pictures are no inputs, and numbers in the names of files name
        them in a table elsewhere.
    text : name of a table's column with the texts, if it is not a usual one.
    rules : by which rules the columns of a table are read, the latest by default; see ``testimate.tables.rules``.
    progress : reports how many inputs are read.

    Returns
    -------
    OpenedDataset; with a training set where the file has a training split besides the operational one.

    Raises
    ------
    BadInput : the file or folder cannot be used; the sentence says why and what to do.
    StoreUnavailable : the disk has no room for an unpacked array.
    """
    asked = Asked(split, preprocessing or Preprocessing(), label, progress, leave_out, labels_above, apart, text, rules)
    try:
        opened = _folder(path, asked) if path.is_dir() else _file(path, asked)
    except TestimateError:
        raise
    except OSError as error:
        raise BadInput(
            f"{path.name!r:.100} could not be read ({error.strerror}). Expected a file or folder that exists and may "
            "be read. Check its name and permissions."
        ) from error
    if asked.apart:
        opened = replace(opened, facts=(*opened.facts, *_on_repeated(opened.dataset)))
    unit = PLURALS[opened.dataset.modality]
    reading = opened.reading or Reading(opened.name, unit, unit=unit, known=_truth_in_words(opened))
    reading = replace(reading, size=len(opened.dataset))
    for table, more in (said.split(maxsplit=1) for name, said in opened.facts if name == NOT_USED and " " in said):
        reading = replace(reading, left_out={**reading.left_out, table.rstrip(","): more})
    doubts = [f"{name[:1].upper()}{name[1:]}: {said}." for name, said in opened.facts if name in DOUBTFUL]
    reading = replace(reading, doubtful=(*reading.doubtful, *doubts))
    beside = {name: said for name, said in opened.facts if name in BELONGING}
    reading = replace(reading, left_out={**reading.left_out, **beside})
    if opened.left_out:
        reading = replace(reading, left_out={**reading.left_out, f"{commas(opened.left_out)} files": "unreadable"})
    return replace(opened, facts=(*facts_of(opened), *opened.facts), reading=reading)


REPEATED, MANY = "repeated inputs", 0.05
"""The name of the fact about inputs that are the same as an earlier one, and the share from which on it is said."""

DOUBTFUL = (TURNED, ANIMATED, SEVERAL, NAMED_BY, OTHER_FOLDERS, REPEATED)
"""Facts that say what is doubtful in how a dataset was read."""


def _on_repeated(dataset: PreparedDataset) -> tuple[tuple[str, str], ...]:
    """The fact about inputs that are the same as an earlier one; none where they are few."""
    digests = getattr(dataset, "digests", None)  # another package's dataset may have none
    repeated = 0 if digests is None else len(dataset) - len({*digests()})
    said = f"{commas(repeated)} of {commas(len(dataset))} are the same as an earlier one, and each of them counts"
    return ((REPEATED, said),) if repeated and repeated >= MANY * len(dataset) else ()


def _folder(folder: Path, asked: Asked) -> OpenedDataset:
    given = FolderToRead(folder, FolderFiles(folder), asked)
    return next(reader for reader in FOLDER_READERS if reader.knows(given)).open(given)


def _file(path: Path, asked: Asked) -> OpenedDataset:
    given = FileToRead(path, _start(path), asked)
    if asked.text is not None:
        return _any_table(given)
    for reader in FILE_READERS:
        if reader.knows(given):
            return reader.open(given)
    name = first_that_knows(dataset_readers(), given.start)
    if name is not None:
        return _plugged(name, given)
    return next(reader for reader in FILE_READERS_AFTER_PLUG_INS if reader.knows(given)).open(given)


def _plugged(name: str, file: FileToRead) -> OpenedDataset:
    """The dataset read by another package's reader; BadInput where it cannot be read, whatever the reader itself raises."""
    try:
        return dataset_readers()[name].open(file.path, file.asked.preprocessing)
    except BadInput:
        raise
    except Exception as error:  # another package's code may raise anything for a damaged file
        raise BadInput(
            f"{file.name} could not be read by {name} ({type(error).__name__}: {error!s:.200}). Expected a "
            "complete file of its kind. Export it again, or tell the author of the reader."
        ) from error


def _start(path: Path) -> bytes:
    """The first 512 bytes of the file, unpacked if it is packed by gzip."""
    with path.open("rb") as file:
        start = file.read(START_BYTES)
        if not start.startswith(GZIP):
            return start
        file.seek(0)
        try:
            return gzip.GzipFile(fileobj=file).read(START_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(
                f"{path.name!r:.100} is damaged or cut off ({error!s:.80}). Expected a complete file. Download it again."
            ) from error


def _is_foreign(kind: ForeignKind, file: FileToRead) -> bool:
    return kind.knows(file.start)


def _saved(folder: FolderToRead) -> OpenedDataset:
    asked = folder.asked
    return open_saved_dataset(
        folder.path,
        split=asked.split,
        preprocessing=asked.preprocessing,
        label=asked.label,
        rules=asked.rules,
        progress=asked.progress,
    )


def _arrays(given: FileToRead | FolderToRead) -> OpenedDataset:
    path, asked = given.path, given.asked
    return _of_members(array_members(path), path.name, asked)


def _idx(given: FileToRead | FolderToRead) -> OpenedDataset:
    path, asked = given.path, given.asked
    return _of_members(idx_members(path), path.name, asked)


def _of_members(members: Mapping[str, ArrayMember], name: str, asked: Asked) -> OpenedDataset:
    return open_arrays(
        members,
        name,
        split=asked.split,
        preprocessing=asked.preprocessing,
        label=asked.label,
        apart=asked.apart,
    )


def _file_set(files: FolderFiles | ZipFiles, name: str, asked: Asked) -> OpenedDataset:
    return open_file_set(
        files,
        name,
        split=asked.split,
        preprocessing=asked.preprocessing,
        label=asked.label,
        progress=asked.progress,
        leave_out=asked.leave_out,
        labels_above=asked.labels_above,
        apart=asked.apart,
        rules=asked.rules,
    )


def _zip(file: FileToRead) -> OpenedDataset:
    files = ZipFiles(file.path)
    if any(name.endswith(("data.pkl", ".pkl", ".pickle")) for name in files.names):
        of_torch = any(name.endswith("data.pkl") for name in files.names)
        way = f"x, y = torch.load({file.name}, weights_only=True); numpy.savez('data.npz', x_test=x, y_test=y)"
        raise BadInput(
            f"{file.name} contains a pickle, which can run any program on this computer. Expected a form that "
            f"contains only data. {f'In Python: {way}.' if of_torch else 'Save the arrays with numpy.savez.'}"
        )
    if files.names and all(name.endswith(".npy") for name in files.names):
        return _arrays(file)
    if files.names and all(map(is_idx_name, files.names)):
        return _idx(file)
    return _file_set(files, file.path.name, file.asked)


def _parquet(file: FileToRead) -> OpenedDataset:
    with readable():
        embedded = any(map(holds_files, parquet.read_schema(file.path).types))
    if embedded:
        cells, digest = read_table_file(file.path)
        return _embedded(cells, digest, file, [WatchedFile(file.path)])
    text = text_column_of_parquet(file.path)
    return _table(file, "t.parquet") if text is None else _texts(open_parquet_texts, file, text)


def _embedded(
    cells: Cells, digest: str, given: FileToRead | FolderToRead, files: Sequence[WatchedFile]
) -> OpenedDataset:
    asked = given.asked
    return open_embedded(
        cells,
        digest,
        given.path.name,
        files=files,
        preprocessing=asked.preprocessing,
        label=asked.label,
        progress=asked.progress,
    )


def _holds_parquet_files(folder: FolderToRead) -> bool:
    """Whether there are tables of Parquet in the folder, and the first one has files in a column."""
    first = next((name for name in folder.files.names if is_parquet_file(name)), None)
    if first is None:
        return False
    with readable():
        return any(map(holds_files, parquet.read_schema(folder.path / first).types))


def _parquet_files(folder: FolderToRead) -> OpenedDataset:
    """The operational split of a folder of Parquet files with pictures or sounds in them, with the training set."""
    splits = parquet_splits(folder.files.names)
    operational = operational_split(splits, folder.asked.split)
    training = training_split(splits, operational)

    def opened(split: str) -> OpenedDataset:
        cells, digest = one_table(folder.path, splits[split])
        return _embedded(cells, digest, folder, [WatchedFile(folder.path / name) for name in splits[split]])

    return replace(opened(operational), training=None if training is None else opened(training))


def _csv(file: FileToRead) -> OpenedDataset:
    text = text_column_of_csv(file.path)
    return _table(file, "t.csv") if text is None else _texts(open_csv_texts, file, text)


def _json(file: FileToRead) -> OpenedDataset:
    if not is_json_lines(file.path):
        return _any_table(file)
    return open_json_lines(file.path, file.asked.preprocessing, file.asked.label)


def _table(file: FileToRead, kind: str) -> OpenedDataset:
    cells = read_cells(file_bytes(file.path), kind)
    asked = file.asked
    return open_table(file.path, cells, asked.preprocessing, asked.label, asked.rules, lists=asked.apart)


def _any_table(file: FileToRead) -> OpenedDataset:
    cells = read_cells(file_bytes(file.path), file.path.name)
    if cells.embedded and file.asked.rules >= FOUND:
        return _embedded(cells, fingerprint.of_file(file.path), file, [WatchedFile(file.path)])
    asked = file.asked
    return open_cells(file.path, cells, asked.preprocessing, asked.label, asked.rules, text=asked.text)


def _texts(
    read: Callable[[Path, str, Preprocessing, str | None], OpenedDataset], file: FileToRead, text: str
) -> OpenedDataset:
    return read(file.path, text, file.asked.preprocessing, file.asked.label)


def _cifar(given: FileToRead | FolderToRead) -> OpenedDataset:
    path, asked = given.path, given.asked
    read = read_cifar(path, progress=asked.progress)
    splits = {name: one for name, one in (("test", read.test), ("train", read.training)) if one is not None}

    def opened(one: CifarSplit, training: OpenedDataset | None) -> OpenedDataset:
        source = ArrayPictures(StoredArray(path.name, one.images, fingerprint.of_array(one.images)))
        known = from_array(one.labels, names=read.classes)
        return OpenedDataset(path.name, PictureDataset(source, asked.preprocessing), known, (), training, read.classes)

    chosen = operational_split(splits, asked.split)
    trained = opened(splits["train"], None) if "train" in splits and chosen != "train" else None
    return opened(splits[chosen], trained)


FOLDER_READERS = (
    FolderReader(lambda folder: is_saved_dataset(folder.here), _saved),
    FolderReader(lambda folder: is_cifar({name.rsplit("/", 1)[-1] for name in folder.files.names}), _cifar),
    FolderReader(lambda folder: any(name.endswith(".npy") for name in folder.here), _arrays),
    FolderReader(
        lambda folder: any("idx" in name and is_idx(_start(folder.path / name)) for name in folder.here), _idx
    ),
    FolderReader(_holds_parquet_files, _parquet_files),
    FolderReader(lambda _: True, lambda folder: _file_set(folder.files, folder.path.name, folder.asked)),
)
"""The kinds of folders, in the order in which they are tried; the last takes any."""

LIBSVM = re.compile(rb"[-+]?[0-9][-+0-9.eE]*(?: [0-9]+:[-+0-9.eE]+)+\s*(?:#[^\n]*)?\n")
"""The first line of a file of LIBSVM's: a label, and numbers after their places."""

FILE_READERS = (
    refused(lambda file: not file.start, "is empty (0 bytes). Expected a dataset. Export it again."),
    FileReader(lambda file: file.start.startswith(MAGIC), _arrays),
    FileReader(lambda file: file.start.startswith(ZIP) and holds_one_table(file.path, file.path.name), _any_table),
    FileReader(lambda file: file.start.startswith(ZIP), _zip),
    refused(
        lambda file: file.path.suffix.lower() == ".zip",
        "is named like a zip but does not begin like one. Expected a zip of pictures, texts or sounds. Make it again, or "
        "name the file after what it contains.",
    ),
    refused(
        lambda file: file.start[:2] in MARKS,
        f"is text in UTF-16. Expected UTF-8. {CONVERT.replace('WINDOWS-1252', 'UTF-16')} (in Excel: CSV UTF-8).",
    ),
    refused(
        lambda file: b"@problemname" in file.start.lower(),
        "is a set of time series of sktime. Expected arrays. In Python: x, y = sktime.datasets.load_from_tsfile(FILE, "
        "return_data_type='numpy3d'); numpy.savez('data.npz', x_test=x, y_test=y).",
    ),
    FileReader(lambda file: is_idx(file.start), _idx),
    FileReader(lambda file: file.start[257:262] == b"ustar", _cifar),
    FileReader(lambda file: file.start.startswith(PARQUET), _parquet),
)
"""The kinds of files, in the order in which they are tried; a new reader is one more line."""

FILE_READERS_AFTER_PLUG_INS = (
    *(
        refused(
            partial(_is_foreign, kind),
            f"is {kind.called}. Expected a dataset: a folder or zip of files, arrays, or a table. {kind.inputs or kind.table}",
        )
        for kind in FOREIGN
    ),
    refused(
        lambda file: file.start[4:8] == bytes(4) and file.start[12:13] == b"\n" and any(file.start[:4]),
        "is TensorFlow's TFRecord, which does not say how its records are read. Expected arrays. In Python, with the dataset "
        "of your training: x, y = next(iter(dataset.unbatch().batch(10**6))); numpy.savez('data.npz', x_test=x, y_test=y).",
    ),
    refused(
        lambda file: LIBSVM.match(file.start) is not None,
        "is text of LIBSVM, numbers by their place. Expected a table or arrays. In Python: x, y = sklearn.datasets."
        "load_svmlight_file(FILE); numpy.savez('data.npz', x_test=x.toarray(), y_test=y).",
    ),
    FileReader(lambda file: file.start.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"{"), _json),
    FileReader(lambda file: is_json(file.start) or begins(file.start, *NOT_TEXT), _any_table),
    refused(
        lambda file: b"\0" in file.start,
        "contains binary data of an unknown kind. Expected .npz, .npy, IDX, CSV, Parquet, JSON Lines or a zip. Convert it.",
    ),
    FileReader(lambda _: True, _csv),
)
"""Those that are tried once no reader of another package knows the file; the last takes any."""
