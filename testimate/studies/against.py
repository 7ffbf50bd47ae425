"""The techniques of a study against one of them: over campaigns, over budgets, and over several subjects by their kind."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.structure.two_samples import Smaller, smaller_errors
from testimate.studies.study_rows import StudyRow
from testimate.tables.lines import table_lines

Place = tuple[str, str | None, str | None, int]
"""A row among those of one subject: technique, auxiliary variable, variant, budget."""


@dataclass(frozen=True)
class Against:
    """A technique against another.

    Attributes
    ----------
    technique, auxiliary, variant : of the row. budget : None where all budgets count.
    subjects : which are compared; "" for campaigns of one subject.
    pairs : how many.
    smaller : whether its errors are smaller.
    """

    technique: str
    auxiliary: str | None
    variant: str | None
    budget: int | None
    subjects: str
    pairs: int
    smaller: Smaller

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, the test's beside the others."""
        own = asdict(self)
        return {**{name: value for name, value in own.items() if name != "smaller"}, **own["smaller"]}


def against(rows: Sequence[StudyRow], other: str) -> list[Against]:
    """Each row against the other technique at the same budget, campaign by campaign; then all budgets, row by row.

    BadInput if the other technique is not among the rows, or a row was kept before its errors were.
    """
    found = []
    for row, base in _paired(rows, other):
        if not (row.errors and base.errors):
            raise BadInput(
                "The --resume FILE was written by an earlier version. Expected the error of each campaign. Name a new file."
            )
        smaller = smaller_errors(row.errors, base.errors)
        found.append(Against(*_place(row), "", max(len(row.errors), len(base.errors)), smaller))
    alike: dict[Any, list[tuple[StudyRow, StudyRow]]] = {}
    for row, base in _paired(rows, other):
        alike.setdefault(_place(row)[:3], []).append((row, base))
    for (technique, auxiliary, variant), pairs in alike.items():
        if len(pairs) > 1:
            smaller = smaller_errors([row.rmse for row, _ in pairs], [base.rmse for _, base in pairs])
            smaller = replace(smaller, gain_low=None, gain_high=None)  # budgets are no sample of any
            found.append(Against(technique, auxiliary, variant, None, "", len(pairs), smaller))
    return found


@dataclass(frozen=True)
class StudiedSubject:
    """A subject's study. ``kind`` : of its test inputs or task, in the words of who measured it."""

    kind: str
    rows: Sequence[StudyRow]

    @property
    def accuracy(self) -> float:
        """The true one."""
        return self.rows[0].truth


def read_study(setting: str) -> StudiedSubject:
    """The subject of a table that ``study --csv`` wrote, given as KIND=FILE.csv; BadInput for another file."""
    kind, equals, name = setting.partition("=")
    try:
        header, *lines = table_lines(Path(name), lambda _: None)
        rows = [_row(dict(zip(header, line, strict=True))) for line in lines]
    except (OSError, KeyError, ValueError, csv.Error, BadInput):
        rows = []
    if not (kind and equals and rows):
        raise BadInput(
            f"--among is {setting!r:.60}. Expected KIND=FILE.csv, a table that study --csv wrote. Write one for each test set."
        )
    return StudiedSubject(kind, rows)


def _row(line: Mapping[str, str]) -> StudyRow:
    """What the comparison of subjects needs of a line."""
    return StudyRow(
        technique=line["technique"],
        auxiliary=line["auxiliary"] or None,
        variant=line["variant"] or None,
        budget=int(line["budget"]),
        repetitions=int(line["repetitions"]),
        truth=float(line["truth"]),
        rmse=float(line["rmse"]),
        rmedse=float(line["rmedse"]),
        bias=float(line["bias"]),
        bias_standard_error=None,
        rmse_ratio_to_srs=None,
        failures_mean=float(line["failures_mean"]),
        failures_sd=None,
        coverage=None,
        width_mean=None,
        seconds=float(line["seconds"]),
    )


def over_subjects(subjects: Sequence[StudiedSubject], other: str) -> list[Against]:
    """Each row that all subjects have against the other technique, subject by subject: all of them, each kind, and the half
    with the higher and the half with the lower accuracy.

    Source: Chen et al. 2020, section 5.1, tables 4 to 7.
    """
    middle = float(np.median([one.accuracy for one in subjects]))
    parts = {"all": list(subjects)}
    for one in subjects:
        parts.setdefault(one.kind, []).append(one)
    parts["higher accuracy"] = [one for one in subjects if one.accuracy >= middle]
    parts["lower accuracy"] = [one for one in subjects if one.accuracy < middle]
    return [line for name, chosen in parts.items() if chosen for line in _over(chosen, other, name)]


def _over(subjects: Sequence[StudiedSubject], other: str, name: str) -> Iterable[Against]:
    paired = [{_place(row): (row.rmse, base.rmse) for row, base in _paired(one.rows, other)} for one in subjects]
    for place in paired[0]:
        if all(place in one for one in paired):
            own, theirs = zip(*(one[place] for one in paired), strict=True)
            yield Against(*place, name, len(own), smaller_errors(own, theirs, paired=True))


def _paired(rows: Sequence[StudyRow], other: str) -> list[tuple[StudyRow, StudyRow]]:
    """Each row of another technique with the other's at its budget, that of its auxiliary variable where there is one."""
    bases: dict[int, list[StudyRow]] = {}
    for row in rows:
        if row.technique == other:
            bases.setdefault(row.budget, []).append(row)
    if not bases:
        raise BadInput(
            f"--against is {other!r:.60}. Expected a technique of the study. Add --technique {other:.60}, or name another."
        )
    pairs = []
    for row in rows:
        if row.technique != other and row.budget in bases:
            alike = [base for base in bases[row.budget] if base.auxiliary == row.auxiliary]
            pairs.append((row, (alike or bases[row.budget])[0]))
    return pairs


def _place(row: StudyRow) -> Place:
    return row.technique, row.auxiliary, row.variant, row.budget


HEAD = ("technique", "auxiliary", "budget", "subjects", "pairs", "gain", "95% interval", "p", "A12")


def to_markdown(found: Sequence[Against], other: str) -> str:
    """A Markdown table of the comparisons, gains in percent."""
    lines = [f"Against {other}: gain of the error, one-sided p of Wilcoxon's test, Vargha and Delaney's A12.", ""]
    lines += [f"| {' | '.join(HEAD)} |", f"| {' | '.join('---' for _ in HEAD)} |"]
    for one in found:
        smaller = one.smaller
        ends = (
            "–"
            if smaller.gain_low is None or smaller.gain_high is None
            else f"{100 * smaller.gain_low:.1f} to {100 * smaller.gain_high:.1f}"
        )
        cells = (
            one.technique if one.variant is None else f"{one.technique}, {one.variant}",
            one.auxiliary or "–",
            "all" if one.budget is None else one.budget,
            one.subjects or "–",
            one.pairs,
            "–" if smaller.gain is None else f"{100 * smaller.gain:.1f}%",
            ends,
            f"{smaller.p_value:.2g}",
            f"{smaller.a12:.3f}",
        )
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return "\n".join(lines)
