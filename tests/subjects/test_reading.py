"""How a table, a dataset or a model was read is one record: from Python, in the stored subject, and again when it is opened."""

import json

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import BadInput
from testimate.core.reading import Reading, TextFormat
from testimate.datasets.open import open_dataset_file
from testimate.project.project import Project
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from tests.each import each

TABLE = (
    "id;label;prediction;confidence;note;dsa;secret\n"
    "1;Käse;Käse;0,75;a;3,5;x\n"
    "2;Ärger;Käse;0,5;b;4;y\n"
    "3;Ärger;Ärger;0,5;b;4;z\n"
)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def test_every_column_of_a_table_has_a_role_or_a_reason_for_none():
    choices = TableChoices(columns=(("ignore", "secret"),))
    reading = read_table(TABLE.encode("cp1252"), name="t.csv", choices=choices).reading
    assert {name: one.role for name, one in reading.roles.items()} == {
        "id": "row number",
        "label": "label",
        "prediction": "prediction",
        "confidence": "confidence",
        "note": "shown",
        "dsa": "score",
    }
    assert reading.left_out == {"secret": "as chosen"}
    assert (reading.source, reading.format, reading.encoding, reading.separator) == ("t.csv", "CSV", "cp1252", ";")
    assert reading.text.decimal_commas == ("confidence", "dsa")
    assert (reading.task, reading.classes) == ("classification", ("Käse", "Ärger"))
    assert "encoding" in reading.doubtful[0]


@each("seed", range(20))
def test_columns_used_and_left_out_are_those_pandas_sees(seed):
    rng = np.random.default_rng(seed)
    names = rng.permutation(["label", "prediction", "p_0", "p_1", "group", "text", "id", "dsa", "free", "image"])
    values = {"label": rng.integers(0, 2, 40), "prediction": rng.integers(0, 2, 40), "p_0": np.full(40, 0.5)}
    values |= {"p_1": np.full(40, 0.5), "dsa": rng.random(40), "id": np.arange(40)}
    frame = pd.DataFrame({name: values.get(name, [f"{name} {row % 7}" for row in range(40)]) for name in names})
    table = frame.to_csv(index=False, sep=",;\t"[seed % 3]).encode()
    reading = read_table(table, name="t.csv", choices=TableChoices(columns=(("ignore", "free"),))).reading
    assert [*reading.roles] == [name for name in frame.columns if name != "free"]
    assert [*reading.left_out] == ["free"]
    assert reading.roles["prediction"].reason == "its name"


@each(
    "task, reason",
    [(None, "the answers are words or whole numbers"), ("classification", "as chosen")],
)
def test_who_decided_the_task_is_recorded(task, reason):
    reading = read_table(b"label,prediction\n1,1\n0,1\n2,2\n", name="t.csv", task=task).reading
    assert reading.task_reason == reason
    assert any("regression" in sentence for sentence in reading.doubtful)


def test_what_is_said_of_the_format_is_a_view_of_the_record():
    subject = read_table(TABLE.encode("utf-16"), name="t.csv")
    assert dict(subject.facts)["read as"] == "; ".join(subject.reading.taken)


def test_a_reading_survives_json():
    reading = read_table(TABLE.encode("cp1252"), name="t.csv").reading
    assert Reading.from_json(json.loads(json.dumps(reading.to_json()))) == reading


PLAIN = Reading("t.csv", "CSV", TextFormat()).to_json()
DAMAGED = [
    None,
    [],
    {},
    {**PLAIN, "source": 3},
    {**PLAIN, "unknown": ""},
    {**PLAIN, "roles": {"a": "label"}},
    {**PLAIN, "roles": {"a": {"role": "label"}}},
    {**PLAIN, "classes": "cat"},
    {**PLAIN, "classes": [None]},
    {**PLAIN, "text": {"separator": "x"}},
    {**PLAIN, "task": "a\ud83d"},
    {**PLAIN, "task": "long" * 10_000},
]


@each("stored", DAMAGED)
def test_a_record_that_is_none_is_refused_with_a_sentence(stored):
    with pytest.raises(BadInput, match="The record of how a test set was read is damaged"):
        Reading.from_json(stored)


def test_a_kept_table_keeps_how_it_was_read_and_an_older_record_opens_without_it(tmp_path):
    project = Project(tmp_path)
    subject = project.add_table("t.csv", TABLE.encode("cp1252"))
    record = tmp_path / "subjects" / subject.key / "subject.json"
    facts = json.loads(record.read_text())
    assert Reading.from_json(facts["reading"]) == subject.reading
    assert Project(tmp_path).subject(subject.key).reading == subject.reading  # who decided the task included
    for stored in ({}, {"reading": {"source": 3}}):
        kept = {name: value for name, value in facts.items() if name != "reading"}
        record.write_text(json.dumps({**kept, **stored}))
        again = Project(tmp_path).subject(subject.key)
        assert again.fingerprint == subject.fingerprint
        assert again.reading.roles == subject.reading.roles


def test_a_dataset_of_numbers_names_its_features_and_what_is_only_shown(tmp_path):
    table = "id;place;age;label\n1;Köln;3,5;1\n2;Ulm;4;0\n".encode()
    opened = open_dataset_file(written(tmp_path, "t.csv", table))
    assert opened.reading.with_role("feature") == ("age",)
    assert opened.reading.with_role("shown") == ("place",)
    assert opened.reading.with_role("row number") == ("id",)
    assert opened.reading.with_role("label") == ("label",)
    assert dict(opened.facts)["features"] == "age"


def test_a_dataset_of_texts_names_its_text_its_label_and_what_is_left_out(tmp_path):
    opened = open_dataset_file(written(tmp_path, "t.csv", b"stars\ttext\tlabel\n1\tbad, very\t0\n5\tgood\t1\n"))
    assert opened.reading.with_role("text") == ("text",)
    assert opened.reading.with_role("label") == ("label",)
    assert [*opened.reading.left_out] == ["stars"]
    assert opened.reading.separator == "\t"
