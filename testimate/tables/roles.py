"""The roles of a prediction table's columns: as chosen, else by name.

The rows of a table as a dataset: shows what a tester may see, and nothing that gives away the answer.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.reading import CHOSEN, ROW_NUMBER, ColumnRole
from testimate.core.spellings import bare
from testimate.core.subject import Modality, Shown
from testimate.core.words import commas, counted, is_or_are
from testimate.tables.cells import Array, Cells, Column, pa, pc
from testimate.tables.evaluations import roles_of_evaluation
from testimate.tables.first_cells import FirstCells
from testimate.tables.pairs import are_flags
from testimate.tables.parquet import ParquetColumns, is_text, pieces_of
from testimate.tables.rules import BY_NAME, FOUND, LATEST, LONE, PAIRED, TOLD, TRANSLATED
from testimate.tables.score_names import (
    FURTHER_NO_SCORE,
    is_no_score,
    says_how_a_call_went,
    says_where_or_how_long,
    words_in,
)
from testimate.tables.scores import is_numeric
from testimate.tasks.verdict import RIGHT_OR_WRONG, folded_grade

INDEX_NAMES = frozenset({"", "id", "key", "row", "rowid", "rowindex", "rownumber", "index", "idx", "unnamed0"})
"""Names of columns that only number the rows, in lower-case letters and digits."""

FILES = ("image", "audio", "file")
"""Roles of a column that names the file of each row, or holds its bytes; the first that exists is used."""

JUDGED = ("input", "output", "reference", "output_a", "output_b")
"""Roles of the columns that people judge: input, output and expected output, or two systems' outputs."""

ONE = ("prediction", "label", "outcome", "confidence", *FILES, "text", "group", *JUDGED)
"""Roles that only one column can have."""

JUDGE = "judge"
"""The role of a column with a judge's grades of the outputs that people judge."""

SEVERAL = ("show", "ignore", "score", "history", JUDGE)
"""Roles that several columns may have: shown, ignored, a number that may tell failures, or what models or judges said."""

CODE = "code"
"""Marks a column beside its role: its texts are source code, and shown as such. Nothing else makes a text code."""

FIRST_OUTPUTS, MOSTLY = 2_000, 0.85
"""First rows that show whether outputs are texts, and the share of rows in which an outcome says right or wrong."""

Chosen = tuple[tuple[str, str], ...]
"""Choices for columns: (role, column) pairs; a role is one of ``ONE``, ``SEVERAL``, ``CODE`` or ``p_<class>``."""


def is_index_name(name: str, rules: int = LATEST) -> bool:
    """Whether a column of that name only numbers the rows, or names them.

    ``rules`` : by those before ``TRANSLATED`` a name in other letters than Latin ones is taken for none.

    >>> is_index_name("Row_ID"), is_index_name("idle"), is_index_name(" "), is_index_name("正解")
    (True, False, True, False)
    """
    plain = bare(name)
    return plain in INDEX_NAMES and (bool(plain) or rules < TRANSLATED or not any(map(str.isalnum, name)))


