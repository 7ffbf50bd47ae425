"""Several criteria from one plan: what each is asked of, how the draws serve all of them, and what their votes say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.reading import Tell
from testimate.core.selector import DEFAULT_AUXILIARY
from testimate.planning.build import technique_named
from testimate.planning.known_inputs import unheard
from testimate.planning.needs import CRITERIA
from testimate.planning.votes import CODES, EXPORTED, KINDS, Votes, coded_rows
from testimate.selectors.base import trusted
from testimate.tables.data_frame import columns_of
from testimate.tasks.criteria import Criteria
from testimate.tasks.verdict import (
    OF_WORDS,
    USUAL_SCALE,
    Criterion,
    Judgment,
    check_criteria,
    read_judge,
)

Floats = NDArray[np.float64]

ALL_RIGHT = "all criteria right"
"""What is reported beside the criteria: the share of outputs without a fault in any of them."""

TAKEN = frozenset({*EXPORTED, *KINDS, CODES, ALL_RIGHT})
"""Names that a criterion cannot have, as files of votes use them."""

LEAST_VARIANCE = 0.02
"""What a grade is taken to vary at least, so that outputs of which a judge is sure are labeled, too."""


def with_criteria(inputs: Inputs, criteria: Sequence[Criterion], tell: Tell = unheard) -> Inputs:
    """Return the inputs whose outputs several criteria are asked of: each is right where no criterion finds a fault.

    Their ``judges`` are scores from 0 to 1, and a score ``CRITERIA`` is there if a criterion has a judge. What is known of
    their truth is of no criterion, and left out. ``tell`` : called with what is unusual about a judge. BadInput where nothing
    is judged, or a judge is no column of numbers.

    >>> inputs = Inputs("f" * 32, Judgment(), np.zeros(4, dtype=np.intp), judges={"j": np.array([0.5, 1, 1, 1])})
    >>> with_criteria(inputs, [Criterion("faithful", judge="j")]).scores["criteria together"].round(2).tolist()
    [1.22, 0.91, 0.91, 0.91]
    """
    if not criteria:
        return inputs
    check_criteria(criteria, TAKEN)
    if inputs.task.criteria:  # read already; some may have been added since
        return replace(inputs, task=Criteria(table_scale=inputs.task.table_grades, criteria=tuple(criteria)))
    if not inputs.task.graded or inputs.task.compares:
        raise BadInput(
            f"Criteria were named, and this is a {inputs.task.kind} task. Expected outputs that people judge one by one. Read "
            "the table with --task verdict, or leave the criteria out."
        )
    judges = _judges(inputs, criteria, tell)
    spread = compromise([judges[one.judge] for one in criteria if one.judge and not one.after])
    return replace(
        inputs,
        task=Criteria(table_scale=inputs.task.table_grades, criteria=tuple(criteria)),
        predictions=np.zeros(len(inputs), dtype=np.intp),
        judges=judges,
        confidence=None,
        scores={**inputs.scores, CRITERIA: spread} if spread is not None else inputs.scores,
        truth=None,
        losses=None,
        known={},
    )


def _judges(inputs: Inputs, criteria: Sequence[Criterion], tell: Tell) -> dict[str, Floats]:
    """Return the scores of every judge, each read by the scale of the criterion that it is the judge of."""
    own = {one.judge: one for one in criteria if one.judge}
    columns = dict(inputs.judges)
    if inputs.confidence is not None:
        named = () if inputs.reading is None else inputs.reading.with_role("confidence")
        columns[named[0] if named else DEFAULT_AUXILIARY] = inputs.confidence
    for name, one in own.items():
        if name not in columns and name not in inputs.scores:
            there = ", ".join([*columns, *(score for score in inputs.scores if score not in columns)]) or "none"
            raise BadInput(
                f"The judge of {one.name!r:.60} is {name!r:.60}, which is no column of numbers. There are {there!s:.200}. Name "
                "one of these, or leave =JUDGE out."
            )
        columns.setdefault(name, inputs.scores[name] if name in inputs.scores else columns[name])
    scores = {}
    for name, values in columns.items():
        scale = own[name].scale if name in own else inputs.task.grades
        read = read_judge(name, values, USUAL_SCALE if values is inputs.confidence else scale)
        if read is None and name in own:
            raise BadInput(
                f"The numbers of {name!r:.60} lie on no scale of grades. Expected grades of {own[name].name!r:.60}, on the "
                f"scale {scale} or from 0 to 1. Correct the column, or leave =JUDGE out."
            )
        if read is not None:
            scores[name] = read.scores
            for remark in read.remarks:
                tell(remark)
    return scores


def compromise(judges: Sequence[Floats]) -> Floats | None:
    """Return how much a label of each input says about all criteria, (N,), by the score of each criterion's judge, (N,).

    It is sqrt(mean over k of v_ik / mean of v_k), the compromise allocation of Cochran (1977, section 5A.4) with the variance
    v = c (1 - c) of a fault of chance c, believed by two thirds and at least ``LEAST_VARIANCE``. A blank is as likely a fault
    as not. None without judges.

    >>> compromise([np.array([1.0, 0.5]), np.array([0.5, 1.0])]).tolist()
    [1.0, 1.0]
    """
    if not judges:
        return None
    total = np.zeros(len(judges[0]))
    for scores in judges:
        chance = trusted(np.where(np.isfinite(scores), 1 - scores, 0.5), Judgment.score_trust)
        variance = np.maximum(chance * (1 - chance), LEAST_VARIANCE)
        total += variance / variance.mean()
    return np.asarray(np.sqrt(total / len(judges)))


def of_criterion(inputs: Inputs, one: Criterion) -> Inputs:
    """Return the inputs of ``with_criteria`` as one criterion alone asks about them, with every judge's grades on its scale."""
    task = one.task
    numbers = one.scale not in OF_WORDS
    low, high = (float(task.classes[0]), float(task.classes[-1])) if numbers else (0.0, 1.0)
    return replace(
        inputs,
        task=task,
        predictions=np.full(len(inputs), task.best, dtype=np.intp),
        judges={name: low + (high - low) * scores for name, scores in inputs.judges.items()},
    )


