"""Weighted labels: how many inputs each stands for, and means, totals and ratios with these weights."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from testimate.core.checks import check_level
from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified, WholeGroups
from testimate.core.draw import GroupDraw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.core.words import commas, counted
from testimate.estimators.adaptive_rounds import inputs_spoken_for, standing_sample
from testimate.estimators.intervals import (
    Ends,
    Interval,
    fewest_failures,
    korn_graubard_ends,
    logit_interval,
    no_spread,
    part_variance_of,
    score_upper_end,
    t_interval,
    t_quantile,
    wilson,
    wilson_ends,
)
from testimate.estimators.sample import (
    MeanLoss,
    RoundSample,
    need_each_stratum,
    need_labels,
    need_probabilities,
    round_sample_of,
    sample_of,
)

WEIGHED = (SimpleRandom, Stratified, PerDraw, Rounds, WholeGroups)
"""The designs whose labels have weights that do not depend on what was found."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DrawWeights(ABC):
    """n labels with their weights.

    Attributes
    ----------
    positions : (n,) places of these labels among the verdicts; what was skipped, or is not counted yet, is not there.
    weights : (n,) w, so that sum w y estimates the total of y over all inputs but for a factor common to all.
    left : (n,) 1 - sampling fraction where each was drawn; 1 with replacement.
    """

    positions: NDArray[np.intp]
    weights: Numbers
    left: Numbers

    @property
    def degrees(self) -> float:
        """Of freedom of the variance; infinite where the labels themselves are the units drawn."""
        return np.inf

    def squares(self, denominators: Numbers) -> Numbers:
        """The variance of sum w u den that independent outcomes u of variance 1 would give, for each column (n, K); (K,)."""
        found: Numbers = (self.left * self.weights**2) @ denominators**2
        return found

    @abstractmethod
    def terms(self, parts: Numbers) -> Numbers:
        """What each unit drawn adds to sum w u beyond what was expected of it, for each column u of ``parts`` (n, K).

        Shape (units, K); the weighted sum of each column is 0, and the squares of the terms add up to its variance.
        """

    def variance(self, parts: Numbers) -> Numbers:
        """Of sum w u for each column u of ``parts`` (n, K), whose weighted sum is 0; (K,)."""
        found: Numbers = (self.terms(parts) ** 2).sum(axis=0)
        return found


@dataclass(frozen=True, eq=False)
class StrataWeights(DrawWeights):
    """Labels of simple random samples inside ``strata`` (n,), or of independent draws, which are one stratum."""

    strata: NDArray[np.intp]

    def terms(self, parts: Numbers) -> Numbers:
        """w u less its stratum's mean, times the root of (1 - f_h) n_h / (n_h - 1); one label alone is set against 0.

        Sarndal, Swensson and Wretman 1992, eq. 5.8.6 with the linearised u of eq. 5.5.9, as R's survey computes it.
        """
        order = np.argsort(self.strata, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(self.strata[order]) != 0])
        counts = np.diff(np.r_[starts, len(order)])  # (strata drawn,)
        found = (self.weights[:, None] * parts)[order]  # (n, K), stratum after stratum
        means = np.add.reduceat(found, starts) / counts[:, None] * (counts > 1)[:, None]
        found -= np.repeat(means, counts, axis=0)
        found *= np.sqrt(self.left[order] * np.repeat(counts / np.maximum(counts - 1, 1), counts))[:, None]
        return found


