"""Draws, the verdicts they become, and the estimate that follows from these.

A draw is an input picked by a technique; a verdict is that draw, settled by a label.

An estimate: the whole set's accuracy with what is honestly known around it.

A trail: how the estimate ran, label by label.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.stored_record import Finite, Whole64, read_value


@dataclass(frozen=True, slots=True)
class Draw:
    """One input picked: its row, its chance, its stratum and why it was picked.

    Parameters
    ----------
    row : place in the dataset, 0..N-1.
    probability : chance of this very draw, in (0, 1], meaning what the design says; None where there is none, or where
        it is 1 / (inputs left in the stratum). Never nan: a nan would break equality, and with it replay.
    stratum : place of the stratum (or cluster) in the design's ``stratum_sizes``.
    reason : one phrase for the tester, such as "prototype 2 of cluster 5".
    """

    row: Whole64
    probability: Finite | None = None
    stratum: Whole64 = 0
    reason: str = ""

    def __post_init__(self) -> None:
        if self.row < 0:
            raise BadInput(f"A draw has row {self.row}; rows are places from 0 on. Correct the technique that drew it.")
        if self.probability is not None and not 0 < self.probability <= 1:
            raise BadInput(
                f"Row {self.row} was drawn with probability {self.probability}. Expected a number above 0 and at most 1. "
                "Correct the technique that drew it."
            )


@dataclass(frozen=True, slots=True)
class RoundDraw(Draw):
    """A draw of a technique that learns from round to round (rra); its design knows the rounds.

    Parameters
    ----------
    round : place of its round in the design's ``rounds``.
    guess : mu, the chance of failure predicted before it was drawn, 0..1.
    exploit : picked because it is thought to fail, not drawn: it has no probability, and its loss enters the estimate as
        one of the inputs known, never as one of those that stand for others.
    """

    round: Whole64 = 0
    guess: Finite = 0.5
    exploit: bool = False

    def __post_init__(self) -> None:
        Draw.__post_init__(self)
        if self.round < 0 or not 0 <= self.guess <= 1 or self.exploit is not (self.probability is None):
            raise BadInput(
                f"Row {self.row} was picked in round {self.round} with the guess {self.guess} and the probability "
                f"{self.probability}, exploit: {self.exploit}. Expected a round from 0 on, a guess from 0 to 1, "
                "and a probability unless it is an exploit pick. Correct the technique that drew it."
            )


@dataclass(frozen=True, slots=True)
class GroupDraw(Draw):
    """An input of a group that was drawn as a whole; its design knows the groups.

    Parameters
    ----------
    group : place of its group in the design's ``group_sizes``.
    """

    group: Whole64 = 0

    def __post_init__(self) -> None:
        Draw.__post_init__(self)
        if self.group < 0:
            raise BadInput(
                f"Row {self.row} was drawn from group {self.group}; groups are places from 0 on. "
                "Correct the technique that drew it."
            )


def is_exploit(draw: Draw) -> bool:
    """Whether the draw was picked because it is thought to fail, so that its loss stands for no other input."""
    return isinstance(draw, RoundDraw) and draw.exploit


def draws_from_json(records: Iterable[Mapping[str, Any]]) -> tuple[Draw, ...]:
    """The draws whose fields these are; WrongRecord where they are those of no draw.

    >>> draws_from_json([{"row": 7, "probability": 0.25, "round": 2, "guess": 0.1}])
    (RoundDraw(row=7, probability=0.25, stratum=0, reason='', round=2, guess=0.1, exploit=False),)
    """
    draws: list[Draw] = []
    for kind, alike in groupby(records, _kind_of_draw):  # as a rule all of them
        draws += read_value(tuple[kind, ...], [*alike])  # type: ignore[valid-type]
    return tuple(draws)


def _kind_of_draw(record: Mapping[str, Any]) -> type[Draw]:
    return GroupDraw if "group" in record else RoundDraw if "round" in record else Draw


@dataclass(frozen=True, slots=True)
class Verdict:
    """A draw and its loss: 0 and above, or None where the tester could not tell or has put it off.

    None is a value of its own: counted as skipped, never as failed, never dropped in silence. ``answer`` is what the tester
    said, as ``Task.check_answer`` gives it, for techniques that judge several models by it; None where the loss says enough.
    """

    draw: Draw
    loss: float | None
    answer: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.loss is not None and not self.loss >= 0:  # also refuses nan
            raise BadInput(
                f"The loss of row {self.draw.row} is {self.loss}; a loss is 0 or more, "
                "or None for 'cannot tell'. Correct it."
            )


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


@dataclass(frozen=True, eq=False)
class Trail:
    """The estimate after more and more labels, each column (points,); the last is the newest.

    ``labels`` counts draws with a loss. Where an interval does not exist its ends are nan, so that a chart leaves a gap;
    draws after which there was no honest number have no point.
    """

    labels: NDArray[np.intp]
    accuracy: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    always_low: NDArray[np.float64]
    always_high: NDArray[np.float64]

    @classmethod
    def of(cls, estimates: Sequence[Estimate]) -> "Trail":
        """Return the trail of estimates, in the order of their labels."""

        def column(name: str) -> NDArray[np.float64]:
            return np.array([getattr(one, name) for one in estimates], dtype=np.float64)  # None becomes nan

        ends = {name: column(name) for name in ("low", "high", "always_low", "always_high")}
        labels = np.array([one.labeled for one in estimates], dtype=np.intp)
        return cls(labels, column("accuracy"), **ends)
