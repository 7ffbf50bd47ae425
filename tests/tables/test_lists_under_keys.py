"""JSON whose records stand in lists under keys: of models, tasks or inputs, one or two levels deep."""

import json

import pytest

from testimate.core.errors import ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.json_tables import read_json
from testimate.tables.rules import FOUND, LONE
from tests.each import each
from tests.tables.kept_evaluation_files import ASKED, RIGHT, ROWS, SAID, TRUE

PEOPLE = ["Ann", "Bob", "Cid"]


def content(document):
    return json.dumps(document).encode()


def read(document, **choices):
    return read_table(content(document), name="t.json", choices=TableChoices(**choices))


def replies(model, rows=ROWS):
    return [{"question": ASKED[row], "response": f"{SAID[row]} So {model} says.", "gold": TRUE[row]} for row in rows]


@each("levels", [1, 2])
def test_lists_of_records_under_the_keys_of_an_object_are_the_rows_and_their_keys_a_column(levels):
    rows = [*ROWS]
    lists = {"short": replies("A", rows[:4]), "long": replies("A", rows[4:9])}
    runs = lists if levels == 1 else {"one": lists, "two": {"short": replies("B", rows[9:12])}}
    document = {"model": "m", "created": "2026-02-06", "runs": runs}
    cells = read_json(content(document), "t.json").by(FOUND)
    assert cells.size == (9 if levels == 1 else 12)
    keys = ["short"] * 4 + ["long"] * 5
    if levels == 1:
        assert cells.columns["key"].to_pylist() == keys
    else:
        assert cells.columns["key"].to_pylist() == ["one"] * 9 + ["two"] * 3
        assert cells.columns["key_2"].to_pylist() == [*keys, *["short"] * 3]
    assert cells.columns["response"].to_pylist()[:2] == [f"{SAID[row]} So A says." for row in rows[:2]]
    assert read_json(content(document), "t.json").by(LONE).size == 1


def test_a_part_of_the_lists_may_be_empty_and_summaries_may_stand_beside_them():
    document = {"a": {"results": replies("A"), "mean": 0.5}, "b": {"results": replies("B"), "mean": 0.7}, "set": "x"}
    cells = read_json(content(document), "t.json").by(FOUND)
    assert cells.size == 2 * len(SAID)
    assert {*cells.columns["key"].to_pylist()} == {"a", "b"}
    cells = read_json(content({"runs": {"a": replies("A"), "b": [], "c": replies("C")}}), "t.json").by(FOUND)
    assert {*cells.columns["key"].to_pylist()} == {"a", "c"}


def test_the_rows_of_two_models_under_their_names_are_asked_about_by_the_question():
    document = {model: {"short": replies(model, [*ROWS][:4]), "long": replies(model, [*ROWS][4:])} for model in "AB"}
    with pytest.raises(ReadingUnclear, match="by 'question', told apart by 'key'"):
        read(document)
    subject = read(document, read=(("rows", "each"),))
    assert subject.reading.roles["response"].role == "output"
    assert subject.reading.roles["gold"].role == "reference"


def test_several_records_under_the_key_of_each_input_are_its_tries():
    tries = {
        f"C{row:02}": [{"content": f"{SAID[row]} Try {place}.", "output_tokens": 9} for place in range(1 + row % 3)]
        for row in ROWS
    }
    with pytest.raises(ReadingUnclear, match="by 'item_id', told apart by 'repeat'"):
        read({"runs": tries})
    subject = read({"runs": tries}, read=(("rows", "together"),))
    assert subject.reading.roles["content"].role == "output"
    assert subject.inputs.groups is not None
    assert len(subject.inputs.groups.names) == len(tries)


def test_a_chat_under_each_key_is_a_row():
    chats = {
        f"s{row}": [{"role": "user", "content": ASKED[row]}, {"role": "assistant", "content": SAID[row]}]
        for row in ROWS
    }
    subject = read({"chats": chats})
    assert subject.reading.size == len(chats)
    assert {one.role for one in subject.reading.roles.values()} >= {"input", "output"}


@each(
    "document",
    [
        {"question": ASKED[0], "found": {"sources": [{"url": "x"}, {"url": "y"}], "tags": [{"name": "z"}]}},
        {"a": replies("A"), "b": replies("B")},  # one input in each place: the answers of two systems, side by side
        {"results": replies("A"), "log": {"a": [{"at": 1}, {"at": 2}], "b": [{"at": 3}]}},
    ],
)
def test_lists_that_are_parts_of_one_record_or_stand_beside_the_rows_are_read_as_before(document):
    now, then = (read_json(content(document), "t.json").by(rules) for rules in (FOUND, LONE))
    assert (now.size, [*now.columns]) == (then.size, [*then.columns])


def test_of_choices_with_a_chance_each_the_likeliest_is_the_output_and_the_right_one_is_known():
    records = [
        {
            "question": ASKED[row],
            "choices": [*PEOPLE, "nobody"][: 3 + row % 2],
            "answer_index": row % 3,
            "choice_probabilities": [
                0.8 if place == (row if RIGHT[row] else row + 1) % 3 else 0.1 for place in range(3)
            ]
            + [0.0] * (row % 2),
        }
        for row in ROWS
    ]
    subject = read({"test": records[:7], "further": records[7:]})
    assert {column: one.role for column, one in subject.reading.roles.items() if one.role in ("input", "output")} == {
        "question": "input",
        "model_answer": "output",
    }
    assert subject.reading.with_role("reference") == ("correct_answer",)
    assert (subject.inputs.losses == 0).tolist() == [bool(one) for one in RIGHT]


def test_questions_may_stand_as_texts_beside_the_lists_of_records_of_two_systems():
    document = {
        "queries": [ASKED[row] for row in ROWS],
        "scores": {"faithfulness": 0.8},
        **{
            name: [{"query": ASKED[row], "answer": f"{SAID[row]} So {name} says."} for row in ROWS]
            for name in ("dense", "hybrid")
        },
    }
    with pytest.raises(ReadingUnclear, match=r"'dense\.answer' and 'hybrid\.answer' may each be the output"):
        read(document)


def test_records_in_the_lists_of_pages_are_the_rows():
    said, asked = ["refund", "delay", "other"], [f"Where is parcel {row} of mine?" for row in range(30)]
    items = [
        {"id": row, "request": {"text": asked[row]}, "result": {"prediction": said[row % 3]}, "gold": said[row % 2]}
        for row in range(30)
    ]
    pages = [{"page": page, "items": items[10 * page : 10 * page + 10]} for page in range(3)]
    document = content({"run": {"started": "2026-05-01", "pages": pages}})
    subject = read_table(document, name="t.json")
    assert len(subject.inputs) == 30
    assert subject.dataset.show(12).text == asked[12]
    assert [subject.task.classes[answer] for answer in subject.inputs.predictions] == [
        said[row % 3] for row in range(30)
    ]
    assert read_json(document, "t.json").by(LONE).size == 3
    tagged = [{"text": asked[row], "tags": [{"label": one, "score": 0.5} for one in said]} for row in range(30)]
    assert read_json(content(tagged), "t.json").size == 30  # lists of what was found in each input are no pages