@dataclass(frozen=True, eq=False)
class RoundsWeights(DrawWeights):
    """Labels of adaptive rounds; ``sample`` holds all draws that count, with those nobody could settle."""

    sample: RoundSample

    def terms(self, parts: Numbers) -> Numbers:
        """The random draws' shares X(u), times the root of n / (n - 1); X as the draws would have it with losses u.

        Given the past X averages to the same total in every round, so terms of different rounds are not correlated.
        """
        of, size = self.sample, self.sample.size
        full = np.zeros((len(of.losses), parts.shape[1]))
        full[self.positions] = parts
        starts = of.drawn_before
        totals = np.add.reduceat(full, starts)  # (T, K)
        bases = np.cumsum(totals, axis=0) - totals
        random = of.random
        own = full[random] * (of.zones[of.rounds] / of.probabilities)[random, None]
        count = int(random.sum())
        found: Numbers = of.shares[random, None] * (bases[of.rounds[random]] + own) / size
        found *= np.sqrt(count / max(count - 1, 1))
        return found


@dataclass(frozen=True, eq=False)
class GroupsWeights(DrawWeights):
    """Labels of whole groups: ``units`` (n,) places of their groups, 0..a - 1, each of which has a label.

    ``unit_strata`` (a,) : the stratum of each group. ``of_groups`` (a,) : a_h / A_h, the share of its stratum's groups
    labeled. ``inside`` (a,) : m_i / M_i, the share of its own inputs labeled.
    """

    units: NDArray[np.intp]
    unit_strata: NDArray[np.intp]
    of_groups: Numbers
    inside: Numbers

    @property
    def degrees(self) -> float:
        """Groups less strata; infinite where every group is labeled."""
        if (self.of_groups == 1).all():
            return np.inf
        return float(max(len(self.unit_strata) - len(np.unique(self.unit_strata)), 1))

    def squares(self, denominators: Numbers) -> Numbers:
        """As if the inputs of a group all shared one outcome, so that a group counts once."""
        totals = self._by_unit(self.weights[:, None] * denominators)
        found: Numbers = (1 - self.of_groups * self.inside) @ totals**2
        return found

    def terms(self, parts: Numbers) -> Numbers:
        """A group's total less its stratum's mean, times the root of (1 - f_h) a_h / (a_h - 1); (a, K)."""
        return self._off(parts) * np.sqrt((1 - self.of_groups) * self._factor)[:, None]

    def variance(self, parts: Numbers) -> Numbers:
        """Between groups (1 - f_h) a_h s^2 of their totals, and f_h of what is not labeled inside them.

        Sarndal, Swensson and Wretman 1992, result 4.3.1, as R's survey computes it with both stages' sizes. Where a
        group has one label of several, the spread inside it is unknown; then the spread of its total is taken as if its
        stratum were infinite, which covers what the spread inside adds.
        """
        terms = self.weights[:, None] * parts  # (n, K)
        labels = np.bincount(self.units, minlength=len(self.unit_strata)).astype(np.float64)  # m_i, (a,)
        within = _sums((terms - (self._by_unit(terms) / labels[:, None])[self.units]) ** 2, self.units, len(labels))
        spread = (1 - self.inside)[:, None] * within * (labels / np.maximum(labels - 1, 1))[:, None]
        unknown = (labels == 1) & (self.inside < 1)
        spread[unknown] = (self._factor[:, None] * self._off(parts) ** 2)[unknown]
        found: Numbers = super().variance(parts) + (self.of_groups[:, None] * spread).sum(axis=0)
        return found

    def skewness(self, parts: Numbers) -> float:
        """Of sum w u, one column u (n,) whose weighted sum is 0, from the totals of the groups; 0 where they do not differ."""
        off = self._off(parts[:, None])[:, 0]
        squares = float((off**2).sum())
        return float((off**3).sum() / squares**1.5) if squares > 0 else 0.0

    @property
    def _factor(self) -> Numbers:
        """a_h / (a_h - 1) of each group's stratum, (a,)."""
        counts = np.bincount(self.unit_strata).astype(np.float64)  # (H,)
        found: Numbers = (counts / np.maximum(counts - 1, 1))[self.unit_strata]
        return found

    def _off(self, parts: Numbers) -> Numbers:
        """Each group's total of w u less the mean of its stratum, (a, K)."""
        totals, strata = self._by_unit(self.weights[:, None] * parts), self.unit_strata
        counts = np.bincount(strata)
        return totals - (_sums(totals, strata, len(counts)) / np.maximum(counts, 1)[:, None])[strata]

    def _by_unit(self, terms: Numbers) -> Numbers:
        return _sums(terms, self.units, len(self.unit_strata))


