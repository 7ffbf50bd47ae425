"""What was tried to find severe faults earlier without another network: a slope for each class, neighbours of known ones.

Each is severity-first with another learner in the place of ``SeverityChance``; nothing of it is in the product.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from research.studies.runs import SEED
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics import order_metrics
from testimate.planning.priority import priority
from testimate.selectors import severity_first
from testimate.selectors.logistic_regression import Terms, chances_of, most_likely_weights, prior_weights
from testimate.selectors.prioritizers import log_odds, normal_scores
from testimate.selectors.severity_first import Known, SeverityChance, ranking

Array = NDArray[np.float64]

SLOPE_SD = 0.2
"""Standard deviation of a class's own slope around that of all, as the other terms of a product have it."""

NEIGHBOUR = 0.3, 0.3
"""Mean and standard deviation of the weight of what lies near a known severe fault, as DSA's."""

SURE = 0.8
NEAR = 10
"""Known faults that an input is compared with: the nearest this many of its predicted class count, the nearer the more."""

ORACLES = ("oracle: the same terms", "oracle: boosted trees")
"""Chances learned from the labels of all inputs, in a real campaign known to nobody: the most that the scores could give."""

WAYS = (
    "as it is",
    "a slope for each class",
    "neighbours of known severe faults",
    "tilt 1/4",
    "tilt 1/2",
    "no looks",
    *ORACLES,
)

FOLDS = 5


class ASlopeForEachClass(SeverityChance):
    """After each fit, each predicted class gets a slope of its own for the doubt, by Newton's method around 0."""

    def learn(self, rows: NDArray[np.intp], outcomes: Array) -> None:
        """See ``SeverityChance.learn``."""
        super().learn(rows, outcomes)
        doubt = (
            log_odds(1 - self.confidence) + 3
        )  # 0 at a confidence of 95 %, where the own intercepts of the classes decide
        groups, odds = self._known.groups, np.log(self.chances / (1 - self.chances))
        slopes = np.zeros(int(groups.max()) + 1)
        near, own, count = doubt[rows], groups[rows], len(slopes)
        for _ in range(5):
            chances = chances_of(odds[rows] + slopes[own] * near)
            gradient = np.bincount(own, (chances - outcomes) * near, count) + slopes / SLOPE_SD**2
            slopes -= gradient / (np.bincount(own, chances * (1 - chances) * near**2, count) + 1 / SLOPE_SD**2)
        self.chances = chances_of(odds + slopes[groups] * doubt)


class NeighboursOfSevereFaults(SeverityChance):
    """One term more: how near the labeled severe faults of the same predicted class lie, beside labeled right inputs."""

    features: NDArray[Any]

    def learn(self, rows: NDArray[np.intp], outcomes: Array) -> None:
        """See ``SeverityChance.learn``."""
        near = self._nearness(rows, outcomes)
        terms = Terms(
            (*self._terms.columns, near),
            self._terms.groups,
            np.append(self._terms.mean, NEIGHBOUR[0]),
            np.append(self._terms.sd, NEIGHBOUR[1]),
            self._terms.group_mean,
            self._terms.group_sd,
        )
        weights = most_likely_weights(terms, rows, outcomes, prior_weights(terms))
        self.chances = chances_of(weights.log_odds(terms))

    def _nearness(self, rows: NDArray[np.intp], outcomes: Array) -> Array:
        """Normal score of how much nearer the known severe faults are than the known right inputs; an input is not its own."""
        sure, groups = self.confidence >= SURE, self._known.groups
        found = np.zeros(len(groups))
        for group in np.unique(groups[rows]):
            members = np.flatnonzero(groups == group)
            known = rows[groups[rows] == group]
            failed = outcomes[groups[rows] == group] > 0
            severe, right = known[failed & sure[known]], known[~failed]
            if len(severe) > 1 and len(right) > 1:
                found[members] = self._distance(members, right) - self._distance(members, severe)
        return np.where(found == 0, 0.0, normal_scores(found)) if found.any() else found

    def _distance(self, members: NDArray[np.intp], others: NDArray[np.intp]) -> Array:
        """Log of the mean distance to the nearest of the others, itself left out, (n,)."""
        left, right = self.features[members], self.features[others]
        squared = (left**2).sum(axis=1)[:, None] - 2 * left @ right.T + (right**2).sum(axis=1)
        squared[members[:, None] == others] = np.inf
        nearest = np.sort(np.maximum(squared, 1e-9), axis=1)[:, :NEAR]
        weights = 1 / np.arange(1, nearest.shape[1] + 1)
        counted = np.where(np.isfinite(nearest), np.log(np.where(np.isfinite(nearest), nearest, 1.0)) / 2, 0.0)
        mean: Array = (counted * weights).sum(axis=1) / (np.isfinite(nearest) * weights).sum(axis=1)
        return mean


