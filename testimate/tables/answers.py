"""Finds the task from a table's labels, predictions and outcomes, and what is known about right and wrong."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, ReadingUnclear, Way
from testimate.core.inputs import InputGroups, groups_of
from testimate.core.spellings import bare
from testimate.core.task import Task, TaskKind
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.cells import Cells, Column, pa, pc
from testimate.tables.column_names import (
    AMOUNTS,
    CALLED_TEXTS,
    OF_GROUPS,
    OF_SCALES,
    WHY,
    has_boxes,
    in_english,
    words_of,
)
from testimate.tables.evaluation_names import is_called_input_or_reference
from testimate.tables.pairs import ABOUT_ANSWERS, BY_PROGRAM, EXPECTED, MAY_BE_FEATURES, says_what_came_out
from testimate.tables.role_questions import MOST_ASKED, MOST_OF_LONE, which_column, which_output
from testimate.tables.roles import Roles
from testimate.tables.rules import FOUND
from testimate.tables.score_names import ends_in_model, is_in_list, path_end
from testimate.tasks import TASKS
from testimate.tasks.classification import (
    SEPARATORS,
    Classification,
    MultiLabel,
    SetForm,
    form_of_sets,
    most_probable,
    names_in_set,
)
from testimate.tasks.regression import SaidTolerance, regression
from testimate.tasks.verdict import grade_in_words

PIECE = 1 << 20
"""Rows whose classes are looked up at a time."""


ROWS_OF_CLASS = 10
"""Rows for each class among which one of usual size is found."""


def whole_classes(given: list[Column], count: int | None, *, from_1: bool) -> tuple[str, ...]:
    """The classes of whole numbers, in numeric order: 0 to C-1 if there are C probabilities or most of these numbers occur.

    ``from_1`` : whether those that start at 1 in a table of many rows count the classes from 1.
    """
    if count is not None:
        for column in given:
            bad = np.flatnonzero((column.values < 0) | (column.values >= count))
            if bad.size:
                raise BadInput(
                    f"Column {column.name!r}, row {bad[0]} (counted from 0) is class {column.values[bad[0]]:.0f}, and "
                    f"there are {count} columns of probabilities. Expected classes from 0 to {count - 1}. Correct "
                    "the classes or add the missing columns."
                )
        return tuple(str(place) for place in range(count))
    values = all_numbers(given)
    if values[0] >= 0 and values[-1] < 2 * len(values):  # a class that never occurs may still be an answer
        first = 1 if from_1 and values[0] == 1 and len(given[0].values) >= ROWS_OF_CLASS * len(values) else 0
        values = np.arange(first, values[-1] + 1)
    check_class_count(len(values))
    return tuple(str(int(value)) for value in values)


def all_numbers(given: list[Column]) -> NDArray[np.float64]:
    """The distinct numbers of the columns, rising."""
    return np.unique(np.concatenate([column.distinct[0] for column in given]))


def named_classes(roles: Roles, given: list[Column]) -> tuple[str, ...]:
    """The classes that the columns of probabilities name, in that order, followed by true classes that have none."""
    known = set(roles.classes)
    more = {word for column in given for word in column.words.to_pylist()} - known
    check_class_count(len(known) + len(more))
    return (*roles.classes, *sorted(more))


def word_classes(given: list[Column], count: int | None) -> tuple[str, ...]:
    """The classes of words, sorted."""
    for column in given:
        if column.is_numeric and not column.is_whole:
            column.numbers()  # names the cell that is not a number
    if len({column.has_numbers for column in given}) == 2 and any(column.has_numbers_alone for column in given):
        raise BadInput(
            f"Columns {given[0].name!r} and {given[1].name!r} do not name the same classes: one contains numbers, the "
            "other words. Expected the same names in both. Translate one of them."
        )
    check_class_count(max(len(column.words) for column in given))
    words = sorted({word for column in given for word in column.words.to_pylist()})
    check_class_count(len(words))
    if count is not None and len(words) != count:
        raise BadInput(
            f"There are {count} columns of probabilities and {len(words)} classes named in labels and predictions. "
            "Expected the same number of both, p_0 for the first in sorted order. Number the classes from 0, or add or "
            "remove columns."
        )
    return tuple(words)


def check_class_count(count: int) -> None:
    """BadInput where there are more classes than the limit."""
    if count > limits.MAX_CLASSES:
        raise BadInput(
            f"Labels and predictions name {commas(count)} classes. Expected at most {commas(limits.MAX_CLASSES)}. Use a column "
            "of classes, or write numbers with decimals where they are measurements."
        )


def places_of(column: Column, classes: tuple[str, ...], numeric: bool) -> NDArray[np.intp]:
    """The place of each cell's class, (N,)."""
    if numeric:
        values = np.array([int(name) for name in classes], dtype=np.float64)
        if np.array_equal(values, np.arange(len(values))):
            return column.values.astype(np.intp)
        return np.searchsorted(values, column.values).astype(np.intp)
    places = pc.index_in(column.words, value_set=pa.array(classes, pa.large_string()))
    of_word = np.asarray(places.to_numpy(zero_copy_only=False), dtype=np.intp)
    found = np.empty(len(column.places), dtype=np.intp)
    for top in range(0, len(found), PIECE):  # otherwise NumPy would widen the places, perhaps one byte each, to eight
        found[top : top + PIECE] = of_word[column.places[top : top + PIECE]]
    return found


