"""Estimates of draws with unequal chances, and of inputs drawn in groups or chosen on purpose.

The Hansen-Hurwitz estimator: draws with replacement, each with its own chance (sups).

The Rao-Hartley-Cochran estimator: random groups, one draw by unequal chances in each (rhc-s).

The estimator of two-stage draws: a stratum by its chance, then one of its inputs (2-ups).

DeepEST's estimator: one input after another without replacement, each with its chance given those before it.

The mean of inputs that were chosen, not drawn: a point without any guarantee.

The estimate of groups drawn as wholes: the ratio of their weighted totals, its interval by groups and not by labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, Groups, PerDraw, Purposive, Sequential, TwoStage, WholeGroups
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.intervals import (
    Interval,
    is_graded,
    korn_graubard,
    no_spread,
    possible,
    skewed_t_interval,
    t_quantile,
)
from testimate.estimators.sample import (
    MeanLoss,
    Sample,
    all_labeled,
    as_accuracy,
    need_labels,
    need_probabilities,
    sample_of,
    wrong_design,
)
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.weights import (
    GroupsWeights,
    draw_weights,
    mean_of_terms,
    rate_of_terms,
    ratios,
    share_ends,
    smoothed_effective_n,
    smoothed_variance,
)


@dataclass(frozen=True)
class HansenHurwitz:
    """Mean of loss / (N p) over the draws (Hansen and Hurwitz 1943); an input drawn twice counts twice.

    The standard error is that of the mean of these terms. For pass or fail the interval is the logit one with n - 1
    degrees of freedom. Without a failure, or at an estimate of 1 and more, there is no logit: then Wilson's interval
    with the effective n of a smoothed rate t = (n p + 1) / (n + 2), whose variance (t w - t^2) / n has the mean weight
    w of the inputs, 1 / (N p) each. Other losses take Student's interval. ``interval="korn-graubard"`` is the
    conservative choice for pass or fail: the smoothed variance where it is larger than the plain one, and the degrees of
    freedom in the effective n.

    The interval is only as honest as the chances: where failures hide among inputs of tiny chance, as with the scores of
    an overconfident model, a sample without them looks precise, and a uniform share corrects that in part. Where the design
    gives the smallest chance there is an always-valid interval, which allows for what such a failure would weigh.
    """

    interval: Literal["logit", "korn-graubard"] = "logit"

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts; see the Estimator protocol."""
        if not isinstance(design, PerDraw):
            raise wrong_design(design, PerDraw, "Hansen-Hurwitz estimator")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_probabilities(sample, "Hansen-Hurwitz estimator")
        need_labels(sample)
        settled = sample.only_settled()
        terms = _terms(settled, design.size)
        if sample.is_pass_or_fail(loss_bound):
            found = self._proportion(terms, 1 / (design.size * settled.probabilities), level)
        else:
            limits, mean = possible(terms, None, loss_bound), float(terms.mean())
            found = mean_of_terms(mean, _error(terms), len(terms), limits, level, "Hansen-Hurwitz")
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: float(_terms(filled, design.size).mean()),
        )

    def _proportion(self, terms: NDArray[np.float64], weights: NDArray[np.float64], level: float) -> MeanLoss:
        """The failure rate; ``weights`` (n,) are 1 / (N p) of the draws, failed or not."""
        n, mean = len(terms), float(terms.mean())
        error = _error(terms)
        if self.interval == "logit":
            return rate_of_terms(mean, error, weights, possible(terms, None, 1.0), level, "Hansen-Hurwitz")
        shown, mean_weight = min(mean, 1.0), float((weights**2).sum() / weights.sum())
        fewer = (t_quantile(level, np.inf) / t_quantile(level, n - 1)) ** 2 if n > 1 else 1.0
        interval = korn_graubard(shown, fewer * smoothed_effective_n(shown, n, mean_weight, error), level)
        plain = error is not None and 0 < mean < 1 and not no_spread(error, mean)
        standard_error = error if plain else float(np.sqrt(smoothed_variance(shown, n, mean_weight, error)))
        return MeanLoss(mean, standard_error, interval, "Hansen-Hurwitz, Korn-Graubard interval")


def _terms(sample: Sample, size: int) -> NDArray[np.float64]:
    """loss / (N p) of each draw, (n,)."""
    terms: NDArray[np.float64] = sample.losses / (size * sample.probabilities)  # Hansen and Hurwitz 1943
    return terms


