"""Texts for a model of tokens: split and padded as the library tokenizers does."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from testimate.core.errors import BadInput, SubjectChanged
from testimate.models.description import ModelDescription
from testimate.models.frames import packed, unpacked
from testimate.models.texts import TokenCutter, padding_token_of, tokenizer_of
from testimate.subjects.uploaded_subject import open_uploaded_subject, reopen_uploaded_subject
from tests.each import each
from tests.own_files import described

tokenizers = pytest.importorskip("tokenizers")

WORDS = ("<unk>", "<s>", "</s>", "<pad>", "good", "bad", "film")
TEXTS = ["good film", "bad bad film good film film bad", "", "émigré film"]
ONE = ModelDescription(Path("m.onnx"))


def tokenizer():
    """Words between a beginning and an end, as RoBERTa's: the padding token is not 0."""
    known = {word: place for place, word in enumerate(WORDS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    ends = [("<s>", 1), ("</s>", 2)]
    made.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return made


def content(made, **settings) -> bytes:
    return json.dumps({"tokenizer": made.to_str(), "settings": settings}).encode()


def by_the_library(made, *, cut: int | None, **filled) -> list[list[int]]:
    if cut:
        made.enable_truncation(cut)
    made.enable_padding(**filled)
    return [one.ids for one in made.encode_batch(TEXTS)]


@each(
    ("settings", "chosen", "cut", "filled"),
    [
        ({}, {}, None, {"pad_id": 3}),
        ({"model_max_length": 5, "pad_token": "<pad>"}, {}, 5, {"pad_id": 3}),
        ({"padding_side": "left", "pad_token": {"content": "</s>"}}, {}, None, {"pad_id": 2, "direction": "left"}),
        ({"model_max_length": 1e30}, {"length": 6, "pad": 0}, 6, {"pad_id": 0, "length": 6}),
    ],
)
def test_texts_are_cut_and_filled_up_as_the_library_does_it(settings, chosen, cut, filled):
    cutter = TokenCutter(content(tokenizer(), **settings), ModelDescription(Path("m.onnx"), **chosen))
    said = cutter.cut(TEXTS, filler=cutter.padding)
    np.testing.assert_array_equal(said, by_the_library(tokenizer(), cut=cut, **filled))


def test_a_length_that_the_tokenizer_or_the_model_fixes_is_kept():
    made = tokenizer()
    made.enable_padding(length=9, pad_id=3)
    np.testing.assert_array_equal(
        TokenCutter(content(made), ONE).cut(TEXTS, filler=3), by_the_library(tokenizer(), cut=9, length=9, pad_id=3)
    )
    cutter = TokenCutter(content(tokenizer()), ONE)
    cutter.settle_length(4)
    np.testing.assert_array_equal(cutter.cut(TEXTS, filler=3), by_the_library(tokenizer(), cut=4, length=4, pad_id=3))


def test_texts_reach_the_models_process_letter_for_letter():
    texts = np.array(["", "naïve", "日本\n語", "🙂" * 3, "مرحبا"])
    np.testing.assert_array_equal(unpacked(packed(texts)), texts)


TABLE = np.random.default_rng(2).normal(size=(len(WORDS), 3)).astype(np.float32)


def write_mean(path: Path) -> Path:
    """The mean of the embeddings of all tokens, those that fill up too, as scores; a network without a mask."""
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["e"]),
        helper.make_node("ReduceMean", ["e"], ["out"], axes=[1], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "mean",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["n", "length"])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 3])],
        [numpy_helper.from_array(TABLE, "table")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.write_bytes(made.SerializeToString())
    return path


@pytest.fixture
def files(tmp_path):
    """A network without a mask with its tokenizer, and texts."""
    model, data = write_mean(tmp_path / "net.onnx"), tmp_path / "texts.jsonl"
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    return model, data


def logits_of(subject) -> np.ndarray:
    model = subject.open_model()
    said = model.run(subject.dataset.batch(np.arange(len(TEXTS))), ["out"])["out"]
    model.close()
    return said


def test_without_a_mask_the_length_is_asked_for_and_then_part_of_the_model(files):
    model, data = files
    with pytest.raises(BadInput, match=r"takes no attention_mask.*Write length = 128"):
        open_uploaded_subject(described(model, data))
    model.with_suffix(".toml").write_text("[preprocessing]\nlength = 10\n")
    own = open_uploaded_subject(described(model, data))
    expected = TABLE[by_the_library(tokenizer(), cut=10, length=10, pad_id=3)].mean(axis=1)
    np.testing.assert_allclose(logits_of(own.subject), expected, atol=1e-6)
    assert own.record.settings == {"output": None, "architecture": None, "tokenizer": True, "length": 10}
    again = reopen_uploaded_subject(own.record, model, data, name=own.subject.name)
    assert again.fingerprint == own.subject.fingerprint
    np.testing.assert_array_equal(logits_of(again), logits_of(own.subject))
    model.with_name("tokenizer.json").write_text(tokenizer().to_str() + " ")
    with pytest.raises(SubjectChanged):
        reopen_uploaded_subject(own.record, model, data, name=own.subject.name)


def test_a_zip_of_model_and_tokenizer_is_one_upload(files, tmp_path):
    made = tokenizer()
    made.enable_padding(length=8, pad_id=3)
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.write(files[0], "export/net.onnx")
        archive.writestr("export/tokenizer.json", made.to_str())
        archive.writestr("export/config.json", '{"id2label": {"0": "bad", "1": "fair", "2": "good"}}')
    own = open_uploaded_subject(described(tmp_path / "both.zip", files[1]))
    expected = TABLE[by_the_library(tokenizer(), cut=8, length=8, pad_id=3)].mean(axis=1)
    np.testing.assert_allclose(logits_of(own.subject), expected, atol=1e-6)
    assert own.subject.task.classes == ("bad", "fair", "good")


def test_an_invalid_tokenizer_is_refused_with_what_should_have_written_it(files):
    files[0].with_name("tokenizer.json").write_text('{"model": 5}')
    with pytest.raises(BadInput, match=r"tokenizer\.json beside the model cannot be read.*save_pretrained"):
        open_uploaded_subject(described(*files))


def test_texts_with_a_chosen_way_to_cut_them_need_no_tokenizer(files):
    files[0].with_suffix(".toml").write_text('[preprocessing]\ntokens = "words"\nvocabulary = "v.txt"\nlength = 3\n')
    files[0].with_name("v.txt").write_text("\n".join(WORDS))
    own = open_uploaded_subject(described(*files))
    assert "tokenizer" not in own.record.settings
    np.testing.assert_allclose(logits_of(own.subject)[0], TABLE[[4, 6, 0]].mean(axis=0), rtol=1e-5)


def test_the_padding_token_of_a_configuration_is_read_and_anything_else_passed_over(tmp_path):
    model = tmp_path / "m.onnx"
    for text, expected in (('{"pad_token_id": 1}', 1), ('{"pad_token_id": true}', None), ("[1]", None), ("{", None)):
        (tmp_path / "config.json").write_text(text)
        assert padding_token_of(model) == expected
    assert tokenizer_of(model) == b""
