"""How narrow the interval will be for a budget, and which budget it needs, computed before any label is seen."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Stratified
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.expected_width import (
    RoundSettings,
    adaptive_always_half_width,
    adaptive_half_width,
    check_budgets,
    per_draw_always_half_width,
    per_draw_half_width,
    rounds_always_half_width,
    rounds_half_width,
    simple_always_half_width,
    simple_random_half_width,
    stratified_half_width,
)
from testimate.estimators.labels_needed import HalfWidths, check_half_width, labels_needed
from testimate.planning.build import build
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import expected_saving
from testimate.planning.resolved import parsed_options
from testimate.selectors import SELECTORS
from testimate.selectors.unequal_probability import draw_chances

Widths = NDArray[np.float64]
QUICK = ("srs", "rrs", "rra", "sups")
"""Techniques whose forecast takes no time; ssrs has one too, and clusters the inputs first, for seconds where N is large."""

AIMED_AT = (30, 100, 200, 400, 1000)
AIMED = {
    "srs": (0.71, 0.81, 0.82, 0.82, 0.80),
    "rrs": (0.89, 0.93, 0.91, 0.87, 0.82),
    "rra": (0.90, 0.93, 0.94, 0.91, 0.86),
    "sups": (0.94, 0.94, 0.94, 0.94, 0.94),
}
"""Width of the always-valid interval whose bets aim at that many labels, over that of constant bets: means of 25 or 40
campaigns on each of D and CN12 (decision 66)."""


def expected_half_widths(
    inputs: Inputs,
    budgets: ArrayLike,
    *,
    techniques: Collection[str] = QUICK,
    chosen: Request | None = None,
    level: float = 0.95,
    failing: float | None = None,
) -> dict[str, Widths]:
    """Expected half-width of the ordinary interval by technique, each (K,) for K budgets; nan where there is none yet.

    Taken from the confidence, or from what other models and it say together where the plan chosen follows them, as if it were
    right: an overconfident network will have wider intervals. That of rra takes the confidence alone, less what such other
    models save it (``expected_saving``). Those of ``techniques`` that have a forecast: srs, rrs, rra,
    ssrs and sups, each with its default options, but the one of
    ``chosen`` with the options chosen. For sups it is the width a tester will see, which is often less than that of an
    honest interval. Without a confidence, as for a regression, there is srs alone, and that where the share of failures is
    supposed (``failing``, 0..1); else empty. BadInput for a budget outside 1..N.
    """
    return _curves(inputs, _ordinary_of(inputs, techniques, chosen, level, failing), budgets)


def expected_always_half_widths(
    inputs: Inputs,
    budgets: ArrayLike,
    *,
    techniques: Collection[str] = QUICK,
    chosen: Request | None = None,
    level: float = 0.95,
    failing: float | None = None,
) -> dict[str, Widths]:
    """Expected half-width of the always-valid interval by technique, as ``expected_half_widths``: srs, rrs, rra, sups.

    Of a plan for just that budget, at which its bets aim.
    """
    return _curves(inputs, _always_of(inputs, techniques, chosen, level, failing), budgets)


def budgets_needed(
    inputs: Inputs,
    half_width: float,
    *,
    always_valid: bool = False,
    techniques: Collection[str] = QUICK,
    chosen: Request | None = None,
    level: float = 0.95,
    failing: float | None = None,
) -> dict[str, int | None]:
    """Labels by which each technique is expected to reach the half-width; None where not even all N are enough.

    ``always_valid`` asks it of the interval by which one may stop. Empty where ``expected_half_widths`` is. BadInput
    where the half-width is not above 0.
    """
    check_half_width(half_width)
    curves = (_always_of if always_valid else _ordinary_of)(inputs, techniques, chosen, level, failing)
    return {
        name: labels_needed(half_width, curve.widths, least=curve.least, most=len(inputs))
        for name, curve in curves.items()
    }


@dataclass(frozen=True)
class _Curve:
    """Half-widths (K,) of (K,) budgets, from a least one on."""

    least: int
    widths: HalfWidths


def _curves(inputs: Inputs, curves: dict[str, _Curve], budgets: ArrayLike) -> dict[str, Widths]:
    """The curves at the budgets, nan below their least one; BadInput for a budget outside 1..N."""
    if not curves:
        return {}
    counts = check_budgets(budgets, 1, len(inputs))
    found = {}
    for name, curve in curves.items():
        widths, enough = np.full(len(counts), np.nan), counts >= curve.least
        if enough.any():
            widths[enough] = curve.widths(counts[enough])
        found[name] = widths
    return found


def _ordinary_of(
    inputs: Inputs, techniques: Collection[str], chosen: Request | None, level: float, failing: float | None
) -> dict[str, _Curve]:
    chance = _chances(inputs, chosen)
    if chance is None:
        return _supposed(inputs, techniques, failing, lambda *given: simple_random_half_width(*given, level=level))
    size, rate = len(inputs), float(chance.mean())
    curves = {"srs": _Curve(1, lambda counts: simple_random_half_width(size, counts, rate, level=level))}
    rounds = _rounds(inputs, chosen)
    if rounds is not None:
        sizes, prior, means = rounds.stratum_sizes, rounds.prior_failure, _stratum_means(chance, rounds)
        curves["rrs"] = _Curve(
            len(sizes), lambda counts: rounds_half_width(sizes, counts, means, prior_failure=prior, level=level)
        )
        made = _round_settings(chosen)
        own, part = _learned(inputs, chosen, chance, stop_safe=False)
        curves["rra"] = _Curve(
            min(made.size, size), lambda counts: part * adaptive_half_width(own, counts, settings=made, level=level)
        )
    if "ssrs" in techniques:
        clusters = _clusters(inputs, 1)[0]
        curves["ssrs"] = _Curve(len(clusters.stratum_sizes), lambda counts: _of_clusters(inputs, chance, counts, level))
    drawn = _draw_chances(chance, chosen)
    if drawn is not None:
        curves["sups"] = _Curve(2, lambda counts: per_draw_half_width(chance, drawn, counts, level=level))
    return {name: curves[name] for name in techniques if name in curves}


def _always_of(
    inputs: Inputs, techniques: Collection[str], chosen: Request | None, level: float, failing: float | None
) -> dict[str, _Curve]:
    chance = _chances(inputs, chosen)
    if chance is None:
        supposed = _supposed(inputs, techniques, failing, lambda *given: simple_always_half_width(*given, level=level))
        return _aimed(supposed)
    size, rate = len(inputs), float(chance.mean())
    curves = {"srs": _Curve(1, lambda counts: simple_always_half_width(size, counts, rate, level=level))}
    rounds = _rounds(inputs, chosen)
    if rounds is not None:
        sizes, means = rounds.stratum_sizes, _stratum_means(chance, rounds)
        prior = rounds.prior_failure or 0.5
        curves["rrs"] = _Curve(
            len(sizes), lambda counts: rounds_always_half_width(sizes, counts, means, prior_failure=prior, level=level)
        )
        made = _round_settings(chosen)
        own, part = _learned(inputs, chosen, chance, stop_safe=True)
        curves["rra"] = _Curve(
            min(made.size, size),
            lambda counts: part * adaptive_always_half_width(own, counts, settings=made, level=level),
        )
    drawn = _draw_chances(chance, chosen)
    if drawn is not None:
        curves["sups"] = _Curve(1, lambda counts: per_draw_always_half_width(chance, drawn, counts, level=level))
    return _aimed({name: curves[name] for name in techniques if name in curves})


def _aimed(curves: dict[str, _Curve]) -> dict[str, _Curve]:
    """The curves of constant bets as those of bets that aim at each budget."""
    return {name: _Curve(curve.least, _scaled(curve.widths, np.array(AIMED[name]))) for name, curve in curves.items()}


def _scaled(widths: HalfWidths, shares: Widths) -> HalfWidths:
    return lambda counts: np.interp(np.log(counts), np.log(AIMED_AT), shares) * widths(counts)


def _supposed(
    inputs: Inputs,
    techniques: Collection[str],
    failing: float | None,
    widths: Callable[[int, NDArray[np.intp], float], Widths],
) -> dict[str, _Curve]:
    """The curve of srs where a share of failures is supposed, of pass or fail alone."""
    if failing is None or len(inputs) < 2 or "srs" not in techniques or not inputs.task.measure.is_share:
        return {}
    return {"srs": _Curve(1, lambda counts: widths(len(inputs), counts, failing))}


def _options(technique: str, chosen: Request | None) -> dict[str, Any]:
    """The technique's options: those chosen where it is the one chosen, else its defaults."""
    made = SELECTORS[technique]
    defaults = {option.name: option.default for option in made.options}
    mine = chosen is not None and chosen.technique == technique
    return defaults | (parsed_options(made, chosen.options) if chosen is not None and mine else {})


