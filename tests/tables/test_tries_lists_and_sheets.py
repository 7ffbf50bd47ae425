"""Evaluations whose outputs are tries in lists, one of several lists, one of many columns, or on another sheet.

Of sixty real evaluations of language models, at first sight 24 were read right, 16 asked about, 14 refused, three of these
without need, and 6 misread without a word.
"""

import json

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.evaluation_files import lines
from tests.tables.kept_evaluation_files import ASKED, PLACES, RIGHT, ROWS, SAID, TRUE
from tests.tables.workbooks import workbook

STORED = TableChoices(rules=LONE)


def reading(records, choices=None):
    return read_table(lines(records), name="t.jsonl", choices=choices or TableChoices()).reading


def roles(records, choices=None):
    return {column: one.role for column, one in reading(records, choices).roles.items()}


@each("count", [2, 5])
def test_each_try_at_an_input_is_a_row(count):
    records = [
        {
            "id": f"q{row}",
            "input": ASKED[row],
            "trials": [{"output": SAID[row - at], "pass": at < 1} for at in range(count)],
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match=f"The {count * len(ROWS)} rows are of {len(ROWS)} inputs"):
        reading(records)
    assert roles(records, STORED)["trials[0].output"] == "output"


def test_of_several_lists_the_one_with_answers_holds_the_rows():
    cases = [{"query": ASKED[row], "response": {"answer": SAID[row], "latency_ms": row}} for row in ROWS]
    report = {"run": "a", "cases": cases, "gates": [{"name": "size", "passed": True}, {"name": "rate", "passed": True}]}
    found = read_table(json.dumps(report).encode(), name="t.json")
    assert found.reading.roles["response.answer"].role == "output"
    assert len(found.dataset) == len(ROWS)
    with pytest.raises(BadInput, match="no rows were found"):
        read_table(json.dumps(report | {"other": cases}).encode(), name="t.json")


def test_what_a_metric_found_is_no_persons_grade():
    judged = [
        {
            "input": ASKED[row],
            "actual_output": SAID[row],
            "metrics": [{"verdicts": [{"verdict": "yes" if right else "no"}]}],
        }
        for row, right in enumerate(RIGHT)
    ]
    assert "label" not in roles(judged).values()
    assert roles(judged, STORED)["metrics[0].verdicts[0].verdict"] == "label"


def test_flags_beside_an_answered_question_are_what_judges_said_and_no_labels():
    records = [
        {
            "question": ASKED[row],
            "right_answer": TRUE[row],
            "generated_answer": SAID[row],
            "a_pred": row % 3 > 0,
            "b_pred": right,
        }
        for row, right in enumerate(RIGHT)
    ]
    assert roles(records) == {"question": "input", "right_answer": "reference", "generated_answer": "output"}
    assert roles(records, STORED)["prediction"] == "prediction"


def test_an_answer_that_is_right_stands_beside_none_that_is_left():
    records = [{"question": ASKED[row], "left_answer": SAID[row], "right_answer": TRUE[row]} for row in ROWS]
    assert roles(records) == {"question": "input", "left_answer": "output_a", "right_answer": "output_b"}


def test_an_output_is_the_text_that_is_called_as_its_truth_is():
    records = [{"orig": ASKED[row], "flawed_translation": SAID[row], "target_translation": TRUE[row]} for row in ROWS]
    assert roles(records) == {"orig": "input", "flawed_translation": "output", "target_translation": "reference"}
    with pytest.raises(ReadingUnclear, match="may each be the output"):
        roles([{**one, "second_translation": SAID[row - 1]} for row, one in enumerate(records)])


def test_the_truth_by_its_name_may_be_one_class():
    records = [{"id": f"q{row}", "predicted_label": "safe" if row % 5 else "bad", "true_label": "bad"} for row in ROWS]
    found = reading(records).roles["true_label"]
    assert found.role == "label"
    assert found.reason == "its name, and it has the classes of the predictions"


def test_more_than_two_outputs_are_asked_about():
    records = [{"Question": ASKED[row], "Response_1": SAID[row], "Response_2": TRUE[row]} for row in ROWS]
    assert roles(records)["Response_1"] == "output_a"
    more = [{**one, "Response_3": SAID[row - 1]} for row, one in enumerate(records)]
    with pytest.raises(ReadingUnclear, match="'Response_1' and 'Response_2' and 'Response_3' may each be the output"):
        roles(more)
    assert roles(more, STORED)["Response_2"] == "output_b"


def test_two_sets_of_chances_of_the_same_classes_are_asked_about():
    records = [
        {
            "prompt": ASKED[row],
            **{f"plain_prob_{word}": chance for word, chance in (("yes", row % 9 / 10), ("no", 1 - row % 9 / 10))},
            **{f"biased_prob_{word}": chance for word, chance in (("yes", row % 7 / 10), ("no", 1 - row % 7 / 10))},
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match="'plain_prob_yes' and 'biased_prob_yes' may each be the chance of 'yes'"):
        roles(records)
    chosen = TableChoices(columns=(("p_yes", "biased_prob_yes"), ("p_no", "biased_prob_no")))
    assert roles(records, chosen)["biased_prob_yes"] == "p_yes"
    assert roles(records, STORED)["plain_prob_yes"] == "p_yes"


def test_pages_of_what_was_retrieved_are_no_answers():
    records = [
        {
            "question": ASKED[row],
            "response": f"{SAID[row]} See page {row % 23}.",
            "retrieved_page2": row % 23,
            "target_answer": TRUE[row],
        }
        for row in ROWS
    ]
    found = roles(records)
    assert found["target_answer"] == "reference"
    assert "retrieved_page2" not in found


def test_classes_beside_what_is_called_an_output_are_asked_about():
    records = [{"Word": PLACES[row], "Translation": f"{PLACES[row]} {row}", "Source": ASKED[row]} for row in ROWS]
    with pytest.raises(ReadingUnclear, match="--column output=Translation"):
        roles(records)
    assert roles(records, STORED)["Word"] == "prediction"


def test_the_sheet_with_answers_is_read_below_names_that_number_its_columns():
    inputs = [["ID", "Text", "Source"], *([f"q{row}", ASKED[row], PLACES[row]] for row in ROWS)]
    answers = [["Column1", "Column2", "Column3"], ["ID", "Question", "Output"]]
    answers += [[f"q{row}", ASKED[row], SAID[row]] for row in ROWS]
    found = read_table(workbook(inputs, other=answers), name="t.xlsx")
    assert {name: one.role for name, one in found.reading.roles.items()} == {
        "ID": "row number",
        "Question": "input",
        "Output": "output",
    }
    assert len(found.dataset) == len(ROWS)
    assert any("'Sheet2' is read, and 'Sheet1' is not" in doubt for doubt in found.reading.doubtful)
    assert "Source" in read_table(workbook(inputs, other=answers), name="t.xlsx", choices=STORED).reading.roles


def test_steps_of_an_agent_are_the_chat_of_their_messages():
    steps = [
        [
            {"type": "message", "role": "user", "content": ASKED[row]},
            {"type": "tool_call", "content": "", "tool_calls": [{"name": "find", "arguments": {"row": row}}]},
            {"type": "tool_result", "outcome": {"type": "success"}},
            {"type": "message", "role": "assistant", "content": SAID[row]},
        ]
        for row in ROWS
    ]
    found = read_table(
        lines([{"id": f"q{row}", "run": {"turns": one}} for row, one in enumerate(steps)]), name="t.jsonl"
    )
    assert found.reading.roles["run.turns.output"].role == "output"
    assert [pane.shown.text for pane in found.dataset.show(7).panes] == [ASKED[7], SAID[7]]


def test_a_sentence_that_holds_the_right_answer_is_no_other_output():
    records = [
        {
            "question": ASKED[row],
            "correct_answer": place,
            "answer_sentence": f"It was {place}.",
            "model_output": SAID[row],
        }
        for row, place in enumerate(PLACES)
    ]
    assert roles(records) == {"question": "input", "correct_answer": "reference", "model_output": "output"}
    with pytest.raises(ReadingUnclear, match="may each be the output"):
        roles([{**one, "answer_sentence": SAID[row - 1]} for row, one in enumerate(records)])


def test_the_lists_that_each_mode_has_hold_the_rows_whatever_they_are_called():
    def mode(shift):
        asked = [{"user_input": ASKED[row], "response": SAID[row - shift], "reference": TRUE[row]} for row in ROWS]
        return {"aggregate": {"faithfulness": 0.5}, "per_question": asked}

    report = {"judge": "a", "modes": {"naive": mode(0), "hybrid": mode(1)}}
    with pytest.raises(ReadingUnclear, match=f"The {2 * len(ROWS)} rows are of {len(ROWS)} inputs"):
        read_table(json.dumps(report).encode(), name="t.json")


def test_codes_of_which_some_are_no_grades_are_no_label_of_an_output():
    codes = [("correct", "NA", "incorrect")[row % 3] for row in ROWS]
    found = reading([{"question": ASKED[row], "answer_text": SAID[row], "label": codes[row]} for row in ROWS])
    assert {name: one.role for name, one in found.roles.items()} == {"question": "input", "answer_text": "output"}
    assert "Some words of 'label' are grades, and 'NA' is none. To use it as known, correct these." in found.doubtful


def test_the_name_of_a_document_is_not_what_was_asked():
    records = [
        {"question_id": f"q{row}", "document": PLACES[row], "prediction": SAID[row], "reference": TRUE[row]}
        for row in ROWS
    ]
    assert roles(records) == {"question_id": "shown", "prediction": "output", "reference": "reference"}
    assert roles(records, STORED)["document"] == "input"
    texts = [
        {**one, "document": f"A long text is about {PLACES[row]} and nothing else."} for row, one in enumerate(records)
    ]
    assert roles(texts)["document"] == "input"


def test_names_of_language_models_are_no_predictions():
    records = [{"id": f"q{row}", "model": ("ChatGPT", "Gemini", "Claude")[row % 3], "response": ""} for row in ROWS]
    with pytest.raises(BadInput, match="The table has no predictions"):
        reading(records)
    assert roles([{"id": f"q{row}", "model": PLACES[row], "response": ""} for row in ROWS])["model"] == "prediction"


def test_what_a_call_took_is_no_prediction_and_a_plain_text_beside_it_is_the_reply():
    records = [
        {
            "key": f"{row:08x}",
            "request": {"model": "m", "messages": [{"role": "user", "content": ASKED[row]}]},
            "text": SAID[row],
            "usage": {
                "completion_tokens": 40 + row % 17,
                "total_tokens": 90 + row % 17 + row % 3,
                "prompt_tokens": 50 + row % 3,
            },
        }
        for row in ROWS
    ]
    assert roles(records) == {"key": "row number", "request.messages": "input", "text": "output"}


def test_flags_deep_in_a_prediction_are_no_labels():
    records = [
        {
            "model_input": ASKED[row],
            "prediction": {"choice": row % 4, "steps": [{"greedy": right, "first": row % 2 > 0}]},
        }
        for row, right in enumerate(RIGHT)
    ]
    with pytest.raises(ReadingUnclear, match="may each be the prediction"):
        roles(records)
    assert roles(records, STORED)["prediction"] == "prediction"


def test_a_question_that_recurs_is_shown_beside_the_text_that_was_classified():
    records = [
        {
            "question": ASKED[row // 2],
            "sql": f"select {row} from visits where town = '{PLACES[row]}'",
            "label": right,
            "prediction": row % 4 > 0,
        }
        for row, right in enumerate(RIGHT)
    ]
    found = read_table(lines(records), name="t.jsonl")
    assert dict(found.dataset.show(9).cells) == {"row": "9", "question": ASKED[4], "sql": records[9]["sql"]}


def test_scores_beside_a_reply_and_two_words_are_grades_and_no_chances():
    records = [
        {
            "id": f"how_to_{row}",
            "kind": ("command", "concept")[row % 2],
            "answer_preview": SAID[row],
            "a_score": row % 10 / 10,
            "b_score": row % 7 / 7,
        }
        for row in ROWS
    ]
    assert roles(records)["answer_preview"] == "output"


def test_objects_whose_keys_are_numbers_are_read_as_texts():
    records = [{"question": ASKED[row], "output": f"{{{row}: None, {row + 1}: 'a'}}"} for row in ROWS]
    assert roles(records) == {"question": "input", "output": "output"}


def test_what_is_filled_in_exactly_the_wrong_rows_is_shown_to_nobody():
    records = [
        {
            "task_id": f"task/{row}",
            "passed": row % 5 > 0,
            "test_count": 3 + row % 4,
            "tests_passed": 3 + row % 4 if row % 5 else row % 3,
            "output": ""
            if row % 5
            else f"AssertionError: {PLACES[row % len(PLACES)]} in line {row} of the tests is not met",
            "error_type": "None" if row % 5 else ("SyntaxError", "Other")[row // 5 % 2],
            "level": ("hard", "easy")[row % 2],
        }
        for row in range(3 * len(ROWS))
    ]
    found = read_table(lines(records), name="t.jsonl")
    assert reading(records).left_out["error_type"] == "it goes with 'passed' in every row"
    assert "SyntaxError" not in dict(found.dataset.show(0).cells).values()
    assert roles(records)["level"] == "shown"
