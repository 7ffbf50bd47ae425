"""Evaluations of language models laid out in ways of their own: keys that are names, texts in lists, pieces of evidence.

Of nineteen real files, at first sight 8 were read right, 5 asked about, 3 refused and 3 misread without a word.
"""

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.json_tables import read_json
from testimate.tables.rules import FOUND, LONE
from tests.each import each
from tests.tables.evaluation_files import document, lines
from tests.tables.kept_evaluation_files import ASKED, PLACES, ROWS, SAID, TRUE

STORED = TableChoices(rules=LONE)


def reading(records, choices=None):
    return read_table(lines(records), name="t.jsonl", choices=choices or TableChoices()).reading


def roles(records, choices=None):
    return {column: one.role for column, one in reading(records, choices).roles.items()}


def offered(content):
    """The options of the question that a file leads to."""
    with pytest.raises(ReadingUnclear) as asked:
        read_table(content, name="t.json")
    return [way.option for way in asked.value.ways]


def test_a_dot_in_the_name_of_a_model_parts_no_path():
    models = ["maker/claude-haiku-4.5", "maker/flash-2.5", "gpt-mini"]
    records = [{model: {"answer": f"{SAID[row]} By {model}.", "found": row % 3} for model in models} for row in ROWS]
    assert {*offered(document(records))} >= {f"--column output={model}.answer" for model in models}


def test_what_stands_among_scores_is_no_output_and_no_input():
    records = [
        {
            "query": ASKED[row],
            "response": SAID[row],
            "scores": {"grounded": row % 5, "grounded_sample_output": TRUE[row], "prompt": f"Judge this: {SAID[row]}"},
        }
        for row in ROWS
    ]
    found = roles(records)
    assert (found["query"], found["response"]) == ("input", "output")
    assert not {"scores.grounded_sample_output", "scores.prompt"} & {*found}


@each("pieces", ["evidence", "retrieved_chunks", "citations", "steps"])
def test_a_field_of_what_was_retrieved_is_no_reference(pieces):
    records = [
        {"id": f"q{row}", "answer": SAID[row], pieces: [{"target": ("card", "timeline")[row % 2]}, {"target": "card"}]}
        for row in ROWS
    ]
    assert "reference" not in roles(records).values()
    assert roles(records, STORED)[f"{pieces}[0].target"] == "reference"
    records = [{**record, "gold": TRUE[row]} for row, record in enumerate(records)]
    assert roles(records)["gold"] == "reference"


def of_chapters(row):
    chapter = 100 + 7 * (row * 7 % 40)
    return {
        "query": ASKED[row],
        "tier": row % 3,
        "expected_chapter": chapter,
        "retrieved_chapters": [chapter, 5, 9],
        "retrieved_chunks": [{"chapter_number": chapter, "score": row / 100}, {"chapter_number": 5, "score": 0.1}],
        "generated_answer": f"{SAID[row]} This is what the guide says.",
        "faithfulness": row % 5,
    }


def test_the_chapter_that_should_be_found_is_no_reference_of_prose_and_no_score():
    records = [of_chapters(row) for row in ROWS]
    found = read_table(lines(records), name="t.jsonl")
    given = {column: one.role for column, one in found.reading.roles.items()}
    assert given["generated_answer"] == "output"
    assert {column for column, role in given.items() if role == "score"} == {"faithfulness"}
    assert "expected_chapter" not in given
    assert any("--column reference=expected_chapter" in doubt for doubt in found.reading.doubtful)
    chosen = TableChoices(columns=(("reference", "expected_chapter"),))
    assert roles(records, chosen)["expected_chapter"] == "reference"
    assert roles(records, STORED)["tier"] == "score"


@each("right", [0.1, 0.6])
def test_right_numbers_stay_the_reference_of_replies_that_are_mostly_wrong(right):
    records = [
        {
            "question": ASKED[row],
            "answer": 1000 + 13 * row,
            "retrieved_ids": [row, row + 1],
            "model_output": f"I would say it is {1000 + 13 * row if row < right * len(ROWS) else row} in all.",
        }
        for row in ROWS
    ]
    assert roles(records)["answer"] == "reference"


def test_of_several_texts_that_may_be_judged_each_is_offered():
    records = [
        {"description": ASKED[row], **{f"e{place}_summary": f"{SAID[row]} {place} words." for place in range(3)}}
        for row in ROWS
    ]
    assert offered(lines(records)) == [f"--column output=e{place}_summary" for place in range(3)]


