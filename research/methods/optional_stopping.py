"""A tester who watches the interval and stops when it is narrow: how often the two kinds of interval then miss."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_budget, is_whole
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.studies.campaign import LabeledCampaign, known_losses, label

ROUNDING = 1e-12


@dataclass(frozen=True)
class Stopping:
    """The result of watching an interval over many campaigns.

    Attributes
    ----------
    ever_missed : share of campaigns in which the interval missed the truth at one of the looks at least.
    missed_at_stop : share in which it missed where the tester stopped: at the first look at which its half-width was at
        most the one wanted, or at the end of the budget.
    stopped : share that stopped before the end of the budget.
    labels_mean : mean labels at the stop.
    """

    ever_missed: float
    missed_at_stop: float
    stopped: float
    labels_mean: float


@dataclass(frozen=True, eq=False)
class Watched:
    """The intervals of R campaigns at k looks.

    Attributes
    ----------
    looks : (k,) labels, rising.
    truth : accuracy of the whole set.
    accuracy : (R, k) estimates, clipped to what is possible.
    ordinary, always_valid : (R, k, 2) ends; the latter None where the design has no such interval. It is nested, so a
        campaign in which it ever missed misses at the last look too, whatever the looks are.
    """

    looks: NDArray[np.intp]
    truth: float
    accuracy: NDArray[np.float64]
    ordinary: NDArray[np.float64]
    always_valid: NDArray[np.float64] | None


def watch(
    inputs: Inputs,
    request: Request,
    *,
    campaigns: int,
    looks: Sequence[int],
    level: float = 0.95,
    progress: Progress = silent,
) -> Watched:
    """Campaigns of the request's budget, watched at the given labels.

    Parameters
    ----------
    inputs : of known truth.
    request : technique, budget and so on; its seed and the campaigns' numbers determine every draw.
    campaigns : R, at least 1.
    looks : rising numbers of labels, 1..budget, at which the tester looks; the estimate must have an interval there.
    level : of both intervals, 0..1.

    Raises
    ------
    BadInput : looks outside the budget, the truth not known, or a look without an interval.
    """
    losses = known_losses(inputs)
    places = _checked(inputs, request, campaigns, looks)
    seeds = np.random.SeedSequence(request.seed).generate_state(campaigns, np.uint32)
    bound, what = inputs.task.loss_bound, f"watched campaigns of {request.technique}"
    found, always = [], []
    for number, seed in enumerate(seeds.tolist()):
        progress(number, campaigns, what)
        labeled = label(inputs, replace(request, seed=seed), losses)
        found.append(_ordinary(labeled, places, level, bound))
        if bound is not None and labeled.design.always_valid:
            trail = always_valid_trail(labeled.design, labeled.verdicts, level=level, loss_bound=bound)
            always.append(trail[places - 1])
    progress(campaigns, campaigns, what)
    numbers = np.stack(found)  # (R, k, 3)
    return Watched(
        looks=places,
        truth=float(1 - losses.mean()),
        accuracy=numbers[:, :, 0],
        ordinary=numbers[:, :, 1:],
        always_valid=np.stack(always) if always else None,
    )


def stopping(ends: NDArray[np.float64], looks: NDArray[np.intp], truth: float, half_width: float) -> Stopping:
    """The result when the tester stopped at the half-width wanted, from the ends (R, k, 2) at the looks (k,).

    >>> ends = np.array([[[0.0, 1.0], [0.5, 0.6]], [[0.2, 0.9], [0.6, 0.9]]])
    >>> stopping(ends, np.array([10, 20]), 0.7, 0.1).missed_at_stop
    0.5
    """
    if not half_width > 0:
        raise BadInput(f"The half-width is {half_width}. Expected one above 0. Change it.")
    missed = (ends[:, :, 0] > truth + ROUNDING) | (ends[:, :, 1] < truth - ROUNDING)  # (R, k)
    narrow = ends[:, :, 1] - ends[:, :, 0] <= 2 * half_width + ROUNDING
    narrow[:, -1] = True  # the budget ends
    stop = narrow.argmax(axis=1)  # (R,)
    return Stopping(
        ever_missed=float(missed.any(axis=1).mean()),
        missed_at_stop=float(missed[np.arange(len(stop)), stop].mean()),
        stopped=float((stop < len(looks) - 1).mean()),
        labels_mean=float(looks[stop].mean()),
    )


def _ordinary(
    labeled: LabeledCampaign, looks: NDArray[np.intp], level: float, bound: float | None
) -> NDArray[np.float64]:
    """The estimate and its ordinary interval at each look, (k, 3)."""
    estimator = estimator_of(labeled.design)
    found = []
    for labels in looks.tolist():
        try:
            estimate = estimator.estimate(labeled.design, labeled.verdicts[:labels], level=level, loss_bound=bound)
        except NotEnoughLabels as error:
            raise BadInput(f"At {labels} labels there is no estimate yet ({error}) Look later.") from None
        if estimate.low is None or estimate.high is None:
            raise BadInput(f"At {labels} labels there is no interval. Expected one at each look. {estimate.why}")
        found.append((estimate.accuracy, estimate.low, estimate.high))
    return np.array(found)


def _checked(inputs: Inputs, request: Request, campaigns: int, looks: Sequence[int]) -> NDArray[np.intp]:
    """The looks as an array; BadInput for what cannot be."""
    check_budget(request.budget, len(inputs))
    places = np.asarray(looks)
    fits = places.ndim == 1 and places.size > 0 and np.issubdtype(places.dtype, np.integer)
    if not (fits and places[0] >= 1 and places[-1] <= request.budget and (np.diff(places) > 0).all()):
        raise BadInput(
            f"The looks are {looks!r:.60}. Expected rising whole numbers from 1 to the budget, {request.budget}. Change them."
        )
    if not is_whole(campaigns, 1):
        raise BadInput(f"The number of campaigns is {campaigns}. Expected at least 1. Change it.")
    return places.astype(np.intp)
