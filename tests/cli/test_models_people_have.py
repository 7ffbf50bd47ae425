"""Models as the exporters write them, by `features` at the terminal: what is in the table is what another program says."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from scipy.special import softmax

from testimate.subjects.prediction_table import read_table

pytestmark = pytest.mark.usefixtures("models_in_this_process")

RNG = np.random.default_rng(8)
WORDS = ("[UNK]", "[PAD]", "a", "fine", "film", "and", "sad", "one", "very", "is", "it")
UNKNOWN, PADDING = 0, 1
WIDTH = 4
WEIGHTS = {
    "table": RNG.normal(size=(len(WORDS), WIDTH)).astype(np.float32),
    "head": RNG.normal(size=(WIDTH, 3)).astype(np.float32) * 3,
    "bias": np.array([0.1, -0.1, 0.0], dtype=np.float32),
}
WEIGHTS["table"][PADDING] = 50  # a padding token that is looked at changes everything
LONGEST = 6
TEXTS = tuple(" ".join(RNG.choice([*WORDS[2:], "unheard"], RNG.integers(1, 9))) for _ in range(40))


def written(path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any], weights: dict[str, Any], **more: Any):
    """The model's file."""
    constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    domains = [helper.make_opsetid(*one) for one in (("", 17), *more.get("domains", ()))]
    graph = helper.make_graph(nodes, "network", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=domains, ir_version=9, functions=more.get("functions"))
    path.write_bytes(model.SerializeToString())
    return path


def numbers(name: str, *shape: int | str, kind: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, list(shape))


def write_transformer(path: Path) -> Path:
    """One head of attention over embeddings, their mean over the tokens that count, and three classes.

    The mask is taken off the attention as transformers do it, and the head is a function of the file, as torch writes some.
    """
    head = helper.make_function(
        "pkg.torch",
        "Head",
        ["pooled", "weight", "add"],
        ["said"],
        [helper.make_node("Gemm", ["pooled", "weight", "add"], ["said"])],
        [helper.make_opsetid("", 17)],
    )
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["e"]),
        helper.make_node("Cast", ["attention_mask"], ["m"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["m", "one"], ["less"]),
        helper.make_node("Mul", ["less", "huge"], ["off"]),
        helper.make_node("Unsqueeze", ["off", "middle"], ["offs"]),
        helper.make_node("Transpose", ["e"], ["t"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["e", "t"], ["raw"]),
        helper.make_node("Add", ["raw", "offs"], ["kept"]),
        helper.make_node("Softmax", ["kept"], ["attention"], axis=-1),
        helper.make_node("MatMul", ["attention", "e"], ["seen"]),
        helper.make_node("Unsqueeze", ["m", "last"], ["tall"]),
        helper.make_node("Mul", ["seen", "tall"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "middle"], ["sum"], keepdims=0),
        helper.make_node("ReduceSum", ["m", "middle"], ["count"], keepdims=1),
        helper.make_node("Div", ["sum", "count"], ["pooled"]),
        helper.make_node("Head", ["pooled", "head", "bias"], ["logits"], domain="pkg.torch"),
    ]
    whole = [numbers(name, "batch", "sequence", kind=TensorProto.INT64) for name in ("input_ids", "attention_mask")]
    more = {"one": np.float32(1), "huge": np.float32(1e9), "middle": [1], "last": [2]}
    return written(
        path,
        nodes,
        whole,
        [numbers("logits", "batch", 3)],
        {**WEIGHTS, **more},
        domains=[("pkg.torch", 1)],
        functions=[head],
    )


def transformer_says(text: str) -> NDArray[np.float32]:
    """The probabilities of one text alone, with nothing to fill up, in numpy."""
    tokens = [WORDS.index(word) if word in WORDS else UNKNOWN for word in text.lower().split()][:LONGEST]
    e = WEIGHTS["table"][tokens]
    pooled = (softmax(e @ e.T, axis=1) @ e).mean(axis=0)
    return softmax(pooled @ WEIGHTS["head"] + WEIGHTS["bias"])


def write_tokenizer(folder: Path) -> None:
    """What save_pretrained of transformers leaves beside a model."""
    tokenizers = pytest.importorskip("tokenizers")
    known = {word: place for place, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"pad_token": "[PAD]", "model_max_length": LONGEST}))
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "dull", "1": "fine", "2": "sad"}}))


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("text\n" + "\n".join(TEXTS) + "\n")
    return path


