"""One sample for several models from the start: drawn where any of them may fail."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.words import spaced
from testimate.planning.reused_labels import as_other
from testimate.planning.version_guesses import VersionGuesses
from testimate.selectors.base import ShuffledStrata
from testimate.selectors.round_robin import defensive_weights, prior_failure, rows_in_rounds
from testimate.structure.strata import by_equal_size

Floats = NDArray[np.float64]

MOST_MODELS = 10
EVEN_SHARE = 0.3
"""Part of every input's weight that ignores the guesses."""

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
            f"One sample was to serve {len(models)} models; expected 2 to {MOST_MODELS}. Choose fewer: the best of many on "
            "the same labels looks better than it is."
        )
    size = len(models[0])
    if any(len(one) != size for one in models):
        raise BadInput(
            f"The models predict for {', '.join(spaced(len(one)) for one in models)} inputs; expected the same inputs. Choose "
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