def check_order(predictions: NDArray[np.intp], probabilities: NDArray[np.float64]) -> None:
    """BadInput where the columns of probabilities seem to be in another order than the sorted words."""
    agree = float((probabilities.argmax(axis=1) == predictions).mean())
    if agree < 0.5:
        raise BadInput(
            f"The most probable class is the predicted one in only {agree:.0%} of the rows. Expected p_0 for the first "
            "class in sorted order, p_1 for the second and so on. Reorder the columns or number the classes."
        )


# From here on a person is asked whether these are classes: decision 25.
MANY_CLASSES = 30
"""This many distinct whole numbers may just as well be measurements."""

Undecided = Literal["ask", "classes", "numbers"]


@dataclass(frozen=True, eq=False)
class Answers:
    """The task with the predictions and, where known, the true answers, each (N,) or for sets (N, C), and the (N,) losses.

    ``readable_as`` : the tasks as which the columns can be read, if there is more than one.
    """

    task: Task
    predictions: NDArray[Any]
    truth: NDArray[Any] | None
    losses: NDArray[np.float64] | None
    readable_as: tuple[TaskKind, ...] = ()


def answers(
    roles: Roles,
    probabilities: NDArray[np.float64] | None,
    tolerance: SaidTolerance | None,
    task: TaskKind | None = None,
    *,
    undecided: Undecided = "ask",
    by_content: bool = False,
    every: bool = True,
    from_1: bool = True,
    texts: Sequence[str] = (),
    classes: Sequence[str] = (),
) -> Answers:
    """The task and its answers.

    Numbers that are not all whole make it a regression, and so does a tolerance; whole numbers and words are classes.
    ``outcome`` replaces the label: right or wrong is then known, but not the true class. ``outcome`` alone makes two
    classes, "right" and "wrong", and every prediction is "right".

    Parameters
    ----------
    task : as specified for the table; None if its columns decide. Sets of classes are
        read on request, or ``by_content``.
    undecided : what to do with whole numbers that may be classes or measurements if ``task`` is None: raise
        ReadingUnclear, or read classes, as for every table before the task was stored with it, or numbers, but for digits.
    by_content : whether sets may be written in any form, which their content shows; else their names are separated by ";".
    every : see ``written_sets``. from_1 : see ``whole_classes``. ``texts`` : columns of
        sentences, of which people may judge one, for the refusal. ``classes`` : columns of classes, of which one may be
        predicted.

    Raises
    ------
    ReadingUnclear : see ``undecided``.
    BadInput : empty cells, text among numbers, labels and predictions of different kinds, an outcome that contradicts
        the label, classes that do not fit the probabilities, or a single class with nothing known about right and
        wrong.
    """
    outcome = None if roles.outcome is None else right_or_wrong(roles.outcome)
    given = [column for column in (roles.label, roles.prediction) if column is not None]
    if by_content and roles.prediction is not None and probabilities is None:
        asked = task is None and undecided != "classes" and tolerance is None
        if (task is not None and TASKS[task].several) or (
            asked and _are_sets(roles.prediction, roles.label, every=every)
        ):
            return _several_names(MultiLabel, roles, probabilities, outcome, by_content=True)
    words = not any(column.has_numbers for column in given)
    for column in given:
        column.check_filled(words=words)
    if task is not None and task != "regression" and tolerance is not None:
        raise BadInput(
            f"The tolerance is {tolerance} and the task {task}. Expected a tolerance for a regression alone. Leave "
            "one of them out."
        )
    numeric = all(column.has_numbers_alone for column in given)
    whole = numeric and all(column.is_whole for column in given)
    open_to_both = whole and roles.prediction is not None and probabilities is None and outcome is None
    if task == "regression" and roles.prediction is not None:
        return _as_regression(roles, given, probabilities, outcome, tolerance, open_to_both)
    if task is not None and TASKS[task].separator and roles.prediction is not None:
        return _several_names(TASKS[task], roles, probabilities, outcome)
    if task is None and open_to_both and undecided != "classes":
        if tolerance is not None or (undecided == "numbers" and not _are_digits(all_numbers(given))):
            return _as_regression(roles, given, probabilities, outcome, tolerance, open_to_both)
        _check_clear(roles.prediction, given)
    if task == "classification" and numeric and not whole and outcome is None:
        raise _not_classes(given)
    regression = numeric and not whole
    if roles.prediction is None and probabilities is None:
        if outcome is None:
            raise _nothing_said(roles, texts, classes)
        return _outcome_alone(outcome)
    if not regression:
        found = _classification(roles, given, numeric, probabilities, outcome, from_1=from_1)
        return replace(found, readable_as=_also_read_as(roles, open_to_both, probabilities))
    if roles.prediction is None or probabilities is not None:
        raise BadInput(
            "The table has columns of probabilities, and labels or predictions that are not whole numbers. Expected "
            "classes (words or whole numbers) where there are probabilities. Correct them or remove the probabilities."
        )
    if roles.label is None and outcome is not None:
        return _outcome_alone(outcome)
    return _regression(roles.prediction.numbers(), roles.label, tolerance)


