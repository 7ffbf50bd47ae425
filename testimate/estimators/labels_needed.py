"""The number of labels that an interval still needs: before labeling by a forecast, during it by bets played ahead."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators.always_valid import (
    adaptive_game,
    per_draw_game,
    prior_failure_of,
    rounds_game,
    rounds_of,
    simple_game,
    verdicts_as_columns,
)
from testimate.estimators.betting import Game, ends_of_bets, nested
from testimate.estimators.sample import RoundSample, Sample

BUDGETS_AT_A_TIME = 24
MOST = 10_000_000  # labels looked at where inputs may be drawn again

HalfWidths = Callable[[NDArray[np.intp]], NDArray[np.float64]]
"""Expected half-widths (K,) of (K,) budgets, such as one of ``expected_half_width``."""


def labels_needed(half_width: float, expected: HalfWidths, *, least: int, most: int) -> int | None:
    """The smallest budget from ``least`` to ``most`` that is expected to reach the half-width; None where none does.

    Parameters
    ----------
    half_width : wanted, above 0, in the unit of the loss.
    expected : falls with the budget, but for small steps.

    >>> from testimate.estimators.expected_width import simple_random_half_width
    >>> labels_needed(0.03, lambda budgets: simple_random_half_width(10_000, budgets, 0.1), least=1, most=10_000)
    373
    """
    check_half_width(half_width)
    if not 1 <= least <= most:
        raise BadInput(f"Budgets from {least} to {most} were asked for. Expected at least one from 1 on. Change them.")
    low = least
    while True:  # many budgets at a time: a forecast costs hardly more for many than for one
        tried = _spread(low, min(8 * low, most), np.geomspace)
        reached = expected(tried) <= half_width
        if reached.any():
            break
        if tried[-1] == most:
            return None
        low = int(tried[-1])
    first = int(reached.argmax())
    while first and tried[first] - tried[first - 1] > 1:
        tried = _spread(int(tried[first - 1]), int(tried[first]), np.linspace)
        reached = expected(tried) <= half_width
        first = int(reached.argmax()) if reached.any() else len(tried) - 1
    return int(tried[first])


def _spread(low: int, high: int, how: Callable[[int, int, int], NDArray[np.float64]]) -> NDArray[np.intp]:
    """A few whole numbers from ``low`` to ``high``, both among them, rising."""
    return np.unique(how(low, high, BUDGETS_AT_A_TIME).round().astype(np.intp).clip(low, high))


def check_half_width(half_width: float) -> float:
    """The half-width, a finite number above 0; BadInput otherwise."""
    if not (np.isfinite(half_width) and half_width > 0):
        raise BadInput(
            f"The requested half-width is {half_width}. Expected a number above 0. Give 0.05 for ± 5 points, say."
        )
    return float(half_width)


PATHS = 3
"""Futures that are played, each together with its mirror image."""

FIRST_AHEAD, MOST_AHEAD = 128, 1024
"""Draws played ahead at first, and at most; beyond, the width falls with the square root of what is known."""


FURTHER, FURTHER_OF_STRATA = 1.2, 1.3
"""Factor by which the ends of the range lie beyond the futures, in labels in all; the second of lists drawn stratum by stratum,
which got there later than the futures where G and CN12 were waited for beyond the planned number (decision 165)."""


@dataclass(frozen=True, slots=True)
class LabelsAhead:
    """Labels still needed.

    Attributes
    ----------
    middle : more and fewer are equally likely. low, high : the number lies between them in about nine of ten looks,
    less often beyond the planned number; see ``FURTHER``.
    """

    middle: int
    low: int
    high: int


def stop_safe_labels_needed(
    estimate: Estimate, design: Design, verdicts: Sequence[Verdict], half_width: float, *, loss_bound: float = 1.0
) -> LabelsAhead | None:
    """Labels still needed until the always-valid interval is expected to reach the half-width; 0 where it has.

    None where none will, and before the first round is whole. The bets themselves are played ahead, from the capitals that
    the labels so far have given them: on outcomes around the present estimate, spread as those so far and with half the
    variance that these had and half of what the design predicts. The interval never widens again, so when it gets there
    depends on the luck of the draw: the middle is the median over a few futures, the same ones each time, and the
    range that of all of them, widened by what they leave out.

    Parameters
    ----------
    estimate : of ``verdicts``, in drawing order, with its always-valid interval.
    half_width : wanted, above 0, in the unit of the loss.
    loss_bound : the task's largest loss.

    Raises
    ------
    BadInput : a half-width not above 0.
    NotEnoughLabels : the estimate has no such interval.
    """
    check_half_width(half_width)
    now = estimate.always_half_width
    if now is None:
        raise NotEnoughLabels(
            "The estimate has no always-valid interval, so nobody can tell how many labels it needs. "
            f"{estimate.why or 'Label more.'}"
        )
    if now <= half_width:
        return LabelsAhead(0, 0, 0)
    most = MOST if design.replacement else design.size
    if len(verdicts) >= most:
        return None
    rate = float(np.clip((1 - estimate.accuracy) / loss_bound, 0, 1))
    state = _state(design, verdicts, rate, loss_bound)
    if state is None:
        return None
    alpha, aimed_at = 1 - estimate.level, getattr(design, "aimed_at", None)
    ends = nested(ends_of_bets(state.game, alpha, aimed_at))
    skipped = max(0.0, now / loss_bound - float(ends[-1, 1] - ends[-1, 0]) / 2)  # what skipped inputs leave open
    wanted = half_width / loss_bound - skipped
    if wanted <= 0:
        return None
    reached, ahead = [], FIRST_AHEAD
    for path in range(2 * PATHS):
        labels, ahead = _reached(state, rate, wanted, path, alpha, aimed_at, ahead)
        reached.append(labels)
    if float(np.median(reached)) > most and design.replacement:
        return None
    further = FURTHER_OF_STRATA if isinstance(design, Stratified) else FURTHER
    expected = (float(np.median(reached)), min(reached) / further, max(reached) * further)
    return LabelsAhead(*(max(1, round(min(labels, most)) - len(verdicts)) for labels in expected))


@dataclass(frozen=True, eq=False)
class _State:
    """Where the game stands after its last whole round.

    Attributes
    ----------
    game : so far. pool : (k,) rising outcomes around their mean, with the variance 1. variance : of the outcomes to come.
    labels : in whole rounds. a_round : labels in a further round; bets : random draws in it.
    size : N; None where inputs may be drawn again.
    """

    game: Game
    pool: NDArray[np.float64]
    variance: float
    labels: int
    a_round: int
    bets: int
    size: int | None


def _state(design: Design, verdicts: Sequence[Verdict], rate: float, loss_bound: float) -> _State | None:
    """None where no round is whole."""
    sample = verdicts_as_columns(design, verdicts, loss_bound).counting_skipped_as(rate * loss_bound)
    game = GAMES[type(design)](design, sample, loss_bound)
    if not len(game.ends):
        return None
    bets = int(game.ends[-1] - (game.ends[-2] if len(game.ends) > 1 else -1))
    labels, a_round = len(game.outcomes), bets
    if isinstance(sample, RoundSample):
        labels, a_round = int(sample.sizes[: sample.whole].sum()), int(sample.sizes[sample.whole - 1])
    around = np.sort(game.outcomes - game.outcomes.mean())
    spread = float((around**2).mean())
    predicted = float(game.variance[-1])
    alike = spread < 1e-12
    return _State(
        game,
        np.array([-1.0, 1.0]) if alike else around / np.sqrt(spread),
        predicted if alike else (predicted + spread) / 2,
        *(labels, a_round, bets, None if design.replacement else design.size),
    )


def _reached(
    state: _State, rate: float, wanted: float, path: int, alpha: float, aimed_at: int | None, ahead: int
) -> tuple[float, int]:
    """Labels in all at which the half-width, in shares of the bound, is ``wanted`` in one future; beyond N where never.

    As many labels as ``ahead`` are looked at first, then twice as many, and so on; how many it took is returned too,
    because another future takes about as many.
    """
    while True:
        rounds = -(-ahead // state.bets)
        if state.size is not None:
            rounds = max(1, min(rounds, (state.size - state.labels) // state.a_round))
        ends = nested(ends_of_bets(_continued(state, rate, rounds, path), alpha, aimed_at, keep=False))[-rounds:]
        widths = (ends[:, 1] - ends[:, 0]) / 2
        at = state.labels + state.a_round * np.arange(1, rounds + 1)
        narrow = np.flatnonzero(widths <= wanted)
        if narrow.size:
            return float(at[narrow[0]]), ahead
        ends_there = state.size is not None and at[-1] + state.a_round > state.size
        if ends_there:
            return float(state.size or 0), ahead
        if rounds * state.bets >= MOST_AHEAD:
            return _carried_on(float(at[-1]), float(widths[-1]) / wanted, state.size), ahead
        ahead *= 2


def _carried_on(labels: float, times: float, size: int | None) -> float:
    """Labels at which a width ``times`` too wide has fallen to the one wanted: n / (1 - n / N) grows with the square."""
    if size is None:
        return labels * times**2
    information = labels / (1 - labels / size) * times**2
    return float(information / (1 + information / size))


def _continued(state: _State, rate: float, rounds: int, path: int) -> Game:
    """The game with further rounds whose outcomes have the mean ``rate``; an odd ``path`` mirrors the one before it."""
    game, count = state.game, rounds * state.bets
    chance = np.random.default_rng(path // 2).random(count)  # the same luck each time, so that forecasts move smoothly
    drawn = state.pool[
        ((1 - chance if path % 2 else chance) * len(state.pool)).astype(np.intp).clip(0, len(state.pool) - 1)
    ]
    left = np.ones(count)
    if state.size is not None:
        before = state.labels + np.repeat(np.arange(rounds), state.bets) * state.a_round
        left = (state.size - before) / (state.size - state.labels)
    least = rate + min(game.smallest[-1] - rate, 0.0) * left
    greatest = rate + max(game.largest[-1] - rate, 0.0) * left
    outcomes = np.clip(rate + np.sqrt(state.variance) * drawn * left, least, greatest)
    return Game(
        np.append(game.outcomes, outcomes),
        np.append(game.smallest, least),
        np.append(game.largest, greatest),
        np.append(game.variance, np.maximum(state.variance * left**2, 1e-12)),
        np.append(game.ends, len(game.outcomes) - 1 + state.bets * np.arange(1, rounds + 1)),
    )


def _of_simple(design: SimpleRandom, sample: Sample, bound: float) -> Game:
    return simple_game(sample.losses / bound, design.size, replacement=design.replacement)


def _of_strata(design: Stratified, sample: Sample, bound: float) -> Game:
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    rounds = rounds_of(sample.losses / bound, sample.strata, sizes, replacement=design.replacement)
    return rounds_game(rounds, sizes, prior_failure_of(design), replacement=design.replacement)


def _of_draws(design: PerDraw, sample: Sample, bound: float) -> Game:
    smallest = design.smallest_probability
    assert smallest is not None  # without one there is no always-valid interval
    return per_draw_game(sample.losses / bound, np.maximum(sample.probabilities, smallest), design.size, smallest)


def _of_adaptive(_: Rounds, sample: RoundSample, bound: float) -> Game:
    return adaptive_game(replace(sample, losses=sample.losses / bound))


GAMES: dict[type[Design], Callable[[Any, Any, float], Game]] = {
    SimpleRandom: _of_simple,
    Stratified: _of_strata,
    PerDraw: _of_draws,
    Rounds: _of_adaptive,
}
"""The game of a sample without skipped draws, by the type of the design."""
