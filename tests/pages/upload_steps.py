"""What the tests of uploads do under Project, and the network of digits they upload."""

import re
import time

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from testimate.project.project import Project

ONNX, NPZ = "net.onnx", "digits.npz"


def onnx_of(weights: list[np.ndarray], biases: list[np.ndarray], *, flatten: bool) -> bytes:
    """Dense layers with ReLU between them and softmax at the end."""
    nodes, kept, last = [], [], "input"
    if flatten:
        nodes.append(helper.make_node("Flatten", ["input"], ["flat"]))
        last = "flat"
    for place, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        kept += [
            numpy_helper.from_array(weight.astype(np.float32), f"w{place}"),
            numpy_helper.from_array(bias.astype(np.float32), f"b{place}"),
        ]
        nodes.append(
            helper.make_node("Gemm", [last, f"w{place}", f"b{place}"], [f"dense{place}"], name=f"dense{place}")
        )
        last = f"dense{place}"
        if place < len(weights) - 1:
            nodes.append(helper.make_node("Relu", [last], [f"relu{place}"]))
            last = f"relu{place}"
    nodes.append(helper.make_node("Softmax", [last], ["output"], axis=1))
    shape = ["N", 8, 8, 1] if flatten else ["N", len(weights[0])]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["N", len(biases[-1])])],
        kept,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def said(test) -> str:
    parts = [*test.markdown, *test.text, *test.caption, *test.info, *test.warning, *test.error, *test.success]
    parts += [*test.header, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])|\u2060", "", "\n".join(str(part.value) for part in parts))


def upload(test, key: str, name: str, content: bytes):
    [field] = [field for field in test.file_uploader if str(field.key).startswith(f"own {key} upload")]
    field.set_value((name, content, "application/octet-stream")).run()
    assert not test.exception
    return test


def press(test, words: str):
    next(button for button in test.button if button.label == words).click().run()
    assert not test.exception
    return test


def can_be_used(test) -> bool:
    """Whether the form's button is there and can be pressed."""
    return any(button.label == "Use this model and data" and not button.disabled for button in test.button)


def wait_for_features(test, project: Project):
    """Runs the page again until it no longer says how far the features are."""
    deadline = time.monotonic() + 60
    while not any(metric.label == "Inputs" for metric in test.metric):
        assert time.monotonic() < deadline, said(test)
        assert not test.error, said(test)
        time.sleep(0.05)  # between two looks
        test.run()
        assert not test.exception
    return test


def answered_by_buttons(opened, subject: str, session: str, count: int) -> None:
    test = opened("label", subject=subject, session=session)
    test.toggle(key="plain buttons").set_value(True).run()
    for _ in range(count):
        next(button for button in test.button if " class " in str(button.key)).click().run()
        assert not test.exception