def among_the_first(top_k: int, probabilities: NDArray[np.float64] | None, said: Answers) -> Answers:
    """The same answers, counting the k most probable classes as right; BadInput where the table cannot rank its classes."""
    if not said.task.one_class or probabilities is None:
        found = "has no probabilities" if said.task.one_class else f"is a {said.task.kind}"
        raise BadInput(
            f"Top {top_k} was asked for, and the table {found}. Expected classes with the probability of each. Add the columns "
            "p_<class>, or leave top k out."
        )
    task = Classification(said.task.classes, top_k=top_k)
    predictions = most_probable(probabilities, top_k)
    losses = None if said.truth is None else task.losses(predictions, said.truth)
    if losses is None and said.losses is not None:
        raise BadInput(
            f"Top {top_k} was asked for, and the outcome says right or wrong of the first class alone. Expected the true "
            "classes. Add a column 'label', or leave the outcome out."
        )
    return replace(said, task=task, predictions=predictions, losses=losses)


def with_further_classes(names: tuple[str, ...], said: Answers) -> Answers:
    """The same answers with classes that were never predicted after the others; answers of other tasks stay unchanged.

    BadInput where a class is named twice.
    """
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise BadInput(f"The class {twice!r:.60} is named twice. Expected each name once. Remove one.")
    new = tuple(name for name in names if name not in said.task.classes)
    if not new or not said.task.one_class:
        return said
    check_class_count(len(said.task.classes) + len(new))
    return replace(said, task=Classification((*said.task.classes, *new), said.task.top_k))


