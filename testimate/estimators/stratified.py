"""Estimates of simple random samples, whole and inside strata, with the intervals of their means."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, IntervalVersion, SimpleRandom, Stratified, StratifiedAsPublished
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.always_valid import prior_failure_of
from testimate.estimators.intervals import (
    EVEN_SHARE,
    OF_GRADES,
    Ends,
    Interval,
    clopper_pearson,
    counts_not_refuted,
    counts_of_simple_sample,
    is_graded,
    korn_graubard_ends,
    no_spread,
    possible,
    score_lower_end,
    score_upper_end,
    skewed_t_interval,
    stratified_variance_at,
    third_moments,
    wilson,
)
from testimate.estimators.sample import (
    MeanLoss,
    Sample,
    all_labeled,
    as_accuracy,
    need_each_stratum,
    need_labels,
    sample_of,
    wrong_design,
)
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.weights import draw_weights, ratios, share_ends


def graded_mean(design: Design, verdicts: Sequence[Verdict], *, level: float, limits: Interval, name: str) -> MeanLoss:
    """The weighted mean with the interval that slices of graded losses have (see ``share_ends``; decision 221).

    ``limits`` : what the labels leave possible. ``name`` : of the estimate, for its method.
    """
    weights = draw_weights(design, verdicts, 1.0)
    losses = np.array([verdicts[place].loss for place in weights.positions.tolist()], dtype=np.float64)
    found = ratios(weights, losses[:, None], np.ones((len(losses), 1)))
    ends = share_ends(found, level)
    interval = Interval(float(ends.low[0]), float(ends.high[0])).within(*limits)
    return MeanLoss(float(found.values[0]), float(np.sqrt(found.variances[0])), interval, f"{name}, {OF_GRADES}")


@dataclass(frozen=True)
class SampleMean:
    """Mean loss of the labels, with Wilson's interval for pass or fail, and for other losses Student's corrected for skewness.

    Grades have the interval of a share, see ``graded_mean``.

    Without replacement Wilson takes the effective n = n (N - 1) / (N - n), which makes p (1 - p) / n the variance of
    the hypergeometric: its exact coverage averages 0.95 at every n / N, where plain n covers up to 1.00. Every label
    known, the interval is the point. Where few fail no end excludes a count of failures under which just these labels
    have more than (1 - level) / 2 chance by the hypergeometric. ``interval="clopper-pearson"`` (plain n) is the
    conservative choice.

    >>> from testimate.core.draw import Draw
    >>> design = SimpleRandom(stratum_sizes=(1000,), planned=50)
    >>> found = SampleMean().estimate(design, [Verdict(Draw(row), float(row < 5)) for row in range(50)])
    >>> round(found.accuracy, 4), round(found.low, 4), round(found.high, 4)
    (0.9, 0.7899, 0.962)
    """

    interval: Literal["wilson", "clopper-pearson"] = "wilson"

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, SimpleRandom):
            raise wrong_design(design, SimpleRandom, "sample mean")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        losses = sample.only_settled().losses
        left = 1.0 if design.replacement else 1 - len(losses) / design.size
        limits = possible(losses, None if design.replacement else design.size, loss_bound)
        if left == 0:
            mean = float(losses.mean())
            found = all_labeled(mean)
        elif sample.is_pass_or_fail(loss_bound):
            found = self._proportion(losses, np.inf if design.replacement else design.size, limits, level)
        elif is_graded(losses, loss_bound) and self.interval == "wilson":
            found = graded_mean(design, verdicts, level=level, limits=limits, name="sample mean")
        else:
            found = _mean_of_simple_sample(losses, left, limits, level)
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=_mean,
        )

    def _proportion(self, losses: NDArray[np.float64], size: float, limits: Interval, level: float) -> MeanLoss:
        """The failure rate of n labels from ``size`` inputs (infinite with replacement)."""
        n, failures, p = len(losses), float(losses.sum()), float(losses.mean())
        left = 1 - n / size
        variance = left * p * (1 - p) / max(n - 1, 1)  # Cochran 1977, eq. 3.8
        if variance == 0:  # no failure so far does not mean no variance: two labels at 1/2 smooth it
            smoothed = (failures + 1) / (n + 2)
            variance = left * smoothed * (1 - smoothed) / n
        if self.interval == "wilson":
            effective = n if np.isinf(size) else n * (size - 1) / (size - n)
            interval, method = wilson(p, effective, level), "sample mean, Wilson interval"
            if not np.isinf(size):
                counts = counts_of_simple_sample(int(failures), n, int(size), level)
                low, high = np.fmin(interval.low, counts.least / size), np.fmax(interval.high, counts.greatest / size)
                interval = Interval(float(low), float(high))
        else:
            interval, method = clopper_pearson(failures, n, level), "sample mean, Clopper-Pearson interval"
        return MeanLoss(p, float(np.sqrt(variance)), interval.within(*limits), method)


def _mean_of_simple_sample(losses: NDArray[np.float64], left: float, limits: Interval, level: float) -> MeanLoss:
    """The mean of losses of any size, ``left`` the share of the inputs not labeled."""
    mean, n = float(losses.mean()), len(losses)
    error = float(np.sqrt(left * losses.var(ddof=1) / n)) if n > 1 else 0.0  # Cochran 1977, eq. 2.20
    if no_spread(error, mean):
        why = f"The losses of the {n} labels so far do not differ, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, "sample mean", why)
    third = float(third_moments(losses, np.zeros(n, dtype=np.intp), np.array([n]))[0])
    skewness = left * (2 * left - 1) * third / n**2 / error**3
    interval = skewed_t_interval(mean, error, n - 1, skewness, level)
    return MeanLoss(mean, error, interval.within(*limits), "sample mean, skewness-corrected t interval")


def _mean(sample: Sample) -> float:
    """Mean loss of a sample without skipped draws."""
    return float(sample.losses.mean())


PSEUDO_LABELS = 2  # labels in each stratum that failed at the prior rate, which smooth it


def smoothed_rates(
    failures: NDArray[np.number[Any]], counts: NDArray[np.number[Any]], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Failure rates (..., H) as if two more labels in each stratum had failed at the rate ``prior``."""
    return np.asarray((failures + PSEUDO_LABELS * prior) / (counts + PSEUDO_LABELS), dtype=np.float64)


