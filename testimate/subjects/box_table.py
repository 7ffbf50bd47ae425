"""A table of a detector's boxes, from COCO's JSON or YOLO's texts, with what their scores predict."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.checks import is_number, is_whole
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown, ShownBox
from testimate.core.visible_text import whole_characters
from testimate.core.words import commas
from testimate.datasets.folders import FolderFiles, match_files
from testimate.datasets.pictures import ENDINGS, picture_size
from testimate.datasets.rows import Files
from testimate.subjects.media import Media, open_media
from testimate.tables.answers import Answers
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.files import file_bytes
from testimate.tables.json_lines import is_object_line
from testimate.tables.kinds import START_BYTES, is_json
from testimate.tables.limits import MAX_CLASSES
from testimate.tables.rules import FOUND
from testimate.tasks.boxes import MOST_BOXES, NO_BOX, Boxes


def expected_errors(
    pictures: NDArray[np.intp], scores: NDArray[np.float64], kept: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The number of errors to expect in each picture, (size,): larger = sooner to be judged.

    A judged box is wrong with probability 1 - score; a box below the least score is a missed object with probability
    equal to its score. A picture without any box counts 0 if boxes below the least score are known, because an object
    nearly detected would have one. If none are known, it counts as the median of the others, because nothing says what
    it missed (decision 181).

    Parameters
    ----------
    pictures : (b,) the picture of each box, 0..size - 1.
    scores : (b,) of the boxes, 0..1.
    kept : (b,) whether the box is one of those that are judged.

    Examples
    --------
    >>> expected_errors(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.2]), np.array([True, True, False]), 3).round(2)
    array([0.6, 0.2, 0. ])
    >>> expected_errors(np.array([0, 1]), np.array([0.9, 0.5]), np.array([True, True]), 3).round(2)
    array([0.1, 0.5, 0.3])
    """
    each = np.where(kept, 1 - scores, scores)
    found = np.bincount(pictures, each, minlength=size).astype(np.float64)
    if kept.all():
        seen = np.bincount(pictures, minlength=size) > 0
        found[~seen] = np.median(found[seen])
    return found


def chance_all_right(
    pictures: NDArray[np.intp], scores: NDArray[np.float64], kept: NDArray[np.bool_], size: int
) -> NDArray[np.float64]:
    """The chance that a picture holds no error, (size,), 0..1, by the same scores taken as chances of independent boxes.

    They say nothing about a picture without any box, which counts as the mean of the others. Parameters as for
    ``expected_errors``.

    >>> chance_all_right(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.2]), np.array([True, True, False]), 3).round(3)
    array([0.45 , 0.8  , 0.625])
    """
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.where(kept, scores, 1 - scores)), -700.0)
    found: NDArray[np.float64] = np.exp(np.maximum(np.bincount(pictures, logs, minlength=size), -700.0))
    seen = np.bincount(pictures, minlength=size) > 0
    found[~seen] = found[seen].mean() if seen.any() else 0.5
    return found


LARGEST = 10_000
"""Most boxes in one cell, judged or not."""

COLUMN = "boxes"


@dataclass(frozen=True, eq=False)
class ReadBoxes:
    """The boxes of N pictures.

    ``answers`` : the task, and the class of each box in each picture. ``chance`` : (N,) that all of a picture is right,
        ``errors`` : (N,) how many to expect in it; None if boxes have no scores. ``places`` : for each picture (k, 4)
        left, top, width and height of its boxes as shares of it. ``fact`` : how many there are, in words.
    """

    answers: Answers
    chance: NDArray[np.float64] | None
    errors: NDArray[np.float64] | None
    places: Sequence[NDArray[np.float64]]
    fact: str


