"""ONNX files that reach out, never end or cannot be run: refused or stopped with a sentence, while what ends is run."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from scipy.special import softmax

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.models.onnx import OnnxGraph
from tests.each import each
from tests.models.onnx_network import (
    BODY,
    END,
    HIDDEN,
    LOGITS,
    ROWS,
    SCORES,
    WEIGHTS,
    external,
    file_of,
    opened,
)


def branch(operation: str) -> onnx.GraphProto:
    value = helper.make_tensor_value_info(f"{operation}ed", TensorProto.FLOAT, ["n", 3])
    return helper.make_graph([helper.make_node(operation, ["scores"], [value.name])], "branch", [], [value])


def evil() -> onnx.GraphProto:
    """A branch with an operation of another maker."""
    part = branch("Identity")
    part.node[0].domain = "com.evil"
    return part


def looped(trips: int) -> onnx.ModelProto:
    """The scores times two, so many times over, then softmax."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3]) for name in ("before", "after")]
    go, goes = (helper.make_tensor_value_info(name, TensorProto.BOOL, []) for name in ("go", "goes"))
    step = helper.make_tensor_value_info("step", TensorProto.INT64, [])
    nodes = [helper.make_node("Identity", ["go"], ["goes"]), helper.make_node("Add", ["before", "before"], ["after"])]
    body = helper.make_graph(nodes, "body", [step, go, ends[0]], [goes, ends[1]])
    weights = {**WEIGHTS, "trips": np.array(trips), "true": np.array(True)}
    loop = helper.make_node("Loop", ["trips", "true", "scores"], ["more"], body=body)
    return file_of([*SCORES, loop, helper.make_node("Softmax", ["more"], ["out"])], weights=weights)


def external_constant() -> onnx.ModelProto:
    tensor = external("weights.bin").graph.initializer[0]
    weights = {name: value for name, value in WEIGHTS.items() if name != "w1"}
    constant = helper.make_node("Constant", [], ["w1"], value=tensor)
    return file_of([constant, *SCORES, helper.make_node("Softmax", ["scores"], ["out"])], weights=weights)


def with_functions(depth: int, *, calls: str = "Double", twice: int = 1) -> onnx.ModelProto:
    """Scores through a function that doubles, inside functions that each call the one before ``twice`` in a row."""
    opset = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    doubling = helper.make_node("Add", ["a", "a"], ["b"])
    functions = [helper.make_function("own", "Double", ["a"], ["b"], [doubling], opset[:1])]
    for level in range(depth):
        names = ["a", *(f"v{place}" for place in range(1, twice)), "b"]
        calling = calls if level == 0 else f"Level{level - 1}"
        body = [helper.make_node(calling, [names[place]], [names[place + 1]], domain="own") for place in range(twice)]
        functions.append(helper.make_function("own", f"Level{level}", ["a"], ["b"], body, opset))
    end = [
        helper.make_node(functions[-1].name, ["scores"], ["more"], domain="own"),
        helper.make_node("Softmax", ["more"], ["out"]),
    ]
    model = file_of([*SCORES, *end], domains=["own"])
    model.functions.extend(functions)
    return model


def claiming() -> onnx.ModelProto:
    model = file_of([*SCORES, helper.make_node("Softmax", ["scores"], ["out"])])
    model.graph.initializer[0].dims[:] = [10**6, 10**6]
    return model


SWITCH = {**WEIGHTS, "yes": np.array(True), "half": np.array(0.5, np.float32)}


@each(
    ("model", "sentence"),
    [
        (external("weights.bin"), r"external_data=False"),
        (external("../../../etc/passwd"), r"Expected a file in its own folder.*external_data=False"),
        (external_constant(), r"external_data=False"),
        (
            file_of([*SCORES, helper.make_node("Evil", ["scores"], ["out"], domain="com.evil")], domains=["com.evil"]),
            "com.evil",
        ),
        (
            file_of([*SCORES, helper.make_node("FusedGemm", ["scores"], ["out"], domain="com.microsoft")]),
            "of ONNX Runtime alone .*without optimizing",
        ),
        (
            file_of([*SCORES, helper.make_node("If", ["x"], ["out"], then_branch=evil(), else_branch=evil())]),
            "com.evil",
        ),
        (with_functions(1, calls="Level0"), "calls itself"),
        (with_functions(18, twice=2), "make 262,1.. operations"),
        (claiming(), "claims more than"),
        (
            file_of([*BODY, helper.make_node("Dropout", ["hidden", "half", "yes"], ["out"])], weights=SWITCH),
            "Call model.eval",
        ),
        (
            file_of([helper.make_node("BatchNormalization", ["x"] * 5, ["out", "m", "v"], training_mode=1)]),
            "Call model.eval",
        ),
        (file_of([*SCORES, END], more_inputs=["mask"]), "takes 2 inputs"),
        (file_of([*SCORES, END], kind=TensorProto.STRING), "takes 4 words per input. Expected one text"),
        (
            file_of([*SCORES, END], kind=TensorProto.STRING, taken=("n", 1), more_inputs=["city"]),
            "columns, and x, city of them are words.*prediction table",
        ),
        (file_of([*SCORES, END], kind=TensorProto.BOOL), "neither plain numbers nor texts"),
        (file_of([helper.make_node("Conv", ["x", "w1"], ["out"])]), "cannot"),
    ],
)
def test_what_reaches_out_or_cannot_be_run_is_refused_with_a_sentence(model, sentence):
    with pytest.raises(BadInput, match=sentence):
        opened(model)


