"""Exact errors, biases and variances of techniques where the truth is known: witness of simulations.

By a formula where there is one; of adaptive rounds from the variances of their draws, so that few campaigns tell it.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from testimate.core.design import PerDraw, Rounds, SimpleRandom, Stratified, TwoStage
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.planning.build import build, constructor_settings, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.needs import arguments_of, score_named
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds, Zones
from testimate.selectors.optimum_allocation import pre_sample_sizes
from testimate.selectors.unequal_probability import draw_chances
from testimate.structure.strata import neyman
from testimate.studies.campaign import known_losses


def of_simple_random(losses: NDArray[np.float64], budget: int, *, replacement: bool = False) -> float:
    """Variance of the mean of ``budget`` of the (N,) losses drawn at random.

    >>> of_simple_random(np.array([0.0, 1.0]), 1)
    0.25
    """
    if replacement or losses.size < 2:
        return float(losses.var() / budget)
    return float((1 - budget / losses.size) * losses.var(ddof=1) / budget)  # Cochran 1977, eq. 2.20


def of_stratified(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    allocation: NDArray[np.intp],
    *,
    replacement: bool = False,
) -> float:
    """Variance of the stratum-weighted mean with a given allocation.

    Parameters
    ----------
    losses, strata : (N,) loss and stratum of every input, strata 0..H-1 without gaps.
    allocation : (H,) draws of each stratum, at least 1 and, without replacement, at most its size.
    replacement : inputs inside a stratum may be drawn again.

    >>> of_stratified(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]), np.array([1, 1]))
    0.0625
    """
    sizes, spread = _sizes_and_spread(losses, strata)
    draws = np.asarray(allocation)
    if draws.shape != sizes.shape or draws.min() < 1 or (not replacement and (draws > sizes).any()):
        raise BadInput(
            f"The allocation {draws.tolist()!r:.60} does not fit strata of {sizes.tolist()!r:.60} inputs. Expected at least "
            "1 draw in each and at most its inputs. Change it."
        )
    if replacement:
        terms = (sizes / losses.size) ** 2 * spread * (sizes - 1) / sizes / draws
    else:
        terms = (sizes / losses.size) ** 2 * (1 - draws / sizes) * spread / draws  # Cochran 1977, eq. 5.7
    return float(terms.sum())


def of_rounds(losses: NDArray[np.float64], strata: NDArray[np.intp], budget: int) -> float:
    """Variance of the stratum-weighted mean after ``budget`` draws in rounds over the strata, in random order (rrs).

    Each round visits every stratum that is not exhausted once. The last round reaches j of its L strata, every choice of j
    alike, so each of them has one draw more with probability j / L; given the counts the mean is unbiased, so the
    variance is the mean of the conditional ones. BadInput where the first round is not whole.

    >>> of_rounds(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]), 3)
    0.03125
    """
    sizes, spread = _sizes_and_spread(losses, strata)
    if not len(sizes) <= budget <= losses.size:
        raise BadInput(
            f"The budget is {budget}. Expected one from {len(sizes)}, a draw for each stratum, to {losses.size}. Change it."
        )
    rounds = int(np.searchsorted(np.minimum.outer(np.arange(sizes.max() + 1), sizes).sum(axis=1), budget, "right")) - 1
    whole = np.minimum(rounds, sizes)  # (H,)
    live = whole < sizes
    more = (budget - whole.sum()) / max(int(live.sum()), 1)  # chance of a live stratum to have one more
    inverse = (1 - more) / whole + more * np.where(live, 1 / (whole + 1), 1 / whole)
    return float(((sizes / losses.size) ** 2 * spread * (inverse - 1 / sizes)).sum())


def of_independent_draws(losses: NDArray[np.float64], chances: NDArray[np.float64], budget: int) -> float:
    """Variance of the Hansen-Hurwitz mean of ``budget`` draws with replacement, ``chances`` (N,) summing to 1 (sups).

    An input of chance 0 is never drawn: BadInput where it has a loss, for then the mean is biased.

    >>> of_independent_draws(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 4)
    0.0625
    """
    _check_drawable(losses, chances)
    total = losses.sum()
    hit = losses > 0
    squares = float((losses[hit] ** 2 / chances[hit]).sum())
    return float((squares - total**2) / losses.size**2 / budget)  # Cochran 1977, eq. 9A.8


def of_groups(losses: NDArray[np.float64], chances: NDArray[np.float64], budget: int) -> float:
    """Variance of the Rao-Hartley-Cochran mean: ``budget`` random groups as equal as can be, one draw each (rhc-s).

    ``chances`` (N,) above 0 summing to 1. Rao, Hartley and Cochran 1962, equation 8.

    >>> of_groups(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 1)
    0.25
    """
    size = losses.size
    _check_drawable(losses, chances)
    if (chances <= 0).any():
        raise BadInput(
            f"{int((chances <= 0).sum())} inputs have no chance; a random group may hold none but such. Give each one."
        )
    each, larger = divmod(size, budget)
    squared = larger * (each + 1) ** 2 + (budget - larger) * each**2
    with_replacement = of_independent_draws(losses, chances, 1)
    return float((squared - size) / (size * max(size - 1, 1)) * with_replacement)


def of_two_stages(
    losses: NDArray[np.float64], strata: NDArray[np.intp], stratum_chances: NDArray[np.float64], budget: int
) -> float:
    """Variance of the mean of N_h z / (N psi_h) over ``budget`` draws of a stratum and then an input in it (2-ups).

    Strata come with replacement, each by its chance psi (H,) above 0; inside one the inputs come without, and again in the
    same order once all were drawn: of m draws, q whole turns and a simple random sample of r = m - q N_h.

    >>> of_two_stages(np.array([0.0, 1.0]), np.array([0, 0]), np.array([1.0]), 2)
    0.0
    """
    sizes, spread = _sizes_and_spread(losses, strata)
    if stratum_chances.shape != sizes.shape or (stratum_chances <= 0).any() or abs(stratum_chances.sum() - 1) > 1e-9:
        raise BadInput(
            f"The chances {stratum_chances!r:.60} do not fit {len(sizes)} strata. Expected one above 0 for each, summing to "
            "1. Change them."
        )
    weights = sizes / losses.size / stratum_chances  # (H,)
    means = np.bincount(strata, losses) / sizes
    between = float((stratum_chances * (weights * means - losses.mean()) ** 2).sum()) / budget
    drawn = np.arange(budget + 1)[:, None]
    rest = drawn % sizes  # (n + 1, H)
    inside = rest * (1 - rest / sizes) * spread  # variance of the sum of r without replacement
    expected = (stats.binom.pmf(drawn, budget, stratum_chances) * inside).sum(axis=0)
    return between + float((weights**2 * expected).sum()) / budget**2


def _sizes_and_spread(
    losses: NDArray[np.float64], strata: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """N_h and S_h^2 of each stratum, each (H,); 0 where there is one input only."""
    sizes = np.bincount(strata)
    if strata.shape != losses.shape or not sizes.all():
        raise BadInput(
            f"There are strata for {strata.size} of {losses.size} losses, {int((sizes == 0).sum())} of them empty. Expected "
            "one per loss, none empty. Number them without gaps."
        )
    centered = losses - (np.bincount(strata, losses) / sizes)[strata]
    return sizes, np.bincount(strata, centered**2) / np.maximum(sizes - 1, 1)


def _check_drawable(losses: NDArray[np.float64], chances: NDArray[np.float64]) -> None:
    if chances.shape != losses.shape or (chances < 0).any() or abs(chances.sum() - 1) > 1e-9:
        raise BadInput(
            f"{chances.size} chances summing to {chances.sum():.6g} were given for {losses.size} losses. Expected one of at "
            "least 0 for each, summing to 1. Change them."
        )
    hidden = int(((chances == 0) & (losses > 0)).sum())
    if hidden:
        raise BadInput(
            f"{hidden} inputs with a loss can never be drawn, so the mean is biased and its variance says little. "
            "Give each a chance, such as by a uniform share."
        )


FIXED_STRATA = ("rrs", "ssrs", "css", "ssoa-r-t", "ssoa-c-t")
"""Techniques whose strata and sample sizes do not depend on any label."""

UNIFORM_SHARE = 0.05


def exact_error(inputs: Inputs, request: Request) -> float | None:
    """The standard deviation of the technique's unbiased estimate, which is its root mean squared error.

    None where no formula is known: the technique learns from labels, is biased, or its chances depend on earlier draws.
    Strata cut among tied scores depend on the request's seed, and so does the number, a little. Raises BadInput as the
    technique itself does.
    """
    if request.variant is not None:
        return None
    losses = known_losses(inputs)
    find: dict[str, Callable[[Inputs, Request, NDArray[np.float64]], float | None]] = {
        "srs": _of_srs,
        "sups": _of_sups,
        "rhc-s": _of_rhc,
        "2-ups": _of_two_stages,
        **dict.fromkeys(FIXED_STRATA, _of_strata),
    }
    variance = find[request.technique](inputs, request, losses) if request.technique in find else None
    return None if variance is None else float(np.sqrt(variance))


def _of_srs(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    design = build(inputs, request).design
    assert isinstance(design, SimpleRandom)
    return of_simple_random(losses, request.budget, replacement=design.replacement)


def _of_strata(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    strata = strata_of_all(build(inputs, replace(request, budget=len(inputs))), len(inputs))
    selector = build(inputs, request)
    design = selector.design
    assert isinstance(design, Stratified)
    if design.in_rounds:
        return of_rounds(losses, strata, request.budget)
    drawn = [draw.stratum for draw in selector.ask(request.budget)]
    allocation = np.bincount(drawn, minlength=len(design.stratum_sizes))
    return of_stratified(losses, strata, allocation) if allocation.all() else None


def _of_sups(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    assert isinstance(build(inputs, request).design, PerDraw)
    return of_independent_draws(losses, _chances(inputs, request), request.budget)


def _of_rhc(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    return of_groups(losses, _chances(inputs, request), request.budget)


def _of_two_stages(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    whole = replace(request, technique="ssrs", budget=len(inputs), options={})  # the same clusters, every input once
    strata = strata_of_all(build(inputs, whole), len(inputs))
    design = build(inputs, request).design
    assert isinstance(design, TwoStage)
    return of_two_stages(losses, strata, np.asarray(design.stratum_chances), request.budget)


def strata_of_all(selector: Selector, size: int) -> NDArray[np.intp]:
    """The stratum of every input, (N,), from a selector whose budget is all of them."""
    strata = np.empty(size, dtype=np.intp)
    for draw in selector.ask(size):
        strata[draw.row] = draw.stratum
    return strata


def _chances(inputs: Inputs, request: Request) -> NDArray[np.float64]:
    """Chance of each input at a draw, (N,), as sups, rhc-s and 2-ups have it."""
    share = float(request.options.get("uniform_share", UNIFORM_SHARE))
    fallback = "shift" if inputs.task.kind == "regression" else "min-max"
    negative = str(request.options.get("negative", fallback))
    return draw_chances(score_named(inputs, request.auxiliary), uniform_share=share, negative=negative)


MOST = 16
"""Clusters up to which every set of them is counted."""


def bias_of_average_over_strata(
    losses: NDArray[np.float64], strata: NDArray[np.intp], stratum_chances: NDArray[np.float64], budget: int
) -> float:
    """Bias of the accuracy by the mean over the strata met of N_h zbar_h / (N psi_h), in ``budget`` draws.

    The mean loss inside a stratum is unbiased given that it was reached, so all that counts is which strata are reached: a draw
    falls inside a set of them with the sum of its chances, and the chance that exactly the set is reached follows by inclusion
    and exclusion. Strata are taken to have more inputs than draws.

    Parameters
    ----------
    losses, strata : (N,) loss and stratum of every input, strata 0..H-1 without gaps, H at most MOST.
    stratum_chances : (H,) psi, above 0, summing to 1.
    budget : n.

    Raises
    ------
    BadInput : more strata than MOST, or chances that do not fit.

    >>> bias_of_average_over_strata(np.array([0.0, 1.0]), np.array([0, 1]), np.array([0.5, 0.5]), 1)
    0.0
    """
    sizes = np.bincount(strata)
    count = len(sizes)
    if count > MOST or stratum_chances.shape != (count,) or not (stratum_chances > 0).all():
        raise BadInput(
            f"There are {count} strata and {stratum_chances.size} chances. Expected at most {MOST} with a chance above 0 "
            "each. Use fewer clusters."
        )
    terms = np.bincount(strata, losses) / losses.size / stratum_chances  # (H,) N_h p_h / (N psi_h)
    inside = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(bool)  # (2^H, H), every set
    exactly = (inside @ stratum_chances) ** budget  # all draws fall inside; then less those that miss one of the set
    for stratum in range(count):
        holds = np.flatnonzero(inside[:, stratum])
        exactly[holds] -= exactly[holds ^ (1 << stratum)]
    met = np.maximum(inside.sum(axis=1), 1)
    return float(losses.mean() - exactly @ ((inside @ terms) / met))


EVERY = 5_000
"""Pre-samples up to which every one is counted; beyond, as many as DRAWN are drawn."""

DRAWN = 3_000


@dataclass(frozen=True)
class TwoPhase:
    """Bias and RMSE of the estimated accuracy, and failures found, over all campaigns.

    ``exact`` where every pre-sample was counted; else from pre-samples drawn at random, each with its exact mean and
    variance.
    """

    bias: float
    rmse: float
    failures: float
    exact: bool


def two_phase(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    budget: int,
    *,
    seed: int,
    h: int = 10,
    as_published: bool = False,
) -> TwoPhase:
    """The stratum-weighted mean with Neyman allocation on the spreads of a pre-sample, on losses of 0 and 1.

    Given the failures of the pre-sample its sample sizes are fixed, so its mean and variance have formulas; the
    pre-sample's failures are independent hypergeometric counts.

    Parameters
    ----------
    losses, strata : (N,) loss and stratum of every input, strata 0..H-1 without gaps.
    budget : n, at least a pre-sample of one in each stratum.
    seed : of the pre-samples, where there are too many to count them all.
    h, as_published : as ``OptimumAllocation`` has them.

    Raises
    ------
    BadInput : other losses, or a budget below the number of strata.

    Source: Wu et al. 2023, section 4.2 and equation 6.
    """
    sizes = np.bincount(strata)
    if not np.isin(losses, (0.0, 1.0)).all() or budget < len(sizes):
        raise BadInput(
            f"The budget is {budget} for {len(sizes)} strata. Expected losses of 0 and 1 and a label for each stratum. "
            "Run a study."
        )
    wrong = np.bincount(strata, losses).astype(np.intp)
    before = pre_sample_sizes(sizes, budget, h)  # (H,)
    every = int(np.prod((before + 1).astype(np.float64))) <= EVERY
    if every:
        failed = np.indices(tuple(before + 1)).reshape(len(sizes), -1).T  # (P, H)
        chances = stats.hypergeom.pmf(failed, sizes, wrong, before).prod(axis=1)
    else:
        drawn = np.random.default_rng(seed).hypergeometric(wrong, sizes - wrong, before, size=(DRAWN, len(sizes)))
        failed, repeats = np.unique(drawn, axis=0, return_counts=True)
        chances = repeats / DRAWN
    likely = chances > 1e-12
    failed, chances = failed[likely], chances[likely] / chances[likely].sum()
    spreads = _spreads(failed, before, smooth=not as_published)  # (P, H)
    share_out = partial(neyman, sizes, budget=budget, minimum=before)
    counts = np.stack([share_out(own) for own in spreads])  # (P, H)
    return _summed_up(failed, counts, chances, before, sizes, wrong, every)


def _spreads(failed: NDArray[np.intp], before: NDArray[np.intp], *, smooth: bool) -> NDArray[np.float64]:
    """Standard deviations as ``loss_spreads`` has them for losses of 0 and 1."""
    chance = (failed + 1) / (before + 2) if smooth else failed / np.maximum(before, 1)
    spreads: NDArray[np.float64] = np.sqrt(chance * (1 - chance))
    return spreads


def _summed_up(
    failed: NDArray[np.intp],
    counts: NDArray[np.intp],
    chances: NDArray[np.float64],
    before: NDArray[np.intp],
    sizes: NDArray[np.intp],
    wrong: NDArray[np.intp],
    every: bool,
) -> TwoPhase:
    """Mean and variance over pre-samples (P, H) of ``chances`` (P,), and over the second phase given each."""
    shares, more = sizes / sizes.sum(), counts - before  # more: (P, H)
    left, rest = sizes - before, wrong - failed
    rate = np.divide(rest, left, out=np.zeros(rest.shape), where=left > 0)  # of the inputs not pre-sampled
    mean = ((failed + more * rate) / counts) @ shares  # (P,)
    correction = np.divide(left - more, left - 1, out=np.zeros(rest.shape), where=left > 1)
    variance = ((shares / counts) ** 2 * more * rate * (1 - rate) * correction).sum(axis=1)  # hypergeometric
    off = mean - wrong.sum() / sizes.sum()
    return TwoPhase(
        bias=float(-(chances @ off)),  # of accuracy
        rmse=float(np.sqrt(chances @ (variance + off**2))),
        failures=float(chances @ (failed + more * rate).sum(axis=1)),
        exact=every,
    )


class WatchedRounds(AdaptiveRounds):
    """Adaptive rounds that note the variance of each round's mean, given what was drawn before it."""

    truth: NDArray[np.float64]
    variances: list[float]

    def _pick(self, zones: Zones) -> NDArray[np.intp]:
        guesses = np.clip(self._guesses.chances(self._left), LOWEST, HIGHEST)
        order = self._guesses.order(guesses)
        off = self.truth[self._rows[self._left[order]]] - guesses[order]
        # c = (z - mu) B / (p N), drawn by p in its zone; the mean of B of them
        share = zones.chances * (off / zones.chances / self.truth.size) ** 2
        means = np.add.reduceat(off / self.truth.size, zones.starts)
        self.variances.append(float((np.add.reduceat(share, zones.starts) - means**2).sum()))
        return super()._pick(zones)


