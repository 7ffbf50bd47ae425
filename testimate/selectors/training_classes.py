"""The training inputs by predicted class, for the prioritizers that learn from them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_features, check_scores
from testimate.core.errors import BadInput
from testimate.selectors.score_order import check_length


@dataclass(frozen=True, eq=False)
class ByClass:
    """Inputs and training inputs side by side.

    Attributes
    ----------
    features : (N, width), of the inputs. classes : (N,) their predicted classes.
    training, training_classes : (M, width) and (M,).
    wrong : (M,) whether the network fails on the training input; all False where that is not known.
    """

    features: NDArray[Any]
    classes: NDArray[np.intp]
    training: NDArray[Any]
    training_classes: NDArray[np.intp]
    wrong: NDArray[np.bool_]

    def __iter__(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """For each class that is predicted: the rows of the inputs and the rows of the training inputs of that class.

        A class that is not in the training set has no training rows; one that is never predicted is left out.
        """
        inputs = _rows_of(self.classes)
        trained = _rows_of(self.training_classes)
        for kind, rows in inputs.items():
            yield rows, trained.get(kind, np.empty(0, dtype=np.intp))


def by_class(
    features: ArrayLike,
    classes: ArrayLike,
    training_features: ArrayLike,
    training_classes: ArrayLike,
    training_losses: ArrayLike | None,
) -> ByClass:
    """The record of these five arrays; BadInput where shapes or values do not fit."""
    own, trained = check_features(features), check_features(training_features, "training features")
    if own.shape[1] != trained.shape[1]:
        raise BadInput(
            f"The features are {own.shape[1]} wide and the training features {trained.shape[1]}; expected one width. "
            "Take both from the same layer."
        )
    kinds, trained_kinds = np.asarray(classes, dtype=np.intp), np.asarray(training_classes, dtype=np.intp)
    check_length(kinds, len(own), "predicted classes")
    check_length(trained_kinds, len(trained), "predicted classes of training inputs")
    wrong = np.zeros(len(trained), dtype=np.bool_)
    if training_losses is not None:
        losses = check_scores(training_losses, "training losses")
        check_length(losses, len(trained), "training losses")
        wrong = losses > 0
    return ByClass(own, kinds, trained, trained_kinds, wrong)


def _rows_of(classes: NDArray[np.intp]) -> dict[int, NDArray[np.intp]]:
    order = np.argsort(classes, kind="stable")
    kinds, starts = np.unique(classes[order], return_index=True)
    return dict(zip(kinds.tolist(), np.split(order, starts[1:]), strict=True))