class Told(SeverityChance):
    """Chances that are given from the first draw on, whatever the labels say."""

    given: Array

    def __init__(self, known: Known) -> None:
        super().__init__(known)
        self.chances = self.given

    def learn(self, rows: NDArray[np.intp], outcomes: Array) -> None:
        """Learns nothing."""


class ByAllLabels(SeverityChance):
    """The chances that the terms give when they are fitted to the labels of all inputs."""

    truth: Array

    def __init__(self, known: Known) -> None:
        super().__init__(known)
        super().learn(np.arange(len(self.truth)), self.truth)

    def learn(self, rows: NDArray[np.intp], outcomes: Array) -> None:
        """Learns nothing more."""


def _boosted(inputs: Inputs) -> Array:
    """Chances by boosted trees on confidence, surprise and predicted class, each input's from the labels of the other folds."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import cross_val_predict

    assert inputs.losses is not None
    columns = [inputs.score(name) for name in ("confidence", "dsa", "lsa") if name in inputs.scores]
    features = np.column_stack([*columns, np.asarray(inputs.predictions, dtype=np.float64)])
    many = len(np.unique(inputs.predictions)) > 20
    trees = HistGradientBoostingClassifier(
        max_iter=120,
        learning_rate=0.06,
        categorical_features=[len(columns)],
        random_state=0,
        min_samples_leaf=40 + 20 * many,
    )
    failed = inputs.task.failed(inputs.losses)
    chances: Array = cross_val_predict(trees, features, failed, cv=FOLDS, method="predict_proba")[:, 1]
    return np.clip(chances, 1e-6, 1 - 1e-6)


@contextmanager
def another_way(inputs: Inputs, way: str) -> Iterator[dict[str, Any]]:
    """Severity-first learns in this way inside; gives the options of the request."""
    assert inputs.losses is not None
    if way == "no looks":
        yield {"looks": 0.0}
        return
    if way in ORACLES:
        learner: Any = type("Fitted", (ByAllLabels,), {"truth": inputs.task.failed(inputs.losses).astype(np.float64)})
        if way == ORACLES[1]:
            learner = type("Boosted", (Told,), {"given": _boosted(inputs)})
        with patch.object(severity_first, "SeverityChance", learner):
            yield {"looks": 0.0}
        return
    if way.startswith("tilt"):
        tilt = 1 / float(way.split("/")[1])

        def tilted(chances: Array, confidence: Array, **settings: Any) -> NDArray[np.intp]:
            return ranking(chances, confidence, **{**settings, "tilt": tilt})

        with patch.object(severity_first, "ranking", tilted):
            yield {}
        return
    learners: dict[str, Any] = {
        "as it is": SeverityChance,
        "a slope for each class": ASlopeForEachClass,
        "neighbours of known severe faults": type(
            "Neighbours", (NeighboursOfSevereFaults,), {"features": _scaled(inputs)}
        ),
    }
    with patch.object(severity_first, "SeverityChance", learners[way]):
        yield {}


def _scaled(inputs: Inputs) -> NDArray[Any] | None:
    if "LHL" not in inputs.features:
        return None
    values: Array = np.asarray(inputs.feature("LHL"), dtype=np.float64)
    scaled: Array = values / (values.std(axis=0) + 1e-3)
    return scaled


def tried(inputs: Inputs, way: str) -> dict[str, float] | None:
    """SFDR, WFDR, FDRO and severe faults found with as many labels as faults, percent; None where features are missing."""
    if way.startswith("neighbours") and "LHL" not in inputs.features:
        return None
    assert inputs.losses is not None
    assert inputs.confidence is not None
    failed = inputs.task.failed(inputs.losses)
    faults, severe = int(failed.sum()), failed & (inputs.confidence >= SURE)
    with another_way(inputs, way) as options:
        order = priority(inputs, Request("severity-first", faults, SEED, options=options)).rows
    metrics = order_metrics(failed[order], inputs.confidence[order])
    return {
        "sfdr": 100 * float(metrics.sfdr or 0),
        "wfdr": 100 * float(metrics.wfdr or 0),
        "fdro": 100 * float(metrics.fdro or 0),
        "severe": 100 * float(severe[order[:faults]].sum() / severe.sum()),
    }