def _check_clear(prediction: Column | None, given: list[Column]) -> None:
    """ReadingUnclear where whole numbers may be measurements: many distinct ones, or most of them predicted once only.

    Single digits are classes, however few rows there are.
    """
    assert prediction is not None  # without predictions nothing is unclear
    distinct, (_, counts) = all_numbers(given), prediction.distinct
    digits = _are_digits(distinct)
    once = float((counts == 1).mean())
    if len(distinct) < MANY_CLASSES and (digits or once <= 0.5):
        return
    found = f"{commas(len(distinct))} distinct whole numbers from {commas(distinct[0])} to {commas(distinct[-1])}"
    raise ReadingUnclear(
        "What is a prediction?",
        f"The table has {found}, which may name classes or be numbers such as prices.",
        [way_of_task("classification"), way_of_task("regression")],
    )


def _are_digits(distinct: NDArray[np.float64]) -> bool:
    """Whether rising whole numbers have one digit each."""
    return bool(distinct[0] >= 0 and distinct[-1] <= 9)


def are_amounts(roles: Roles) -> bool:
    """Whether the names of predictions and truth say that they are amounts, and no parts of a scale."""
    columns = [one for one in (roles.prediction, roles.label) if one is not None]
    words = [words_of(in_english(one.name, FOUND)) for one in columns]
    points = any(
        one & POINTS and bool((column.values >= MANY_POINTS).any()) for one, column in zip(words, columns, strict=True)
    )
    return (points or any(one & AMOUNTS for one in words)) and not any(one & OF_SCALES for one in words)


POINTS, MANY_POINTS = frozenset({"score", "scores", "points"}), 100
"""Words in the name of a number of points, and how many no class is numbered by."""


def way_of_task(kind: TaskKind) -> Way:
    """The reading of a table as this task."""
    title, meaning = TASKS[kind].title, TASKS[kind].meaning
    return Way(f"{title}: {meaning}", f"--task {kind}", f'task="{kind}"', (("task", kind),))


def written_sets(prediction: Column, label: Column | None, *, every: bool) -> SetForm | None:
    """How the predictions write sets of names; None where they do not seem to.

    ``every`` : whether the labels tell it, too, and a separator that is in every cell; it was not so in earlier versions.
    """
    if prediction.has_numbers_alone or len(prediction.words) > limits.MAX_CLASSES:
        return None
    words = prediction.words.to_pylist()
    found = form_of_sets(words, every=every)
    if found is not None or not every or label is None or len(label.words) > limits.MAX_CLASSES:
        return found
    found = form_of_sets({*words, *label.words.to_pylist()})
    return found if found is not None and any(found.form in word for word in words) else None


def _are_sets(prediction: Column, label: Column | None, *, every: bool) -> bool:
    """Whether the predictions are sets of names; ReadingUnclear where they may be classes whose names have such a form."""
    found = written_sets(prediction, label, every=every)
    if found is None or found.sure:
        return found is not None
    example = next(word for word in prediction.words.to_pylist() if found.form in word)
    raise ReadingUnclear(
        "What is a prediction?",
        f"Predictions such as {example!r:.60} may be one class or a set of {len(example.split(found.form))}.",
        [way_of_task("classification"), way_of_task(MultiLabel.kind)],
    )


VECTOR = re.compile(r"\[\s*[-+0-9.eE]+([,\s]+[-+0-9.eE]+)+\s*\]")
"""A list of numbers, as JSON, Python or NumPy write it."""


def check_no_vectors(prediction: Column | None) -> None:
    """BadInput where the predictions are lists of numbers that are not all whole, which name no classes."""
    words = [] if prediction is None or prediction.has_numbers else prediction.words.slice(0, 100).to_pylist()
    listed = bool(words) and all(VECTOR.fullmatch(word) for word in words)
    if prediction is None or not listed or not any("." in word or _repeats_itself(word) for word in words):
        return
    raise BadInput(
        f"The predictions in {prediction.name!r:.60} are lists of numbers, such as {words[0]!r:.60}. Expected a class, a "
        "number, or chances that sum to 1. Write the class of the largest number, or the chances."
    )