@dataclass(frozen=True, eq=False)
class Roles:
    """The columns of a table by role; names as in the file.

    ``probabilities`` : C names, p_0 to p_{C-1} in order, or those of ``classes`` if they name them. ``classes`` : the
        classes in order, if the table lists them besides the answers. ``file`` : the role, image, audio or file, and
        the column that holds or names the content of a row. ``text`` : the column of texts. ``others`` : every column
        that does not reveal right or wrong. ``candidates`` : those of the others that may be an auxiliary variable.
        ``group`` : the column of rows that belong together, which is also among the others. ``judged`` : the columns of
        ``JUDGED`` by role, if outputs are judged. ``show`` : columns chosen to be shown. ``history`` : those of earlier models'
        results. ``judges`` : those chosen as a judge's grades, still among the others. ``code`` : those whose texts are code.
    """

    label: Column | None
    prediction: Column | None
    outcome: Column | None
    confidence: Column | None
    probabilities: tuple[str, ...]
    classes: tuple[str, ...]
    file: tuple[str, str] | None
    text: str | None
    others: tuple[str, ...]
    candidates: tuple[str, ...]
    judged: dict[str, str] = field(default_factory=dict)
    group: str | None = None
    show: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def roles_of(
    cells: Cells,
    chosen: Chosen = (),
    *,
    probabilities_by_name: bool = True,
    verdicts: bool | None = False,
    passed_over: Sequence[str] = (),
    keys: Sequence[str] = (),
    left_out: Collection[str] = (),
    rules: int = BY_NAME,
) -> Roles:
    """Sorts the columns by the choices, else by their names, ignoring case.

    ``probabilities_by_name`` : whether columns such as ``p_cat`` are probabilities; in earlier versions they were not.
        ``verdicts`` : whether outputs are to be judged, so that columns named as in ``JUDGED`` have these roles; None
        to let the columns decide: yes if there is an output, and neither a prediction nor an outcome. ``passed_over`` :
        columns, in lower case, that are read elsewhere. ``keys`` : further columns that only number the rows. ``left_out`` :
        columns that a person left out, which have no role by name.
        ``rules`` : the set of rules; since ``TOLD`` a key, a time or a count is no score of a judged output, whatever
        tool wrote it.

    Raises
    ------
    BadInput : two columns have the same role, or a choice names an unknown role or column.
    """
    said = _checked(cells, chosen)
    foreign = roles_of_other_tools(
        cells, said, verdicts=verdicts, passed_over=passed_over, left_out=left_out, rules=rules
    )
    if rules >= FOUND:  # what is left out is no right answer
        ignored = {column for role, column in chosen if role == "ignore"}
        foreign = {role: name for role, name in foreign.items() if role != "reference" or name not in ignored}
    said |= foreign
    named = {name.casefold(): name for name in cells.names if name not in said.values()}
    several = {role: tuple(column for one, column in chosen if one == role) for role in SEVERAL}
    for column in chain.from_iterable(several.values()):
        named.pop(column.casefold(), None)

    def name_of(role: str) -> str | None:
        return said.get(role) or named.get(role)

    def column_of(role: str) -> Column | None:
        name = name_of(role)
        if name is None:
            return None
        if name not in cells.columns:
            raise BadInput(
                f"The column {name!r:.60} contains no numbers or words. Expected the {role} there. Choose another column."
            )
        return Column(name, cells.columns[name])

    if "prediction" not in said and "prediction" in named and "sut" in named:
        raise BadInput(
            f"The columns {named['prediction']!r} and {named['sut']!r} both contain predictions. Expected one of them. "
            "Remove or rename the other, or say which it is."
        )
    prediction = column_of("prediction") or (column_of("sut") if "prediction" not in said else None)
    by_class = rules >= FOUND and probabilities_by_name and _named_after_some_numbers(cells, named, prediction)
    numbered = () if by_class else _numbered(list(named.values()))
    classes = dict[str, str]() if numbered or not probabilities_by_name else _by_class(cells, named, said, prediction)
    probabilities = numbered or tuple(classes.values())
    file = next(((role, name) for role in FILES if (name := name_of(role)) is not None), None)
    text = name_of("text")
    outcome, label, confidence = column_of("outcome"), column_of("label"), column_of("confidence")
    judged = {role: name for role in JUDGED if (name := name_of(role)) is not None}
    alone = prediction is None and outcome is None and not probabilities
    if not (verdicts or (verdicts is None and ("output" in said or (alone and _has_output(judged))))):
        if stray := next((role for role in JUDGED if role in said), None):
            raise BadInput(
                f"The column {said[stray]!r:.60} is to be the {stray}, and nothing is judged here. Expected an output, or "
                "output_a and output_b, and the task verdict. Choose the output too, or leave it out."
            )
        judged = {}
    if several[JUDGE] and "output" not in judged:
        raise BadInput(
            f"The column {several[JUDGE][0]!r:.60} is to be a judge's grades, and no output is graded here. Expected a column "
            "'output' and the task verdict. Choose the output too, or leave the judge out."
        )
    group = name_of("group")
    if (
        rules >= LONE
        and "group" not in said
        and group is not None
        and group in cells.columns
        and are_flags(cells, group)
    ):
        group = None  # a feature of each row
    used = {one.name for one in (prediction, label, outcome, confidence) if one is not None} | {*probabilities}
    used |= {*judged.values()}
    others = tuple(
        name
        for name in cells.columns
        if name not in {*used, *several["ignore"], *several["history"]} and name.casefold() not in passed_over
    )
    candidates = tuple(
        name
        for name in others
        if name in several["score"]
        or (
            not is_index_name(name, rules)
            and name not in keys
            and name not in (*several["show"], *several[JUDGE])
            and name not in said.values()
            and not ((foreign or (judged and rules >= TOLD)) and _says_nothing_of_faults(cells, name, rules))
        )
    )
    return Roles(
        label=label,
        prediction=prediction,
        outcome=outcome,
        confidence=confidence,
        probabilities=probabilities,
        classes=tuple(classes),
        file=file,
        text=text if text in cells.columns else None,
        others=others,
        candidates=candidates,
        judged=judged,
        group=group,
        show=several["show"],
        history=several["history"],
        judges=several[JUDGE],
        code=tuple(column for role, column in chosen if role == CODE),
    )


