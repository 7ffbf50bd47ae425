"""Thousands of campaigns or estimates at once, draw by draw those of the techniques: for studies that need thousands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from research.methods.exact import FIXED_STRATA, strata_of_all
from testimate.core.design import IntervalVersion, Stratified
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, defaults_of
from testimate.estimators.always_valid import prior_failure_of
from testimate.estimators.difference import Model, assisted_ends, residual_sums, without_leverage
from testimate.estimators.intervals import Ends
from testimate.estimators.sample import RoundSample
from testimate.estimators.stratified import stratified_ends
from testimate.planning.build import build
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds
from testimate.selectors.base import AHEAD
from testimate.selectors.logistic_regression import Line, Prior, most_likely_line
from testimate.selectors.prioritizers import CONFIDENCE_PRIOR, SCORE_PRIOR, log_odds, normal_scores
from testimate.studies.campaign import known_losses

TIES = 4
"""Seeds that break the ties of the scores; each serves a part of the campaigns."""


@dataclass(frozen=True, eq=False)
class ManyStratified:
    """R campaigns of one technique at one budget.

    Attributes
    ----------
    truth : accuracy of the whole set.
    accuracy, failures : (R,) estimate and failures found.
    score, korn_graubard : (R, 2) ends of the two intervals of accuracy, as ``StratifiedMean`` has them.
    """

    truth: float
    accuracy: NDArray[np.float64]
    failures: NDArray[np.float64]
    score: NDArray[np.float64]
    korn_graubard: NDArray[np.float64]

    def coverage(self, interval: str = "score") -> float:
        """Share of the campaigns whose interval holds the truth."""
        low, high = getattr(self, interval).T
        return float(((low <= self.truth + 1e-12) & (self.truth - 1e-12 <= high)).mean())


def many_stratified(inputs: Inputs, request: Request, *, campaigns: int, level: float = 0.95) -> ManyStratified:
    """Campaigns of the request for rrs, ssrs or css on losses of 0 and 1: the same in law as one by one, in milliseconds.

    Parameters
    ----------
    inputs : of known truth, every loss 0 or 1.
    request : technique and budget; its seed determines everything.
    campaigns : R, at least TIES.

    Raises
    ------
    BadInput : another technique, other losses, or a budget that leaves a stratum without a label.
    """
    losses = known_losses(inputs)
    if request.technique not in FIXED_STRATA or not np.isin(losses, (0.0, 1.0)).all() or campaigns < TIES:
        raise BadInput(
            f"{request.technique} with {campaigns} campaigns was asked for. Expected one of {', '.join(FIXED_STRATA)}, "
            f"losses of 0 and 1, and at least {TIES} campaigns. Run a study."
        )
    rng = np.random.default_rng(request.seed)
    parts = [
        _with_one_order(inputs, replace(request, seed=int(rng.integers(2**32))), len(part), level, rng)
        for part in np.array_split(np.arange(campaigns), TIES)
    ]
    columns = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("accuracy", "failures", "score", "korn_graubard")
    }
    return ManyStratified(truth=float(1 - losses.mean()), **columns)


def _with_one_order(
    inputs: Inputs, request: Request, campaigns: int, level: float, rng: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    """The columns of campaigns whose ties were broken alike."""
    losses = known_losses(inputs)
    strata = strata_of_all(build(inputs, replace(request, budget=len(inputs))), len(inputs))
    selector = build(inputs, request)
    design = selector.design
    assert isinstance(design, Stratified)
    sizes = np.asarray(design.stratum_sizes)  # (H,)
    wrong = np.bincount(strata, losses).astype(np.intp)  # (H,)
    if design.in_rounds:
        counts = counts_of_rounds(sizes, request.budget, campaigns, rng)  # (R, H)
    else:
        drawn = np.bincount([draw.stratum for draw in selector.ask(request.budget)], minlength=len(sizes))
        counts = np.broadcast_to(drawn, (campaigns, len(sizes)))
    if not counts.all():
        raise BadInput(
            f"A budget of {request.budget} leaves a stratum of {request.technique} without a label. Expected one in each. "
            "Raise the budget."
        )
    failures = rng.hypergeometric(wrong, sizes - wrong, counts)  # (R, H)
    return judged(failures, counts, sizes, prior_failure_of(design), level, version=design.interval_version)


def counts_of_rounds(
    sizes: NDArray[np.intp], budget: int, campaigns: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draws of each stratum, (R, H): whole rounds over those not exhausted, the last one's in random order."""
    totals = np.minimum.outer(np.arange(sizes.max() + 1), sizes).sum(axis=1)
    whole = np.minimum(int(np.searchsorted(totals, budget, "right")) - 1, sizes)  # (H,)
    more, live = budget - int(whole.sum()), whole < sizes
    turns = np.where(live, rng.random((campaigns, len(sizes))), np.inf).argsort(axis=1).argsort(axis=1)
    counts: NDArray[np.intp] = whole + (turns < more)
    return counts


