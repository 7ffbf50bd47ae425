"""Where two columns fit one role, or a cell two numbers, people are asked; what looks alike or says the same is told apart."""

import io
import json
import sqlite3
import unicodedata
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import AS_NAMED, TableChoices
from testimate.tables.rules import ASKED, BY_CONTENT, LONE
from tests.each import each

SIZE = 200
RNG = np.random.default_rng(8)
WORDS = np.array(["ant", "bee", "cat"])
TRUTH = RNG.integers(0, 3, SIZE)
SAID, OTHER = (np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 3, SIZE)) for _ in range(2))
SHARES = RNG.uniform(0.05, 0.95, SIZE).round(3)


def opened(separator=",", choices=AS_NAMED, task=None, **columns):
    table = pd.DataFrame(columns).to_csv(index=False, sep=separator).encode()
    return read_table(table, name="t.csv", choices=choices, task=task)


def asked(**columns):
    with pytest.raises(ReadingUnclear) as question:
        opened(**columns)
    return question.value


@each(
    ("first", "second"),
    [
        (WORDS[SAID], WORDS[OTHER]),
        (SAID, OTHER),
        (SHARES * 900, SHARES * 800 + SAID),
        (SHARES * 900, WORDS[SAID]),
    ],
)
def test_pred_beside_predicted_is_asked_about_whatever_they_hold(first, second):
    for names in (("pred", "predicted"), ("y_pred", "predicted_class"), ("run.pred", "top1")):
        ways = asked(**dict(zip(names, (first, second), strict=True))).ways
        assert {way.option for way in ways} == {f"--column prediction={name}" for name in names}


def test_of_classes_and_shares_the_shares_may_be_how_sure_the_model_is():
    ways = asked(predicted=WORDS[SAID], pred=SHARES).ways
    assert ways[0].option == "--column prediction=predicted --column confidence=pred"


def test_numbers_of_the_predicted_classes_are_no_second_prediction_and_nobody_sees_them():
    subject = opened(pred=SAID, predicted=WORDS[SAID], label=WORDS[TRUTH])
    assert subject.reading.with_role("prediction") == ("predicted",)
    assert subject.reading.left_out["pred"] == "it says the same as 'predicted'"
    assert "predicted_label" not in dict(
        opened(prediction=SAID, predicted_label=WORDS[SAID], label=TRUTH).dataset.show(0).cells
    )


def test_a_table_stored_before_keeps_the_prediction_it_had():
    subject = opened(choices=TableChoices(rules=BY_CONTENT), pred=WORDS[SAID], predicted=WORDS[OTHER])
    assert subject.reading.with_role("prediction") == ("predicted",)


def test_words_that_look_alike_are_asked_about_with_what_differs():
    words = np.array(["caf\u00e9", "bar", "the"])
    other = np.array([unicodedata.normalize("NFD", word) for word in words])
    question = str(asked(prediction=words[SAID], label=other[TRUTH]))
    assert "Unicode spells 'é' in two ways: one has 5 characters, the other 4" in question
    spaced = np.array(["red ant", "bee", "cat"]), np.array(["red\u00a0ant", "bee", "cat"])
    assert "another space (U+00A0)" in str(asked(prediction=spaced[0][SAID], label=spaced[1][TRUTH]))
    assert "look alike" not in str(asked(prediction=WORDS[SAID], label=np.char.upper(WORDS)[TRUTH]))


CYRILLIC_A = "\N{CYRILLIC SMALL LETTER A}"
TYPED = np.array([f"{CYRILLIC_A}nt", "bee", "cat"])
"""Two of the classes with a letter of another keyboard in one of them."""


def test_a_letter_of_another_alphabet_in_the_truth_is_named_and_asked_about():
    question = asked(prediction=WORDS[SAID], label=TYPED[TRUTH])
    assert f"one has a letter of another alphabet, Cyrillic small letter a (U+{ord(CYRILLIC_A):04X})" in str(question)
    assert [way.option for way in question.ways] == ["--read spelling=same", "--read spelling=different"]
    same = opened(prediction=WORDS[SAID], label=TYPED[TRUTH], choices=TableChoices(read=(("spelling", "same"),)))
    assert same.task.classes == ("ant", "bee", "cat")
    assert 1 - same.inputs.losses.mean() == pytest.approx((SAID == TRUTH).mean())


