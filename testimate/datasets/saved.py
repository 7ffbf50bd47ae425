"""Hugging Face datasets as save_to_disk writes them or as Parquet with files in it, checked as they are read.

A Hugging Face dataset as save_to_disk writes it: Arrow files beside two JSON files, read only by pyarrow.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput, TestimateError
from testimate.core.progress import Progress
from testimate.core.reading import UNUSABLE, ColumnRole, Reading
from testimate.core.subject import Shown
from testimate.core.words import first_line
from testimate.datasets import limits
from testimate.datasets.array_files import StoredArray, operational_split, training_split
from testimate.datasets.dataset import KnownAnswers, OpenedDataset, from_array, from_column
from testimate.datasets.folders import WatchedFile, small_text
from testimate.datasets.pictures import EncodedPictures, PictureDataset, picture_size
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.rows import ContentList
from testimate.datasets.sounds import SoundDataset, is_sound, sound_size
from testimate.datasets.tables import LABEL_NAMES, TEXT_NAMES, NumberDataset, features_of, find_name, sorted_columns
from testimate.datasets.texts import TextDataset, TextList
from testimate.tables.arrow_tables import is_packed
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.column_names import SPLITS
from testimate.tables.parquet import holds_files
from testimate.tables.roles import TableRows
from testimate.tables.rules import LATEST


class ArrowColumn:
    """One column of several batches, its cells found without joining them; ``kind`` is their Arrow type.

    ``files`` : those the batches are mapped from.
    """

    def __init__(self, parts: Sequence[Any], files: Sequence[WatchedFile]) -> None:
        self.files = files
        self._parts = [part for part in parts if len(part)]
        self._ends = np.cumsum([len(part) for part in self._parts])
        self.kind = parts[0].type

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def cell(self, row: int) -> Any:
        """The value of one row as plain Python; SubjectChanged where a file has changed."""
        for file in self.files:
            file.check()
        place = int(np.searchsorted(self._ends, row, side="right"))
        before = int(self._ends[place - 1]) if place else 0
        return self._parts[place][row - before].as_py()

    def joined(self) -> Any:
        """All cells as one Arrow array in chunks, not copied."""
        return pa.chunked_array(self._parts, type=self.kind)

    def field(self, name: str) -> "ArrowColumn":
        """The column of one field of a struct column."""
        return ArrowColumn([part.field(name) for part in self._parts], self.files)


def read_arrow_streams(paths: Sequence[Path], wanted: Callable[[Any], bool]) -> dict[str, ArrowColumn]:
    """The columns of the ``wanted`` types, of all files in a row; nothing is copied into memory.

    Raises
    ------
    BadInput : a file is damaged, compressed inside or uses dictionaries, columns differ, or there are more rows than
        the limit.
    """
    batches: list[Any] = []
    files = [WatchedFile(path) for path in paths]
    schema: Any = None
    try:
        for path in paths:
            found, some = _batches(path, limits.MAX_ROWS - sum(batch.num_rows for batch in batches), wanted)
            if schema is not None and not schema.equals(found):
                raise BadInput(
                    f"{path.name!r:.100} has different columns from the first file. Expected the same in every file. "
                    "Save it again."
                )
            schema = found
            batches += some
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError, EOFError, StopIteration) as error:
        raise BadInput(
            f"The Arrow files are damaged or cut off ({first_line(error):.120}). Expected a dataset "
            "as save_to_disk writes it. Save it again."
        ) from error
    if not sum(batch.num_rows for batch in batches):
        raise BadInput("The dataset has no inputs. Expected at least one. Save it again.")
    usable = [field.name for field in schema if wanted(field.type)]
    if len(set(schema.names)) < len(schema.names):
        raise BadInput("Two columns share a name. Expected each name once. Rename one and save the dataset again.")
    return {name: ArrowColumn([batch.column(name) for batch in batches], files) for name in usable}


def _batches(path: Path, most: int, wanted: Callable[[Any], bool]) -> tuple[Any, list[Any]]:
    """The schema and the batches of one file, each fully validated."""
    reader = pa.ipc.MessageReader.open_stream(pa.memory_map(str(path)))
    first = reader.read_next_message()
    if first.type != "schema":  # pyarrow would crash the whole process
        raise pa.ArrowInvalid("it does not begin with a schema")
    schema = pa.ipc.read_schema(first)
    batches: list[Any] = []
    rows = 0
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return schema, batches
        if message.type != "record batch" or is_packed(bytes(message.metadata)):
            raise BadInput(
                f"{path.name!r:.100} is compressed or contains dictionaries, which save_to_disk does not write. Expected "
                "a dataset as it writes it. Save it again."
            )
        batch = pa.ipc.read_record_batch(message, schema)
        rows += batch.num_rows
        if rows > most:
            raise limits.too_large("or more inputs", rows, limits.MAX_ROWS)
        for field, column in zip(schema, batch.columns, strict=True):
            if wanted(field.type):
                column.validate(full=True)
        batches.append(batch)


ALL, ONE = "dataset_dict.json", "state.json"
KINDS = ("Image", "Audio")


@dataclass(frozen=True, eq=False)
class SavedSplit:
    """One split: its columns, what dataset_info.json says about them, and the digest of its files."""

    name: str
    columns: Mapping[str, ArrowColumn]
    features: Mapping[str, Any]
    digest: str

    @property
    def size(self) -> int:
        """The number of inputs."""
        return len(next(iter(self.columns.values())))

    def of_kind(self, kind: str) -> str | None:
        """The first column with this kind of feature."""
        return next((name for name in self.columns if self.feature(name).get("_type") == kind), None)

    def feature(self, name: str) -> Mapping[str, Any]:
        """The description of a column."""
        said = self.features.get(name)
        return said if isinstance(said, dict) else {}


def is_saved_dataset(names: Mapping[str, int]) -> bool:
    """Whether a folder of these files is a dataset saved to disk."""
    return ALL in names or ONE in names


def open_saved_dataset(
    folder: Path,
    *,
    split: str | None,
    preprocessing: Preprocessing,
    label: str | None,
    rules: int = LATEST,
    progress: Progress,
) -> OpenedDataset:
    """The operational split, with the training set if there is one.

    Pictures, sounds, texts (a column named text, sentence, code and so on, or the only one of words) or columns of numbers,
    in this order. BadInput where a file is outside the folder or damaged, or there is none of these.
    """
    if (folder / ONE).exists():
        return _opened(read_saved(folder, folder.name), preprocessing, label, rules, progress)
    places = saved_splits(folder)
    operational = operational_split(places, split)
    opened = _opened(read_saved(places[operational], folder.name), preprocessing, label, rules, progress)
    training = training_split(places, operational)
    if training is None:
        return opened
    trained = _opened(read_saved(places[training], folder.name), preprocessing, label, rules, progress)
    return replace(opened, training=trained)


def saved_splits(folder: Path) -> dict[str, Path]:
    """The folders of the splits by name."""
    said = _json(folder / ALL).get("splits")
    if not (isinstance(said, list) and said and all(isinstance(name, str) for name in said)):
        raise BadInput(f"{ALL} names no splits. Expected a dataset as save_to_disk writes it. Save it again.")
    return {SPLITS.get(str(name).casefold(), str(name)): folder / _plain(name) for name in said}


def elsewhere(name: str, row: int) -> BadInput:
    """The error for a row whose file is outside the dataset."""
    return BadInput(
        f"Row {row} (counted from 0) of {name!r:.60} names a file elsewhere. Expected its bytes in the dataset. "
        "Save it with the files embedded."
    )


def read_saved(folder: Path, name: str) -> SavedSplit:
    """One split; BadInput where a file is outside the folder, a link or damaged, or no column can be used."""
    if folder.is_symlink():
        raise BadInput(f"{folder.name!r:.100} is a link. Expected a folder of its own. Save the dataset again.")
    state, info = _json(folder / ONE), _json(folder / "dataset_info.json")
    files = state.get("_data_files")
    if state.get("_indices_data_files") or not isinstance(files, list) or not files:
        raise BadInput(
            f"{ONE} names no data files, or an order beside them. Expected a dataset as save_to_disk writes it now. "
            "Open it with the datasets library and save it again."
        )
    paths = [folder / _plain(file.get("filename") if isinstance(file, dict) else file) for file in files]
    for path in paths:
        if path.is_symlink() or not path.is_file():
            raise BadInput(f"{path.name!r:.100} is a link or not there. Expected a file. Save the dataset again.")
    columns = read_arrow_streams(paths, _is_wanted)
    if not columns:
        raise BadInput("No column contains pictures, sounds, texts or numbers. Expected one. Save the dataset with it.")
    features = info.get("features")
    digests = [fingerprint.of_file(path).encode() for path in paths]
    return SavedSplit(name, columns, features if isinstance(features, dict) else {}, fingerprint.of_bytes(*digests))


def _opened(
    saved: SavedSplit, preprocessing: Preprocessing, label: str | None, rules: int, progress: Progress
) -> OpenedDataset:
    found = find_name(tuple(saved.columns), ("label", "labels", *LABEL_NAMES[1:]), label)
    known = None if found is None else _answers(saved, found)
    listed = () if found is None else _listed(saved, found)
    for kind in KINDS:
        name = saved.of_kind(kind)
        if name is not None:
            return OpenedDataset(saved.name, _encoded(saved, name, kind, preprocessing, progress), known, listed=listed)
    plain = {name: column for name, column in saved.columns.items() if not pa.types.is_struct(column.kind)}
    cells = Cells({name: column.joined() for name, column in plain.items()}, saved.size)
    columns = sorted_columns(cells, found, rules)
    text = find_name(columns.words, TEXT_NAMES) or (columns.words[0] if len(columns.words) == 1 else None)
    if text is not None and (not columns.numbers or text in TEXT_NAMES):
        cell = partial(_text, saved.columns[text])
        source = TextList(saved.size, cell, fingerprint.of_bytes(saved.digest.encode(), text.encode()))
        return OpenedDataset(saved.name, TextDataset(source, preprocessing), known, listed=listed)
    if not columns.numbers:
        raise BadInput(
            f"The columns are {', '.join(map(repr, saved.columns))!s:.200}. Expected one of pictures, sounds or texts, or "
            "columns of numbers. Rename the one with the texts to 'text'."
        )
    seen = TableRows(cells.columns, [name for name in cells.columns if name != found], saved.size, saved.digest)
    features = StoredArray(saved.name, features_of(cells, columns.numbers), saved.digest)
    numbers = NumberDataset(features, preprocessing, partial(_seen, seen, plain))
    return OpenedDataset(saved.name, numbers, known, (("features", ", ".join(columns.numbers)),), listed=listed)


def _encoded(saved: SavedSplit, name: str, kind: str, preprocessing: Preprocessing, progress: Progress) -> Any:
    """The pictures or sounds whose bytes are in the column; paths to other files are refused."""
    column = saved.columns[name]
    if pa.types.is_struct(column.kind):
        column = column.field("bytes")

    def cell(row: int) -> Any:
        content = column.cell(row)
        if content is None:
            raise elsewhere(name, row)
        return content

    contents = ContentList(saved.size, cell, fingerprint.of_bytes(saved.digest.encode(), name.encode()))
    return encoded_dataset(contents, preprocessing, progress, sounds=kind == "Audio")


def encoded_dataset(
    contents: ContentList, preprocessing: Preprocessing, progress: Progress, *, sounds: bool
) -> PictureDataset | SoundDataset:
    """The pictures or sounds as a dataset, each looked at once; BadInput where one is damaged or above the limits."""
    look: Callable[[bytes, str], Any] = sound_size if sounds else picture_size
    seen: list[Any] = []
    for row in range(len(contents)):
        if row % 100 == 0:
            progress(row, len(contents), "reading the dataset")
        content = contents.read(row)
        if len(content) > limits.MAX_ITEM_BYTES:
            raise limits.too_large(f"bytes in row {row}", len(content), limits.MAX_ITEM_BYTES)
        seen.append(look(content, contents.name(row)))
    if sounds:
        return SoundDataset(contents, seen, preprocessing)
    return PictureDataset(EncodedPictures(contents, seen), preprocessing)


def open_embedded(
    cells: Cells,
    digest: str,
    name: str,
    *,
    files: Sequence[WatchedFile],
    preprocessing: Preprocessing,
    label: str | None,
    progress: Progress,
) -> OpenedDataset:
    """The pictures or sounds in a column of a table, in the layout of the datasets library: bytes, or {bytes, path}.

    The labels are those of a column that is named like one, else of the only one that lists its classes.

    ``digest`` : of the table's content. ``files`` : where it lies; they may not change. BadInput where a cell holds no file.
    """
    column, *others = cells.embedded
    stored = cells.embedded[column]

    def cell(row: int) -> bytes:
        for file in files:
            file.check()
        return stored.read(row)

    limits.check_rows(cells.size)
    contents = ContentList(cells.size, cell, fingerprint.of_bytes(digest.encode(), column.encode()))
    sounds = is_sound(stored.read(0))
    found = find_name(tuple(cells.columns), ("label", "labels", *LABEL_NAMES[1:]), label)
    if found is None and len(cells.class_names) == 1:
        found = next((one for one in cells.class_names if one in cells.columns), None)
    names = cells.class_names.get(found or "", ())
    known = None if found is None else _placed(Column(found, cells.columns[found]), names)
    dataset = encoded_dataset(contents, preprocessing, progress, sounds=sounds)
    what = "sounds" if sounds else "pictures"
    roles = {column: ColumnRole("audio" if sounds else "image", f"its cells contain {what}")}
    if found is not None:
        roles[found] = ColumnRole("label", "its name" if found not in cells.class_names else "it lists its classes")
    left_out = dict.fromkeys((*others, *(one for one in cells.columns if one != found)), NOT_NEEDED)
    reading = Reading(
        name, cells.format, roles=roles, left_out=left_out | dict.fromkeys(cells.left_out, UNUSABLE), size=cells.size
    )
    facts = (("columns left out", ", ".join(reading.left_out)),) if reading.left_out else ()
    shown = tuple(cells.columns) if found is None else ()
    return OpenedDataset(name, dataset, known, facts, listed=names, columns=shown, reading=reading)


NOT_NEEDED = "neither the inputs nor the labels"
"""The reason why a column of a dataset is left out."""


def _placed(column: Column, names: tuple[str, ...]) -> KnownAnswers | None:
    """The answers in a column; whole numbers are places among ``names`` where there are some, -1 an unknown answer."""
    if not (names and column.is_number.any()):
        return from_column(column)
    rows = np.flatnonzero(column.is_number & (column.values >= 0))
    return from_array(column.values[rows], names=names, rows=rows) if rows.size else None


def _answers(saved: SavedSplit, name: str) -> KnownAnswers | None:
    """The answers in a column; the names of a ClassLabel are its classes."""
    return _placed(Column(name, saved.columns[name].joined()), _listed(saved, name))


def _listed(saved: SavedSplit, name: str) -> tuple[str, ...]:
    """The names of a ClassLabel, in the order of its numbers; none for any other column."""
    names = saved.feature(name).get("names")
    return tuple(names) if isinstance(names, list) and all(isinstance(one, str) for one in names) else ()


def _seen(seen: TableRows, columns: Mapping[str, ArrowColumn], row: int) -> Shown:
    """What a person sees of a row, once its files are known to be unchanged."""
    for file in next(iter(columns.values())).files:
        file.check()
    return seen.show(row)


def _text(column: ArrowColumn, row: int) -> str:
    return column.cell(row) or ""


def _is_wanted(kind: Any) -> bool:
    """Numbers, truth values, words, blobs, and structs with a blob named bytes."""
    tests = (
        pa.types.is_boolean,
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_string,
        pa.types.is_large_string,
    )
    return holds_files(kind) or any(test(kind) for test in tests)


def _plain(name: Any) -> str:
    """The name of a file or folder directly in this folder; BadInput for any other path."""
    if not isinstance(name, str) or Path(name).name != name or name in ("", ".", ".."):
        raise BadInput(
            f"The dataset names a file {name!r:.100} outside its own folder. Expected files inside it. Save it again."
        )
    return name


def _json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(small_text(path, limits.MAX_SETTINGS_BYTES * 10))
    except TestimateError:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"{path.name!r:.100} is not valid JSON ({error!s:.80}). Expected a saved dataset. Save it again."
        ) from error
    if not isinstance(read, dict):
        raise BadInput(f"{path.name!r:.100} is not an object. Expected a saved dataset. Save it again.")
    return read
