"""An estimate: the whole set's accuracy with what is honestly known around it."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """Accuracy (1 - mean loss) of the whole set, with its intervals where the design has honest ones.

    Attributes
    ----------
    accuracy : 1 - estimated mean loss; clipped to [0, 1] for classification, never inside the estimator.
    standard_error : of the mean loss; None where there is no guarantee.
    low, high : ends of the ordinary interval at ``level``, good at a size fixed in advance; None where there is none. They
        hold whatever the skipped draws would turn out to be, where that makes a difference (``settled_low``).
    always_low, always_high : ends of the always-valid interval: right at all times at once, whenever one stops.
    level : 0..1, the same for both intervals.
    labeled, skipped : settled draws, and draws nobody could settle (yet).
    skipped_low, skipped_high : the accuracy if every skipped draw were wrong, or right; None when none was skipped.
    settled_low, settled_high : the ends from the settled draws alone, as if the skipped ones were like them; None unless the
        skipped ones widened ``low`` and ``high``.
    method : name of the estimator and interval, for the report.
    design : kind of the design.
    why : why low and high are None, or why they and the accuracy stand at an earlier label, or why they are approximate; else
        empty.
    """

    accuracy: float
    standard_error: float | None
    low: float | None
    high: float | None
    level: float
    labeled: int
    skipped: int
    method: str
    design: str
    always_low: float | None = None
    always_high: float | None = None
    skipped_low: float | None = None
    skipped_high: float | None = None
    settled_low: float | None = None
    settled_high: float | None = None
    why: str = ""

    @property
    def half_width(self) -> float | None:
        """Half the width of the ordinary interval, or None."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def settled_half_width(self) -> float | None:
        """Half the width that the ordinary interval would have if the skipped draws were like the others, or None."""
        if self.settled_low is None or self.settled_high is None:
            return None
        return (self.settled_high - self.settled_low) / 2

    @property
    def always_half_width(self) -> float | None:
        """Half the width of the always-valid interval, or None."""
        if self.always_low is None or self.always_high is None:
            return None
        return (self.always_high - self.always_low) / 2

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every field by its name."""
        return asdict(self)