def judged(
    failures: NDArray[np.intp],
    counts: NDArray[np.intp],
    sizes: NDArray[np.intp],
    prior: NDArray[np.float64],
    level: float,
    *,
    version: IntervalVersion = 1,
) -> dict[str, NDArray[np.float64]]:
    """What ``StratifiedMean`` says about each campaign, from failures and draws (R, H)."""
    mean = (failures / counts) @ (sizes / sizes.sum())  # (R,)
    ordinary, careful = (
        stratified_ends(failures, counts, sizes, prior, level=level, conservative=one, version=version)
        for one in (False, True)
    )
    return accuracies(mean, failures.sum(axis=1).astype(np.float64), ordinary, careful)


def accuracies(
    mean: NDArray[np.float64], failures: NDArray[np.float64], ordinary: Ends, careful: Ends
) -> dict[str, NDArray[np.float64]]:
    """Columns of campaigns by name, from failure rates (R,), the ends of two intervals of them, and the failures found."""
    score, korn_graubard = (1 - np.column_stack([ends.high, ends.low]) for ends in (ordinary, careful))
    return {"accuracy": 1 - mean, "failures": failures, "score": score, "korn_graubard": korn_graubard}


Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ManySamples:
    """R samples of n labels from strata: rows and their strata, (R, n), the strata in turn; ``counts`` (R, H) of each."""

    rows: Places
    strata: Places
    counts: Places


def many_samples(strata: Places, sizes: Places, labels: int, campaigns: int, rng: np.random.Generator) -> ManySamples:
    """Samples without replacement: simple random of one stratum, else whole rounds over the strata (rrs).

    Parameters
    ----------
    strata, sizes : (N,) stratum of each input, and inputs in each, (H,).
    """
    members = [np.flatnonzero(strata == number) for number in range(sizes.size)]
    one = sizes.size == 1
    counts = np.full((campaigns, 1), labels) if one else counts_of_rounds(sizes, labels, campaigns, rng)
    rows = np.empty((campaigns, labels), dtype=np.intp)
    for campaign, drawn in enumerate(counts):
        parts = [rng.choice(of, count, replace=False, shuffle=False) for of, count in zip(members, drawn, strict=True)]
        rows[campaign] = np.concatenate(parts)
    return ManySamples(rows, strata[rows], counts)


