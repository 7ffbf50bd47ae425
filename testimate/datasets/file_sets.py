"""A folder or zip of pictures, texts or sounds: the inputs, their splits, and the classes of their folders.

The labels of a folder's files, from a table among them.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.spellings import bare
from testimate.core.subject import Modality
from testimate.core.words import commas
from testimate.datasets.array_files import SPLITS, operational_split, training_split, words_of
from testimate.datasets.dataset import (
    KnownAnswers,
    OpenedDataset,
    PreparedDataset,
    alphabetical,
    from_column,
    from_words,
)
from testimate.datasets.limits import MAX_CLASSES
from testimate.datasets.pictures import ENDINGS, EncodedPictures, PictureDataset, picture_size
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.rows import NAMED, Files, OpenedFiles
from testimate.datasets.sounds import SOUND_ENDINGS, SoundDataset, sound_size
from testimate.datasets.tables import LABEL_NAMES, find_name
from testimate.datasets.texts import TextDataset, TextFiles, text_of
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.column_names import OF_PREDICTIONS
from testimate.tables.files import read_cells
from testimate.tables.kinds import DICOM_TO_ARRAY, GIF_TO_PNG, HEIC_TO_JPEG, TIFF_TO_PNG
from testimate.tables.rules import FOUND, LATEST, PAIRED

FILE_NAMES = ("file", "filename", "file_name", "path", "filepath", "image", "image_id", "name", "id")
"""Names of the column that names the files, the likeliest first."""

LABELS = ("labels.csv", "labels.tsv", "labels.jsonl", "labels.json", "metadata.csv", "metadata.jsonl")
"""The names of tables with labels, the likeliest first; only these are searched for above the folder of the inputs. A folder of
the datasets library has its labels, or something else about its files, in a table called metadata."""

Facts = tuple[tuple[str, str], ...]

LABELS_FROM, NOT_USED = "labels from", "not used"
"""The names of the facts about the table that has the labels, and about one that has none for certain."""


@dataclass(frozen=True, eq=False)
class FoundLabels:
    """The answers in a table beside the inputs, None without any, what is said about it, and classes that it numbers.

    ``columns`` : those that may hold the answers, where none clearly does.
    """

    known: KnownAnswers | None = None
    said: Facts = ()
    listed: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def labels_in(
    files: Files, place: str, names: Sequence[str], label: str | None, *, above: bool, rules: int
) -> FoundLabels:
    """The answers that a table at ``place`` gives for the files ``names``, and a fact about it; nothing without a table.

    ``above`` : else one of ``LABELS`` in a folder around ``place`` counts, such as the one beside ``images/``. A file is named
    by its path below the table, by its own name, or by that without the ending, where these are unambiguous. Files the
    table does not name are unlabeled; lines that name no file are skipped.
    ``rules`` : a dataset that was opened before ``PAIRED`` has its labels in a CSV alone, whatever that is called.

    Raises
    ------
    BadInput : there are several CSVs and none of them is labels.csv, its columns are unclear, or it names none of the
        files.
    """
    called = LABELS if rules >= PAIRED else LABELS[:1]
    table = _table_at(files, place, called) or (_table_above(files, place, called) if above else None)
    if table is None:
        return _named_elsewhere(files, place, names, label) if above and rules >= FOUND else FoundLabels()
    start = table[: table.rfind("/") + 1]
    below = place[len(start) :]
    cells = read_cells(files.read(table), table)
    columns = tuple(cells.columns)
    file_column = find_name(columns, FILE_NAMES)
    others = tuple(name for name in columns if name != file_column)
    about = rules >= PAIRED and table.rsplit("/", 1)[-1].lower().startswith("metadata")  # which may be captions
    lone = _lone_label(others) if rules >= FOUND else others[:1] if len(others) == 1 else ()
    label_column = find_name(others, LABEL_NAMES, label) or (lone[0] if lone and not about else None)
    if about and (file_column is None or label_column is None):
        return FoundLabels(said=((NOT_USED, f"{table} ({', '.join(map(repr, columns))!s:.100})"),))
    if file_column is None or label_column is None:
        raise BadInput(
            f"{table!r:.100} has the columns {', '.join(map(repr, columns))!s:.200}. Expected 'file' and 'label'. Rename "
            "them."
        )
    given = _given(cells, file_column, label_column)
    known = _answers(given, _keys(below, names), label_column)
    if known is None and start != place and any(start + str(name) in files.sizes for name in given):
        return FoundLabels(said=((LABELS_FROM, f"{table} (none of these files)"),))  # it names those of another split
    if known is None:
        raise BadInput(
            f"{table!r:.100} labels none of the {commas(len(names))} files. Expected their names under {file_column!r:.60}, "
            f"such as {below + names[0]!r:.60}. Correct it."
        )
    taken = f", read as {'; '.join(cells.taken)}" if cells.taken else ""
    return FoundLabels(known, ((LABELS_FROM, f"{table} ({commas(len(known.rows))} of {commas(len(names))}){taken}"),))


def _lone_label(others: Sequence[str]) -> tuple[str, ...]:
    """The only column besides the names, if it is not called as predictions are; else none."""
    return tuple(others) if len(others) == 1 and bare(others[0]) not in OF_PREDICTIONS else ()


def _given(cells: Cells, file: str, label: str) -> dict[Any, Any]:
    """The label of each name in the column ``file``."""
    return dict(zip(*(Column(name, cells.columns[name]).texts.to_pylist() for name in (file, label)), strict=True))


def _answers(given: Mapping[Any, Any], keys: Sequence[tuple[str, ...]], label: str) -> KnownAnswers | None:
    """The answers of files that may be found by any of their keys; None where none is."""
    words = [next((given[key] for key in one if key in given), "") for one in keys]
    return from_column(Column(label, pa.chunked_array([pa.array(words, pa.large_string())])))


SUBMISSION = "submission"
"""What the names of tables say that are to be filled in with predictions."""

MOST_TABLES, MOST_COLUMNS = 20, 200
"""Tables of a folder, and columns of one, in which the names of the inputs are looked for."""

LABELS_BESIDE = (*LABEL_NAMES, "labels", "class_name", "classname", "class_id", "classid")
"""Names of the labels in a table that names the inputs, the likeliest first."""


def _named_elsewhere(files: Files, place: str, names: Sequence[str], label: str | None) -> FoundLabels:
    """The labels in the only table, anywhere in the folder and whatever it is called, that names most of the inputs.

    Where none of its columns is clearly the label, a fact says that it was not used.
    """
    tables = [name for name in files.names if name.lower().endswith((".csv", ".tsv"))]
    tables = [name for name in tables if SUBMISSION not in name.lower()][:MOST_TABLES]
    read = []
    for table in tables:
        with suppress(BadInput):  # it may be anything
            keys = _keys(place.removeprefix(table[: table.rfind("/") + 1]), names)
            read.append((table, read_cells(files.read(table), table), keys))
    for part in (slice(2), slice(2, None)):  # whole names, then those without ending, which any number may equal
        found = [
            (table, cells, column, keys)
            for table, cells, keys in read
            if (column := _column_of_names(cells, [one[part] for one in keys])) is not None
        ]
        if found:
            break
    if len(found) != 1:
        return FoundLabels(said=tuple((NOT_USED, f"{table}, as others name the inputs, too") for table, *_ in found))
    [(table, cells, file_column, keys)] = found
    others = tuple(name for name in cells.columns if name != file_column)
    label_column = find_name(others, LABELS_BESIDE, label) or next(iter(_lone_label(others)), None)
    if not others:
        return FoundLabels()
    if label is None and label_column is not None and len(Column(label_column, cells.columns[label_column]).words) < 2:
        label_column = None  # one value for all is to be filled in
    if label_column is None:
        columns = ", ".join(map(repr, others))
        return FoundLabels(
            said=((NOT_USED, f"{table} ({columns:.100}), of which none is clearly the label"),), columns=others
        )
    known = _answers(_given(cells, file_column, label_column), keys, label_column)
    count = 0 if known is None else len(known.rows)
    said = f"{table} ({commas(count)} of {commas(len(names))}), column {label_column!r:.60}"
    return FoundLabels(known, ((LABELS_FROM, said),), _numbered(cells, label_column, others))


def _numbered(cells: Cells, label: str, others: Sequence[str]) -> tuple[str, ...]:
    """The names of the classes by their numbers, where one of two columns numbers the words of the other from 0; else none."""
    own = Column(label, cells.columns[label]).texts.to_pylist()
    for other in [one for one in others[:MOST_COLUMNS] if one != label]:
        pairs = {*zip(own, Column(other, cells.columns[other]).texts.to_pylist(), strict=True)}
        if len(pairs) > MAX_CLASSES or not len(pairs) == len({one for one, _ in pairs}) == len(
            {one for _, one in pairs}
        ):
            continue
        for names in (dict(pairs), {one: word for word, one in pairs}):
            by_number = [names.get(str(number), "") for number in range(len(pairs))]
            if all(by_number) and not any(name.isdecimal() for name in by_number):
                return tuple(by_number)
    return ()


def _column_of_names(cells: Cells, keys: Sequence[tuple[str, ...]]) -> str | None:
    """The first column that names more than half of the inputs, None without one."""
    for column in tuple(cells.columns)[:MOST_COLUMNS]:
        given = {*Column(column, cells.columns[column]).texts.to_pylist()}
        if 2 * sum(any(key in given for key in one) for one in keys) > len(keys):
            return column
    return None


def _table_at(files: Files, place: str, called: Sequence[str]) -> str | None:
    """The table that lies beside the inputs: one whose name ends so, or the only CSV."""
    found = [name for name in files.names if name.startswith(place) and "/" not in name[len(place) :]]
    table = next((name for ending in called for name in found if name.lower().endswith(ending)), None)
    tables = [name for name in found if name.lower().endswith(".csv")]
    if table is not None or not tables:
        return table
    if len(tables) > 1:  # those of several splits name the files of each, which is found by what they name
        raise BadInput(
            f"There are {len(tables)} CSV files beside the inputs. Expected one with their labels. Name it labels.csv."
        )
    return tables[0]


def _table_above(files: Files, place: str, called: Sequence[str]) -> str | None:
    """One that is called so in the nearest folder around the inputs."""
    there = {name.lower(): name for name in files.names}
    while place:
        place = place[: place.rstrip("/").rfind("/") + 1]
        found = next((there[place.lower() + name] for name in called if place.lower() + name in there), None)
        if found is not None:
            return found
    return None


def _keys(below: str, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The names by which each file may be found: its path, and its name with and without ending if unambiguous."""
    paths = [PurePosixPath(name) for name in names]
    counts = Counter(path.name for path in paths) + Counter(path.stem for path in paths if path.stem != path.name)
    return [(below + str(path), *(key for key in (path.name, path.stem) if counts[key] == 1)) for path in paths]


