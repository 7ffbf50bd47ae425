"""Everything the page on several models shows before any label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.labeling_free import LabelingFree, labeling_free
from testimate.comparison.predictions import Predictions
from testimate.comparison.ranking import accuracies
from testimate.comparison.stability import Stability, dawid_skene_stability, laf_stability, majority_stability
from testimate.comparison.techniques import compared_predictions
from testimate.comparison.trust import Trust, trust_in
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.metrics.rank_agreement import RankAgreement, rank_agreement
from testimate.structure.ranks import places_of

HARDEST = 24
SEED = 0
"""Of the resamples: the same table shows the same ranges."""


@dataclass(frozen=True, eq=False)
class ComparisonView:
    """Models and what their predictions say about them.

    Attributes
    ----------
    predictions : of M models for N inputs.
    laf, majority, dawid_skene : the rankings with their ranges.
    trust : how far they can be trusted.
    agreement : (M, M) share of inputs on which two models predict the same.
    hardest : rows, the hardest first.
    disputed : inputs on which not all agree.
    accuracy : (M,) the true ones, where the truth is known; else None.
    with_truth : how the rankings agree with it, by name; empty where it is not known.
    """

    predictions: Predictions
    laf: Stability
    majority: Stability
    dawid_skene: Stability
    trust: Trust
    agreement: NDArray[np.float64]
    hardest: NDArray[np.intp]
    disputed: int
    accuracy: NDArray[np.float64] | None
    with_truth: dict[str, RankAgreement]

    @property
    def rankings(self) -> dict[str, Stability]:
        """The rankings by the names that the page has for them."""
        return {"LaF": self.laf, "Majority": self.majority, "Dawid-Skene": self.dawid_skene}


def view_comparison(inputs: Inputs, progress: Progress = silent) -> ComparisonView:
    """The view of inputs that several models predict; BadInput where it is one model alone."""
    predictions = compared_predictions(inputs)
    found = labeling_free(predictions, progress=progress)
    laf = laf_stability(predictions, found, seed=SEED, progress=progress)
    majority = majority_stability(predictions, seed=SEED)
    accuracy = None if inputs.truth is None else accuracies(predictions, np.asarray(inputs.truth))
    confusions = dawid_skene_stability(predictions, seed=SEED, progress=progress)
    scores = {"LaF": laf.score, "majority": majority.score, "Dawid-Skene": confusions.score}
    return ComparisonView(
        predictions=predictions,
        laf=laf,
        majority=majority,
        dawid_skene=confusions,
        trust=trust_in(predictions, found),
        agreement=pairwise_agreement(predictions),
        hardest=hardest_rows(found, HARDEST),
        disputed=len(found.rows),
        accuracy=accuracy,
        with_truth={}
        if accuracy is None
        else {name: rank_agreement(score, accuracy) for name, score in scores.items()},
    )


def ranks_side_by_side(views: Sequence[ComparisonView], which: str = "LaF") -> dict[str, NDArray[np.intp]]:
    """The rank of each model that is in all the comparisons, among those, (D,), by name in the order of the first."""
    common = [model for model in views[0].predictions.models if all(model in view.predictions.models for view in views)]
    columns = []
    for view in views:
        score = view.rankings[which].score
        columns.append(places_of([score[view.predictions.models.index(model)] for model in common]))
    return {model: np.array([column[place] for column in columns]) for place, model in enumerate(common)}


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
