"""What a model's single output means: the number of a class, read as that; a score for two classes, asked about."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from testimate.core.errors import BadInput
from testimate.feature_cache.cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from tests.own_files import open_files, write_own_files

pytestmark = pytest.mark.usefixtures("models_in_this_process")


def with_class_inside(path, first, last, *, ir_version=9):
    """The network of ``write_own_files``, which ends with the place of its largest logit."""
    nodes = [
        helper.make_node("MatMul", ["x", "first"], ["a"]),
        helper.make_node("Relu", ["a"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "last"], ["logits"]),
        helper.make_node("ArgMax", ["logits"], ["y"], axis=1, keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, ["n"])],
        [numpy_helper.from_array(first, "first"), numpy_helper.from_array(last, "last")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=ir_version)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("ir_version", [9, 60])
def test_the_place_of_the_largest_output_is_a_class_without_a_confidence(tmp_path, ir_version):
    files = write_own_files(tmp_path)
    model = with_class_inside(tmp_path / "inside.onnx", files.first, files.last, ir_version=ir_version)
    own = open_files(model, files.dataset)
    inputs = known_inputs(own.subject, FeatureCache(tmp_path / "cache"))
    assert own.record.facts.output == "predicted class"
    assert own.subject.task.kind == "classification"
    assert np.array_equal(inputs.predictions, files.probabilities(files.x).argmax(axis=1))
    assert inputs.confidence is None
    assert inputs.losses is not None
    assert inputs.losses.mean() == pytest.approx(0.2)


def test_one_number_for_labels_of_two_classes_is_asked_about_and_read_as_said(tmp_path):
    x = np.linspace(-2, 2, 40, dtype=np.float32)[:, None]
    np.savez(tmp_path / "two.npz", x=x, y=(x[:, 0] > 0).astype(int))
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["y"])],
        "one logit",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])],
        [numpy_helper.from_array(np.float32([[3]]), "w")],
    )
    path = tmp_path / "logit.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    np.savez(tmp_path / "ill.npz", x=x, ill=(x[:, 0] > 0).astype(int))
    with pytest.raises(BadInput, match=r"'ill' holds two classes, '0' and '1'.*--output-means 'one logit' --label ill"):
        open_files(path, tmp_path / "ill.npz")
    named = open_files(path, tmp_path / "ill.npz", output="one logit", label="ill")
    assert known_inputs(named.subject, FeatureCache(tmp_path / "cache")).losses.sum() == 0
    np.savez(tmp_path / "bare.npz", x=x)
    bare = open_files(path, tmp_path / "bare.npz").subject
    assert bare.task.kind == "regression"
    assert "from -6 to 6, and is read as a regression. If it is one logit" in " ".join(bare.reading.doubtful)
    listed = onnx.load(path)
    helper.set_model_props(listed, {"names": "{0: 'well', 1: 'ill'}"})
    onnx.save(listed, tmp_path / "listed.onnx")
    with pytest.raises(BadInput, match=r"its file lists two classes, 'well' and 'ill'.*--output-means 'one logit' or"):
        open_files(tmp_path / "listed.onnx", tmp_path / "bare.npz")
    with pytest.raises(BadInput, match=r"labels are two classes, '0' and '1'.*--output-means 'one logit'"):
        open_files(path, tmp_path / "two.npz")
    said = open_files(path, tmp_path / "two.npz", output="one logit")
    inputs = known_inputs(said.subject, FeatureCache(tmp_path / "cache"))
    assert inputs.losses is not None
    assert inputs.losses.sum() == 0
    assert open_files(path, tmp_path / "two.npz", output="numbers").subject.task.kind == "regression"


def test_where_a_table_of_pictures_has_numbers_too_the_question_offers_them(tmp_path):
    shape = {"x": ["n", 1, 4, 4], "y": ["n", 1]}
    nodes = [
        helper.make_node("GlobalAveragePool", ["x"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["y"]),
    ]
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, sides) for name, sides in shape.items()]
    graph = helper.make_graph(nodes, "age", tensors[:1], tensors[1:])
    path = tmp_path / "age.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(model.SerializeToString())
    lines = ["file,age,sex"]
    (tmp_path / "set").mkdir()
    for row in range(60):
        Image.fromarray(np.full((4, 4), 60 + row, np.uint8)).save(tmp_path / "set" / f"{row:02}.png")
        lines.append(f"{row:02}.png,{20 + row // 2},{('m', 'f')[row % 2]}")
    (tmp_path / "set" / "people.csv").write_text("\n".join(lines))
    with pytest.raises(BadInput, match=r"'f' and 'm'.*--output-means numbers --label age"):
        open_files(path, tmp_path / "set")
    named = open_files(path, tmp_path / "set", output="numbers", label="age")
    assert named.subject.truth.tolist() == [20 + row // 2 for row in range(60)]