def _repeats_itself(word: str) -> bool:
    """Whether a list has a value twice, as no set has."""
    values = re.findall(r"[^\[\],\s]+", word)
    return len({*values}) < len(values)


def _form_of(column: Column, others: Sequence[Column]) -> str:
    """The form of a column's sets: by its own cells, else by those of the others; BadInput where no cell shows one."""
    for one in (column, *others):
        words = one.words.to_pylist()
        found = form_of_sets(words)
        if found is not None:
            return found.form
    said = [word for one in (column, *others) for word in one.words.to_pylist()]
    held = [separator for separator in SEPARATORS if any(separator in word for word in said)]
    if not held and any(names_in_set(word) for word in said):
        raise BadInput(
            f"No cell of {column.name!r:.60} names two classes, such as {said[0]!r:.40}. Expected sets such as a;b, a|b or "
            '["a", "b"]. Leave --task multi-label out, or correct the column.'
        )
    return held[0] if held else SEPARATORS[0]


def _also_read_as(roles: Roles, open_to_both: bool, probabilities: NDArray[np.float64] | None) -> tuple[TaskKind, ...]:
    """The tasks as which a table of classes can be read; empty if it can only be classes."""
    if open_to_both:
        return ("classification", "regression")
    if roles.prediction is None or probabilities is not None:
        return ()
    words = roles.prediction.words
    kinds = [kind for kind, one in TASKS.items() if one.separator and _any_has(words, one.separator)]
    return ("classification", *kinds) if kinds else ()


def _any_has(words: Any, separator: str) -> bool:
    return bool(pc.any(pc.match_substring(words, separator)).as_py())


def _not_classes(given: list[Column]) -> BadInput:
    column = next(column for column in given if not column.is_whole)
    row = int(np.flatnonzero(column.values % 1 != 0)[0])
    return BadInput(
        f"Column {column.name!r:.60}, row {row} (counted from 0) is {column.cell(row)}, and the task is classification. "
        "Expected words or whole numbers. Read the table as a regression, or correct it."
    )


def _as_regression(
    roles: Roles,
    given: list[Column],
    probabilities: NDArray[np.float64] | None,
    outcome: NDArray[np.bool_] | None,
    tolerance: SaidTolerance | None,
    open_to_both: bool,
) -> Answers:
    """The table as a regression, on request; BadInput where its columns cannot be one."""
    assert roles.prediction is not None
    if probabilities is not None or outcome is not None:
        what = "columns of probabilities" if probabilities is not None else "an outcome, right or wrong,"
        raise BadInput(
            f"The table is to be read as a regression but has {what}, which a regression cannot have. Expected numbers "
            "in 'prediction' and 'label'. Remove them, or read the table as a classification."
        )
    for column in given:
        column.numbers()  # names the cell that is not a number
    found = _regression(roles.prediction.values, roles.label, tolerance)
    return replace(found, readable_as=("classification", "regression") if open_to_both else ())


def _several_names(
    kind: type[Task],
    roles: Roles,
    probabilities: NDArray[np.float64] | None,
    outcome: NDArray[np.bool_] | None,
    *,
    by_content: bool = False,
) -> Answers:
    """The table as answers of a kind whose cells hold several names.

    ``by_content`` : whether the content shows how sets are written; else the kind's own separator stands between the names.
    """
    if probabilities is not None:
        raise BadInput(
            f"The table is to be read as {kind.kind} but has columns of probabilities that sum to 1, which sets of "
            "classes do not have. Expected 'prediction' and, ideally, 'confidence'. Remove the probabilities."
        )
    columns = [column for column in (roles.prediction, roles.label) if column is not None]
    forms = [_form_of(column, columns) if by_content else kind.separator for column in columns]
    predicted, *true = (
        [names_in_set(cell, form) for cell in column.texts.to_pylist()]
        for column, form in zip(columns, forms, strict=True)
    )
    found = kind.of_cells(predicted, true[0] if true else None, check_class_count)
    losses = None if found.truth is None else found.task.losses(found.predictions, found.truth)
    if outcome is not None:
        failed = np.where(outcome, 0.0, 1.0)
        _check_agreement(failed, losses)
        losses = failed
    return Answers(found.task, found.predictions, found.truth, losses, readable_as=("classification", found.task.kind))