def _sums(terms: Numbers, places: NDArray[np.intp], count: int) -> Numbers:
    """The sums of the rows of ``terms`` (n, K) with the same place, (count, K)."""
    found = np.zeros((count, terms.shape[1]))
    np.add.at(found, places, terms)
    return found


def _of_groups(design: WholeGroups, verdicts: Sequence[Verdict], positions: NDArray[np.intp]) -> GroupsWeights:
    """The weights of these verdicts, (A_h / a_h) (M_i / m_i) / N each; NotEnoughLabels, BadInput as ``draw_weights``."""
    draws = [verdicts[place].draw for place in positions.tolist()]
    groups = np.array([one.group if isinstance(one, GroupDraw) else -1 for one in draws], dtype=np.intp)
    if groups.size and not 0 <= groups.min() <= groups.max() < len(design.group_sizes):
        raise BadInput(
            f"A draw is of group {groups.max() if groups.min() >= 0 else 'none'}; the plan contains {len(design.group_sizes)} "
            "groups, counted from 0. Use the draws of this plan."
        )
    met, first, units = np.unique(groups, return_index=True, return_inverse=True)
    unit_strata = np.array([draws[place].stratum for place in first.tolist()], dtype=np.intp)
    all_groups = np.asarray(design.stratum_groups, dtype=np.float64)
    counts = np.bincount(unit_strata, minlength=len(all_groups))
    lacking = int((counts < np.minimum(all_groups, 2)).sum())
    if lacking:
        where = (
            "Fewer than two groups have"
            if len(all_groups) == 1
            else f"{lacking} of the {len(all_groups)} strata do not yet have two groups with"
        )
        raise NotEnoughLabels(
            f"{where} a settled label; how far groups differ is known from two in each stratum. Label more."
        )
    of_groups = (counts / all_groups)[unit_strata]
    inside = np.bincount(units) / np.asarray(design.group_sizes, dtype=np.float64)[met]
    weights = (1 / (of_groups * inside * design.size))[units]
    left = np.maximum(1 - (of_groups * inside)[units], 0.0)
    return GroupsWeights(positions, weights, left, units, unit_strata, of_groups, inside)


def draw_weights(design: Design, verdicts: Sequence[Verdict], loss_bound: float | None = 1.0) -> DrawWeights:
    """The labels among the verdicts, in drawing order, with their weights.

    N_h / n_h in strata, 1 / p of draws with replacement, A_h / a_h times M_i / m_i of whole groups, and in rounds what the
    estimate counts for each. An input that nobody could settle stands for none.

    Raises
    ------
    WrongDesign : another design than those in ``WEIGHED``.
    NotEnoughLabels : none is settled, a stratum has no label, of groups fewer than two, or the first round is not whole.
    BadInput : a draw of whole groups that is of none.
    """
    if isinstance(design, Rounds):
        sample = round_sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        standing, _ = standing_sample(sample, verdicts)
        positions = np.flatnonzero(sample.settled[: len(standing.losses)])
        left = np.full(len(positions), max(1 - len(positions) / design.size, 0.0))
        return RoundsWeights(positions, inputs_spoken_for(standing)[positions] / design.size, left, standing)
    if not isinstance(design, SimpleRandom | Stratified | PerDraw | WholeGroups):
        raise WrongDesign(
            f"The labels of a {design.kind or type(design).__name__} design have no weights that hold for parts of the set; "
            f"there are some for these designs: {', '.join(one.kind for one in WEIGHED)}. Count the labels, or select with a "
            "technique of one of these."
        )
    drawn = sample_of(design, verdicts, loss_bound)
    need_labels(drawn)
    positions = np.flatnonzero(drawn.settled)
    if isinstance(design, WholeGroups):
        return _of_groups(design, verdicts, positions)
    settled = drawn.only_settled()
    if isinstance(design, PerDraw):
        need_probabilities(settled, "weight of a draw")
        return StrataWeights(
            positions,
            1 / (settled.probabilities * design.size),
            np.ones(len(positions)),
            np.zeros(len(positions), dtype=np.intp),
        )
    sizes = np.asarray(design.stratum_sizes, dtype=np.float64)
    counts = np.bincount(settled.strata, minlength=len(sizes))
    need_each_stratum(counts)
    fractions = np.zeros(len(sizes)) if design.replacement else counts / sizes
    return StrataWeights(
        positions, (sizes / counts / design.size)[settled.strata], (1 - fractions)[settled.strata], settled.strata
    )


