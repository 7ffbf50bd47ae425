"""Weak spots that nobody had named: parts of the set, found on one half of the labels and measured on the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Stratified
from testimate.core.draw import RoundDraw, Verdict
from testimate.core.task import SHARE_RIGHT, Measure
from testimate.core.words import commas, percent
from testimate.estimators.parts import slice_estimates
from testimate.estimators.weights import FEWEST, PartEstimate, too_few
from testimate.planning.parts import Trait, in_words, joined, why_counts_only

# The worst of many parts looks worse than it is, so two halves have to agree: decision 110.
CHANCE = 0.05
"""With faults spread at random, at most this share of campaigns names any spot."""

CANDIDATES = 3
"""Spots that the first half may propose."""

PROMISING = 0.05
"""Chance under which the first half proposes one."""

FEWEST_FOUND = 5
"""Labels of the first half in a spot that it may propose."""

SIMPLER = 10.0
"""A spot of two traits has to be this many times less likely by chance than each of the two alone."""

ALIKE = 0.5
"""Two spots that share more than this part of the labels in either are one."""

STRONGEST = 12
"""Single traits that are joined with all others."""

LEAST_LABELS = 4 * FEWEST
"""Labels below which nothing is looked for."""


@dataclass(frozen=True, eq=False, repr=False)
class WeakSpot:
    """A part of the set that fails more often than the rest.

    Attributes
    ----------
    words : what it is, "dark pictures predicted 7"; untrusted text.
    rows : (n,) its inputs.
    estimate : its accuracy by the labels that were not used to find it, with the interval.
    chance : that labels of faults spread at random would show as many there, times the spots that were measured.
    share : of all inputs, 0..1. measure : what the accuracy is.
    """

    words: str
    rows: NDArray[np.intp]
    estimate: PartEstimate
    chance: float
    share: float
    measure: Measure

    def __repr__(self) -> str:
        return self.sentence()

    def sentence(self) -> str:
        """The spot with its number, "dark pictures predicted 7: 54.0% right, 41.0 to 66.0%", and what it rests on."""
        found = self.estimate
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        ends = self.measure.range(found.low, found.high)
        return (
            f"{self.words[:1].upper()}{self.words[1:]}: {self.measure.value(found.value)} {self.measure.right}, "
            f"{ends}, by {commas(found.labeled)} labels that were not used to find it; {commas(len(self.rows))} "
            f"inputs, {percent(self.share)} of all."
        )

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, without the rows."""
        found = self.estimate
        return {
            "spot": self.words,
            "size": len(self.rows),
            "labeled": found.labeled,
            "accuracy": found.value,
            "low": found.low,
            "high": found.high,
            "chance": self.chance,
        }


