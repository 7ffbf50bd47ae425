"""Models ranked by how often they agree with the majority: no label, one line of arithmetic, and hard to beat."""

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.agreeing_models import agreeing_models
from testimate.comparison.predictions import Predictions


def majority_agreement(predictions: Predictions) -> NDArray[np.float64]:
    """The share of all inputs on which each model predicts what most models do, (M,); larger is better.

    Of several classes with as many models the lowest one counts as the majority's. Source: Guo et al., section 3.2, step 2,
    where it is the start of LaF.

    >>> votes = Predictions(("a", "b", "c"), np.array([[0, 0, 1], [1, 1, 1]]), ("0", "1"))
    >>> majority_agreement(votes).tolist()
    [1.0, 1.0, 0.5]
    """
    rows = predictions.disputed
    agreed = len(predictions.labels) - len(rows)
    together = agreeing_models(predictions.labels[rows]).with_majority.sum(axis=0)
    shares: NDArray[np.float64] = (agreed + together) / len(predictions.labels)
    return shares
