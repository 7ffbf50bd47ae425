"""A table of outputs to judge: the columns, the scale, the known grades, and what a person sees side by side.

Where an output differs from the expected text, word by word, so that a tester sees it at once.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Pane, Shown
from testimate.core.task import Task
from testimate.datasets.folders import match_files
from testimate.datasets.rows import Files
from testimate.subjects.media import EmbeddedMedia, Media, NamedFiles, TextCells, open_media
from testimate.tables.answers import Answers, right_or_wrong
from testimate.tables.cells import Cells, Column
from testimate.tables.column_names import in_english
from testimate.tables.content import ContentRoles
from testimate.tables.role_questions import MOST_ASKED
from testimate.tables.roles import Roles
from testimate.tables.rules import FOUND, LATEST
from testimate.tables.score_names import JUDGE_NAMES, may_name_judge, names_judge, path_end
from testimate.tasks.verdict import (
    TIE,
    TWO_SYSTEMS,
    USUAL_SCALE,
    Judgment,
    grades_of,
    preferred,
    read_judge,
    scale_of,
)

MOST_SENTENCES = 3000
"""Most sentences or lines of either text; nothing is marked in longer ones."""

MOST_LETTERS = 131_072
"""Most characters of either text; nothing is marked in longer ones, of which a screen shows the beginning."""

MOST_PAIRS = 400_000
"""In a differing stretch with more pairs of words than this, frequent words are not used to align the texts."""

SENTENCE = re.compile(r".*?(?:[.!?;:](?=\s)|\n|$)\s*", re.DOTALL)
WORD = re.compile(r"\s*\S+\s*|\s+")

Pieces = tuple[tuple[str, bool], ...]
"""A text in pieces, in order, each with whether the other text lacks it."""


@dataclass(frozen=True)
class Differences:
    """Both texts in pieces; ``note`` says if they were not compared."""

    first: Pieces
    second: Pieces
    note: str = ""


def compared(first: str, second: str) -> Differences:
    """The pieces of both texts: by sentences first, then word by word where these differ.

    Spaces belong to the word before them; upper and lower case differ.

    >>> compared("Paris, in France", "Paris in France").first
    (('Paris, ', True), ('in France', False))
    """
    too_long = Differences((), (), "The texts are too long to be compared: nothing is marked.")
    if max(len(first), len(second)) > MOST_LETTERS:
        return too_long
    sentences = [[part for part in SENTENCE.findall(text) if part] for text in (first, second)]
    if max(map(len, sentences)) > MOST_SENTENCES:
        return too_long
    sides: list[list[tuple[str, bool]]] = [[], []]
    for differs, one, other in _stretches(*sentences):
        words = WORD.findall(one), WORD.findall(other)
        many = len(words[0]) * len(words[1]) > MOST_PAIRS
        fine = differs and one and other
        for lacking, left, right in _stretches(*words, autojunk=many) if fine else [(differs, one, other)]:
            for side, text in zip(sides, (left, right), strict=True):
                if text and side and side[-1][1] == lacking:
                    side[-1] = (side[-1][0] + text, lacking)
                elif text:
                    side.append((text, lacking))
    return Differences(tuple(sides[0]), tuple(sides[1]))


def _stretches(first: list[str], second: list[str], *, autojunk: bool = False) -> list[tuple[bool, str, str]]:
    """The stretches of both lists in order, each joined, and whether they differ."""
    matcher = SequenceMatcher(
        None, [part.strip() for part in first], [part.strip() for part in second], autojunk=autojunk
    )
    return [
        (kind != "equal", "".join(first[i:j]), "".join(second[k:end])) for kind, i, j, k, end in matcher.get_opcodes()
    ]


A, B = "output_a", "output_b"
TITLES = {"input": "Input", "output": "Output", "reference": "Reference"}
SIDES = ("Left", "Right")


def judged_answers(roles: Roles, grades: str, digest: str, size: int, *, own_scale: bool = False) -> Answers:
    """The task and the known grades of the outputs.

    Parameters
    ----------
    grades : a scale of ``grades_of``; "" for the usual one, or that of the truth's numbers.
    own_scale : whether known grades from 1 to 3 or to 4 are a scale of their own; in earlier versions they were of 1 to 5.
    digest : of the table's content: it decides the side on which each row shows system A.

    Raises
    ------
    BadInput : no output, a scale that does not fit, or a cell of the truth that names no grade.
    """
    if not {A, B} <= {*roles.judged} and "output" not in roles.judged:
        raise BadInput(
            "The task is verdict and no column contains what is to be judged. Expected a column 'output', or 'output_a' and "
            "'output_b' of two systems. Add one, or say which column it is."
        )
    task = Judgment(_scale(roles, grades, own_scale=own_scale))
    if task.compares:
        coins = np.random.default_rng(int(digest[:16], 16)).integers(0, 2, size)
        predictions: NDArray[np.intp] = (2 * coins).astype(np.intp)
    else:
        predictions = np.full(size, task.best, dtype=np.intp)
    truth = None if roles.label is None else _places(roles.label, task, predictions)
    if roles.outcome is not None and truth is None and not task.compares:
        worst = len(task.classes) - 1 - task.best
        truth = np.where(right_or_wrong(roles.outcome), task.best, worst).astype(np.intp)
    losses = None if truth is None else task.losses(predictions, truth)
    return Answers(task, predictions, truth, losses)


def judge_columns(
    cells: Cells, roles: Roles, task: Task, named: Sequence[str] = (), *, rules: int = LATEST
) -> dict[str, NDArray[np.float64]]:
    """Return the columns that are a judge's by choice or by their name, or were ``named`` as one, (N,) each.

    They are numbers, or words that name a grade. A cell that is neither is nan. ``rules`` : since ``FOUND`` a name that begins
    with the model that gave the output names no judge. BadInput where a chosen one has no grade.
    """
    output = roles.judged.get("output", "") if rules >= FOUND else ""
    numbers = [
        name for name in roles.candidates if (names_judge(name) and not _begin_alike(name, output)) or name in named
    ]
    columns = (Column(name, cells.columns[name]) for name in dict.fromkeys((*roles.judges, *numbers)))
    found = {one.name: np.where(one.is_number, one.values, np.nan) for one in columns if one.is_numeric}
    for name in roles.judges:
        if name not in found:
            found[name] = _graded_in_words(Column(name, cells.columns[name]), task)
    return found


def _begin_alike(name: str, output: str) -> bool:
    """Whether two names begin with the same model, and the first is not said to be a judge's."""
    one, two = (re.split(r"[^a-z0-9]+", path_end(called))[0] for called in (name, output))
    return one == two and one.startswith(JUDGE_NAMES) and "judge" not in name.casefold()


