"""How narrow the interval will be for a budget, and which budget it needs, computed before any label is seen."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from testimate.core.design import Design, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, defaults_of, read_options
from testimate.core.words import commas
from testimate.estimators import estimator_of
from testimate.estimators.expected_rounds import RoundSettings, adaptive_always_half_width, adaptive_half_width
from testimate.estimators.expected_width import (
    check_budgets,
    per_draw_always_half_width,
    per_draw_half_width,
    rounds_always_half_width,
    rounds_half_width,
    simple_always_half_width,
    simple_random_half_width,
    stratified_half_width,
)
from testimate.estimators.labels_needed import HalfWidths, check_half_width
from testimate.planning.build import build, technique_named
from testimate.planning.needs import CHANCES, COMBINED, HISTORY
from testimate.planning.other_models import expected_saving
from testimate.planning.votes import losses_of_known
from testimate.selectors import SELECTORS
from testimate.selectors.logistic_regression import most_likely_line
from testimate.selectors.prioritizers import CONFIDENCE_PRIOR, log_odds
from testimate.selectors.round_robin import defensive_weights
from testimate.selectors.unequal_probability import draw_chances
from testimate.structure import strata
from testimate.structure.strata import neyman, proportional

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
    right: an overconfident network will have wider intervals. Labels that are known before say how far it is right. That of
    rra takes the confidence alone, less what such other models save it (``expected_saving``). Those of ``techniques`` that
    have a forecast: srs, rrs, rra, ssrs and sups, each with its default options, but the one of ``chosen`` with the options
    chosen. For sups it is the width a tester will see, which is often less than that of an
    honest interval. Without a confidence, as for a regression, there is srs alone, and that where the share of failures is
    supposed (``failing``, 0..1); else empty. BadInput for a budget outside 1..N.
    """
    return _at_budgets(inputs, _ordinary_of(inputs, techniques, chosen, level, failing), budgets)


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
    return _at_budgets(inputs, _always_of(inputs, techniques, chosen, level, failing), budgets)


@dataclass(frozen=True)
class Curve:
    """Half-widths (K,) of (K,) budgets, from a least one on."""

    least: int
    widths: HalfWidths


def curves_of(
    inputs: Inputs,
    techniques: Collection[str],
    chosen: Request | None,
    *,
    level: float,
    failing: float | None,
    stop_safe: bool,
) -> dict[str, Curve]:
    """The curve of each technique that has one, of the always-valid interval or of the ordinary one."""
    return (_always_of if stop_safe else _ordinary_of)(inputs, techniques, chosen, level, failing)


def _at_budgets(inputs: Inputs, curves: dict[str, Curve], budgets: ArrayLike) -> dict[str, Widths]:
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
) -> dict[str, Curve]:
    chance = chances_of(inputs, chosen)
    if chance is None:
        return _supposed(inputs, techniques, failing, lambda *given: simple_random_half_width(*given, level=level))
    size, rate = len(inputs), float(chance.mean())
    curves = {"srs": Curve(1, lambda counts: simple_random_half_width(size, counts, rate, level=level))}
    rounds = _rounds(inputs, chosen)
    if rounds is not None:
        sizes, prior, means = rounds.stratum_sizes, rounds.prior_failure, _stratum_means(chance, rounds)
        curves["rrs"] = Curve(
            len(sizes), lambda counts: rounds_half_width(sizes, counts, means, prior_failure=prior, level=level)
        )
        made = round_settings(chosen)
        own, part = _learned(inputs, chosen, chance, stop_safe=False)
        curves["rra"] = Curve(
            min(made.size, size), lambda counts: part * adaptive_half_width(own, counts, settings=made, level=level)
        )
    if "ssrs" in techniques:
        clusters = _clusters(inputs, 1)[0]
        curves["ssrs"] = Curve(len(clusters.stratum_sizes), lambda counts: _of_clusters(inputs, chance, counts, level))
    drawn = _draw_chances(chance, chosen)
    if drawn is not None:
        curves["sups"] = Curve(2, lambda counts: per_draw_half_width(chance, drawn, counts, level=level))
    return {name: curves[name] for name in techniques if name in curves}


