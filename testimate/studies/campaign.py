"""One labeling campaign over known truth: draw, let the truth label, estimate.

A worker process of a study: campaigns come in on its standard input, their results go out.

Started only by `testimate.studies.study`; both ends are the same program, so pickles are safe here.
"""

import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_scores
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build, titled
from testimate.selectors import SELECTORS

CONTINUED = ("srs", "css", "rrs", "rra", "gbs", "sups", "2-ups", "deepest", "ces")
"""Techniques whose list for a larger budget continues that for a smaller one (rra: at whole rounds, ces: whole batches)."""

CES_START, CES_BATCH = 30, 5


@dataclass(frozen=True)
class Campaign:
    """The result of one campaign.

    Attributes
    ----------
    accuracy : the estimator's value, never clipped, so that its bias can be measured.
    low, high : the ordinary interval, or None.
    failures : draws whose loss counts as a failure; an input drawn twice counts twice, as in DeepSample.
    rows : the rows in labeling order.
    purposive : whether the inputs were chosen rather than drawn.
    seconds : selecting, telling and estimating together.
    """

    accuracy: float
    low: float | None
    high: float | None
    failures: int
    rows: tuple[int, ...]
    purposive: bool
    seconds: float = field(compare=False)


@dataclass(frozen=True)
class LabeledCampaign:
    """A campaign's design and the verdicts of all its draws, in drawing order."""

    design: Design
    verdicts: list[Verdict]


def one_campaign_serves(technique: str, budgets: Sequence[int], options: Mapping[str, Any]) -> bool:
    """Whether a campaign of the largest of the rising ``budgets`` contains the campaign of each smaller one.

    >>> one_campaign_serves("rra", [50, 100], {}), one_campaign_serves("rra", [55, 100], {})
    (True, False)
    """
    if technique not in CONTINUED:
        return False
    smaller = list(budgets)[:-1]
    if technique == "rra":
        known = {option.name: option.default for option in SELECTORS["rra"].options}
        each = sum(int(options.get(name, known[name])) for name in ("zones", "exploit"))
        return all(budget % each == 0 for budget in smaller)
    if technique == "ces":
        return all(budget >= CES_START and (budget - CES_START) % CES_BATCH == 0 for budget in smaller)
    return True


def campaign(inputs: Inputs, request: Request, *, level: float = 0.95) -> Campaign:
    """The campaign that the request asks for, labeled by the truth of ``inputs``.

    Raises BadInput where the truth is not known or the technique cannot run, and NotEnoughLabels where the budget is too
    small for an estimate.
    """
    losses = known_losses(inputs)
    started = perf_counter()
    labeled = label(inputs, request, losses)
    return _judged(inputs, labeled, losses, level, started)


def campaign_at_each(
    inputs: Inputs, request: Request, budgets: Sequence[int], *, level: float = 0.95
) -> list[Campaign]:
    """The result of one campaign after each of the rising ``budgets``, the last of which replaces the request's.

    Only where ``one_campaign_serves``: the first labels are those of a smaller budget, so this is as good as a campaign
    for each budget and several times as fast; but the errors at different budgets are then correlated. ``seconds`` is
    the whole campaign's. Raises BadInput for other techniques, and as ``campaign`` does.
    """
    if not one_campaign_serves(request.technique, budgets, request.options):
        raise BadInput(
            f"The first labels of {titled(request.technique)} are not those of a smaller budget, at budgets "
            f"{list(budgets)!r:.60}; expected one of {', '.join(CONTINUED)}, at whole rounds. Run a campaign for each budget."
        )
    losses = known_losses(inputs)
    started = perf_counter()
    labeled = label(inputs, replace(request, budget=budgets[-1]), losses)
    parts = [LabeledCampaign(labeled.design, labeled.verdicts[:budget]) for budget in budgets]
    return [_judged(inputs, part, losses, level, started) for part in parts]


@dataclass(frozen=True)
class PlannedCampaign:
    """A campaign to run: ``request`` with the largest of the rising ``budgets``, judged at each of them."""

    request: Request
    budgets: tuple[int, ...]


def run_planned(inputs: Inputs, planned: PlannedCampaign, level: float) -> list[Campaign]:
    """The results of the campaign at each of its budgets."""
    if len(planned.budgets) == 1:
        return [campaign(inputs, planned.request, level=level)]
    return campaign_at_each(inputs, planned.request, planned.budgets, level=level)


def _judged(
    inputs: Inputs, labeled: LabeledCampaign, losses: NDArray[np.float64], level: float, started: float
) -> Campaign:
    """The unclipped estimate from the labels, and the failures found."""
    design, verdicts, bound = labeled.design, labeled.verdicts, inputs.task.loss_bound
    estimator = estimator_of(design)
    # the always-valid interval is not needed here, and would take most of the time
    estimate = estimator.estimate(design, verdicts, level=level, loss_bound=bound, always_valid=False)
    accuracy = estimate.accuracy
    if accuracy in (0.0, 1.0):  # may be clipped for display; without a bound it is not
        accuracy = estimator.estimate(design, verdicts, level=level, loss_bound=None).accuracy
    rows = tuple(verdict.draw.row for verdict in verdicts)
    return Campaign(
        accuracy=accuracy,
        low=estimate.low,
        high=estimate.high,
        failures=int(inputs.task.failed(losses[list(rows)]).sum()),
        rows=rows,
        purposive=design.kind == "purposive",
        seconds=perf_counter() - started,
    )


def label(inputs: Inputs, request: Request, losses: NDArray[np.float64]) -> LabeledCampaign:
    """Draws what the request asks for and labels it by the true ``losses`` (N,), to the end of the budget."""
    selector = build(inputs, request)
    verdicts: list[Verdict] = []
    while selector.remaining:
        draws = selector.ask(selector.remaining)
        if not draws:
            raise TestimateError(
                f"{titled(request.technique)} draws nothing more after {len(verdicts)} labels though {selector.remaining} are "
                "left; it has the verdict on every one. Correct the technique."
            )
        settled = losses[[draw.row for draw in draws]].tolist()
        batch = [Verdict(draw, loss) for draw, loss in zip(draws, settled, strict=True)]
        selector.tell(batch)
        verdicts.extend(batch)
    return LabeledCampaign(selector.design, verdicts)


def known_losses(inputs: Inputs) -> NDArray[np.float64]:
    """The losses of all inputs, (N,); BadInput where the truth is not known for each."""
    if inputs.losses is None:
        raise BadInput(
            "The truth of these inputs is not known; a study labels by it. Give a table with a column label or outcome."
        )
    losses = check_scores(inputs.losses, "losses")
    if losses.size != len(inputs):
        raise BadInput(f"There are {losses.size} losses for {len(inputs)} inputs; expected one each. Give the truth.")
    return losses


def work(tasks: IO[bytes], results: IO[bytes]) -> None:
    """Runs batches of tasks, one after another, until the other end closes; errors are sent, not raised."""
    inputs, level = pickle.load(tasks)
    while True:
        try:
            batch = pickle.load(tasks)
        except EOFError:
            return
        answer: Any
        try:
            answer = [run_planned(inputs, task, level) for task in batch]
        except Exception as error:  # sent to the other end, which raises it there
            answer = error
        pickle.dump(answer, results)
        results.flush()


def main() -> None:
    """Works on standard input and output; whatever a library prints goes to standard error instead."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with results:
        work(sys.stdin.buffer, results)
