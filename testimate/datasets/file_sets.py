"""A folder or zip of pictures, texts or sounds: the inputs, their splits, and the classes of their folders.

The labels of a folder's files, from a table among them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.subject import Modality
from testimate.core.words import commas
from testimate.datasets.array_files import SPLITS, operational_split, training_split
from testimate.datasets.dataset import (
    KnownAnswers,
    OpenedDataset,
    PreparedDataset,
    alphabetical,
    from_column,
    from_words,
)
from testimate.datasets.pictures import ENDINGS, EncodedPictures, PictureDataset, picture_size
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.rows import NAMED, Files, OpenedFiles
from testimate.datasets.sounds import SOUND_ENDINGS, SoundDataset, sound_size
from testimate.datasets.tables import LABEL_NAMES, find_name
from testimate.datasets.texts import TextDataset, TextFiles, text_of
from testimate.tables.cells import Column, pa
from testimate.tables.files import read_cells
from testimate.tables.kinds import DICOM_TO_ARRAY, GIF_TO_PNG, HEIC_TO_JPEG, TIFF_TO_PNG
from testimate.tables.rules import PAIRED

FILE_NAMES = ("file", "filename", "file_name", "path", "filepath", "image", "image_id", "name", "id")
"""Names of the column that names the files, the likeliest first."""

LABELS = ("labels.csv", "labels.tsv", "labels.jsonl", "labels.json", "metadata.csv", "metadata.jsonl")
"""The names of tables with labels, the likeliest first; only these are searched for above the folder of the inputs. A folder of
the datasets library has its labels, or something else about its files, in a table called metadata."""

Facts = tuple[tuple[str, str], ...]


def labels_in(
    files: Files, place: str, names: Sequence[str], label: str | None, *, above: bool, rules: int
) -> tuple[KnownAnswers | None, Facts]:
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
        return None, ()
    start = table[: table.rfind("/") + 1]
    below = place[len(start) :]
    cells = read_cells(files.read(table), table)
    columns = tuple(cells.columns)
    file_column = find_name(columns, FILE_NAMES)
    others = tuple(name for name in columns if name != file_column)
    about = rules >= PAIRED and table.rsplit("/", 1)[-1].lower().startswith("metadata")  # which may be captions
    label_column = find_name(others, LABEL_NAMES, label) or (others[0] if len(others) == 1 and not about else None)
    if about and (file_column is None or label_column is None):
        return None, (("not used", f"{table} ({', '.join(map(repr, columns))!s:.100})"),)
    if file_column is None or label_column is None:
        raise BadInput(
            f"{table!r:.100} has the columns {', '.join(map(repr, columns))!s:.200}. Expected 'file' and 'label'. Rename "
            "them."
        )
    texts = [Column(name, cells.columns[name]).texts.to_pylist() for name in (file_column, label_column)]
    given = dict(zip(*texts, strict=True))
    words = [next((given[key] for key in keys if key in given), "") for keys in _keys(below, names)]
    known = from_column(Column(label_column, pa.chunked_array([pa.array(words, pa.large_string())])))
    if known is None and start != place and any(start + str(name) in files.sizes for name in given):
        return None, (("labels from", f"{table} (none of these files)"),)  # it names those of another split
    if known is None:
        raise BadInput(
            f"{table!r:.100} labels none of the {commas(len(names))} files. Expected their names under {file_column!r:.60}, "
            f"such as {below + names[0]!r:.60}. Correct it."
        )
    taken = f", read as {'; '.join(cells.taken)}" if cells.taken else ""
    return known, (("labels from", f"{table} ({commas(len(known.rows))} of {commas(len(names))}){taken}"),)


def _table_at(files: Files, place: str, called: Sequence[str]) -> str | None:
    """The table that lies beside the inputs: one whose name ends so, or the only CSV."""
    found = [name for name in files.names if name.startswith(place) and "/" not in name[len(place) :]]
    table = next((name for ending in called for name in found if name.lower().endswith(ending)), None)
    tables = [name for name in found if name.lower().endswith(".csv")]
    if table is not None or not tables:
        return table
    if len(tables) > 1:
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


@dataclass(frozen=True)
class FileSplit:
    """The files of one split: their place (ends in "/" or is empty) and their names below it, in order."""

    place: str
    names: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The names with the place in front."""
        return tuple(self.place + name for name in self.names)

    def classes(self) -> list[str | None]:
        """The sub-folder of each file; all None if some file is in none."""
        folders = [name.split("/")[0] if "/" in name else None for name in self.names]
        return list(folders) if None not in folders else [None] * len(folders)


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
    splits = file_splits(chosen)
    operational = operational_split(splits, split)
    training = training_split(splits, operational)
    classes = alphabetical(*(one.classes() for one in splits.values()))

    def opened(one: FileSplit) -> OpenedDataset:
        read = OpenedFiles(files, one.paths, LOOKS[modality], progress, leave_out=leave_out)
        one = FileSplit(one.place, tuple(path[len(one.place) :] for path in read.names))
        known, said = labels_in(files, one.place, one.names, label, above=labels_above, rules=rules)
        if known is None and len(classes) > 1:
            known = from_words(one.classes(), classes, "folders")
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
        return OpenedDataset(name, _dataset(modality, read, preprocessing), known, said, left_out=len(read.unreadable))

    found = opened(splits[operational])
    left_out = len(files.names) - len(chosen)
    facts = (
        (*found.facts, ("files left out", f"{commas(left_out)} that are not {PLURALS[modality]}"))
        if left_out
        else found.facts
    )
    trained = None if training is None else opened(splits[training])
    return replace(found, facts=facts, training=trained)


def file_splits(names: Sequence[str]) -> dict[str, FileSplit]:
    """The splits by name, "" for the only one; folders that contain everything are entered.

    >>> file_splits(["data/train/cat/1.png", "data/test/cat/2.png"])["test"]
    FileSplit(place='data/test/', names=('cat/2.png',))
    """
    place = ""
    while True:
        inside = Counter(name[len(place) :].split("/")[0] if "/" in name[len(place) :] else "" for name in names)
        if len(inside) != 1 or "" in inside:
            break
        place += next(iter(inside)) + "/"
    if "" not in inside and {folder.casefold() for folder in inside} <= set(SPLITS):
        found: dict[str, FileSplit] = {}
        for folder in inside:
            start = f"{place}{folder}/"
            below = tuple(name[len(start) :] for name in names if name.startswith(start))
            found.setdefault(SPLITS[folder.casefold()], FileSplit(start, below))
        return found
    return {"": FileSplit(place, tuple(name[len(place) :] for name in names))}


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