def _always_of(
    inputs: Inputs, techniques: Collection[str], chosen: Request | None, level: float, failing: float | None
) -> dict[str, Curve]:
    chance = chances_of(inputs, chosen)
    if chance is None:
        supposed = _supposed(inputs, techniques, failing, lambda *given: simple_always_half_width(*given, level=level))
        return _aimed(supposed)
    size, rate = len(inputs), float(chance.mean())
    curves = {"srs": Curve(1, lambda counts: simple_always_half_width(size, counts, rate, level=level))}
    rounds = _rounds(inputs, chosen)
    if rounds is not None:
        sizes, means = rounds.stratum_sizes, _stratum_means(chance, rounds)
        prior = rounds.prior_failure or 0.5
        curves["rrs"] = Curve(
            len(sizes), lambda counts: rounds_always_half_width(sizes, counts, means, prior_failure=prior, level=level)
        )
        made = round_settings(chosen)
        own, part = _learned(inputs, chosen, chance, stop_safe=True)
        curves["rra"] = Curve(
            min(made.size, size),
            lambda counts: part * adaptive_always_half_width(own, counts, settings=made, level=level),
        )
    drawn = _draw_chances(chance, chosen)
    if drawn is not None:
        curves["sups"] = Curve(1, lambda counts: per_draw_always_half_width(chance, drawn, counts, level=level))
    return _aimed({name: curves[name] for name in techniques if name in curves})


def _aimed(curves: dict[str, Curve]) -> dict[str, Curve]:
    """The curves of constant bets as those of bets that aim at each budget."""
    return {name: Curve(curve.least, _scaled(curve.widths, np.array(AIMED[name]))) for name, curve in curves.items()}


def _scaled(widths: HalfWidths, shares: Widths) -> HalfWidths:
    return lambda counts: np.interp(np.log(counts), np.log(AIMED_AT), shares) * widths(counts)


def _supposed(
    inputs: Inputs,
    techniques: Collection[str],
    failing: float | None,
    widths: Callable[[int, NDArray[np.intp], float], Widths],
) -> dict[str, Curve]:
    """The curve of srs where a share of failures is supposed, of pass or fail alone."""
    if failing is None or len(inputs) < 2 or "srs" not in techniques or not inputs.task.measure.is_share:
        return {}
    return {"srs": Curve(1, lambda counts: widths(len(inputs), counts, failing))}


def _options(technique: str, chosen: Request | None) -> dict[str, Any]:
    """The technique's options: those chosen where it is the one chosen, else its defaults."""
    made = SELECTORS[technique]
    mine = chosen is not None and chosen.technique == technique
    given = chosen.options if chosen is not None and mine else {}
    return defaults_of(made.options) | read_options(made.options, given, made.name)


def round_settings(chosen: Request | None) -> RoundSettings:
    """What a round of rra is made of."""
    options = _options("rra", chosen)
    return RoundSettings(options["zones"], options["exploit"], (options["eps_start"], options["eps_end"]))


def _draw_chances(chance: Widths, chosen: Request | None) -> Widths | None:
    """Each input's chance at a draw of sups, (N,); None where some cannot be drawn, as published."""
    published = chosen is not None and chosen.technique == "sups" and chosen.variant == "as published"
    share = 0.0 if published else float(_options("sups", chosen)["uniform_share"])
    drawn = draw_chances(chance, uniform_share=share, negative="min-max")
    return drawn if drawn.min() > 0 else None


def chances_of(inputs: Inputs, chosen: Request | None) -> Widths | None:
    """Chance of failure of each input, (N,), by its confidence; None where there is nothing to forecast from.

    Several criteria have none in common: a confidence is of one of them at most.

    Where the plan chosen follows other models, by what they and the confidence give together; without a confidence by the
    results of earlier models.
    """
    name = _auxiliary(inputs, chosen)
    if name not in inputs.scores or inputs.task.numeric or inputs.task.criteria or len(inputs) < 2:
        return None
    return _as_known(inputs, inputs.scores[name]) if inputs.known else inputs.scores[name]


def _as_known(inputs: Inputs, chance: Widths) -> Widths:
    """The chances (N,) on the line that labels known before make likely: where they fail more often, more is expected to."""
    losses = losses_of_known(inputs.known, inputs)
    rows, outcomes = np.array([*losses], dtype=np.intp), np.minimum([*losses.values()], 1.0)
    line = most_likely_line(log_odds(chance[rows]), outcomes, CONFIDENCE_PRIOR, CONFIDENCE_PRIOR.mean)
    return line.chances(log_odds(chance))


def _learned(inputs: Inputs, chosen: Request | None, chance: Widths, *, stop_safe: bool) -> tuple[Widths, float]:
    """The chances (N,) that the forecast of rra rests on, and the part of the width that other models leave.

    A list takes other models at their word; rra learns from the labels what they are worth. So its forecast is the one by the
    network's own confidence, less what was measured that others save it.
    """
    if not helped_by_others(chosen) or "confidence" not in inputs.scores:
        return chance, 1.0
    saving = expected_saving(inputs, stop_safe=stop_safe)
    left = 1.0 if saving is None else 1 - saving.middle
    return inputs.scores["confidence"], float(np.sqrt(left))  # labels are as one over the square of a width


