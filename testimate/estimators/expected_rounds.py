"""How adaptive rounds are expected to go if their guesses are right: what a draw of each gives, and how wide intervals are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.estimators.expected_width import (
    STEPS,
    Expected,
    check_budgets,
    check_rates,
    half_widths_of,
    score_half_widths,
)
from testimate.estimators.intervals import (
    EVEN_SHARE_AT_FEW_LABELS,
    rounds_variance_of,
)

CHANCE_CLASSES = 60  # of inputs whose chances of failure are nearly the same
LOWEST, HIGHEST = 1e-4, 0.98  # bounds of a guess where the fit takes confidence as it is


@dataclass(frozen=True)
class RoundSettings:
    """What a round is made of: B ``zones`` with a random draw each, ``exploit`` further picks, and the shares ``eps``.

    ``eps`` : share of the weight that ignores the guesses, before the first label and after many.
    """

    zones: int = 10
    exploit: int = 0
    eps: tuple[float, float] = (0.5, 0.15)

    @property
    def size(self) -> int:
        """Draws in a round: one from each zone, and the exploit picks."""
        return self.zones + self.exploit


@dataclass(frozen=True, eq=False)
class ExpectedRound:
    """A round as it is expected to be drawn, in the terms of ``core.design.Round``; of one belief (K,) or of many (D, K).

    Attributes
    ----------
    before : k, inputs drawn before it.
    guesses : (..., K) mu of each class of inputs.
    chances : (..., K) that a random draw is of this class, summing to 1.
    reach : (..., K) B / (p N), what an error of 1 in its guess moves X by.
    """

    before: int
    guesses: NDArray[np.float64]
    chances: NDArray[np.float64]
    reach: NDArray[np.float64]

    @property
    def variance(self) -> NDArray[np.float64]:
        """Of X of a random draw, (...)."""
        return np.asarray((self.chances * self.guesses * (1 - self.guesses) * self.reach**2).sum(axis=-1))

    def smallest(self) -> float:
        """The least (z - mu) B / (p N) of an input not drawn before."""
        return -float((self.guesses * self.reach)[self.chances > 1e-12].max())

    def largest(self) -> float:
        """The greatest (z - mu) B / (p N) of an input not drawn before, reached by a loss z of 1."""
        return float(((1 - self.guesses) * self.reach)[self.chances > 1e-12].max())


class ChanceClasses(NamedTuple):
    """Inputs whose chances of failure are nearly the same: the chance of each class, (..., K), rising, and its inputs (K,)."""

    chances: NDArray[np.float64]
    counts: NDArray[np.float64]

    @property
    def size(self) -> int:
        """N, all inputs."""
        return round(float(self.counts.sum()))

    @property
    def rate(self) -> NDArray[np.float64]:
        """The mean chance, (...)."""
        return np.asarray(self.chances @ self.counts / self.counts.sum())


def expected_rounds(classes: ChanceClasses, last: int, settings: RoundSettings) -> Iterator[ExpectedRound]:
    """The rounds that begin before ``last`` labels, as long as one is left for the next.

    An input of chance c weighs s = (1 - e) r + e mean(r), r = sqrt(c (1 - c)), and zones of equal weight give each input
    the chance B s / sum s. Inputs fade as they are drawn; the exploit picks are those of highest chance.
    """
    mu, size, drawn = classes.chances, classes.size, 0
    spread = np.sqrt(mu * (1 - mu))
    left = np.broadcast_to(classes.counts, mu.shape).copy()
    while drawn < last and drawn + settings.size < size:
        eps = settings.eps[1] + (settings.eps[0] - settings.eps[1]) * 100 / (100 + drawn)
        mean = (left * spread).sum(axis=-1, keepdims=True) / left.sum(axis=-1, keepdims=True)
        weights = (1 - eps) * spread + eps * mean
        whole = (left * weights).sum(axis=-1, keepdims=True)
        yield ExpectedRound(drawn, mu, left * weights / whole, whole / weights / size)
        left -= np.minimum(left, settings.zones * left * weights / whole)
        if settings.exploit:
            picked = np.minimum(np.cumsum(left[..., ::-1], axis=-1), settings.exploit)
            left -= np.diff(picked, prepend=0, axis=-1)[..., ::-1]
        drawn += settings.size


def adaptive_half_width(
    chances: ArrayLike, budgets: ArrayLike, *, settings: RoundSettings = RoundSettings(), level: float = 0.95
) -> NDArray[np.float64]:
    """Half the width of the interval of adaptive rounds (rra) whose guesses are right from the start.

    Parameters
    ----------
    chances : (N,) guessed chance of failure of each input, 0..1.
    budgets : (K,) whole numbers n, from one round to N.
    settings : of the rounds.

    Returns
    -------
    (K,) half widths; 0 where everything is labeled.

    >>> adaptive_half_width(np.repeat([0.01, 0.3], [9000, 1000]), [100, 400]).round(3)
    array([0.035, 0.015])
    """
    guessed = np.asarray(chances, dtype=np.float64)
    return adaptive_half_widths(
        chance_classes(check_rates(guessed, guessed.size)), budgets, settings=settings, level=level
    )


def adaptive_half_widths(
    classes: ChanceClasses, budgets: ArrayLike, *, settings: RoundSettings = RoundSettings(), level: float = 0.95
) -> NDArray[np.float64]:
    """The same for chances (..., K) of classes of inputs, as many beliefs at once as there are: (..., number of budgets)."""
    size, before = classes.size, classes.rate.shape
    counts = check_budgets(budgets, min(settings.size, size), size)
    drawn, variances, reaches = [0], [np.full(before, np.inf)], [np.full(before, np.inf)]
    total, squares, reached = 0.0, np.zeros(before), np.zeros(before)
    for one in expected_rounds(classes, int(counts.max()), settings):
        after = one.before + settings.zones
        weight = np.sqrt(after / (after + 10)) / ((size - one.before) * (size - after) + 1)  # as the estimate weighs X
        total, squares = total + settings.zones * weight, squares + settings.zones * weight**2 * one.variance
        reached = reached + settings.zones * weight**2 * (one.chances * one.reach**2).sum(axis=-1)
        drawn.append(one.before + settings.size)
        variances.append(squares / total**2)
        reaches.append(reached / total**2)  # sum of (a / N)^2, a the inputs that a draw stands for
    variance, stood_for = (_between(counts, drawn, np.array(known), counts < size) for known in (variances, reaches))
    rate = np.broadcast_to(np.maximum(classes.rate, 1e-12)[..., None], variance.shape)
    moving = rounds_variance_of(rate, variance, (1 - counts / size) * stood_for, even=EVEN_SHARE_AT_FEW_LABELS)
    return score_half_widths(rate, moving, level)


def _between(
    counts: NDArray[np.intp], drawn: list[int], known: NDArray[np.float64], left: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Variances (..., K) at the counts (K,), from those ``known`` (R, ...) after ``drawn`` labels; 0 where nothing is left.

    Between two of them information, 1 / variance, grows evenly.
    """
    information = (1 / np.maximum(known, 1e-300)).reshape(len(drawn), -1).T
    grown = np.array([np.interp(counts, drawn, line) for line in information]).reshape(*known.shape[1:], len(counts))
    return np.where(left, 1 / np.where(left, grown, 1.0), 0.0)