def _graded_in_words(column: Column, task: Task) -> NDArray[np.float64]:
    """Return the grades that a judge's words name, from 0 to 1, (N,); nan for others. BadInput where none does."""
    scale, grades = Judgment(task.grades), np.full(len(column.words), np.nan)
    for place, word in enumerate(column.words.to_pylist()):
        with suppress(BadInput):
            grades[place] = 1 - float(scale.losses([scale.best], [scale.place_of(word)])[0])
    if not np.isfinite(grades).any():
        raise BadInput(
            f"No cell of {column.name!r:.60} is a grade. Expected those of a judge: numbers, or {', '.join(task.classes)}. "
            "Give the column another role."
        )
    return np.asarray(grades[column.places])


MAY_BE_JUDGE = "may be a judge's grades"
"""The reason why a person is asked about a column of numbers beside outputs that are graded."""


def asking_for_judges(content: ContentRoles, cells: Cells, roles: Roles, task: Task) -> ContentRoles:
    """Return what the cells say with a doubt for the first columns of numbers that may be a judge's grades."""
    if "output" not in roles.judged:
        return content
    free = [name for name in roles.candidates if name not in roles.judges]
    free = [name for name in free if may_name_judge(in_english(name, LATEST))]
    columns = (Column(name, cells.columns[name]) for name in free)
    fitting = [
        one.name
        for one in columns
        if one.is_numeric and read_judge(one.name, np.where(one.is_number, one.values, np.nan), task.grades) is not None
    ][:MOST_ASKED]
    doubts = (f"{name!r:.60} {MAY_BE_JUDGE}. To use it so: --column {quote(f'judge={name}')}." for name in fitting)
    reasons = {**dict.fromkeys(fitting, MAY_BE_JUDGE), **content.reasons}
    return replace(content, doubts=(*content.doubts, *doubts), reasons=reasons)


def _scale(roles: Roles, grades: str, *, own_scale: bool) -> str:
    if grades:
        grades_of(grades)
    if {A, B} <= {*roles.judged}:
        if "output" in roles.judged or grades not in ("", TWO_SYSTEMS):
            found = "a column 'output' as well" if "output" in roles.judged else f"the grades {grades}"
            raise BadInput(
                f"The table has the outputs of two systems and {found}. Expected either one output that is graded, or two that "
                "are compared. Leave one of them out."
            )
        return TWO_SYSTEMS
    if grades == TWO_SYSTEMS:
        raise BadInput(
            "Two outputs are to be compared but there is only one. Expected 'output_a' and 'output_b'. Add the other."
        )
    return grades or _scale_of_label(roles.label, own_scale=own_scale)


def _scale_of_label(label: Column | None, *, own_scale: bool) -> str:
    """The scale of the known grades: right and wrong if they are words, 0 or 1, else the scale of their numbers."""
    if label is None or not label.has_numbers_alone:
        return USUAL_SCALE
    numbers = label.distinct[0].tolist()
    if {*numbers} <= {0.0, 1.0} and 0.0 in numbers:
        return USUAL_SCALE
    if {*numbers} <= {1.0, 2.0, 3.0, 4.0, 5.0} and (not own_scale or len(numbers) < 3):
        return "1-5"
    return scale_of(numbers) or "1-5"


