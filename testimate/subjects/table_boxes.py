"""A table of a detector's boxes: the boxes in each picture, the detector's scores, and the picture with its boxes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown, ShownBox
from testimate.core.visible_text import whole_characters
from testimate.core.words import spaced
from testimate.subjects.box_chance import chance_all_right, expected_errors
from testimate.subjects.cells import Cells, Column
from testimate.subjects.table_answers import Answers
from testimate.subjects.table_media import Media
from testimate.tasks.boxes import MOST_BOXES, NO_BOX, Boxes

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
            f"The task is boxes but no column is called {COLUMN!r}; the columns are {', '.join(cells.columns)!s:.100}. "
            "Give the detector's JSON or texts, or a column with a list of boxes in each row."
        )
    if not 0 <= least <= 1:
        raise BadInput(f"The least score is {least}; expected 0 to 1. Change it.")
    texts = Column(name, cells.columns[name]).texts
    given: list[list[list[Any]]] = []
    for row in range(cells.size):
        given.append(_listed(texts[row].as_py(), _called(names, row)))
    classes = cells.class_names.get(name) or tuple(sorted({str(box[0]) for boxes in given for box in boxes}))
    if not classes:
        raise BadInput("No picture has a box; expected one at least, or there is nothing to judge. Check the file.")
    task = Boxes(tuple(whole_characters(one, "The name of a class") for one in classes))
    known = {one: place for place, one in enumerate(classes)}
    scored = [box[5] is not None for boxes in given for box in boxes]
    if any(scored) and not all(scored):
        raise BadInput(
            f"{spaced(scored.count(False))} of {spaced(len(scored))} boxes have no score; expected one for each, or none. Add "
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
                f"{called} has {spaced(len(kept))} boxes; up to {MOST_BOXES} can be judged. Raise the least score: boxes below "
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
    fact = f"{spaced(count)} in {spaced(cells.size)} pictures"
    if least:
        fact += f", those with a score of at least {least:g} of {spaced(len(scored))}"
    return ReadBoxes(Answers(task, predictions, truth, losses), chance, errors, places, fact)


def _called(names: Sequence[str] | None, row: int) -> str:
    return f"Picture {row}" if names is None else f"Picture {names[row]!r:.60}"


def _listed(text: str, called: str) -> list[list[Any]]:
    try:
        boxes = json.loads(text or "[]")
    except (ValueError, RecursionError):
        boxes = None
    if not isinstance(boxes, list) or len(boxes) > LARGEST:
        found = f"{spaced(len(boxes))} boxes" if isinstance(boxes, list) else f"the boxes {text!r:.60}"
        raise BadInput(
            f"{called} has {found}; expected a list of up to {spaced(LARGEST)} boxes, each [class, left, top, width, height, "
            "score]. Correct it, or write fewer."
        )
    for box in boxes:
        numbers: list[Any] = box[1:] if isinstance(box, list) and len(box) == 6 else [None]
        if numbers[-1] is None and len(numbers) == 5:
            numbers = numbers[:-1]
        if not all(isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 1e9 for one in numbers):
            raise BadInput(
                f"{called} has the box {json.dumps(box)!s:.80}; expected [class, left, top, width, height, score], the score "
                "null where there is none. Correct it."
            )
        if len(numbers) == 5 and not 0 <= numbers[-1] <= 1:
            raise BadInput(
                f"{called} has a box with the score {numbers[-1]}; expected 0 to 1. Divide by 100, or correct it."
            )
    found_boxes: list[list[Any]] = boxes
    return found_boxes


def _placed(box: list[Any], known: dict[str, int], called: str) -> tuple[float, float, float, float, float]:
    """The class and the box inside its picture: class place, left, top, width, height."""
    kind, (left, top, width, height) = known[str(box[0])], (float(one) for one in box[1:5])
    if not (width > 0 and height > 0):
        raise BadInput(
            f"{called} has a box ({box[0]!s:.40}) that is {width:.3g} wide and {height:.3g} high, as shares of the picture; "
            "expected more than 0. Take it out."
        )
    right, bottom = min(left + width, 1.0), min(top + height, 1.0)
    left, top = max(left, 0.0), max(top, 0.0)
    if right <= left or bottom <= top:
        raise BadInput(
            f"{called} has a box ({box[0]!s:.40}) that lies outside the picture: left {float(box[1]):.3g}, "
            f"top {float(box[2]):.3g}, as shares of it; expected 0 to 1. Check the size of the picture that the detector saw, "
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
