"""The verdicts of a design as arrays, and the estimate that people read."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Rounds, SimpleRandom, Stratified, WholeGroups
from testimate.core.draw import Estimate, RoundDraw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.core.words import commas, counted
from testimate.estimators.intervals import Interval


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


def need_each_stratum(counts: NDArray[np.intp], certain: Collection[int] = ()) -> None:
    """NotEnoughLabels where a stratum has no label; ``counts`` : of each, (H,), those ``certain`` needing none."""
    empty = counts == 0
    empty[list(certain)] = False
    if empty.any():
        raise NotEnoughLabels(
            f"{int(empty.sum())} of the {counts.size} strata have no settled label yet; each needs one before the estimate is "
            "unbiased. Label more."
        )


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
            f"Stratum {full} has {drawn[full]} draws; it contains {sizes[full]} inputs. Use the draws of this plan."
        )


def _check_losses(losses: NDArray[np.float64], rows: NDArray[np.intp], loss_bound: float | None) -> None:
    """Raises BadInput where a loss is infinite or beyond the bound."""
    if loss_bound is not None and not (np.isfinite(loss_bound) and loss_bound > 0):
        raise BadInput(f"The largest loss is {loss_bound}. Expected a number above 0, or None. Change it.")
    limit = np.finfo(np.float64).max if loss_bound is None else loss_bound
    beyond = np.flatnonzero(losses > limit)
    if beyond.size:
        raise BadInput(
            f"The loss of row {rows[beyond[0]]} is {losses[beyond[0]]}; the task's largest is {limit}. "
            "Correct it, or the task's loss_bound."
        )


@dataclass(frozen=True, eq=False)
class RoundSample(Sample):
    """Verdicts in drawing order; of T rounds begun, all but perhaps the last are whole.

    Attributes
    ----------
    probabilities : (n,) chance of the draw in its zone, nan for an exploit pick.
    rounds : (n,) place of each draw's round, 0..T-1, not falling.
    guesses : (n,) mu of each draw.
    size : N.
    zones, sizes : (T,) random draws of each round, and all its draws.
    guessed : (T,) sum of mu over the inputs not drawn before the round.
    smallest, largest, variance : (T,) as the design predicts them of (z - mu) B / (p N).
    """

    rounds: NDArray[np.intp]
    guesses: NDArray[np.float64]
    size: int
    zones: NDArray[np.intp]
    sizes: NDArray[np.intp]
    guessed: NDArray[np.float64]
    smallest: NDArray[np.float64]
    largest: NDArray[np.float64]
    variance: NDArray[np.float64]

    @cached_property
    def random(self) -> NDArray[np.bool_]:
        """(n,) which draws were drawn at random, not picked."""
        return ~np.isnan(self.probabilities)

    @cached_property
    def drawn_before(self) -> NDArray[np.intp]:
        """(T,) k, how many inputs were drawn before each round."""
        before: NDArray[np.intp] = np.cumsum(self.sizes) - self.sizes
        return before

    @property
    def whole(self) -> int:
        """How many rounds are whole, whether or not their inputs have a loss."""
        return int((np.bincount(self.rounds, minlength=self.sizes.size) == self.sizes).sum())

    def first(self, count: int) -> "RoundSample":
        """The first ``count`` verdicts, at least 1."""
        begun = int(self.rounds[count - 1]) + 1
        return RoundSample(
            self.losses[:count],
            self.strata[:count],
            self.probabilities[:count],
            self.rounds[:count],
            self.guesses[:count],
            self.size,
            self.zones[:begun],
            self.sizes[:begun],
            self.guessed[:begun],
            self.smallest[:begun],
            self.largest[:begun],
            self.variance[:begun],
        )

    @cached_property
    def bases(self) -> NDArray[np.float64]:
        """(T,) the mean loss as known and guessed at the start of each round: (losses so far + sum of mu) / N."""
        totals = np.bincount(self.rounds, weights=self.losses, minlength=self.sizes.size)
        return (np.cumsum(totals) - totals + self.guessed) / self.size

    @cached_property
    def terms(self) -> NDArray[np.float64]:
        """(n,) X of each draw, nan for an exploit pick: (losses so far + sum of mu) / N + (z - mu) B / (p N).

        Given the past, the X of a round average over its zones to the mean loss of all N inputs, whatever mu and p are:
        Cassel, Sarndal and Wretman 1976 with one draw per zone.
        """
        corrections = (self.losses - self.guesses) * self.zones[self.rounds] / (self.probabilities * self.size)
        return self.bases[self.rounds] + corrections

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """(n,) w of each draw: it rises as the variance of its X falls."""
        before, zones = self.drawn_before, self.zones  # k and B, (T,)
        left, after = self.size - before, before + zones
        weights: NDArray[np.float64] = np.sqrt(after / (after + 10)) / (left * (left - zones) + 1)
        return weights[self.rounds]

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """(n,) w over the sum of w over the random draws; 0 for an exploit pick."""
        shares: NDArray[np.float64] = np.where(self.random, self.weights, 0) / self.weights[self.random].sum()
        return shares


def need_first_round(sample: RoundSample, labeled: int) -> None:
    """NotEnoughLabels where the first round is not whole."""
    if labeled < sample.sizes[0]:
        raise NotEnoughLabels(
            f"{counted(labeled, 'label')}, {commas(sample.sizes[0])} needed. An estimate needs one whole round. "
            f"Label {commas(sample.sizes[0] - labeled)} more."
        )


def round_sample_of(design: Rounds, verdicts: Sequence[Verdict], loss_bound: float | None) -> RoundSample:
    """The verdicts as arrays; BadInput where they are no draws of these rounds in their order. See ``sample_of``."""
    sample = sample_of(design, verdicts, loss_bound)
    draws = [verdict.draw for verdict in verdicts if isinstance(verdict.draw, RoundDraw)]
    rounds = np.array([draw.round for draw in draws], dtype=np.intp)
    begun = design.rounds[: int(rounds.max(initial=-1)) + 1]
    sizes = np.array([one.zones + one.exploit for one in begun], dtype=np.intp)
    expected = np.repeat(np.arange(len(begun)), sizes)[: len(verdicts)]
    if len(draws) < len(verdicts) or not np.array_equal(rounds, expected):
        raise BadInput(
            f"{len(verdicts)} verdicts do not follow the {len(design.rounds)} rounds of the design in the order of drawing. "
            "Expected one for each draw up to the last, None where nobody could tell. Use the draws of this plan."
        )
    return RoundSample(
        sample.losses,
        sample.strata,
        sample.probabilities,
        rounds,
        np.array([draw.guess for draw in draws], dtype=np.float64),
        design.size,
        np.array([one.zones for one in begun], dtype=np.intp),
        sizes,
        np.array([one.guessed for one in begun], dtype=np.float64),
        np.array([one.smallest for one in begun], dtype=np.float64),
        np.array([one.largest for one in begun], dtype=np.float64),
        np.array([one.variance for one in begun], dtype=np.float64),
    )


AnySample = TypeVar("AnySample", bound=Sample)


@dataclass(frozen=True)
class MeanLoss:
    """An estimated mean loss, never clipped; ``interval`` and ``standard_error`` are None where there is no honest one.

    ``why`` is one sentence on why there is no interval, else empty; ``method`` names the estimator and interval.
    """

    mean: float
    standard_error: float | None
    interval: Interval | None
    method: str
    why: str = ""


def all_labeled(mean: float) -> MeanLoss:
    """Return the mean loss of a set whose every input is labeled: it is known."""
    return MeanLoss(mean, 0.0, Interval(mean, mean), "mean of every input, all labeled")


APPROXIMATE = (
    "No largest loss is known, so the interval is approximate: where a few losses are far larger than all others "
    "it contains the truth less often than it claims. Estimate the share within a tolerance, or name a largest loss, "
    "for one that holds whatever the losses are."
)


def as_accuracy(
    found: MeanLoss,
    design: Design,
    sample: AnySample,
    *,
    level: float,
    loss_bound: float | None,
    mean_of: Callable[[AnySample], float],
) -> Estimate:
    """The estimate of 1 - mean loss.

    ``mean_of`` is the point estimator, for the bounds with the skipped draws counted all wrong and all right. Without a
    largest loss there is no bound from below: it is None.
    """
    low, high = flipped(found.interval, loss_bound)
    approximate = APPROXIMATE if loss_bound is None and low is not None else ""
    skipped_low = skipped_high = None
    if sample.skipped:
        skipped_high = _shown(1 - mean_of(sample.counting_skipped_as(0.0)), loss_bound)
        if loss_bound is not None:
            skipped_low = _shown(1 - mean_of(sample.counting_skipped_as(loss_bound)), loss_bound)
    return Estimate(
        accuracy=_shown(1 - found.mean, loss_bound),
        standard_error=found.standard_error,
        low=low,
        high=high,
        level=level,
        labeled=sample.labeled,
        skipped=sample.skipped,
        method=found.method,
        design=design.kind,
        skipped_low=skipped_low,
        skipped_high=skipped_high,
        why=f"{found.why} {approximate}".strip(),
    )


def _shown(accuracy: float, loss_bound: float | None) -> float:
    """The accuracy as shown: in [0, 1] where it is a share, else as it is."""
    return float(np.clip(accuracy, 0.0, 1.0)) if loss_bound == 1 else float(accuracy)


def flipped(interval: Interval | None, loss_bound: float | None) -> tuple[float | None, float | None]:
    """The ends of accuracy from those of the mean loss: the larger loss is the lower accuracy."""
    if interval is None:
        return None, None
    return _shown(1 - interval.high, loss_bound), _shown(1 - interval.low, loss_bound)
