"""What this project's studies (docs/studies) measured of the techniques; tests hold the figures against those pages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """A technique on a subject at 200 labels, over simple random sampling: its RMSE, and the failures among the labels."""

    error: float
    failures: float


SUBJECTS: dict[str, tuple[str, ...]] = {
    "confidence": ("D", "G", "CN12"),
    "confidence, high accuracy": ("LeNet-1", "LeNet-5"),
    "dsa": ("D", "G", "CN12"),
    "lsa": ("D", "G"),
    "regression, lsa": ("DO",),
    "regression, vae": ("DO",),
    "regression, sae": ("DO",),
}
"""What our figures are of, by kind of case: D and CN12 are networks on CIFAR-10, G one on CIFAR-100, the LeNets read MNIST, DO
steers. Their accuracies are 72, 81, 66, 95 and 99 %."""

_FIGURES: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "confidence": {
        "rrs": ((0.83, 1.24), (0.85, 1.46), (0.78, 1.71)),
        "ssrs": ((0.84, 1.29), (1.07, 1.60), (0.89, 1.89)),
        "rra": ((0.82, 1.21), (0.80, 1.17), (0.76, 1.44)),
        "gbs": ((0.86, 1.21), (0.90, 1.09), (0.84, 1.37)),
        "sups": ((1.26, 1.76), (2.53, 2.09), (1.91, 2.81)),
        "rhc-s": ((1.25, 1.75), (2.51, 2.08), (1.89, 2.77)),
        "2-ups": ((1.30, 1.75), (2.67, 2.07), (2.05, 2.79)),
        "css": ((1.62, 1.83), (1.64, 1.86), (1.42, 2.38)),
        "deepest": ((1.45, 1.81), (2.01, 1.97), (1.65, 2.66)),
    },
    "confidence, high accuracy": {
        "rrs": ((0.65, 1.89), (0.39, 5.43)),
        "ssrs": ((0.62, 2.42), (0.37, 7.17)),
        "rra": ((0.66, 2.14), (0.39, 5.61)),
        "gbs": ((0.65, 2.20), (0.46, 4.12)),
        "sups": ((0.74, 5.09), (0.36, 20.16)),
        "rhc-s": ((0.74, 4.82), (0.36, 15.94)),
        "2-ups": ((0.76, 5.08), (0.50, 20.07)),
        "css": ((0.74, 3.65), (0.46, 3.99)),
        "deepest": ((1.28, 6.50), (1.45, 24.36)),
        "ces": ((1.00, 0.98), (0.99, 1.04)),
    },
    "dsa": {
        "rrs": ((0.91, 1.09), (0.80, 1.30), (0.85, 1.15)),
        "ssrs": ((0.97, 1.03), (0.84, 1.28), (0.92, 1.13)),
        "rra": ((0.87, 1.08), (0.69, 1.09), (0.76, 1.15)),
        "gbs": ((0.96, 1.10), (0.81, 1.20), (0.87, 1.22)),
        "sups": ((0.93, 1.18), (0.90, 1.57), (0.88, 1.28)),
        "rhc-s": ((0.93, 1.18), (0.89, 1.56), (0.88, 1.25)),
        "2-ups": ((0.93, 1.18), (0.89, 1.56), (0.88, 1.28)),
        "css": ((1.70, 1.54), (1.63, 1.91), (1.55, 2.01)),
        "deepest": ((2.18, 1.70), (2.35, 2.05), (2.15, 2.45)),
    },
    "lsa": {
        "rrs": ((1.01, 1.01), (0.90, 1.53)),
        "ssrs": ((1.04, 1.00), (0.93, 1.53)),
        "rra": ((1.05, 1.01), (0.89, 1.08)),
        "gbs": ((1.06, 1.01), (0.87, 1.15)),
        "sups": ((1.08, 1.02), (1.72, 2.02)),
        "rhc-s": ((1.07, 1.04), (1.71, 2.00)),
        "2-ups": ((1.07, 1.03), (1.79, 1.99)),
        "css": ((1.80, 1.03), (1.64, 1.86)),
        "deepest": ((2.16, 1.21), (2.35, 2.09)),
    },
    "regression, lsa": {
        "rrs": ((0.73, 1.34),),
        "ssrs": ((0.66, 1.65),),
        "gbs": ((0.65, 1.82),),
        "sups": ((0.78, 1.68),),
        "rhc-s": ((0.77, 1.64),),
        "2-ups": ((0.77, 1.67),),
        "css": ((0.95, 3.01),),
        "deepest": ((1.62, 6.12),),
    },
    "regression, vae": {
        "rrs": ((1.00, 1.02),),
        "ssrs": ((1.05, 0.98),),
        "sups": ((1.02, 1.01),),
        "rhc-s": ((1.01, 0.99),),
        "deepest": ((1.84, 1.31),),
    },
    "regression, sae": {
        "rrs": ((1.00, 0.96),),
        "ssrs": ((1.04, 0.94),),
        "sups": ((1.05, 0.98),),
        "rhc-s": ((1.03, 1.01),),
        "deepest": ((2.18, 0.84),),
    },
}

PAGE = "docs/studies/deepsample.md"

TWO_STREAMS: dict[str, tuple[float, float]] = {"D": (1.24, 98.9), "G": (1.12, 122.8), "CN12": (0.89, 98.2)}
"""rra with 12 random draws and 8 picks a round, 200 labels: error over simple random sampling, faults found
(docs/studies/prioritizers.md)."""

TEN_PICKS: dict[str, tuple[float, float]] = {"D": (1.25, 104.8), "G": (1.14, 134.3), "CN12": (1.32, 102.1)}
"""The same with 10 random draws and 10 picks a round."""

FAULTS_OF_200 = {"srs": (56.9, 67.4, 38.7), "rrs": (70.4, 98.1, 66.2)}
"""Faults among 200 labels on D, G and CN12 with confidence (docs/studies/deepsample.md, RQ2)."""

STOP_SAFE: dict[int, dict[str, tuple[float, float, float]]] = {
    50: {"rrs": (16.79, 17.73, 14.70), "rra": (17.46, 16.64, 13.82)},
    100: {"rrs": (10.93, 12.18, 9.56), "rra": (10.90, 10.96, 8.76)},
    200: {"rrs": (7.45, 8.36, 6.36), "rra": (7.09, 7.66, 5.89)},
    400: {"rrs": (5.24, 5.87, 4.36), "rra": (4.84, 5.35, 4.16)},
    800: {"rrs": (3.75, 4.13, 3.13), "rra": (3.41, 3.76, 2.94)},
}
"""Half-width of the stop-safe 95 % interval in points on D, G and CN12, by labels (docs/studies/numbers.md)."""

ERROR_BY_LABELS: dict[int, dict[str, tuple[float, float, float]]] = {
    50: {"rrs": (0.828, 0.853, 0.783), "rra": (0.831, 0.825, 0.763)},
    100: {"rrs": (0.828, 0.853, 0.783), "rra": (0.820, 0.813, 0.752)},
    200: {"rrs": (0.828, 0.853, 0.782), "rra": (0.823, 0.801, 0.756)},
    400: {"rrs": (0.828, 0.854, 0.781), "rra": (0.790, 0.783, 0.778)},
    800: {"rrs": (0.827, 0.855, 0.778), "rra": (0.810, 0.776, 0.773)},
}
"""RMSE over simple random sampling's on D, G and CN12 with confidence, by labels (docs/studies/numbers.md)."""