def right_or_wrong(outcome: Column) -> NDArray[np.bool_]:
    """Which inputs passed, (N,), from Pass / Fail (also right / wrong, true / false) or 1 / 0; BadInput otherwise."""
    outcome.check_filled()
    said = np.array([grade_in_words(word) for word in outcome.words.to_pylist()])[outcome.places]
    passed, failed = said == "right", said == "wrong"
    passed, failed = passed | (outcome.values == 1), failed | (outcome.values == 0)
    neither = np.flatnonzero(~(passed | failed))
    if neither.size:
        raise BadInput(
            f"Column {outcome.name!r}, row {neither[0]} (counted from 0) contains {outcome.cell(int(neither[0]))}. Expected "
            "Pass or Fail, or 1 (right) or 0 (wrong). Correct it."
        )
    return np.asarray(passed, dtype=np.bool_)


def _nothing_said(roles: Roles, texts: Sequence[str], classes: Sequence[str]) -> BadInput:
    """The refusal of a table without predictions: votes, a dataset with its labels, or columns of which one may be named."""
    if roles.label is not None and [name.casefold() for name in roles.others] == ["row"]:
        return BadInput(
            "These are votes, a row and a label for each input, and no predictions. Expected the table of predictions. With a "
            "plan made from that: testimate estimate PLAN.json VOTES.csv"
        )
    if roles.file is not None and roles.file[1] not in roles.others:
        return BadInput(
            f"This is a dataset with its files in {roles.file[1]!r:.60}, and no predictions. Expected a model to predict them. "
            "Run it: testimate features MODEL DATASET --out table.parquet"
        )
    names = [*([] if roles.label is None else [roles.label.name]), *roles.others]
    classes = [name for name in classes if not ends_in_model(name)]
    if {"accept", "_input_hash"} <= {*names}:
        return BadInput(
            "These are labels that people gave in Prodigy, and no predictions. Expected the table of predictions. With a plan "
            "made from that: testimate estimate PLAN.json LABELS.jsonl"
        )
    if has_boxes(names):
        return BadInput(
            "The table has no predictions but a row for each box that a detector found. Expected the boxes of each picture, as "
            "COCO's JSON or a folder of YOLO's texts. Export them so, or judge the rows by a class: --column prediction=NAME."
        )
    said = [name for name in names if is_in_list(name) and path_end(name).endswith(".label")]
    if texts and said:
        return BadInput(
            f"The table has no predictions at the top of a row. A label stands in {said[0]!r:.60}. If the model gave it: "
            f"--column {quote(f'prediction={said[0]}')}."
        )
    if texts:
        several = (
            f"the columns {', '.join(repr(name[:40]) for name in texts[:10])}" if texts[1:] else f"{texts[0]!r:.60}"
        )
        begins = f"The table has no predictions, and nothing is called an output. The texts are in {several}"
        why = [name for name in texts if (WHY | {"reason", "reasons"}) & words_of(name)]
        may_be = [name for name in texts if not (is_called_input_or_reference(name) or bare(name) in CALLED_TEXTS)]
        may_be = [name for name in may_be if name not in why]
        given = [name for name in names if _may_be_given(name) and name not in texts][:MOST_ASKED]
        if not may_be:
            answers_in = " or say where its answers are: --column prediction=NAME." if len(names) > len(texts) else ""
            return BadInput(
                f"{begins}, which were asked or expected{', or say why' if why else ''}. Add what the model gave, in a column "
                "'output'" + (f",{answers_in}" if answers_in else ".")
            )
        if 1 < len(may_be) <= MOST_OF_LONE and not any(map(is_in_list, may_be)):
            asking, named = which_output(may_be), given or (classes if len(classes) <= MOST_ASKED else ())
            ways = [*asking.ways, *(which_column("prediction", named).ways if named else ())]
            question = "Which column did the model give?" if named else asking.question
            return ReadingUnclear(question, f"{begins}.", ways)
        asked = " Name what was asked, too: --column input=NAME." if texts[1:] else ""
        if len(given) == 1:
            asked += f" If {given[0]!r:.60} was predicted: --column {quote(f'prediction={given[0]}')}."
        elif 0 < len(classes) <= MOST_ASKED:
            options = " or ".join(f"--column {quote(f'prediction={name}')}" for name in classes)
            asked += f" If classes were predicted: {options}."
        elif not texts[1:] and names[1:]:
            asked = " If another column holds what was predicted: --column prediction=NAME."
        return BadInput(f"{begins}. If people judge one: --column {quote(f'output={may_be[-1]}')}.{asked}")
    found = ", ".join(repr(name[:40]) for name in names[:10]) or "none that can be used"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    given = [name for name in names if _may_be_given(name)]
    example = quote(f"prediction={given[0]}") if len(given) == 1 else "prediction=NAME"
    return BadInput(
        f"The table has no predictions. Its columns are {found}{more}. Expected 'prediction', 'outcome', or probabilities "
        f"'p_0', 'p_1' and so on. Give a column that role (--column {example}), rank several models with testimate rank, "
        "or run one: testimate features MODEL DATASET --out table.parquet."
    )