def read_boxes(cells: Cells, label: Column | None, least: float, names: Sequence[str] | None) -> ReadBoxes:
    """The boxes in the column ``boxes``, each cell a JSON list of [class, left, top, width, height, score or null].

    Boxes are numbered from left to right. One that extends over the edge is clipped.

    Parameters
    ----------
    label : what is wrong in each picture, as ``Boxes.answer_text`` writes it, if known.
    least : boxes with a lower score are not judged: they only predict how likely something was missed.
    names : the names of the pictures, for sentences.

    Raises
    ------
    BadInput : no such column, a cell that is not such a list, an invalid score, a box without area or outside its
        picture, or too many boxes in one picture.
    """
    name = next((one for one in cells.columns if one.casefold() == COLUMN), None)
    if name is None:
        raise BadInput(
            f"The task is boxes and the columns are {', '.join(cells.columns)!s:.100}. Expected one called "
            f"{COLUMN!r}, with a list "
            "of boxes in each row. Give that, or the detector's JSON or texts."
        )
    if not 0 <= least <= 1:
        raise BadInput(f"The least score is {least}. Expected 0 to 1. Change it.")
    texts = Column(name, cells.columns[name]).texts
    given: list[list[list[Any]]] = []
    for row in range(cells.size):
        given.append(_listed(texts[row].as_py(), _called(names, row)))
    classes = cells.class_names.get(name) or tuple(sorted({str(box[0]) for boxes in given for box in boxes}))
    if not classes:
        raise BadInput("No picture has a box. Expected one at least, or there is nothing to judge. Check the file.")
    task = Boxes(tuple(whole_characters(one, "The name of a class") for one in classes))
    known = ClassIndex(classes)
    scored = [box[5] is not None for boxes in given for box in boxes]
    if any(scored) and not all(scored):
        raise BadInput(
            f"{commas(scored.count(False))} of {commas(len(scored))} boxes have no score. Expected one for each, or none. Add "
            "them, or leave them all out."
        )
    kinds: list[list[int]] = []
    places: list[NDArray[np.float64]] = []
    doubts: list[tuple[int, float, bool]] = []
    for row, boxes in enumerate(given):
        called, kept = _called(names, row), []
        for box in boxes:
            judged = box[5] is None or float(box[5]) >= least
            if box[5] is not None:
                doubts.append((row, float(box[5]), judged))
            if judged:
                kept.append(_placed(box, known, called))
        if len(kept) > MOST_BOXES:
            raise BadInput(
                f"{called} has {commas(len(kept))} boxes; up to {MOST_BOXES} can be judged. Raise the least score: boxes below "
                "it are not judged."
            )
        kept.sort(key=lambda one: one[1:3])
        kinds.append([int(one[0]) for one in kept])
        places.append(np.array([one[1:] for one in kept], dtype=np.float64).reshape(len(kept), 4))
    predictions = np.full((cells.size, max(1, *map(len, kinds))), NO_BOX, dtype=np.int32)
    for row, found in enumerate(kinds):
        predictions[row, : len(found)] = found
    chance = errors = None
    if doubts:
        pictures, scores, judged_ones = (np.array(one) for one in zip(*doubts, strict=True))
        chance = chance_all_right(pictures, scores, judged_ones, cells.size)
        errors = expected_errors(pictures, scores, judged_ones, cells.size)
    truth = None if label is None else _truth(label, task)
    losses = None if truth is None else task.losses(predictions, truth.tolist())
    count = sum(map(len, kinds))
    fact = f"{commas(count)} in {commas(cells.size)} pictures"
    if least:
        fact += f", those with a score of at least {least:g} of {commas(len(scored))}"
    return ReadBoxes(Answers(task, predictions, truth, losses), chance, errors, places, fact)


def _called(names: Sequence[str] | None, row: int) -> str:
    return f"Picture {row}" if names is None else f"Picture {names[row]!r:.60}"


def _listed(text: str, called: str) -> list[list[Any]]:
    try:
        boxes = json.loads(text or "[]")
    except (ValueError, RecursionError):
        boxes = None
    if not isinstance(boxes, list) or len(boxes) > LARGEST:
        found = f"{commas(len(boxes))} boxes" if isinstance(boxes, list) else f"the boxes {text!r:.60}"
        raise BadInput(
            f"{called} has {found}. Expected a list of up to {commas(LARGEST)} boxes, each [class, left, top, width, height, "
            "score]. Correct it, or write fewer."
        )
    for box in boxes:
        numbers: list[Any] = box[1:] if isinstance(box, list) and len(box) == 6 else [None]
        if numbers[-1] is None and len(numbers) == 5:
            numbers = numbers[:-1]
        if not all(map(_is_coordinate, numbers)):
            raise BadInput(
                f"{called} has the box {json.dumps(box)!s:.80}. Expected [class, left, top, width, height, score], the score "
                "null where there is none. Correct it."
            )
        if len(numbers) == 5 and not 0 <= numbers[-1] <= 1:
            raise BadInput(
                f"{called} has a box with the score {numbers[-1]}. Expected 0 to 1. Divide by 100, or correct it."
            )
    found_boxes: list[list[Any]] = boxes
    return found_boxes


