"""What the points of a map are shaded by: confidence, or an auxiliary variable."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.charts.untrusted import safe_text


@dataclass(frozen=True)
class Scale:
    """A number per point as a shade: what it is called, what it is multiplied by, and which end is the doubtful one."""

    name: str
    title: str
    factor: float
    low_is_doubtful: bool

    def doubt(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values so that larger is more doubtful, (n,)."""
        return -values if self.low_is_doubtful else values

    def ends(self, numbers: NDArray[np.float64]) -> tuple[float, float]:
        """Where the shades begin and end: confidence at 50 % at most and 100 %, others without their outermost tails."""
        if self.low_is_doubtful:
            return float(min(numbers.min(), 50)), 100.0
        low, high = np.quantile(numbers, [0.01, 0.99])
        return float(low), float(high if high > low else low + 1)


def confidence_scale() -> Scale:
    """Confidence in percent; the unsure stand out."""
    return Scale("confidence", "confidence (%)", 100.0, low_is_doubtful=True)


def variable_scale(name: str) -> Scale:
    """An auxiliary variable, untrusted text; large values, which foretell failure, stand out."""
    return Scale(safe_text(name), f"{safe_text(name)} (no unit)", 1.0, low_is_doubtful=False)
