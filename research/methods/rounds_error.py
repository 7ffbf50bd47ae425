"""The error of adaptive rounds from the variances of their draws, known where the truth is: few campaigns tell it exactly."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Rounds
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import constructor_settings, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.needs import arguments_of
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds, Zones
from testimate.studies.campaign import known_losses


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