def _placed(box: list[Any], known: ClassIndex, called: str) -> tuple[float, float, float, float, float]:
    """The class and the box inside its picture: class place, left, top, width, height."""
    kind, (left, top, width, height) = known[str(box[0])], (float(one) for one in box[1:5])
    if not (width > 0 and height > 0):
        raise BadInput(
            f"{called} has a box ({box[0]!s:.40}) that is {width:.3g} wide and {height:.3g} high, as shares of the picture. "
            "Expected more than 0. Take it out."
        )
    right, bottom = min(left + width, 1.0), min(top + height, 1.0)
    left, top = max(left, 0.0), max(top, 0.0)
    if right <= left or bottom <= top:
        raise BadInput(
            f"{called} has a box ({box[0]!s:.40}) that lies outside the picture: left {float(box[1]):.3g}, "
            f"top {float(box[2]):.3g}, as shares of it. Expected 0 to 1. Check the size of the picture that the detector saw, "
            "or take the box out."
        )
    return (kind, left, top, right - left, bottom - top)


def _truth(label: Column, task: Boxes) -> NDArray[np.object_]:
    """What is wrong in each picture, (N,) of lists."""
    label.check_filled()
    found = np.empty(len(label.texts), dtype=np.object_)
    for row, text in enumerate(label.texts.to_pylist()):
        try:
            found[row] = task.answer_of(text)
        except BadInput as error:
            raise BadInput(f"Column {label.name!r:.60}, row {row} (counted from 0): {error}") from None
    return found


class BoxedPictures:
    """The pictures, row by row, with their boxes."""

    modality: Modality = "image"

    def __init__(self, pictures: Media, read: ReadBoxes) -> None:
        self.pictures, self._read = pictures, read

    def show(self, row: int) -> Shown:
        """The row's picture with its boxes; BadInput where it cannot be shown."""
        kinds, places = self._read.answers.predictions[row], self._read.places[row]
        boxes = tuple(
            ShownBox(self._read.answers.task.classes[kind], *place)
            for kind, place in zip(kinds[: len(places)].tolist(), places.tolist(), strict=True)
        )
        return replace(self.pictures.show(row), boxes=boxes)

    def name(self, row: int) -> str:
        """The picture's name."""
        return self.pictures.name(row)


IMAGE, BOXES = "image", "boxes"
"""The columns of the table: the picture's file, and a JSON list of [class, left, top, width, height, score]."""

CLASS_LISTS = ("classes.txt", "obj.names")
"""Files that name a YOLO detector's classes, one a line."""

FOUND_UNDER = ("annotations", "predictions", "detections")
"""The key under which a COCO file has its boxes."""

LARGEST_COORDINATE = 1e9
"""Pixels; no side of a picture is this long."""

Cut = tuple[str, float, float, float, float, float | None]
"""A box: its class, then left, top, width and height as shares of the picture, and its score 0..1 if it has one."""


def is_detections(source: Path | bytes) -> bool:
    """Whether this is the output of a detector: JSON with boxes or COCO's lists, or a folder or zip of texts and no table.

    A folder's texts are beside pictures or a list of classes, or begin with a class number or a box; a zip's begin with a box.
    """
    if isinstance(source, Path) and source.is_dir():
        files = FolderFiles(source)
        texts = [one for one in files.names if _is_label_text(one)]
        if not texts or any(one.endswith((".parquet", ".arrow")) for one in files.names):
            return False
        beside = any(one.lower().endswith(ENDINGS) or PurePosixPath(one).name in CLASS_LISTS for one in files.names)
        first = _first_line(files, texts)
        return beside or first[:1].isdecimal() or _corners(first) is not None
    if isinstance(source, Path):
        with suppress(OSError), source.open("rb") as file:
            start = file.read(START_BYTES)
            if not is_json(start):
                return _is_zip_of_boxes(source)
    content = source if isinstance(source, bytes) else file_bytes(source)
    if not is_json(content[:START_BYTES]) or not any(all(mark in content for mark in marks) for marks in MARKS):
        return False
    line, _, rest = content.strip().partition(b"\n")
    return not (rest.strip() and is_object_line(line, rest))  # lines of anything, such as of calls with pictures