def _recurs(cells: Cells, name: str, rules: int) -> bool:
    """Whether the cells of a key stand in several rows each, so that it numbers no rows."""
    first = next(pieces_of(cells.columns, name))
    return rules >= FOUND and 2 * len(first.unique()) <= len(first)


SCORE, SHOWN = "score", "shown"
"""Roles of columns that no choice names: they may tell likely failures, or may be seen."""


def column_roles(
    cells: Cells,
    roles: Roles,
    chosen: Chosen,
    scores: Sequence[str],
    *,
    keys: Sequence[str] = (),
    reasons: Mapping[str, str] | None = None,
    rules: int = BY_NAME,
) -> dict[str, ColumnRole]:
    """The role of each column that is used, in the order of the file, and why it has that one.

    ``scores`` : those of the candidates that are auxiliary variables. ``keys`` : columns that number the rows. ``reasons`` :
    of roles that the content gave.
    """
    found: dict[str, str] = dict.fromkeys(roles.others, SHOWN)
    found |= dict.fromkeys((name for name in roles.others if name in keys), ROW_NUMBER)
    found |= {
        name: ROW_NUMBER for name in roles.others if is_index_name(name, rules) and not _recurs(cells, name, rules)
    }
    found |= dict.fromkeys(scores, SCORE)
    numbered = tuple(str(place) for place in range(len(roles.probabilities)))
    named = roles.classes if len(roles.classes) >= len(roles.probabilities) else numbered
    found |= {column: f"p_{name}" for column, name in zip(roles.probabilities, named, strict=False)}
    found |= {column: role for role, column in roles.judged.items()} | dict.fromkeys(roles.history, "history")
    found |= dict.fromkeys(roles.judges, JUDGE)
    for role in ("label", "prediction", "outcome", "confidence"):
        column = getattr(roles, role)
        if column is not None:
            found[column.name] = role
    singles = {"group": roles.group, "text": roles.text, **({} if roles.file is None else dict([roles.file]))}
    found |= {column: role for role, column in singles.items() if column is not None}
    by_choice = {column for role, column in chosen if role != CODE}
    why = {SCORE: "a column of numbers", SHOWN: "no other role"}
    told = reasons or {}
    return {
        name: ColumnRole(
            found[name], CHOSEN if name in by_choice else told.get(name) or why.get(found[name], "its name")
        )
        for name in cells.names
        if name in found
    }


def _says_nothing_of_faults(cells: Cells, name: str, rules: int) -> bool:
    """Whether a column of another tool is a key, a time or a count by its name, or a text where texts and numbers differ.

    Since ``LONE`` also what says how a call went, and one number in all rows; since ``FOUND`` what says where something is.
    """
    if rules >= FOUND and says_where_or_how_long(name):
        return True
    if is_no_score(name) or (cells.written is None and is_text(cells.columns[name].type)):
        return True
    if rules >= FOUND and FURTHER_NO_SCORE & words_in(name):
        return True
    return rules >= LONE and (says_how_a_call_went(name) or len(Column(name, cells.columns[name]).words) < 2)