def rounds_error(
    inputs: Inputs, request: Request, *, campaigns: int, changed: Mapping[str, Any] = MappingProxyType({})
) -> tuple[float, float]:
    """Root mean squared error of rra at the budget, and its standard error; ``changed``: resolved settings that differ.

    The estimate is the mean of the rounds' means, each unbiased given the past, with weights that depend on the number of
    labels alone. So its variance is the expectation of the sum of the squared weights times the rounds' variances, and each
    campaign gives this sum: it scatters by some percent where a squared error scatters by 140. Without exploit picks only.
    """
    seeds = range(request.seed, request.seed + campaigns)
    found = np.array([rounds_variance(inputs, replace(request, seed=seed), changed) for seed in seeds])
    error = float(np.sqrt(found.mean()))
    return error, float(found.std(ddof=1) / np.sqrt(campaigns) / (2 * error))


def rounds_variance(inputs: Inputs, request: Request, changed: Mapping[str, Any] = MappingProxyType({})) -> float:
    """Of one campaign, the squared weights of its rounds times their variances, summed: its mean is the estimate's variance."""
    losses, selector = known_losses(inputs), watched(inputs, request, changed)
    deque(verdicts_to_the_end(selector, losses), maxlen=0)
    return variance_of(selector)


def watched(inputs: Inputs, request: Request, changed: Mapping[str, Any] = MappingProxyType({})) -> WatchedRounds:
    """Adaptive rounds that note their variances, before the first label."""
    settings = {**resolve(inputs, request), **changed}
    arguments: Mapping[Any, Any] = arguments_of(inputs, AdaptiveRounds, request)
    selector = WatchedRounds.__new__(WatchedRounds)
    selector.truth, selector.variances = known_losses(inputs), []
    chosen = constructor_settings(AdaptiveRounds, settings)
    selector.__init__(**arguments, budget=request.budget, seed=request.seed, **chosen)  # type: ignore[misc] # made above, without its losses
    return selector


def variance_of(selector: WatchedRounds) -> float:
    """The squared weights of its rounds times their variances, summed, once all are drawn."""
    design = selector.design
    assert isinstance(design, Rounds)
    sizes = np.array([each.zones for each in design.rounds])
    before = np.cumsum(sizes) - sizes
    left, after = selector.truth.size - before, before + sizes
    weights = sizes * np.sqrt(after / (after + 10)) / (left * (left - sizes) + 1)  # as the estimate weighs
    return float((weights**2 * np.array(selector.variances)).sum() / weights.sum() ** 2)
