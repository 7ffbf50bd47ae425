"""Tables of numbers and files of texts: which column is what, what a person sees, and what is refused."""

import gzip
import io
import json
import sqlite3
from contextlib import closing
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from testimate.core.errors import BadInput
from testimate.datasets import limits
from testimate.datasets.class_lists import names_in
from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.project.project import Project
from testimate.tables.rules import BY_NAME, LONE
from tests.each import each
from tests.own_files import described, open_files, write_network
from tests.tables.workbooks import workbook

FRAME = pd.DataFrame(
    {
        "id": [10, 11, 12],
        "height": [1.5, -2.0, 3.25],
        "city": ["Köln", "a,b", 'say "x"'],
        "count": [7, 0, 4],
        "label": ["yes", "no", "yes"],
    }
)


def written(tmp_path, name: str, content: bytes | str):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def csv_of(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def parquet_of(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


def everything(dataset) -> np.ndarray:
    return dataset.batch(np.arange(len(dataset)))


@pytest.mark.parametrize("write", [csv_of, parquet_of, lambda frame: gzip.compress(csv_of(frame))])
def test_columns_of_numbers_are_features_in_order_and_the_label_is_never_shown(tmp_path, write):
    opened = open_dataset_file(written(tmp_path, "table", write(FRAME)))
    assert (everything(opened.dataset) == FRAME[["height", "count"]].to_numpy(np.float32)).all()
    assert opened.classes == ("no", "yes")
    assert opened.truth is not None
    assert opened.truth.tolist() == [1, 0, 1]
    cells = dict(opened.dataset.show(1).cells)
    assert cells["city"] == "a,b"
    assert set(cells) == {"row", "id", "height", "city", "count"}


def test_truth_values_are_features_of_0_and_1(tmp_path):
    frame = pd.DataFrame({"a": [True, False], "b": [0.5, 0.25]})
    opened = open_dataset_file(written(tmp_path, "t.parquet", parquet_of(frame)))
    assert everything(opened.dataset).tolist() == [[1, 0.5], [0, 0.25]]


def test_the_label_column_can_be_named_and_an_unknown_name_is_refused(tmp_path):
    path = written(tmp_path, "t.csv", "a,sick\n1,0\n2,1\n3,1\n")
    opened = open_dataset_file(path, label="Sick")
    assert opened.truth is not None
    assert opened.truth.tolist() == [0, 1, 1]
    assert everything(opened.dataset).shape == (3, 1)
    with pytest.raises(BadInput, match=r"no column 'ill'\. Expected one of a, sick"):
        open_dataset_file(path, label="ill")


@pytest.mark.parametrize(
    ("labels", "answers", "classes"),
    [
        (("2", "0", "1"), [2, 0, 1], ("0", "1", "2")),
        (("0.5", "1", "-3"), [0.5, 1, -3], ()),
        (("b", "a", "b"), [1, 0, 1], ("a", "b")),
        (("b", "", "a"), [1, 0], ("a", "b")),
        (("4", "", ""), [4], ("0", "1", "2", "3", "4")),
    ],
)
def test_labels_are_places_numbers_or_words_and_empty_ones_unknown(tmp_path, labels, answers, classes):
    lines = "".join(f"{row},{label}\n" for row, label in enumerate(labels))
    opened = open_dataset_file(written(tmp_path, "t.csv", "a,label\n" + lines))
    assert opened.known is not None
    assert opened.known.answers.tolist() == answers
    assert opened.known.rows.tolist() == [row for row, label in enumerate(labels) if label]
    assert opened.classes == classes
    assert (opened.truth is None) == ("" in labels)


def test_a_feature_that_is_missing_in_a_row_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"'a', row 1 .counted from 0. is empty. Expected a value in every row"):
        open_dataset_file(written(tmp_path, "t.csv", "a,label\n1,x\n,y\n"))


def test_a_changed_byte_of_a_table_changes_its_fingerprint(tmp_path):
    prints = {
        open_dataset_file(written(tmp_path, "t.csv", text)).dataset.fingerprint
        for text in ("a,b\n1,x\n2,y\n", "a,b\n1,x\n3,y\n", "a,b\n1,x\n2,z\n", "c,b\n1,x\n2,y\n")
    }
    assert len(prints) == 4


TEXTS = ["good, really", "bad\nvery bad", 'he said "no"', "ünï"]
WORDS = ["pos", "neg", "neg", "pos"]
REVIEWS = pd.DataFrame({"stars": [5, 1, 2, 4], "text": TEXTS, "label": WORDS})


def json_lines(frame: pd.DataFrame) -> bytes:
    return frame.to_json(orient="records", lines=True, force_ascii=False).encode()


@pytest.mark.parametrize(
    "write",
    [
        csv_of,
        parquet_of,
        json_lines,
        lambda frame: gzip.compress(csv_of(frame)),
        lambda frame: gzip.compress(json_lines(frame)),
        lambda frame: b"\xef\xbb\xbf" + csv_of(frame),
    ],
)
def test_texts_come_out_of_every_form_as_pandas_wrote_them(tmp_path, write):
    opened = open_dataset_file(written(tmp_path, "reviews", write(REVIEWS)))
    assert opened.dataset.modality == "text"
    assert [opened.dataset.show(row).text for row in range(4)] == TEXTS
    assert everything(opened.dataset).tolist() == TEXTS
    assert opened.classes == ("neg", "pos")
    assert opened.truth is not None
    assert opened.truth.tolist() == [1, 0, 0, 1]


def test_one_form_of_texts_has_the_fingerprint_of_the_other_and_each_letter_counts(tmp_path):
    first = open_dataset_file(written(tmp_path, "a", csv_of(REVIEWS)))
    assert open_dataset_file(written(tmp_path, "b", json_lines(REVIEWS))).fingerprint == first.fingerprint
    changed = REVIEWS.assign(text=[*TEXTS[:3], "ünÏ"])
    assert open_dataset_file(written(tmp_path, "c", csv_of(changed))).dataset.fingerprint != first.dataset.fingerprint


@pytest.mark.parametrize("write", [csv_of, parquet_of, json_lines])
def test_the_only_column_of_words_is_the_text_whatever_its_name(tmp_path, write):
    frame = pd.DataFrame({"tweet": ["one", "two"], "label": [1, 0]})
    opened = open_dataset_file(written(tmp_path, "tweets", write(frame)))
    assert [opened.dataset.show(row).text for row in range(2)] == ["one", "two"]


def test_texts_become_tokens_by_a_vocabulary_bytes_or_characters(tmp_path):
    dataset = open_dataset_file(written(tmp_path, "t.csv", 'text,label\n"The cat, the",1\nAß,0\n')).dataset
    words = Preprocessing(tokens="words", vocabulary=("<pad>", "<unknown>", "the", "cat,"), length=4)
    assert everything(dataset.with_preprocessing(words)).tolist() == [[2, 3, 2, 0], [1, 0, 0, 0]]
    letters = Preprocessing(tokens="characters", vocabulary=("", "?", "A", "e"), length=3, padding="before")
    assert everything(dataset.with_preprocessing(letters)).tolist() == [[1, 1, 3], [0, 2, 1]]
    raw = Preprocessing(tokens="bytes", length=4, pad=256)
    assert everything(dataset.with_preprocessing(raw)).tolist() == [[*b"The "], [*"Aß".encode(), 256]]
    assert everything(dataset.with_preprocessing(raw)).dtype == np.int64
    with pytest.raises(BadInput, match=r"texts are of different lengths \(3 to 12\)"):
        everything(dataset.with_preprocessing(Preprocessing(tokens="bytes")))


@each(
    ("content", "sentence"),
    [
        ("text,label\na,1,2\n", "Row 0 (counted from 0) has 3 cells. Expected 2"),
        ('text,label\n"a,1\n', "with quotation marks in pairs"),
        (b"text,label\n\x81,1\n", "Line 2 contains characters that are not UTF-8"),
        ("text,label\n", "no inputs"),
        ('{"text": "a"}\n{"text": 5}\n', "Line 2 has no text under 'text'"),
        ('{"text": "a"}\n["b"]\n', "Line 2 of 't' is list, not an object"),
        ('{"text": "a"}\n{"text": \n', "Line 2 of 't' is not complete JSON"),
        ('{"text": "a"}\n' + "[" * 100_000 + "\n", "more than 100 levels deep"),
        ('{"text": "a"}\n{"text": "a", "n": ' + "9" * 10_000 + "}\n", "Line 2 of 't' is not complete JSON"),
        ('{"a": "x", "b": "y"}\n', "Expected the text under 'text'"),
        ('[{"text": "a"}', "begins like JSON and is damaged or cut off"),
        ("city,label\n\nKöln\n", "has 1 cell. Expected 2"),
        ("a,b\nx,y\n", "none of numbers except the label"),
        ("", "is empty (0 bytes)"),
        (b"MZ\0\0\1", "binary data of an unknown kind"),
    ],
)
def test_a_file_that_is_not_a_table_or_text_is_refused_with_a_sentence(tmp_path, content, sentence):
    with pytest.raises(BadInput) as refused:
        open_dataset_file(written(tmp_path, "t", content))
    assert sentence in str(refused.value)


def test_half_of_a_character_which_json_can_write_is_refused_where_it_stands(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "whole \\ud83d\\ude42"}\n{"text": "a \\ud83d"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match=r"'row 1' has \\ud83d in it, half of a character"):
        open_dataset_file(tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl").write_text('{"text": "whole \\ud83d\\ude42"}\n', encoding="utf-8")
    assert open_dataset_file(tmp_path / "t.jsonl").dataset.show(0).text == "whole \U0001f642"
    with pytest.raises(BadInput, match="The list of classes' has"):
        names_in('["a", "\\udc00"]')


def test_labels_in_json_may_be_numbers_words_or_missing(tmp_path):
    lines = [{"code": "a", "label": 1}, {"code": "b", "label": None}, {"code": "c"}, {"code": "d", "label": 0}]
    opened = open_dataset_file(written(tmp_path, "t.jsonl", "\n".join(json.dumps(line) for line in lines)))
    assert opened.known is not None
    assert opened.known.rows.tolist() == [0, 3]
    assert opened.known.answers.tolist() == [1, 0]


def test_lines_may_end_as_on_any_system(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        opened = open_dataset_file(written(tmp_path, "t.csv", f"a,b{end}1,2{end}3,4{end}"))
        assert everything(opened.dataset).tolist() == [[1, 2], [3, 4]]


def test_missing_files_are_refused_by_name(tmp_path):
    with pytest.raises(BadInput, match=r"'none.csv' could not be read"):
        open_dataset_file(tmp_path / "none.csv")


def test_a_text_column_of_parquet_with_gaps_reads_them_as_empty(tmp_path):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"text": ["a", None], "label": [None, 1]}), file)
    opened = open_dataset_file(written(tmp_path, "t.parquet", file.getvalue()))
    assert opened.dataset.show(1).text == ""
    assert opened.known is not None
    assert opened.known.rows.tolist() == [1]


