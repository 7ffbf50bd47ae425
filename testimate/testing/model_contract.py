"""The contract of a model reader, as a check that raises AssertionError with a sentence."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.models.graph import GraphModel
from testimate.models.open import ModelReader

OUR_MODELS = {
    "ONNX": b"\x08\x08\x12\x07pytorch",
    "a zip": b"PK\x03\x04",
    "HDF5": b"\x89HDF\r\n\x1a\n",
    "a pickle": b"\x80\x04\x95",
    "nothing": b"",
}
"""Beginnings of files that Testimate reads or refuses without any plug-in."""

TOLERANCE = 1e-4


def check_model_reader(reader: ModelReader, content: bytes, example: NDArray[Any]) -> None:
    """Checks a reader against the contract of every model, with the content of one file and (n, *shape) inputs, n at least 2.

    It knows its own content and none of Testimate's own kinds; the network runs the example, answers with one row of
    numbers for each input, the same on each run and for an input alone as in a batch; every layer it names can be
    computed; truncated content is refused with BadInput.

    Raises
    ------
    AssertionError : the first promise that does not hold, in a sentence.
    """
    _model_holds(reader.knows(content), "The reader does not know its own content")
    for what, start in OUR_MODELS.items():
        _model_holds(not reader.knows(start), f"The reader takes {what} for its own kind")
    model = GraphModel(reader.open(content), fingerprint="0" * 32, example=example)
    said = model.run(example, model.layers)
    again = model.run(example, model.layers)
    for layer in model.layers:
        _model_holds(
            len(said[layer]) == len(example), f"Layer {layer} answers {len(said[layer])} of {len(example)} inputs"
        )
        _model_holds(np.array_equal(said[layer], again[layer]), f"Layer {layer} gives other numbers the second time")
        alone = model.run(example[:1], [layer])[layer]
        _model_holds(
            np.allclose(alone[0], said[layer][0], atol=TOLERANCE),
            f"Layer {layer} gives other numbers for an input alone than in a batch",
        )
    try:
        reader.open(content[: len(content) // 2])
    except BadInput:
        return
    raise AssertionError("Truncated content is opened; expected BadInput.")


def _model_holds(kept: bool, broken: str) -> None:
    if not kept:
        raise AssertionError(f"{broken}.")