def _round_settings(chosen: Request | None) -> RoundSettings:
    """What a round of rra is made of."""
    options = _options("rra", chosen)
    return RoundSettings(options["zones"], options["exploit"], (options["eps_start"], options["eps_end"]))


def _draw_chances(chance: Widths, chosen: Request | None) -> Widths | None:
    """Each input's chance at a draw of sups, (N,); None where some cannot be drawn, as published."""
    published = chosen is not None and chosen.technique == "sups" and chosen.variant == "as published"
    share = 0.0 if published else float(_options("sups", chosen)["uniform_share"])
    drawn = draw_chances(chance, uniform_share=share, negative="min-max")
    return drawn if drawn.min() > 0 else None


def _chances(inputs: Inputs, chosen: Request | None) -> Widths | None:
    """Chance of failure of each input, (N,), by its confidence; None where there is nothing to forecast from.

    Where the plan chosen follows other models, by what they and the confidence give together.
    """
    name = _auxiliary(chosen)
    if name not in inputs.scores or inputs.task.kind == "regression" or len(inputs) < 2:
        return None
    return inputs.scores[name]


def _learned(inputs: Inputs, chosen: Request | None, chance: Widths, *, stop_safe: bool) -> tuple[Widths, float]:
    """The chances (N,) that the forecast of rra rests on, and the part of the width that other models leave.

    A list takes other models at their word; rra learns from the labels what they are worth. So its forecast is the one by the
    network's own confidence, less what was measured that others save it.
    """
    if _auxiliary(chosen) != COMBINED or "confidence" not in inputs.scores:
        return chance, 1.0
    saving = expected_saving(inputs, stop_safe=stop_safe)
    left = 1.0 if saving is None else 1 - saving.middle
    return inputs.scores["confidence"], float(np.sqrt(left))  # labels are as one over the square of a width


