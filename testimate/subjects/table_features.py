"""Features of a table's rows, from an .npy file beside it, which give a table clusters."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import commas

FILE_FEATURES = "FILE"
"""The role of features that are read from a file."""


def subject_with_features(subject: Subject, features: Path | NDArray[Any]) -> Subject:
    """A prediction table with the (N, width) features of its rows, which make it another subject.

    Raises BadInput where the file cannot be used.
    """
    assert subject.inputs is not None  # only tables get their features from a file
    called = repr(features.name) if isinstance(features, Path) else "'features'"
    inputs = with_features(subject.inputs, features, called, repr(subject.name))
    return replace(
        subject,
        key=f"table-{inputs.fingerprint[:12]}",
        fingerprint=inputs.fingerprint,
        inputs=inputs,
        facts=(*subject.facts, ("features", f"{commas(inputs.features[FILE_FEATURES].shape[1])} numbers per input")),
    )


def with_features(inputs: Inputs, features: Path | NDArray[Any], called: str, table: str) -> Inputs:
    """The inputs with the (N, width) features of an .npy file or array; ``called`` and ``table`` name the two in a sentence."""
    array = check_features(_read_array(features) if isinstance(features, Path) else features, called)
    if len(array) != len(inputs):
        raise BadInput(
            f"{called} has {len(array)} rows and {table} has {len(inputs)}; they must match. Export both again."
        )
    both = fingerprint.of_bytes(inputs.fingerprint.encode(), fingerprint.of_array(array).encode())
    return replace(inputs, fingerprint=both, features={**inputs.features, FILE_FEATURES: array})


def _read_array(path: Path) -> NDArray[Any]:
    """The array in an .npy file, never unpickled; read page by page as it is used."""
    try:
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))  # numpy.load would open a zip
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}. Expected features as an .npy array. Check the path.") from None
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{path} is not a readable .npy array of numbers ({error}). Save it with numpy.save.") from None
