"""A TensorFlow SavedModel as a graph of values: its variables are frozen, and it is pruned to the wanted values.

The device TensorFlow runs on: CUDA if it sees one, in full precision unless requested otherwise, else the CPU.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # there is no public one

from testimate.core.errors import BadInput
from testimate.models.confinement import Device
from testimate.models.facts import Channels
from testimate.models.graph import Arrays, InputSpec, Node, Operation, cannot_run, varying_nodes


def settle_device(*, mixed: bool) -> Device:
    """The device TensorFlow chooses by itself; call this before any of its operations.

    TensorFloat-32 stays off without ``mixed``; with it, graphs are rewritten so that products have sixteen bits.
    """
    found = tf.config.list_physical_devices("GPU")
    tf.config.experimental.enable_tensor_float_32_execution(mixed)
    if mixed:
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
    return "cuda" if found else "cpu"


OPERATIONS: Mapping[str, Operation] = {
    **dict.fromkeys(("MatMul", "BatchMatMulV2", "Einsum"), "dense"),
    **dict.fromkeys(("Conv2D", "Conv3D", "DepthwiseConv2dNative", "GatherV2", "ResourceGather"), "kernel"),
    **dict.fromkeys(("BiasAdd", "Add", "AddV2"), "bias"),
    **dict.fromkeys(("Identity", "IdentityN", "Reshape", "Squeeze", "ExpandDims", "Cast", "StopGradient"), "pass"),
    "Softmax": "softmax",
    "LogSoftmax": "log-softmax",
    "Sigmoid": "sigmoid",
}
SHAPE_ONLY = frozenset({"Shape", "Rank", "Size", "NoOp"})


class SavedModelGraph:
    """The serving function of a SavedModel; only for folders that a person trusts.

    Raises BadInput where it is damaged, or has no function of one input and one output.
    """

    channels: Channels = "last"

    def __init__(self, folder: Path, *, mixed: bool = False) -> None:
        self.device = settle_device(mixed=mixed)
        try:
            loaded = tf.saved_model.load(str(folder))
        except Exception as error:  # the loader may raise anything
            raise BadInput(
                f"This SavedModel cannot be read ({type(error).__name__}: {error!s:.150}). Expected a complete one. Export it "
                "again."
            ) from error
        signatures: Mapping[str, Any] = loaded.signatures
        if "serving_default" not in signatures and len(signatures) != 1:
            raise BadInput(
                f"This SavedModel has {len(signatures)} functions to serve ({', '.join(signatures):.200}). Expected one, or "
                "one named serving_default. Export it with model.export()."
            )
        function = signatures.get("serving_default") or next(iter(signatures.values()))
        self._frozen: Any = convert_variables_to_constants_v2(function)
        inputs = [tensor for tensor in self._frozen.inputs if tensor.dtype != tf.resource]
        if len(inputs) != 1 or len(self._frozen.outputs) != 1:
            raise BadInput(
                f"The model takes {len(inputs)} inputs and gives {len(self._frozen.outputs)} outputs. Expected one of "
                "each, the output being the scores. Export a function that wraps it so."
            )
        if inputs[0].dtype == tf.string or inputs[0].shape.rank is None:
            raise BadInput(
                "The model takes words or inputs of any shape. Expected numbers. Export it with an input shape."
            )
        self._taken = inputs[0]
        self.input, self.output = inputs[0].name, self._frozen.outputs[0].name
        batch, *shape = inputs[0].shape.as_list()
        self.spec = InputSpec(shape=tuple(shape), type=inputs[0].dtype.name, batch=batch)
        self.parameters = sum(int(np.prod(variable.shape)) for variable in function.variables)
        operations = self._frozen.graph.get_operations()
        self.nodes: Sequence[Node] = varying_nodes([node for made in operations for node in _nodes(made)], ())
        self._functions: dict[tuple[str, ...], Any] = {}

    def values(self, batch: NDArray[Any], names: Sequence[str]) -> Arrays:
        """The named values for an arranged batch; BadInput where it cannot be run."""
        key = tuple(names)
        try:
            if key not in self._functions:
                wanted = [self._frozen.graph.get_tensor_by_name(name) for name in names]
                self._functions[key] = self._frozen.prune([self._taken], wanted)
            said = self._functions[key](tf.constant(batch))
        except (tf.errors.OpError, ValueError, TypeError, KeyError) as error:
            raise cannot_run("TensorFlow", batch, error) from error
        return {name: np.asarray(value) for name, value in zip(names, said, strict=True)}


def _nodes(made: Any) -> list[Node]:
    """One node for each value of an operation, without the placeholder of the input."""
    if made.type == "Placeholder":
        return []
    inputs = () if made.type in SHAPE_ONLY else tuple(value.name for value in made.inputs)
    return [Node(OPERATIONS.get(made.type, "other"), inputs, value.name) for value in made.outputs]