def are_texts(source: Path) -> bool:
    """Whether the boxes of a detector are in a folder or zip of texts."""
    return source.is_dir() or _is_zip_of_boxes(source)


def _is_zip_of_boxes(source: Path) -> bool:
    """Whether a zip has nothing but pictures and texts, at least two files, and the texts begin with a box."""
    with suppress(BadInput):  # it may be no zip, a damaged or too large one
        files = open_media(source)
        texts = [one for one in files.names if _is_label_text(one)]
        if (
            not texts
            or len(files.names) < 2
            or not all(one.lower().endswith((".txt", ".names", *ENDINGS)) for one in files.names)
        ):
            return False
        first = _first_line(files, texts)
        parts = first.split()
        middle = (
            len(parts) in (5, 6)
            and parts[0].isdecimal()
            and all(0 <= one <= 1 for one in _numbers(parts[1:]) or [-1.0])
        )
        return middle or _corners(first) is not None
    return False


MOST_EMPTY = 50
"""Texts that are looked at for a first line: of a picture without a box the text is empty."""


def _first_line(files: Files, texts: Sequence[str]) -> str:
    return next((line for one in texts[:MOST_EMPTY] for line in _lines(files, one) if line.strip()), "")


MARKS = ((b'"bbox"',), (b'"categories"', b'"annotations"'), (b'"categories"', b'"images"'))
"""What is in the JSON of boxes, and in no table of answers."""


def read_detections(source: Path | bytes, name: str, pictures: Path | None) -> tuple[Cells, str]:
    """The table of a detector's boxes, a row for each picture, and the fingerprint of its sources.

    Parameters
    ----------
    source : a JSON file in COCO's format: the list of results, or an object with ``images``, ``categories`` and
        ``annotations``; or a folder or zip of YOLO's texts, or of lines of class, score and corners in pixels, each
        beside its picture or with its name.
    pictures : the folder or zip of the pictures. It is needed if the file does not list the pictures itself, because a
        picture without any box would be missing.

    Raises
    ------
    BadInput : the file is not of this kind, names a class or picture that does not exist, or its pictures are not
        known.
    """
    if isinstance(source, Path) and are_texts(source):
        return _of_texts(source, pictures)
    content = file_bytes(source)
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"{name!r:.100} is not JSON ({error!s:.80}). Expected boxes in COCO's format. Export them again."
        ) from None
    files = None if pictures is None else open_media(pictures)
    if isinstance(record, list):
        beside = _pictures_beside(source) if files is None and isinstance(source, Path) else ""
        said = None if files is None or pictures is None else _annotations(record, pictures, files)
        made = _of_results(record, name, files, beside, said)
        cells = made.cells()
        if said is not None:
            cells = replace(
                cells,
                before=lambda: _of_results(record, name, files, beside).cells(),
                since=FOUND,
                changes=(f"classes {made.classes}",),
            )
        return cells, fingerprint.of_bytes(content, *(one.encode() for one in made.names))
    made = _of_coco(record, name, files)
    return made.cells(), fingerprint.of_bytes(content, *(one.encode() for one in made.names))


@dataclass
class _Table:
    """The pictures by name, the boxes of each, the classes in order, and what a person should know."""

    names: list[str]
    classes: list[str]
    boxes: list[list[Cut]] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.boxes = [[] for _ in self.names]
        if not self.names:
            raise BadInput("There is no picture. Expected at least one. Give the pictures, or a file that lists them.")

    def cells(self) -> Cells:
        """The table."""
        return Cells(
            columns={
                IMAGE: pa.chunked_array([pa.array(self.names, pa.large_string())]),
                BOXES: pa.chunked_array([pa.array([json.dumps(one) for one in self.boxes], pa.large_string())]),
            },
            size=len(self.names),
            class_names={BOXES: tuple(self.classes)},
            format="a detector's boxes",
            notes=self.notes,
        )