def stratified_ends(
    failures: NDArray[np.number[Any]],
    counts: NDArray[np.number[Any]],
    sizes: NDArray[np.intp],
    prior: NDArray[np.float64],
    *,
    level: float = 0.95,
    conservative: bool = False,
    replacement: bool = False,
    version: IntervalVersion = 1,
) -> Ends:
    """Ends of the failure rate, (...).

    They are those of the score interval, whose rates move as the rate asked about does: upwards a part of what is added
    may lie anywhere (``EVEN_SHARE``), downwards all rates shrink in proportion. Neither end excludes a count of failures
    under which just these labels have more than (1 - level) / 2 chance, unseen failures lying where the score interval
    has them. The conservative interval is the hull of this one, Korn and Graubard's, the score interval that ignores the
    network's word (even share 1), and the counts of failures that may all hide in one stratum, whichever that is. Korn
    and Graubard's effective n is taken without the finite population correction in strata that are not labeled whole:
    Clopper and Pearson's binomial is exact for plain n, and with the correction covers 93% of samples of 50 of 100 inputs.

    Version 2 has Student's quantile with n - 1 degrees of freedom in place of the normal one: a spread that 20 labels show is
    itself uncertain.

    Parameters
    ----------
    failures, counts : (..., H) failures among n_h labels; n_h above 0.
    sizes, prior : (H,) inputs N_h and the rates, above 0, by which a stratum's rate is smoothed.
    """
    weights, seen = sizes / sizes.sum(), np.asarray(failures, dtype=np.float64)
    mean = (seen / counts) @ weights  # (...)
    rates = smoothed_rates(seen, counts, prior)
    moving = stratified_variance_at(rates, counts, sizes, replacement=replacement)
    shrinking = stratified_variance_at(rates, counts, sizes, even=0.0, replacement=replacement)
    degrees = np.inf if version == 1 else np.maximum(np.sum(counts, axis=-1) - 1, 1)
    ends = Ends(score_lower_end(mean, shrinking, level, degrees), score_upper_end(mean, moving, level, degrees))
    if conservative:
        open_strata = np.ones(len(sizes), bool) if replacement else counts < sizes
        uncorrected = (open_strata * weights**2 * rates * (1 - rates) / counts).sum(axis=-1)
        varies = uncorrected > 0
        careful = np.where(varies, moving.start * (1 - moving.start) / np.where(varies, uncorrected, 1), np.inf)
        ignoring = stratified_variance_at(rates, counts, sizes, even=1.0, replacement=replacement)
        ends = ends.joined(korn_graubard_ends(mean, careful, level))
        ends = ends.joined(Ends(ends.low, score_upper_end(mean, ignoring, level, degrees)))
    if replacement:
        return ends
    left = np.broadcast_to(sizes - counts, seen.shape)
    growth = EVEN_SHARE + (1 - EVEN_SHARE) * rates / moving.start[..., None]  # g of the score interval
    hiding = (left * growth)[..., None, :]  # (..., ways of hiding, H)
    if conservative:
        hiding = np.concatenate([hiding, left[..., None] * np.eye(len(sizes))], axis=-2)
    possible = counts_not_refuted(seen[..., None, :], np.asarray(counts)[..., None, :], sizes, hiding, level)
    least, greatest = (np.fmin.reduce(possible.least, axis=-1), np.fmax.reduce(possible.greatest, axis=-1))
    ends = ends.joined(Ends(least / sizes.sum(), greatest / sizes.sum()))
    found = seen.sum(axis=-1) / sizes.sum()
    open_ = left.sum(axis=-1) / sizes.sum()
    return Ends(np.clip(ends.low, found, found + open_), np.clip(ends.high, found, found + open_))