def rate_of_terms(
    mean: float, error: float | None, weights: NDArray[np.float64], limits: Interval, level: float, name: str
) -> MeanLoss:
    """The failure rate ``mean`` with its standard error ``error``; the logit interval with n - 1 degrees of freedom.

    ``weights`` (n,) are those of the draws, failed or not: the estimate is about the mean of weight times loss. Without a
    failure, at an estimate of 1 and more, or without an error there is no logit: then Wilson's interval with the
    effective n of a smoothed rate t = (n p + 1) / (n + 2), whose variance is (t w - t^2) / n, w the mean weight of the
    inputs; a sample without failures is not one without variance. ``limits`` are the rates still possible.
    """
    n = len(weights)
    if error is not None and 0 < mean < 1 and not no_spread(error, mean):
        return MeanLoss(
            mean, error, logit_interval(mean, error, level, n - 1).within(*limits), f"{name}, logit interval"
        )
    shown, mean_weight = min(max(mean, 0.0), 1.0), float((weights**2).sum() / weights.sum())
    interval = wilson(shown, smoothed_effective_n(shown, n, mean_weight, error), level).within(*limits)
    smoothed = float(np.sqrt(smoothed_variance(shown, n, mean_weight, error)))
    return MeanLoss(mean, smoothed, interval, f"{name}, Wilson interval, smoothed")


def smoothed_variance(rate: float, n: int, mean_weight: float, error: float | None = None) -> float:
    """Variance of the mean of n terms around the smoothed rate t: (t w - t^2) / n, or the square of ``error`` where larger."""
    smoothed = (n * rate + 1) / (n + 2)
    return max((smoothed * max(mean_weight, 1.0) - smoothed**2) / n, (error or 0.0) ** 2)


def smoothed_effective_n(rate: float, n: int, mean_weight: float, error: float | None = None) -> float:
    """How many independent labels would say as much: t (1 - t) over the smoothed variance, above 0."""
    smoothed = (n * rate + 1) / (n + 2)
    return smoothed * (1 - smoothed) / smoothed_variance(rate, n, mean_weight, error)


def mean_of_terms(mean: float, error: float | None, n: int, limits: Interval, level: float, name: str) -> MeanLoss:
    """The mean of losses of any size from n draws, with Student's interval where their spread can be estimated."""
    if error is None or no_spread(error, mean):
        why = f"The {n} weighted losses so far do not differ, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, name, why)
    return MeanLoss(mean, error, t_interval(mean, error, n - 1, level).within(*limits), f"{name}, t interval")


# No number without data: decision 77.
FEWEST = 10
"""Labels below which a part has a count and no number."""


class Ratios(NamedTuple):
    """K ratios, each (K,).

    ``values`` nan where nothing labeled counts; ``variances`` by linearisation; ``squares`` the variance that an outcome
    of variance 1, alike everywhere in the part, would give; ``labels`` how many count in the denominator; ``degrees`` of
    freedom of the variances.
    """

    values: Numbers
    variances: Numbers
    squares: Numbers
    labels: NDArray[np.intp]
    degrees: float = np.inf