@each("written", [lambda text: text, lambda text: [text]])
def test_a_list_of_texts_is_a_table_of_outputs_and_says_so(written):
    found = read_table(document([written(SAID[row]) for row in ROWS]), name="t.json").reading
    assert (found.size, found.with_role("output")) == (len(ROWS), ("generation",))
    assert any("Nothing says what the texts in the list are" in doubt for doubt in found.doubtful)
    with pytest.raises(BadInput, match="no rows were found"):
        read_table(document([written(SAID[row]) for row in ROWS]), name="t.json", choices=STORED)


def test_lists_of_several_texts_are_tries_of_an_input_each_and_pairs_are_refused():
    tries = [[f"{SAID[row]} Try {place}." for place in range(3 + row % 2)] for row in ROWS]
    assert offered(document(tries)) == ["--read rows=together", "--read rows=each"]
    together = read_table(document(tries), name="t.json", choices=TableChoices(read=(("rows", "together"),)))
    assert together.reading.size == sum(map(len, tries))
    assert len(together.inputs.groups.names) == len(tries)
    with pytest.raises(BadInput, match="no rows were found"):
        read_table(document([[ASKED[row], SAID[row]] for row in ROWS]), name="t.json")


def test_words_that_recur_in_a_list_are_asked_about_and_keys_are_none():
    assert offered(document([PLACES[row] for row in ROWS])) == [
        "--column prediction=generation",
        "--column output=generation",
    ]
    with pytest.raises(BadInput, match="no rows were found"):
        read_table(document([f"q{row}" for row in ROWS]), name="t.json")


def talk(row, *, last="Pupil", speaker="by", said="said"):
    turns = [("Pupil", ASKED[row]), ("Tutor", f"{SAID[row]} What do you think?"), ("Pupil", TRUE[row])]
    turns = turns if last == "Pupil" else turns[:2]
    return {"id": f"c{row}", "talk": [{speaker: one, said: text} for one, text in turns]}


@each("write", [document, lines])
def test_a_chat_under_any_names_has_the_models_last_turn_as_its_output(write):
    found = read_table(write([talk(row, last="Tutor") for row in ROWS]), name="t.json")
    assert found.reading.with_role("input") == ("talk.input",)
    assert found.reading.with_role("output") == ("talk.output",)
    shown = found.dataset.show(3).text
    assert f"{SAID[3]} What do you think?" in shown.partition("Output")[2]
    assert ASKED[3] in shown.partition("Output")[0]
    with pytest.raises(BadInput):
        read_table(write([talk(row, last="Tutor") for row in ROWS]), name="t.json", choices=STORED)


def test_a_users_turn_that_ends_a_chat_is_left_out_with_a_word():
    found = read_table(document([talk(row) for row in ROWS]), name="t.json")
    assert TRUE[3] not in found.dataset.show(3).text
    assert any(
        "last turn of 'Tutor' in 'talk' is the output" in doubt
        and "In 60 of 60 chats a turn of 'Pupil' follows" in doubt
        for doubt in found.reading.doubtful
    )


@each("write", [document, lines])
def test_a_users_turn_at_the_end_of_a_usual_chat_is_left_out_unless_its_answer_stands_elsewhere(write):
    speakers = ("user", "assistant", "user")
    turns = [
        [{"role": one, "content": text} for one, text in zip(speakers, said, strict=True)]
        for said in zip(ASKED, SAID, TRUE, strict=True)
    ]
    chats = [{"case": f"case {row % 3}", "log": {"turns": turns[row]}} for row in ROWS]
    found = read_table(write(chats), name="t.json").reading
    assert found.with_role("output") == ("log.turns.output",)
    assert found.with_role("input") == ("log.turns.input",)
    assert any("In 60 of 60 chats a turn of 'user' follows" in doubt for doubt in found.doubtful)
    answered = [{**chat, "response": f"{PLACES[row]} it is, {row} times."} for row, chat in enumerate(chats)]
    assert read_table(write(answered), name="t.json").reading.with_role("output") == ("response",)


def test_a_chat_of_two_people_says_that_nobody_knows_which_is_a_model():
    said = [[{"speaker": "Ann", "line": ASKED[row]}, {"speaker": "Bob", "line": SAID[row]}] for row in ROWS]
    chats = [{"id": f"c{row}", "lines": said[row]} for row in ROWS]
    found = read_table(document(chats), name="t.json").reading
    assert found.with_role("output") == ("lines.output",)
    assert any("nothing says which speaker is a model" in doubt for doubt in found.doubtful)


