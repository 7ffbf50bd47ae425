"""A prediction table becomes a subject: what a model said of every input, without the model."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.subjects.cells import Cells, Column
from testimate.subjects.table_answers import Answers, Undecided, answers
from testimate.subjects.table_file import file_bytes, read_cells
from testimate.subjects.table_roles import roles_of
from testimate.subjects.table_rows import TableRows

SUM_TOLERANCE = 0.02
"""How far the probabilities of a row may be from a sum of 1: room for a thousand of them, rounded to four digits."""


def read_table(
    source: Path | bytes,
    *,
    name: str,
    tolerance: float | None = None,
    task: TaskKind | None = None,
    undecided: Undecided = "ask",
) -> Subject:
    """Reads a CSV (also packed by gzip) or Parquet file with one row per input.

    Columns, upper or lower case alike: ``label`` the truth; ``prediction`` or ``SUT``; ``outcome`` (Pass / Fail, 1 / 0)
    in place of the truth or of both; ``confidence``; ``p_0`` to ``p_{C-1}``, from which prediction and confidence are
    taken where they are missing. Every other column of numbers is an auxiliary variable under its own name (larger =
    more likely to fail), apart from those that number the rows.

    Parameters
    ----------
    source : the file, or the content of an uploaded one.
    name : for people; for an uploaded one the file's name, whose ending (.csv, .csv.gz, .parquet) says what it is.
    tolerance : of a regression, the error beyond which an input counts as a failure, in the unit of the predictions;
        one standard deviation of the predictions where none is given. Whole-number predictions with a tolerance are a
        regression.
    task : what the predictions are, where it was said; else the columns decide. "multi-label" reads sets such as "cat;dog".
    undecided : what to do where whole numbers may be classes or numbers and ``task`` is None: "ask" raises TaskUnclear;
        "classes" takes them for classes, as was done before the task was stored.

    Returns
    -------
    Subject without a model; ``inputs`` holds all that the table says, ``scores["confidence"]`` being 1 - confidence.
    Its fingerprint is that of the file's content; read otherwise than as its columns say by themselves, whole numbers as a
    regression or words as sets, it has another one, so that no session of the one task opens with the other.

    Raises
    ------
    TaskUnclear : whole-number predictions may be classes or numbers, and nobody said which.
    BadInput : the file or a column cannot be used as it is; the sentence says which and what to do.

    >>> table = read_table(b"SUT,confidence,outcome\\n3,0.75,Pass\\n1,0.5,Fail\\n", name="two.csv")
    >>> table.inputs.predictions, table.inputs.scores["confidence"], table.inputs.losses
    (array([3, 1]), array([0.25, 0.5 ]), array([0., 1.]))
    """
    content = file_bytes(source)
    cells = read_cells(content, source.name if isinstance(source, Path) else name)
    roles = roles_of(cells)
    probabilities = _probabilities(cells, roles.probabilities)
    said = answers(roles, probabilities, tolerance, task, undecided=undecided)
    confidence = _confidence(roles.confidence, probabilities, said)
    digest = fingerprint.of_bytes(content)
    if said.readable_as and said.task.kind != "classification":
        digest = fingerprint.of_bytes(digest.encode(), said.task.kind.encode())
    scores = {} if confidence is None else {"confidence": 1.0 - confidence}
    scores |= _auxiliary(cells, roles.candidates)
    inputs = Inputs(
        fingerprint=digest,
        task=said.task,
        predictions=said.predictions,
        confidence=confidence,
        probabilities=probabilities,
        scores=scores,
        truth=said.truth,
        losses=said.losses,
    )
    return Subject(
        key=f"table-{digest[:12]}",
        name=name,
        task=said.task,
        dataset=TableRows({other: cells.columns[other] for other in roles.others}, cells.size, digest),
        fingerprint=digest,
        truth=said.truth,
        inputs=inputs,
        facts=_facts(cells, inputs),
        readable_as=said.readable_as,
    )


def _probabilities(cells: Cells, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    """The probabilities as (N, C) rows summing to 1, or None; BadInput where they do not sum to about 1."""
    if not names:
        return None
    table = np.empty((cells.size, len(names)))
    for place, name in enumerate(names):
        table[:, place] = Column(name, cells.columns[name]).numbers_between_0_and_1()
    sums = table.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
    if bad.size:
        raise BadInput(
            f"The probabilities of row {bad[0]} (the first is 0) sum to {sums[bad[0]]:.4g}; expected 1, give or take "
            f"{SUM_TOLERANCE:g}. Apply softmax once, or rename columns that are no probabilities."
        )
    if np.abs(sums - 1).max() > 1e-6:  # rounded in the file
        table /= sums[:, None]
    return table


def _confidence(
    column: Column | None, probabilities: NDArray[np.float64] | None, said: Answers
) -> NDArray[np.float64] | None:
    if column is not None:
        return column.numbers_between_0_and_1()
    if probabilities is None:
        return None
    predicted = said.predictions.astype(np.intp)
    return np.asarray(probabilities[np.arange(len(predicted)), predicted], dtype=np.float64)


def _auxiliary(cells: Cells, names: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
    """The columns of numbers, each (N,) float64; BadInput where one has a cell that is no number."""
    columns = (Column(name, cells.columns[name]) for name in names)
    return {column.name: column.numbers() for column in columns if column.is_numeric}


def _facts(cells: Cells, inputs: Inputs) -> tuple[tuple[str, str], ...]:
    if inputs.truth is not None:
        known = "the true answers"
    else:
        known = "which inputs are right" if inputs.losses is not None else "nothing yet: labels will show"
    facts = [
        ("inputs", f"{cells.size:,}"),
        ("task", inputs.task.kind),
        ("auxiliary variables", ", ".join(inputs.scores) or "none"),
        ("known in advance", known),
    ]
    if cells.left_out:
        facts.append(("columns left out", ", ".join(cells.left_out)))
    return tuple(facts)