def _of_coco(record: Any, name: str, files: Files | None) -> _Table:
    """An object with the pictures, the classes and the boxes."""
    found = next((key for key in FOUND_UNDER if isinstance(record, dict) and isinstance(record.get(key), list)), None)
    if found is None or not isinstance(record.get("images"), list) or not isinstance(record.get("categories"), list):
        has = ", ".join(map(str, record)) if isinstance(record, dict) else type(record).__name__
        raise BadInput(
            f"{name!r:.100} contains {has!s:.100}. Expected COCO's images, categories and annotations, or its list of results. "
            "Export the detections so."
        )
    images = [_fields(one, "images", place, "id", "file_name") for place, one in enumerate(record["images"])]
    kinds = [_fields(one, "categories", place, "id", "name") for place, one in enumerate(record["categories"])]
    places = _unique([one["id"] for one in images], "images")
    classes = {one["id"]: whole_characters(str(one["name"]), "The name of a class") for one in kinds}
    made = _Table(
        [whole_characters(str(one["file_name"]), f"The name of picture {place}") for place, one in enumerate(images)],
        list(dict.fromkeys(classes.values())),
    )
    size = _sizes(images, files, made.names)
    for number, given in enumerate(record[found]):
        box = _fields(given, found, number, "image_id", "category_id", "bbox")
        place, kind = places.get(box["image_id"]), classes.get(box["category_id"])
        if place is None or kind is None:
            what, said, among = (
                ("category_id", box["category_id"], "categories")
                if place is not None
                else ("image_id", box["image_id"], "images")
            )
            raise BadInput(
                f"Box {number} of {found} has the {what} {said!r:.40}, and {among} lists no such id. Expected one of "
                f"{', '.join(map(str, [*(classes if place is not None else places)][:12]))!s:.100}. Correct it, or add it "
                "there."
            )
        made.boxes[place].append(_share(box, kind, size(place), f"Box {number} of {found}"))
    if found == FOUND_UNDER[0] and record[found] and not any(one.get("score") is not None for one in record[found]):
        made.notes = (
            f"No box of {name!r:.60} has a score, as in a file of true boxes. If it is one, give the detector's.",
        )
    return made


def _pictures_beside(file: Path) -> str:
    """The only folder beside a file that has pictures in it; "" where there is none, or several."""
    folders = [one for one in sorted(file.parent.iterdir()) if one.is_dir()]
    found = [one for one in folders if any(name.name.lower().endswith(ENDINGS) for name in one.iterdir())]
    return str(found[0]) if len(found) == 1 else ""


@dataclass(frozen=True)
class _Annotations:
    """A file in COCO's format about the pictures of a list of results: the names of classes and pictures by their ids."""

    classes: Mapping[Any, str]
    pictures: Mapping[Any, str]
    note: str


MOST_LISTS = 20
"""Files beside pictures that are looked at for the names of their classes."""


def _annotations(results: list[Any], pictures: Path, files: Files) -> _Annotations | None:
    """The file among the pictures, or in or beside their folder, that lists the classes and pictures of all the results.

    None without one, or where several name the classes differently. Its own boxes, which are the true ones, are not read.
    """
    found: dict[str, Callable[[], bytes]] = {
        one: partial(files.read, one) for one in files.names if one.lower().endswith(".json")
    }
    if pictures.is_dir():
        around = [pictures.parent, pictures.parent / "annotations"]
        found |= {str(one): partial(file_bytes, one) for folder in around for one in sorted(folder.glob("*.json"))}
    kinds, ids = (
        {str(one.get(key)) for one in results if isinstance(one, dict)} for key in ("category_id", "image_id")
    )
    said = []
    for called, read in [*found.items()][:MOST_LISTS]:
        with suppress(BadInput, ValueError, RecursionError):  # it may be anything
            content = read()
            if not all(mark in content for mark in (*MARKS[2], b'"file_name"')):
                continue
            listed = json.loads(content)
            classes = {one["id"]: str(one["name"]) for one in _named(listed, "categories", "id", "name")}
            images = {one["id"]: str(one["file_name"]) for one in _named(listed, "images", "id", "file_name")}
            if kinds <= {*map(str, classes)} and ids <= {*map(str, images)}:
                note = f"The classes are named as in {PurePosixPath(called).name!r:.60}. The boxes in it are shown to nobody."
                said.append(_Annotations(classes, images, note))
    return said[0] if said and all(one.classes == said[0].classes for one in said) else None