TEXT_ENDINGS = (
    *(
        ".txt",
        ".md",
        ".rst",
        ".html",
        ".xml",
        ".tex",
        ".py",
        ".java",
        ".kt",
        ".scala",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
    ),
    *(
        ".cs",
        ".js",
        ".ts",
        ".jsx",
        ".tsx",
        ".go",
        ".rs",
        ".rb",
        ".php",
        ".swift",
        ".m",
        ".r",
        ".jl",
        ".lua",
        ".pl",
        ".sh",
    ),
    *(".sql", ".hs", ".ml", ".clj", ".dart", ".sol", ".asm", ".s", ".v", ".vhd"),
)
ENDINGS_OF: Mapping[Modality, tuple[str, ...]] = {"image": ENDINGS, "audio": SOUND_ENDINGS, "text": TEXT_ENDINGS}
UNREAD_PICTURES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    ((".heic", ".heif"), "HEIC", HEIC_TO_JPEG),
    ((".tif", ".tiff"), "TIFF", TIFF_TO_PNG),
    ((".gif",), "GIF", GIF_TO_PNG),
    ((".dcm", ".dicom"), "DICOM", DICOM_TO_ARRAY),
)
"""Endings of pictures that are not read, what they are, and what makes others of them."""

UNREADABLE, TRANSPARENT = "unreadable files left out", "pictures that are transparent in places"
PLURALS: Mapping[Modality, str] = {"image": "pictures", "audio": "sounds", "text": "texts", "tabular": "rows"}


