"""Many campaigns of adaptive rounds at once, draw by draw those of the technique: for studies that need thousands."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.selector import defaults_of
from testimate.estimators.sample import RoundSample
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds
from testimate.selectors.base import AHEAD
from testimate.selectors.logistic_regression import Line, Prior, most_likely_line
from testimate.selectors.prioritizers import CONFIDENCE_PRIOR, SCORE_PRIOR, log_odds, normal_scores

TOGETHER = 40_000
"""Inputs worked on at once, over all campaigns: as many as a processor's cache takes."""

NEWTON_STEPS = 15
_OPTIONS = defaults_of(AdaptiveRounds.options)
ZONES, EPS_START, EPS_END = int(_OPTIONS["zones"]), float(_OPTIONS["eps_start"]), float(_OPTIONS["eps_end"])

Floats = NDArray[np.float64]


def many_rounds(
    scores: Floats, losses: Floats, *, scores_are_chances: bool, budget: int, seeds: range, ahead: int = AHEAD
) -> Iterator[RoundSample]:
    """The labeled draws that ``AdaptiveRounds`` makes with each seed and its default options, to the last random number.

    The technique works on one set at a time; here every step is one array operation over many campaigns, which takes a
    tenth of the time. ``smallest`` and ``largest`` of the rounds, which only the always-valid interval reads, are nan.

    Parameters
    ----------
    scores, losses : (N,); losses of 0 and 1.
    budget : labels of each campaign, below N.
    ahead : rounds that are open, ``rounds_ahead`` of the technique.
    """
    if budget >= scores.size:
        raise BadInput(f"{budget} labels of {scores.size} inputs were asked for; expected fewer labels than inputs.")
    x = log_odds(scores) if scores_are_chances else normal_scores(scores)
    together = max(1, TOGETHER // scores.size)
    for first in range(0, len(seeds), together):
        part = seeds[first : first + together]
        prior = CONFIDENCE_PRIOR if scores_are_chances else SCORE_PRIOR
        yield from _Campaigns(scores, x, losses, prior, budget, part, ahead).run()


@dataclass(eq=False)
class _Round:
    """One round of one campaign: its random draws in the order of labeling, and what was predicted before it."""

    places: NDArray[np.intp]
    chances: Floats
    guesses: Floats
    guessed: float
    variance: float


class _Campaigns:
    """R campaigns side by side. Inputs lie in the order of their scores; one that was drawn keeps its place and weighs 0."""

    def __init__(
        self, scores: Floats, x: Floats, losses: Floats, prior: Prior, budget: int, seeds: range, ahead: int
    ) -> None:
        size = scores.size
        self._budget, self._prior, self._ahead = budget, prior, ahead
        self._rngs = [np.random.default_rng(seed) for seed in seeds]
        ties = [rng.random(size) for rng in self._rngs]  # drawn in any case, as the technique does
        if np.unique(scores).size == size:
            rows = np.argsort(scores)[None]
        else:
            rows = np.array([np.lexsort((tie, scores)) for tie in ties])
        self._x = x[rows[0]]  # (N,), the same for all, as ties are alike
        self._losses = np.broadcast_to(losses[rows], (len(seeds), size))
        self._left = np.ones((len(seeds), size))
        self._lines = [prior.mean] * len(seeds)
        self._rounds: list[list[_Round]] = [[] for _ in seeds]
        self._known_x, self._known_losses = np.zeros((len(seeds), budget)), np.zeros((len(seeds), budget))

    def run(self) -> Iterator[RoundSample]:
        """All rounds of all campaigns, then their samples."""
        drawn = np.zeros(len(self._rngs), dtype=np.intp)
        while (open_ := np.flatnonzero(drawn < self._budget)).size:
            self._learn(open_)
            drawn[open_] += self._draw(open_, drawn[open_])
        for campaign in range(len(self._rngs)):
            yield self._sample(campaign)

    def _learn(self, open_: NDArray[np.intp]) -> None:
        """Fits every campaign's line to the labels of the rounds that are settled when its next one is drawn."""
        known = np.array(
            [
                sum(
                    one.places.size
                    for one in self._rounds[campaign][: max(0, len(self._rounds[campaign]) + 1 - self._ahead)]
                )
                for campaign in open_
            ]
        )
        if known.any():
            width = int(known.max())
            found = _lines(
                self._known_x[open_, :width], self._known_losses[open_, :width], known, self._prior, self._lines, open_
            )
            for campaign, line in zip(open_, found, strict=True):
                self._lines[campaign] = line

    def _draw(self, open_: NDArray[np.intp], drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        """The next round of each open campaign; how many draws it has, (open,)."""
        lines = [self._lines[campaign] for campaign in open_]
        slopes, intercepts = np.array([[line.slope, line.intercept] for line in lines]).T[:, :, None]
        left = self._left if open_.size == len(self._rngs) else self._left[open_]
        guesses = slopes * -self._x
        guesses -= intercepts
        np.exp(guesses, out=guesses)
        guesses += 1
        np.divide(1.0, guesses, out=guesses)
        np.clip(guesses, LOWEST, HIGHEST, out=guesses)  # (open, N)
        squares = (1 - guesses) * guesses
        squares *= left
        guesses *= left
        weights = np.sqrt(squares)
        eps = (EPS_END + (EPS_START - EPS_END) * 100 / (100 + drawn))[:, None]
        means = weights.sum(axis=1, keepdims=True) / (self._x.size - drawn[:, None])
        weights *= 1 - eps
        weights += eps * means
        squares /= weights  # mu (1 - mu) / s
        weights *= left
        ends, guessed = np.cumsum(weights, axis=1), guesses.sum(axis=1)
        sizes = np.empty(open_.size, dtype=np.intp)
        for place, campaign in enumerate(open_):
            wanted = min(ZONES, self._budget - int(drawn[place]))
            one = self._one_round(campaign, weights[place], ends[place], squares[place], wanted)
            one.guesses, one.guessed = guesses[place, one.places], float(guessed[place])
            begin, end = drawn[place], drawn[place] + one.places.size
            self._known_x[campaign, begin:end] = self._x[one.places]
            self._known_losses[campaign, begin:end] = self._losses[campaign, one.places]
            self._left[campaign, one.places] = 0.0
            self._rounds[campaign].append(one)
            sizes[place] = one.places.size
        return sizes

    def _one_round(self, campaign: int, weights: Floats, ends: Floats, ratios: Floats, wanted: int) -> _Round:
        """The zones of one campaign and the draw from each, as ``cut_zones`` and ``AdaptiveRounds`` make them."""
        size, rng, left = ends.size, self._rngs[campaign], self._left[campaign]
        borders = (np.arange(wanted) - 1e-9) * (ends[-1] / wanted)
        starts = np.searchsorted(
            ends, borders
        )  # the weight's end reaches it here; its middle here, or at the next one left
        starts += ends[starts] - weights[starts] / 2 < borders
        for place in np.flatnonzero(left[np.minimum(starts, size - 1)] == 0):  # an input drawn before
            onward = np.flatnonzero(left[starts[place] :])
            starts[place] += onward[0] if onward.size else size
        starts = np.unique(starts)
        starts = starts[starts < size]
        stops = np.append(starts[1:], size)
        before = ends[starts] - weights[starts]
        totals = ends[stops - 1] - before  # (B,)
        found = np.clip(
            np.searchsorted(ends, before + rng.random(starts.size) * totals, side="right"), starts, stops - 1
        )
        variance = float((totals * np.add.reduceat(ratios, starts)).sum()) * starts.size / size**2
        order = rng.permutation(found.size)
        chances = np.minimum(weights[found] / totals, 1.0)
        return _Round(found[order], chances[order], np.empty(0), 0.0, variance)

    def _sample(self, campaign: int) -> RoundSample:
        rounds = self._rounds[campaign]
        sizes = np.array([one.places.size for one in rounds], dtype=np.intp)
        count, unknown = int(sizes.sum()), np.full(sizes.size, np.nan)
        return RoundSample(
            losses=self._known_losses[campaign, :count].copy(),
            strata=np.zeros(count, dtype=np.intp),
            probabilities=np.concatenate([one.chances for one in rounds]),
            rounds=np.repeat(np.arange(sizes.size), sizes),
            guesses=np.concatenate([one.guesses for one in rounds]),
            size=self._x.size,
            zones=sizes,
            sizes=sizes,
            guessed=np.array([one.guessed for one in rounds]),
            smallest=unknown,
            largest=unknown,
            variance=np.array([one.variance for one in rounds]),
        )


def _lines(
    x: Floats, outcomes: Floats, known: NDArray[np.intp], prior: Prior, lines: list[Line], open_: NDArray[np.intp]
) -> list[Line]:
    """The most likely line of each campaign from its first ``known`` labels, by Newton's method for all at once.

    One that does not converge so is left to ``most_likely_line``, which halves steps; the answer is the same.
    """
    counted = (np.arange(x.shape[1]) < known[:, None]).astype(float)  # (open, k)
    at = np.array([[lines[campaign].intercept, lines[campaign].slope] for campaign in open_])  # (open, 2)
    mean, precision = (
        np.array([prior.mean.intercept, prior.mean.slope]),
        np.array([prior.sd.intercept, prior.sd.slope]) ** -2,
    )
    x2, moving = x * x, np.arange(open_.size)
    for _ in range(NEWTON_STEPS):
        part, weight = x[moving], counted[moving]
        chances = 1 / (1 + np.exp(-(at[moving, :1] + at[moving, 1:] * part)))
        error, spread = (chances - outcomes[moving]) * weight, chances * (1 - chances) * weight
        g0, g1 = np.array([error.sum(axis=1), (error * part).sum(axis=1)]) + ((at[moving] - mean) * precision).T
        h00, h01 = spread.sum(axis=1) + precision[0], (spread * part).sum(axis=1)
        h11 = (spread * x2[moving]).sum(axis=1) + precision[1]
        step = np.array([h11 * g0 - h01 * g1, h00 * g1 - h01 * g0]) / (h00 * h11 - h01**2)  # (2, moving)
        at[moving] -= step.T
        moving = moving[np.abs(step).sum(axis=0) >= 1e-9]
        if not moving.size:
            break
    found = [Line(float(intercept), float(slope)) for intercept, slope in at]
    for place in moving:
        first = slice(0, int(known[place]))
        found[place] = most_likely_line(x[place, first], outcomes[place, first], prior, lines[open_[place]])
    return found
