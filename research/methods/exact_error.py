"""The exact error of a technique on inputs of known truth, for the techniques whose variance has a formula."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from research.methods import exact_variance
from testimate.core.design import PerDraw, SimpleRandom, Stratified, TwoStage
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.planning.build import build
from testimate.planning.needs import score_named
from testimate.selectors.unequal_probability import draw_chances
from testimate.studies.campaign import known_losses

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
    return exact_variance.of_simple_random(losses, request.budget, replacement=design.replacement)


def _of_strata(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    strata = strata_of_all(build(inputs, replace(request, budget=len(inputs))), len(inputs))
    selector = build(inputs, request)
    design = selector.design
    assert isinstance(design, Stratified)
    if design.in_rounds:
        return exact_variance.of_rounds(losses, strata, request.budget)
    drawn = [draw.stratum for draw in selector.ask(request.budget)]
    allocation = np.bincount(drawn, minlength=len(design.stratum_sizes))
    return exact_variance.of_stratified(losses, strata, allocation) if allocation.all() else None


def _of_sups(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    assert isinstance(build(inputs, request).design, PerDraw)
    return exact_variance.of_independent_draws(losses, _chances(inputs, request), request.budget)


def _of_rhc(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    return exact_variance.of_groups(losses, _chances(inputs, request), request.budget)


def _of_two_stages(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> float | None:
    whole = replace(request, technique="ssrs", budget=len(inputs), options={})  # the same clusters, every input once
    strata = strata_of_all(build(inputs, whole), len(inputs))
    design = build(inputs, request).design
    assert isinstance(design, TwoStage)
    return exact_variance.of_two_stages(losses, strata, np.asarray(design.stratum_chances), request.budget)


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
