"""A folder or zip of pictures, texts or sounds: the inputs, their splits, and the classes of their folders.

The labels of a folder's files, from a table among them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.progress import Progress
from testimate.core.subject import Modality
from testimate.core.words import commas
from testimate.datasets.array_files import operational_split, training_split, words_of
from testimate.datasets.companions import companions_among, in_words
from testimate.datasets.dataset import (
    KnownAnswers,
    OpenedDataset,
    PreparedDataset,
    alphabetical,
    from_words,
)
from testimate.datasets.labels_beside import labels_in
from testimate.datasets.pictures import ENDINGS, EncodedPictures, PictureDataset, picture_size
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.rows import NAMED, Files, OpenedFiles
from testimate.datasets.sounds import SoundDataset, sound_size
from testimate.datasets.split_lists import named_splits, without_tables
from testimate.datasets.texts import TextDataset, TextFiles, text_of
from testimate.tables.column_names import SPLITS
from testimate.tables.first_cells import SOUND_ENDINGS
from testimate.tables.kinds import DICOM_TO_ARRAY, GIF_TO_PNG, HEIC_TO_JPEG, TIFF_TO_PNG
from testimate.tables.rules import FOUND, LATEST

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
TURNED, ANIMATED = "photographs turned by EXIF", "animated pictures"
NAMED_BY = "a split of the inputs"
OTHER_FOLDERS = "other folders than those of the classes"
PLURALS: Mapping[Modality, str] = {"image": "pictures", "audio": "sounds", "text": "texts", "tabular": "rows"}


MOST_BESIDE = 0.05
"""Share of the files up to which those beside the folders of classes are few."""

PART = re.compile(r"(fold|part|batch|chunk|shard)[ _-]?[0-9]+", re.IGNORECASE)
"""A folder that holds some of the inputs, of any class."""


UNLABELED = frozenset({"unlabeled", "unlabelled", "unsup"})
"""Names of a folder of inputs without a label, in lower case; the last is that of the movie reviews of Maas et al. (2011)."""


@dataclass(frozen=True)
class FileSplit:
    """The files of one split: their place (ends in "/" or is empty) and their names below it, in order.

    ``named_by`` : the table or list that says which they are, and ``has_labels`` whether that may have their labels.
    """

    place: str
    names: tuple[str, ...]
    named_by: str = ""
    has_labels: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The names with the place in front."""
        return tuple(self.place + name for name in self.names)

    @property
    def beside(self) -> tuple[str, ...]:
        """The few files that lie beside several folders with nearly all of them; none elsewhere."""
        few = tuple(name for name in self.names if "/" not in name)
        folders = {name.split("/")[0] for name in self.names if "/" in name}
        return few if len(folders) > 1 and len(few) <= MOST_BESIDE * len(self.names) else ()

    def classes(self, rules: int = LATEST, *, apart: bool = False) -> list[str | None]:
        """The sub-folder of each file; all None if some file is in none, or the folders only number parts of the set.

        ``apart`` : few files beside the folders leave the others theirs, and within folders of parts the next ones count.
        """
        folders = [name.split("/")[0] if "/" in name else None for name in self.names]
        if apart and self.beside:
            return folders
        parts = rules >= FOUND and all(folder is None or PART.fullmatch(folder) for folder in {*folders})
        if parts and apart and all(name.count("/") > 1 for name in self.names):
            return [name.split("/")[1] for name in self.names]
        return list(folders) if None not in folders and not parts else [None] * len(folders)

    @property
    def levels(self) -> dict[str, list[str | None]]:
        """The folder of each file at each depth at which all have one and there are several, by what a person calls it.

        >>> FileSplit("", ("a/cat/1.png", "a/dog/2.png", "b/cat/3.png")).levels
        {'folder 1': ['a', 'a', 'b'], 'folder 2': ['cat', 'dog', 'cat']}
        """
        folders = [name.split("/")[:-1] for name in self.names]
        depths: list[list[str | None]] = [[*depth] for depth in zip(*folders, strict=False)]
        return {f"folder {place}": depth for place, depth in enumerate(depths, 1) if len({*depth}) > 1}


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
    apart: bool,
    rules: int,
) -> OpenedDataset:
    """The files as a dataset, in the order of their names.

    Pictures are taken if there are any, else sounds, else texts. Folders named train and
    test are splits; the folders below name the classes, unless a table beside the files gives the labels, or, with
    ``labels_above``, one of ``LABELS`` beside the folder that holds them all. ``apart`` : whether masks and thumbnails beside
    their pictures are no inputs, and splits may be below the classes. ``label`` : of a table's column, or of the depth of the
    folders that are the classes, such as "folder 2".

    Raises
    ------
    BadInput : there are no files of these kinds. UnreadableFiles : some files are damaged or above the limits, and may
        not be left out.
    """
    modality, all_chosen = _chosen(files, name)
    if apart and modality == "image":
        _check_kinds(files, name, len(all_chosen))
    beside = companions_among(files, all_chosen) if apart and modality == "image" else {}
    belonging = {one for some in beside.values() for one in some}
    chosen = tuple(one for one in all_chosen if one not in belonging)
    splits = (_splits_within(chosen) if apart else None) or file_splits(chosen, rules)
    if apart and {*splits} == {""}:
        splits = _splits_by_lists(files, splits[""], modality) or splits
    elsewhere = len(chosen) - sum(len(one.names) for one in splits.values())
    operational = operational_split(splits, split)
    training = training_split(splits, operational)
    few = [path for one in splits.values() for path in one.beside] if apart and modality == "text" else []
    if few:  # lists and notes about the texts
        splits = {
            name: replace(one, names=tuple(n for n in one.names if n not in one.beside)) for name, one in splits.items()
        }
    asked = label if apart and label and any(label in one.levels for one in splits.values()) else None
    label = label if asked is None else None

    def folders_of(one: FileSplit) -> list[str | None]:
        if asked is not None:
            return one.levels.get(asked, [None] * len(one.names))
        folders = one.classes(rules, apart=apart)
        return [None if apart and name is not None and name.casefold() in UNLABELED else name for name in folders]

    classes = alphabetical(*map(folders_of, splits.values()))

    def opened(one: FileSplit) -> OpenedDataset:
        read = OpenedFiles(files, one.paths, LOOKS[modality], progress, leave_out=leave_out)
        one = replace(one, names=tuple(path[len(one.place) :] for path in read.names))
        about = without_tables(files, but=one.named_by) if one.has_labels else files
        found = labels_in(about, one.place, one.names, label, above=labels_above, apart=apart, rules=rules)
        known, said = found.known, found.said
        if known is None and len(classes) > 1:
            known = from_words(folders_of(one), classes, "folders")
        if one.named_by:
            count = f"{commas(len(one.names))} of {commas(len(chosen))}"
            said = (*said, (NAMED_BY, f"{one.named_by} names the {count} inputs that are read"))
        if read.unreadable:
            shown = ", ".join(path for path, _ in read.unreadable[:NAMED])
            said = (*said, (UNREADABLE, f"{commas(len(read.unreadable))}: {shown:.300}"))
        if turned := sum(getattr(size, "turned", False) for size in read.seen):
            said = (*said, (TURNED, f"{commas(turned)}, given to the model and shown as stored, not turned"))
        if animated := sum(getattr(size, "animated", False) for size in read.seen):
            said = (*said, (ANIMATED, f"{commas(animated)}, of which the first frame is taken"))
        if transparent := sum(getattr(size, "transparent", False) for size in read.seen):
            said = (*said, (TRANSPARENT, f"{commas(transparent)} of {commas(len(read.seen))}"))
        dataset = _dataset(modality, read, preprocessing)
        words = found.words if known is None else _other_levels(one, known) if apart else {}
        if known is not None and words and asked is None:
            said = (*said, (OTHER_FOLDERS, _levels_in_words(words)))
        return OpenedDataset(
            name,
            dataset,
            known,
            said,
            listed=found.listed or (classes if known is None else ()),
            left_out=len(read.unreadable),
            columns=found.columns if known is None else (),
            words=words,
            numbers=found.numbers,
        )

    found = opened(splits[operational])
    left_out = len(files.names) - len(all_chosen)
    facts = (
        *found.facts,
        *in_words(beside),
        *((("files left out", f"{commas(left_out)} that are not {PLURALS[modality]}"),) if left_out else ()),
        *((("texts beside the folders", f"{commas(len(few))}, left out, such as {few[0]:.100}"),) if few else ()),
        *((("files in no split", f"{commas(elsewhere)}, left out"),) if elsewhere else ()),
    )
    trained = None if training is None else opened(splits[training])
    return replace(found, facts=facts, training=trained)