@each("several", [False, True])
def test_predictions_that_look_alike_are_asked_about_and_become_one_class(several):
    typed = np.where(np.arange(SIZE) % 2, TYPED[SAID], WORDS[SAID])
    said = [f"{word};owl" if several and row % 3 else word for row, word in enumerate(typed)]
    table = {"prediction": said, "confidence": SHARES / 2 + 0.5}
    assert "Cyrillic small letter a" in str(asked(**table))
    plain = {"spelling": "same"}, {"spelling": "different"}
    one, apart = (opened(choices=TableChoices(read=tuple(read.items())), **table) for read in plain)
    assert len(apart.task.classes) == len(one.task.classes) + 1
    assert CYRILLIC_A not in "".join(one.task.classes) or "ant" not in one.task.classes
    assert one.fingerprint != apart.fingerprint


@each(
    "cells",
    [
        {"prediction": ["a|b"], "label": ["a|b"]},
        {"prediction": ["a|b"], "label": ["a", "b"]},
        {"prediction": ["a|b", "c|d"], "confidence": [0.9, 0.8]},
        {"prediction": ["red;big", "blue;big"], "label": ["red;big", "blue;big"]},
    ],
)
def test_a_separator_in_every_row_is_asked_about_and_read_either_way(cells):
    table = {name: np.resize(column, SIZE) for name, column in cells.items()}
    assert [way.option for way in asked(**table).ways] == ["--task classification", "--task multi-label"]
    assert opened(task="multi-label", **table).inputs.predictions.sum(axis=1).tolist() == [2] * SIZE
    before = opened(choices=TableChoices(rules=ASKED), **table | {"label": np.resize(["a|b", "c"], SIZE)})
    assert before.task.kind == "classification"


def test_names_with_a_comma_in_each_are_classes_without_a_question():
    cats = np.array(["tabby, tabby cat", "tiger cat, tom", "lynx, catamount"])
    assert opened(prediction=cats[SAID], label=cats[TRUTH]).task.kind == "classification"


def test_a_table_stored_before_keeps_classes_that_look_alike_apart():
    before = opened(prediction=WORDS[SAID], label=TYPED[TRUTH], choices=TableChoices(rules=ASKED))
    assert len(before.task.classes) == 4


@each(
    ("cells", "numbers"),
    [
        (["$1,200", "$950", "$13,400"], [1200, 950, 13400]),
        (["US$ 1,200.50", "US$ 3", "-US$ 7.25"], [1200.5, 3, -7.25]),
        (["EUR 1.200,00", "EUR 3,50", "EUR 41"], [1200, 3.5, 41]),
        (["12,34,567", "1,23,456", "999"], [1234567, 123456, 999]),
        (["($4.00)", "$1,200.50", "$3"], [-4, 1200.5, 3]),
        (["1.200,50-", "3,25", "950"], [-1200.5, 3.25, 950]),
    ],
)
def test_amounts_of_money_are_numbers_by_one_rule_for_their_column(cells, numbers):
    subject = opened(";", task="regression", prediction=np.resize(cells, SIZE), x=SHARES)
    np.testing.assert_allclose(subject.inputs.predictions, np.resize(numbers, SIZE))


def test_a_column_of_two_currencies_is_no_column_of_numbers():
    with pytest.raises(BadInput, match="contains the text '€950'"):
        opened(";", task="regression", prediction=np.resize(["€950", "$1,200"], SIZE), x=SHARES)


@each("cells", [["1,200", "2,300", "9,450"], ["1200", "1,300", "950"]])
def test_commas_between_semicolons_that_may_part_thousands_are_asked_about(cells):
    table = {"separator": ";", "prediction": np.resize(cells, SIZE), "x": SHARES}
    assert [way.option for way in asked(**table).ways] == ["--read numbers=thousands", "--read numbers=decimals"]
    for answer, first in (
        ("thousands", float(cells[0].replace(",", ""))),
        ("decimals", float(cells[0].replace(",", "."))),
    ):
        read = opened(task="regression", choices=TableChoices(read=(("numbers", answer),)), **table)
        assert read.inputs.predictions[0] == first


def test_commas_that_part_no_thousands_are_decimals_without_a_question():
    subject = opened(";", prediction=np.resize(["1,200", "2,3", "0,475"], SIZE), x=SHARES, task="regression")
    assert subject.inputs.predictions[:3].tolist() == [1.2, 2.3, 0.475]