def test_a_damaged_file_is_refused_with_a_sentence():
    content = file_of([*SCORES, END]).SerializeToString()
    with pytest.raises(BadInput, match="cannot be read"):
        OnnxGraph(content[: len(content) // 2])


def test_a_branch_and_a_loop_that_end_are_run():
    both = (branch("Identity"), branch("Neg"))
    choice = helper.make_node("If", ["yes"], ["chosen"], then_branch=both[0], else_branch=both[1])
    for yes in (True, False):
        weights = {**WEIGHTS, "yes": np.array(yes)}
        end = helper.make_node("Softmax", ["chosen"], ["out"])
        model = opened(file_of([*SCORES, choice, end], weights=weights))
        expected = softmax(LOGITS if yes else -LOGITS, axis=1)
        np.testing.assert_allclose(model.run(ROWS, [model.roles["CON"]])[model.roles["CON"]], expected, rtol=1e-4)
        np.testing.assert_allclose(model.run(ROWS, [model.roles["LHL"]])[model.roles["LHL"]], HIDDEN, rtol=1e-4)
    model = opened(looped(3))
    np.testing.assert_allclose(
        model.run(ROWS, [model.roles["CON"]])[model.roles["CON"]], softmax(8 * LOGITS, axis=1), rtol=1e-4
    )


def test_functions_that_a_file_defines_are_put_into_its_graph():
    model = opened(with_functions(3, twice=2))
    said = model.run(ROWS, [model.roles["CON"], model.roles["LHL"]])
    np.testing.assert_allclose(said[model.roles["CON"]], softmax(2**8 * LOGITS, axis=1), rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(said[model.roles["LHL"]], HIDDEN, rtol=1e-4)


def scanned() -> onnx.ModelProto:
    """A sum over a million steps, in each of a million others."""

    def ends(kind: str) -> list[Any]:
        return [helper.make_tensor_value_info(f"{kind}{name}", TensorProto.FLOAT, []) for name in ("sum", "step")]

    def scan(inner: list[Any], kind: str, first: str, said: str) -> Any:
        after = helper.make_tensor_value_info(f"{kind}after", TensorProto.FLOAT, [])
        body = helper.make_graph(inner, f"{kind}body", ends(kind), [after])
        return helper.make_node("Scan", [first, "steps"], [said], body=body, num_scan_inputs=1)

    inner = scan([helper.make_node("Add", ["insum", "instep"], ["inafter"])], "in", "outsum", "outafter")
    outer = scan([inner], "out", "nothing", "total")
    weights = {**WEIGHTS, "steps": np.ones(10**6, np.float32), "nothing": np.float32(0)}
    return file_of([*SCORES, outer, helper.make_node("Add", ["scores", "total"], ["out"])], weights=weights)


def test_a_scan_that_would_take_years_is_stopped(monkeypatch):
    monkeypatch.setattr("testimate.models.onnx.LOOP_SECONDS", 0.3)
    with pytest.raises(BadInput, match=r"was stopped after 0\.3 seconds"):
        opened(scanned())


def test_a_loop_without_an_end_is_stopped(monkeypatch):
    monkeypatch.setattr("testimate.models.onnx.LOOP_SECONDS", 0.3)
    with pytest.raises(BadInput, match=r"was stopped after 0\.3 seconds"):
        opened(looped(2**62))


def wide(classes: int, *, declared: int | str) -> onnx.ModelProto:
    """One number per input, repeated as many times: a file of a few bytes."""
    shape = {"shape": np.array([1, classes], dtype=np.int64)}
    model = file_of([helper.make_node("Expand", ["x", "shape"], ["out"])], taken=("n", 1), weights=shape)
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", declared]))
    return model


@each("declared", [60_000_000, "any"])
def test_a_small_file_with_60_million_classes_is_refused(declared):
    classes = 60_000_000 if isinstance(declared, int) else 25_001  # what is not declared is found by running it
    file = wide(classes, declared=declared)
    assert len(file.SerializeToString()) < 200
    with pytest.raises(BadInput, match=rf"gives {commas(classes)} numbers per input\. Expected .* at most"):
        opened(file)


def test_a_model_of_as_many_classes_as_a_table_may_name_is_opened():
    assert opened(wide(25_000, declared="any")).facts.classes == 25_000


def test_a_model_for_inputs_of_a_billion_numbers_is_refused():
    file = file_of(SCORES, output="scores", taken=("n", 1000, 1000, 1000))
    with pytest.raises(BadInput, match=rf"takes {commas(10**9)} numbers per input\. Expected at most"):
        opened(file)
