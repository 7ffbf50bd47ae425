"""ONNX files built node by node, against the same network in numpy."""

import zipfile
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from scipy.special import expit, log_softmax, softmax

from testimate.core.errors import BadInput
from testimate.models.file_content import read_content
from testimate.models.graph import GraphModel, NeedsExample
from testimate.models.kinds import kind_of
from testimate.models.onnx import OnnxGraph
from tests.each import each
from tests.models.onnx_network import (
    BODY,
    END,
    HIDDEN,
    LOGITS,
    RNG,
    ROWS,
    SCORES,
    WEIGHTS,
    external,
    file_of,
    opened,
)


@each(
    ("closing", "kind", "expected"),
    [
        ("Identity", "logits", softmax(LOGITS, axis=1)),
        ("Softmax", "probabilities", softmax(LOGITS, axis=1)),
        ("LogSoftmax", "log-probabilities", softmax(LOGITS, axis=1)),
        ("Sigmoid", "several probabilities", expit(LOGITS)),
    ],
)
def test_every_part_is_what_numpy_gives_with_softmax_applied_once(closing, kind, expected):
    model = opened(file_of([*SCORES, helper.make_node(closing, ["scores"], ["out"])]))
    assert model.facts.output == kind
    assert (model.facts.parameters, model.facts.classes, model.facts.input_shape) == (57, 3, (4,))
    said = model.run(ROWS, list(model.roles.values()))
    parts = {"ORI": ROWS, "FL": ROWS @ WEIGHTS["w1"] + WEIGHTS["b1"], "LHL": HIDDEN, "logits": LOGITS, "CON": expected}
    assert model.roles.keys() == parts.keys()
    for role, values in parts.items():
        assert said[model.roles[role]].dtype == np.float32
        np.testing.assert_allclose(said[model.roles[role]], values, rtol=1e-5, atol=1e-6)


def test_one_sigmoid_becomes_two_classes_whose_logits_have_them_as_softmax():
    nodes = [
        *BODY,
        helper.make_node("MatMul", ["hidden", "w3"], ["score"]),
        helper.make_node("Sigmoid", ["score"], ["out"]),
    ]
    model = opened(file_of(nodes))
    said = model.run(ROWS, list(model.roles.values()))
    p = expit(HIDDEN @ WEIGHTS["w3"])
    np.testing.assert_allclose(said[model.roles["CON"]], np.hstack([1 - p, p]), rtol=1e-5)
    np.testing.assert_allclose(softmax(said[model.roles["logits"]], axis=1), said[model.roles["CON"]], rtol=1e-5)
    assert model.facts.widths["CON"] == model.facts.widths["logits"] == 2


def test_one_plain_number_is_a_regression_unless_the_person_says_it_is_a_logit():
    file = file_of([*BODY, helper.make_node("MatMul", ["hidden", "w3"], ["out"])])
    model = opened(file)
    assert (model.facts.output, "CON" in model.roles) == ("numbers", False)
    np.testing.assert_allclose(
        model.run(ROWS, [model.roles["OUT"]])[model.roles["OUT"]], HIDDEN @ WEIGHTS["w3"], rtol=1e-5
    )
    chosen = opened(file, output="one logit")
    probabilities = chosen.run(ROWS, ["(probabilities)"])["(probabilities)"]
    np.testing.assert_allclose(probabilities[:, 1:], expit(HIDDEN @ WEIGHTS["w3"]), rtol=1e-5)


def test_a_file_exported_for_two_inputs_at_a_time_answers_five():
    model = opened(file_of([*SCORES, helper.make_node("Softmax", ["scores"], ["out"])], taken=(2, 4)))
    np.testing.assert_allclose(
        model.run(ROWS, ["(probabilities)"])["(probabilities)"], softmax(LOGITS, axis=1), rtol=1e-5
    )


