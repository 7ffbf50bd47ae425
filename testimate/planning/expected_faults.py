"""How many faults, or severe ones, a plan is expected to find before any label, with a range."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.build import build
from testimate.planning.expected_range import QUANTILES, likely_chances

CAMPAIGNS = 11
"""Played for a forecast, each by another line: 3 would give a poor range, and more take longer than a tester waits."""

ASKED = 20
"""Inputs asked before the technique learns their outcomes; the size of a usual round."""


class ExpectedFaults(NamedTuple):
    """The number found: as often above ``middle`` as below, and between ``low`` and ``high`` for four networks of five."""

    low: int
    middle: int
    high: int


def expected_faults(inputs: Inputs, request: Request, *, severe: bool = False) -> ExpectedFaults | None:
    """Return the faults that the plan's labels are expected to show, or the severe ones; None without a confidence.

    Campaigns are played with made-up losses. The confidence is not taken at its word: in each campaign the inputs fail with
    the chances of another line from the log-odds that it says to the true ones, those of ``expected_range``. Labels known
    before say which lines are likelier.
    """
    if inputs.confidence is None or inputs.task.numeric or inputs.task.graded or "confidence" not in inputs.scores:
        return None
    counts = inputs.confidence >= HIGH_FROM if severe else np.ones(len(inputs), dtype=np.bool_)
    found = []
    for seed, chance in enumerate(likely_chances(inputs, CAMPAIGNS, counts)):
        fails = np.random.default_rng([52, seed]).random(len(inputs)) < chance
        selector = build(inputs, replace(request, seed=seed))
        rows: set[int] = set()
        while draws := selector.ask(ASKED):
            rows.update(draw.row for draw in draws)
            selector.tell([Verdict(draw, float(fails[draw.row])) for draw in draws])
        labeled = np.array(sorted(rows), dtype=np.intp)
        found.append(int(np.count_nonzero(fails[labeled] & counts[labeled])))
    return ExpectedFaults(*(round(one) for one in np.quantile(found, QUANTILES, method="hazen").tolist()))
