"""The always-valid interval of draws with fixed unequal chances: valid at every label at once, whenever one stops."""

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.estimators.aimed_betting import ends_of_bets
from testimate.estimators.betting import Game, nested
from testimate.estimators.intervals import check_level


def per_draw_game(
    losses: NDArray[np.float64], probabilities: NDArray[np.float64], size: int, smallest_probability: float
) -> Game:
    """Losses (n,) in [0, 1] of independent draws with ``probabilities`` (n,), as outcomes to bet on.

    X = loss / (N p) has mean theta (Hansen and Hurwitz 1943) and lies between 0 and 1 / (N p_min), p_min the smallest
    chance of any of the N = ``size`` inputs. With equal chances this is simple random sampling with replacement.
    """
    outcomes = losses / (size * probabilities)
    count = np.arange(len(losses))
    mean = (np.cumsum(outcomes) - outcomes + 1) / (count + 2)  # smoothed by two labels at 1/2, from the past alone
    square = (np.cumsum(outcomes**2) - outcomes**2 + 1) / (count + 2)
    return Game(
        outcomes=outcomes,
        smallest=np.zeros(len(losses)),
        largest=np.full(len(losses), 1 / (size * smallest_probability)),
        variance=np.maximum(square - mean**2, 1e-12),
        ends=count,
    )


def always_valid_per_draw(
    losses: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    size: int,
    smallest_probability: float,
    *,
    level: float = 0.95,
    loss_bound: float = 1.0,
    aimed_at: int | None = None,
) -> NDArray[np.float64]:
    """Ends of the mean loss after each of n draws; (n, 2), nested, within [0, loss_bound].

    Parameters
    ----------
    losses : (n,) in [0, loss_bound], in drawing order.
    probabilities : (n,) chance of each draw, none below ``smallest_probability``.
    size : N, inputs drawn from.
    smallest_probability : the smallest chance of any input at a draw, above 0, known before the first draw.
    aimed_at : the number of draws that the bets aim at (``aimed_betting``), known before the first; None for constant ones.

    Raises
    ------
    BadInput : a draw has no probability, or one below the smallest.

    Notes
    -----
    The probability that the mean loss of the N inputs is ever outside is at most 1 - level. The wider the range of the
    chances, the slower the upper end falls: one loss of an input of the smallest chance would weigh 1 / (n N p_min).

    >>> equal = np.full(500, 1 / 10_000)
    >>> always_valid_per_draw(np.zeros(500), equal, 10_000, 1 / 10_000)[-1].round(3)
    array([0.   , 0.009])
    """
    alpha, scaled = 1 - check_level(level), np.asarray(losses, dtype=np.float64) / loss_bound
    chances = np.asarray(probabilities, dtype=np.float64)
    if not len(scaled):
        return np.empty((0, 2))
    below = ~(chances >= smallest_probability * (1 - 1e-9))  # also where there is none
    if below.any():
        raise BadInput(
            f"A draw has the probability {chances[below][0]}; the design's smallest is {smallest_probability}. "
            "Use the draws of this plan."
        )
    game = per_draw_game(scaled, np.maximum(chances, smallest_probability), size, smallest_probability)
    return nested(ends_of_bets(game, alpha, aimed_at)) * loss_bound