def _error(terms: NDArray[np.float64]) -> float | None:
    """Standard error of the mean of n terms; None from one."""
    return float(np.sqrt(terms.var(ddof=1) / len(terms))) if len(terms) > 1 else None


class RaoHartleyCochran:
    """Sum over the groups of z / p, p the chance of the draw inside its group, over the inputs in these groups.

    With all groups labeled that is DeepSample's equation 5 (6 for other losses). The groups labeled so far hold M inputs,
    a simple random sample of the N, so the estimate is unbiased after every draw, and its variance has two parts: that of
    Rao, Hartley and Cochran inside the M, and that of the M among the N. Both are estimated without bias, for each group
    labeled or not, whatever the losses. The interval is the logit one for pass or fail, Student's for other losses; it is
    only as honest as the chances, see ``HansenHurwitz``.

    Source: Rao, Hartley and Cochran 1962, "On a simple procedure of unequal probability sampling without replacement".
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts; see the Estimator protocol."""
        if not isinstance(design, Groups):
            raise wrong_design(design, Groups, "Rao-Hartley-Cochran estimator")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        _check(design, sample)
        need_labels(sample)
        settled = sample.only_settled()
        sizes = np.asarray(design.stratum_sizes)
        chances = np.asarray(design.group_chances, dtype=np.float64)

        def mean_of(filled: Sample) -> float:
            return float((filled.losses / filled.probabilities).sum() / sizes[filled.strata].sum())

        mean, limits = mean_of(settled), possible(settled.losses, design.size, loss_bound)
        if settled.labeled == design.size:
            found = all_labeled(mean)
        else:
            variance = variance_of_mean(settled, sizes[settled.strata], chances[settled.strata], design.size)
            error = None if variance is None else float(np.sqrt(max(variance, 0.0)))
            if settled.is_pass_or_fail(loss_bound):
                weights = len(settled.losses) / (sizes[settled.strata].sum() * settled.probabilities)
                found = rate_of_terms(mean, error, weights, limits, level, "Rao-Hartley-Cochran")
            else:
                found = mean_of_terms(mean, error, settled.labeled, limits, level, "Rao-Hartley-Cochran")
        return as_accuracy(found, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)


def variance_of_mean(
    settled: Sample, sizes: NDArray[np.intp], chances: NDArray[np.float64], population: int
) -> float | None:
    """Unbiased, so at times below 0; from n draws, the sizes (n,) and total chances (n,) of their groups, and N.

    None with one draw, and where something failed in a group whose chances are all 0, or too small to divide by.
    """
    labeled, squared = int(sizes.sum()), float((sizes.astype(np.float64) ** 2).sum())
    totals = settled.losses / settled.probabilities  # of each group, estimated
    shares = chances / chances.sum() if chances.any() else sizes / labeled  # q_r among the groups labeled
    if len(sizes) < 2 or (totals[shares == 0] > 0).any():
        return None
    total = float(totals.sum())
    with np.errstate(over="ignore"):
        off = (totals - shares * total) ** 2
        spread = float(np.divide(off, shares, out=np.zeros(len(sizes)), where=shares > 0).sum())
    if not np.isfinite(spread):  # a group whose chance is nearly 0, beside one that outweighs all
        return None
    inside = (squared - labeled) / (labeled**2 - squared) * spread  # Rao, Hartley and Cochran 1962, of the total of M
    squares = (settled.losses**2 / settled.probabilities).sum()
    variance = (squares - (total**2 - inside) / labeled) / (labeled - 1)  # S^2 of the losses
    outside = (1 - labeled / population) * variance / labeled  # Cochran 1977, eq. 2.20
    return float(inside / labeled**2 + outside)


def _check(design: Groups, sample: Sample) -> None:
    """Raises BadInput where the draws cannot have come from these groups."""
    count = len(design.stratum_sizes)
    if len(design.group_chances) != count:
        raise BadInput(
            f"The design has {len(design.group_chances)} chances for {count} groups. Expected one for each. "
            "Make the plan again."
        )
    need_probabilities(sample, "Rao-Hartley-Cochran estimator")
    drawn = np.bincount(sample.strata, minlength=1)
    if drawn.max() > 1:
        raise BadInput(
            f"Group {int(drawn.argmax())} has {drawn.max()} draws; each group gives one. Use the draws of this plan."
        )