CHATS = [
    json.dumps([{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": f"a{n}"}]) for n in range(SIZE)
]


@each("texts", [CHATS, [None, *CHATS[1:]], [json.dumps([{"role": "user", "content": "alone"}]), *CHATS[1:]]])
def test_chats_as_json_in_a_parquet_column_are_opened(texts):
    file = io.BytesIO()
    pq.write_table(pa.table({"messages": texts, "x": SHARES}), file)
    subject = read_table(file.getvalue(), name="t.parquet")
    assert subject.reading.with_role("output") == ("messages.output",)
    shown = subject.dataset.show(7)
    assert [pane.shown.text for pane in shown.panes] == ["q7", "a7"]


@each(
    "views",
    [
        ["CREATE VIEW v AS SELECT * FROM v"],
        ["CREATE VIEW v AS SELECT * FROM w", "CREATE VIEW w AS SELECT * FROM v"],
        ["CREATE VIEW v AS SELECT * FROM gone"],
    ],
)
def test_a_view_that_cannot_be_read_is_named_with_what_to_run(views):
    with pytest.raises(BadInput, match=r"SQLite database whose view cannot be read.*CREATE TABLE answers AS SELECT"):
        read_table(database_of(views), name="a.db")


def test_a_view_that_never_ends_gets_no_word_about_csv(monkeypatch):
    monkeypatch.setattr("testimate.tables.limits.MAX_TEXT_ROWS", 1000)
    numbers = "WITH RECURSIVE c(prediction) AS (SELECT 1 UNION ALL SELECT prediction + 1 FROM c) SELECT * FROM c"
    with pytest.raises(
        BadInput, match=r"'v' in the SQLite database 'a.db' has more than .* a view that ends"
    ) as refusal:
        read_table(database_of([f"CREATE VIEW v AS {numbers}"]), name="a.db")
    assert "CSV" not in str(refusal.value)


def database_of(statements):
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
        return database.serialize()


def test_bars_separate_columns_where_every_line_has_as_many():
    table = "text|prediction\n" + "".join(f"a bird, {n} of them|{WORDS[k]}\n" for n, k in enumerate(SAID))
    assert read_table(table.encode(), name="t.psv").reading.with_role("text") == ("text",)
    sets = read_table(b"prediction\n" + b"ant|bee\nbee|cat\nant\ncat|ant\n" * 9, name="t.csv")
    assert sets.task.several


@each("beside", [False, True])
def test_a_truth_that_is_predicted_in_every_row_may_be_a_copy_of_the_predictions_and_the_reading_says_so(beside):
    classes = np.array(["kiwi", "pear", "plum"])
    rng = np.random.default_rng(3)
    said = classes[rng.integers(3, size=60)]
    true = np.where(rng.random(60) < 0.8, said, classes[rng.integers(3, size=60)])
    table = {"prediction": said, "label": said, **({"fruit": true} if beside else {})}
    doubt, way = read_table(table, name="t").reading.doubtful
    assert doubt == "The truth 'label' is what was predicted in all 60 rows, and may be a copy of that."
    offered = " To take 'fruit': --column label=fruit." if beside else ""
    assert way == f"To leave 'label' out: --column ignore=label.{offered}"
    assert not read_table({**table, "label": true}, name="t").reading.doubtful
    chosen = TableChoices(columns=(("label", "label"),))
    assert not read_table(table, name="t", choices=chosen).reading.doubtful
    before = TableChoices(rules=LONE)
    assert not read_table(table, name="t", choices=before).reading.doubtful


def test_a_question_that_begins_with_a_name_in_brackets_is_no_list_and_is_shown():
    asked = [f"[SYSTEM]: You are a guide of town {row}. Where is the station?" for row in range(40)]
    said = [f"It is in street {row}, beside the park of the town." for row in range(40)]
    lines = [json.dumps({"output_text": two, "input_text": one}) for one, two in zip(asked, said, strict=True)]
    content = "\n".join(lines).encode()
    roles = {name: one.role for name, one in read_table(content, name="t.jsonl").reading.roles.items()}
    assert roles == {"output_text": "output", "input_text": "input"}
    before = read_table(content, name="t.jsonl", choices=TableChoices(rules=LONE)).reading
    assert before.roles["output_text"].role == "output"


def test_the_only_key_is_shown_where_nothing_else_says_what_was_asked():
    records = [
        {
            "run_id": f"r{row}",
            "target_id": f"PHY-{row % 10}",
            "model_id": "abc"[row % 3],
            "response": f"It is {row} of them.",
        }
        for row in range(60)
    ]
    content = "\n".join(map(json.dumps, records)).encode()
    subject = read_table(content, name="t.jsonl", choices=TableChoices(read=(("rows", "each"),)))
    assert subject.reading.roles["target_id"].role == "shown"
    assert {"run_id", "model_id"} <= {*subject.reading.left_out}


def test_what_names_the_cell_of_the_confusion_matrix_is_no_prediction_and_shown_to_nobody():
    kinds = np.array([["True Negative", "False Positive"], ["False Negative", "True Positive"]])
    true, said = TRUTH % 2, SAID % 2
    table = {"prediction_type": kinds[true, said], "predicted_target": said, "actual_target": true}
    reading = read_table(table, name="t").reading
    assert reading.with_role("prediction") == ("predicted_target",)
    assert reading.with_role("label") == ("actual_target",)
    assert "prediction_type" in reading.left_out