PART = re.compile(r"(fold|part|batch|chunk|shard)[ _-]?[0-9]+", re.IGNORECASE)
"""A folder that holds some of the inputs, of any class."""


@dataclass(frozen=True)
class FileSplit:
    """The files of one split: their place (ends in "/" or is empty) and their names below it, in order."""

    place: str
    names: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The names with the place in front."""
        return tuple(self.place + name for name in self.names)

    def classes(self, rules: int = LATEST) -> list[str | None]:
        """The sub-folder of each file; all None if some file is in none, or the folders only number parts of the set."""
        folders = [name.split("/")[0] if "/" in name else None for name in self.names]
        parts = rules >= FOUND and all(folder is None or PART.fullmatch(folder) for folder in {*folders})
        return list(folders) if None not in folders and not parts else [None] * len(folders)


def open_file_set(
    files: Files,
    name: str,
    *,
    split: str | None,
    preprocessing: Preprocessing,
    label: str | None,
    progress: Progress,
    leave_out: bool,
    labels_above: bool,
    rules: int,
) -> OpenedDataset:
    """The files as a dataset, in the order of their names.

    Pictures are taken if there are any, else sounds, else texts. Folders named train and
    test are splits; the folders below name the classes, unless a table beside the files gives the labels, or, with
    ``labels_above``, one of ``LABELS`` beside the folder that holds them all.

    Raises
    ------
    BadInput : there are no files of these kinds. UnreadableFiles : some files are damaged or above the limits, and may
        not be left out.
    """
    modality, chosen = _chosen(files, name)
    splits = file_splits(chosen, rules)
    operational = operational_split(splits, split)
    training = training_split(splits, operational)
    classes = alphabetical(*(one.classes(rules) for one in splits.values()))

    def opened(one: FileSplit) -> OpenedDataset:
        read = OpenedFiles(files, one.paths, LOOKS[modality], progress, leave_out=leave_out)
        one = FileSplit(one.place, tuple(path[len(one.place) :] for path in read.names))
        found = labels_in(files, one.place, one.names, label, above=labels_above, rules=rules)
        known, said = found.known, found.said
        if known is None and len(classes) > 1:
            known = from_words(one.classes(rules), classes, "folders")
        if read.unreadable:
            shown = ", ".join(path for path, _ in read.unreadable[:NAMED])
            said = (*said, (UNREADABLE, f"{commas(len(read.unreadable))}: {shown:.300}"))
        if turned := sum(getattr(size, "turned", False) for size in read.seen):
            said = (
                *said,
                ("photographs turned by EXIF", f"{commas(turned)}, given to the model and shown as stored, not turned"),
            )
        if transparent := sum(getattr(size, "transparent", False) for size in read.seen):
            said = (*said, (TRANSPARENT, f"{commas(transparent)} of {commas(len(read.seen))}"))
        dataset = _dataset(modality, read, preprocessing)
        return OpenedDataset(
            name,
            dataset,
            known,
            said,
            listed=found.listed,
            left_out=len(read.unreadable),
            columns=found.columns if known is None else (),
        )

    found = opened(splits[operational])
    left_out = len(files.names) - len(chosen)
    apart = sum(1 for one in chosen if not one.startswith(tuple(split.place for split in splits.values())))
    facts = (
        *found.facts,
        *((("files left out", f"{commas(left_out)} that are not {PLURALS[modality]}"),) if left_out else ()),
        *((("files in no split", f"{commas(apart)}, left out"),) if apart else ()),
    )
    trained = None if training is None else opened(splits[training])
    return replace(found, facts=facts, training=trained)


def file_splits(names: Sequence[str], rules: int = LATEST) -> dict[str, FileSplit]:
    """The splits by name, "" for the only one; folders that contain everything are entered.

    A folder may be called after its split alone, or in as many words as the others: val2017, test_images, seg_test. What
    lies beside the folders of several splits, belongs to none.

    >>> file_splits(["data/train/cat/1.png", "data/test/cat/2.png"])["test"]
    FileSplit(place='data/test/', names=('cat/2.png',))
    """
    place = _common_folder("", names)
    inside = dict.fromkeys(name[len(place) :].split("/")[0] if "/" in name[len(place) :] else "" for name in names)
    folders = {folder: f"{place}{folder}/" for folder in inside if folder}
    found: dict[str, str] = {}
    if "" not in inside and {folder.casefold() for folder in folders} <= set(SPLITS):
        for folder, start in folders.items():
            found.setdefault(SPLITS[folder.casefold()], start)
    elif rules >= FOUND:
        found = _splits_in_words(folders)
    if not found:
        return {"": FileSplit(place, tuple(name[len(place) :] for name in names))}
    within = {split: [name for name in names if name.startswith(start)] for split, start in found.items()}
    if rules >= FOUND:
        found = _entered(found, within)
    return {
        split: FileSplit(start, tuple(name[len(start) :] for name in within[split])) for split, start in found.items()
    }


def _common_folder(place: str, names: Sequence[str]) -> str:
    """The folder at or below ``place`` in which all files lie, beside each other or in several folders."""
    while True:
        inside = {name[len(place) :].split("/")[0] if "/" in name[len(place) :] else "" for name in names}
        if len(inside) != 1 or "" in inside:
            return place
        place += next(iter(inside)) + "/"


def _splits_in_words(folders: Mapping[str, str]) -> dict[str, str]:
    """The folders of two splits or more by the only word that says so, where their other words are the same; else none.

    >>> _splits_in_words({"train2017": "train2017/", "val2017": "val2017/"})
    {'train': 'train2017/', 'validation': 'val2017/'}
    >>> _splits_in_words({"freight_train": "freight_train/", "bus": "bus/", "test_bus": "test_bus/"})
    {}
    """
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for folder, start in folders.items():
        words = words_of(folder)
        said = [SPLITS[word] for word in words if word in SPLITS]
        if len(said) == 1:
            rest = tuple(word for word in words if word not in SPLITS)
            found.setdefault(rest, {}).setdefault(said[0], []).append(start)
    several = [splits for splits in found.values() if len(splits) > 1 and all(len(one) == 1 for one in splits.values())]
    return {split: one[0] for split, one in several[0].items()} if len(several) == 1 else {}


OF_FILES = frozenset(
    {
        *("image", "images", "img", "imgs", "picture", "pictures", "photo", "photos", "jpegimages", "jpg"),
        *("jpeg", "png", "frames", "audio", "wav", "wavs", "sounds", "clips", "files", "data"),
    }
)
"""Names of a folder that contains all files of a split, and is no class."""


def _entered(found: Mapping[str, str], within: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The folders of the splits, or the only one in each where these are called after files or as the split's own folder."""
    inner = {split: {name[len(start) :].partition("/")[0] for name in within[split]} for split, start in found.items()}
    own = all({start.rstrip("/").rsplit("/", 1)[-1]} == inner[split] for split, start in found.items())
    alike = len({frozenset(one) for one in inner.values()}) == 1
    alike = alike and all(len(one) == 1 and {*map(str.casefold, one)} <= OF_FILES for one in inner.values())
    beside = any("/" not in name[len(found[split]) :] for split, names in within.items() for name in names)
    if beside or not (own or alike):
        return dict(found)
    return {split: f"{start}{next(iter(inner[split]))}/" for split, start in found.items()}