@dataclass(frozen=True)
class StratifiedMean:
    """Sum of W_h times the mean loss in stratum h, W_h = N_h / N; it needs a label in every stratum.

    For pass or fail the score interval lies around that plain estimate (see ``stratified_ends``), from smoothed failure
    rates: a stratum without failures so far is not one without variance. The standard error reported is the classical
    one; where that is 0, or a stratum with inputs left has fewer than 2 labels, the smoothed one. Other losses take
    Student's interval with Satterthwaite's degrees of freedom, corrected for skewness; grades that of a share (see
    ``graded_mean``). Where every input is labeled the
    interval is the point and the standard error 0.
    ``interval="korn-graubard"`` is the conservative choice.
    """

    interval: Literal["score", "korn-graubard"] = "score"

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, Stratified):
            raise wrong_design(design, Stratified, "stratum-weighted mean")
        check_level(level)
        sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
        prior = prior_failure_of(design)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        settled = sample.only_settled()
        counts = np.bincount(settled.strata, minlength=len(sizes))
        need_each_stratum(counts)
        census = not design.replacement and bool((counts == sizes).all())
        mean = stratum_weighted_mean(settled.losses, settled.strata, sizes)
        if census:
            found = all_labeled(mean)
        elif sample.is_pass_or_fail(loss_bound):
            found = self._proportion(design, settled, prior, level)
        elif is_graded(settled.losses, loss_bound) and self.interval == "score":
            limits = possible(settled.losses, None if design.replacement else design.size, loss_bound)
            found = graded_mean(design, verdicts, level=level, limits=limits, name="stratum-weighted mean")
        else:
            found = _mean_of_strata(design, settled, level, loss_bound)
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: stratum_weighted_mean(filled.losses, filled.strata, sizes),
        )

    def _proportion(self, design: Stratified, settled: Sample, prior: NDArray[np.float64], level: float) -> MeanLoss:
        """The failure rate with its interval."""
        sizes = np.asarray(design.stratum_sizes)
        counts = np.bincount(settled.strata, minlength=len(sizes))
        failures = _totals(settled.losses, settled.strata, len(sizes))
        ends = stratified_ends(
            failures,
            counts,
            sizes,
            prior,
            level=level,
            conservative=self.interval != "score",
            replacement=design.replacement,
            version=design.interval_version,
        )
        mean = stratum_weighted_mean(settled.losses, settled.strata, sizes)
        error = stratified_standard_error(settled.losses, settled.strata, sizes, replacement=design.replacement)
        if not error:
            smooth = smoothed_rates(failures, counts, prior)
            spread = smooth * (1 - smooth)
            error = float(np.sqrt(stratified_variance(spread, counts, sizes, replacement=design.replacement)))
        name = "score interval" if self.interval == "score" else "Korn-Graubard interval joined with the score interval"
        return MeanLoss(
            mean,
            error,
            Interval(float(ends.low), float(ends.high)),
            f"stratum-weighted mean, {name}",
        )


