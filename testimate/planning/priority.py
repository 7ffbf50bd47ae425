"""All inputs in order of priority, as a technique would have them labeled, and the ORDER.csv they are written to."""

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary import SLOW
from testimate.auxiliary.slow import LayerOutputs
from testimate.charts.html import paragraphs, table
from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.files import whole_file
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.reading import Tell
from testimate.core.selector import Request, Selector
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.words import commas
from testimate.metrics import error_severity
from testimate.planning.build import build, titled
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.needs import classes_of, training_classes, uses_of
from testimate.selectors import SELECTORS
from testimate.selectors.base import FixedList
from testimate.selectors.severity_first import SeverityFirst
from testimate.tables.lines import table_lines

COLUMNS = ("row", "failed", "probability", "reason")
NAME = "file"
"""The column with what each input is called, where it has a name."""


@dataclass(frozen=True, eq=False, repr=False)
class Priority:
    """The inputs in order of priority.

    Attributes
    ----------
    rows : (N,) every row once. reasons : (N,) why each has its place.
    learned : whether the technique was given the known answers one after another, as a tester would have given them.
    warning : what to watch out for, by the technique; "" if nothing.
    """

    rows: NDArray[np.intp]
    reasons: Sequence[str]
    learned: bool
    warning: str = ""

    def __repr__(self) -> str:
        first = ", ".join(str(row) for row in self.rows[:5])
        said = f"Priority: {commas(self.rows.size)} inputs in order of priority, first the rows {first}."
        return f"{said} {self.warning}".strip()

    def _repr_html_(self) -> str:
        cells = zip(self.rows.tolist(), self.reasons, strict=True)
        return paragraphs([repr(self)]) + table(("row", "reason"), cells, self.rows.size)

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns row and reason, in order of priority."""
        import pandas as pd

        return pd.DataFrame({"row": self.rows, "reason": self.reasons})


AT_A_TIME = 100_000
"""Lines made at a time."""


class ListedReasons(Sequence[str]):
    """Why each input of a fixed list has its place, made when it is asked for: tens of millions of phrases fill no memory."""

    def __init__(self, listed: FixedList) -> None:
        self._listed = listed

    def __len__(self) -> int:
        return len(self._listed.rows)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return self._listed.reasons(range(*place.indices(len(self))))
        at = range(len(self))[place]
        return self._listed.reasons(range(at, at + 1))[0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self[start : start + AT_A_TIME]


def priority(inputs: Inputs, request: Request, *, progress: Progress = silent) -> Priority:
    """Every input, in the order the technique would have it labeled.

    The first ``request.budget`` are those of a plan of that budget; the others follow as they come where all are planned.
    Slow auxiliary variables that the technique takes are computed from the features where available and no column holds them.
    A technique that learns gets the losses of what it asked for; where these are not known its static variant takes its place.

    Raises
    ------
    BadInput
        As `build` does; where the technique draws inputs twice, or learns and there is nothing to learn from.
    """
    known = with_slow_scores(inputs, request, progress=progress)
    learns = SELECTORS[request.technique].adapts and request.variant != "static"
    if learns and inputs.losses is None:
        request = _static(request)
        learns = False
    size = len(inputs)
    selector = build(known, request)
    warning = getattr(selector, "warning", "")
    if isinstance(selector, FixedList) and len(selector.rows) == size and np.bincount(selector.rows).max() == 1:
        progress(size, size, "ordering")
        return Priority(selector.rows, ListedReasons(selector), learns, warning)
    after = build(known, replace(request, budget=size)) if learns and request.budget < size else None
    ordering = _Ordering(progress, size, [selector] if after is None else [selector, after])
    draws = _drawn(selector, known, ordering)
    rows = {draw.row: draw.reason for draw in draws}
    if len(rows) < len(draws):
        raise BadInput(
            f"{titled(request.technique)} may draw an input twice; an order of priority names each input once. "
            "Choose a technique such as severity-first or deepgini."
        )
    if len(rows) < size:
        rest = _drawn(after or build(known, replace(request, budget=size)), known, ordering)
        rows |= {draw.row: draw.reason for draw in rest if draw.row not in rows}
    return Priority(np.array(list(rows), dtype=np.intp), tuple(rows.values()), learns, warning)


def check_takes_others(technique: str) -> None:
    """BadInput where what other models say would change nothing in the technique's order."""
    made = SELECTORS[technique]
    if {"scores", "disagreement"} & {*made.needs, *uses_of(made)}:
        return
    taking = sorted(name for name, one in SELECTORS.items() if "disagreement" in uses_of(one))
    raise BadInput(
        f"{titled(technique)} makes no use of what other models say. Expected a technique that does. Choose one of "
        f"{', '.join(taking)}, or leave --other out."
    )


def _static(request: Request) -> Request:
    if "static" not in SELECTORS[request.technique].variants:
        raise BadInput(
            f"{titled(request.technique)} learns from labels as they come in and this table has none. Expected "
            "answers, or a technique that knows its order in advance. Choose severity-first, or label by a plan: "
            "testimate select."
        )
    return replace(request, variant="static")


class _Ordering:
    """Reports how far the order is, in inputs of equal work: an order that learns is made twice, in blocks that grow."""

    def __init__(self, progress: Progress, size: int, selectors: Sequence[Selector]) -> None:
        self._progress, self._size, self._selectors = progress, size, selectors
        self._done = 0

    def __call__(self) -> None:
        """Something more is ordered."""
        done, ahead = np.sum([_work(selector) for selector in self._selectors], axis=0)
        now = self._size - round(self._size * ahead / max(done + ahead, 1))
        self._done = max(self._done, now)  # what is ahead is an estimate, and no step is undone
        self._progress(self._done, self._size, "ordering")


