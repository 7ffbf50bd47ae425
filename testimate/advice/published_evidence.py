"""DeepSample's tables 10 and 11: which techniques and auxiliary variables the paper found best, by kind of case.

Tests compare the tables with the counts given in the paper's text.
"""

from typing import Literal

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

Tables 10a to 10d are the breakdowns by task, budget, accuracy (low: CIFAR-10 and CIFAR-100, 57 to 79 %; high: MNIST, 90 to
95 %, and Udacity) and auxiliary variable.
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