class TwoStageMean:
    """Mean over the draws of N_h z / (N psi_h), psi_h the chance of the draw's stratum: DeepSample, equations 15 and 16.

    The standard error is that of the mean of these terms, as if an input could come twice from its stratum: a little too
    large. For pass or fail the interval is the logit one, other losses take Student's.

    DeepSample's program averages differently: the mean loss of each stratum drawn, times N_h / (N psi_h), averaged
    over the strata drawn. It weighs a stratum drawn once the same as one drawn a hundred times, and is biased; where
    the design says so the estimate is that one, without an interval.
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts; see the Estimator protocol."""
        if not isinstance(design, TwoStage):
            raise wrong_design(design, TwoStage, "two-stage estimator")
        check_level(level)
        weights = _weights(design)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        settled = sample.only_settled()

        def mean_of(filled: Sample) -> float:
            terms = filled.losses * weights[filled.strata]
            return _average_over_strata(terms, filled.strata) if design.averaged_over_strata else float(terms.mean())

        mean = mean_of(settled)
        if design.averaged_over_strata:
            why = (
                "DeepSample's program averages over the strata drawn, which is biased, so there is no honest interval; "
                "2-ups as the paper defines it has an unbiased estimate."
            )
            found = MeanLoss(mean, None, None, "average over the strata met, as published", why)
        else:
            found = _two_stage_mean(settled, weights[settled.strata], level, loss_bound)
        return as_accuracy(found, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)


def _weights(design: TwoStage) -> NDArray[np.float64]:
    """N_h / (N psi_h) of each stratum, (H,); infinite where its chance is 0. BadInput where the chances do not fit."""
    chances, sizes = np.asarray(design.stratum_chances, dtype=np.float64), np.asarray(design.stratum_sizes)
    if chances.shape != sizes.shape or not (chances >= 0).all() or abs(chances.sum() - 1) > 1e-6:
        raise BadInput(
            f"The design has {chances.size} chances summing to {chances.sum():.6g} for {sizes.size} strata. Expected one "
            "of at least 0 for each, summing to 1. Make the plan again."
        )
    with np.errstate(divide="ignore"):
        return np.asarray(sizes / sizes.sum() / chances, dtype=np.float64)


def _two_stage_mean(settled: Sample, weights: NDArray[np.float64], level: float, loss_bound: float | None) -> MeanLoss:
    """The unbiased estimate with its interval; ``weights`` (n,) are those of the draws."""
    terms = settled.losses * weights  # DeepSample, eq. 15
    n, mean = len(terms), float(terms.mean())
    error = float(np.sqrt(terms.var(ddof=1) / n)) if n > 1 else None  # Cochran 1977, eq. 11.33
    limits = possible(settled.losses, None, loss_bound)
    if settled.is_pass_or_fail(loss_bound):
        return rate_of_terms(mean, error, weights, limits, level, "two-stage mean")
    return mean_of_terms(mean, error, n, limits, level, "two-stage mean")


def _average_over_strata(terms: NDArray[np.float64], strata: NDArray[np.intp]) -> float:
    """Mean, over the strata drawn, of the mean term in each."""
    counts = np.bincount(strata)
    met = counts > 0
    return float((np.bincount(strata, terms)[met] / counts[met]).mean())