LONG = "word " * 82_000 + "end"
"""More characters than Python's csv module reads in a cell by itself."""


@each(
    ("name", "content"),
    [
        ("t.csv", csv_of(pd.DataFrame({"text": ["short", LONG]}))),
        ("t.parquet", parquet_of(pd.DataFrame({"text": ["short", LONG]}))),
        ("t.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in ("short", LONG))),
    ],
)
def test_a_text_longer_than_131_072_characters_is_read_whole(tmp_path, name, content):
    assert open_dataset_file(written(tmp_path, name, content)).dataset.show(1).text == LONG


def test_a_batch_of_texts_too_long_for_memory_is_refused_before_it_is_made(tmp_path, monkeypatch):
    dataset = open_dataset_file(written(tmp_path, "t.csv", csv_of(pd.DataFrame({"text": ["short", LONG]})))).dataset
    monkeypatch.setattr(limits, "MAX_BATCH_BYTES", 1_000_000)
    uncut, cut = (dataset.with_preprocessing(Preprocessing(tokens="bytes", length=n)) for n in (None, 100))
    with pytest.raises(BadInput, match=r"A batch of 2 texts, the longest of 410,003 characters.* Lower the batch size"):
        everything(uncut)
    assert everything(cut).shape == (2, 100)


@each("padding", ["before", "after"])
@each("tokens", ["bytes", "characters", "words"])
def test_tokens_beyond_the_length_are_not_numbered_and_none_else_is_lost(tmp_path, tokens, padding):
    words = ["Ä b c d e f g", "b"]
    dataset = open_dataset_file(written(tmp_path, "t.csv", csv_of(pd.DataFrame({"text": words})))).dataset
    settings = {
        "tokens": tokens,
        "padding": padding,
        "vocabulary": ("ä", "b", "c", "d", "e", "f", "g", " "),
        "pad": 999,
    }
    whole, cut = (everything(dataset.with_preprocessing(Preprocessing(length=n, **settings))) for n in (20, 3))
    for row in (0, 1):
        numbers = whole[row][whole[row] != 999]
        kept = cut[row][cut[row] != 999]
        assert kept.tolist() == (numbers[:3] if padding == "after" else numbers[-3:]).tolist()


FILMS = pd.DataFrame({"text": ["good film", "bad film", "dull film"], "label": ["yes", "no", "no"]})
OTHER_KINDS = {
    "texts.json": FILMS.to_json(orient="records").encode(),
    "texts.db": b"",
    "texts.xlsx": workbook([list(FILMS), *FILMS.values.tolist()]),
    "texts.feather": b"",
    "texts.tsv": FILMS.to_csv(index=False, sep="\t").encode(),
}


@each("name", OTHER_KINDS)
def test_texts_of_any_kind_of_table_are_a_dataset(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(OTHER_KINDS[name])
    if name == "texts.feather":
        FILMS.to_feather(path)
    if name == "texts.db":
        path.unlink()
        with closing(sqlite3.connect(path)) as database:
            FILMS.to_sql("texts", database, index=False)
    opened = open_dataset_file(path)
    assert [opened.dataset.show(row).text for row in range(3)] == FILMS["text"].tolist()
    assert opened.classes == ("no", "yes")


def test_numbers_of_a_workbook_are_features(tmp_path):
    path = tmp_path / "numbers.xlsx"
    path.write_bytes(workbook([["a", "b", "label"], [1, 2.5, "x"], [3, 4.5, "y"]]))
    assert open_dataset_file(path).dataset.batch(np.arange(2)).tolist() == [[1.0, 2.5], [3.0, 4.5]]


def test_lists_and_structs_of_parquet_give_a_model_no_further_numbers(tmp_path):
    table = pa.table({"a": [1.0, 2.0], "label": ["x", "y"], "marks": [{"blur": 0.5}, {"blur": 0.7}], "ids": [[1], [2]]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    opened = open_dataset_file(tmp_path / "t.parquet")
    assert opened.dataset.batch(np.arange(2)).tolist() == [[1.0], [2.0]]
    assert dict(opened.facts)["columns left out"] == "marks, ids"


def test_a_header_in_no_latin_letters_is_a_feature_and_a_subject_stored_before_keeps_the_ones_it_had(
    tmp_path, monkeypatch
):
    x = np.random.default_rng(7).normal(size=(40, 4)).round(3).astype(np.float32)
    first, last = np.eye(4, dtype=np.float32), np.array([[1, -1], [-1, 1], [2, 0], [0, 2]], dtype=np.float32)
    said = (np.maximum(x, 0) @ last).argmax(axis=1)
    table = pd.DataFrame(x, columns=["a", "温度", "вес", "μήκος"]).assign(label=said)
    table.to_csv(tmp_path / "data.csv", index=False)
    model = write_network(tmp_path / "four.onnx", first, last, "Softmax")
    subject = open_files(model, tmp_path / "data.csv").subject
    assert subject.dataset.batch(np.arange(40)) == pytest.approx(x)
    assert (subject.reading.with_role("feature"), subject.truth.tolist()) == (tuple(table)[:4], said.tolist())

    of_one = write_network(
        tmp_path / "one.onnx", np.ones((1, 1), np.float32), np.array([[1, -1]], np.float32), "Softmax"
    )
    project = Project(tmp_path / "project")
    with monkeypatch.context() as before:  # as the version did that took the other three for numbers of the rows
        before.setattr(
            "testimate.subjects.uploaded_subject.open_dataset_file", partial(open_dataset_file, rules=BY_NAME)
        )
        before.setattr("testimate.subjects.uploaded_subject.LATEST", BY_NAME)
        stored = project.add_uploaded(described(of_one, tmp_path / "data.csv"))
    [record] = (tmp_path / "project").rglob("subject.json")
    facts = json.loads(record.read_text())
    assert facts["opened"].pop("rules") == BY_NAME
    record.write_text(json.dumps(facts))
    again = Project(tmp_path / "project").subject(stored.key)
    assert again.fingerprint == stored.fingerprint
    assert again.dataset.batch(np.arange(40)) == pytest.approx(x[:, :1])


def test_a_table_of_numbers_without_a_header_keeps_its_first_row_and_one_stored_before_its_names(tmp_path):
    rows = np.random.default_rng(1).normal(size=(20, 4)).round(4)
    (tmp_path / "series.tsv").write_text(
        "".join("\t".join(map(str, [n % 2 + 1, *row])) + "\n" for n, row in enumerate(rows))
    )
    opened = open_dataset_file(tmp_path / "series.tsv")
    assert opened.dataset.names == tuple(f"column {place}" for place in range(1, 6))
    np.testing.assert_allclose(opened.dataset.batch(np.arange(20))[:, 1:], rows, rtol=1e-6)
    assert len(open_dataset_file(tmp_path / "series.tsv", rules=LONE).dataset) == 19


def test_the_only_lists_of_numbers_of_a_parquet_file_are_the_features_of_their_rows(tmp_path):
    numbers = np.random.default_rng(2).normal(size=(40, 6)).astype(np.float32)
    kinds = pa.array([("cat", "owl")[row % 2] for row in range(40)])
    for kind in (pa.list_(pa.float32()), pa.list_(pa.float64(), 6)):
        made = pa.table(
            {"name": [f"r{row}" for row in range(40)], "vector": pa.array(numbers.tolist(), kind), "label": kinds}
        )
        pa.parquet.write_table(made, tmp_path / "t.parquet", row_group_size=7)
        opened = open_dataset_file(tmp_path / "t.parquet")
        np.testing.assert_array_equal(opened.dataset.batch(np.arange(40)), numbers)
        assert opened.classes == ("cat", "owl")
        assert "shown `name` · truth `label` (hidden from testers) · features `vector`" in str(opened.reading)
    for other in ([*numbers.tolist()[:-1], [1.0]], [*numbers.tolist()[:-1], None]):
        pa.parquet.write_table(pa.table({"vector": other, "label": kinds}), tmp_path / "t.parquet")
        with pytest.raises(BadInput, match="none of numbers"):
            open_dataset_file(tmp_path / "t.parquet")