def _work(selector: Selector) -> tuple[float, float]:
    """What the selector has done, and what is ahead of it, in units of its own."""
    if isinstance(selector, SeverityFirst):
        return selector.work()
    return 0.0, float(selector.remaining)


def _drawn(selector: Selector, inputs: Inputs, ordering: _Ordering) -> list[Draw]:
    """Every draw; the technique learns the verdict on each as soon as it is asked for."""
    draws: list[Draw] = []
    for batch in verdicts_to_the_end(selector, inputs.losses):
        draws += [verdict.draw for verdict in batch]
        ordering()
    return draws


def with_slow_scores(inputs: Inputs, request: Request, *, progress: Progress = silent) -> Inputs:
    """The inputs with the slow auxiliary variables that the technique takes, from the features where no column holds them.

    Without features of training inputs each input is compared with the other inputs.
    """
    technique = SELECTORS[request.technique]
    wanted = [name for name in (*technique.needs, *uses_of(technique)) if name in SLOW and name not in inputs.scores]
    if not wanted or request.features not in inputs.features:
        return inputs
    outputs = LayerOutputs(
        inputs.feature(request.features), classes=classes_of(inputs) if inputs.task.one_class else None
    )
    if inputs.training is not None and request.features in inputs.training.features:
        outputs = replace(
            outputs,
            training_features=inputs.training.feature(request.features),
            training_classes=None if outputs.classes is None else training_classes(inputs),
        )
    possible = [SLOW[name]() for name in wanted if SLOW[name].possible(outputs)]
    found = {variable.name: variable.values(outputs, progress=progress) for variable in possible}
    return replace(inputs, scores={**inputs.scores, **found})


def write_order(inputs: Inputs, order: Priority, path: Path) -> None:
    """Writes ORDER.csv: row, failed (1 / 0), probability of the predicted class, the reason and the file's name, by priority.

    Where the truth is not known, ``failed`` is empty, for the tester to fill in. For a regression ``probability`` holds the
    severity of the error (``error_severity``), which the metrics take in its place.
    """
    failed = None if inputs.losses is None else inputs.task.failed(inputs.losses)
    severity = _severity(inputs)
    named = inputs.names is not None
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        lines = SpreadsheetWriter(text)
        lines.writerow((*COLUMNS, NAME) if named else COLUMNS)
        for start in range(0, len(order.rows), AT_A_TIME):
            rows = order.rows[start : start + AT_A_TIME]
            columns: list[Iterable[object]] = [
                rows.tolist(),
                repeat("") if failed is None else failed[rows].astype(np.int8).tolist(),
                repeat("") if severity is None else severity[rows].tolist(),
                order.reasons[start : start + AT_A_TIME],
            ]
            if named:
                columns.append([inputs.name_of(row) for row in rows.tolist()])
            lines.writerows(zip(*columns, strict=False))  # what is not known has no end
        text.detach()  # flushes it; the file is closed by whoever opened it


def _severity(inputs: Inputs) -> NDArray[np.float64] | None:
    """What takes the place of the probability of each row, (N,); None where nothing is known."""
    if inputs.confidence is not None:
        return inputs.confidence
    if inputs.task.numeric and inputs.losses is not None and inputs.task.tolerance > 0:
        errors = inputs.task.errors(inputs.losses)
        return error_severity(errors, tolerance=inputs.task.tolerance)
    return None


@dataclass(frozen=True, eq=False)
class Order:
    """``failed`` (n,) bool and ``probability`` (n,) in [0, 1], in order of priority."""

    failed: NDArray[np.bool_]
    probability: NDArray[np.float64]


def read_order(path: Path, tell: Tell = warnings.warn) -> Order:
    """The order in an ORDER.csv; BadInput where a column is missing, a cell has another kind of value or a row occurs twice.

    ``tell`` is called with what a file was taken for that is not in UTF-8 with commas.
    """
    try:
        names, *cells = table_lines(path, tell) or [[]]
    except FileNotFoundError:
        raise BadInput(
            f"There is no file {path}. Expected an order with the columns failed and probability. Check the path."
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} is not a readable CSV file ({error}). Export it again as UTF-8 CSV.") from None
    header = [name.strip().lower() for name in names]
    if header.count("failed") != 1 or header.count("probability") != 1:
        raise BadInput(
            f"{path} has the columns {', '.join(header) or 'none'}. Expected failed (1 / 0) and probability (0..1), once "
            "each. Rename or add columns."
        )
    lines = [dict(zip(header, line, strict=False)) for line in cells]
    if not lines:
        raise BadInput(f"{path} has no inputs, only a header. Expected a line for each input. Export it again.")
    failed = np.empty(len(lines), dtype=bool)
    probability = np.empty(len(lines))
    seen: set[str] = set()
    for position, line in enumerate(lines):
        cell = line.get("failed", "").strip().lower()
        if cell not in ("0", "1", "0.0", "1.0", "true", "false"):
            raise BadInput(f"Line {position + 2} of {path}: failed is {cell!r:.40}. Expected 1 or 0. Correct it.")
        failed[position] = cell in ("1", "1.0", "true")
        probability[position] = _probability(line.get("probability", ""), position + 2, path)
        row = line.get("row", "").strip()
        if row and row in seen:
            raise BadInput(f"Row {row} appears twice in {path}. Expected each input once. Remove one.")
        seen.add(row)
    return Order(failed, probability)


def _probability(cell: str, number: int, path: Path) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1:
        raise BadInput(
            f"Line {number} of {path}: probability is {cell!r:.40}. Expected a number between 0 and 1. Correct it."
        )
    return value