def ratios(weights: DrawWeights, numerators: Numbers, denominators: Numbers) -> Ratios:
    """R = sum w num / sum w den for each column of both (n, K), with u = (num - R den) / sum w den.

    Sarndal, Swensson and Wretman 1992, section 5.6 and eq. 5.6.10; nearly unbiased, as every ratio of estimates.
    """
    totals = weights.weights @ denominators  # (K,)
    some = totals > 0
    safe = np.where(some, totals, 1.0)
    values = np.where(some, weights.weights @ numerators / safe, np.nan)
    parts = (numerators - np.where(some, values, 0.0) * denominators) / safe
    squares = weights.squares(denominators) / safe**2
    return Ratios(values, weights.variance(parts), squares, (denominators > 0).sum(axis=0), weights.degrees)


def share_ends(found: Ratios, level: float = 0.95) -> Ends:
    """The ends of ratios that are shares, from 0 to 1, each (K,).

    As if two more labels had come, one of each outcome, the rate is smoothed, and the design's effect on the variance as if
    two more had come that show none: a part without a failure has an interval, no narrower than if its labels were drawn
    at random. The end toward one half is that of the score interval (see ``score_upper_end``), the other one Wilson's with
    the effective n; of whole groups both are Wilson's, whose smoothed effect allows for inputs that fail together (decision
    180). What is rarer in the part counts as the failure.
    """
    level = check_level(level)
    many = found.values > 0.5
    rare = np.clip(np.where(many, 1 - found.values, found.values), 0.0, 1.0)  # (K,)
    smooth, variance = _smoothed_share(found, rare, level)
    known = ~(variance > 0)  # every input of the part is labeled
    effective = smooth * (1 - smooth) / np.where(known, 1.0, variance)
    wilson = wilson_ends(rare, effective, level)
    low, high = np.asarray(wilson.low), np.asarray(wilson.high)
    if np.isinf(found.degrees):
        high = np.asarray(score_upper_end(rare, part_variance_of(smooth, variance, found.squares), level))
    low, high = np.where(known, rare, low), np.where(known, rare, high)
    return Ends(np.where(many, 1 - high, low), np.where(many, 1 - low, high))


def _smoothed_share(found: Ratios, rare: Numbers, level: float) -> tuple[Numbers, Numbers]:
    """The rates ``rare`` as if one more label of each outcome had come, and their variances by the design, each (K,)."""
    n = found.labels
    smooth = (n * rare + 1) / (n + 2)
    plain = smooth * (1 - smooth) * found.squares  # what it would be if failures lay anywhere
    spread = n * rare * (1 - rare) * found.squares
    effect = (n * found.variances + 2 * plain) / np.where(plain > 0, spread + 2 * plain, 1.0)  # the design's, smoothed
    fewer = 1.0 if np.isinf(found.degrees) else (t_quantile(level, found.degrees) / t_quantile(level, np.inf)) ** 2
    return smooth, plain * effect * fewer


FEW_FAILURES = 5
"""Failures up to which intervals that hold together are those of counts, too: the score's tails are too short there."""


def together_ends(found: Ratios, level: float = 0.95, *, few: float = FEW_FAILURES) -> Ends:
    """The ends of shares at a level near 1, each (K,): where few fail, joined with Clopper and Pearson's of the effective n.

    ``few`` : failures, of effective labels, below which they are joined.
    """
    ends = share_ends(found, level)
    many = found.values > 0.5
    rare = np.clip(np.where(many, 1 - found.values, found.values), 0.0, 1.0)
    effective = effective_labels(found, rare, level)
    counted = korn_graubard_ends(rare, effective, level)
    open_ = np.isfinite(effective)
    rest_on_few = open_ & (np.where(open_, effective, 0.0) * rare < few)
    low, high = np.where(rest_on_few, counted.low, np.nan), np.where(rest_on_few, counted.high, np.nan)
    return ends.joined(Ends(np.where(many, 1 - high, low), np.where(many, 1 - low, high)))


