"""The always-valid interval of a design: after its last verdict, and after each of them for a chart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, WrongDesign
from testimate.estimators.betting import Game, ends_of_bets, nested
from testimate.estimators.intervals import Interval
from testimate.estimators.sample import RoundSample, Sample, flipped, round_sample_of, sample_of


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


def always_valid_trail(
    design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float = 1.0
) -> NDArray[np.float64]:
    """Low and high end of the always-valid accuracy after each of n verdicts, in one pass; (n, 2), nested.

    Skipped draws count as full losses for the low end and as none for the high end: whether an input can be settled
    does not depend on the draw, so both sequences hold.

    Raises
    ------
    WrongDesign : there is no always-valid interval for this design.
    BadInput : the verdicts do not fit the design.

    >>> from testimate.core.draw import Draw
    >>> design = SimpleRandom(stratum_sizes=(4,), planned=4)
    >>> always_valid_trail(design, [Verdict(Draw(row), loss) for row, loss in enumerate([0, 1, 0, 0])])
    array([[0.25, 1.  ], [0.25, 0.75], [0.5 , 0.75], [0.75, 0.75]])
    """
    if not design.always_valid:
        raise WrongDesign(
            f"There is no always-valid interval for this {design.kind or type(design).__name__} design; it needs simple "
            "random sampling, rounds, or draws whose smallest chance is known. Select with rra, rrs or srs."
        )
    return 1 - loss_trail(design, verdicts_as_columns(design, verdicts, loss_bound), level, loss_bound)[:, ::-1]


def with_always_valid(
    estimate: Estimate, design: Design, verdicts: Sequence[Verdict], loss_bound: float | None
) -> Estimate:
    """The estimate with the always-valid interval of its design after all the verdicts, or as it is where there is none."""
    if loss_bound is None or not design.always_valid:
        return estimate
    sample = verdicts_as_columns(design, verdicts, loss_bound)
    if not design.replacement and sample.labeled == design.size:
        found = Interval(float(sample.losses.mean()), float(sample.losses.mean()))  # nothing is left to bet on
    else:
        found = Interval(*loss_trail(design, sample, estimate.level, loss_bound)[-1].tolist())
    low, high = flipped(found, loss_bound)
    return replace(estimate, always_low=low, always_high=high)


def loss_trail(design: Design, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    """Ends of the mean loss after each draw, (n, 2): low with the skipped counted as 0, high as full losses."""
    ends = TRAILS[type(design)](design, sample.counting_skipped_as(0.0), level, loss_bound)
    if sample.skipped:
        ends[:, 1] = TRAILS[type(design)](design, sample.counting_skipped_as(loss_bound), level, loss_bound)[:, 1]
    return ends


def prior_failure_of(design: Stratified) -> NDArray[np.float64]:
    """The guessed failure rate of each stratum, (H,), above 0; 1/2 where the design has none or says 0.

    A guess of 0 would make a stratum without failures one without variance. BadInput where the guesses do not fit.
    """
    count = len(design.stratum_sizes)
    prior = np.asarray(design.prior_failure or np.zeros(count), dtype=np.float64)
    if prior.shape != (count,) or not ((prior >= 0) & (prior <= 1)).all():
        raise BadInput(
            f"The design guesses {len(prior)} failure rates for {count} strata. Expected one from 0 to 1 for each. "
            "Make the plan again."
        )
    return np.where(prior > 0, prior, 0.5)


def verdicts_as_columns(design: Design, verdicts: Sequence[Verdict], loss_bound: float) -> Sample:
    """The verdicts as columns, of the kind the design's sequence takes."""
    if isinstance(design, Rounds):
        return round_sample_of(design, verdicts, loss_bound)
    return sample_of(design, verdicts, loss_bound)


def _of_simple(design: Any, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    return always_valid_simple(
        sample.losses,
        design.size,
        level=level,
        loss_bound=loss_bound,
        replacement=design.replacement,
        aimed_at=design.aimed_at,
    )


def _of_strata(design: Any, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    return always_valid_rounds(
        sample.losses,
        sample.strata,
        np.asarray(design.stratum_sizes, dtype=np.intp),
        prior_failure=prior_failure_of(design),
        level=level,
        loss_bound=loss_bound,
        replacement=design.replacement,
        aimed_at=design.aimed_at,
    )


def _of_draws(design: Any, sample: Sample, level: float, loss_bound: float) -> NDArray[np.float64]:
    return always_valid_per_draw(
        sample.losses,
        sample.probabilities,
        design.size,
        design.smallest_probability,
        level=level,
        loss_bound=loss_bound,
        aimed_at=design.aimed_at,
    )


def _of_adaptive(design: Any, sample: Any, level: float, loss_bound: float) -> NDArray[np.float64]:
    scaled = replace(sample, losses=sample.losses / loss_bound)
    return always_valid_adaptive(scaled, level=level, aimed_at=design.aimed_at) * loss_bound


TRAILS: dict[type[Design], Callable[[Any, Any, float, float], NDArray[np.float64]]] = {
    SimpleRandom: _of_simple,
    Stratified: _of_strata,
    PerDraw: _of_draws,
    Rounds: _of_adaptive,
}
"""Ends of the mean loss after each draw of a sample without skipped draws, (n, 2), by the type of the design."""
