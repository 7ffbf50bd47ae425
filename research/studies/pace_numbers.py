"""The errors and clusters that the sections on PACE take their numbers from."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.pace_runs import TOP, Line
from research.studies.pace_subjects import subject, top_losses

Found = Mapping[Line, Mapping[str, Any]]


class Page:
    """The results and the folder of the subjects, and the numbers that the sections take from them."""

    def __init__(self, found: Found, folder: Path) -> None:
        self.found, self.folder = found, folder

    def errors(self, line: Line, top: int = 1) -> NDArray[np.float64]:
        """Errors of the estimate in points, (repetitions, budgets)."""
        return np.asarray(100 * np.array(self.found[line]["errors"])[TOP.index(top)])

    def rms(self, line: Line, top: int = 1) -> NDArray[np.float64]:
        """Root of the mean squared error, which the paper calls MSE (eq. 6), (budgets,)."""
        return np.asarray(np.sqrt(np.square(self.errors(line, top)).mean(axis=0)))

    def mean(self, line: Line, top: int = 1) -> float:
        """Mean of that over the budgets."""
        return float(self.rms(line, top).mean())

    def losses(self, name: str, top: int = 1) -> NDArray[np.float64]:
        """Losses of a subject's inputs."""
        return top_losses(subject(self.folder, name), top)

    def clusters(self, line: Line) -> str:
        """How many clusters and how much minority space."""
        one = self.found[line]
        reduced = ", reduced" if one["reduced"] else ""
        reduced += ", k-means" if one["groups"] != "cluster" else ""
        return f"{one['clusters']}, {100 * one['noise']:.0f} %{reduced}"


def numbers(values: Iterable[float]) -> list[str]:
    """With two digits, and their mean."""
    listed = [float(value) for value in values]
    return [*(f"{value:.2f}" for value in listed), f"**{np.mean(listed):.2f}**"]