def roles_of_other_tools(
    cells: Cells,
    said: Mapping[str, str],
    *,
    verdicts: bool | None,
    passed_over: Sequence[str],
    left_out: Collection[str] = (),
    rules: int,
) -> dict[str, str]:
    """The roles by the names of other tools' fields; none where the table's own names or the choices say what is what.

    ``left_out`` : columns that a person left out.
    """
    known = {
        role for role in roles_by_name([*cells.names]) if role not in ("label", "confidence", "text", "group", "file")
    }
    if rules >= FOUND and "outcome" in known and _has_judged_texts(cells):
        known.discard("outcome")
    chances = any(name.casefold().startswith("p_") for name in cells.names)
    alone = {"prediction", "output", "output_a", *(("outcome",) if rules < PAIRED else ())}
    if known or chances or passed_over or alone & {*said}:
        return {}
    found = roles_of_evaluation(cells, {*said.values(), *left_out}, rules=rules)
    if verdicts is not None and verdicts != bool({"output", "output_a"} & {*found}):
        return {}
    return {role: name for role, name in found.items() if role not in said}


def _has_judged_texts(cells: Cells) -> bool:
    """Whether a table has an outcome of right or wrong beside a reply by its name, which is a text or was asked for."""
    outcome = next(name for name in cells.names if name.casefold() == "outcome")
    found = roles_of_evaluation(cells, [outcome])
    if outcome not in cells.columns or "output" not in found:
        return False
    texts = FirstCells(found["output"], cells.columns[found["output"]].slice(0, FIRST_OUTPUTS)).are_sentences
    one = Column(outcome, cells.columns[outcome])
    known = np.array([folded_grade(word) in RIGHT_OR_WRONG | {""} for word in one.words.to_pylist()], np.bool_)
    return ("input" in found or texts) and bool(known[one.places].mean() >= MOSTLY)


def _has_output(judged: Mapping[str, str]) -> bool:
    """Whether there is an output to judge, or two to compare."""
    return "output" in judged or {"output_a", "output_b"} <= {*judged}


def roles_by_name(names: Sequence[str]) -> dict[str, str]:
    """The column of each role that can be told by name alone; "file" is that of pictures, sounds or texts.

    >>> roles_by_name(["ID", "SUT", "Image", "note"])
    {'prediction': 'SUT', 'file': 'Image'}
    """
    named = {name.casefold(): name for name in names}
    found = {role: named[role] for role in ONE if role in named and role not in (*FILES, *JUDGED)}
    if "prediction" not in found and "sut" in named:
        found = {"prediction": named["sut"], **found}
    chances = any(name.startswith("p_") for name in named)
    judged = {role: named[role] for role in JUDGED if role in named}
    if _has_output(judged) and not chances and not {"prediction", "outcome"} & {*found}:
        found |= judged
    file = next((named[role] for role in FILES if role in named), None)
    return found if file is None else {**found, "file": file}


def with_class_names(roles: Roles, cells: Cells) -> Roles:
    """The same roles with the names of the classes in place of their numbers, if the table lists them.

    A label of -1, which the datasets library writes for a missing one, is an empty cell; a column of these is not a
    label. Numbered predictions without a list of their own use that of the label.

    Raises
    ------
    BadInput : a number has no name.
    """
    listed = [cells.class_names.get(one.name, ()) for one in (roles.prediction, roles.label) if one is not None]
    names = next((some for some in listed if some), ())
    if not names or (roles.probabilities and not roles.classes and len(roles.probabilities) > len(names)):
        return roles
    label = None if roles.label is None else _in_words(roles.label, cells.class_names.get(roles.label.name, names))
    if label is not None and label.is_empty.all():
        label = None
    prediction = roles.prediction
    if prediction is not None:
        prediction = _in_words(prediction, cells.class_names.get(prediction.name, names))
    more = tuple(name for name in names if name not in roles.classes)
    return replace(roles, label=label, prediction=prediction, classes=(*roles.classes, *more))