def _places(label: Column, task: Judgment, predictions: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of the true grade of each row, (N,)."""
    label.check_filled()
    words = label.texts.to_pylist()
    known: dict[str, int] = {}
    places = np.empty(len(words), dtype=np.intp)
    for row, word in enumerate(words):
        said = word.casefold()
        better = preferred(word) if task.compares else None
        if better is not None:
            places[row] = 1 if better == TIE else abs(int(predictions[row]) - better)
            continue
        if said not in known:
            try:
                known[said] = task.place_of(word)
            except BadInput as error:
                raise BadInput(f"Column {label.name!r:.60}, row {row} (counted from 0): {error}") from None
        places[row] = known[said]
    return places


class JudgedRows:
    """The panes of each row: the input with further columns, the outputs, and the reference with differences marked."""

    def __init__(
        self, panes: Mapping[str, Media], further: Mapping[str, Media], a_is_right: NDArray[np.bool_] | None
    ) -> None:
        self._panes, self._further, self._a_is_right = panes, further, a_is_right
        first = panes.get("input")
        self.modality: Modality = "text" if first is None else first.modality

    def show(self, row: int) -> Shown:
        """The row's panes; a file that cannot be shown is replaced by the reason."""
        panes = [Pane(title, shown) for title, shown in self._shown(row)]
        found = {pane.title: pane for pane in panes}
        if "Reference" in found:
            reference = found["Reference"].shown.text
            output = found["Output"].shown.text if "Output" in found else None
            if reference == "":
                del found["Reference"]
            elif output is not None and reference is not None:
                marked = compared(output, reference)
                found["Output"] = Pane("Output", found["Output"].shown, marked.first, marked.note)
                found["Reference"] = Pane("Reference", found["Reference"].shown, marked.second)
            panes = list(found.values())
        further = [Pane(column, _seen(media, row), further=True) for column, media in self._further.items()]
        asked = [pane for pane in panes if pane.title == TITLES["input"]]
        panes = [*asked, *further, *panes[len(asked) :]]
        first = panes[0].shown
        if first.text is None:
            return Shown(first.modality, first.image, None, first.audio, first.cells, first.series, tuple(panes))
        below = "\n\n".join(f"{pane.title}\n{pane.shown.text}" for pane in panes if pane.shown.text is not None)
        return Shown("text", text=below, panes=tuple(panes))

    def name(self, row: int) -> str:
        """The name of the row's file, if the input or the output has one."""
        return next((name for media in self._panes.values() if (name := media.name(row))), "")

    def _shown(self, row: int) -> list[tuple[str, Shown]]:
        shown = {role: _seen(media, row) for role, media in self._panes.items()}
        if self._a_is_right is None:
            return [(TITLES[role], shown[role]) for role in TITLES if role in shown]
        sides = (B, A) if self._a_is_right[row] else (A, B)
        above = [(TITLES["input"], shown["input"])] if "input" in shown else []
        below = [(TITLES["reference"], shown["reference"])] if "reference" in shown else []
        return [*above, *((title, shown[role]) for title, role in zip(SIDES, sides, strict=True)), *below]


def judged_media(cells: Cells, roles: Roles, source: Path | None, said: Answers) -> JudgedRows:
    """The panes of all rows; an input without a column of its own is the row's picture, sound or text.

    BadInput where files are given but no column names them.
    """
    files = None if source is None else open_media(source)
    columns = dict(roles.judged)
    if "input" not in columns and (other := roles.file[1] if roles.file is not None else roles.text) is not None:
        columns["input"] = other
    panes: dict[str, Media] = {}
    for role in ("input", "output", A, B, "reference"):
        if role in columns:
            panes[role] = _media(cells, columns[role], roles, files, source)
    further = {name: _media(cells, name, roles, files, source) for name in roles.show if name not in columns.values()}
    if files is not None and not any(isinstance(media, NamedFiles) for media in panes.values()):
        raise BadInput(
            f"No column names the files in {files.names[0]!r:.60} and so on. Expected their names in 'input', 'output' or "
            "'file'. Choose the folder or zip of this table."
        )
    assert said.task.graded
    return JudgedRows(panes, further, said.predictions == 2 if said.task.compares else None)


def _media(cells: Cells, name: str, roles: Roles, files: Files | None, source: Path | None) -> Media:
    """The content of a column: files in the table, names of files, or texts."""
    file = roles.file
    if name in cells.embedded:
        column = cells.embedded[name]
        sound = file == ("audio", name) or column.read(0).startswith(b"RIFF")
        return EmbeddedMedia(column, "audio" if sound else "image")
    texts = Column(name, cells.columns[name]).texts
    if files is not None and source is not None:
        some = texts.slice(0, 100).to_pylist()
        try:
            matched = len(match_files(some, files.names).missing) < len(some)
        except BadInput:
            matched = False
        if matched:
            return NamedFiles(files, texts, file[0] if file is not None and file[1] == name else "file", source.name)
    return TextCells(texts, code=name in roles.code)


def _seen(media: Media, row: int) -> Shown:
    try:
        return media.show(row)
    except BadInput as error:
        named = media.name(row)
        return Shown("tabular", cells=(*([("file", named)] if named else []), ("not shown", str(error))))
