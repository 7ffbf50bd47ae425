"""The range of half-widths in which a forecast came true on other networks, and the usual one."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class WidthRatio:
    """Width that came over the one expected from the confidence alone.

    Attributes
    ----------
    low, high : between these it lies on at least nine of ten networks of other data than those it was taken from.
    middle : as often above it as below.
    """

    low: float
    middle: float
    high: float


AS_EXPECTED = WidthRatio(1.0, 1.0, 1.0)
"""Where nothing was measured, or nothing is assumed about a network."""

FOUND: Mapping[tuple[str, bool, bool], WidthRatio] = MappingProxyType(
    {
        ("rra", True, False): WidthRatio(0.63, 1.06, 1.91),
        ("rra", False, False): WidthRatio(0.62, 1.10, 2.10),
        ("rrs", True, False): WidthRatio(0.53, 1.13, 2.81),
        ("rrs", False, False): WidthRatio(0.59, 1.06, 2.30),
        ("srs", True, False): WidthRatio(0.56, 1.19, 2.93),
        ("srs", False, False): WidthRatio(0.67, 1.06, 1.86),
        ("rrs", True, True): WidthRatio(0.51, 0.75, 1.09),
        ("rrs", False, True): WidthRatio(0.50, 0.71, 1.04),
        ("srs", True, True): WidthRatio(0.66, 0.86, 1.19),
        ("srs", False, True): WidthRatio(0.51, 0.76, 1.19),
    }
)
"""By technique, whether of the stop-safe interval, and whether other models help: ``research.studies.plan_range``, 200 labels
(decision 145). The forecast of rra with other models is the one without them, less what they save."""


def found_over_expected(technique: str, *, stop_safe: bool, helped: bool) -> WidthRatio:
    """What was measured of the technique's forecasts; ``AS_EXPECTED`` where nothing was.

    >>> found_over_expected("gbs", stop_safe=True, helped=False)
    WidthRatio(low=1.0, middle=1.0, high=1.0)
    """
    return FOUND.get((technique, stop_safe, helped and technique != "rra"), AS_EXPECTED)
