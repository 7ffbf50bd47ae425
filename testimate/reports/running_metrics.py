"""WFDR and SFDR of a session: running, with what is not known yet estimated, and exact where the truth is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import PerDraw, Rounds, Stratified
from testimate.core.errors import NotEnoughLabels
from testimate.core.estimate import Estimate
from testimate.core.inputs import Inputs
from testimate.core.selector import PredictsFailures
from testimate.estimators.adaptive_rounds import inputs_stood_for
from testimate.estimators.round_sample import round_sample_of
from testimate.metrics import LiveMetrics, live_metrics, severity_level, sfdr, wfdr
from testimate.session.session import Session


@dataclass(frozen=True)
class ExactMetrics:
    """WFDR and SFDR of the inputs labeled so far, 0..1, by the known answers; ``faults`` are those of the whole set.

    ``wfdr`` is None where every input is a fault.
    """

    faults: int
    wfdr: float | None
    sfdr: float


def running_metrics(
    session: Session, rows: NDArray[np.intp], failed: NDArray[np.bool_], estimate: Estimate | None
) -> LiveMetrics | None:
    """The running metrics of the rows labeled (k,), in draw order; None while there is no estimate or no failure.

    None too without a confidence, and for regression, whose accuracy is no share of failures.
    """
    inputs = session.inputs
    if estimate is None or inputs.confidence is None or inputs.task.kind == "regression":
        return None
    if isinstance(session.selector, PredictsFailures):
        return _by_what_was_learned(session.selector.predicted(), inputs.confidence, rows, failed)
    try:
        return live_metrics(
            failed,
            inputs.confidence[rows],
            size=len(inputs),
            failure_rate=float(np.clip(1 - estimate.accuracy, 0, 1)),
            weights=_inputs_stood_for(session, rows),
        )
    except NotEnoughLabels:
        return None


def _by_what_was_learned(
    chances: NDArray[np.float64], confidence: NDArray[np.float64], rows: NDArray[np.intp], failed: NDArray[np.bool_]
) -> LiveMetrics | None:
    """The running metrics where the rows were chosen, not drawn: the unlabeled fail with the chances learned, (N,)."""
    unlabeled = np.delete(np.arange(chances.size), rows)
    expected = np.bincount(severity_level(confidence[unlabeled]), chances[unlabeled], minlength=11)
    rate = (int(failed.sum()) + float(chances[unlabeled].sum())) / chances.size
    try:
        return live_metrics(failed, confidence[rows], size=chances.size, failure_rate=min(rate, 1.0), expected=expected)
    except NotEnoughLabels:
        return None


def exact_metrics(inputs: Inputs, rows: NDArray[np.intp]) -> ExactMetrics | None:
    """The metrics of the rows labeled (k,), in draw order, had every answer been the true one; None where not known."""
    if inputs.losses is None or inputs.confidence is None or not rows.size:
        return None
    failed = inputs.task.failed(inputs.losses)  # (N,)
    faults = int(failed.sum())
    if not faults:
        return None
    given = {"size": len(inputs), "faults": faults, "budget": min(len(rows), faults)}
    severe_first = sfdr(failed[rows], inputs.confidence[rows], all_faults=inputs.confidence[failed], **given)
    return ExactMetrics(faults, wfdr(failed[rows], **given) if faults < len(inputs) else None, severe_first)


def _inputs_stood_for(session: Session, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """Design weights: how many inputs of the whole set each labeled one stands for, (k,); None where all as many."""
    design = session.selector.design
    settled = [verdict.draw for verdict in session.verdicts() if verdict.loss is not None]
    if isinstance(design, Stratified):
        labeled = np.bincount([draw.stratum for draw in settled], minlength=len(design.stratum_sizes))
        strata = np.array([session.draw_of(int(row)).stratum for row in rows], dtype=np.intp)
        return np.asarray(design.stratum_sizes, dtype=np.float64)[strata] / labeled[strata]  # N_h / n_h
    if isinstance(design, Rounds):
        drawn = round_sample_of(design, session.verdicts(), session.inputs.task.loss_bound)
        return inputs_stood_for(drawn)[drawn.settled]  # no row is drawn twice
    if isinstance(design, PerDraw):
        weight = dict.fromkeys(rows.tolist(), 0.0)
        for draw in settled:
            if draw.probability is not None:
                weight[draw.row] += 1 / (len(settled) * draw.probability)  # Hansen and Hurwitz: 1 / (n p) each time
        return np.array(list(weight.values()))
    return None
