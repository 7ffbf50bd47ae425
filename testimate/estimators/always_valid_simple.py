"""The always-valid interval of simple random sampling: valid at every label at once, whenever one stops."""

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.aimed_betting import ends_of_bets
from testimate.estimators.betting import Game, nested
from testimate.estimators.intervals import check_level


def simple_game(losses: NDArray[np.float64], size: int, *, replacement: bool = False) -> Game:
    """Labels in random order, (n,) in [0, 1], as outcomes to bet on.

    Without replacement the next loss has mean (N theta - losses so far) / (inputs left) (Waudby-Smith and Ramdas 2020,
    section 5), so X = (losses so far + inputs left * loss) / N has mean theta. With replacement X is the loss itself.
    """
    count = np.arange(len(losses))
    so_far = np.cumsum(losses) - losses
    left = np.full(len(losses), size) if replacement else size - count
    known = np.zeros(len(losses)) if replacement else so_far / size
    share = left / size
    mean = (so_far + 1) / (count + 2)  # smoothed by two labels at 1/2, from the past alone
    square = (np.cumsum(losses**2) - losses**2 + 1) / (count + 2)
    return Game(
        outcomes=known + share * losses,
        smallest=known,
        largest=known + share,
        variance=share**2 * (square - mean**2),
        ends=count,
    )


def always_valid_simple(
    losses: NDArray[np.float64],
    size: int,
    *,
    level: float = 0.95,
    loss_bound: float = 1.0,
    replacement: bool = False,
    aimed_at: int | None = None,
) -> NDArray[np.float64]:
    """Ends of the mean loss after each of n labels in drawing order; (n, 2), nested, within [0, loss_bound].

    Parameters
    ----------
    losses : (n,) in [0, loss_bound], in the order they were drawn from the N = ``size`` inputs.
    replacement : whether an input may have been drawn again; then the sequence is that of an infinite population.
    aimed_at : the number of labels that the bets aim at (``aimed_betting``), known before the first; None for constant ones.

    Notes
    -----
    The probability that the mean loss of the N inputs is ever outside is at most 1 - level. Waudby-Smith and Ramdas
    mix bets in several ways; here three constant horizons are mixed, as in the rounds of stratified sampling, with bets
    that aim at a number of labels where there is one.
    Without replacement the ends never leave what is possible with the labels seen, so at n = N they meet at
    the mean, where they had not missed it before.

    >>> ends = always_valid_simple(np.zeros(500), 10_000)
    >>> [round(float(high), 3) for high in ends[[49, 199, 499], 1]]
    [0.091, 0.021, 0.008]
    """
    alpha, scaled = 1 - check_level(level), np.asarray(losses, dtype=np.float64) / loss_bound
    if not len(scaled):
        return np.empty((0, 2))
    ends = ends_of_bets(simple_game(scaled, size, replacement=replacement), alpha, aimed_at)
    if not replacement:
        total = np.cumsum(scaled)
        ends[:, 0] = np.maximum(ends[:, 0], total / size)
        ends[:, 1] = np.minimum(ends[:, 1], (total + (size - 1 - np.arange(len(scaled)))) / size)
    return nested(ends) * loss_bound