def lowest_ends(found: Ratios, shown: int, level: float = 0.95) -> Ends:
    """The ends of accuracies of which one is picked as the lowest of ``shown``, each (K,).

    What is picked for its many failures fails less often than it seems, so only the upper end needs a correction: it is that
    of the failures' mid-P count at the part 0.6 of 1 - level, over ``shown``; as much is left for the lower end of
    ``share_ends``. Bonferroni over one side, with 0.2 more than there is: the mid-P and the score's ends are not exact.
    """
    side = 0.6 * (1 - check_level(level))
    failing = np.clip(1 - found.values, 0.0, 1.0)
    effective = effective_labels(found, failing, level)
    fewest = np.array(
        [
            rate if np.isinf(n) else fewest_failures(float(n * rate), float(n), side / shown)
            for n, rate in zip(effective.tolist(), failing.tolist(), strict=True)
        ]
    )
    low = np.asarray(share_ends(found, 1 - 2 * side).low)
    return Ends(np.minimum(low, found.values), np.maximum(1 - fewest, found.values))


def effective_labels(found: Ratios, rates: Numbers, level: float) -> Numbers:
    """How many labels drawn at random say as much about the ``rates`` (K,); infinite where every input is labeled."""
    smooth, variance = _smoothed_share(found, rates, level)
    known = ~(variance > 0)
    effective = smooth * (1 - smooth) / np.where(known, 1.0, variance)
    return np.where(known, np.inf, np.minimum(effective, 1 / np.where(known, 1.0, found.squares)))


def mean_ends(found: Ratios, level: float = 0.95) -> Ends:
    """The ends of means of any size by Student's t with the part's labels less one, each (K,); nan where there is no spread."""
    degrees = np.minimum(np.maximum(found.labels - 1, 1), found.degrees)
    t = stdtrit(degrees, (1 + check_level(level)) / 2)
    half = np.where(found.variances > 0, t * np.sqrt(found.variances), np.nan)
    return Ends(found.values - half, found.values + half)


@dataclass(frozen=True)
class PartEstimate:
    """One number about a part of the set.

    Attributes
    ----------
    labeled : how many labels it is based on.
    value, standard_error, low, high : None where ``why`` says what is missing.
    """

    labeled: int
    value: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


def too_few(labels: int, needed: int = FEWEST) -> str:
    """Return the words in place of a number.

    >>> too_few(3)
    '3 labels, 10 needed'
    """
    return f"{counted(labels, 'label')}, {commas(needed)} needed"


def part_estimates(
    found: Ratios,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    ends_of: Callable[[Ratios, float], Ends] = share_ends,
) -> tuple[PartEstimate, ...]:
    """The ratios as records, those on fewer than ``FEWEST`` labels without a number.

    ``simultaneous`` : all intervals together hold with chance ``level`` (Bonferroni over those shown).
    ``ends_of`` : what gives the intervals at a level; ``mean_ends`` where the ratios are means of any size.
    """
    shown = np.isfinite(found.values) & (found.labels >= FEWEST)
    each = 1 - (1 - check_level(level)) / max(int(shown.sum()), 1) if simultaneous else level
    filled = found._replace(values=np.where(shown, found.values, 0.0))
    ends = ends_of(filled, each)
    low, high = np.asarray(ends.low), np.asarray(ends.high)
    made = []
    for place, labels in enumerate(found.labels.tolist()):
        if not shown[place]:
            made.append(PartEstimate(labels, why=too_few(labels)))
            continue
        value, error = float(found.values[place]), float(np.sqrt(found.variances[place]))
        if np.isnan(low[place]):
            why = "the labels do not differ so far, so their spread cannot be estimated"
            made.append(PartEstimate(labels, value, why=why))
            continue
        made.append(PartEstimate(labels, value, error, float(low[place]), float(high[place])))
    return tuple(made)
