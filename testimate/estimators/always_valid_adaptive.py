"""The always-valid interval of adaptive rounds: it moves at the end of each round and is valid whenever one stops."""

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.aimed_betting import ends_of_bets
from testimate.estimators.betting import Game, nested
from testimate.estimators.intervals import check_level
from testimate.estimators.round_sample import RoundSample


def adaptive_game(sample: RoundSample) -> Game:
    """Losses in [0, 1], none of them nan, of the whole rounds as outcomes to bet on.

    The X of a round are independent given the past and average to theta, and what bounds and predicts them was known
    before the round was drawn.
    """
    whole = sample.whole
    inside = sample.random & (sample.rounds < whole)
    bases, zones = sample.bases[:whole], sample.zones[:whole]
    return Game(
        outcomes=sample.terms[inside],
        smallest=np.repeat(bases + sample.smallest[:whole], zones),
        largest=np.repeat(bases + sample.largest[:whole], zones),
        variance=np.repeat(np.maximum(sample.variance[:whole], 1e-12), zones),
        ends=np.cumsum(zones) - 1,
    )


def always_valid_adaptive(
    sample: RoundSample, *, level: float = 0.95, aimed_at: int | None = None
) -> NDArray[np.float64]:
    """Ends of the mean loss after each of n draws with losses in [0, 1]; (n, 2), nested, moving where a round is whole.

    The probability that the mean loss of all inputs is ever outside is at most 1 - level. The ends never leave what is
    possible with the labels seen. ``aimed_at`` : the number of draws, exploit picks included, that the bets aim at
    (``aimed_betting``), known before the first; None for constant bets.
    """
    alpha, whole = 1 - check_level(level), sample.whole
    ends = np.array([[0.0, 1.0]])
    if whole:
        drawn = np.cumsum(sample.sizes[:whole])
        total = np.cumsum(sample.losses)[drawn - 1]
        bets = (
            None if aimed_at is None else max(1, round(aimed_at * sample.zones[0] / sample.sizes[0]))
        )  # no pick is a bet
        moving = ends_of_bets(adaptive_game(sample), alpha, bets)
        moving[:, 0] = np.maximum(moving[:, 0], total / sample.size)
        moving[:, 1] = np.minimum(moving[:, 1], (total + sample.size - drawn) / sample.size)
        ends = np.concatenate([ends, nested(moving)])
    return ends[np.searchsorted(np.cumsum(sample.sizes), np.arange(1, len(sample.losses) + 1), side="right")]