@dataclass(frozen=True, eq=False, repr=False)
class WeakSpots:
    """What was looked for and what was found.

    Attributes
    ----------
    spots : the weakest first. why : what is to be said where there are none.
    traits : how many were looked at. proposed : how many spots the first half proposed.
    """

    spots: tuple[WeakSpot, ...]
    why: str
    traits: int
    proposed: int

    def __repr__(self) -> str:
        return " ".join(self.sentences())

    def sentences(self) -> tuple[str, ...]:
        """A sentence for each spot, or why there is none."""
        return tuple(one.sentence() for one in self.spots) or (f"No weak spot: {self.why[:1].lower()}{self.why[1:]}",)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; ``why`` says what is missing where there is no spot."""
        return {"spots": [one.to_json() for one in self.spots], "why": self.why, "traits": self.traits}


def weak_spots(
    traits: Sequence[Trait],
    design: Design,
    verdicts: Sequence[Verdict],
    *,
    technique: str,
    noun: str = "inputs",
    level: float = 0.95,
    loss_bound: float | None = 1.0,
    measure: Measure = SHARE_RIGHT,
    known: Mapping[int, float] | None = None,
) -> WeakSpots:
    """The parts, of one trait or of two joined, that fail more often than the rest.

    One half of the labels, every other draw of each stratum or every other round, proposes up to ``CANDIDATES`` parts. The
    other half measures these: Fisher's exact test of its failures inside against outside, its chances corrected by Holm's
    method for the number measured. If every input fails with the same chance, labels inside and outside are alike in any
    design whose draws do not look at losses, so that at most ``CHANCE`` of campaigns name any. A spot is named, too, only
    where the interval by the design lies below the accuracy of the whole set.

    Parameters
    ----------
    traits : each of N inputs, known without a label.
    noun : what the inputs are. measure : what their accuracy is.
    known : losses by row that are known beside the draws: they help to find a part and never measure one.

    >>> from testimate.core.design import SimpleRandom
    >>> from testimate.core.draw import Draw
    >>> night = np.arange(1000) % 5 == 0
    >>> drawn = np.random.default_rng(1).permutation(1000)[:200].tolist()
    >>> labels = [Verdict(Draw(row), float(row % 10 == 0)) for row in drawn]
    >>> light = Trait("light", "by night", "after", "", night)
    >>> spot, = weak_spots([light], SimpleRandom((1000,), 200), labels, technique="srs").spots
    >>> spot.words, 0.2 < spot.estimate.value < 0.8
    ('inputs by night', True)
    """
    said = why_counts_only(technique)
    settled = [one for one in verdicts if one.loss is not None]
    if said or len(settled) < LEAST_LABELS:
        few = too_few(len(settled), LEAST_LABELS)
        return WeakSpots((), said or few, len(traits), 0)
    size = design.size
    half = halves(design, settled)
    rows = np.array([one.draw.row for one in settled], dtype=np.intp)
    failed = np.array([one.loss for one in settled], dtype=np.float64) > 0
    drawn = {one.draw.row for one in verdicts}
    beside = {row: loss for row, loss in (known or {}).items() if row not in drawn}
    finds = np.append(rows[~half], np.array([*beside], dtype=np.intp))
    proposed = _proposed(traits, finds, np.append(failed[~half], np.array([*beside.values()], dtype=np.float64) > 0))
    measured = []
    for parts in proposed:
        inside = joined(parts, size)
        groups = np.where(inside, 0, -1)
        groups[rows[~half]] = -1  # what found it does not measure it
        try_ = slice_estimates(design, verdicts, groups, 1, level=level, loss_bound=loss_bound)[0]
        of = inside[rows[half]]
        chance = float(_more_by_chance((failed[half] & of).sum(), half.sum(), failed[half].sum(), of.sum()))
        measured.append((chance, parts, inside, try_))
    whole = slice_estimates(design, verdicts, np.zeros(size, dtype=np.intp), 1, level=level, loss_bound=loss_bound)[0]
    spots: list[WeakSpot] = []
    for place, (chance, parts, inside, found) in enumerate(sorted(measured, key=lambda one: one[0])):
        corrected = min(1.0, chance * (len(measured) - place))  # Holm 1979
        if corrected > CHANCE:
            break
        if found.high is not None and whole.value is not None and found.high < whole.value:
            rows = np.flatnonzero(inside)
            spots.append(WeakSpot(in_words(parts, noun), rows, found, corrected, len(rows) / size, measure))
    spots.sort(key=lambda one: one.estimate.value or 0.0)
    why = "" if spots else "No part fails more often than the rest by more than chance explains."
    return WeakSpots(tuple(spots), why, len(traits), len(proposed))


def halves(design: Design, verdicts: Sequence[Verdict]) -> NDArray[np.bool_]:
    """Which labels measure, (n,): every other draw of its stratum in the order of the draws, or every other round.

    It depends on the places of the draws alone, and labels to come change no half.
    """
    if verdicts and isinstance(verdicts[0].draw, RoundDraw):
        return np.array([isinstance(one.draw, RoundDraw) and one.draw.round % 2 == 1 for one in verdicts], dtype=bool)
    seen: dict[int, int] = {}
    found, rows = [], dict[int, bool]()
    for one in verdicts:
        stratum = one.draw.stratum if isinstance(design, Stratified) else 0
        if one.draw.row not in rows:  # what is drawn again stays in its half
            seen[stratum] = seen.get(stratum, -1) + 1
            rows[one.draw.row] = (seen[stratum] + stratum) % 2 == 1
        found.append(rows[one.draw.row])
    return np.array(found, dtype=bool)


def _proposed(traits: Sequence[Trait], rows: NDArray[np.intp], failed: NDArray[np.bool_]) -> list[tuple[Trait, ...]]:
    """The parts that the labels of these rows (n,) find weakest, none of them much like another one."""
    if not traits or not failed.any():
        return []
    has = np.array([one.has[rows] for one in traits])  # (T, n)
    alone = _chances(has, failed)
    parts: list[tuple[Trait, ...]] = [(one,) for one in traits]
    inside, chances = [*has], [*alone.tolist()]
    strongest = np.argsort(alone, kind="stable")[:STRONGEST].tolist()
    pairs = {
        tuple(sorted((first, second)))
        for first in strongest
        for second in range(len(traits))
        if traits[first].column != traits[second].column
    }
    if pairs:
        places = np.array(sorted(pairs))
        both = has[places[:, 0]] & has[places[:, 1]]
        better = _chances(both, failed)
        kept = np.flatnonzero(better * SIMPLER <= alone[places].min(axis=1))
        parts += [(traits[places[one, 0]], traits[places[one, 1]]) for one in kept.tolist()]
        inside += [*both[kept]]
        chances += better[kept].tolist()
    found: list[int] = []
    for place in np.argsort(chances, kind="stable").tolist():
        if chances[place] > PROMISING or len(found) == CANDIDATES:
            break
        if not any(_alike(inside[place], inside[other]) for other in found):
            found.append(place)
    return [parts[place] for place in found]


def _chances(has: NDArray[np.bool_], failed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of as many failures inside by chance, (K,), for K parts (K, n); 1 where too few labels lie inside."""
    counts = has.sum(axis=1)
    inside = (has & failed).sum(axis=1)
    found = _more_by_chance(inside, len(failed), int(failed.sum()), counts)
    return np.where(counts >= FEWEST_FOUND, found, 1.0)


def _alike(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    shared = int((one & other).sum())
    return shared > ALIKE * max(1, min(int(one.sum()), int(other.sum())))


def _more_by_chance(inside: Any, labels: int, failed: int, counts: Any) -> Any:
    """The chance of ``inside`` or more of ``failed`` failures among ``counts`` of ``labels``, one or (K,)."""
    # Half a second and 50 MB to load, which an estimate that looks for no spots saves.
    from scipy.stats import hypergeom

    return hypergeom.sf(inside - 1, labels, failed, counts)
