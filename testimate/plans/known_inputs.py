"""Everything known of a subject's inputs before any label, from its table or from one run of its model."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary import scores_of_outputs
from testimate.core import fingerprint
from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.feature_cache import FeatureCache
from testimate.subjects.prediction_table import read_table


def known_inputs(subject: Subject, cache: FeatureCache, progress: Progress = silent) -> Inputs:
    """Predictions, confidence, auxiliary variables and features of every input of the subject.

    A prediction table says them itself; a model is run once over the data and found again in ``cache`` ever after.
    """
    if subject.inputs is not None:
        return _with_derived_scores(subject.inputs)
    outputs = cache.outputs(subject, progress=progress)
    probabilities = np.asarray(outputs["CON"], dtype=np.float64)  # (N, C)
    logits = np.asarray(outputs["logits"], dtype=np.float64)  # (N, C)
    predictions = probabilities.argmax(axis=1)
    losses = None if subject.truth is None else subject.task.losses(predictions, subject.truth)
    return Inputs(
        fingerprint=subject.fingerprint,
        task=subject.task,
        predictions=predictions,
        confidence=probabilities.max(axis=1),
        probabilities=probabilities,
        scores=scores_of_outputs(probabilities, logits),
        features={role: outputs[role] for role in ("LHL", "FL", "ORI", "CON")},
        truth=subject.truth,
        losses=losses,
    )


def _with_derived_scores(inputs: Inputs) -> Inputs:
    """A table's inputs with the auxiliary variables that follow from its probability columns; its own columns win."""
    if inputs.probabilities is None:
        return inputs
    derived: Mapping[str, np.ndarray] = scores_of_outputs(inputs.probabilities)
    return replace(inputs, scores={**derived, **inputs.scores})


FILE_FEATURES = "FILE"
"""The role that features read from a file play."""


def inputs_of_table(table: Path, features: Path | None = None, *, tolerance: float | None = None) -> Inputs:
    """What a prediction table, and a features file beside it, say of the inputs.

    ``features`` is an .npy file of finite numbers, (N, width), row for row; it becomes part of the fingerprint. Raises
    BadInput where either cannot be used.
    """
    subject = read_table(table, name=table.name, tolerance=tolerance)
    inputs = known_inputs(subject, FeatureCache(table.parent))
    if features is None:
        return inputs
    array = check_features(_read_array(features), str(features))
    if len(array) != len(inputs):
        raise BadInput(
            f"{features} has {len(array)} rows and {table} has {len(inputs)}; they must match. Export both again."
        )
    both = fingerprint.of_bytes(inputs.fingerprint.encode(), fingerprint.of_array(array).encode())
    return replace(inputs, fingerprint=both, features={**inputs.features, FILE_FEATURES: array})


def _read_array(path: Path) -> NDArray[Any]:
    """The array in an .npy file, never unpickled; read by page as it is used."""
    try:
        return np.asarray(np.load(path, allow_pickle=False, mmap_mode="r"))
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}; needed are features as an .npy array. Check the path.") from None
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{path} is not a readable .npy array of numbers ({error}). Save it with numpy.save.") from None