def test_token_ids_stay_whole_and_the_embedding_is_the_first_layer():
    weights = {"table": RNG.normal(size=(9, 4)).astype(np.float32), "w": RNG.normal(size=(4, 2)).astype(np.float32)}
    nodes = [
        helper.make_node("Gather", ["table", "x"], ["embedded"]),
        helper.make_node("ReduceMean", ["embedded"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["mean", "w"], ["scores"]),
        helper.make_node("LogSoftmax", ["scores"], ["out"]),
    ]
    model = opened(file_of(nodes, taken=("n", "length"), kind=TensorProto.INT64, weights=weights))
    tokens = np.array([[1, 8, 3], [0, 0, 2]])
    said = model.run(tokens, list(model.roles.values()))
    mean = weights["table"][tokens].mean(axis=1)
    np.testing.assert_allclose(said[model.roles["FL"]], weights["table"][tokens].reshape(2, 12))
    np.testing.assert_allclose(said[model.roles["LHL"]], mean, rtol=1e-6)
    expected = np.exp(log_softmax(mean @ weights["w"], axis=1))
    np.testing.assert_allclose(said[model.roles["CON"]], expected, rtol=1e-5)
    with pytest.raises(BadInput, match="takes whole numbers"):
        model.run(np.array([[0.5]]), ["(input)"])


def test_dropout_and_batch_normalization_run_in_evaluation_mode():
    weights = {
        **WEIGHTS,
        **{name: np.full(6, value, np.float32) for name, value in zip("smvg", (2, 1, 4, 3), strict=True)},
    }
    nodes = [
        *BODY,
        helper.make_node("BatchNormalization", ["hidden", "s", "g", "m", "v"], ["normal"], epsilon=0.0),
        helper.make_node("Dropout", ["normal"], ["dropped"]),
        helper.make_node("Gemm", ["dropped", "w2", "b2"], ["out"]),
    ]
    model = opened(file_of(nodes, weights=weights))
    normal = (HIDDEN - 1) / 2 * 2 + 3  # (x - mean) / sqrt(variance) * scale + bias
    expected = normal @ WEIGHTS["w2"] + WEIGHTS["b2"]
    for _ in range(2):
        np.testing.assert_allclose(model.run(ROWS, ["out"])["out"], expected, rtol=1e-4, atol=1e-5)


def test_any_value_can_be_requested_and_an_unknown_one_is_refused_by_name():
    model = opened(file_of([*SCORES, helper.make_node("Softmax", ["scores"], ["out"])]))
    np.testing.assert_allclose(model.run(ROWS, ["product"])["product"], ROWS @ WEIGHTS["w1"], rtol=1e-5)
    with pytest.raises(BadInput, match="no layer 'fc9'"):
        model.run(ROWS, ["fc9"])


def test_a_model_that_no_made_up_input_fits_asks_for_its_own():
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["square"]),
        helper.make_node("MatMul", ["square", "w1"], ["out"]),
    ]
    weights = {"w1": WEIGHTS["w1"], "shape": np.array([-1, 1, 4])}
    model = file_of(nodes, taken=("n", "length"), weights=weights)
    with pytest.raises(NeedsExample, match="together with its dataset"):
        opened(model)
    assert opened(model, example=ROWS).facts.widths["FL"] == 6


def classifier(*, labels: dict[str, Any], zipped: bool) -> onnx.ModelProto:
    """As skl2onnx writes a logistic regression: the label, and the probabilities as an array or as maps."""
    coefficients = WEIGHTS["w2"].T[:, :4].ravel().tolist()
    linear = helper.make_node(
        "LinearClassifier",
        ["x"],
        ["label", "raw"],
        domain="ai.onnx.ml",
        coefficients=coefficients,
        intercepts=WEIGHTS["b2"].tolist(),
        multi_class=1,
        post_transform="SOFTMAX",
        **{name.replace("classlabels_int64s", "classlabels_ints"): value for name, value in labels.items()},
    )
    last = (
        helper.make_node("ZipMap", ["raw"], ["output_probability"], domain="ai.onnx.ml", **labels)
        if zipped
        else helper.make_node("Identity", ["raw"], ["probabilities"])
    )
    kind = TensorProto.STRING if "classlabels_strings" in labels else TensorProto.INT64
    key = helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    maps = helper.make_value_info(
        "output_probability", helper.make_sequence_type_proto(helper.make_map_type_proto(kind, key))
    )
    array = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 3])
    graph = helper.make_graph(
        [linear, last],
        "forest",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [-1, 4])],  # as paddle2onnx writes any number
        [helper.make_tensor_value_info("label", kind, [None]), maps if zipped else array],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=8
    )