def _may_be_given(name: str) -> bool:
    """Whether a name has a word by which a program may have given what stands there, and is no key, text or score of it."""
    called = in_english(name, FOUND)
    return says_what_came_out(called, BY_PROGRAM - MAY_BE_FEATURES) and not (ABOUT_ANSWERS | EXPECTED) & words_of(
        called
    )


def _outcome_alone(passed: NDArray[np.bool_]) -> Answers:
    task = Classification(classes=("right", "wrong"))
    predictions = np.zeros(len(passed), dtype=np.intp)
    truth = np.where(passed, 0, 1).astype(np.intp)
    return Answers(task=task, predictions=predictions, truth=truth, losses=task.losses(predictions, truth))


def _regression(predictions: NDArray[np.float64], label: Column | None, tolerance: SaidTolerance | None) -> Answers:
    task = regression(float(np.std(predictions)) if tolerance is None else tolerance)
    truth = None if label is None else label.numbers()
    losses = None if truth is None else task.losses(predictions, truth)
    return Answers(task=task, predictions=predictions, truth=truth, losses=losses)


def _classification(
    roles: Roles,
    given: list[Column],
    numeric: bool,
    probabilities: NDArray[np.float64] | None,
    outcome: NDArray[np.bool_] | None,
    *,
    from_1: bool,
) -> Answers:
    count = None if probabilities is None else probabilities.shape[1]
    if roles.classes:
        classes = named_classes(roles, given)
    else:
        classes = whole_classes(given, count, from_1=from_1) if numeric else word_classes(given, count)
    numeric = numeric and not roles.classes
    task = Classification(classes=classes)
    if roles.prediction is not None:
        predictions = places_of(roles.prediction, classes, numeric)
        if probabilities is not None and not numeric and not roles.classes:
            check_order(predictions, probabilities)
    else:
        assert probabilities is not None  # one of the two was required above
        predictions = probabilities.argmax(axis=1)
    truth = None if roles.label is None else places_of(roles.label, classes, numeric)
    losses = None if truth is None else task.losses(predictions, truth)
    if outcome is not None:
        failed = np.where(outcome, 0.0, 1.0)
        _check_agreement(failed, losses)
        losses = failed
    if len(classes) == 1 and losses is None:
        raise BadInput(
            f"Every prediction is {classes[0]!r:.60}, the only class. Expected at least two, or a tester could not "
            "say that one is wrong. Add a column 'label' or 'outcome', or the probabilities of all classes."
        )
    return Answers(task=task, predictions=predictions, truth=truth, losses=losses)


