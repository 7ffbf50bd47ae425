"""A race: a technique whose labels come from the known truth, and what a tester would have seen after each label."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Draw, Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.core.task import Measure
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.honest_interval import with_honest_interval
from testimate.session.draws import AskedDraws
from testimate.structure.cores import one_thread

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Course:
    """One technique's way through its whole budget, n draws; place k - 1 of every column is after k labels.

    Attributes
    ----------
    request, design : what was asked for, and its design at the end.
    size, truth : N inputs, and the accuracy of all of them; ``measure`` says what that is.
    failing, spread : share of all inputs that fail, and the standard deviation of their losses.
    draws : (n,) in labeling order. failed : (n,) whether that input fails.
    failures : (n,) distinct inputs found to fail so far.
    accuracy, low, high, always_low, always_high : (n,) as a session would show them; nan where there is no number.
    warning : what the technique itself warns of; else empty.
    """

    request: Request
    design: Design
    size: int
    truth: float
    measure: Measure
    failing: float
    spread: float
    draws: tuple[Draw, ...]
    failed: NDArray[np.bool_]
    failures: NDArray[np.intp]
    accuracy: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    always_low: NDArray[np.float64]
    always_high: NDArray[np.float64]
    warning: str = ""

    def __len__(self) -> int:
        return len(self.draws)

    @property
    def chosen(self) -> bool:
        """Whether its inputs are chosen, not drawn, so that their mean is not an estimate."""
        return not self.design.at_random


def run_course(inputs: Inputs, request: Request, *, progress: Progress = silent) -> Course:
    """The whole course of the request, labeled by the truth of ``inputs`` as a session would be by a tester who is right.

    Draws, verdicts and estimates follow one another as in a session. BadInput where the truth is not known or
    the technique cannot run.
    """
    if inputs.losses is None:
        raise BadInput(
            "The truth of these inputs is not known; in a race it labels. Open a subject whose truth is known."
        )
    with one_thread():
        selector = build(inputs, request)
        asked = AskedDraws(selector)
        place = 0
        while place < len(asked.draws):  # one verdict may release the next draws
            row = asked.draws[place].row
            asked.tell(row, float(inputs.losses[row]))
            place += 1
        draws = tuple(asked.draws)
        losses = inputs.losses[[draw.row for draw in draws]].astype(np.float64)  # (n,)
        outcomes = inputs.task.outcomes(losses).tolist()
        verdicts = [Verdict(draw, outcome) for draw, outcome in zip(draws, outcomes, strict=True)]
        estimates = _estimates(selector.design, verdicts, inputs.task.outcome_bound, request.technique, progress)
    failed, of_all = inputs.task.failed(losses), inputs.task.outcomes(inputs.losses)
    first = _first_times(draws)

    def column(name: str) -> NDArray[np.float64]:
        return np.array([getattr(one, name, None) for one in estimates], dtype=np.float64)  # None becomes nan

    return Course(
        request=request,
        design=selector.design,
        size=len(inputs),
        truth=1 - float(of_all.mean()),
        measure=inputs.task.measure,
        failing=float(inputs.task.failed(inputs.losses).mean()),
        spread=float(of_all.std(ddof=1)) if len(inputs) > 1 else 0.0,
        draws=draws,
        failed=failed,
        failures=np.cumsum(failed & first),
        accuracy=column("accuracy"),
        low=column("low"),
        high=column("high"),
        always_low=column("always_low"),
        always_high=column("always_high"),
        warning=str(getattr(selector, "warning", "")),
    )


def _estimates(
    design: Design, verdicts: list[Verdict], bound: float | None, technique: str, progress: Progress
) -> list[Estimate | None]:
    """The estimate after 1, 2 ... n labels; None where there is none yet."""
    estimator, found = estimator_of(design), []
    for count in range(1, len(verdicts) + 1):
        progress(count - 1, len(verdicts), technique)
        one: Estimate | None = None
        with suppress(NotEnoughLabels):
            one = estimator.estimate(design, verdicts[:count], level=LEVEL, loss_bound=bound)
            one = with_honest_interval(one, technique)
        found.append(one)
    return found


def _first_times(draws: tuple[Draw, ...]) -> NDArray[np.bool_]:
    """Whether a draw is the first one of its row, (n,)."""
    rows = np.array([draw.row for draw in draws], dtype=np.intp)
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(rows, return_index=True)[1]] = True
    return first
