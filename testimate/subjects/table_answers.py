"""The answers of a prediction table: its task, predictions and truth, and how sure the model is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import PartialTruth
from testimate.core.reading import listed
from testimate.core.task import TaskKind
from testimate.core.words import commas, counted, is_or_are
from testimate.subjects.box_table import BOXES, ReadBoxes, read_boxes
from testimate.subjects.media import names_of
from testimate.subjects.read_columns import (
    ReadColumns,
    as_chances,
    check_rows_are_alike,
    has_sets,
    key_of_several_rows,
    read_columns,
    repeated_inputs,
    repeated_keys,
)
from testimate.subjects.table_choices import TableChoices
from testimate.subjects.verdict_table import judged_answers
from testimate.tables import limits
from testimate.tables.answers import (
    Answers,
    Undecided,
    among_the_first,
    answers,
    are_amounts,
    check_no_vectors,
    with_further_classes,
)
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.classes_of_names import with_numbered_labels
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import in_english, words_of
from testimate.tables.confidence import Confidence, against_chances, confidence_of
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells
from testimate.tables.roles import Roles, with_class_names
from testimate.tables.rules import COUNTED, FOUND, LONE, PAIRED, SEEN, TRANSLATED
from testimate.tables.score_names import is_in_list
from testimate.tables.truth import ReadTruth, graded_rows, read_truth
from testimate.tasks.regression import SaidTolerance

SUM_TOLERANCE = 0.02
"""How far the probabilities of a row may be from a sum of 1: allows for a thousand of them, rounded to four digits."""


@dataclass(frozen=True, eq=False)
class AnsweredTable:
    """A table with its answers read, before its inputs are looked for.

    Attributes
    ----------
    columns : its columns with their roles. choices, task, tolerance : what was said about the table; None where nothing was.
    answers : the task, the predictions and, where they are known in every row, the true answers.
    known : the true answers by row, where some rows have one.
    truth : how the truth was read. sure : the chance of what was predicted, None where nothing says it.
    probabilities : (N, C), or None. boxes : those of a detector, or None.
    boxed, judged : whether its boxes, or its outputs, are judged by people.
    together : the column by which rows of one input are drawn together, or None.
    doubts : sentences on what may be otherwise.
    """

    columns: ReadColumns
    choices: TableChoices
    task: TaskKind | None
    tolerance: SaidTolerance | None
    answers: Answers
    truth: ReadTruth
    sure: Confidence | None = None
    known: Mapping[int, str] = field(default_factory=dict)
    probabilities: NDArray[np.float64] | None = None
    boxes: ReadBoxes | None = None
    boxed: bool = False
    judged: bool = False
    together: str | None = None
    doubts: tuple[str, ...] = ()

    @property
    def confidence(self) -> NDArray[np.float64] | None:
        """The chance of what was predicted, (N,), 0..1; None where nothing says it."""
        if self.sure is not None:
            return self.sure.values
        return None if self.boxes is None else self.boxes.chance


def read_answers(
    cells: Cells,
    fingerprint: str,
    choices: TableChoices,
    task: TaskKind | None,
    tolerance: SaidTolerance | None,
    undecided: Undecided,
) -> AnsweredTable:
    """The answers of a table, by the rules of the choices; the parameters as ``read_table`` takes them.

    ReadingUnclear where two readings fit, BadInput where the columns cannot be used as they are.
    """
    boxed = task == "boxes" or (task is None and BOXES in cells.class_names)
    columns = read_columns(cells, choices, task, boxed=boxed)
    judged = bool(columns.roles.judged) or task == "verdict"
    _check_judged(judged, boxed, task, tolerance, choices)
    if boxed:
        return _boxed(columns, choices, task)
    asking, said = choices.stored is None, "rows" in columns.read  # what was stored was asked about then
    together, doubt = None, ""
    if columns.by_content and judged:
        if asking:
            check_rows_are_alike(columns, choices.rules)
        together = key_of_several_rows(columns, judged=True, rules=choices.rules) if asking or said else None
        doubt = repeated_keys(columns, choices.rules) if choices.rules >= LONE else ""
    elif columns.by_content:
        together = key_of_several_rows(columns, judged=False, rules=choices.rules) if asking or said else None
        if together is None:
            together, doubt = repeated_inputs(columns)
    if choices.class_names and task in (None, "classification") and tolerance is None:
        columns = replace(columns, roles=with_class_names(columns.roles, columns.cells))
    if judged:
        table = _judged(columns, choices, task, fingerprint)
        empty = _empty_outputs(columns) if choices.rules >= FOUND else ()
        table = replace(table, doubts=(*table.doubts, *empty, *filter(None, [doubt])))
    else:
        table = _predicted(columns, choices, task, tolerance, undecided, doubt)
    return replace(table, together=together)


def _boxed(columns: ReadColumns, choices: TableChoices, task: TaskKind | None) -> AnsweredTable:
    """The boxes of a detector, which are judged picture by picture."""
    cells, roles = columns.cells, columns.roles
    named_by = None if roles.file is None or roles.file[1] in cells.embedded else names_of(cells, roles, None)
    boxes = read_boxes(cells, roles.label, choices.least_score, named_by)
    sure = _confidence(roles.confidence, None, boxes.answers, columns)
    return AnsweredTable(
        columns,
        choices,
        task,
        None,
        boxes.answers,
        ReadTruth(roles),
        sure,
        boxes=boxes,
        boxed=True,
        doubts=_doubt(sure),
    )


def _judged(columns: ReadColumns, choices: TableChoices, task: TaskKind | None, fingerprint: str) -> AnsweredTable:
    """Outputs that people judge, and the verdicts that are known."""
    truth = graded_rows(columns.roles) if choices.rules >= PAIRED else ReadTruth(columns.roles)
    columns = replace(columns, roles=truth.roles)
    roles, size = columns.roles, columns.cells.size
    said = judged_answers(roles, choices.grades, fingerprint, size, own_scale=columns.by_content)
    known = _known(said, truth)
    if truth.known is not None:
        said = replace(said, truth=None, losses=None)
    sure = _confidence(roles.confidence, None, said, columns)
    return AnsweredTable(columns, choices, task, None, said, truth, sure, known, judged=True, doubts=_doubt(sure))


def _empty_outputs(columns: ReadColumns) -> tuple[str, ...]:
    """Sentences on outputs that are empty in some rows."""
    judged, cells = columns.roles.judged, columns.cells
    names = [judged[role] for role in ("output", "output_a", "output_b") if judged.get(role) in cells.columns]
    empty = {name: int(Column(name, cells.columns[name]).is_empty.sum()) for name in names}
    return tuple(
        f"The output {name!r:.60} is empty in {commas(count)} of {counted(cells.size, 'row')}. Testers see no text there and "
        "grade that. If the model was not asked, leave these rows out."
        for name, count in empty.items()
        if count
    )


def _known(said: Answers, truth: ReadTruth) -> Mapping[int, str]:
    """The true answers of the rows that have one, where not all have."""
    if truth.known is None or said.truth is None:
        return {}
    return PartialTruth(np.flatnonzero(truth.known), said.truth[truth.known], said.task)


def _predicted(
    columns: ReadColumns,
    choices: TableChoices,
    task: TaskKind | None,
    tolerance: SaidTolerance | None,
    undecided: Undecided,
    doubt: str,
) -> AnsweredTable:
    """Predictions and the truth, where it is known."""
    by_content, rules = columns.by_content, choices.rules
    probabilities = _probabilities(columns.cells, columns.roles.probabilities)
    if by_content and probabilities is None:
        columns = as_chances(columns, task, tolerance, rules)
    truth = ReadTruth(columns.roles)
    if by_content:
        likeliest = _likeliest(columns.roles, probabilities) if rules >= FOUND else None
        roles, numbered = with_numbered_labels(columns.roles, columns.cells) if rules >= FOUND else (columns.roles, "")
        columns = replace(columns, roles=roles)
        truth = read_truth(
            columns.roles if likeliest is None else replace(columns.roles, prediction=likeliest),
            columns.read,
            several=has_sets(columns.roles, task, every=rules >= SEEN),
            alike=rules >= SEEN,
            mirrored=rules >= TRANSLATED,
            shared=rules >= LONE,
            sets_shared=rules >= FOUND,
            marked=rules >= FOUND,
        )
        truth = truth if likeliest is None else replace(truth, roles=replace(truth.roles, prediction=None))
        if numbered:
            words = ", ".join(filter(None, (truth.said, f"numbers of classes, which {numbered!r:.60} tells")))
            truth = replace(truth, said=words, changes=(*truth.changes, f"labels by {numbered}"))
        columns = replace(columns, roles=truth.roles)
    roles = columns.roles
    if rules >= TRANSLATED and task is None:
        check_no_vectors(roles.prediction)
    if rules >= FOUND and undecided == "ask" and (are_amounts(roles) or _are_met_nearly(columns)):
        undecided = "numbers"
    elif rules >= FOUND and undecided == "ask" and _number_classes(columns):
        undecided = "classes"
    said = answers(
        roles,
        probabilities,
        tolerance,
        task,
        undecided=undecided,
        by_content=by_content,
        every=rules >= SEEN,
        from_1=rules >= COUNTED,
        texts=_texts(columns, rules) if rules >= LONE else (),
        classes=_classes(columns) if rules >= FOUND else (),
    )
    probabilities = _of_all_classes(probabilities, said)
    if choices.top_k > 1:
        said = among_the_first(choices.top_k, probabilities, said)
    said = with_further_classes(choices.further, said)
    single, against = choices.top_k == 1, ""
    if by_content and probabilities is not None and roles.prediction is not None and said.task.one_class and single:
        chances = columns.read.get("chances", "")
        against = against_chances(said.predictions, probabilities, roles.prediction.name, read=chances)
    own = roles.confidence if single else None
    sure = _confidence(own, probabilities, said, columns, split=rules >= LONE, parted=rules >= FOUND)
    doubts = (*filter(None, (against, doubt)), *_doubt(sure))
    known = _known(said, truth)
    if rules >= FOUND and probabilities is None and not roles.classes and roles.outcome is None:
        truth = replace(truth, said=", ".join(filter(None, (truth.said, _never_predicted(said, truth.known)))))
    if truth.known is not None:
        said = replace(said, truth=None, losses=None)
    return AnsweredTable(
        columns, choices, task, tolerance, said, truth, sure, known, probabilities=probabilities, doubts=doubts
    )


def _number_classes(columns: ReadColumns) -> bool:
    """Whether whole numbers count from 0 or 1 with hardly a gap, and are the true ones in most rows, or are called classes.

    The numbers of something else are close to true ones more often than they are the same.
    """
    said, true = columns.roles.prediction, columns.roles.label
    if said is None or not _count_classes(said):
        return False
    if CLASSES_BY_NAME & words_of(in_english(said.name, FOUND)):
        return true is None or true.has_numbers_alone
    for one in [true] if true is not None else _hidden(columns):
        off = np.abs(said.values - one.values) if one.has_numbers_alone else np.ones(1)
        if (off == 0).mean() > 1 / 2 and (off == 1).sum() < (off > 1).sum():
            return True
    return False


def _count_classes(column: Column) -> bool:
    if not column.has_numbers_alone or not column.is_whole or len(column.values) < 2 * len(column.words):
        return False
    numbers = np.unique(column.values)
    return bool(numbers[0] in (0, 1) and len(numbers) >= DENSELY * (numbers[-1] + 1))


DENSELY, CLASSES_BY_NAME = 0.9, frozenset({"label", "labels", "class", "classes", "category"})
"""The share of the numbers up to the largest that a column of numbered classes has, and words in its name."""


def _hidden(columns: ReadColumns) -> list[Column]:
    """The first columns that testers do not see, and that may be the truth."""
    names = [name for role, name in columns.content.columns if role == "ignore" and name in columns.cells.columns]
    return [Column(name, columns.cells.columns[name]) for name in names[:MOST_TEXTS]]


def _never_predicted(said: Answers, known: NDArray[np.bool_] | None) -> str:
    """How many labels are of classes that stand in no prediction, and which; "" where none is."""
    if said.truth is None or not said.task.one_class:
        return ""
    true = said.truth if known is None else said.truth[known]
    counts = np.bincount(true, minlength=len(said.task.classes))
    counts[said.predictions] = 0
    never = [place for place in np.argsort(-counts, kind="stable").tolist() if counts[place]]
    if not never:
        return ""
    named = listed([f"{said.task.classes[place]:.40} {commas(int(counts[place]))}" for place in never])
    wrong = int(counts.sum())
    return f"{commas(wrong)} of {counted(len(true), 'label')} {is_or_are(wrong)} never predicted and wrong: {named}"


def _are_met_nearly(columns: ReadColumns) -> bool:
    """Whether predicted whole numbers are close to the true ones, and seldom the same: classes are right or wrong."""
    said, true = columns.roles.prediction, columns.roles.label
    for one in [true] if true is not None else _hidden(columns):
        if said is None or not (said.has_numbers and one.has_numbers):
            continue
        known = said.is_number & one.is_number
        pair = said.values[known], one.values[known]
        varied = known.sum() >= FEWEST_ROWS and min(map(np.ptp, pair)) > 0
        if varied and (pair[0] == pair[1]).mean() < 1 / 2 and np.corrcoef(*pair)[0, 1] > NEARLY:
            return True
    return False


NEARLY = 0.9
"""Correlation with predicted numbers from which on those that are seldom the same are close to them."""


def _texts(columns: ReadColumns, rules: int) -> list[str]:
    """The columns of sentences of a table that says nothing about predictions, but for a single one beside labels.

    ``rules`` : since ``FOUND`` sentences may recur, as replies to one prompt do.
    """
    roles, cells = columns.roles, columns.cells
    if roles.prediction is not None or roles.outcome is not None or roles.probabilities:
        return []
    names = [*roles.others, *columns.content.hidden][:MOST_TEXTS]
    first = {
        name: FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS)) for name in names if name in cells.columns
    }
    recur = {name for name, one in first.items() if rules >= FOUND and one.hold_sentences and not is_in_list(name)}
    texts = [name for name, one in first.items() if one.are_sentences or name in recur]
    texts = [name for name in texts if not first[name].filled[0].startswith(("[", "{"))]
    return texts if texts[1:] or roles.label is None else []


def _classes(columns: ReadColumns) -> list[str]:
    """The columns of classes of such a table, which may be predicted."""
    roles, cells = columns.roles, columns.cells
    if roles.prediction is not None or roles.outcome is not None or roles.probabilities or roles.label is not None:
        return []
    first = (FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS)) for name in roles.others[:MOST_TEXTS])
    return [one.column.name for one in first if one.are_classes and one.filled[1:] and not one.hold_long_texts]


MOST_TEXTS = 100
"""Columns among which those of texts are looked for."""


def _doubt(sure: Confidence | None) -> tuple[str, ...]:
    return () if sure is None or not sure.doubt else (sure.doubt,)


def _probabilities(cells: Cells, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    """The probabilities as (N, C) rows summing to 1, or None; BadInput where they do not sum to about 1."""
    if not names:
        return None
    limits.check_shape(cells.size, len(names), held=len(names))
    table = np.empty((cells.size, len(names)))
    for place, name in enumerate(names):
        table[:, place] = Column(name, cells.columns[name]).numbers_between_0_and_1()
    sums = table.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
    if bad.size:
        raise BadInput(
            f"The probabilities of row {bad[0]} (counted from 0) sum to {sums[bad[0]]:.4g}. Expected 1, give or take "
            f"{SUM_TOLERANCE:g}. Apply softmax once, or rename columns that are not probabilities."
        )
    if np.abs(sums - 1).max() > 1e-6:  # rounded in the file
        table /= sums[:, None]
    return table


def _likeliest(roles: Roles, probabilities: NDArray[np.float64] | None) -> Column | None:
    """The most probable class of each row by its name, with which the labels are compared where nothing else is predicted."""
    if probabilities is None or roles.prediction is not None or len(roles.classes) != probabilities.shape[1]:
        return None
    words = pa.array(roles.classes, pa.large_string()).take(pa.array(probabilities.argmax(axis=1)))
    return Column("the most probable class", pa.chunked_array([words]))


def _of_all_classes(probabilities: NDArray[np.float64] | None, said: Answers) -> NDArray[np.float64] | None:
    """The probabilities with a column of zeros for each true class that the table has no probabilities of, (N, C)."""
    if probabilities is None:
        return None
    lacking = len(said.task.classes) - probabilities.shape[1]
    return np.pad(probabilities, ((0, 0), (0, lacking))) if lacking > 0 else probabilities


def _confidence(
    column: Column | None,
    probabilities: NDArray[np.float64] | None,
    said: Answers,
    columns: ReadColumns,
    *,
    split: bool = False,
    parted: bool = False,
) -> Confidence | None:
    """The chance of what was predicted; None where nothing says it. ``split``, ``parted`` : see ``confidence_of``."""
    if column is not None and not columns.by_content:
        return Confidence(column.numbers_between_0_and_1())
    if column is not None:
        single = said.task.one_class and said.predictions.ndim == 1
        return confidence_of(
            column,
            said.predictions if single else None,
            said.task.classes if single else (),
            percent=column.name in columns.spelled.percents,
            read=columns.read.get("confidence", ""),
            graded=said.task.graded,
            split=split,
            parted=parted,
        )
    if probabilities is None:
        return None
    predicted = said.predictions.reshape(len(said.predictions), -1).astype(np.intp)  # (N, top_k)
    chances: NDArray[np.float64] = np.take_along_axis(probabilities, predicted, axis=1).sum(axis=1)
    return Confidence(chances.clip(0, 1))


def _check_judged(
    judged: bool, boxed: bool, task: TaskKind | None, tolerance: SaidTolerance | None, choices: TableChoices
) -> None:
    """BadInput where a choice does not fit verdicts, boxes or any other task."""
    if (judged or boxed) and (tolerance is not None or choices.top_k > 1 or choices.further):
        raise BadInput(
            f"{'Boxes' if boxed else 'Outputs'} are judged here, and a tolerance, top k or further classes were given. "
            "Expected none of these. Leave them out."
        )
    if choices.least_score and not boxed:
        raise BadInput(
            f"A least score of {choices.least_score:g} was given and the task is {task or 'not boxes'}. Expected a detector's "
            "boxes. Give these, or leave it out."
        )
    if choices.grades and not judged:
        raise BadInput(
            f"The grades {choices.grades!r:.40} were given and the task is {task or 'not verdict'}. Expected outputs that are "
            "judged. Add a column 'output' and the task verdict, or leave the grades out."
        )