def table_of(command, tmp_path: Path, model: Path, data: Path, *more: str) -> tuple[str, Any]:
    """What `features` prints, and the inputs of the table that it writes."""
    table = tmp_path / "table.parquet"
    said = command.ok("features", model, data, "--out", table, "--project", tmp_path / "project", *more)
    return said, read_table(table, name="t").inputs


def test_texts_are_cut_by_the_tokenizer_beside_a_model_of_tokens_and_their_mask(tmp_path, texts, command):
    model = write_transformer(tmp_path / "model.onnx")
    write_tokenizer(tmp_path)
    said, inputs = table_of(command, tmp_path, model, texts)
    expected = np.array([transformer_says(text) for text in TEXTS])
    np.testing.assert_allclose(inputs.probabilities, expected, atol=1e-5)
    assert "dull" in said
    assert "id2label in config.json beside the model" in said
    assert "texts are cut into tokens by tokenizer.json (11 tokens)" in said
    assert f"at most {LONGEST}" in said
    assert "no ORI, FL, which is wider for a longer text" in said


def test_rows_of_tokens_filled_up_with_another_number_are_asked_about_and_weights_may_lie_in_a_second_file(
    tmp_path, command
):
    model, data = write_transformer(tmp_path / "model.onnx"), tmp_path / "tokens.npz"
    tokens = [[WORDS.index(word) if word in WORDS else UNKNOWN for word in text.split()][:LONGEST] for text in TEXTS]
    np.savez(data, x=np.array([[*row, *[PADDING] * (LONGEST + 2 - len(row))] for row in tokens]))
    onnx.save(onnx.load(model), model, save_as_external_data=True, location="model.onnx.data", size_threshold=0)
    refused = command.refusal("features", model, data, "--project", tmp_path / "project")
    assert "seem to be padded with 1, not with 0" in refused
    (tmp_path / "model.toml").write_text("[preprocessing]\npad = 1\n")
    _, inputs = table_of(command, tmp_path, model, data)
    np.testing.assert_allclose(inputs.probabilities, [transformer_says(text) for text in TEXTS], atol=1e-5)


def test_a_pipeline_of_scikit_learn_takes_texts_as_they_are(tmp_path, texts, command):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    answers = ["sad" if "sad" in text else "fine" for text in TEXTS]
    pipeline = make_pipeline(TfidfVectorizer(token_pattern="[a-zA-Z0-9_]+"), LogisticRegression(C=9)).fit(
        TEXTS, answers
    )
    words, classifier = pipeline[0].get_feature_names_out(), pipeline[1]
    weights = np.vstack([-classifier.coef_, classifier.coef_]).ravel()
    places = list(range(len(words)))
    nodes = [  # as skl2onnx 1.20 writes them
        helper.make_node("Reshape", ["text", "any"], ["flat"]),
        helper.make_node("StringNormalizer", ["flat"], ["normal"], case_change_action="LOWER"),
        helper.make_node(
            *("Tokenizer", ["normal"], ["cut"]),
            domain="com.microsoft",
            mark=0,
            mincharnum=1,
            pad_value="#",
            tokenexp="[a-zA-Z0-9_]+",
        ),
        helper.make_node("Flatten", ["cut"], ["tokens"]),
        helper.make_node(
            *("TfIdfVectorizer", ["tokens"], ["counts"]),
            max_gram_length=1,
            max_skip_count=0,
            min_gram_length=1,
            mode="TF",
            ngram_counts=[0],
            ngram_indexes=places,
            pool_strings=list(words),
            weights=[1.0] * len(words),
        ),
        helper.make_node("Mul", ["counts", "idf"], ["scaled"]),
        helper.make_node("Normalizer", ["scaled"], ["unit"], domain="ai.onnx.ml", norm="L2"),
        helper.make_node(
            *("LinearClassifier", ["unit"], ["label", "probabilities"]),
            domain="ai.onnx.ml",
            classlabels_strings=list(classifier.classes_),
            post_transform="LOGISTIC",
            coefficients=weights.tolist(),
            multi_class=0,
            intercepts=[-classifier.intercept_[0], classifier.intercept_[0]],
        ),
    ]
    model = written(
        tmp_path / "pipeline.onnx",
        nodes,
        [numbers("text", "n", 1, kind=TensorProto.STRING)],
        [numbers("label", "n", kind=TensorProto.STRING), numbers("probabilities", "n", 2)],
        {"any": [-1], "idf": pipeline[0].idf_.astype(np.float32)},
        domains=[("ai.onnx.ml", 1), ("com.microsoft", 1)],
    )
    said, inputs = table_of(command, tmp_path, model, texts)
    np.testing.assert_allclose(inputs.probabilities, pipeline.predict_proba(TEXTS), atol=1e-5)
    assert "output 0 is fine, output 1 is sad" in said
    assert "inputs prepared: as stored (the model takes texts)" in said