def _named(record: Any, key: str, *names: str) -> list[Mapping[str, Any]]:
    return [_fields(one, key, place, *names) for place, one in enumerate(record[key])]


def _of_results(
    record: list[Any], name: str, files: Files | None, beside: str = "", said: _Annotations | None = None
) -> _Table:
    """COCO's list of results: pictures by their number or the name of their file, classes by their number.

    ``beside`` : the folder that may hold the pictures, for a sentence.
    """
    if files is None:
        raise BadInput(
            f"{name!r:.100} is a list of boxes, which does not say which pictures there are. Expected the pictures, too, since "
            f"one without a box counts as well. Give their folder or zip as the inputs: --inputs {quote(beside or 'FOLDER')}."
        )
    boxes = [_fields(one, "the list", place, "image_id", "category_id", "bbox") for place, one in enumerate(record)]
    names = [one for one in files.names if one.lower().endswith(ENDINGS)]
    kinds = sorted({one["category_id"] for one in boxes}, key=lambda one: (str(type(one)), one))
    called = {one: f"class {one}" for one in kinds} if said is None else said.classes
    made = _Table(names, list(dict.fromkeys(called.values())), notes=() if said is None else (said.note,))
    stems = {PurePosixPath(one).stem: place for place, one in enumerate(names)}
    numbers = _by_number(stems, {one["image_id"] for one in boxes})
    if said is not None:
        boxes = [{"file_name": said.pictures[one["image_id"]], **one} for one in boxes]
    by_file = _by_file_name(boxes, names)
    size = _sizes([{} for _ in names], files, names)
    for number, box in enumerate(boxes):
        id = box["image_id"]
        place = numbers.get(id) if isinstance(id, int) else stems.get(PurePosixPath(str(id)).stem)
        place = by_file[number] if by_file else place
        if place is None:
            raise BadInput(
                f"Box {number} of the list is of picture {id!r:.60}, and no picture is called so. Expected one of the "
                f"{commas(len(names))} given, such as {names[0]!r:.60}. Give the pictures of these boxes."
            )
        made.boxes[place].append(_share(box, called[box["category_id"]], size(place), f"Box {number} of the list"))
    return made


