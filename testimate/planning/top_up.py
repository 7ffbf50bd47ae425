"""A few more labels where they help most: for the accuracy of a new version, or for its difference from another one.

One sample for several models from the start: drawn where any of them may fail.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Stratified
from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.core.words import commas
from testimate.planning.assisted import VersionGuesses
from testimate.planning.estimate import KNOWN
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
from testimate.selectors.base import INTERVAL_VERSION, ShuffledStrata
from testimate.selectors.following import TopUp
from testimate.selectors.round_robin import defensive_weights, prior_failure, rows_in_rounds
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
    Their weight is 0.7 r / mean r + 0.3 with r the root of the variance of a loss, p (1 - p); the guesses are those before
    any label. For a difference all weigh the same: its interval counts labels, and unequal weights are worth fewer (see
    ``difference_ends``). Inputs whose votes say "wrong" and not which class, or "none of these" where a version has further
    classes, are asked again first: a stratum of their own, which takes half of the count at most.

    Parameters
    ----------
    against : the version to compare with, needed for the purpose "difference"; ``old`` the one the plans were made of.
    seed : determines every draw.

    Raises BadInput where fewer inputs are left than ``count``, or none on which the versions differ.
    """
    answers = PooledAnswers(plans, new, old)
    chances = VersionGuesses(new, [*_as_others(old, against), *others]).chances
    told = _at([*answers.classes, *answers.unnamed], len(new))
    open_ = np.isnan(answers.judged(new)) | (False if against is None else np.isnan(answers.judged(against)))
    known, again = told & ~open_, told & open_
    again |= _at([row for row in answers.excluded if row not in answers.classes], len(new))
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
            f"A top-up of {commas(count)} was asked for, and {commas(left)} inputs{where} have no label yet. Expected from 2 "
            "to that many. Change --top-up."
        )
    drawn = _drawn(
        np.flatnonzero(fresh), np.flatnonzero(again), along, spread, count, seed, evenly=purpose == "difference"
    )
    sizes = [*drawn.sizes, int(known.sum()), int((~apart & ~known).sum())]
    of_known = [Draw(int(row), None, len(drawn.sizes), "known already") for row in np.flatnonzero(known)]
    sizes = [size for size in sizes if size]
    first, draws = plans[0].plan, (*drawn.draws, *of_known)
    return replace(
        first,
        request=Request(TopUp.name, count, seed, auxiliary=first.request.auxiliary, features=first.request.features),
        design=Stratified(tuple(sizes), len(draws), interval_version=INTERVAL_VERSION),
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
    fresh: NDArray[np.intp],
    again: NDArray[np.intp],
    along: Floats,
    spread: Floats,
    count: int,
    seed: int,
    *,
    evenly: bool,
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
    weights = defensive_weights(np.sqrt(spread[fresh]), 1.0 if evenly else EVEN_SHARE)
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


MOST_MODELS = 10

SETTLED_BY, SETTLING = 100_000, 100
"""At most this many inputs settle the models' shares, in at most this many steps."""

STRATA, FEWER_STRATA, FEW_LABELS = 20, 10, 100
"""The number of strata, the smaller one for few labels, and below how many labels that is."""


def shared_sample(models: Sequence[Inputs], budget: int, seed: int) -> dict[str, list[Any]]:
    """Rows, their strata, the strata's sizes and prior failure rates, for ``SharedSample``.

    An input's chance of failure p_j is guessed for each of M models from its confidence and the other models' predictions,
    without a label, and the weight is what makes the largest loss of any model to the others smallest (``evenly_shared``).
    Inputs on which one and the same model stands alone have strata of their own (``outvoted``), because its failures
    are there;
    inside such a group the strata hold equal weight along mean_j p_j. Each round draws one input from every stratum, so that
    no model's failures are missed for another's.

    Parameters
    ----------
    models : M of them on the same N inputs, their classes numbered alike. budget : n, up to N. seed : determines every draw.

    Raises BadInput for fewer than 2 or more than ``MOST_MODELS`` models, and where they are on different inputs.
    """
    if not 2 <= len(models) <= MOST_MODELS:
        raise BadInput(
            f"One sample was to serve {len(models)} models. Expected 2 to {MOST_MODELS}. Choose fewer: the best of many on "
            "the same labels looks better than it is."
        )
    size = len(models[0])
    if any(len(one) != size for one in models):
        raise BadInput(
            f"The models predict for {', '.join(commas(len(one)) for one in models)} inputs. Expected the same inputs. Choose "
            "models on one dataset."
        )
    others = [[as_other(other) for other in models if other is not one] for one in models]
    chances = [VersionGuesses(one, its).chances for one, its in zip(models, others, strict=True)]
    groups = outvoted(np.array([one.predictions for one in models]))
    return drawn_where_they_may_fail(np.array(chances), budget, seed, groups)


def outvoted(said: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which of M models alone predicts differently from all others, (N,): 0 .. M-1; M where none does, M + 1 where several do.

    Parameters
    ----------
    said : (M, N) predictions. Of two models none is alone, because neither is known to be the odd one.

    >>> outvoted(np.array([[1, 1, 1, 1], [1, 2, 1, 2], [1, 1, 3, 3]])).tolist()
    [3, 1, 2, 4]
    """
    count = len(said)
    first = (said == said[0]).sum(axis=0)  # how many say what the first one does, (N,)
    groups = np.where(first == count, count, count + 1)
    if count > 2:
        for place in range(count):
            rest = np.delete(said, place, axis=0)
            groups[(rest == rest[0]).all(axis=0) & (said[place] != rest[0])] = place
    return groups


def drawn_where_they_may_fail(
    chances: Floats, budget: int, seed: int, groups: NDArray[np.intp] | None = None
) -> dict[str, list[Any]]:
    """The sample by the guessed chances of failure of M models, (M, N), no stratum across ``groups``; see ``shared_sample``."""
    strata = strata_where_they_may_fail(chances, budget, seed, groups)
    rng = np.random.default_rng([seed, 0x5AA])
    piles = ShuffledStrata(strata, rng)
    rows = rows_in_rounds(piles.place, rng.random(strata.size), budget)
    spread = np.sqrt((chances * (1 - chances)).mean(axis=0))  # (N,)
    return {
        "rows": rows.tolist(),
        "strata": strata[rows].tolist(),
        "sizes": piles.sizes.tolist(),
        "prior": list(prior_failure(spread, strata, EVEN_SHARE) or ()),
    }


def strata_where_they_may_fail(
    chances: Floats, budget: int, seed: int, groups: NDArray[np.intp] | None = None
) -> NDArray[np.intp]:
    """The strata of such a sample, (N,)."""
    weights = evenly_shared(chances * (1 - chances), seed)
    wanted = STRATA if budget >= FEW_LABELS else FEWER_STRATA
    whole = np.zeros(weights.size, dtype=np.intp)
    return _strata_within(whole if groups is None else groups, weights, chances.mean(axis=0), wanted, seed)


def evenly_shared(variances: Floats, seed: int) -> Floats:
    """Weights of mean 1, (N,), by which no model loses more to the others than it must.

    w = 0.7 r / mean r + 0.3 with r = sqrt(sum_j a_j v_j / c_j), c_j = (mean sqrt v_j)^2 being what the best sample for model j
    alone has for its variance. Model j's loss is mean(v_j / w) over the same with weights for it alone. The shares a_j, which
    sum to 1, follow the losses until the largest one is smallest (decision 87); of very many inputs a sample settles them.

    Parameters
    ----------
    variances : (M, N), v_j = p_j (1 - p_j). seed : which inputs settle the shares, where they are more than ``SETTLED_BY``.
    """
    scaled = variances / np.maximum(np.sqrt(variances).mean(axis=1, keepdims=True) ** 2, 1e-12)
    some = scaled
    if scaled.shape[1] > SETTLED_BY:
        some = scaled[:, np.random.default_rng([seed, 0x5A5]).choice(scaled.shape[1], SETTLED_BY, replace=False)]
    alone = np.array([_left(one, _weights(one[None], np.ones(1))) for one in some])
    shares = np.full(len(some), 1 / len(some))
    for _ in range(SETTLING):
        left = _left(some, _weights(some, shares))
        losses = np.divide(left, alone, out=np.ones_like(left), where=alone > 0)  # who never fails loses nothing
        before, shares = shares, shares * losses**3  # a loss falls with the root of its share at most, so this settles
        shares /= shares.sum()
        if np.abs(shares - before).max() < 1e-4:
            break
    return _weights(scaled, shares)


def _weights(scaled: Floats, shares: Floats) -> Floats:
    return defensive_weights(np.sqrt(shares @ scaled), EVEN_SHARE)


def _left(scaled: Floats, weights: Floats) -> Floats:
    """In proportion to the variance that draws by these weights leave."""
    return np.asarray((scaled / weights).mean(axis=-1))


def _strata_within(groups: NDArray[np.intp], weights: Floats, along: Floats, count: int, seed: int) -> NDArray[np.intp]:
    """About ``count`` strata of equal weight, (N,), none across two groups but those of less than half a stratum."""
    share = np.bincount(groups, weights) / weights.sum() * count  # in strata
    groups = np.where(share[groups] < 0.5, int(share.argmax()), groups)  # too small for a stratum: to the largest
    share = np.bincount(groups, weights, share.size) / weights.sum() * count
    strata, first = np.empty(groups.size, dtype=np.intp), 0
    for group in np.flatnonzero(share):
        mine = groups == group
        cut = by_equal_size(weights[mine], along[mine], max(1, round(share[group])), seed=seed)
        strata[mine] = first + cut
        first += int(cut.max()) + 1
    return strata
