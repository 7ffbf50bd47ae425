"""What this project's studies (docs/studies) measured, from the file that `make study` writes beside their pages."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PAGE = "docs/studies/deepsample.md"

Figures = dict[str, tuple[float, ...]]
"""By technique, one number for each subject."""


@dataclass(frozen=True)
class RelativeResult:
    """A technique's RMSE and failures found on a subject at 200 labels, relative to simple random sampling."""

    error: float
    failures: float


@dataclass(frozen=True)
class Evidence:
    """Every figure and finding that the product shows.

    Attributes
    ----------
    subjects : what was measured, by kind of case: D and CN12 are networks on CIFAR-10, G one on CIFAR-100, the LeNets
        read MNIST, DO steers. Accuracies of D, G, CN12, LeNet-1 and LeNet-5: 72, 81, 66, 95 and 99 %.
    figures : by kind of case, technique and subject.
    picks : by "12+8" or "10+10" (random draws and picks in a round of rra) and subject: error over simple random sampling's
        and faults found in 200 labels (docs/studies/prioritizers.md).
    faults_of_200 : faults among 200 labels of srs and rrs on D, G and CN12 with confidence (docs/studies/deepsample.md, RQ2).
    stop_safe : by labels, half-width of the stop-safe 95 % interval in points on D, G and CN12 (docs/studies/numbers.md).
    error_by_labels : by labels, RMSE over simple random sampling's on D, G and CN12 with confidence (the same page).
    severe : by kind of case, severe fault detection rate in percent, with as many labels as faults
        (docs/studies/prioritizers.md).
    findings : sentences of the study pages, by what they are about.
    """

    subjects: dict[str, tuple[str, ...]]
    figures: dict[str, dict[str, tuple[RelativeResult, ...]]]
    picks: dict[str, dict[str, tuple[float, float]]]
    faults_of_200: Figures
    stop_safe: dict[int, Figures]
    error_by_labels: dict[int, Figures]
    severe: dict[str, Figures]
    findings: dict[str, str]

    def measured(self, case: str, technique: str) -> dict[str, RelativeResult]:
        """The figures of a technique by subject, for a kind of case; empty where there are none."""
        found = self.figures.get(case, {}).get(technique, ())
        return dict(zip(self.subjects.get(case, ()), found, strict=False))

    def nearest_budget(self, budget: int) -> int:
        """The number of labels nearest to the budget, by ratio, at which techniques were measured.

        >>> evidence().nearest_budget(60), evidence().nearest_budget(5000)
        (50, 800)
        """
        return min(self.stop_safe, key=lambda labels: max(labels / budget, budget / labels))


@cache
def evidence() -> Evidence:
    """The evidence that came with this version."""
    stored: dict[str, Any] = json.loads(Path(__file__).with_name("evidence.json").read_text(encoding="utf-8"))
    return Evidence(
        subjects={case: tuple(names) for case, names in stored["subjects"].items()},
        figures={
            case: {name: tuple(RelativeResult(*one) for one in pairs) for name, pairs in techniques.items()}
            for case, techniques in stored["figures"].items()
        },
        picks={
            picks: {name: (error, faults) for name, (error, faults) in subjects.items()}
            for picks, subjects in stored["picks"].items()
        },
        faults_of_200=_figures(stored["faults of 200"]),
        stop_safe={int(labels): _figures(found) for labels, found in stored["stop-safe"].items()},
        error_by_labels={int(labels): _figures(found) for labels, found in stored["error by labels"].items()},
        severe={case: _figures(found) for case, found in stored["severe"].items()},
        findings=dict(stored["findings"]),
    )


def _figures(stored: dict[str, list[float]]) -> Figures:
    return {technique: tuple(numbers) for technique, numbers in stored.items()}
