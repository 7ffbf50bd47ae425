"""How many faults, or severe ones, a plan is expected to find before any label, with a range."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.build import build
from testimate.planning.expected_range import QUANTILES, likely_chances

CAMPAIGNS = 11
"""Played for a forecast, each by another line: 3 would give a poor range, and more take longer than a tester waits."""

AT_ITS_WORD = 0.75
"""How far the middle moves, in logarithms, from what the lines find to what a confidence taken at its word does: among the most
doubtful inputs it is nearly right, and the lines are not sure. Severe faults are those that it does not expect."""

FURTHER = 1.22
"""Factor by which both ends lie further out than what the lines find. Both were chosen by one part of the networks and judged
by another (decision 145)."""

ASKED = 20
"""Inputs asked before the technique learns their outcomes; the size of a usual round."""


class ExpectedFaults(NamedTuple):
    """The number found: as often above ``middle`` as below, and between ``low`` and ``high`` for seven networks of eight."""

    low: int
    middle: int
    high: int


def expected_faults(inputs: Inputs, request: Request, *, severe: bool = False) -> ExpectedFaults | None:
    """Return the faults that the plan's labels are expected to show, or the severe ones; None without a confidence.

    Campaigns are played with made-up losses. The confidence is not taken at its word: in each campaign the inputs fail with
    the chances of another line from the log-odds that it says to the true ones, those of ``expected_range``. Labels known
    before say which lines are likelier. Where there are none, one more campaign has the chances that the confidence says, and
    the middle of all faults moves toward what it finds.
    """
    if inputs.confidence is None or inputs.task.numeric or inputs.task.graded or "confidence" not in inputs.scores:
        return None
    counts = inputs.confidence >= HIGH_FROM if severe else np.ones(len(inputs), dtype=np.bool_)
    chances = [*likely_chances(inputs, CAMPAIGNS, counts)]
    found = [_found(inputs, replace(request, seed=seed), one, counts) for seed, one in enumerate(chances)]
    low, middle, high = np.quantile(found, QUANTILES, method="hazen").tolist()
    low, high = low / FURTHER, min(high * FURTHER, request.budget)
    if not severe and not inputs.known and middle:
        said = _found(inputs, replace(request, seed=CAMPAIGNS), inputs.scores["confidence"], counts)
        middle = min(max(middle ** (1 - AT_ITS_WORD) * said**AT_ITS_WORD, low), high)
    return ExpectedFaults(math.floor(low), round(middle), math.ceil(high))


def _found(inputs: Inputs, request: Request, chance: NDArray[np.float64], counts: NDArray[np.bool_]) -> int:
    """How many of the inputs that count, (N,), a campaign finds to fail where each fails with its chance, (N,)."""
    fails = np.random.default_rng([52, request.seed]).random(len(inputs)) < chance
    selector = build(inputs, request)
    rows: set[int] = set()
    while draws := selector.ask(ASKED):
        rows.update(draw.row for draw in draws)
        selector.tell([Verdict(draw, float(fails[draw.row])) for draw in draws])
    labeled = np.array(sorted(rows), dtype=np.intp)
    return int(np.count_nonzero(fails[labeled] & counts[labeled]))