def test_pictures_go_into_a_model_with_the_axes_of_paddle_and_a_scan(tmp_path, command):
    """Axes of -1, the batch worked out from the shape, an output named by a number, and a mean taken row by row by a Scan."""
    body = helper.make_graph(
        [helper.make_node("Add", ["sum", "row"], ["more"]), helper.make_node("Identity", ["more"], ["after"])],
        "body",
        [numbers("sum", -1, 6), numbers("row", -1, 6)],
        [numbers("more", -1, 6), numbers("after", -1, 6)],
    )
    nodes = [
        helper.make_node("Shape", ["image"], ["shape"]),
        helper.make_node("Slice", ["shape", "zero", "one"], ["batch"]),
        helper.make_node("Concat", ["batch", "rest"], ["wanted"], axis=0),
        helper.make_node("Reshape", ["image", "wanted"], ["rows"]),
        helper.make_node("Concat", ["batch", "six"], ["wide"], axis=0),
        helper.make_node("ConstantOfShape", ["wide"], ["nothing"]),
        helper.make_node(
            "Scan", ["nothing", "rows"], ["total", "each"], body=body, num_scan_inputs=1, scan_input_axes=[1]
        ),
        helper.make_node("MatMul", ["total", "last"], ["matmul_0.tmp_0"]),
        helper.make_node("Softmax", ["matmul_0.tmp_0"], ["softmax_0.tmp_0"]),
    ]
    last = RNG.normal(size=(6, 3)).astype(np.float32)
    weights = {"zero": [0], "one": [1], "rest": [5, 6], "six": [6], "last": last}
    model = written(
        tmp_path / "inference.onnx",
        nodes,
        [numbers("image", -1, 1, 5, 6)],
        [numbers("softmax_0.tmp_0", -1, 3)],
        weights,
    )
    x = RNG.random((30, 5, 6), dtype=np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    said, inputs = table_of(command, tmp_path, model, tmp_path / "x.npz", "--scale", "1")
    np.testing.assert_allclose(inputs.probabilities, softmax(x.sum(axis=1) @ last, axis=1), rtol=1e-4)
    assert "inputs prepared: channels first (as given on the command line)" in said


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning:torch.*", "ignore::FutureWarning:copyreg")
def test_what_torch_exports_with_its_weights_in_a_second_file_is_one_model(tmp_path, command):
    import torch

    torch.manual_seed(3)
    network = torch.nn.Sequential(torch.nn.Linear(4, 300), torch.nn.Tanh(), torch.nn.Linear(300, 3)).eval()
    example, sizes = (torch.zeros(2, 4),), ({0: torch.export.Dim("n")},)
    torch.onnx.export(network, example, tmp_path / "m.onnx", dynamic_shapes=sizes, external_data=True, verbose=False)
    assert (tmp_path / "m.onnx.data").stat().st_size > 1_000, "torch keeps the weights in a second file"
    x = RNG.normal(size=(20, 4)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    _, inputs = table_of(command, tmp_path, tmp_path / "m.onnx", tmp_path / "x.npz")
    with torch.no_grad():
        expected = network(torch.from_numpy(x)).softmax(dim=1).numpy()
    np.testing.assert_allclose(inputs.probabilities, expected, atol=1e-5)
    (tmp_path / "m.onnx.data").unlink()
    assert "which is not beside it" in command.refusal("features", tmp_path / "m.onnx", tmp_path / "x.npz")
