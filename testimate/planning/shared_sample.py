"""One sample for several models from the start: drawn where any of them may fail."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.rounding import spaced
from testimate.planning.reused_labels import as_other
from testimate.planning.version_guesses import VersionGuesses
from testimate.selectors.round_robin import defensive_weights, prior_failure, rows_in_rounds
from testimate.selectors.shuffled_strata import ShuffledStrata
from testimate.structure.strata import by_equal_size

MOST_MODELS = 10
EVEN_SHARE = 0.3
"""Part of every input's weight that ignores the guesses."""

STRATA, FEWER_STRATA, FEW_LABELS = 20, 10, 100
"""So many strata, and so many below that number of labels."""


def shared_sample(models: Sequence[Inputs], budget: int, seed: int) -> dict[str, list[Any]]:
    """Rows, their strata, the strata's sizes and prior failure rates, for ``SharedSample``.

    An input's chance of failure p_j is guessed for each of M models from its confidence and the other models' predictions,
    without a label. The weight is 0.7 r / mean r + 0.3 with r = sqrt(mean_j p_j (1 - p_j)), the strata hold equal weight along
    mean_j p_j, and each round draws one input from every stratum, so that no model's failures are missed for another's.

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
    return drawn_where_they_may_fail(np.array(chances), budget, seed)


def drawn_where_they_may_fail(chances: NDArray[np.float64], budget: int, seed: int) -> dict[str, list[Any]]:
    """The sample by the guessed chances of failure of M models, (M, N); see ``shared_sample``."""
    rng = np.random.default_rng([seed, 0x5AA])
    spread = np.sqrt((chances * (1 - chances)).mean(axis=0))  # (N,)
    wanted = STRATA if budget >= FEW_LABELS else FEWER_STRATA
    strata = by_equal_size(
        defensive_weights(spread, EVEN_SHARE), chances.mean(axis=0), wanted, seed=int(rng.integers(2**32))
    )
    piles = ShuffledStrata(strata, rng)
    rows = rows_in_rounds(piles.place, rng.random(spread.size), budget)
    return {
        "rows": rows.tolist(),
        "strata": strata[rows].tolist(),
        "sizes": piles.sizes.tolist(),
        "prior": list(prior_failure(spread, strata, EVEN_SHARE) or ()),
    }
