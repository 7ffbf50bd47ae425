"""The errors and gains that the sections on SSOA take their numbers from."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from research.methods import exact_variance
from research.methods.exact_error import strata_of_all
from research.studies.jobs import REDUCED, SSOA_BUDGETS
from research.studies.results import Results, srs_error
from research.studies.runs import ssoa_strata
from research.studies.study_subjects import inputs_of, losses_of
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.structure.strata import neyman

TRAINED = ("ssoa-r-t", "ssoa-c-t")
WORDS = {"r": "rule", "c": "clusters"}


def training_losses(model: str) -> NDArray[np.float64]:
    """The losses of the training images."""
    training = inputs_of(model).training
    assert training is not None
    assert training.losses is not None
    return training.losses


@cache
def rule_or_clusters(subject: str, kind: str, count: int = 3) -> NDArray[np.intp]:
    """SSOA's strata, (N,)."""
    return ssoa_strata(subject, f"ssoa-{kind}", count)


@cache
def oracle(subject: str, kind: str, budget: int, count: int = 3) -> float:
    """The exact error with Neyman allocation on the true spreads."""
    losses, strata = losses_of(subject), rule_or_clusters(subject, kind, count)
    spreads = np.array([losses[strata == stratum].std() for stratum in range(strata.max() + 1)])
    allocation = neyman(np.bincount(strata), spreads, budget)
    return float(np.sqrt(exact_variance.of_stratified(losses, strata, allocation)))


@cache
def strata_in(subject: str, name: str, clusters: int | None) -> NDArray[np.intp]:
    """The strata of a technique of fixed strata, (N,)."""
    inputs = inputs_of(subject)
    options = {} if clusters is None else {"clusters": clusters}
    return strata_of_all(build(inputs, Request(name, len(inputs), 1, options=options)), len(inputs))


@cache
def exact(subject: str, name: str, budget: int, clusters: int | None = None) -> float:
    """The exact error of css, rrs or a T variant."""
    losses, strata = losses_of(subject), strata_in(subject, name, clusters)
    if name == "rrs":
        return float(np.sqrt(exact_variance.of_rounds(losses, strata, budget)))
    options = {} if clusters is None else {"clusters": clusters}
    selector = build(inputs_of(subject), Request(name, budget, 1, options=options))
    allocation = np.bincount([draw.stratum for draw in selector.ask(budget)], minlength=strata.max() + 1)
    return float(np.sqrt(exact_variance.of_stratified(losses, strata, allocation)))


def gain(errors: list[float], baseline: list[float]) -> float:
    """Mean relative improvement over the baseline, percent; SSOA, section 6.1."""
    return float(100 * np.mean(1 - np.array(errors) / np.array(baseline)))


def phase_errors(
    results: Results, subject: str, name: str, variant: str | None = None, budgets: tuple[int, ...] = SSOA_BUDGETS
) -> list[float]:
    """Exact errors of a P variant."""
    return [results.phases[subject, name, variant, budget, ()]["rmse"] for budget in budgets]


def phase_biases(results: Results, subject: str, name: str, variant: str | None = None) -> list[float]:
    """Exact biases of a P variant, points."""
    return [100 * results.phases[subject, name, variant, budget, ()]["bias"] for budget in SSOA_BUDGETS]


def base(subject: str, budgets: tuple[int, ...] = SSOA_BUDGETS) -> list[float]:
    """Errors of simple random sampling."""
    return [srs_error(subject, budget) for budget in budgets]


def pace_error(results: Results, model: str, budget: int, variant: str | None) -> float:
    """PACE's error: it chooses the same with every seed, so one is all there is."""
    cell = results.cell(model, "pace", "confidence", budget, variant, REDUCED[model])
    assert cell is not None
    return cell.rmse