def _by_file_name(boxes: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[int]:
    """The place of each box's picture, where every record has the name of its file; none where one has no such picture."""
    said = [one.get("file_name") for one in boxes]
    if not said or not all(isinstance(one, str) for one in said):
        return []
    with suppress(BadInput):
        matched = match_files([str(one) for one in said], names)
        if not matched.missing:
            places = {name: place for place, name in enumerate(names)}
            return [places[str(one)] for one in matched.files]
    return []


def _by_number(stems: Mapping[str, int], asked: Collection[Any]) -> dict[int, int]:
    """The place of each picture by the number that its name is, else by the last number in it if all asked for are there.

    >>> _by_number({"hall_0017": 0, "hall_0108": 1}, [17, 108]), _by_number({"a1": 0, "b1": 1}, [1])
    ({17: 0, 108: 1}, {})
    """
    whole = {int(stem): place for stem, place in stems.items() if stem.isdecimal() and len(stem) < LONGEST_NUMBER}
    if not {*asked} - {*whole}:
        return whole
    found = [(re.findall("[0-9]+", stem), place) for stem, place in stems.items()]
    last = {int(digits[-1]): place for digits, place in found if digits and len(digits[-1]) < LONGEST_NUMBER}
    return last if len(last) == len(stems) and not {*asked} - {*last} else whole


LONGEST_NUMBER = 19
"""Digits of a number that is no picture's any more."""


def _of_texts(folder: Path, pictures: Path | None) -> tuple[Cells, str]:
    """A folder or zip with a text for each picture that has boxes.

    A line has a class number, middle x and y, width, height and, if known, the score; or, where all have, a class, its score
    and left, top, right and bottom in pixels.
    """
    texts = open_media(folder)
    files = texts if pictures is None else open_media(pictures)
    names = [one for one in files.names if one.lower().endswith(ENDINGS)]
    if not names:
        beside = _pictures_beside(folder)
        raise BadInput(
            f"There are no pictures in {(pictures or folder).name!r:.100}. Expected those that the texts are about, "
            f"since a picture without a box has no text. Give their folder or zip as the inputs: --inputs "
            f"{quote(beside or 'FOLDER')}."
        )
    listed = next((one for one in texts.names if PurePosixPath(one).name in CLASS_LISTS), None)
    labels = [one for one in texts.names if _is_label_text(one)]
    known = None if listed is None else [line.strip() for line in _lines(texts, listed) if line.strip()]
    lines = [
        [(line, f"{one!r:.60}, line {at}") for at, line in enumerate(_lines(texts, one), 1) if line.strip()]
        for one in labels
    ]
    stems = [str(PurePosixPath(one).with_suffix("")) for one in names]
    matched = match_files([str(PurePosixPath(one).with_suffix("")) for one in labels], stems)
    if matched.missing:
        raise BadInput(
            f"{labels[matched.missing[0][0]]!r:.60} belongs to none of the {commas(len(names))} pictures, such as "
            f"{names[0]!r:.60}. Expected a picture of the same name. Add it, or take the text out."
        )
    places = {stem: place for place, stem in enumerate(stems)}
    at = [places[stem] for stem in matched.files if stem is not None]  # a missing one was refused above
    corners = [[_corners(line) for line, _ in boxes] for boxes in lines]
    if any(corners) and all(one is not None for boxes in corners for one in boxes):
        made = _of_corners(
            names,
            known,
            files,
            {place: [one for one in boxes if one] for place, boxes in zip(at, corners, strict=True)},
        )
    else:
        said = [[_yolo_line(line.split(), where, known) for line, where in boxes] for boxes in lines]
        most = max((number for boxes in said for number, _, _ in boxes), default=0)
        made = _Table(names, known or [f"class {number}" for number in range(most + 1)])
        for place, boxes in zip(at, said, strict=True):
            for number, (x, y, width, height, *score), _ in boxes:
                cut = (x - width / 2, y - height / 2, width, height)
                made.boxes[place].append((made.classes[number], *cut, score[0] if score else None))
    content = [f"{one}\0".encode() + texts.read(one) for one in (*labels, *([listed] if listed else []))]
    return made.cells(), fingerprint.of_bytes(*content, *(one.encode() for one in names))


def _of_corners(
    names: list[str], known: list[str] | None, files: Files, boxes: Mapping[int, Sequence[tuple[str, list[float]]]]
) -> _Table:
    """The table of boxes that are a class, its score and left, top, right and bottom in pixels, by the place of the picture."""
    kinds = sorted({kind for found in boxes.values() for kind, _ in found})
    numbered = all(kind.isdecimal() for kind in kinds)
    called = {kind: f"class {kind}" if numbered else kind for kind in kinds}
    if numbered and known and all(int(kind) < len(known) for kind in kinds):
        called = {kind: known[int(kind)] for kind in kinds}
    note = "The texts are read as class, score, left, top, right and bottom in pixels."
    made = _Table(names, list(dict.fromkeys(called.values())), notes=(note,))
    size = _sizes([{} for _ in names], files, names)
    for place, found in boxes.items():
        for kind, (score, left, top, right, bottom) in found:
            box = {"bbox": [left, top, right - left, bottom - top], "score": score}
            made.boxes[place].append(_share(box, called[kind], size(place), f"A box of {names[place]!r:.60}"))
    return made


def _corners(line: str) -> tuple[str, list[float]] | None:
    """The class, its score and the corners in pixels, if the line has them; a class may have several words.

    >>> _corners("traffic light 0.9 12 30 40 80"), _corners("0 0.5 0.5 0.2 0.1 0.9"), _corners("ship 0.9 12 30 4 8")
    (('traffic light', [0.9, 12.0, 30.0, 40.0, 80.0]), None, None)
    """
    parts = line.rsplit(maxsplit=5)
    values = _numbers(parts[1:])
    if len(parts) != 6 or values is None:
        return None
    score, left, top, right, bottom = values
    in_pixels = 0 <= score <= 1 and left < right and top < bottom and max(right, bottom) > 1
    return (parts[0].strip(), values) if in_pixels else None


def _numbers(parts: Sequence[str]) -> list[float] | None:
    """The coordinates or scores; None where one is none."""
    try:
        values = [float(one) for one in parts]
    except ValueError:
        return None
    return values if all(map(_is_coordinate, values)) else None


def _is_label_text(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() == ".txt" and path.name not in CLASS_LISTS


def _lines(files: Files, name: str) -> list[str]:
    return files.read(name).decode("utf-8-sig", "replace").splitlines()


def _yolo_line(parts: list[str], where: str, known: list[str] | None) -> tuple[int, list[float], str]:
    try:
        number, *values = int(parts[0]), *(float(one) for one in parts[1:])
    except ValueError:
        number, values = -1, []
    if number < 0 or len(values) not in (4, 5) or not all(_is_coordinate(one) for one in values):
        raise BadInput(
            f"{where} is {' '.join(parts)!r:.80}. Expected a class number, middle x and y, width, height and, if known, a "
            "score; or in every line a class, its score and left, top, right and bottom in pixels. Export boxes, not outlines."
        )
    if number >= (MAX_CLASSES if known is None else len(known)):
        names = "25,000 classes at most" if known is None else f"the classes 0 to {len(known) - 1} of the list"
        raise BadInput(f"{where} is of class {number}. Expected {names}. Correct it, or add its name there.")
    return number, values, where


def _fields(given: Any, what: str, place: int, *names: str) -> Mapping[str, Any]:
    """The record, a mapping with these fields whose ids are words or whole numbers; BadInput otherwise."""
    lacking = [one for one in names if not isinstance(given, dict) or given.get(one) is None]
    if lacking:
        raise BadInput(
            f"Entry {place} of {what} has no {lacking[0]}. Expected {', '.join(names)}. Export the detections in COCO's format."
        )
    for name in names:
        if name.endswith("id") and not (isinstance(given[name], str) or is_whole(given[name])):
            raise BadInput(
                f"Entry {place} of {what} has the {name} {given[name]!r:.40}. Expected a whole number or a name. Correct it."
            )
    found: Mapping[str, Any] = given
    return found


def _unique(ids: Sequence[Any], what: str) -> dict[Any, int]:
    places = {id: place for place, id in enumerate(ids)}
    if len(places) < len(ids):
        twice = next(id for place, id in enumerate(ids) if places[id] != place)
        raise BadInput(f"The id {twice!r:.40} occurs twice among the {what}. Expected each once. Correct them.")
    return places


def _sizes(
    images: Sequence[Mapping[str, Any]], files: Files | None, names: Sequence[str]
) -> Callable[[int], tuple[float, float]]:
    """A function that gives the (width, height) of a picture in pixels: from the file, else from the picture's own header."""
    known: dict[int, tuple[float, float]] = {}
    matched = None if files is None else match_files(names, files.names).files

    def size(place: int) -> tuple[float, float]:
        if place not in known:
            width, height = images[place].get("width"), images[place].get("height")
            if _is_coordinate(width) and _is_coordinate(height) and width > 0 and height > 0:
                known[place] = float(width), float(height)
            elif files is not None and matched is not None and (name := matched[place]) is not None:
                found = picture_size(files.read(name), name)
                known[place] = float(found.width), float(found.height)
            else:
                raise BadInput(
                    f"The size of picture {names[place]!r:.60} is not known, so neither are the places of its boxes. "
                    "Expected "
                    "its width and height under images, or the picture. Add one of these."
                )
        return known[place]

    return size


def _share(box: Mapping[str, Any], kind: str, size: tuple[float, float], where: str) -> Cut:
    """The box as shares of its picture."""
    given, score = box["bbox"], box.get("score")
    numbers: list[Any] = given if isinstance(given, list) and len(given) == 4 else [None]
    scores = [] if score is None else [score]
    if not all(_is_coordinate(one) for one in (*numbers, *scores)):
        raise BadInput(
            f"{where} has the bbox {given!r:.60} and the score {score!r:.20}. Expected left, top, width and height in pixels, "
            "and a score from 0 to 1 or none. Correct it."
        )
    (left, top, width, height), (wide, high) = numbers, size
    return (kind, left / wide, top / high, width / wide, height / high, None if score is None else float(score))


def _is_coordinate(value: Any) -> TypeGuard[float]:
    """Whether it is a number in the range of pixels or scores; nan is not."""
    return is_number(value) and abs(value) < LARGEST_COORDINATE