def _auxiliary(chosen: Request | None) -> str:
    return COMBINED if chosen is not None and chosen.auxiliary == COMBINED else "confidence"


def _rounds(inputs: Inputs, chosen: Request | None) -> Stratified | None:
    """The design of rrs on these inputs; None where its strata or their guesses cannot be had."""
    try:
        design = build(inputs, Request("rrs", 1, 0, _auxiliary(chosen), options=_options("rrs", chosen))).design
    except BadInput:
        return None
    return design if isinstance(design, Stratified) and design.prior_failure is not None else None


def _clusters(inputs: Inputs, budget: int) -> tuple[Stratified, Widths]:
    """The design of ssrs with its labels in each stratum, (H,)."""
    selector = build(inputs, Request("ssrs", budget=budget, seed=0))
    design = selector.design
    if not isinstance(design, Stratified):
        raise TypeError("ssrs has no strata")
    strata = [draw.stratum for draw in selector.ask(budget)]
    return design, np.bincount(strata, minlength=len(design.stratum_sizes)).astype(np.float64)


def _of_clusters(inputs: Inputs, chance: Widths, counts: NDArray[np.intp], level: float) -> Widths:
    """Half-widths (K,) of ssrs; nan where a stratum has no label."""
    widths = np.full(len(counts), np.nan)
    for place, count in enumerate(counts):
        design, labels = _clusters(inputs, int(count))
        if labels.all():
            sizes, means = design.stratum_sizes, _stratum_means(chance, design)
            widths[place] = stratified_half_width(sizes, labels, means, prior_failure=0.5, level=level)[0]
    return widths


def _stratum_means(chance: Widths, design: Stratified) -> Widths:
    """Mean chance of failure in strata that follow its rising order, (H,)."""
    sizes = np.asarray(design.stratum_sizes)
    means: Widths = np.add.reduceat(np.sort(chance), np.cumsum(sizes) - sizes) / sizes
    return np.clip(means, 0.0, 1.0)
