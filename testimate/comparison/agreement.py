"""How often models agree, and on which inputs they do not."""

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.labeling_free import LabelingFree
from testimate.comparison.predictions import Predictions


def pairwise_agreement(predictions: Predictions) -> NDArray[np.float64]:
    """The share of inputs on which two models predict the same, (M, M), 1 on the diagonal."""
    labels = predictions.labels
    return np.array([(labels == labels[:, [model]]).mean(axis=0) for model in range(labels.shape[1])])


def hardest_rows(found: LabelingFree, count: int) -> NDArray[np.intp]:
    """The disputed inputs on which LaF trusts the models least, the hardest first, at most ``count``.

    Hardest is where the models are right with the least mean chance; easinesses break ties. Empty without a dispute.
    """
    if not len(found.rows):
        return np.empty(0, dtype=np.intp)
    return found.rows[np.lexsort((found.easiness, found.right.mean(axis=1)))[:count]]