def _splits_by_lists(files: Files, whole: FileSplit, modality: Modality) -> dict[str, FileSplit]:
    """The splits as tables or lists of the inputs name them, such as test.tsv beside train.tsv; none without these."""
    found = named_splits(files, whole.place, whole.names, lists=modality != "text")
    return {split: FileSplit(whole.place, one.names, one.file, has_labels=one.is_table) for split, one in found.items()}


def _other_levels(split: FileSplit, known: KnownAnswers) -> dict[str, tuple[str, ...]]:
    """The names of the folders at other depths than those that are the labels; none where these are not folders."""
    if known.source != "folders":
        return {}
    levels = {name: alphabetical(folders) for name, folders in split.levels.items()}
    used = {known.classes[place] for place in np.unique(known.answers)}
    return {name: words for name, words in levels.items() if {*words} != used}


def _levels_in_words(levels: Mapping[str, Sequence[str]]) -> str:
    shown = [
        f"{', '.join(map(repr, words[:NAMED]))!s:.100}{', …' if len(words) > NAMED else ''}"
        for words in levels.values()
    ]
    return f"{'; '.join(shown)}; to take them as the labels: {' or '.join(f'--label {level!r}' for level in levels)}"


def _splits_within(names: Sequence[str]) -> dict[str, FileSplit] | None:
    """The splits by the folders below those of the classes, where all at one depth are called so; None elsewhere.

    >>> _splits_within(["cat/train/1.png", "cat/test/2.png", "dog/test/3.png"])["test"].names
    ('cat/test/2.png', 'dog/test/3.png')
    """
    place = _common_folder("", names)
    folders = [name[len(place) :].split("/")[:-1] for name in names]
    for depth in [*zip(*folders, strict=False)][1:]:
        called = [SPLITS.get(folder.casefold(), "") for folder in depth]
        if "" in called or len({*called}) < 2:
            continue
        rows = {split: [name for name, one in zip(names, called, strict=True) if one == split] for split in {*called}}
        return {split: FileSplit(place, tuple(name[len(place) :] for name in some)) for split, some in rows.items()}
    return None


def file_splits(names: Sequence[str], rules: int = LATEST) -> dict[str, FileSplit]:
    """The splits by name, "" for the only one; folders that contain everything are entered.

    A folder may be called after its split alone, or in as many words as the others: val2017, test_images, seg_test. What
    lies beside the folders of several splits, belongs to none.

    >>> found = file_splits(["data/train/cat/1.png", "data/test/cat/2.png"])["test"]
    >>> found.place, found.names
    ('data/test/', ('cat/2.png',))
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


MOST_OF_OTHER_KINDS = 0.05
"""Share of a folder's pictures up to which those that are not read may be something else, such as a logo."""


def _check_kinds(files: Files, name: str, read: int) -> None:
    """BadInput where more than a few pictures of a folder are of kinds that are not read."""
    for ends, kind, way in UNREAD_PICTURES:
        count = sum(one.lower().endswith(ends) for one in files.names)
        if count > MOST_OF_OTHER_KINDS * (read + count):
            raise BadInput(
                f"{name!r:.100} contains {commas(count)} {kind} pictures, which cannot be read here, beside {commas(read)} "
                f"that can. Expected JPEG, PNG, BMP or WebP. {way} Or take them out."
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