class StepByStep:
    """Mean over the draws of (sum of the losses before + z / q) / N, q the chance of this draw.

    DeepSample's equations 8 and 10; equation 10's form serves other losses too, because equation 11 as printed, with
    means in place of sums, does not estimate the mean squared error (and its equation 9 divides by N once more).

    Each step is unbiased given the ones before, so the steps, uncorrelated, have the unbiased variance sum of (step -
    mean)^2 / (n (n - 1)). The interval is the logit one for pass or fail, Student's for other losses. A draw nobody could
    settle is left out, and counts in later sums as much as the estimate says.
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, Sequential):
            raise wrong_design(design, Sequential, "step-by-step estimator")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_probabilities(sample, "step-by-step estimator")
        need_labels(sample)
        if sample.labeled == design.size:
            mean = float(sample.losses.mean())
            found = all_labeled(mean)
        else:
            found = _deepest_mean(sample, design.size, level, loss_bound)
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: float(steps(filled, design.size).mean()),
        )


def steps(sample: Sample, size: int) -> NDArray[np.float64]:
    """The estimate of each settled draw, (labeled,): the losses before it and its own over its chance, over N."""
    settled = sample.settled
    before = np.cumsum(np.where(settled, sample.losses, 0.0))[settled] - sample.losses[settled]
    known = (before + sample.losses[settled] / sample.probabilities[settled]) / size  # DeepSample, eq. 10
    unknown = np.cumsum(~settled)[settled] / size  # share of the inputs that were skipped before
    mean = known.mean() / (1 - unknown.mean())  # so that mean(known + unknown mean) is this mean again
    return np.asarray(known + unknown * mean, dtype=np.float64)


def _deepest_mean(sample: Sample, size: int, level: float, loss_bound: float | None) -> MeanLoss:
    terms, settled = steps(sample, size), sample.only_settled()
    n, mean = len(terms), float(terms.mean())
    error = float(np.sqrt(terms.var(ddof=1) / n)) if n > 1 else None
    limits = possible(settled.losses, size, loss_bound)
    if sample.is_pass_or_fail(loss_bound):
        return rate_of_terms(mean, error, 1 / (size * settled.probabilities), limits, level, "step by step")
    return mean_of_terms(mean, error, n, limits, level, "step by step")


class MeanOfChosen:
    """Mean loss of the labeled inputs; no standard error and no interval, because there are no chances."""

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the labeled inputs, without guarantee for the others; see the Estimator protocol."""
        if not isinstance(design, Purposive):
            raise wrong_design(design, Purposive, "mean of the chosen inputs")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        found = MeanLoss(
            float(sample.only_settled().losses.mean()),
            None,
            None,
            "mean of the chosen inputs, no guarantee",
            "No interval: these inputs were chosen, not drawn at random, so they say nothing certain about the rest. A "
            "technique that draws at random, such as round-robin (rrs), gives one.",
        )
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: float(filled.losses.mean()),
        )


class WholeGroupsMean:
    """Sum w z over sum w with w = (A_h / a_h) (M_i / m_i), the group being the unit (Sarndal et al. 1992, section 8.5).

    The variance is that of the groups' totals, and of what is not labeled inside them. Of pass or fail and of grades the
    interval is that of a share with as many labels as the groups are worth, with Student's t of as many degrees of freedom as
    there are groups less strata; until faults are seen, a group counts as if its inputs shared one outcome. Other losses have
    Student's interval with the same degrees, corrected for the skewness of the groups' totals.

    >>> from testimate.core.draw import GroupDraw
    >>> design = WholeGroups((40,), 8, stratum_groups=(10,), group_sizes=(4, 4))
    >>> labels = [Verdict(GroupDraw(row, group=row // 4), float(row == 0)) for row in range(8)]
    >>> found = WholeGroupsMean().estimate(design, labels)
    >>> found.accuracy, round(found.standard_error, 4)
    (0.875, 0.1118)
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in labeling order; see the Estimator protocol."""
        if not isinstance(design, WholeGroups):
            raise wrong_design(design, WholeGroups, "mean of whole groups")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        weights = draw_weights(design, verdicts, loss_bound)
        assert isinstance(weights, GroupsWeights)
        losses = sample.losses[weights.positions]
        found = ratios(weights, losses[:, None], np.ones((len(losses), 1)))
        shares = is_graded(losses, loss_bound)
        mean, error = float(found.values[0]), float(np.sqrt(found.variances[0]))
        known, why = len(losses) == design.size, ""
        if known:
            interval = Interval(mean, mean)
        elif shares:
            ends = share_ends(found, level)
            interval = Interval(float(ends.low[0]), float(ends.high[0]))
        elif not no_spread(error, mean):
            skewness = weights.skewness((losses - mean) / weights.weights.sum())
            interval = skewed_t_interval(mean, error, weights.degrees, skewness, level)
        else:
            interval, why = (
                Interval(mean, mean),
                "The groups labeled so far do not differ, so how far others may differ is not known. Label more.",
            )
        method = f"ratio of whole groups, {'Wilson' if shares else 'skewness-corrected t'} interval"
        limits = possible(losses, design.size, loss_bound)
        made = MeanLoss(mean, error, None if why else interval.within(*limits), method, why)

        def mean_of(filled: Sample) -> float:
            every = draw_weights(design, [Verdict(one.draw, 0.0) for one in verdicts], loss_bound)
            return float(every.weights @ filled.losses / every.weights.sum())

        return as_accuracy(made, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)
