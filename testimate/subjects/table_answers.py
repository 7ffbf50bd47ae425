"""Tells from a table's labels, predictions and outcomes what the task is, and what is known of right and wrong."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.task import Classification, Regression, Task
from testimate.subjects import limits
from testimate.subjects.arrow import pa, pc
from testimate.subjects.cells import Column
from testimate.subjects.table_roles import Roles

RIGHT, WRONG = ("pass", "right", "true"), ("fail", "wrong", "false")


@dataclass(frozen=True, eq=False)
class Answers:
    """The task with the (N,) predictions and, where they are known, the (N,) true answers and losses."""

    task: Task
    predictions: NDArray[np.intp] | NDArray[np.float64]
    truth: NDArray[np.intp] | NDArray[np.float64] | None
    losses: NDArray[np.float64] | None


def answers(roles: Roles, probabilities: NDArray[np.float64] | None, tolerance: float | None) -> Answers:
    """The task and its answers.

    Numbers of which some are not whole make it a regression; whole numbers and words are classes. ``outcome`` stands in
    for the label: right or wrong is known then, the true class is not. ``outcome`` alone makes two classes, "right" and
    "wrong", of which everything is predicted to be the first.

    Raises
    ------
    BadInput : empty cells, text among numbers, labels and predictions of different kinds, an outcome that contradicts
        the label, classes that do not fit the probabilities, or a single class with nothing known of right and wrong.
    """
    outcome = None if roles.outcome is None else right_or_wrong(roles.outcome)
    given = [column for column in (roles.label, roles.prediction) if column is not None]
    for column in given:
        column.check_filled()
    numeric = all(column.is_number.all() for column in given)
    regression = numeric and not all(column.is_whole for column in given)
    if roles.prediction is None and probabilities is None:
        if outcome is None:
            raise _nothing_said(roles)
        return _outcome_alone(outcome)
    if not regression:
        return _classification(roles, given, numeric, probabilities, outcome)
    if roles.prediction is None or probabilities is not None:
        raise BadInput(
            "The table has columns of probabilities, and labels or predictions that are not whole numbers; needed are "
            "classes (words or whole numbers) where there are probabilities. Correct them or remove the probabilities."
        )
    if roles.label is None and outcome is not None:
        return _outcome_alone(outcome)
    return _regression(roles.prediction.numbers(), roles.label, tolerance)


def right_or_wrong(outcome: Column) -> NDArray[np.bool_]:
    """Which inputs passed, (N,), from Pass / Fail (also right / wrong, true / false) or 1 / 0; BadInput otherwise."""
    outcome.check_filled()
    words = pc.utf8_lower(outcome.texts)
    passed = pc.is_in(words, value_set=pa.array(RIGHT, pa.large_string())).to_numpy() | (outcome.values == 1)
    failed = pc.is_in(words, value_set=pa.array(WRONG, pa.large_string())).to_numpy() | (outcome.values == 0)
    neither = np.flatnonzero(~(passed | failed))
    if neither.size:
        raise BadInput(
            f"Column {outcome.name!r}, row {neither[0]} (the first is 0) holds {outcome.cell(int(neither[0]))}; needed "
            "is Pass or Fail, or 1 (right) or 0 (wrong). Correct it."
        )
    return np.asarray(passed, dtype=np.bool_)


def _nothing_said(roles: Roles) -> BadInput:
    names = [*([] if roles.label is None else [roles.label.name]), *roles.others]
    met = ", ".join(repr(name[:40]) for name in names[:10]) or "none that can be used"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return BadInput(
        f"The table does not say what was predicted, its columns are {met}{more}; needed is 'prediction' (or 'SUT'), "
        "'outcome', or probabilities 'p_0', 'p_1' and so on. Add or rename one."
    )


def _outcome_alone(passed: NDArray[np.bool_]) -> Answers:
    task = Classification(classes=("right", "wrong"))
    predictions = np.zeros(len(passed), dtype=np.intp)
    truth = np.where(passed, 0, 1).astype(np.intp)
    return Answers(task=task, predictions=predictions, truth=truth, losses=task.losses(predictions, truth))


def _regression(predictions: NDArray[np.float64], label: Column | None, tolerance: float | None) -> Answers:
    task = Regression(tolerance=float(np.std(predictions)) if tolerance is None else tolerance)
    truth = None if label is None else label.numbers()
    losses = None if truth is None else task.losses(predictions, truth)
    return Answers(task=task, predictions=predictions, truth=truth, losses=losses)


def _classification(
    roles: Roles,
    given: list[Column],
    numeric: bool,
    probabilities: NDArray[np.float64] | None,
    outcome: NDArray[np.bool_] | None,
) -> Answers:
    count = None if probabilities is None else probabilities.shape[1]
    classes = _whole_classes(given, count) if numeric else _word_classes(given, count)
    task = Classification(classes=classes)
    if roles.prediction is not None:
        predictions = _places(roles.prediction, classes, numeric)
        if probabilities is not None and not numeric:
            _check_order(predictions, probabilities)
    else:
        assert probabilities is not None  # one of the two was asked for above
        predictions = probabilities.argmax(axis=1)
    truth = None if roles.label is None else _places(roles.label, classes, numeric)
    losses = None if truth is None else task.losses(predictions, truth)
    if outcome is not None:
        failed = np.where(outcome, 0.0, 1.0)
        _check_agreement(failed, losses)
        losses = failed
    if len(classes) == 1 and losses is None:
        raise BadInput(
            f"Every prediction is {classes[0]!r:.60}, the only class; needed are at least two, or a tester could not "
            "say that one is wrong. Add a column 'label' or 'outcome', or the probabilities of all classes."
        )
    return Answers(task=task, predictions=predictions, truth=truth, losses=losses)


def _whole_classes(given: list[Column], count: int | None) -> tuple[str, ...]:
    """The classes of whole numbers, in numeric order: 0 to C-1 where there are C probabilities or most of them occur."""
    if count is not None:
        for column in given:
            bad = np.flatnonzero((column.values < 0) | (column.values >= count))
            if bad.size:
                raise BadInput(
                    f"Column {column.name!r}, row {bad[0]} (the first is 0) is class {column.values[bad[0]]:.0f}, and "
                    f"there are {count} columns of probabilities; needed are classes from 0 to {count - 1}. Correct "
                    "the classes or add the missing columns."
                )
        return tuple(str(place) for place in range(count))
    values = np.unique(np.concatenate([column.values for column in given]))
    if values[0] >= 0 and values[-1] < 2 * len(values):  # a class that never occurs may still be an answer
        values = np.arange(values[-1] + 1)
    _check_class_count(len(values))
    return tuple(str(int(value)) for value in values)


def _word_classes(given: list[Column], count: int | None) -> tuple[str, ...]:
    """The classes of words, sorted."""
    for column in given:
        if column.is_numeric and not column.is_whole:
            column.numbers()  # names the cell that is no number
    if len({bool(column.is_number.any()) for column in given}) == 2 and any(c.is_number.all() for c in given):
        raise BadInput(
            f"Columns {given[0].name!r} and {given[1].name!r} do not speak of the same classes: one holds numbers, the "
            "other words; needed are the same names in both. Translate one of them."
        )
    _check_class_count(max(pc.count_distinct(column.texts).as_py() for column in given))
    words = sorted({word for column in given for word in pc.unique(column.texts).to_pylist()})
    _check_class_count(len(words))
    if count is not None and len(words) != count:
        raise BadInput(
            f"There are {count} columns of probabilities and {len(words)} classes named in labels and predictions; "
            "needed are as many of both, p_0 for the first in sorted order. Number the classes from 0, or add or remove "
            "columns."
        )
    return tuple(words)


def _check_class_count(count: int) -> None:
    if count > limits.MAX_CLASSES:
        raise BadInput(
            f"Labels and predictions name {count:,} classes; needed are at most {limits.MAX_CLASSES:,}. Use a column "
            "of classes, or write numbers with decimals where they are measurements."
        )


def _places(column: Column, classes: tuple[str, ...], numeric: bool) -> NDArray[np.intp]:
    """The place of each cell's class, (N,)."""
    if numeric:
        values = np.array([int(name) for name in classes], dtype=np.float64)
        return np.searchsorted(values, column.values).astype(np.intp)
    places = pc.index_in(column.texts, value_set=pa.array(classes, pa.large_string()))
    return np.asarray(places.to_numpy(), dtype=np.intp)


def _check_order(predictions: NDArray[np.intp], probabilities: NDArray[np.float64]) -> None:
    """BadInput where the columns of probabilities seem to be in another order than the sorted words."""
    agree = float((probabilities.argmax(axis=1) == predictions).mean())
    if agree < 0.5:
        raise BadInput(
            f"The most probable class is the predicted one in only {agree:.0%} of the rows; needed is p_0 for the first "
            "class in sorted order, p_1 for the second and so on. Reorder the columns or number the classes."
        )


def _check_agreement(failed: NDArray[np.float64], losses: NDArray[np.float64] | None) -> None:
    """BadInput where outcome and label contradict each other."""
    if losses is None or np.array_equal(failed, losses):
        return
    row = int(np.flatnonzero(failed != losses)[0])
    raise BadInput(
        f"In row {row} (the first is 0) the outcome says {'wrong' if failed[row] else 'right'} where label and "
        "prediction say the opposite; needed is one truth. Correct or remove one of the columns."
    )