def adaptive_always_half_width(
    chances: ArrayLike, budgets: ArrayLike, *, settings: RoundSettings = RoundSettings(), level: float = 0.95
) -> NDArray[np.float64]:
    """Half the always-valid width after n labels of adaptive rounds (rra) whose guesses are right from the start.

    Parameters and result as in ``adaptive_half_width``.
    """
    guessed = np.asarray(chances, dtype=np.float64)
    size, rate = guessed.size, float(check_rates(guessed, guessed.size).mean())
    counts = check_budgets(budgets, min(settings.size, size), size)
    rounds = list(expected_rounds(chance_classes(guessed), int(counts.max()), settings))
    if not rounds:  # one round takes the whole set
        return np.zeros(len(counts))
    dense = np.geomspace(1, len(rounds), STEPS).round().astype(np.intp) - 1  # many at first
    shown = [rounds[place] for place in np.unique(dense)]
    base = rate  # what was known and guessed at the start of a round, were all guesses right
    outcomes = [np.append(base - one.guesses * one.reach, base + (1 - one.guesses) * one.reach) for one in shown]
    outcome_chances = [np.append(one.chances * (1 - one.guesses), one.chances * one.guesses) for one in shown]
    random_share = settings.zones / settings.size  # an exploit pick is no bet
    end = (rounds[-1].before + settings.size) * random_share
    last = [*shown, shown[-1]]  # the forecast of the last round holds to its end
    expected = Expected(
        labels=np.append([one.before * random_share for one in shown], end),
        outcomes=np.array([*outcomes, outcomes[-1]]),
        chances=np.array([*outcome_chances, outcome_chances[-1]]),
        smallest=np.array([base + one.smallest() for one in last]),
        largest=np.array([base + one.largest() for one in last]),
        variance=np.array([max(one.variance, 1e-12) for one in last]),
        rounds=np.append([one.before / settings.size for one in shown], len(rounds)),
    )
    widths = half_widths_of(expected, rate, counts * random_share, level)
    return np.asarray(np.minimum(widths, (1 - counts / size) / 2))  # what the unlabeled can still change


def chance_classes(chances: NDArray[np.float64]) -> ChanceClasses:
    """The classes of chances (N,), the mean chance of each: cut in equal steps of the log-odds, ``CHANCE_CLASSES`` at most."""
    mu = np.clip(chances, LOWEST, HIGHEST)
    odds = np.log(mu / (1 - mu))
    step = (np.log(HIGHEST / (1 - HIGHEST)) - np.log(LOWEST)) / CHANCE_CLASSES
    place = ((odds - np.log(LOWEST)) / step).astype(np.intp)
    counts = np.bincount(place)
    kept = counts > 0
    return ChanceClasses(np.bincount(place, mu)[kept] / counts[kept], counts[kept].astype(np.float64))