SEVERE: dict[str, dict[str, tuple[float, ...]]] = {
    "confidence": {
        "severity-first": (33.18, 48.31, 34.37),
        "dsa": (16.33, 19.49, 16.65),
        "confidence": (9.87, 13.32, 9.02),
    },
    "confidence, high accuracy": {
        "severity-first": (32.78, 32.42),
        "dsa": (19.41, 18.10),
        "confidence": (7.32, 5.31),
        "deepgini": (7.38, 6.47),
    },
}
"""Severe fault detection rate in percent, with as many labels as faults, on the subjects of ``SUBJECTS``
(docs/studies/prioritizers.md)."""


def measured(case: str, technique: str) -> dict[str, Measured]:
    """Our figures of a technique by subject, for a kind of case of ``SUBJECTS``; empty where there are none."""
    figures = _FIGURES.get(case, {}).get(technique, ())
    return {subject: Measured(*one) for subject, one in zip(SUBJECTS.get(case, ()), figures, strict=False)}


def nearest_budget(budget: int) -> int:
    """The number of labels nearest to the budget, by ratio, at which techniques were measured.

    >>> nearest_budget(60), nearest_budget(5000)
    (50, 800)
    """
    return min(STOP_SAFE, key=lambda labels: max(labels / budget, budget / labels))
