"""coverage.json line by line: what was measured where, which demand it is held against, and whether it meets it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from research.studies.interval_suite import POPULATIONS
from testimate.core.words import commas

USUAL, FEW, SMALL, EDGE = "usual", "few failures", "small sets", "edges"
WANTED = {USUAL: 0.93, FEW: 0.88, SMALL: 0.90}
"""What the ordinary interval must reach in the worst cell of a kind, to be called honest."""


CAREFUL = 0.95
NOISE = 3.0
"""Standard errors by which a simulated share may fall short."""


HIDDEN = frozenset(population.name for population in POPULATIONS if population.hidden)
PASS_OR_FAIL = frozenset(population.name for population in POPULATIONS)
Numbers = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class CoverageLine:
    """One line of coverage.json: what was measured, where, after how many labels."""

    what: str
    population: str
    size: int
    labels: int
    numbers: Mapping[str, float]

    @property
    def kind(self) -> str:
        """Which demand it is held against."""
        if self.size < 1000:
            return SMALL
        if not 100 <= self.labels <= 400:
            return EDGE
        return FEW if self.population in HIDDEN or self.numbers.get("failures", np.inf) < 3 else USUAL

    @property
    def place(self) -> str:
        """For people."""
        return f"{self.population}, {commas(self.labels)} of {commas(self.size)}"

    @property
    def close(self) -> bool:
        """Whether noise alone could turn what is said about it: a share lies too little above what is wanted, or below."""
        demands = [(self.numbers["careful_held"], CAREFUL)]
        demands += [] if self.kind == EDGE else [(self.numbers["held"], WANTED[self.kind])]
        return any(share < wanted + NOISE * self._error(wanted) for share, wanted in demands)

    def reaches(self, share: float, wanted: float) -> bool:
        """Whether a share of the campaigns is at least ``wanted``, but for noise; sums over all outcomes have none."""
        return bool(share >= wanted - NOISE * self._error(wanted) - 1e-9)

    def noise_of(self, name: str) -> str:
        """The standard error of a share, in points, and the campaigns behind it, for people; empty where there is none."""
        campaigns = int(self.numbers["campaigns"])
        return f" ± {100 * self._error(self.numbers[name]):.1f} ({commas(campaigns)})" if campaigns > 1 else ""

    def _error(self, share: float) -> float:
        """Standard error of a share of the campaigns; 0 for a sum over all outcomes."""
        campaigns = self.numbers["campaigns"]
        return 0.0 if campaigns == 1 else float(np.sqrt(share * (1 - share) / campaigns))


def all_found(numbers: Numbers) -> list[CoverageLine]:
    """The lines of coverage.json."""
    found = []
    for key, one in numbers.items():
        what, *population, size, labels = key.split(", ")
        found.append(CoverageLine(what, ", ".join(population), int(size), int(labels), one))
    return found
