"""The verdicts of a design as arrays, checked against the design."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, SimpleRandom, Stratified, WholeGroups
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign


@dataclass(frozen=True, eq=False)
class Sample:
    """Verdicts in labeling order as columns.

    Attributes
    ----------
    losses : (n,) float64, nan where nobody could settle the draw.
    strata : (n,) intp, places in the design's ``stratum_sizes``.
    probabilities : (n,) float64, nan where the draw carries none.
    """

    losses: NDArray[np.float64]
    strata: NDArray[np.intp]
    probabilities: NDArray[np.float64]

    @property
    def settled(self) -> NDArray[np.bool_]:
        """(n,) which draws have a loss."""
        return ~np.isnan(self.losses)

    @property
    def labeled(self) -> int:
        """How many draws have a loss."""
        return int(self.settled.sum())

    @property
    def skipped(self) -> int:
        """How many draws nobody could settle."""
        return len(self.losses) - self.labeled

    def only_settled(self) -> "Sample":
        """The sample without its skipped draws."""
        keep = self.settled
        return Sample(self.losses[keep], self.strata[keep], self.probabilities[keep])

    def counting_skipped_as(self, loss: float) -> Self:
        """The sample with ``loss`` where a draw was skipped."""
        return replace(self, losses=np.where(self.settled, self.losses, loss))

    def is_pass_or_fail(self, loss_bound: float | None) -> bool:
        """Whether every settled loss is 0 or 1 and 1 is the largest possible: then the mean loss is a proportion."""
        losses = self.losses[self.settled]
        return loss_bound == 1 and bool(((losses == 0) | (losses == 1)).all())


def sample_of(design: Design, verdicts: Sequence[Verdict], loss_bound: float | None) -> Sample:
    """The verdicts as arrays.

    Raises
    ------
    BadInput : a stratum or row outside the design, a loss beyond the bound, and where inputs are drawn without
        replacement a row that occurs twice or more draws in a stratum than it has inputs.
    NotEnoughLabels : there is no verdict with a loss.
    """
    # numpy makes nan of None in an array of floats
    losses = np.array([verdict.loss for verdict in verdicts], dtype=np.float64)
    draws = [verdict.draw for verdict in verdicts]
    strata = np.array([draw.stratum for draw in draws], dtype=np.intp)
    rows = np.array([draw.row for draw in draws], dtype=np.intp)
    chances = [draw.probability for draw in draws]
    without = chances.count(None) == len(chances)  # most designs; checked in a fiftieth of the time
    probabilities = np.full(len(chances), np.nan) if without else np.array(chances, dtype=np.float64)
    _check_places(design, rows, strata)
    _check_losses(losses, rows, loss_bound)
    return Sample(losses, strata, probabilities)


def need_labels(sample: Sample) -> None:
    """NotEnoughLabels where nothing is settled yet."""
    if not sample.labeled:
        count = len(sample.losses)
        met = f"None of the {count} inputs reached is settled yet" if count else "There is no label yet"
        raise NotEnoughLabels(f"{met}; an estimate needs at least 1. Label some inputs.")


def need_probabilities(sample: Sample, estimator: str) -> None:
    """BadInput where a draw carries no probability."""
    without = int(np.isnan(sample.probabilities).sum())
    if without:
        raise BadInput(
            f"{without} draws have no probability; the {estimator} needs one for each. Keep it with the draw."
        )


def wrong_design(design: Design, wanted: type[Design], estimator: str) -> WrongDesign:
    """The error of an estimator that was given another kind of design."""
    met = getattr(design, "kind", "") or type(design).__name__
    return WrongDesign(
        f"The {estimator} was asked to judge draws of a {met} design; it holds for {wanted.kind} ones. "
        "Take the estimator that estimator_of(design) names."
    )


def _check_places(design: Design, rows: NDArray[np.intp], strata: NDArray[np.intp]) -> None:
    """Raises BadInput where a draw cannot have come from the design."""
    sizes = np.asarray(design.stratum_sizes)
    outside = np.flatnonzero((strata < 0) | (strata >= len(sizes)))
    if outside.size:
        raise BadInput(
            f"Row {rows[outside[0]]} was drawn from stratum {strata[outside[0]]}; the design has {len(sizes)}, "
            "counted from 0. Use the draws of this plan."
        )
    if rows.size and rows.max() >= design.size:
        raise BadInput(f"Row {rows.max()} was drawn; the design has {design.size} inputs. Use the draws of this plan.")
    # Only designs that say so draw an input again: PerDraw always does, a purposive selection never.
    if getattr(design, "replacement", design.kind == "per draw"):
        return
    ordered = np.sort(rows)
    if (ordered[1:] == ordered[:-1]).any():
        unique, counts = np.unique(rows, return_counts=True)
        raise BadInput(
            f"Row {unique[counts.argmax()]} occurs {counts.max()} times; this design draws no input twice. "
            "Keep one verdict per row."
        )
    drawn = np.bincount(strata, minlength=len(sizes))
    if isinstance(design, SimpleRandom | Stratified | WholeGroups) and (drawn > sizes).any():
        full = int(np.argmax(drawn > sizes))
        raise BadInput(
            f"Stratum {full} has {drawn[full]} draws; it holds {sizes[full]} inputs. Use the draws of this plan."
        )


def _check_losses(losses: NDArray[np.float64], rows: NDArray[np.intp], loss_bound: float | None) -> None:
    """Raises BadInput where a loss is infinite or beyond the bound."""
    if loss_bound is not None and not (np.isfinite(loss_bound) and loss_bound > 0):
        raise BadInput(f"The largest loss is {loss_bound}; expected a number above 0, or None. Change it.")
    limit = np.finfo(np.float64).max if loss_bound is None else loss_bound
    beyond = np.flatnonzero(losses > limit)
    if beyond.size:
        raise BadInput(
            f"The loss of row {rows[beyond[0]]} is {losses[beyond[0]]}; the task's largest is {limit}. "
            "Correct it, or the task's loss_bound."
        )
