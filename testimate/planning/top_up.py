"""A few more labels where they help most: for the accuracy of a new version, or for its difference from another one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Stratified
from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.core.words import spaced
from testimate.planning.headline import KNOWN
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import (
    DIFFERING,
    PURPOSE,
    LabeledPlan,
    PooledAnswers,
    as_other,
    differing_digest,
    predicted_spread,
)
from testimate.planning.version_guesses import VersionGuesses
from testimate.selectors.base import ShuffledStrata
from testimate.selectors.following import TopUp
from testimate.selectors.round_robin import defensive_weights, rows_in_rounds
from testimate.structure.strata import by_equal_size

Purpose = Literal["accuracy", "difference"]

MOST_STRATA = 10
EVEN_SHARE = 0.3
"""Part of every input's weight that ignores the guesses: they know much, as decision 60 has it."""

Floats = NDArray[np.float64]


def top_up(
    new: Inputs,
    plans: Sequence[LabeledPlan],
    count: int,
    *,
    purpose: Purpose,
    seed: int,
    against: Inputs | None = None,
    old: Inputs | None = None,
    others: Sequence[OtherModel] = (),
) -> Plan:
    """A plan of ``count`` more inputs among those that the votes do not know.

    It is an ordinary stratified plan of all inputs. What is known already is a stratum that is labeled whole, its draws
    coming after those to be labeled; with "difference" the inputs on which the two versions predict the same are a
    stratum of which none is drawn, because there the difference is 0. The others are cut into min(10, count / 2) strata
    of equal weight, along the chance p that the new version fails, or along the difference of both versions' chances.
    Their weight is 0.7 r / mean r + 0.3 with r the root of the variance of a loss, p (1 - p), or of the difference of
    the losses; the guesses are those before any label. Inputs whose votes say "wrong" and not which class are asked
    again first: a stratum of their own, which takes half of the count at most.

    Parameters
    ----------
    against : the version to compare with, needed for the purpose "difference"; ``old`` the one the plans were made of.
    seed : determines every draw.

    Raises BadInput where fewer inputs are left than ``count``, or none on which the versions differ.
    """
    answers = PooledAnswers(plans, new, old)
    chances = VersionGuesses(new, [*_as_others(old, against), *others]).chances
    known = _at(list(answers.classes), len(new))
    again = _at([row for row in answers.excluded if row not in answers.classes], len(new))
    along, spread, apart = chances, chances * (1 - chances), np.ones(len(new), dtype=bool)
    if purpose == "difference":
        if against is None:
            raise BadInput("A top-up for the difference needs the version to compare with. Give its table with --old.")
        apart = new.predictions != against.predictions
        before = VersionGuesses(against, [*_as_others(old, new), *others]).chances
        along, spread = chances - before, predicted_spread(chances, before)
    again &= apart
    fresh = apart & ~known & ~again
    left = int(again.sum() + fresh.sum())
    if not 2 <= count <= left:
        where = " on which the versions differ" if purpose == "difference" else ""
        raise BadInput(
            f"A top-up of {spaced(count)} was asked for, and {spaced(left)} inputs{where} have no label yet; expected from 2 "
            "to that many. Change --top-up."
        )
    drawn = _drawn(np.flatnonzero(fresh), np.flatnonzero(again), along, spread, count, seed)
    sizes = [*drawn.sizes, int(known.sum()), int((~apart & ~known).sum())]
    of_known = [Draw(int(row), None, len(drawn.sizes), "known already") for row in np.flatnonzero(known)]
    sizes = [size for size in sizes if size]
    first, draws = plans[0].plan, (*drawn.draws, *of_known)
    return replace(
        first,
        request=Request(TopUp.name, count, seed, auxiliary=first.request.auxiliary, features=first.request.features),
        design=Stratified(tuple(sizes), len(draws)),
        draws=draws,
        told=(),
        resolved={
            PURPOSE: purpose,
            KNOWN: np.flatnonzero(known).tolist(),
            DIFFERING: differing_digest(apart),
        },
        names={} if old is None or old.names is None else {draw.row: old.name_of(draw.row) for draw in draws},
    )


@dataclass(frozen=True)
class _Drawn:
    """Draws to be labeled, and the sizes of their strata."""

    draws: list[Draw]
    sizes: list[int]


def _drawn(
    fresh: NDArray[np.intp], again: NDArray[np.intp], along: Floats, spread: Floats, count: int, seed: int
) -> _Drawn:
    """Rows to ask again, half of the count at most, and the others in rounds over their strata."""
    rng = np.random.default_rng([seed, 0x70B])
    repeated = min(again.size, max(count // 2, count - fresh.size))
    wanted = count - repeated
    draws, sizes = [], []
    if repeated:
        picked = rng.permutation(again)[:repeated]
        draws += [Draw(int(row), None, 0, "asked again: which class is it") for row in picked]
        sizes.append(again.size)
    if not wanted:
        return _Drawn(draws, sizes) if not fresh.size else _Drawn(draws, [*sizes, fresh.size])
    weights = defensive_weights(np.sqrt(spread[fresh]), EVEN_SHARE)
    count_of_strata = max(1, min(MOST_STRATA, wanted // 2))
    strata = by_equal_size(weights, along[fresh], count_of_strata, seed=int(rng.integers(2**32)))
    piles = ShuffledStrata(strata, rng)
    places = rows_in_rounds(piles.place, rng.random(fresh.size), wanted)
    draws += [
        Draw(int(fresh[place]), None, len(sizes) + int(strata[place]), f"top-up, stratum {strata[place] + 1}")
        for place in places
    ]
    return _Drawn(draws, [*sizes, *piles.sizes.tolist()])


def _at(rows: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Which of ``size`` inputs these rows are, (N,)."""
    found = np.zeros(size, dtype=bool)
    found[list(rows)] = True
    return found


def _as_others(*versions: Inputs | None) -> list[OtherModel]:
    return [as_other(one) for one in versions if one is not None]
