"""A small network as an ONNX file: its weights, what it gives by NumPy, and the call that opens it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from testimate.models.graph import GraphModel
from testimate.models.onnx import OnnxGraph

RNG = np.random.default_rng(4)
ROWS = RNG.random((5, 4), dtype=np.float32)
WEIGHTS = {
    "w1": RNG.normal(size=(4, 6)).astype(np.float32),
    "b1": RNG.normal(size=6).astype(np.float32),
    "w2": RNG.normal(size=(6, 3)).astype(np.float32),
    "b2": RNG.normal(size=3).astype(np.float32),
    "w3": RNG.normal(size=(6, 1)).astype(np.float32),
}
HIDDEN = np.maximum(ROWS @ WEIGHTS["w1"] + WEIGHTS["b1"], 0)
LOGITS = HIDDEN @ WEIGHTS["w2"] + WEIGHTS["b2"]


def file_of(
    nodes: Sequence[Any],
    *,
    output: str = "out",
    taken: Sequence[int | str] = ("n", 4),
    kind: int = TensorProto.FLOAT,
    weights: dict[str, np.ndarray] | None = None,
    more_inputs: Sequence[str] = (),
    domains: Sequence[str] = (),
) -> onnx.ModelProto:
    graph = helper.make_graph(
        list(nodes),
        "network",
        [helper.make_tensor_value_info(name, kind, list(taken)) for name in ("x", *more_inputs)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in (weights or WEIGHTS).items()],
    )
    opsets = [helper.make_opsetid("", 17), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


BODY = (
    helper.make_node("MatMul", ["x", "w1"], ["product"]),
    helper.make_node("Add", ["product", "b1"], ["first"]),
    helper.make_node("Relu", ["first"], ["hidden"]),
)
SCORES = (*BODY, helper.make_node("Gemm", ["hidden", "w2", "b2"], ["scores"]))


def opened(model: onnx.ModelProto, **choices: Any) -> GraphModel:
    return GraphModel(OnnxGraph(model.SerializeToString()), fingerprint="f", **choices)


def external(place: str) -> onnx.ModelProto:
    model = file_of([*SCORES, helper.make_node("Softmax", ["scores"], ["out"])])
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=place)
    return model


END = helper.make_node("Softmax", ["scores"], ["out"])
