"""Orders of priority judged by the known truth: the metrics, and how fast faults and severe faults come."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.metrics import OrderMetrics, order_metrics, severity_level
from testimate.planning.needs import possible
from testimate.planning.priority import priority
from testimate.selectors import SELECTORS
from testimate.studies.campaign import known_losses

ORDERS = (
    "severity-first",
    "deepgini",
    "entropy",
    "margin",
    "confidence",
    "dsa",
    "lsa",
    "neuron-pattern",
    "deepabstraction",
    "srs",
)
"""The prioritizers, and simple random sampling as the order without any information."""

SEVERE_LEVEL = 9
"""The lowest of the severity levels 1..10 that is severe: a confidence of 80 % and more."""


@dataclass(frozen=True, eq=False)
class OrderScore:
    """One order of all inputs, judged with m, the number of faults, as the labeling budget.

    ``found``, ``severe`` : (N,) faults, and severe faults, among its first 1..N inputs.
    """

    technique: str
    metrics: OrderMetrics
    found: NDArray[np.intp]
    severe: NDArray[np.intp]


def judged_order(inputs: Inputs, technique: str, *, seed: int, progress: Progress = silent) -> OrderScore:
    """The technique's order of all inputs by the known truth, as a labeling budget of m inputs would have it.

    Raises BadInput where the truth or the confidence is not known, there is no fault, or the technique cannot run.
    """
    if why := cannot_be_judged(inputs):
        raise BadInput(why)
    assert inputs.confidence is not None
    failed = inputs.task.failed(known_losses(inputs))  # (N,)
    order = priority(inputs, Request(technique, int(failed.sum()), seed), progress=progress)
    hit, confidence = failed[order.rows], inputs.confidence[order.rows]
    is_severe = hit & (severity_level(confidence) >= SEVERE_LEVEL)
    return OrderScore(technique, order_metrics(hit, confidence), np.cumsum(hit), np.cumsum(is_severe))


def cannot_be_judged(inputs: Inputs) -> str:
    """Why no order of these inputs can be judged, and what to do; empty if one can."""
    if inputs.task.kind == "regression" or inputs.confidence is None:
        return (
            "These inputs have no confidence; an order is judged by how sure the network was of each fault. Open a "
            "classification with a column confidence."
        )
    if not inputs.task.failed(known_losses(inputs)).any():
        return "Not one of these inputs fails; an order is judged by the faults it finds. Open another subject."
    return ""


def possible_orders(inputs: Inputs) -> list[str]:
    """The techniques that can order these inputs."""
    return [name for name in ORDERS if not possible(inputs, SELECTORS[name])]
