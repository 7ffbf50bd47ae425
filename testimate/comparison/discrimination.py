"""SDS: which inputs tell the good models from the bad, judged by the majority vote.

Meng et al.: L. Meng, Y. Li, L. Chen, Z. Wang, D. Wu, Y. Zhou, B. Xu, Measuring Discrimination to Boost Comparative Testing
for Multiple Deep Learning Models, ICSE 2021.
"""

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.agreeing_models import agreeing_models
from testimate.comparison.majority import majority_agreement
from testimate.comparison.predictions import Predictions

GROUP = 0.27
"""Share of the models in the top and in the bottom group, as in item analysis (Ebel 1954)."""

MOST_DISCRIMINATING = 0.25
"""Share of the inputs to draw from (Guo et al., section 4.4)."""


def discrimination(predictions: Predictions) -> NDArray[np.float64]:
    """How far each input tells good from bad models, (N,), from -1 to 1.

    The share of the top group that agrees with the majority, minus that of the bottom group; the groups are the 27 % of
    the models (at least one) that agree with the majority most and least often. Models tied there stay in the order of
    the columns. Inputs on which all agree have 0.
    """
    order = np.argsort(-majority_agreement(predictions), kind="stable")
    count = min(max(1, round(GROUP * len(order))), len(order) // 2)
    rows = predictions.disputed
    together = agreeing_models(predictions.labels[rows]).with_majority
    found = np.zeros(len(predictions.labels))
    found[rows] = together[:, order[:count]].mean(axis=1) - together[:, order[-count:]].mean(axis=1)
    return found


def discriminating_rows(predictions: Predictions, budget: int, seed: int) -> NDArray[np.intp]:
    """Rows to label, (budget,): drawn at random from the quarter that discriminates most, then by discrimination.

    Ties at the edge of the quarter are broken at random.
    """
    rng = np.random.default_rng(seed)
    found = discrimination(predictions)
    order = np.lexsort((rng.random(len(found)), -found))
    quarter = max(1, int(MOST_DISCRIMINATING * len(found)))
    return np.concatenate([rng.permutation(order[:quarter]), order[quarter:]])[:budget].astype(np.intp)
