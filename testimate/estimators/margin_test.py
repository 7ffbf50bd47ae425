"""Bet on whether a new model is worse than the old one by more than a margin, label by label until it is decided.

Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting", JRSS B 86, section 5: sampling
without replacement, here of the inputs on which the two models predict differently.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.estimators.always_valid import simple_game
from testimate.estimators.betting import capitals

Outcome = Literal["pass", "fail", "undecided"]

LONGEST, FIRST_LABELS, CAMPAIGNS = 5000, 300, 60
"""Of the campaigns that say how many labels to expect: labels at most, labels looked at first, and how many are run."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MarginQuestion:
    """Whether K, the inputs gained less those lost among ``differing``, is at least -``allowed``.

    Attributes
    ----------
    differing : M inputs on which the models predict differently, labeled in random order without replacement.
    allowed : a, inputs that may be lost; below 0 if some must be gained.
    risk : chance with which either answer may be wrong, however often one looks, above 0 and below 1/2.
    """

    differing: int
    allowed: int
    risk: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.risk < 0.5:
            raise BadInput(f"The risk is {self.risk:g}. Expected above 0 and below 0.5. Give 0.05 for 5%.")


@dataclass(frozen=True)
class Decision:
    """The answer, and after how many labels it came; None while it is undecided."""

    outcome: Outcome
    at: int | None = None


@dataclass(frozen=True)
class ExpectedLabels:
    """Labels until a decision: at most ``median`` in half of the campaigns, at most ``most`` in nine of ten.

    ``passed`` is the share that passed. Campaigns end at ``LONGEST`` labels.
    """

    median: int
    most: int
    passed: float


def allowed_loss(points: float, size: int) -> int:
    """Return how many of all inputs may be lost if accuracy may fall by ``points`` percentage points, in exact arithmetic.

    >>> allowed_loss(2, 5000), allowed_loss(0.7, 1000), allowed_loss(1, 150)
    (100, 7, 1)
    """
    return int(Fraction(str(points)) * size / 100)


def decide(question: MarginQuestion, gains: Floats) -> Decision:
    """Answer the question by the gains so far.

    Y = (gain + 1) / 2 is bet on against the two means nearest to the margin: that of K = -a - 1, which "pass" must rule out,
    and that of K = -a, which "fail" must. If such a mean is true its capital is a supermartingale, and it is less for the
    means beyond, so either reaches 1 / risk with a chance of at most ``risk`` (Ville). What the labels leave possible is
    counted in whole inputs, so a census at exactly the margin passes. A gain that nobody could settle counts against
    either answer.

    Parameters
    ----------
    gains : (k,) in the order drawn: 1 where the new model alone is right, -1 where the old one alone is, 0 where neither
        is, nan where nobody could say.

    >>> decide(MarginQuestion(100, 10), np.array([1.0, 1.0, 0.0] * 10)).outcome
    'pass'
    """
    size, allowed = question.differing, question.allowed
    worst, best = (np.where(np.isnan(gains), fill, gains) for fill in (-1.0, 1.0))
    left = size - np.arange(len(gains) + 1)  # inputs without a label, before the first one and after each
    passes = np.append(0, np.cumsum(worst)) - left >= -allowed
    fails = np.append(0, np.cumsum(best)) + left < -allowed
    if len(gains) and not (passes[0] or fails[0]):
        means = (size - allowed + np.array([-1, 0])) / (2 * size)
        passes[1:] |= _capital(worst, size, means[0], 0, question.risk) >= 1 / question.risk
        fails[1:] |= _capital(best, size, means[1], 1, question.risk) >= 1 / question.risk
    at = np.flatnonzero(passes | fails)[:1].tolist()
    if not at:
        return Decision("undecided")
    return Decision("pass" if passes[at[0]] else "fail", at[0])


def _capital(gains: Floats, size: int, mean: float, side: int, risk: float) -> Floats:
    """The capital after each gain, (k,), of bets that the mean of Y lies above ``mean`` (side 0) or below it (side 1)."""
    game = simple_game((gains + 1) / 2, size)
    path: Floats = capitals(game, np.array([mean]), 2 * risk)[side, :, 0]
    return path


def expected_labels(question: MarginQuestion, gained: int, alike: float, seed: int) -> ExpectedLabels | None:
    """Return how many labels a decision takes if K is ``gained``, by campaigns; None if K cannot be that.

    Parameters
    ----------
    alike : share of the differing inputs on which neither model is right.
    seed : determines every campaign.
    """
    size = question.differing
    if abs(gained) > size:
        return None
    neither = min(round(alike * size), size - abs(gained))
    neither -= (size - neither - gained) % 2  # the others are gained or lost, one by one
    neither += 2 * (neither < 0)
    won = max((size - neither + gained) // 2, 0)
    gains = np.repeat([1.0, 0.0, -1.0], [won, neither, size - won - neither])
    rng = np.random.default_rng(seed)
    found = [_decided(question, rng.permutation(gains)[:LONGEST]) for _ in range(CAMPAIGNS)]
    labels = np.array([min(size, LONGEST) if one.at is None else one.at for one in found])
    most = int(np.quantile(labels, 0.9, method="higher"))
    return ExpectedLabels(int(np.median(labels)), most, float(np.mean([one.outcome == "pass" for one in found])))


def _decided(question: MarginQuestion, gains: Floats) -> Decision:
    """As ``decide``, looking at the first labels alone where they decide it."""
    first = decide(question, gains[:FIRST_LABELS])
    return decide(question, gains) if first.outcome == "undecided" and len(gains) > FIRST_LABELS else first
