"""What labels of a session say beside the accuracy: a confidence that predicts nothing or hides faults, what no fault shows."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from testimate.core.draw import is_exploit
from testimate.core.words import commas, level_words, percent
from testimate.estimators.labels_needed import labels_needed
from testimate.planning.build import faults_hide_words
from testimate.planning.right_above import certified
from testimate.planning.votes import losses_of_known
from testimate.reports.parts import part_labels
from testimate.selectors import LADDER
from testimate.selectors.logistic_regression import Line, Prior, most_likely_line
from testimate.selectors.prioritizers import CONFIDENCE_PRIOR, log_odds
from testimate.session.session import Session

ENOUGH_LABELS, ENOUGH_FAULTS = 50, 8
"""Labels from which on there are remarks, and faults, and right answers, that it takes to say that nothing is predicted."""

FLAT = Prior(Line(0.0, 0.0), Line(10.0, 10.0))

NOTHING_PREDICTED = "Confidence doesn't predict the faults here."


def remarks(session: Session) -> tuple[str, ...]:
    """The sentences that hold, for the panel, Results, the report and the terminal."""
    request = session.session_record.request
    if request.technique == LADDER:
        return tuple(filter(None, [certified(request, part_labels(session), session.inputs).why]))
    found = {one.draw.row: one.loss for one in session.verdicts() if one.loss is not None and not is_exploit(one.draw)}
    rows, task = np.array([*found], dtype=np.intp), session.inputs.task
    losses = np.array([*found.values()], dtype=np.float64)
    if not session.selector.design.at_random or not task.measure.is_share or task.graded or task.compares:
        return ()
    chance = session.inputs.scores.get("confidence")
    predicts_nothing = chance is not None and confidence_predicts_nothing(chance[rows], losses)
    said = [NOTHING_PREDICTED] if predicts_nothing else []
    if hiding := faults_hide_words(session.inputs, session.selector.design, session.verdicts()):
        said.append(hiding)
    if len(rows) >= ENOUGH_LABELS and not losses.any() and not any(one.loss for one in session.verdicts()):
        known = losses_of_known(session.inputs.known, session.inputs)
        if not any(known.values()):
            said.append(no_fault_words(len(rows), len(session.inputs), len(known.keys() - found.keys())))
    return tuple(said)


def confidence_predicts_nothing(chance: NDArray[np.float64], losses: NDArray[np.float64]) -> bool:
    """Whether labels (n,) show that faults are as likely at any ``chance`` of failing (n,), 1 - confidence.

    The slope of log-odds of failing in those that the confidence says has an interval that contains 0, and that lies below the
    slope of usual networks: few faults leave it wide, and then nothing is known.
    """
    faults = int((losses > 0).sum())
    if len(losses) < ENOUGH_LABELS or min(faults, len(losses) - faults) < ENOUGH_FAULTS:
        return False
    x = log_odds(chance)
    if np.ptp(x) == 0:
        return True
    line = most_likely_line(x, np.minimum(losses, 1.0), FLAT, Line(0.0, 0.0))
    spread = line.chances(x) * (1 - line.chances(x))
    around = x - (spread * x).sum() / spread.sum()
    reach = ndtri(0.975) / math.sqrt(float((spread * around**2).sum()) + FLAT.sd.slope**-2)
    return bool(line.slope - reach <= 0 and line.slope + reach < CONFIDENCE_PRIOR.mean.slope)


def at_most_failing(labels: int, size: int, known: int = 0) -> float:
    """The share of faults of ``size`` inputs that ``labels`` drawn at random without one rule out, at 95 %.

    No bound of a sample is smaller unless one knows where faults hide. ``known`` : further inputs known to be right.

    >>> round(at_most_failing(200, 1_000_000), 4), at_most_failing(50, 100, known=50)
    (0.0149, 0.0)
    """
    return (1 - (labels + known) / size) * -math.expm1(math.log(0.05) / labels)


def no_fault_words(labels: int, size: int, known: int = 0) -> str:
    """What no fault among so many labels can show, and what less would take.

    >>> no_fault_words(200, 1_000_000)
    'No fault in 200 labels. At best that rules out more than 1.5% faults (95%). Ruling out 0.1% takes 2,986.'
    """
    counted = f"No fault in {commas(labels)} labels"
    if known:
        counted += f", and {commas(known)} more inputs are known to be right"
    most = at_most_failing(labels, size, known)
    if most <= 0:
        return f"{counted}."
    less = 10.0 ** math.floor(math.log10(most / 3))
    needed = labels_needed(
        less,
        lambda counts: np.array([at_most_failing(count, size, min(known, size - count)) for count in counts.tolist()]),
        least=1,
        most=size,
    )
    takes = f" Ruling out {percent(less, _digits(less))} takes {commas(needed)}." if needed else ""
    shown = percent(_rounded_up(most), _digits(most))
    return f"{counted}. At best that rules out more than {shown} faults ({level_words(0.95)}).{takes}"


def _digits(share: float) -> int:
    """Decimal places of a percentage with one significant digit below 1%, one place above.

    >>> _digits(0.015), _digits(0.001), _digits(0.0003)
    (1, 1, 2)
    """
    return max(1, -math.floor(math.log10(100 * share) + 1e-9))


def _rounded_up(share: float) -> float:
    """To the digits shown, never down: a bound that is rounded down says too much."""
    scale = 10.0 ** (_digits(share) + 2)
    return math.ceil(share * scale - 1e-9) / scale
