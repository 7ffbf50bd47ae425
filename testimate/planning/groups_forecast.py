"""How wide the interval of groups drawn as wholes is expected to be: it depends on how alike inputs of a group fail."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.labels_needed import check_half_width
from testimate.planning.build import build
from testimate.selectors import SELECTORS

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
            f"The technique {chosen.technique!r:.40} draws no groups; expected {' or '.join(GROUPED)}. Choose one of these."
        )
    if inputs.confidence is None:
        raise BadInput(
            "Without a confidence there is nothing to forecast from. You will see the interval as you label."
        )
    if not 0 <= alike <= 1:
        raise BadInput(f"The similarity of failures within a group is {alike}; expected 0 to 1. Divide by 100.")
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