def stratum_weighted_mean(losses: NDArray[np.float64], strata: NDArray[np.intp], sizes: NDArray[np.intp]) -> float:
    """Sum of W_h zbar_h over (n,) losses in ``strata``, W_h = N_h / N; every stratum has at least one.

    >>> stratum_weighted_mean(np.array([1.0, 0.0, 0.0]), np.array([0, 0, 1]), np.array([10, 30]))
    0.125
    """
    counts = np.bincount(strata, minlength=len(sizes))
    totals = _totals(losses, strata, len(sizes))
    return float(np.dot(sizes / sizes.sum(), totals / counts))  # Cochran 1977, eq. 5.1


def stratified_standard_error(
    losses: NDArray[np.float64], strata: NDArray[np.intp], sizes: NDArray[np.intp], *, replacement: bool = False
) -> float | None:
    """The classical, design-unbiased standard error of the stratum-weighted mean.

    None where a stratum with inputs left has fewer than 2 labels. With ``replacement`` no finite population correction.
    """
    counts = np.bincount(strata, minlength=len(sizes))
    if (counts < (2 if replacement else np.minimum(2, sizes))).any():
        return None
    spread = _spread(losses, strata, counts)
    return float(np.sqrt(stratified_variance(spread, counts, sizes, replacement=replacement)))


def stratified_variance(
    spread: NDArray[np.float64], counts: NDArray[np.number[Any]], sizes: NDArray[np.intp], *, replacement: bool = False
) -> float:
    """Sum of W_h^2 (1 - n_h / N_h) S_h^2 / n_h from the strata's variances ``spread`` (H,) and ``counts`` n_h (H,)."""
    left = 1.0 if replacement else 1 - counts / sizes
    terms = (sizes / sizes.sum()) ** 2 * left * spread / counts  # Cochran 1977, eq. 5.7
    return float(terms.sum())


def _mean_of_strata(design: Stratified, settled: Sample, level: float, loss_bound: float | None) -> MeanLoss:
    """The mean of losses of any size with Student's interval, corrected for skewness."""
    sizes = np.asarray(design.stratum_sizes)
    mean = stratum_weighted_mean(settled.losses, settled.strata, sizes)
    error = stratified_standard_error(settled.losses, settled.strata, sizes, replacement=design.replacement)
    if error is None:
        counts = np.bincount(settled.strata, minlength=len(sizes))
        single = int(((counts == 1) & ((sizes > 1) | design.replacement)).sum())
        why = f"{single} of the {len(sizes)} strata have one label only, and a spread needs two; label more."
        return MeanLoss(mean, None, None, "stratum-weighted mean", why)
    if no_spread(error, mean):
        why = "The losses inside each stratum do not differ so far, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, "stratum-weighted mean", why)
    skewness = stratified_skewness(design, settled, error)
    interval = skewed_t_interval(mean, error, satterthwaite_degrees(design, settled), skewness, level)
    limits = possible(settled.losses, None if design.replacement else design.size, loss_bound)
    return MeanLoss(mean, error, interval.within(*limits), "stratum-weighted mean, skewness-corrected t interval")