def helped_by_others(chosen: Request | None) -> bool:
    """Whether the plan follows what other models say beside the confidence."""
    return chosen is not None and chosen.auxiliary == COMBINED


def by_history(inputs: Inputs, chosen: Request | None) -> bool:
    """Whether the forecast takes earlier models' results at their word: the plan follows them, and no confidence is known."""
    return chosen is not None and chosen.auxiliary == HISTORY and inputs.confidence is None


def _auxiliary(inputs: Inputs, chosen: Request | None) -> str:
    return COMBINED if helped_by_others(chosen) else HISTORY if by_history(inputs, chosen) else "confidence"


def _rounds(inputs: Inputs, chosen: Request | None) -> Stratified | None:
    """The design of rrs on these inputs; None where its strata or their guesses cannot be had."""
    try:
        design = build(inputs, Request("rrs", 1, 0, _auxiliary(inputs, chosen), options=_options("rrs", chosen))).design
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


GROUPED = ("srs-groups", "rrs-groups")
"""The techniques that draw groups as wholes."""

CAMPAIGNS = 9
"""Played for each forecast; the half-width of one varies little, because the groups labeled are many."""


def group_half_widths(
    inputs: Inputs, budgets: Sequence[int], chosen: Request, *, alike: float, level: float = 0.95
) -> NDArray[np.float64]:
    """Expected half-width of the interval after each of K budgets, (K,); nan where there are too few groups for one.

    Campaigns are played with losses made up: an input fails with the chance its confidence says, and inputs of a group
    share a part of their luck, so that two of them that fail half the time do so together as often as normal variables
    with the correlation ``alike`` lie below their middle together. The width is the mean over ``CAMPAIGNS``.

    Parameters
    ----------
    alike : 0..1; 0 where inputs of a group fail independently, 1 where equally doubtful ones all fail or none does.

    Raises
    ------
    BadInput : no confidence, another technique than ``GROUPED``, or ``alike`` outside 0..1.
    """
    if chosen.technique not in GROUPED or inputs.groups is None:
        raise BadInput(
            f"The technique {chosen.technique!r:.40} draws no groups. Expected {' or '.join(GROUPED)}. Choose one of these."
        )
    if inputs.confidence is None:
        raise BadInput(
            "Without a confidence there is nothing to forecast from. Start, and see the interval as you label."
        )
    if not 0 <= alike <= 1:
        raise BadInput(f"The similarity of failures within a group is {alike}. Expected 0 to 1. Divide by 100.")
    chance = inputs.scores["confidence"]
    codes, planned = inputs.groups.codes, max(budgets)
    widths = np.full((CAMPAIGNS, len(budgets)), np.nan)
    for seed in range(CAMPAIGNS):
        random = np.random.default_rng([20, seed])
        shared, own = random.normal(size=int(codes.max()) + 1), random.normal(size=len(chance))
        luck = np.sqrt(alike) * shared[codes] + np.sqrt(1 - alike) * own
        losses = (luck < ndtri(np.clip(chance, 1e-12, 1 - 1e-12))).astype(np.float64)
        request = Request(
            chosen.technique, planned, seed, chosen.auxiliary, options=chosen.options, variant=chosen.variant
        )
        selector = build(inputs, request)
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(planned)]
        for place, budget in enumerate(budgets):
            if budget > len(verdicts):
                continue  # the plan ends before
            try:
                found = estimator_of(selector.design).estimate(
                    selector.design, verdicts[:budget], level=level, loss_bound=1.0
                )
            except NotEnoughLabels:
                continue
            if found.low is not None and found.high is not None:
                widths[seed, place] = (found.high - found.low) / 2
    enough = np.isfinite(widths).mean(axis=0) > 0.5
    means = np.full(len(budgets), np.nan)
    means[enough] = np.nanmean(widths[:, enough], axis=0)
    return means


