"""Evaluations of language models whose outputs, references and judges are told by more than one known name."""

import json

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.evaluation_files import lines
from tests.tables.kept_evaluation_files import ASKED, ROWS, SAID, SIZE, TRUE

STORED = TableChoices(rules=LONE)


def reading(records, choices=None, name="t.jsonl"):
    return read_table(lines(records), name=name, choices=choices or TableChoices()).reading


def roles(records, choices=None):
    return {column: one.role for column, one in reading(records, choices).roles.items()}


def test_replies_that_recur_are_an_output_all_the_same():
    replies = [f"This is a quiet street with {number} small shops and a park at its end." for number in (2, 3, 5)]
    records = [{"id": row, "rank": row % 2, "qualitative_response": replies[row % 3]} for row in ROWS]
    assert roles(records)["qualitative_response"] == "output"
    with pytest.raises(BadInput, match="has no predictions"):
        reading(records, STORED)
    records = [{"id": row, "rank": row % 2, "note_on_street": replies[row % 3]} for row in ROWS]
    with pytest.raises(BadInput, match="--column output=note_on_street"):
        reading(records)


def test_a_plain_text_beside_the_tokens_that_a_call_gave_is_its_reply():
    records = [{"id": row, "content": SAID[row], "completion_tokens": 7 + row % 3} for row in ROWS]
    assert roles(records)["content"] == "output"
    for record in records:
        del record["completion_tokens"]
    with pytest.raises(BadInput, match="no predictions"):
        reading(records)


SECOND = [f"Traveler {row} may have seen {TRUE[row].split()[-3]} last year." for row in ROWS]


@each("form", ["lines", "document"])
def test_of_two_replies_to_each_question_both_are_offered(form):
    records = [{"question": ASKED[row], "responses": [{"text": SAID[row]}, {"text": SECOND[row]}]} for row in ROWS]
    content = lines(records) if form == "lines" else json.dumps(records).encode()
    with pytest.raises(ReadingUnclear) as asked:
        read_table(content, name="t.json", choices=TableChoices())
    ways = [dict(pair for kind, pair in way.changes if kind == "columns") for way in asked.value.ways]
    both = ["responses[0].text", "responses[1].text"]
    assert ways == [{"output": both[0]}, {"output": both[1]}, {"output_a": both[0], "output_b": both[1]}]
    for way in ways:
        read = read_table(content, name="t.json", choices=TableChoices(columns=tuple(way.items())))
        assert read.reading.roles["question"].role == "input"
        assert {role: read.reading.with_role(role) for role in way} == {role: (name,) for role, name in way.items()}
    with pytest.raises(BadInput) as refused:
        read_table(content, name="t.json", choices=STORED)
    assert not isinstance(refused.value, ReadingUnclear)
    assert "responses[1]" not in str(refused.value)


def test_replies_of_which_some_inputs_have_more_are_rows_of_their_input():
    records = [
        {"question": ASKED[row], "completions": [{"content": f"{SAID[row]} {number}"} for number in range(1 + row % 3)]}
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match="inputs by 'item_id', told apart by 'repeat'"):
        reading(records)
    read = reading(records, TableChoices(read=(("rows", "each"),)))
    assert read.size == sum(1 + row % 3 for row in ROWS)
    assert read.with_role("output") == ("completions.content",)


def test_passages_and_options_in_lists_are_no_replies():
    records = [
        {"question": ASKED[row], "sources": [{"text": TRUE[row]}, {"text": SECOND[row]}], "answer": SAID[row]}
        for row in ROWS
    ]
    assert roles(records) == roles(records, STORED)


@each("name", ["truth", "expected_safe_behavior", "ideal_behavior", "gold", "reference_text"])
def test_what_was_expected_is_the_reference_whatever_it_is_called_and_never_the_input(name):
    records = [{"outputs": {"answer": SAID[row]}, "inputs": {name: TRUE[row]}, "line_number": row} for row in ROWS]
    assert roles(records)[f"inputs.{name}"] == "reference"
    records = [{"prompt": ASKED[row], "model_response": SAID[row], name: TRUE[row]} for row in ROWS]
    assert roles(records)[name] == "reference"


@each("name", ["unsafe_failure_modes", "expected_source", "reference_url", "correct_topic", "gold_rationale"])
def test_what_stands_beside_an_answer_or_should_not_be_said_is_no_reference(name):
    records = [{"prompt": ASKED[row], "model_response": SAID[row], name: TRUE[row]} for row in ROWS]
    assert roles(records).get(name) != "reference"


def systems(names, **more):
    said = (SAID, SECOND, [f"Nobody knows where number {row} was." for row in ROWS])
    columns = {name: said[place] for place, name in enumerate(names)}
    return [{name: values[row] for name, values in {**columns, **more}.items()} for row in ROWS]


