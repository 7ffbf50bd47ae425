"""What every technique promises about its draws and claims, each as a check that raises AssertionError with a sentence."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.selector import check_statements
from testimate.estimators import estimator_of
from testimate.testing.population import build_on, make_population, run_campaign

SIZE, SEED = 300, 20
BUDGETS_REFUSED: tuple[Any, ...] = (0, SIZE + 1, -3, 2.0, "60", True)
SETTINGS_REFUSED: tuple[dict[str, Any], ...] = ({"variant": "of my own"}, {"seed": -1}, {"seed": 1.5})


def check_selector(technique: Any, **settings: Any) -> None:
    """Checks a technique against the contract of all techniques, in its default form and in every variant.

    Its own description is complete; the same seed and verdicts give the same draws, however many are asked at a time
    and when a history is replayed; the whole budget is drawn from a design that fits; impossible budgets, seeds,
    variants, options, scores and requests are refused with BadInput; the order of inputs with equal scores makes no
    difference.

    Parameters
    ----------
    technique : the class. settings : options to build it with, besides its defaults.

    Raises
    ------
    AssertionError : the first promise that does not hold, in a sentence. BadInput : the class's description of itself
        is incomplete.

    >>> from testimate.selectors import SELECTORS
    >>> check_selector(SELECTORS["srs"])
    """
    check_statements(technique.name, technique)
    population = make_population(SIZE, SEED)
    for variant in (None, *technique.variants):
        form = {**settings, **({} if variant is None else {"variant": variant})}
        check_draws(technique, population, form)
        check_replay(technique, population, form)
        for budget in (1, 60, SIZE):
            check_budget_drawn(technique, population, budget, form)
    for budget in BUDGETS_REFUSED:
        check_refused(technique, population, f"budget of {budget!r}", budget=budget, **settings)
    for setting in SETTINGS_REFUSED:
        check_refused(technique, population, repr(setting), **{**settings, **setting})
    check_options(technique, population)
    check_questions(technique, population)
    if "scores" in technique.needs:
        check_scores(technique, population)


def check_draws(technique: Any, population: SimpleNamespace, settings: dict[str, Any]) -> None:
    """The same seed and verdicts give the same draws, however many are asked at a time."""

    def drawn(chunk: int) -> list[Draw]:
        return run_campaign(build_on(technique, population, 60, 5, **settings), population.failures, chunk)

    whole = drawn(10**6)
    _selector_holds(drawn(10**6) == whole, "The same seed and verdicts give different draws the second time", settings)
    for chunk in (1, 7):
        _selector_holds(
            drawn(chunk) == whole,
            f"Asked for {chunk} at a time, the draws differ from those asked for at once",
            settings,
        )


def check_replay(technique: Any, population: SimpleNamespace, settings: dict[str, Any]) -> None:
    """A history fed to a fresh instance gives the same draws, and then no more."""
    history = run_campaign(build_on(technique, population, 60, 5, **settings), population.squared_errors)
    fresh = build_on(technique, population, 60, 5, **settings)
    for draw in history:
        _selector_holds(list(fresh.ask(1)) == [draw], "A replayed history gives different draws", settings)
        fresh.tell([Verdict(draw, float(population.squared_errors[draw.row]))])
    _selector_holds(
        fresh.remaining == 0 and list(fresh.ask(1)) == [], "It goes on drawing after the whole budget", settings
    )


def check_budget_drawn(technique: Any, population: SimpleNamespace, budget: int, settings: dict[str, Any]) -> None:
    """As many inputs as the design plans are drawn, all from this population, each with a reason and in an existing stratum."""
    selector = build_on(technique, population, budget, 5, **settings)
    planned = selector.design.planned
    _selector_holds(selector.remaining == planned, "`remaining` is not what the design plans", settings)
    draws, design = run_campaign(selector, population.failures), selector.design
    _selector_holds(len(draws) == planned, f"{len(draws)} inputs are drawn and {planned} are planned", settings)
    _selector_holds(design.size == population.size, "The design has another number of inputs", settings)
    _selector_holds(all(draw.reason for draw in draws), "A draw gives no reason", settings)
    strata = {draw.stratum for draw in draws}
    _selector_holds(
        strata <= set(range(len(design.stratum_sizes))),
        "A draw is from a stratum that the design does not have",
        settings,
    )


def check_refused(
    technique: Any, population: SimpleNamespace, what: str, *, budget: Any = 60, seed: Any = 5, **settings: Any
) -> None:
    """Checks that building the technique with these arguments raises BadInput with a sentence."""
    _refuses(lambda: build_on(technique, population, budget, seed, **settings), f"A {what} is")


def check_options(technique: Any, population: SimpleNamespace) -> None:
    """Values outside the bounds of an option are refused."""
    for option in technique.options:
        outside: list[Any] = ["no such choice"]
        outside += [] if option.low is None else [option.low - 1]
        outside += [] if option.high is None else [option.high + 1]
        for value in outside:
            check_refused(technique, population, f"{option.name} of {value!r}", **{option.name: value})


def check_questions(technique: Any, population: SimpleNamespace) -> None:
    """Asking for a negative number of draws is refused."""
    selector = build_on(technique, population, 60, 5)
    _refuses(lambda: selector.ask(-1), "ask(-1) is")


def check_scores(technique: Any, population: SimpleNamespace) -> None:
    """Scores that are not numbers are refused, and equal ones do not prefer the inputs that come first."""
    for wrong in (np.nan, np.inf):
        scores = population.scores.copy()
        scores[17] = wrong
        strange = SimpleNamespace(**{**vars(population), "scores": scores})
        _refuses(lambda inputs=strange: build_on(technique, inputs, 60, 5), f"A score of {wrong} is")  # type: ignore[misc]  # a default binds the loop's value
    tied = SimpleNamespace(**{**vars(population), "scores": np.full(SIZE, 0.2)})
    first_half = [
        draw.row < SIZE / 2
        for seed in range(100)
        for draw in run_campaign(build_on(technique, tied, 20, seed), population.failures)
    ]
    share = float(np.mean(first_half))
    _selector_holds(
        abs(share - 0.5) < 4 * 0.5 / math.sqrt(len(first_half)),  # binomial, 4 standard errors
        f"Of inputs with equal scores {100 * share:.0f} % are drawn from the first half of the file",
        {},
    )


def check_claims(technique: Any, *, campaigns: int = 200, **settings: Any) -> None:
    """Checks what a technique claims about its estimate, by seeded campaigns over known truth; takes some seconds.

    If it claims no bias, the mean estimate at the planned size must be off by less than 3.5 standard errors; if it
    claims an honest interval, 90 % intervals must hold the truth in at least 90 % of campaigns, less three standard
    errors.

    Raises
    ------
    AssertionError : the claim that does not hold, with what was measured.
    """
    claims, inputs = technique.claims, make_population(2_000, seed=3)
    truth = float(1 - inputs.failures.mean())
    found, held = [], 0
    for seed in range(campaigns):
        selector = build_on(technique, inputs, 100, seed, **settings)
        verdicts = [Verdict(draw, float(inputs.failures[draw.row])) for draw in run_campaign(selector, inputs.failures)]
        if claims.unbiased == "no" and not claims.honest_interval:
            return
        one = estimator_of(selector.design).estimate(selector.design, verdicts, level=0.9, loss_bound=1.0)
        found.append(one.accuracy)
        held += one.low is not None and one.high is not None and one.low <= truth <= one.high
    if claims.unbiased != "no":
        error, spread = float(np.mean(found)) - truth, float(np.std(found, ddof=1)) / math.sqrt(campaigns)
        _selector_holds(
            abs(error) < 3.5 * spread,
            f"It claims no bias, and the mean of {campaigns} estimates is off by {100 * error:.2f} points, where chance "
            f"explains {350 * spread:.2f}",
            settings,
        )
    if claims.honest_interval:
        share = held / campaigns
        _selector_holds(
            share >= 0.9 - 3 * math.sqrt(0.9 * 0.1 / campaigns),
            f"It claims an honest interval, and 90 % intervals held the truth in {100 * share:.0f} % of {campaigns} campaigns",
            settings,
        )


def _selector_holds(kept: bool, broken: str, settings: dict[str, Any]) -> None:
    if not kept:
        raise AssertionError(f"{broken}{f' (with {settings})' if settings else ''}.")


def _refuses(call: Callable[[], object], what: str) -> None:
    try:
        call()
    except BadInput:
        return
    raise AssertionError(f"{what} not refused; expected BadInput, with a sentence that says what to do.")