@each("zipped", [True, False])
@each(
    ("labels", "names"),
    [
        ({"classlabels_strings": ["set", "ver", "vir"]}, ("set", "ver", "vir")),
        ({"classlabels_int64s": [0, 1, 2]}, ()),
        ({"classlabels_int64s": [3, 5, 8]}, ("3", "5", "8")),
    ],
)
def test_the_probabilities_are_taken_where_a_model_gives_a_label_too(zipped, labels, names):
    model = opened(classifier(labels=labels, zipped=zipped))
    assert (model.facts.output, model.facts.class_names) == ("probabilities", names)
    assert set(model.roles) == {"ORI", "CON"}
    assert any("no hidden features" in note for note in model.facts.notes)
    expected = softmax(ROWS @ WEIGHTS["w2"].T[:, :4].T + WEIGHTS["b2"], axis=1)
    np.testing.assert_allclose(model.run(ROWS, [model.roles["CON"]])[model.roles["CON"]], expected, rtol=1e-4)


def test_two_outputs_that_may_both_be_the_scores_are_refused_with_the_call_that_keeps_one():
    model = file_of([*SCORES, helper.make_node("Softmax", ["scores"], ["out"])])
    model.graph.output.append(helper.make_tensor_value_info("first", TensorProto.FLOAT, None))
    with pytest.raises(BadInput, match=r"\(out, first\).*extract_model"):
        opened(model)


def test_several_inputs_of_one_number_are_columns_and_tokens_come_with_their_mask():
    columns = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 1]) for name in "abcd"]
    model = file_of([helper.make_node("Concat", list("abcd"), ["x"], axis=1), *SCORES, END])
    del model.graph.input[:]
    model.graph.input.extend(columns)
    network = opened(model)
    assert network.facts.columns == tuple("abcd")
    np.testing.assert_allclose(network.run(ROWS, ["hidden"])["hidden"], HIDDEN, rtol=1e-4)

    table = np.arange(40, dtype=np.float32).reshape(10, 4)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["counts"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["counts", "last"], ["wide"]),
        helper.make_node("Mul", ["embedded", "wide"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "middle"], ["x"], keepdims=0),
    ]
    weights = {**WEIGHTS, "table": table, "last": np.array([2]), "middle": np.array([1])}
    model = file_of([*nodes, *SCORES, END], weights=weights)
    del model.graph.input[:]
    for name in ("input_ids", "attention_mask"):
        model.graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"]))
    network = opened(model)
    tokens = np.array([[3, 4, 0, 0], [9, 1, 2, 5]])
    sums = np.array([table[3] + table[4], table[[9, 1, 2, 5]].sum(axis=0)])
    expected = np.maximum(sums @ WEIGHTS["w1"] + WEIGHTS["b1"], 0)
    np.testing.assert_allclose(network.run(tokens, ["hidden"])["hidden"], expected, rtol=1e-4)