def _check_agreement(failed: NDArray[np.float64], losses: NDArray[np.float64] | None) -> None:
    """BadInput where outcome and label contradict each other."""
    if losses is None or np.array_equal(failed, losses):
        return
    row = int(np.flatnonzero(failed != losses)[0])
    raise BadInput(
        f"In row {row} (counted from 0) the outcome says {'wrong' if failed[row] else 'right'} where label and "
        "prediction say the opposite. Expected one truth. Correct or remove one of the columns."
    )


FEWEST_GROUPS = 10
"""File names with fewer distinct beginnings name classes or splits, not groups."""


LOOKED_AT = 100_000
"""First rows that are searched for groups; inputs of one group are mostly near each other."""


def groups_of_table(cells: Cells, column: str | None) -> InputGroups | None:
    """The groups named by this column; None without one. An empty cell is a group of its own."""
    if column is None or column not in cells.columns:
        return None
    return groups_of([text or "" for text in Column(column, cells.columns[column]).texts.to_pylist()], column)


def looks_grouped(cells: Cells, names: Sequence[str] | None, *, answers: Collection[str] = ()) -> str:
    """A sentence if rows seem to belong together but no column of groups is named; else "".

    Judged by a column of rows with a telling name and repeated cells, or by file names: the part before the last "_" or "-" has
    a digit, as in patient12_003.png, and is repeated. ``answers`` : columns of answers, which group nothing.
    """
    for name in [name for name in cells.columns if name not in answers]:
        words = "".join(letter if letter.isalpha() else " " for letter in name.casefold()).split()
        if is_in_list(name) or not {word.removesuffix("s") for word in words} & OF_GROUPS:
            continue
        column = Column(name, cells.columns[name].slice(0, LOOKED_AT))
        if not {*column.words.to_pylist()} <= {"0", "1"} and _repeats(column.texts.to_pylist(), 2):
            return _words(f"the cells of the column {name!r:.60} repeat", f"--column group={name:.60}")
    if names is None:
        return ""
    stems = [_stem(names[row]) for row in range(min(len(names), LOOKED_AT))]
    if all(stems) and _repeats(stems, FEWEST_GROUPS):
        return _words(f"file names begin alike, such as {stems[0]!r:.60}", "a column group")
    return ""


def _words(seen: str, how: str) -> str:
    return (
        f"Some inputs seem to belong together: {seen}. Drawn one by one, their estimate holds for this set and says "
        f"less about new groups than its interval suggests. To draw them as wholes, name their column ({how}) and "
        "choose "
        "srs-groups or rrs-groups."
    )


def _stem(name: str) -> str:
    """The part of a file's name before the last "_" or "-", if it has a digit; else "".

    >>> _stem("ward/patient12_003.png"), _stem("train_0001.png")
    ('patient12', '')
    """
    own = name.replace("\\", "/").rpartition("/")[2]
    before = own[: max(own.rfind("_"), own.rfind("-"), 0)]
    return before if any(letter.isdigit() for letter in before) else ""


def _repeats(values: Sequence[str | None], fewest: int) -> bool:
    """Whether there are at least ``fewest`` distinct values and on average two inputs of each."""
    counts = Counter(value or "" for value in values)
    return fewest <= len(counts) <= len(values) / 2


def group_facts(groups: InputGroups | None, looks: str) -> tuple[tuple[str, str], ...]:
    """What a tester may want to know about the groups."""
    if groups is None:
        return (("may belong together", looks),) if looks else ()
    sizes = groups.sizes
    reach = f"{commas(int(sizes.min()))} to {commas(int(sizes.max()))}"
    alone = int(np.sum([not name for name in groups.names]))
    more = f", {commas(alone)} of them inputs without one" if alone else ""
    return (("groups", f"{commas(len(groups.names))} by {groups.column:.60}, of {reach} inputs{more}"),)
