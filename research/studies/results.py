"""The numbers of the jobs, found by subject, technique, auxiliary variable, variant and budget."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from research.studies.runs import LOOKS, Job
from research.studies.study_subjects import losses_of
from testimate.estimators.intervals import korn_graubard
from testimate.studies.study_rows import spread_of_srs


@dataclass(frozen=True)
class Cell:
    """The result of one technique at one budget on one subject; ``errors`` of the first campaigns."""

    rmse: float
    exact: bool
    rmedse: float
    bias: float
    bias_se: float | None
    failures: float
    repetitions: int
    held: float | None
    held_korn_graubard: float | None
    beyond: list[float] | None
    errors: list[float]


class Results:
    """The results of jobs, by subject, technique, auxiliary variable, variant and budget."""

    def __init__(self, found: Mapping[Job, Mapping[str, Any]]) -> None:
        self._cells: dict[tuple[Any, ...], Cell] = {}
        self.watched: dict[tuple[str, str], Mapping[str, Any]] = {}
        self.phases: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        self.speed: Mapping[str, float] = {}
        self.cpu = sum(float(one["cpu"]) for one in found.values())
        for job, one in found.items():
            numbers = one["found"]
            if job.kind == "watched":
                self.watched[job.subject, job.technique] = numbers
            elif job.kind == "speed":
                self.speed = numbers
            elif job.kind == "phases":
                for budget, said in numbers.items():
                    self.phases[job.subject, job.technique, job.variant, int(budget), job.options] = said
            else:
                for budget, said in numbers.items():
                    key = (job.subject, job.technique, job.auxiliary, job.variant, int(budget), job.options)
                    self._cells[key] = _cell(said)
        for (subject, technique), watched in self.watched.items():
            self._add_watched(subject, technique, watched)

    def _add_watched(self, subject: str, technique: str, watched: Mapping[str, Any]) -> None:
        """The watched campaigns, of other seeds, count too where there is no formula."""
        for place, budget in enumerate(LOOKS):
            key = (subject, technique, "confidence", None, budget, ())
            cell = self._cells.get(key)
            if cell is None or cell.exact or cell.held is None or cell.repetitions > len(cell.errors):
                continue
            more = np.array(watched["accuracy"])[:, place] - watched["truth"]
            errors = np.concatenate([cell.errors, more])
            own = cell.repetitions / len(errors)
            cautious = cell.held_korn_graubard
            if cautious is not None:
                cautious = own * cautious + (1 - own) * held_by_korn_graubard(watched, place)
            self._cells[key] = replace(
                cell,
                rmse=float(np.sqrt(np.mean(errors**2))),
                rmedse=float(np.sqrt(np.median(errors**2))),
                bias=float(errors.mean()),
                bias_se=float(errors.std(ddof=1) / np.sqrt(len(errors))),
                repetitions=len(errors),
                held=own * cell.held + (1 - own) * held_of(watched, place),
                held_korn_graubard=cautious,
            )

    def cell(
        self,
        subject: str,
        technique: str,
        auxiliary: str,
        budget: int,
        variant: str | None = None,
        options: tuple[tuple[str, Any], ...] = (),
    ) -> Cell | None:
        """The cell, or None where it was not run."""
        return self._cells.get((subject, technique, auxiliary, variant, budget, options))

    def need(self, subject: str, technique: str, auxiliary: str, budget: int, variant: str | None = None) -> Cell:
        """The cell, which was run."""
        return self._cells[subject, technique, auxiliary, variant, budget, ()]


def held_of(watched: Mapping[str, Any], place: int) -> float:
    """Share of watched campaigns whose ordinary interval held the truth at a look."""
    low, high = np.array(watched["ordinary"])[:, place].T
    return float(np.mean((low <= watched["truth"] + 1e-12) & (high >= watched["truth"] - 1e-12)))


def held_by_korn_graubard(watched: Mapping[str, Any], place: int) -> float:
    """The same for the Korn-Graubard interval, whose effective n follows from the width of Wilson's."""
    low, high = np.array(watched["ordinary"])[:, place].T
    rate, half = 1 - np.array(watched["accuracy"])[:, place], (high - low) / 2
    # Wilson's half-width solved for x = z^2 / n: (h^2 - 1/4) x^2 + (2 h^2 - p (1 - p)) x + h^2 = 0
    a, b, c = half**2 - 0.25, 2 * half**2 - rate * (1 - rate), half**2
    x = (-b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    ends = [korn_graubard(float(p), float(ndtri(0.975) ** 2 / one)) for p, one in zip(rate, x, strict=True)]
    truth = 1 - watched["truth"]
    return float(np.mean([one.low - 1e-12 <= truth <= one.high + 1e-12 for one in ends]))


def _cell(one: Mapping[str, Any]) -> Cell:
    exact = one["exact"]
    return Cell(
        rmse=float(exact if exact is not None else one["rmse"]),
        exact=exact is not None,
        rmedse=one["rmedse"],
        bias=one["bias"],
        bias_se=one["bias_se"],
        failures=one["failures"],
        repetitions=one["repetitions"],
        held=one["held"],
        held_korn_graubard=one.get("held_korn_graubard"),
        beyond=one["beyond"],
        errors=one["errors"],
    )


def srs_error(subject: str, budget: int) -> float:
    """The exact error of simple random sampling without replacement."""
    return spread_of_srs(losses_of(subject), budget)