def _in_words(column: Column, names: tuple[str, ...]) -> Column:
    """The column with its numbers, from 0, replaced by these names; a column of words is unchanged."""
    if not (column.is_number | column.is_empty).all() or not column.is_whole:
        return column
    unknown = column.is_empty | (column.values == -1)
    places = np.where(unknown, 0, column.values)
    bad = np.flatnonzero((places < 0) | (places >= len(names)))
    if bad.size:
        raise BadInput(
            f"Column {column.name!r:.60}, row {bad[0]} (counted from 0) is class {column.values[bad[0]]:.0f}, and the table "
            f"lists {commas(len(names))} classes. Expected 0 to {len(names) - 1}. Correct it, or the list."
        )
    texts = pc.take(
        pa.array([*names, ""], pa.large_string()), pa.array(np.where(unknown, len(names), places).astype(np.int64))
    )
    return Column(column.name, pa.chunked_array([texts]))


def _checked(cells: Cells, chosen: Chosen) -> dict[str, str]:
    """The column of each role that only one column can have; BadInput where a choice is impossible."""
    known = {name.casefold(): name for name in cells.names}
    said: dict[str, str] = {}
    roles: dict[str, str] = {}
    for role, column in chosen:
        if role not in (*ONE, *SEVERAL, CODE) and not role.startswith("p_"):
            raise BadInput(
                f"There is no role {role!r:.40} for a column. Expected one of {', '.join((*ONE, *SEVERAL, CODE))} or "
                "p_<class>. Choose one of these."
            )
        if column not in cells.names:
            near = known.get(column.casefold())
            expected = repr(near)[:60] if near else f"one of {', '.join(map(repr, cells.names))!s:.200}"
            raise BadInput(f"There is no column {column!r:.60} for the {role}. Expected {expected}. Choose that.")
        if role == CODE:
            continue
        if column in roles:
            raise BadInput(
                f"The column {column!r:.60} is to be the {roles[column]} and the {role}. Expected one role. Choose one."
            )
        roles[column] = role
        if role in SEVERAL:
            continue
        if role in said:
            raise BadInput(
                f"The columns {said[role]!r:.60} and {column!r:.60} are both to be the {role}. Expected one. Choose one."
            )
        said[role] = column
    return said


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """The names of p_0 to p_{C-1}, in that order; BadInput where one is missing or doubled."""
    found: dict[int, str] = {}
    for name in names:
        match = re.fullmatch(r"p_([0-9]{1,6})", name.casefold())
        if match is None:
            continue
        place = int(match.group(1))
        if place in found:
            raise BadInput(
                f"The columns {found[place]!r} and {name!r} contain the probability of the same class. Expected one. "
                "Remove or rename the other."
            )
        found[place] = name
    missing = next(place for place in range(len(found) + 1) if place not in found)
    if missing < len(found):
        raise BadInput(
            f"There {is_or_are(len(found))} {counted(len(found), 'column')} of probabilities and 'p_{missing}' is missing. "
            "Expected one per class, "
            f"from 'p_0' on. Add it or rename them."
        )
    return tuple(found[place] for place in range(len(found)))


def _named_after_some_numbers(cells: Cells, named: Mapping[str, str], prediction: Column | None) -> bool:
    """Whether chances are named after classes of which some are numbers, such as p_1, p_X and p_2 beside 1, X and 2."""
    ends = {name[2:].strip() for name in named.values() if name.casefold().startswith("p_") and name in cells.columns}
    numbers = {end for end in ends if re.fullmatch("[0-9]+", end)}
    if not numbers or numbers == ends or "0" in numbers:
        return False
    return prediction is None or {*prediction.words.to_pylist()} <= ends