def _chosen(files: Files, name: str) -> tuple[Modality, tuple[str, ...]]:
    unread = {kind: sum(one.lower().endswith(ends) for one in files.names) for ends, kind, _ in UNREAD_PICTURES}
    kind = max(unread, key=lambda kind: unread[kind])
    for modality, endings in ENDINGS_OF.items():
        chosen = tuple(one for one in files.names if one.lower().endswith(endings))
        if chosen and (modality != "text" or len(chosen) >= unread[kind]):  # a README beside pictures is no input
            return modality, chosen
    if unread[kind]:
        way = next(way for _, one, way in UNREAD_PICTURES if one == kind)
        raise BadInput(
            f"{name!r:.100} contains {commas(unread[kind])} {kind} pictures, which cannot be read here. Expected JPEG, PNG, "
            f"BMP or WebP. {way}"
        )
    raise BadInput(
        f"{name!r:.100} contains no pictures (PNG, JPEG, BMP, WebP), sounds (WAV, FLAC, MP3, OGG) or texts among "
        f"{commas(len(files.names))} files. Expected one kind of these. Convert the files or choose another folder."
    )


LOOKS: Mapping[Modality, Callable[[bytes, str], Any]] = {
    "image": picture_size,
    "audio": sound_size,
    "text": lambda content, name: len(text_of(content, name)),
}
"""Checks a file as it is opened and gives what to note about it; BadInput where it cannot be read."""


def _dataset(modality: Modality, read: OpenedFiles[Any], preprocessing: Preprocessing) -> PreparedDataset:
    if modality == "image":
        return PictureDataset(EncodedPictures(read.rows, read.seen), preprocessing)
    if modality == "audio":
        return SoundDataset(read.rows, read.seen, preprocessing)
    return TextDataset(TextFiles(read.rows), preprocessing)
