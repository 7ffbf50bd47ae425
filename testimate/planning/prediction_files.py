"""What is known about inputs, written as the files that other verbs read: a prediction table, and features."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.core.files import whole_file
from testimate.core.inputs import Inputs
from testimate.planning.slow_scores import SLOW
from testimate.tasks.classification import Classification, MultiLabel

BLOCK = 1_024
"""Rows of features written at a time."""


def check_table_name(path: Path) -> None:
    """BadInput where the table to write is no Parquet file."""
    if path.suffix != ".parquet":
        raise BadInput(f"The table to write is {path.name!r:.100}; expected a name that ends in .parquet. Change it.")


def write_table(inputs: Inputs, path: Path) -> None:
    """Writes prediction, confidence, probabilities, label and the slow auxiliary variables, one row per input.

    The file is there whole or not at all. Raises BadInput where it cannot be written, and for several labels per input
    whose truth is unknown.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_table_name(path)
    table = pa.table(_columns(inputs))
    with whole_file(path) as file:
        pq.write_table(table, file)


def _columns(inputs: Inputs) -> dict[str, Any]:
    """The columns of the table by name."""
    columns: dict[str, Any] = {}
    if isinstance(inputs.task, MultiLabel):
        if inputs.losses is None:
            raise BadInput(
                "A table has no room for several labels per input; expected known answers, so that it can say right or wrong. "
                "Label in the app instead."
            )
        columns["outcome"] = np.where(inputs.losses > 0, "Fail", "Pass")
    else:
        if inputs.truth is not None:
            columns["label"] = inputs.truth
        columns["prediction"] = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
    if inputs.predictions.ndim == 2 and inputs.probabilities is not None:
        columns["confidence"] = inputs.probabilities.max(axis=1)  # that of the first of the classes that count
    elif "confidence" in inputs.scores:
        # finer than the largest probability, which is float32's
        columns["confidence"] = 1 - inputs.scores["confidence"]
    if isinstance(inputs.task, Classification) and inputs.probabilities is not None:
        columns |= {f"p_{place}": inputs.probabilities[:, place] for place in range(inputs.probabilities.shape[1])}
    return columns | {name: inputs.scores[name] for name in SLOW if name in inputs.scores}


def write_features(inputs: Inputs, roles: Sequence[str], path: Path) -> None:
    """Writes these roles side by side as an (N, width) float32 .npy, block by block; whole or not at all."""
    parts = [inputs.feature(role) for role in roles]
    if not parts:
        raise BadInput(
            "No layer was named for the features; expected at least one, such as lhl. Name it with --layers."
        )
    shape = (len(inputs), sum(part.shape[1] for part in parts))

    with whole_file(path) as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, shape[0], BLOCK):
            block = np.concatenate([part[start : start + BLOCK] for part in parts], axis=1)
            file.write(np.ascontiguousarray(block, dtype="<f4").tobytes())
