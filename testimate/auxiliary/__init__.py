"""Auxiliary variables: one number per input that predicts failure, larger = more likely to fail.

``AUXILIARY`` names those of a softmax and ``SLOW`` those of a layer; looking one up imports its file, naming them nothing.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.plug_ins import LazyMapping

if TYPE_CHECKING:
    from testimate.auxiliary.slow import SlowVariable

Score = Callable[..., NDArray[np.float64]]
"""A function of (N, C) probabilities and, where known, (N, C) logits; gives (N,) scores."""


AUXILIARY: LazyMapping[str, Score] = LazyMapping(
    __name__,
    {
        "confidence": "softmax:confidence",
        "margin": "softmax:margin",
        "entropy": "softmax:entropy",
        "gini": "softmax:gini",
    },
    "auxiliary variable of a softmax",
)

SLOW: "LazyMapping[str, type[SlowVariable]]" = LazyMapping(
    __name__,
    {"dsa": "slow:Dsa", "lsa": "slow:Lsa", "sae": "slow:Sae", "vae": "slow:Vae"},
    "slow auxiliary variable",
)
"""Those that take minutes, in the order in which tables have them; a new one is one more entry."""


def scores_of_outputs(probabilities: ArrayLike, logits: ArrayLike | None = None) -> dict[str, NDArray[np.float64]]:
    """Every auxiliary variable of ``AUXILIARY`` by name, each (N,) float64, finite.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1, C >= 2.
    logits : (N, C) what softmax was applied to, where known: scores then do not vanish on very sure predictions.

    Raises
    ------
    BadInput : outputs not finite, rows that do not sum to 1, shapes that differ.

    Examples
    --------
    >>> {name: float(score[0]) for name, score in scores_of_outputs([[0.5, 0.5]]).items()}
    {'confidence': 0.5, 'margin': 1.0, 'entropy': 1.0, 'gini': 0.5}
    """
    return {name: score(probabilities, logits) for name, score in AUXILIARY.items()}