def budget_for_groups(budgets: Sequence[int], half_widths: NDArray[np.float64], wanted: float) -> int | None:
    """The labels at which a forecast, (K,) half-widths at K rising budgets, reaches the one wanted; None where none does.

    Between two budgets by their logarithms; BadInput where the half-width is not above 0.

    >>> budget_for_groups([100, 400], np.array([0.1, 0.05]), 0.05), budget_for_groups([100, 400], np.array([0.1, 0.05]), 0.01)
    (400, None)
    >>> budget_for_groups([100, 400], np.array([0.1, 0.05]), 0.0708)
    200
    """
    check_half_width(wanted)
    known = np.flatnonzero(np.isfinite(half_widths))
    widths = np.minimum.accumulate(half_widths[known])
    reached = np.flatnonzero(widths <= wanted)
    if not reached.size:
        return None
    at = int(reached[0])
    if at == 0:
        return int(budgets[known[0]])
    counts = np.log([budgets[known[at - 1]], budgets[known[at]]])
    logs = np.log(np.maximum([widths[at - 1], widths[at]], 1e-12))
    share = (logs[0] - np.log(wanted)) / (logs[0] - logs[1]) if logs[0] > logs[1] else 1.0
    return int(np.ceil(np.exp(counts[0] + share * (counts[1] - counts[0])) - 1e-9))


def has_group_forecast(inputs: Inputs, technique: str) -> bool:
    """Whether there is a forecast: groups, a confidence, and a technique that draws groups as wholes."""
    return (
        technique in SELECTORS and technique in GROUPED and inputs.groups is not None and inputs.confidence is not None
    )


def no_estimate_follows(design: Design, draws: Sequence[Draw], budget: int) -> str:
    """A sentence where no estimate can follow even from a label for every draw; else empty.

    ``draws`` : all that the technique gives before a label is known. Where it will give more, up to the ``budget``, nothing
    is said.
    """
    if len(draws) < budget:
        return ""
    try:
        estimator_of(design).estimate(design, [Verdict(draw, 0.0) for draw in draws])
    except NotEnoughLabels:
        needed = design.first_number_needs
        return f"No estimate is possible from {commas(budget)} of these labels: it needs {needed}. Plan more."
    return ""


def drawn_apart(inputs: Inputs, technique: str) -> str:
    """A sentence on inputs of groups that are drawn one by one; "" where they are drawn as wholes or belong to none."""
    if "groups" in technique_named(technique).needs:
        return ""
    if inputs.groups is None:
        return inputs.looks_grouped
    return (
        f"The inputs belong together by {inputs.groups.column:.60}, and {technique} draws them one by one: the "
        "estimate holds for this set, but is less certain for new groups than its interval says. srs-groups and "
        "rrs-groups draw groups as wholes."
    )


SCHEMES = {
    "equal spread": "Ten strata of equal spread (rrs)",
    "rule": "Rule: 10 / 10 / 80% (css, ssoa-r)",
    "clusters 3": "Three clusters (ssoa-c)",
    "clusters 10": "Ten clusters (ssrs)",
}


def strata_of(inputs: Inputs, auxiliary: str, scheme: str) -> NDArray[np.intp]:
    """The stratum of each input, (N,), by rising auxiliary variable, cut as the scheme of SCHEMES says."""
    scores = inputs.score(auxiliary)
    if scheme == "rule":
        by_rule = strata.by_rule(scores, seed=0)
        rising: NDArray[np.intp] = by_rule.max() - by_rule  # the rule counts from the most doubtful
        return rising
    if scheme == "equal spread":
        spread = np.sqrt(scores * (1 - scores)) if auxiliary in CHANCES else scores - min(scores.min(), 0.0)
        return strata.by_equal_size(defensive_weights(spread), scores, 10, seed=0)
    return strata.by_clusters(scores, int(scheme.split()[1]))


def allocations(
    inputs: Inputs, auxiliary: str, strata_of_rows: NDArray[np.intp], budget: int
) -> dict[str, NDArray[np.intp]]:
    """Labels per stratum by technique, each (H,): in proportion to size, by Neyman on the score's spread, in equal parts.

    Where the truth is known, Neyman on the true spread of the losses is shown beside them: the best that can be.
    """
    scores = inputs.score(auxiliary)
    sizes = strata.stratum_sizes(strata_of_rows)
    groups = [strata_of_rows == stratum for stratum in range(len(sizes))]
    spent = {
        "srs (on average)": proportional(sizes, budget, minimum=0),
        "ssrs (Neyman)": neyman(sizes, np.array([scores[group].std() for group in groups]), budget),
        "rrs (equal parts)": neyman(sizes, 1 / np.asarray(sizes, dtype=float), budget),
    }
    if inputs.losses is not None:
        true_spread = np.array([inputs.losses[group].std() for group in groups])
        spent["best (Neyman on the truth)"] = neyman(sizes, true_spread, budget)
    return spent
