"""The always-valid interval of stratified rounds: it moves at the end of each round and is valid whenever one stops."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.aimed_betting import ends_of_bets
from testimate.estimators.betting import Game, nested
from testimate.estimators.intervals import check_level


@dataclass(frozen=True, eq=False)
class CompleteRounds:
    """Complete rounds, rebuilt from the strata of the draws: the j-th draw in a stratum belongs to round j.

    Attributes
    ----------
    losses : (T, H), 0 where a stratum was exhausted.
    live : (T, H), which strata the round visited.
    complete : (n,) how many rounds were complete after each draw.
    """

    losses: NDArray[np.float64]
    live: NDArray[np.bool_]
    complete: NDArray[np.intp]


def rounds_of(
    losses: NDArray[np.float64], strata: NDArray[np.intp], sizes: NDArray[np.intp], *, replacement: bool = False
) -> CompleteRounds:
    """The complete rounds among n draws: every stratum not exhausted once in each."""
    drawn = np.bincount(strata, minlength=len(sizes))
    open_strata = np.ones(len(sizes), bool) if replacement else drawn < sizes
    count = int(drawn[open_strata].min() if open_strata.any() else drawn.max())
    order = np.argsort(strata, kind="stable")
    turn = np.empty(len(strata), np.intp)  # which draw of its stratum this is, from 0 on
    turn[order] = np.arange(len(strata)) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    inside = turn < count
    table = np.zeros((count, len(sizes)))
    table[turn[inside], strata[inside]] = losses[inside]
    last = np.zeros(count, np.intp)  # place of each round's last draw
    np.maximum.at(last, turn[inside], np.flatnonzero(inside))
    complete = np.searchsorted(np.maximum.accumulate(last), np.arange(len(strata)), side="right")
    live = np.full((count, len(sizes)), True) if replacement else np.arange(count)[:, None] < sizes
    return CompleteRounds(table, live, complete)


def rounds_game(
    rounds: CompleteRounds, sizes: NDArray[np.intp], prior: NDArray[np.float64], *, replacement: bool = False
) -> Game:
    """Losses in [0, 1] of complete rounds as outcomes to bet on; ``prior`` (H,) is the guess of each stratum's mean loss.

    At the start of a round, A the strata visited, R_h the inputs left in h, zs the losses so far and mu_h the smoothed
    mean loss of past rounds: X_h = (zs + sum_g R_g mu_g) / N + |A| R_h (z_h - mu_h) / N. The E X_h average to theta,
    whatever mu is. With replacement R_h stays N_h and nothing is subtracted from what is unknown: zs = 0.
    """
    losses, live, size = rounds.losses, rounds.live, sizes.sum()
    so_far = np.cumsum(losses, axis=0) - losses  # (T, H)
    squares = np.cumsum(losses**2, axis=0) - losses**2
    before = np.cumsum(live, axis=0, dtype=np.intp) - live
    left = np.where(live, sizes if replacement else sizes - before, 0)
    known = np.zeros(len(losses)) if replacement else so_far.sum(axis=1)
    mu = (so_far + 2 * prior) / (before + 2)
    # the predicted variance of a loss; mu (1 - mu) where it is 0 or 1
    spread = (squares + 2 * prior) / (before + 2) - mu**2
    visited = live.sum(axis=1)  # |A|, (T,)
    base = ((known + (left * mu).sum(axis=1)) / size)[:, None]
    reach = visited[:, None] * left / size  # |A| R_h / N
    variance = (reach**2 * spread).sum(axis=1) / visited
    smallest = np.where(live, base - reach * mu, np.inf).min(axis=1)
    largest = np.where(live, base + reach * (1 - mu), -np.inf).max(axis=1)
    return Game(
        outcomes=(base + reach * (losses - mu))[live],
        smallest=np.repeat(smallest, visited),
        largest=np.repeat(largest, visited),
        variance=np.repeat(np.maximum(variance, 1e-12), visited),  # a prior of 0 everywhere predicts none
        ends=np.cumsum(visited) - 1,
    )


def always_valid_rounds(
    losses: NDArray[np.float64],
    strata: NDArray[np.intp],
    sizes: NDArray[np.intp],
    *,
    prior_failure: NDArray[np.float64] | None = None,
    level: float = 0.95,
    loss_bound: float = 1.0,
    replacement: bool = False,
    aimed_at: int | None = None,
) -> NDArray[np.float64]:
    """Ends of the mean loss after each of n draws; (n, 2), nested, moving only where a round is complete.

    Parameters
    ----------
    losses : (n,) in [0, loss_bound], in drawing order; within a stratum that order must be random.
    strata : (n,) places in ``sizes``.
    sizes : (H,) inputs in each stratum.
    prior_failure : (H,) guessed share of the bound each stratum loses, 0..1; 1/2 where None.
    aimed_at : the number of labels that the bets aim at (``aimed_betting``), known before the first; None for constant ones.

    Notes
    -----
    The probability that the mean loss of all inputs is ever outside is at most 1 - level. Before the first complete
    round the ends are 0 and ``loss_bound``. Without replacement they never leave what is possible with the labels seen.
    """
    alpha, scaled = 1 - check_level(level), np.asarray(losses, dtype=np.float64) / loss_bound
    prior = np.full(len(sizes), 0.5) if prior_failure is None else np.asarray(prior_failure, dtype=np.float64)
    everything = np.array([[0.0, 1.0]])
    if not len(scaled):
        return np.empty((0, 2))
    rounds = rounds_of(scaled, strata, sizes, replacement=replacement)
    if not len(rounds.losses):
        return np.repeat(everything, len(scaled), axis=0) * loss_bound
    ends = ends_of_bets(rounds_game(rounds, sizes, prior, replacement=replacement), alpha, aimed_at)
    if not replacement:
        total = np.cumsum(rounds.losses.sum(axis=1))
        left = sizes.sum() - np.cumsum(rounds.live.sum(axis=1))
        ends[:, 0] = np.maximum(ends[:, 0], total / sizes.sum())
        ends[:, 1] = np.minimum(ends[:, 1], (total + left) / sizes.sum())
    return np.concatenate([everything, nested(ends)])[rounds.complete] * loss_bound