def test_weights_in_a_second_file_are_read_from_its_folder_or_its_zip_alone(tmp_path):
    model, name = external("net.onnx.data"), "net.onnx.data"
    model.graph.initializer[0].external_data.add(key="offset", value="16")
    held = bytes(16) + WEIGHTS["w1"].tobytes()
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(
        BadInput, match=r"in 'net\.onnx\.data', which is not beside it\. Expected both together\. Put them"
    ):
        OnnxGraph(read_content(tmp_path / "net.onnx").data)
    alone = read_content(tmp_path / "net.onnx").digest
    (tmp_path / name).write_bytes(held)
    with zipfile.ZipFile(tmp_path / "net.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "net.onnx", "exported/net.onnx")
        archive.write(tmp_path / name, f"exported/{name}")
    (tmp_path / "folder").mkdir()
    for file in ("net.onnx", name):
        (tmp_path / "folder" / file).write_bytes((tmp_path / file).read_bytes())
    for place in ("net.onnx", "net.zip", "folder"):
        content = read_content(tmp_path / place)
        assert kind_of(content.data, tmp_path / place) == "ONNX"
        network = GraphModel(OnnxGraph(content.data), fingerprint="f")
        np.testing.assert_allclose(network.run(ROWS, ["hidden"])["hidden"], HIDDEN, rtol=1e-4)
    changed = read_content(tmp_path / "net.onnx").digest
    assert changed != alone
    (tmp_path / name).write_bytes(held[:40])
    model.graph.initializer[0].external_data.add(key="length", value="96")
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(BadInput, match="has 40 bytes and the model's weights end at 112"):
        OnnxGraph(read_content(tmp_path / "net.onnx").data)


@each(
    ("labels", "names"),
    [
        ({"classlabels_strings": ["vir", "set", "ver"]}, ("vir", "set", "ver")),
        ({"classlabels_int64s": [3, 5, 8]}, ("3", "5", "8")),
    ],
)
@each("typed", [True, False])
def test_a_label_alone_is_the_place_of_the_predicted_class_among_those_the_file_lists(labels, names, typed):
    model = classifier(labels=labels, zipped=False)
    del model.graph.output[1]
    del model.graph.node[1]
    if not typed:  # as skl2onnx cuts a graph to one of its outputs
        model.graph.output[0].ClearField("type")
    graph = opened(model)
    assert (graph.facts.output, graph.facts.class_names) == ("predicted class", names)
    expected = (ROWS @ WEIGHTS["w2"].T[:, :4].T + WEIGHTS["b2"]).argmax(axis=1)
    assert graph.run(ROWS, [graph.roles["OUT"]])[graph.roles["OUT"]][:, 0].tolist() == expected.tolist()


def test_a_label_that_contradicts_the_largest_score_is_said():
    model = classifier(labels={"classlabels_strings": ["set", "ver", "vir"]}, zipped=False)
    assert not [note for note in opened(model).facts.notes if "another class" in note]
    model.graph.node[1].op_type = "Neg"  # as the scores of a support vector machine of two classes are written
    assert [note for note in opened(model).facts.notes if "'label' names another class than its largest score" in note]


def test_scores_in_another_order_than_the_label_says_are_read_in_the_order_of_the_label():
    model = classifier(labels={"classlabels_strings": ["set", "ver", "vir"]}, zipped=False)
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 2, 0]), "order"))
    model.graph.node[1].CopyFrom(helper.make_node("Gather", ["raw", "order"], ["probabilities"], axis=1))
    graph = opened(model)
    assert graph.facts.class_names == ("ver", "vir", "set")
    assert [note for note in graph.facts.notes if "each score is read as that of the class it names" in note]


@each("typed", [True, False])
def test_words_taken_from_the_only_list_by_computed_places_are_the_predicted_class(typed):
    words = helper.make_tensor("words", TensorProto.STRING, [3], [b"vir", b"set", b"ver"])
    nodes = [
        helper.make_node("ArgMax", ["scores"], ["place"], axis=1, keepdims=0),
        helper.make_node("ArrayFeatureExtractor", ["words", "place"], ["word"], domain="ai.onnx.ml"),
        helper.make_node("Reshape", ["word", "flat"], ["label"]),
    ]
    model = file_of([*SCORES, *nodes])
    model.graph.initializer.extend([words, helper.make_tensor("flat", TensorProto.INT64, [1], [-1])])
    model.opset_import.extend([helper.make_opsetid("ai.onnx.ml", 3)])
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.STRING, [None]))
    if not typed:
        model.graph.output[0].ClearField("type")
    graph = opened(model)
    assert (graph.facts.output, graph.facts.class_names) == ("predicted class", ("vir", "set", "ver"))
    said = graph.run(ROWS, [graph.roles["OUT"]])[graph.roles["OUT"]][:, 0]
    assert said.tolist() == LOGITS.argmax(axis=1).tolist()


def test_words_that_no_list_in_the_file_names_are_refused_with_what_to_export():
    model = classifier(labels={"classlabels_strings": ["set", "ver", "vir"]}, zipped=False)
    del model.graph.output[1]
    model.graph.node.append(helper.make_node("Identity", ["label"], ["word"]))
    model.graph.output[0].name = "word"
    assert opened(model).facts.class_names == ("set", "ver", "vir")
    words = helper.make_graph(
        [helper.make_node("Identity", ["text"], ["word"])],
        "echo",
        [helper.make_tensor_value_info("text", TensorProto.STRING, [None])],
        [helper.make_tensor_value_info("word", TensorProto.STRING, [None])],
    )
    with pytest.raises(BadInput, match="Export it with its probabilities"):
        opened(helper.make_model(words, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