def _by_class(cells: Cells, named: dict[str, str], said: dict[str, str], prediction: Column | None) -> dict[str, str]:
    """The columns of probabilities by the class they name, ``p_cat`` for cat, in order; empty if these are scores.

    Columns are taken for probabilities by choice, if one names a predicted class, or, without predictions, if those of
    the first row sum to 1. BadInput where a predicted class has none.
    """
    chosen = {role[2:]: column for role, column in said.items() if role.startswith("p_")}
    if chosen:
        found = chosen
    else:
        found = {
            name[2:].strip(): name for name in named.values() if name.casefold().startswith("p_") and len(name) > 2
        }
        found = {word: name for word, name in found.items() if name in cells.columns}
        if len(found) < 2 or not all(is_numeric(cells.columns, name) for name in found.values()):
            return {}
        if prediction is None:
            first = sum(
                Column(name, next(pieces_of(cells.columns, name)).slice(0, 1)).values[0] for name in found.values()
            )
            return found if abs(first - 1) < 0.1 else {}
    if prediction is None:
        return found
    words = prediction.words.to_pylist()
    missing = [word for word in words if word not in found]
    if len(missing) == len(words) and not chosen:
        return {}
    if missing:
        raise BadInput(
            f"The class {missing[0]!r:.60} is predicted and has no column of probabilities, while {commas(len(found))} others "
            f"have one, such as {next(iter(found.values()))!r:.60}. Expected one for each class. Add 'p_{missing[0]:.40}', or "
            "rename the others."
        )
    return found


class RowMedia(Protocol):
    """The pictures, sounds or texts of the rows."""

    modality: Modality

    def show(self, row: int) -> Shown:
        """The content of a row; BadInput where it cannot be shown."""
        ...

    def name(self, row: int) -> str:
        """The owner's name for it; empty if it has none."""
        ...


def _without_folders(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


class TableRows:
    """A dataset on which no model can be run; a person sees the content of its rows, or the cells that may be seen.

    ``columns`` : the table's, by name, N cells each. ``shown`` : those that may be seen; not prediction, label,
        outcome, confidence, probabilities or scores, because they would sway the tester. ``media`` : what is shown in
        their place. ``code`` : those of them whose texts are source code. ``without_folders`` : those of which only the
        name of a file is seen.
    """

    def __init__(
        self,
        columns: Mapping[str, Array],
        shown: Sequence[str],
        size: int,
        fingerprint: str,
        media: RowMedia | None = None,
        code: Sequence[str] = (),
        without_folders: Sequence[str] = (),
    ) -> None:
        self._columns, self._shown = columns, tuple(shown)
        self._code = tuple(name for name in code if name in self._shown)
        self._size, self._without_folders = size, frozenset(without_folders)
        self.fingerprint = fingerprint
        self.media = media
        self.modality: Modality = "tabular" if media is None else media.modality

    def __len__(self) -> int:
        return self._size

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Always BadInput: a table holds a model's answers, not its inputs."""
        raise BadInput(
            f"A prediction table has no inputs to run a model on, and {len(rows)} were asked for. Expected a model "
            "and its dataset. Open these instead."
        )

    def show(self, row: int) -> Shown:
        """The content of the row, else its number and its cells; BadInput where there is no such row.

        For a missing or damaged file its name and the reason are shown, so that labeling can go on.
        """
        if not 0 <= row < self._size:
            raise BadInput(f"There is no row {row}. Expected one from 0 to {self._size - 1}. Choose another.")
        cells = [("row", str(row))]
        if self.media is not None:
            try:
                return self.media.show(row)
            except BadInput as error:
                named = _without_folders(self.media.name(row))
                cells += [*([("file", named)] if named else []), ("not shown", str(error))]
                return Shown(modality="tabular", cells=tuple(cells))
        for name in self._shown:
            text = self.text(name, row)
            cells.append((name, _without_folders(text) if name in self._without_folders else text))
        return Shown(modality="tabular", cells=tuple(cells), code_cells=self._code)

    def text(self, name: str, row: int) -> str:
        """The text of one cell, without spaces around it; only some rows of a file are read."""
        columns = self._columns
        cell = columns.around(name, row) if isinstance(columns, ParquetColumns) else columns[name][row]
        text = pc.cast(pa.array([cell.as_py()], cell.type), pa.large_string())[0].as_py()
        return "" if text is None else str(text).strip()