def test_pieces_that_alternate_between_kinds_are_no_chat():
    records = [{**talk(row, last="Tutor", speaker="kind"), "response": SAID[row]} for row in ROWS]
    for record in records:
        record["talk"] = [
            {**turn, "kind": {"Pupil": "table", "Tutor": "figure"}[turn["kind"]]} for turn in record["talk"]
        ]
    assert roles(records)["response"] == "output"
    assert not any("talk.output" in name for name in roles(records))


MODELS = ["glm-5.2", "gpt-mini", "qwen3.5:397b"]


def of_fields(model, name):
    """A field of each row, as a model extracted it from a document and as it is there."""
    return {
        f"field {row}": {
            "correct": row % 3 > 0,
            "f1": 1.0,
            "gold": f"{TRUE[row]} {name}",
            "predicted": f"The place in {name} is {PLACES[row]} {row} for {model}.",
        }
        if row % 9
        else {"correct": True, "f1": 1.0, "gold": ["a", "b"], "predicted": ["a"]}
        for row in ROWS
    }


def of_documents(model):
    found = {name: {"doc_id": name, "per_field": of_fields(model, name), "mean": {"f1": 0.8}} for name in ("d1", "d2")}
    return {"model": model, "per_document": found, "aggregates": {"f1": 0.8, "n": 3}}


def test_records_under_keys_at_any_depth_are_the_rows_and_their_keys_columns():
    content = document({model: of_documents(model) for model in MODELS})
    with pytest.raises(ReadingUnclear, match="360 rows are of 120 inputs by 'item_id', told apart by 'model'"):
        read_table(content, name="t.json")
    found = read_table(content, name="t.json", choices=TableChoices(read=(("rows", "together"),)))
    assert found.reading.with_role("output") == ("predicted",)
    assert found.reading.with_role("reference") == ("gold",)
    assert found.inputs.groups is not None
    assert len(found.inputs.groups.names) == 2 * len(ROWS)
    shown = found.dataset.show(61).text
    assert "d2 / field 1" in shown
    assert f"The place in d2 is {PLACES[1]} 1 for {MODELS[0]}." in shown
    assert '["a", "b"]' in found.dataset.show(0).text
    assert read_json(content, "t.json").by(LONE).size == len(MODELS)


def test_models_that_have_not_answered_every_question_are_told_apart_all_the_same():
    answers = {f"q{row}": {model: {"answer": f"{SAID[row]} {model}"} for model in MODELS[row % 2 :]} for row in ROWS}
    with pytest.raises(ReadingUnclear, match="150 rows are of 60 inputs by 'item_id', told apart by 'key'"):
        read_table(document(answers), name="t.json")


def test_records_under_the_keys_of_a_field_are_rows_where_nothing_else_is():
    cells = read_json(document({"model": "m", "date": "x", "fields": of_fields("m", "d")}), "t.json")
    assert (cells.by(FOUND).size, cells.by(LONE).size) == (len(ROWS), 1)
    assert cells.by(FOUND).columns["key"].to_pylist()[:2] == ["field 0", "field 1"]


@each(
    "value",
    [
        {"results": [{"question": one, "response": said} for one, said in zip(ASKED, SAID, strict=True)]},
        {f"q{row}": {"question": ASKED[row], "response": SAID[row]} for row in ROWS},
        {"results": {"kind": "x", "documents": [{"question": ASKED[row], "response": SAID[row]} for row in ROWS]}},
    ],
)
def test_rows_that_were_found_before_stay_though_records_under_keys_stand_beside_or_within_them(value):
    parts = {"a": {"answer": "x", "seconds": 2}, "b": {"answer": "y", "seconds": 3}}
    value = (
        {**value, "log": parts} if "results" in value else {key: {**one, "log": parts} for key, one in value.items()}
    )
    now, then = (read_json(document(value), "t.json").by(rules) for rules in (FOUND, LONE))
    assert (now.size, [*now.columns]) == (then.size, [*then.columns])


def test_how_few_rows_were_found_is_said_before_a_larger_budget_is_refused(tmp_path, command):
    table = tmp_path / "t.json"
    table.write_bytes(document({"results": [{"question": ASKED[row], "response": SAID[row]} for row in range(3)]}))
    said = command("select", table, "--budget", 5, "--seed", 1, "--out", tmp_path / "plan.json")
    assert said.status == 2
    reading, refusal = said.err.splitlines()
    assert reading.startswith("3 rows: input `question`")
    assert refusal == "The budget is 5. Expected a number between 1 and the number of inputs, 3. Change it."
