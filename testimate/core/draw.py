"""A draw is an input picked by a technique; a verdict is that draw, settled by a label."""

from dataclasses import dataclass

from testimate.core.errors import BadInput


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

    row: int
    probability: float | None = None
    stratum: int = 0
    reason: str = ""

    def __post_init__(self) -> None:
        if self.row < 0:
            raise BadInput(f"A draw has row {self.row}; rows are places from 0 on. Mend the technique that drew it.")
        if self.probability is not None and not 0 < self.probability <= 1:
            raise BadInput(
                f"Row {self.row} was drawn with probability {self.probability}; it must lie above 0 and at most at 1. "
                "Mend the technique that drew it."
            )


@dataclass(frozen=True, slots=True)
class Verdict:
    """A draw and its loss: 0 and above, or None where the tester could not tell or has put it off.

    None is a value of its own: counted as skipped, never as failed, never dropped in silence.
    """

    draw: Draw
    loss: float | None

    def __post_init__(self) -> None:
        if self.loss is not None and not self.loss >= 0:  # also refuses nan
            raise BadInput(
                f"The loss of row {self.draw.row} is {self.loss}; a loss is 0 or more, "
                "or None for 'cannot tell'. Correct it."
            )