def test_outputs_are_asked_about_without_what_a_person_wrote_and_the_passage_is_the_input():
    names = ("llm_t03", "llm_t07", "llm_t10")
    records = systems(names, human_response=TRUE, context_text=ASKED)
    with pytest.raises(ReadingUnclear, match="may each be the output") as asked:
        reading(records)
    assert [way.words for way in asked.value.ways] == [f"{name} is the output" for name in names]
    now = roles(records, TableChoices(columns=(("output", "llm_t07"),)))
    assert now == {"context_text": "input", "human_response": "reference", "llm_t07": "output"}


def test_the_output_of_another_system_is_not_offered_as_the_input():
    records = systems(("base_reply", "tuned_reply"), scene=ASKED, place=TRUE)
    with pytest.raises(ReadingUnclear) as asked:
        reading(records, TableChoices(columns=(("output", "tuned_reply"),)))
    assert [way.words for way in asked.value.ways][:2] == ["scene is the input", "place is the input"]
    assert not any("base_reply" in way.words for way in asked.value.ways)


def test_the_score_of_another_system_is_no_judge_of_the_output():
    numbers = [row / SIZE for row in ROWS]
    records = systems(
        ("gemini_answer", "own_answer"),
        question=ASKED,
        gemini_score=numbers,
        own_score=numbers[::-1],
        judge_score=numbers,
    )
    with pytest.raises(ReadingUnclear, match="'gemini_answer' and 'own_answer' may each be the output"):
        reading(records)
    own = reading(records, TableChoices(columns=(("output", "own_answer"),)))
    assert own.with_role("judge") == ("judge_score",)
    assert own.left_out["gemini_score"] == "it is about 'gemini_answer'"
    other = reading(records, TableChoices(columns=(("output", "gemini_answer"),)))
    assert other.with_role("judge") == ("judge_score",)
    assert "gemini_score" in other.with_role("score")
    both = reading(records, TableChoices(columns=(("output_a", "gemini_answer"), ("output_b", "own_answer"))))
    assert "gemini_score" not in both.roles


def test_columns_of_classes_are_named_where_nothing_says_what_was_predicted():
    records = [
        {"id": row, "category": "abc"[row % 3], "priority": ("low", "high")[row % 2], "headline": SAID[row]}
        for row in ROWS
    ]
    records = [{**record, "note": TRUE[row]} for row, record in enumerate(records)]
    with pytest.raises(BadInput, match="--column prediction=category or --column prediction=priority"):
        reading(records)
    assert reading(records, TableChoices(columns=(("prediction", "priority"),))).with_role("prediction") == (
        "priority",
    )


def test_verdicts_that_count_as_right_too_are_shown_to_no_tester():
    verdicts = ["Supported", "Supported with caveat", "Insufficient evidence"]
    records = [
        {
            "claim": ASKED[row],
            "background": TRUE[row],
            "expected_verdict": verdicts[row % 3],
            "acceptable_verdicts": "; ".join(verdicts[:2]) if row == 4 else verdicts[1] if row % 7 == 0 else "",
            "actual_verdict": verdicts[(row + (row % 5 == 0)) % 3],
            "phase": ("Supported", "Open")[row % 2],
        }
        for row in ROWS
    ]
    read = read_table(lines(records), name="t.jsonl", choices=TableChoices())
    assert "acceptable_verdicts" not in read.reading.roles
    assert "acceptable_verdicts" not in dict(read.dataset.show(0).cells)
    assert "phase" in read.reading.roles
    assert roles(records, STORED)["acceptable_verdicts"] == "shown"


def test_a_class_in_an_object_of_one_field_is_that_class():
    grades = ["0", "1", "2", "NR"]
    true = [grades[row % 4] for row in ROWS]
    said = [grades[(row + (row % 5 == 0)) % 4] for row in ROWS]
    name = "Severity_model_(m:latest)_json_(True)"
    records = [{"Report": ASKED[row], "Severity": true[row], name: json.dumps({"Severity": said[row]})} for row in ROWS]
    read = read_table(lines(records), name="t.jsonl", choices=TableChoices())
    assert (read.reading.with_role("prediction"), read.reading.with_role("label")) == ((name,), ("Severity",))
    assert read.task.classes == tuple(grades)
    assert read.inputs.known_accuracy == pytest.approx(0.8)
    assert any("objects with 'Severity' alone" in doubt for doubt in read.reading.doubtful)


def test_empty_outputs_are_counted_and_said():
    records = [{"question": ASKED[row], "answer": SAID[row] if row % 20 else "", "model": "m"} for row in ROWS]
    found = [doubt for doubt in reading(records).doubtful if "is empty" in doubt]
    assert len(found) == 1
    assert found[0].startswith("The output 'answer' is empty in 3 of 60 rows. Testers see no text there")
    assert not any("is empty" in doubt for doubt in reading(records, STORED).doubtful)
    assert not any("is empty" in doubt for doubt in reading(records[1:19]).doubtful)