def many_assisted(
    losses: Floats, guesses: Floats, sizes: Places, samples: ManySamples, *, model: Model, level: float = 0.95
) -> dict[str, Floats]:
    """The estimates of the samples by column, from the losses and guesses of all inputs, each (N,); see ``accuracies``.

    Samples to which the model cannot be fitted, which ``estimate_difference`` refuses, are left out.
    """
    z, mu = losses[samples.rows], guesses[samples.rows]  # (R, n)
    weights = np.take_along_axis(sizes / sizes.sum() / samples.counts, samples.strata, axis=1)  # summing to 1
    if model == "difference":
        residuals, predicted, fitted = z - mu, mu, np.ones(len(z), bool)
        mean = float(guesses.mean()) + (weights * residuals).sum(axis=1)
    else:
        centered = mu - (weights * mu).sum(axis=1, keepdims=True)
        square = (weights * centered**2).sum(axis=1, keepdims=True)
        fitted = np.ptp(mu, axis=1) > 1e-12 * np.abs(mu).max(axis=1)
        square[~fitted] = 1.0
        slope = (weights * centered * z).sum(axis=1, keepdims=True) / square
        plain, off = (
            (weights * z).sum(axis=1, keepdims=True),
            float(guesses.mean()) - (weights * mu).sum(axis=1, keepdims=True),
        )
        predicted = plain + slope * centered
        residuals = without_leverage(
            (1 + off * centered / square) * (z - predicted), weights * (1 + centered**2 / square)
        )
        mean = (plain + slope * off)[:, 0]
    sums = residual_sums(z, predicted, residuals, samples.strata, sizes.size)
    ends = [assisted_ends(mean, sums, sizes, level=level, conservative=one) for one in (False, True)]
    columns = accuracies(np.clip(mean, 0, 1), z.sum(axis=1), *ends)
    return {name: column[fitted] for name, column in columns.items()}


AT_ONCE = 1 << 22
"""Numbers held at a time."""


@dataclass(frozen=True, eq=False)
class Many:
    """R campaigns at one budget: (R,) estimated failure rates, never clipped, and failures found."""

    rate: NDArray[np.float64]
    failures: NDArray[np.float64]


def many_simple(losses: NDArray[np.float64], budgets: Sequence[int], *, campaigns: int, seed: int) -> dict[int, Many]:
    """Simple random sampling without replacement: hypergeometric failures.

    ``losses`` (N,) of 0 and 1; ``budgets`` of at most N; ``campaigns`` R; ``seed`` determines everything. BadInput for
    other losses.
    """
    wrong, rng = int(check_pass_or_fail(losses).sum()), np.random.default_rng(seed)
    found = {}
    for budget in budgets:
        failures = rng.hypergeometric(wrong, losses.size - wrong, budget, size=campaigns).astype(np.float64)
        found[budget] = Many(failures / budget, failures)
    return found