def satterthwaite_degrees(design: SimpleRandom | Stratified, settled: Sample) -> float:
    """Degrees of freedom of the classical variance (Satterthwaite 1946; Cochran 1977, eq. 5.16), above 0."""
    sizes = np.asarray(design.stratum_sizes)
    counts = np.bincount(settled.strata, minlength=len(sizes))
    left = 1.0 if design.replacement else 1 - counts / sizes
    terms = sizes**2 * left * _spread(settled.losses, settled.strata, counts) / counts
    return float(terms.sum() ** 2 / (terms**2 / np.maximum(counts - 1, 1)).sum())


def stratified_skewness(design: SimpleRandom | Stratified, settled: Sample, standard_error: float) -> float:
    """Skewness of the stratum-weighted mean: sum of W_h^3 (1 - f) (1 - 2 f) m3_h / n_h^2 over the cubed standard error."""
    sizes = np.asarray(design.stratum_sizes)
    counts = np.bincount(settled.strata, minlength=len(sizes))
    share = np.zeros(len(sizes)) if design.replacement else counts / sizes
    moments = third_moments(settled.losses, settled.strata, counts)
    thirds = (sizes / sizes.sum()) ** 3 * (1 - share) * (1 - 2 * share) * moments / counts**2
    return float(thirds.sum() / standard_error**3)


def _spread(losses: NDArray[np.float64], strata: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sample variance of the losses in each stratum, (H,); 0 where there is one only."""
    centered = losses - (_totals(losses, strata, len(counts)) / counts)[strata]
    return _totals(centered**2, strata, len(counts)) / np.maximum(counts - 1, 1)


def _totals(values: NDArray[np.float64], strata: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    """Sum of the values (n,) in each of ``count`` strata."""
    return np.bincount(strata, weights=values, minlength=count).astype(np.float64)


class PublishedStratified:
    """Sum of W_h times the failure rate of stratum h, as the program named by the design computes that rate.

    "gbs" (DeepSample's): each stratum's count starts at 1 before any label, so z failures among n labels are z / (n + 1);
    a stratum without failures, unless it gave the last label, has 1 / (n + 2). The first error raises the accuracy, the
    second lowers it. Of losses other than pass or fail the mean is the sum over n + 1.
    "ssoa" (SSOA's): z / n, and a stratum without labels, whose spread was estimated as 0, counts as right.
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy as published, without an interval; see the Estimator protocol."""
        if not isinstance(design, StratifiedAsPublished):
            raise wrong_design(design, StratifiedAsPublished, "estimator of the published programs")
        check_level(level)
        if design.program not in ("gbs", "ssoa"):
            raise BadInput(
                f"The program {design.program!r:.40} is not known. Expected gbs or ssoa. Make the plan again."
            )
        sizes = np.asarray(design.stratum_sizes)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        pass_or_fail = bool(np.isin(sample.only_settled().losses, (0.0, 1.0)).all())

        def mean_of(filled: Sample) -> float:
            if design.program == "ssoa":
                rates = _rates(filled, len(sizes), 0)
            else:
                rates = _rates(filled, len(sizes), 1)
                if pass_or_fail:
                    rates = _without_zeros(rates, filled, len(sizes))
            return float(np.dot(sizes / sizes.sum(), rates))

        why = (
            "This is the estimate of a published program, which is biased, so there is no honest interval; the "
            "technique's default estimate is better and has one."
        )
        found = MeanLoss(mean_of(sample.only_settled()), None, None, f"{design.program}, as published", why)
        return as_accuracy(found, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)


def _rates(sample: Sample, count: int, more: int) -> NDArray[np.float64]:
    """Sum of the losses over labels and ``more`` in each of ``count`` strata, (H,); 0 where there is none."""
    labels = np.bincount(sample.strata, minlength=count) + more
    rates: NDArray[np.float64] = np.bincount(sample.strata, sample.losses, minlength=count) / np.maximum(labels, 1)
    return rates


def _without_zeros(rates: NDArray[np.float64], sample: Sample, count: int) -> NDArray[np.float64]:
    """The rates with 1 / (n + 2) in place of a 0, but in the stratum of the last label."""
    zero = rates == 0
    zero[sample.strata[-1]] = False
    return np.where(zero, 1 / (np.bincount(sample.strata, minlength=count) + 2), rates)