def of_all(inputs: Inputs) -> Inputs:
    """Return the inputs as all their criteria together ask about them, right or wrong; themselves without criteria."""
    return of_criterion(inputs, Criterion(ALL_RIGHT)) if inputs.task.criteria else inputs


def votes_of_criteria(cells: Mapping[str, Mapping[int, str]], criteria: Sequence[Criterion]) -> Votes:
    """Return the votes of these cells, by the name of the criterion and the row; an empty cell is "cannot tell".

    An output is right where every criterion has a grade and none is a fault; see ``verdict_of``. BadInput where a cell is none
    of the criterion's grades.

    >>> asked = [Criterion("kind"), Criterion("true")]
    >>> votes_of_criteria({"kind": {3: "no", 4: ""}, "true": {3: "yes", 4: "yes"}}, asked).cells
    {3: 'wrong', 4: ''}
    """
    rows = dict.fromkeys(row for one in cells.values() for row in one)
    whole = {one.name: {row: cells.get(one.name, {}).get(row, "") for row in rows} for one in criteria}
    faults: dict[int, list[bool | None]] = {row: [] for row in rows}
    for one in criteria:
        task = one.task
        for row, cell in whole[one.name].items():
            faults[row].append(None if cell == "" else _grade(one, task, cell, row) in task.fault_grades)
    return Votes("label", {row: verdict_of(found) for row, found in faults.items()}, criteria=whole)


def criteria_votes(votes: Any, criteria: Sequence[Criterion]) -> Votes:
    """Return the votes of a table with the columns row and one for each criterion, or of row -> name -> grade.

    >>> criteria_votes({7: {"polite": "right"}}, [Criterion("polite")]).criteria
    {'polite': {7: 'right'}}
    """
    if isinstance(votes, Votes):
        return votes
    codes: dict[int, str] = {}
    if isinstance(votes, Mapping) and "row" not in votes:
        strange = next((row for row, said in votes.items() if not isinstance(said, Mapping)), None)
        if strange is not None:
            raise BadInput(
                f"The vote of row {strange} is {votes[strange]!r:.60}. Expected a grade by the name of each criterion, such as "
                f"{{{criteria[0].name!r}: {criteria[0].task.classes[0]!r}}}. Give these."
            )
        of_rows: dict[str, Any] = {
            one.name: {row: said.get(one.name) for row, said in votes.items()} for one in criteria
        }
    else:
        columns = columns_of(votes)
        lacking = [one.name for one in criteria if one.name not in columns]
        if "row" not in columns or len(lacking) == len(criteria):
            raise BadInput(
                f"The votes have the columns {', '.join(columns)!s:.200}. Expected row and one for each criterion: "
                f"{', '.join(one.name for one in criteria)}. Rename columns."
            )
        of_rows = {
            one.name: dict(zip(columns["row"], columns[one.name], strict=True))
            for one in criteria
            if one.name in columns
        }
        codes = coded_rows(columns)
    return replace(
        votes_of_criteria({name: Votes.of(said).cells for name, said in of_rows.items()}, criteria), codes=codes
    )


def losses_of_grades(one: Criterion, cells: Mapping[int, str]) -> dict[int, str]:
    """The losses that these grades of a criterion are, as votes without a table have them."""
    return {row: cell and str(one.losses[_grade(one, one.task, cell, row)]) for row, cell in cells.items()}


def _grade(one: Criterion, task: Judgment, cell: str, row: int) -> int:
    try:
        return task.place_of(cell)
    except BadInput:
        raise BadInput(
            f"The vote of row {row} on {one.name!r:.60} is {cell!r:.40}. Expected one of {', '.join(task.classes)!s:.120}, or "
            "nothing. Correct it."
        ) from None


def verdict_of(faults: Sequence[bool | None]) -> str:
    """Return what an output is by whether each criterion finds a fault, None where it does not tell.

    One that was skipped leaves it open even beside a fault: if only those without a fault were left out, the rest would look
    worse than all.

    >>> verdict_of([False, True]), verdict_of([False, False]), verdict_of([True, None])
    ('wrong', 'right', '')
    """
    return "" if None in faults else "wrong" if True in faults else "right"


def check_learns_nothing(technique: str, criteria: Sequence[Criterion]) -> None:
    """BadInput where a technique learns from one answer to each output, and there are several criteria."""
    if criteria and technique_named(technique).adapts:
        raise BadInput(
            f"{technique} learns from one answer to each output, and there are {len(criteria)} criteria. Expected a technique "
            "that does not learn. Take rrs or srs."
        )


def check_one_answer(criteria: Sequence[Criterion], what: str) -> None:
    """BadInput where there are several criteria, and ``what`` needs one answer to each input."""
    if criteria:
        raise BadInput(
            f"The plan has criteria ({', '.join(one.name for one in criteria)!s:.120}), and {what} needs one answer to each "
            "input. Expected a plan of one question. Leave it out, or make such a plan."
        )