def many_unequal(
    losses: NDArray[np.float64], chances: NDArray[np.float64], budgets: Sequence[int], *, campaigns: int, seed: int
) -> dict[int, Many]:
    """Draws with replacement by ``chances`` (N,) summing to 1, with the Hansen-Hurwitz mean (sups).

    ``budgets`` rise, and the campaign of a smaller one is the beginning of a larger one's. The rest as ``many_simple``.
    """
    check_pass_or_fail(losses)
    rng, bounds = np.random.default_rng(seed), np.cumsum(chances)
    terms = np.divide(losses, chances * losses.size, out=np.zeros(losses.size), where=chances > 0)
    parts: dict[int, list[Many]] = {budget: [] for budget in budgets}
    for part in np.array_split(np.arange(campaigns), 1 + campaigns * budgets[-1] // AT_ONCE):
        uniform = rng.random((len(part), budgets[-1]))
        rows = np.searchsorted(bounds / bounds[-1], uniform, side="right")  # (part, n)
        for budget in budgets:
            drawn = rows[:, :budget]
            parts[budget].append(Many(terms[drawn].mean(axis=1), losses[drawn].sum(axis=1)))
    return {
        budget: Many(
            np.concatenate([one.rate for one in found]),
            np.concatenate([one.failures for one in found]),
        )
        for budget, found in parts.items()
    }


def many_two_stage(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    stratum_chances: NDArray[np.float64],
    budgets: Sequence[int],
    *,
    campaigns: int,
    seed: int,
    as_published: bool = False,
) -> dict[int, Many]:
    """A stratum by its chance, then an input of it without replacement (2-ups).

    Parameters
    ----------
    losses, strata : (N,) loss of 0 or 1 and stratum of every input, strata 0..H-1 without gaps.
    stratum_chances : (H,) psi, summing to 1, above 0.
    budgets, campaigns, seed : as ``many_unequal`` has them.
    as_published : strata that have given all their inputs are passed over, not begun again, and the estimate is the
        average over the strata met, as in the authors' program.

    Raises
    ------
    BadInput : other losses.

    Source: DeepSample, section 3.4.2, 2-UPS.
    """
    check_pass_or_fail(losses)
    sizes = np.bincount(strata)
    wrong, rng = np.bincount(strata, losses).astype(np.intp), np.random.default_rng(seed)
    weights = sizes / losses.size / stratum_chances  # (H,)
    found = {}
    for budget in budgets:
        if as_published:
            counts = _passing_over(stratum_chances, sizes, budget, campaigns, rng)  # (R, H)
            failures = rng.hypergeometric(wrong, sizes - wrong, counts)
            terms = weights * failures / np.maximum(counts, 1)
            rate = terms.sum(axis=1) / (counts > 0).sum(axis=1)
        else:
            counts = rng.multinomial(budget, stratum_chances, size=campaigns)
            failures = counts // sizes * wrong + rng.hypergeometric(wrong, sizes - wrong, counts % sizes)
            rate = failures @ weights / budget  # DeepSample, eq. 15
        found[budget] = Many(rate, failures.sum(axis=1).astype(np.float64))
    return found


def check_pass_or_fail(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The losses, each 0 or 1; BadInput otherwise."""
    if not np.isin(losses, (0.0, 1.0)).all():
        raise BadInput(
            f"The losses run from {losses.min():.4g} to {losses.max():.4g}; campaigns at once need losses of 0 and 1. "
            "Run a study."
        )
    return losses


def _passing_over(
    chances: NDArray[np.float64], sizes: NDArray[np.intp], budget: int, campaigns: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draws of each stratum, (R, H), those that are exhausted passed over."""
    counts = rng.multinomial(budget, chances, size=campaigns)
    over = np.flatnonzero((counts > sizes).any(axis=1))  # only these campaigns met an exhausted stratum
    again = np.zeros((len(over), len(sizes)), dtype=np.intp)
    for place, row in enumerate(over):
        order = rng.permutation(np.repeat(np.arange(len(sizes)), counts[row]))
        for stratum in order:
            left = np.where(again[place] < sizes, chances, 0.0)
            open_ = again[place, stratum] < sizes[stratum]
            again[place, stratum if open_ else rng.choice(len(sizes), p=left / left.sum())] += 1
    counts[over] = again
    return counts


def many_gradient(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    budgets: Sequence[int],
    *,
    campaigns: int,
    seed: int,
    as_published: bool = False,
) -> dict[int, Many]:
    """GBS with replacement on losses of 0 and 1, the same in law as ``GradientBasedSampling`` and its estimators.

    Parameters
    ----------
    losses, strata : (N,) loss and cluster of every input, clusters 0..H-1 without gaps.
    budgets : rising, the smallest at least H.
    campaigns : R.
    seed : determines everything.
    as_published : as the authors' program computes it.

    Raises
    ------
    BadInput : other losses, or a budget below the number of clusters.

    Source: DeepSample, section 3.4.2, GBS.
    """
    sizes = np.bincount(strata)
    check_pass_or_fail(losses)
    if budgets[0] < len(sizes):
        raise BadInput(
            f"The budgets are {list(budgets)!r:.60} for {len(sizes)} clusters. Expected a draw for each. Raise them."
        )
    rates, shares = np.bincount(strata, losses) / sizes, sizes / losses.size  # each (H,)
    rng, everyone = np.random.default_rng(seed), np.arange(campaigns)
    drawn = np.ones((campaigns, len(sizes)))
    failed = (rng.random(drawn.shape) < rates).astype(np.float64)  # (R, H)
    last = rng.integers(len(sizes), size=campaigns)  # the stratum of the last label; any of the first ones
    found = {}
    for label in range(len(sizes), budgets[-1] + 1):
        if label in budgets:
            found[label] = Many(_estimate(failed, drawn, shares, last, as_published), failed.sum(axis=1))
        last = _steepest(failed, drawn, shares, as_published, rng)
        drawn[everyone, last] += 1
        failed[everyone, last] += rng.random(campaigns) < rates[last]
    return found


def _steepest(
    failed: NDArray[np.float64],
    drawn: NDArray[np.float64],
    shares: NDArray[np.float64],
    as_published: bool,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """The stratum of the next label of each campaign, (R,)."""
    if as_published:
        chance = np.where(failed > 0, failed / (drawn + 1), 1 / (drawn + 2))
        falls = shares * shares * (chance * (1 - chance)) / (drawn + 1) ** 2
        return np.asarray(falls.argmax(axis=1))
    chance = (failed + 1) / (drawn + 2)
    falls = shares * shares * (chance * (1 - chance)) / drawn**2
    best = falls.max(axis=1, keepdims=True)
    ties = falls == best
    if (ties.sum(axis=1) == 1).all():
        return np.asarray(falls.argmax(axis=1))
    return np.asarray(np.where(ties, rng.random(falls.shape), -1.0).argmax(axis=1))


def _estimate(
    failed: NDArray[np.float64],
    drawn: NDArray[np.float64],
    shares: NDArray[np.float64],
    last: NDArray[np.intp],
    as_published: bool,
) -> NDArray[np.float64]:
    """The estimated failure rate of each campaign, (R,)."""
    if not as_published:
        return np.asarray((failed / drawn) @ shares)
    rates = failed / (drawn + 1)
    zero = rates == 0
    zero[np.arange(len(last)), last] = False
    return np.asarray(np.where(zero, 1 / (drawn + 2), rates) @ shares)


TOGETHER = 40_000
"""Inputs worked on at once, over all campaigns: as many as a processor's cache takes."""

NEWTON_STEPS = 15
_OPTIONS = defaults_of(AdaptiveRounds.options)
ZONES, EPS_START, EPS_END = int(_OPTIONS["zones"]), float(_OPTIONS["eps_start"]), float(_OPTIONS["eps_end"])


def many_rounds(
    scores: Floats, losses: Floats, *, scores_are_chances: bool, budget: int, seeds: range, ahead: int = AHEAD
) -> Iterator["ManyRounds"]:
    """The labeled draws that ``AdaptiveRounds`` makes with each seed and its default options, to the last random number.

    The technique works on one set at a time; here every step is one array operation over many campaigns, which takes a
    tenth of the time. ``smallest`` and ``largest`` of the rounds, which only the always-valid interval reads, are nan.

    Parameters
    ----------
    scores, losses : (N,); losses of 0 and 1.
    budget : labels of each campaign, below N.
    ahead : rounds that are open, ``rounds_ahead`` of the technique.
    """
    if budget >= scores.size:
        raise BadInput(f"{budget} labels of {scores.size} inputs were asked for. Expected fewer labels than inputs.")
    x = log_odds(scores) if scores_are_chances else normal_scores(scores)
    together = max(1, TOGETHER // scores.size)
    for first in range(0, len(seeds), together):
        part = seeds[first : first + together]
        prior = CONFIDENCE_PRIOR if scores_are_chances else SCORE_PRIOR
        yield from _Campaigns(scores, x, losses, prior, budget, part, ahead).run()


@dataclass(frozen=True, eq=False)
class ManyRounds(RoundSample):
    """One campaign of ``many_rounds``; ``rows`` (n,) are the inputs in drawing order."""

    rows: Places


@dataclass(eq=False)
class _Round:
    """One round of one campaign: its random draws in the order of labeling, and what was predicted before it."""

    places: NDArray[np.intp]
    chances: Floats
    guesses: Floats
    guessed: float
    variance: float


class _Campaigns:
    """R campaigns side by side. Inputs lie in the order of their scores; one that was drawn keeps its place and weighs 0."""

    def __init__(
        self, scores: Floats, x: Floats, losses: Floats, prior: Prior, budget: int, seeds: range, ahead: int
    ) -> None:
        size = scores.size
        self._budget, self._prior, self._ahead = budget, prior, ahead
        self._rngs = [np.random.default_rng(seed) for seed in seeds]
        ties = [rng.random(size) for rng in self._rngs]  # drawn in any case, as the technique does
        if np.unique(scores).size == size:
            rows = np.argsort(scores)[None]
        else:
            rows = np.array([np.lexsort((tie, scores)) for tie in ties])
        self._x = x[rows[0]]  # (N,), the same for all, as ties are alike
        self._losses = np.broadcast_to(losses[rows], (len(seeds), size))
        self._rows = np.broadcast_to(rows, (len(seeds), size))
        self._left = np.ones((len(seeds), size))
        self._lines = [prior.mean] * len(seeds)
        self._rounds: list[list[_Round]] = [[] for _ in seeds]
        self._known_x, self._known_losses = np.zeros((len(seeds), budget)), np.zeros((len(seeds), budget))

    def run(self) -> Iterator[ManyRounds]:
        """All rounds of all campaigns, then their samples."""
        drawn = np.zeros(len(self._rngs), dtype=np.intp)
        while (open_ := np.flatnonzero(drawn < self._budget)).size:
            self._learn(open_)
            drawn[open_] += self._draw(open_, drawn[open_])
        for campaign in range(len(self._rngs)):
            yield self._sample(campaign)

    def _learn(self, open_: NDArray[np.intp]) -> None:
        """Fits every campaign's line to the labels of the rounds that are settled when its next one is drawn."""
        known = np.array(
            [
                sum(
                    one.places.size
                    for one in self._rounds[campaign][: max(0, len(self._rounds[campaign]) + 1 - self._ahead)]
                )
                for campaign in open_
            ]
        )
        if known.any():
            width = int(known.max())
            found = _lines(
                self._known_x[open_, :width], self._known_losses[open_, :width], known, self._prior, self._lines, open_
            )
            for campaign, line in zip(open_, found, strict=True):
                self._lines[campaign] = line

    def _draw(self, open_: NDArray[np.intp], drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        """The next round of each open campaign; how many draws it has, (open,)."""
        lines = [self._lines[campaign] for campaign in open_]
        slopes, intercepts = np.array([[line.slope, line.intercept] for line in lines]).T[:, :, None]
        left = self._left if open_.size == len(self._rngs) else self._left[open_]
        guesses = slopes * -self._x
        guesses -= intercepts
        np.exp(guesses, out=guesses)
        guesses += 1
        np.divide(1.0, guesses, out=guesses)
        np.clip(guesses, LOWEST, HIGHEST, out=guesses)  # (open, N)
        squares = (1 - guesses) * guesses
        squares *= left
        guesses *= left
        weights = np.sqrt(squares)
        eps = (EPS_END + (EPS_START - EPS_END) * 100 / (100 + drawn))[:, None]
        means = weights.sum(axis=1, keepdims=True) / (self._x.size - drawn[:, None])
        weights *= 1 - eps
        weights += eps * means
        squares /= weights  # mu (1 - mu) / s
        weights *= left
        ends, guessed = np.cumsum(weights, axis=1), guesses.sum(axis=1)
        sizes = np.empty(open_.size, dtype=np.intp)
        for place, campaign in enumerate(open_):
            wanted = min(ZONES, self._budget - int(drawn[place]))
            one = self._one_round(campaign, weights[place], ends[place], squares[place], wanted)
            one.guesses, one.guessed = guesses[place, one.places], float(guessed[place])
            begin, end = drawn[place], drawn[place] + one.places.size
            self._known_x[campaign, begin:end] = self._x[one.places]
            self._known_losses[campaign, begin:end] = self._losses[campaign, one.places]
            self._left[campaign, one.places] = 0.0
            self._rounds[campaign].append(one)
            sizes[place] = one.places.size
        return sizes

    def _one_round(self, campaign: int, weights: Floats, ends: Floats, ratios: Floats, wanted: int) -> _Round:
        """The zones of one campaign and the draw from each, as ``cut_zones`` and ``AdaptiveRounds`` make them."""
        size, rng, left = ends.size, self._rngs[campaign], self._left[campaign]
        borders = (np.arange(wanted) - 1e-9) * (ends[-1] / wanted)
        starts = np.searchsorted(
            ends, borders
        )  # the weight's end reaches it here; its middle here, or at the next one left
        starts += ends[starts] - weights[starts] / 2 < borders
        for place in np.flatnonzero(left[np.minimum(starts, size - 1)] == 0):  # an input drawn before
            onward = np.flatnonzero(left[starts[place] :])
            starts[place] += onward[0] if onward.size else size
        starts = np.unique(starts)
        starts = starts[starts < size]
        stops = np.append(starts[1:], size)
        before = ends[starts] - weights[starts]
        totals = ends[stops - 1] - before  # (B,)
        found = np.clip(
            np.searchsorted(ends, before + rng.random(starts.size) * totals, side="right"), starts, stops - 1
        )
        variance = float((totals * np.add.reduceat(ratios, starts)).sum()) * starts.size / size**2
        order = rng.permutation(found.size)
        chances = np.minimum(weights[found] / totals, 1.0)
        return _Round(found[order], chances[order], np.empty(0), 0.0, variance)

    def _sample(self, campaign: int) -> ManyRounds:
        rounds = self._rounds[campaign]
        sizes = np.array([one.places.size for one in rounds], dtype=np.intp)
        count, unknown = int(sizes.sum()), np.full(sizes.size, np.nan)
        return ManyRounds(
            losses=self._known_losses[campaign, :count].copy(),
            strata=np.zeros(count, dtype=np.intp),
            probabilities=np.concatenate([one.chances for one in rounds]),
            rounds=np.repeat(np.arange(sizes.size), sizes),
            guesses=np.concatenate([one.guesses for one in rounds]),
            size=self._x.size,
            zones=sizes,
            sizes=sizes,
            guessed=np.array([one.guessed for one in rounds]),
            smallest=unknown,
            largest=unknown,
            variance=np.array([one.variance for one in rounds]),
            rows=self._rows[campaign, np.concatenate([one.places for one in rounds])],
        )


def _lines(
    x: Floats, outcomes: Floats, known: NDArray[np.intp], prior: Prior, lines: list[Line], open_: NDArray[np.intp]
) -> list[Line]:
    """The most likely line of each campaign from its first ``known`` labels, by Newton's method for all at once.

    One that does not converge so is left to ``most_likely_line``, which halves steps; the answer is the same.
    """
    counted = (np.arange(x.shape[1]) < known[:, None]).astype(float)  # (open, k)
    at = np.array([[lines[campaign].intercept, lines[campaign].slope] for campaign in open_])  # (open, 2)
    mean, precision = (
        np.array([prior.mean.intercept, prior.mean.slope]),
        np.array([prior.sd.intercept, prior.sd.slope]) ** -2,
    )
    x2, moving = x * x, np.arange(open_.size)
    for _ in range(NEWTON_STEPS):
        part, weight = x[moving], counted[moving]
        chances = 1 / (1 + np.exp(-(at[moving, :1] + at[moving, 1:] * part)))
        error, spread = (chances - outcomes[moving]) * weight, chances * (1 - chances) * weight
        g0, g1 = np.array([error.sum(axis=1), (error * part).sum(axis=1)]) + ((at[moving] - mean) * precision).T
        h00, h01 = spread.sum(axis=1) + precision[0], (spread * part).sum(axis=1)
        h11 = (spread * x2[moving]).sum(axis=1) + precision[1]
        step = np.array([h11 * g0 - h01 * g1, h00 * g1 - h01 * g0]) / (h00 * h11 - h01**2)  # (2, moving)
        at[moving] -= step.T
        moving = moving[np.abs(step).sum(axis=0) >= 1e-9]
        if not moving.size:
            break
    found = [Line(float(intercept), float(slope)) for intercept, slope in at]
    for place in moving:
        first = slice(0, int(known[place]))
        found[place] = most_likely_line(x[place, first], outcomes[place, first], prior, lines[open_[place]])
    return found
