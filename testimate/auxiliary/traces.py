"""Activation traces: those of the inputs and those that surprise adequacy compares them with, checked."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_features
from testimate.core.errors import BadInput


@dataclass(frozen=True, eq=False)
class Traces:
    """The traces of the inputs and of the training set, with their predicted classes.

    Attributes
    ----------
    inputs : (N, d) float32 or float64, finite.
    classes : (N,) predicted classes.
    training, training_classes : (M, d) and (M,); the inputs themselves where there is no training set.
    own : (N,) where the training set is of the inputs themselves, the place of each among it, so that it is left out of its
        own comparison, or -1; None where the training set is another one.
    """

    inputs: NDArray[Any]
    classes: NDArray[np.intp]
    training: NDArray[Any]
    training_classes: NDArray[np.intp]
    own: NDArray[np.intp] | None

    def against(self, references: NDArray[np.intp] | None) -> "Traces":
        """The same inputs with only these rows, (m,), of the training set, or of the inputs where there is none."""
        if references is None:
            return self
        own = None
        if self.own is not None:
            own = np.full(len(self.inputs), -1, dtype=np.intp)
            own[references] = np.arange(len(references))
        return replace(
            self, training=self.training[references], training_classes=self.training_classes[references], own=own
        )


def checked_traces(
    traces: ArrayLike,
    predictions: ArrayLike | None,
    training_traces: ArrayLike | None,
    training_predictions: ArrayLike | None,
) -> Traces:
    """The four as ``Traces``; no predictions mean one class. BadInput where shapes or values do not fit."""
    inputs = check_features(traces, "traces")
    classes = _classes(predictions, len(inputs), "predictions")
    if training_traces is None:
        if training_predictions is not None:
            raise BadInput("There are training predictions without training traces; both are needed. Add the traces.")
        return Traces(inputs, classes, inputs, classes, own=np.arange(len(inputs)))
    training = check_features(training_traces, "training traces")
    if training.shape[1] != inputs.shape[1]:
        raise BadInput(
            f"The traces are {inputs.shape[1]} wide and the training traces {training.shape[1]}; expected one width. "
            "Take both from the same layer."
        )
    if (training_predictions is None) is not (predictions is None):
        raise BadInput(
            "Only the inputs or only the training traces have predictions; expected both, or none for a regression. "
            "Predict both sets with the same model."
        )
    training_classes = _classes(training_predictions, len(training), "training predictions")
    return Traces(inputs, classes, training, training_classes, own=None)


def _classes(predictions: ArrayLike | None, size: int, name: str) -> NDArray[np.intp]:
    if predictions is None:
        return np.zeros(size, dtype=np.intp)
    array = np.asarray(predictions)
    if array.shape != (size,):
        raise BadInput(
            f"The {name} have shape {array.shape}; expected one class for each of the {size} traces, ({size},). "
            "Pass the predicted class of every trace."
        )
    if array.dtype.kind not in "iub":
        whole = array.dtype.kind == "f" and bool((np.isfinite(array) & (array == np.floor(array))).all())
        if not whole:
            raise BadInput(f"The {name} are of type {array.dtype}; expected classes as whole numbers. Convert them.")
    return array.astype(np.intp)


def with_largest(scores: NDArray[np.float64], otherwise: float) -> NDArray[np.float64]:
    """The scores with infinity replaced by the largest of the others, or by ``otherwise`` where there are none."""
    finite = np.isfinite(scores)
    return np.where(finite, scores, scores[finite].max() if finite.any() else otherwise)
