"""The errors and misses that the sections on our own numbers share."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from research.studies.jobs import BUDGETS, LOOKS
from research.studies.results import Results, srs_error

TABLES = ("D", "G", "CN12")

PAPERS = ("srs", "css", "ssrs", "sups", "rhc-s", "2-ups", "deepest")
"""The unbiased techniques of the papers."""

N = 200


def ratios(results: Results, technique: str) -> dict[tuple[str, int], float]:
    """Error over that of simple random sampling, by subject and budget."""
    return {
        (subject, budget): results.need(subject, technique, "confidence", budget).rmse / srs_error(subject, budget)
        for subject in TABLES
        for budget in BUDGETS
    }


def best_of_papers(results: Results, subject: str, budget: int) -> tuple[float, str]:
    """The least ratio among the papers' unbiased techniques, and whose it is."""
    found = [(results.need(subject, name, "confidence", budget).rmse, name) for name in PAPERS]
    rmse, name = min(found)
    return rmse / srs_error(subject, budget), name


def watched_numbers(watched: Mapping[str, Any], labels: int = N) -> tuple[float, float, float]:
    """Share of campaigns in which the always-valid interval ever missed; its width and Wilson's at some of ``LOOKS``."""
    truth, place = watched["truth"], LOOKS.index(labels)
    always, ordinary = np.array(watched["always"]), np.array(watched["ordinary"])
    return (
        ever_missed(always, truth),
        float(np.diff(always[:, place]).mean()),
        float(np.diff(ordinary[:, place]).mean()),
    )


def ever_missed(ends: np.ndarray, truth: float) -> float:
    """Share of campaigns (R, k, 2) in which the interval missed at a look at least."""
    return float(((ends[:, :, 0] > truth + 1e-12) | (ends[:, :, 1] < truth - 1e-12)).any(axis=1).mean())
