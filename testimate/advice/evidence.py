"""What this project's studies (docs/studies) and DeepSample's tables 10 and 11 measured: what the advice rests on.

``make study`` writes the figures of the studies beside their pages; tests compare the paper's tables with the counts in its
text.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

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
        read MNIST, DO steers. Accuracies of D, G, CN12, LeNet-1 and LeNet-5: 72, 81, 66, 95 and 99%.
    figures : by kind of case, technique and subject.
    picks : by "12+8" or "4+16" (random draws and picks in a round of rra) and subject: error over simple random sampling's
        and faults found in 200 labels (docs/studies/prioritizers.md).
    faults_of_200 : faults among 200 labels of srs and rrs on D, G and CN12 with confidence (docs/studies/deepsample.md, RQ2).
    stop_safe : by labels, half-width of the stop-safe 95% interval in points on D, G and CN12 (docs/studies/numbers.md).
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


Row = Literal["RMSE", "RMedSE", "failures", "T RMSE", "T RMedSE"]
"""The rows of table 10: the error, the error but for outliers, failures exposed, and the trade-offs of both with failures."""

Three = tuple[str, str, str]

TABLE_10: dict[str, dict[Row, Three]] = {
    "classification": {
        "RMSE": ("gbs", "ssrs", "sups"),
        "RMedSE": ("ssrs", "gbs", "srs"),
        "failures": ("deepest", "sups", "rhc-s"),
        "T RMSE": ("sups", "rhc-s", "deepest"),
        "T RMedSE": ("sups", "rhc-s", "deepest"),
    },
    "regression": {
        "RMSE": ("ces", "ssrs", "rhc-s"),
        "RMedSE": ("ssrs", "sups", "rhc-s"),
        "failures": ("ssrs", "sups", "gbs"),
        "T RMSE": ("ssrs", "sups", "rhc-s"),
        "T RMedSE": ("ssrs", "sups", "rhc-s"),
    },
    "50 to 200 labels": {
        "RMSE": ("ssrs", "gbs", "sups"),
        "RMedSE": ("ssrs", "srs", "sups"),
        "failures": ("deepest", "rhc-s", "sups"),
        "T RMSE": ("rhc-s", "sups", "ssrs"),
        "T RMedSE": ("rhc-s", "sups", "ssrs"),
    },
    "400 and 800 labels": {
        "RMSE": ("gbs", "ssrs", "srs"),
        "RMedSE": ("ssrs", "gbs", "srs"),
        "failures": ("sups", "deepest", "2-ups"),
        "T RMSE": ("sups", "rhc-s", "gbs"),
        "T RMedSE": ("sups", "rhc-s", "ssrs"),
    },
    "low accuracy": {
        "RMSE": ("gbs", "ssrs", "srs"),
        "RMedSE": ("ssrs", "gbs", "srs"),
        "failures": ("rhc-s", "2-ups", "deepest"),
        "T RMSE": ("sups", "rhc-s", "gbs"),
        "T RMedSE": ("sups", "rhc-s", "gbs"),  # third place shared with 2-ups
    },
    "high accuracy": {
        "RMSE": ("ssrs", "rhc-s", "sups"),
        "RMedSE": ("ssrs", "rhc-s", "sups"),
        "failures": ("deepest", "sups", "rhc-s"),
        "T RMSE": ("sups", "ssrs", "rhc-s"),
        "T RMedSE": ("sups", "ssrs", "rhc-s"),
    },
    "confidence": {
        "RMSE": ("ssrs", "gbs", "srs"),
        "RMedSE": ("ssrs", "gbs", "srs"),
        "failures": ("sups", "2-ups", "rhc-s"),
        "T RMSE": ("sups", "rhc-s", "2-ups"),
        "T RMedSE": ("sups", "rhc-s", "2-ups"),
    },
    "lsa, classification": {
        "RMSE": ("gbs", "sups", "rhc-s"),
        "RMedSE": ("ssrs", "gbs", "srs"),
        "failures": ("deepest", "rhc-s", "sups"),
        "T RMSE": ("rhc-s", "sups", "deepest"),
        "T RMedSE": ("rhc-s", "sups", "deepest"),
    },
    "dsa": {
        "RMSE": ("sups", "gbs", "ssrs"),
        "RMedSE": ("sups", "gbs", "ssrs"),
        "failures": ("deepest", "2-ups", "sups"),
        "T RMSE": ("sups", "rhc-s", "deepest"),
        "T RMedSE": ("sups", "rhc-s", "deepest"),
    },
    "lsa, regression": {
        "RMSE": ("ssrs", "rhc-s", "sups"),
        "RMedSE": ("ssrs", "sups", "rhc-s"),
        "failures": ("ssrs", "sups", "2-ups"),
        "T RMSE": ("ssrs", "rhc-s", "sups"),
        "T RMedSE": ("ssrs", "sups", "rhc-s"),
    },
    "vae": {
        "RMSE": ("ces", "srs", "rhc-s"),
        "RMedSE": ("srs", "ssrs", "rhc-s"),
        "failures": ("gbs", "ssrs", "sups"),
        "T RMSE": ("ssrs", "ces", "sups"),
        "T RMedSE": ("ssrs", "sups", "gbs"),
    },
    "sae": {
        "RMSE": ("srs", "ces", "ssrs"),
        "RMedSE": ("ssrs", "rhc-s", "ces"),
        "failures": ("gbs", "deepest", "rhc-s"),
        "T RMSE": ("ces", "srs", "rhc-s"),
        "T RMedSE": ("ssrs", "rhc-s", "sups"),
    },
}
"""DeepSample, table 10: the three techniques most often among the best three, by breakdown and row, the first one first.

Tables 10a to 10d are the breakdowns by task, budget, accuracy (low: CIFAR-10 and CIFAR-100, 57 to 79%; high: MNIST, 90 to
95%, and Udacity) and auxiliary variable.
"""

TABLE_11: dict[str, dict[str, tuple[int, int, int]]] = {
    "classification": {"confidence": (73, 82, 243), "lsa": (85, 82, 8), "dsa": (112, 106, 19)},
    "regression": {"lsa": (35, 30, 52), "vae": (12, 17, 7), "sae": (13, 13, 1)},
}
"""DeepSample, table 11: how often an auxiliary variable gives the best RMSE, RMedSE and number of failures, of 270
configurations (60 for regression)."""


def place(technique: str, breakdown: str, row: Row) -> int | None:
    """The technique's place, 1 to 3, in a column of table 10; None where it is not among the best three.

    >>> place("sups", "confidence", "failures")
    1
    """
    three = TABLE_10[breakdown][row]
    return three.index(technique) + 1 if technique in three else None
