"""A folder or zip of pictures, texts or sounds: the inputs, their splits, and the classes of their folders."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.subject import Modality
from testimate.core.words import spaced
from testimate.subjects.datasets.answers import alphabetical, from_words
from testimate.subjects.datasets.array_roles import SPLITS
from testimate.subjects.datasets.file_labels import labels_in
from testimate.subjects.datasets.file_rows import NAMED, Files, OpenedFiles
from testimate.subjects.datasets.opened_dataset import OpenedDataset, PreparedDataset
from testimate.subjects.datasets.picture_dataset import EncodedPictures, PictureDataset
from testimate.subjects.datasets.pictures import ENDINGS, picture_size
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.sound_dataset import SoundDataset, sound_size
from testimate.subjects.datasets.splits import operational_split, training_split
from testimate.subjects.datasets.text_dataset import TextDataset, TextFiles, text_of

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
ENDINGS_OF: Mapping[Modality, tuple[str, ...]] = {"image": ENDINGS, "audio": (".wav",), "text": TEXT_ENDINGS}
FROM_HEIC = "Convert them to JPEG, as phones and most picture viewers do on export."
UNREADABLE = "unreadable files left out"
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
) -> OpenedDataset:
    """The files as a dataset, in the order of their names.

    Pictures are taken if there are any, else sounds, else texts. Folders named train and
    test are splits; the folders below name the classes, unless a CSV beside the files gives the labels, or, with
    ``labels_above``, a labels.csv beside the folder that holds them all.

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
        known, said = labels_in(files, one.place, one.names, label, above=labels_above)
        if known is None and len(classes) > 1:
            known = from_words(one.classes(), classes, "folders")
        if read.unreadable:
            shown = ", ".join(path for path, _ in read.unreadable[:NAMED])
            said = (*said, (UNREADABLE, f"{spaced(len(read.unreadable))}: {shown:.300}"))
        if turned := sum(getattr(size, "turned", False) for size in read.seen):
            said = (
                *said,
                ("photographs turned by EXIF", f"{spaced(turned)}, given to the model and shown as stored, not turned"),
            )
        return OpenedDataset(name, _dataset(modality, read, preprocessing), known, said, left_out=len(read.unreadable))

    found = opened(splits[operational])
    left_out = len(files.names) - len(chosen)
    facts = (
        (*found.facts, ("files left out", f"{spaced(left_out)} that are not {PLURALS[modality]}"))
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
    for modality, endings in ENDINGS_OF.items():
        chosen = tuple(one for one in files.names if one.lower().endswith(endings))
        if chosen:
            return modality, chosen
    heic = sum(one.lower().endswith((".heic", ".heif")) for one in files.names)
    if heic:
        raise BadInput(
            f"{name!r:.100} holds {spaced(heic)} HEIC pictures, which cannot be read here; expected JPEG, PNG, BMP or WebP. "
            f"{FROM_HEIC}"
        )
    raise BadInput(
        f"{name!r:.100} holds no pictures (PNG, JPEG, BMP, WebP), WAV sounds or texts among {spaced(len(files.names))} files; "
        "expected one kind of these. Convert the files or choose another folder."
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
