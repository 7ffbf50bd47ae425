"""What was asked is told from keys, errors and the prompt around it, and rows of one input from inputs of their own."""

from itertools import product

import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.reading import CHOSEN
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.tables.evaluation_files import lines
from tests.tables.kept_evaluation_files import ASKED, ROWS, SAID, TRUE


def read(records, choices=None):
    return read_table(lines(records), name="t.jsonl", choices=choices or TableChoices())


def roles(records, choices=None):
    return {column: one.role for column, one in read(records, choices).reading.roles.items()}


def test_what_stands_in_few_rows_was_not_asked():
    records = [
        {"response": SAID[row], "remark": ASKED[row] if row % 10 == 0 else None, "err": TRUE[row]} for row in ROWS
    ]
    found = read(records).reading
    assert (found.with_role("output"), found.with_role("input")) == (("response",), ())
    assert not any("group=" in doubt for doubt in found.doubtful)
    for row, record in enumerate(records):
        record["remark"] = ASKED[row]
    assert roles(records)["remark"] == "input"


def test_keys_are_no_input_where_sentences_are_beside():
    records = [{"problem": f"kata/{row}", "task_text": ASKED[row], "generated_code": SAID[row]} for row in ROWS]
    assert roles(records)["task_text"] == "input"
    assert roles(records, TableChoices(rules=LONE))["problem"] == "input"
    assert roles([{**record, "task_text": row} for row, record in enumerate(records)])["problem"] == "input"
    files = [{"input": f"photo_{row}.png", "caption": ASKED[row], "output": SAID[row]} for row in ROWS]
    assert roles(files)["output"] == "output"
    assert "caption" not in roles(files)


def test_flags_that_are_true_where_all_tests_passed_say_what_is_right():
    records = [
        {
            "question": ASKED[row],
            "answer": SAID[row],
            "tests": 3 + row % 4,
            "passed_tests": 3 + row % 4 - (row % 3 == 0),
        }
        for row in ROWS
    ]
    records = [{**record, "green": row % 3 != 0} for row, record in enumerate(records)]
    found = read(records)
    assert found.reading.with_role("outcome") == ("green",)
    assert found.inputs.known_accuracy == pytest.approx(2 / 3)
    records[0]["green"] = True
    assert read(records).reading.with_role("outcome") == ()


def test_rows_that_are_a_full_grid_are_asked_about():
    records = [
        {
            "model": model,
            "level": level,
            "prompt_idx": prompt,
            "seed": seed,
            "response": f"{SAID[prompt]} {model} {seed}",
        }
        for model, level, prompt, seed in product("ab", range(3), range(5), range(4))
    ]
    with pytest.raises(ReadingUnclear, match="5 inputs by 'prompt_idx', told apart by 'model, level and seed'"):
        read(records)
    assert len(read(records, TableChoices(read=(("rows", "each"),))).dataset) == 120
    assert len(read(records[1:]).dataset) == 119


def test_a_question_is_what_the_prompt_around_it_holds():
    records = [
        {"user": ASKED[row], "prompt_rendered": f"<s>Be brief. {ASKED[row]}</s>", "model_output_final": SAID[row]}
        for row in ROWS
    ]
    records = [
        {**record, "model_output_raw": f"{SAID[row]} {'Done.' * (row % 3)}", "parsed_unit": ("km", "mi")[row % 2]}
        for row, record in enumerate(records)
    ]
    found = roles(records)
    assert (found["user"], found["model_output_final"]) == ("input", "output")
    assert "prompt_rendered" not in found


def test_keys_are_no_reply_beside_a_summary():
    records = [{"item": f"n{row:03}", "source_article": ASKED[row], "summary": SAID[row]} for row in ROWS]
    records = [{**record, "summarizer": "small", "grade_ann": 1 + row % 5} for row, record in enumerate(records)]
    found = roles(records)
    assert (found["source_article"], found["summary"]) == ("input", "output")


def test_amounts_number_no_rows():
    records = [
        {"question": ASKED[row], "answer": SAID[row], "latency_ms": 900 + 7 * row * row, "tokens_in": 40 + row}
        for row in ROWS
    ]
    found = read(records).reading
    assert not {"latency_ms", "tokens_in"} & {column for column, why in found.left_out.items() if "numbers" in why}
    assert found.with_role("row number") == ()


def test_a_text_named_after_a_model_is_the_output_beside_answers_of_people():
    records = [
        {"query": ASKED[row], "target_answer": TRUE[row], "ann_answer": f"{SAID[row]} By rail.", "gpt-3": SAID[row]}
        for row in ROWS
    ]
    records = [{**record, "bob_answer": f"Well: {TRUE[row]} {row}"} for row, record in enumerate(records)]
    found = read(records).reading
    assert (found.with_role("output"), found.with_role("reference")) == (("gpt-3",), ("target_answer",))
    assert not {"ann_answer", "bob_answer"} & {*found.roles}
    assert any("'gpt-3' is the output" in doubt for doubt in found.doubtful)
    records = [{**record, "chatbot_answer": f"{TRUE[row]} {row} times."} for row, record in enumerate(records)]
    with pytest.raises(ReadingUnclear, match="'gpt-3' and 'chatbot_answer' may each be the output"):
        read(records)


def test_a_list_of_parts_is_one_text_with_all_of_them():
    parts = [[{"header": f"Stop {row}"}, {"paragraph": SAID[row], "citations": [row]}] for row in ROWS]
    records = [{"question": ASKED[row], "answer": parts[row]} for row in ROWS]
    table = read(records)
    assert table.reading.with_role("output") == ("answer",)
    shown = {pane.title: pane.shown.text for pane in table.dataset.show(3).panes}
    assert shown["Output"] == f"Stop 3\n\n{SAID[3]}\n[3]"


def test_contexts_that_are_objects_are_shown_by_their_texts():
    records = [
        {
            "question": ASKED[row],
            "answer": SAID[row],
            "contexts": [{"chunk": f"a#{row}", "similarity": 0.5, "text": TRUE[row]}],
        }
        for row in ROWS
    ]
    table = read(records)
    assert table.reading.roles["contexts"].role == "shown"
    assert any(TRUE[3] in str(pane.shown) for pane in table.dataset.show(3).panes)
    assert "a#3" not in str(table.dataset.show(3))
    passages = [{"title": f"Of traveler {row}", "text": TRUE[row]} for row in ROWS]
    records = [
        {"question": ASKED[row], "answer": SAID[row], "retrieved_passages": passages[row : row + 2]} for row in ROWS
    ]
    assert roles(records)["retrieved_passages"] == "shown"


def test_a_document_of_parts_beside_a_question_and_scores_is_the_output():
    records = [
        {
            "query": ASKED[row],
            "document": [{"header": f"Stop {row}"}, {"paragraph": SAID[row], "citations": [row]}],
            "metrics": {"overlap": row / 100, "depth": row % 7},
        }
        for row in ROWS
    ]
    found = read(records).reading
    assert (found.with_role("input"), found.with_role("output")) == (("query",), ("document",))
    assert any("'document' is the output, as 'metrics.overlap' may be its score" in doubt for doubt in found.doubtful)
    with pytest.raises(BadInput, match="nothing is called an output"):  # what was found for a question has scores, too
        read([{**record, "document": SAID[row]} for row, record in enumerate(records)])


def test_steps_of_different_kinds_are_no_text_that_was_asked_or_answered():
    steps = [{"thought": "It may be far from here."}, {"action": "look it up in the book"}]
    found = roles([{"task": ASKED[row], "answer": SAID[row], "steps": steps} for row in ROWS])
    assert (found["task"], found["answer"]) == ("input", "output")
    assert "steps" not in found


def test_texts_named_after_several_models_are_asked_about():
    records = [{"question": ASKED[row], "claude-3": SAID[row], "gpt-4": TRUE[row]} for row in ROWS]
    with pytest.raises(ReadingUnclear, match="'claude-3' and 'gpt-4' may each be the output"):
        read([{**record, "human_answer": f"By train {row} times."} for row, record in enumerate(records)])


def test_a_second_predicted_number_that_goes_with_the_classes_is_named():
    records = [
        {"id": f"C{row}", "predicted_state": "ab"[row % 2], "predicted_strength": (0.53, 0.99)[row % 2]} for row in ROWS
    ]
    found = read(records).reading
    assert found.with_role("prediction") == ("predicted_state",)
    assert any("'predicted_strength' may be another prediction" in doubt for doubt in found.doubtful)


def test_keys_as_those_of_the_rows_are_no_right_answers_and_what_few_rows_have_was_not_asked():
    records = [
        {
            "question_id": f"A_{row:04}_S_1",
            "answer": SAID[row],
            "reference": [f"A_{row:04}", f"A_{row + 1:04}"],
            "parts": [{"article": TRUE[row]}] if row % 4 == 0 else [],
        }
        for row in ROWS
    ]
    found = read(records).reading
    assert (found.with_role("output"), found.with_role("input")) == (("answer",), ())
    assert found.with_role("reference") == ()
    assert any("'reference' holds keys" in doubt for doubt in found.doubtful)
    said = [{**record, "reference": f"The {TRUE[row]}"} for row, record in enumerate(records)]
    assert read(said).reading.with_role("reference") == ("reference",)
    left_out = TableChoices(columns=(("ignore", "reference"),))
    assert read(said, left_out).reading.with_role("reference") == ()


def test_questions_and_answers_are_read_as_a_question_and_an_answer():
    found = roles([{"questions": ASKED[row], "answers": SAID[row]} for row in ROWS])
    assert (found["questions"], found["answers"]) == ("input", "output")
    records = [{"questions": ASKED[row], "answers": TRUE[row], "response": SAID[row]} for row in ROWS]
    found = roles(records)
    assert (found["answers"], found["response"]) == ("reference", "output")


def test_the_only_code_beside_a_question_is_the_output_and_a_sentence_says_so():
    records = [{"question": ASKED[row], "sql": f"SELECT city FROM visits WHERE traveler = {row}"} for row in ROWS]
    found = read(records).reading
    assert (found.with_role("input"), found.with_role("output")) == (("question",), ("sql",))
    assert any("'sql' is read as the output" in doubt for doubt in found.doubtful)
    with pytest.raises((BadInput, ReadingUnclear)):
        read([{"question": record["question"], "gold_sql": record["sql"]} for record in records])


def test_names_of_models_are_no_predictions():
    records = [
        {
            "question_id": f"q{row}",
            "model_name": ("small-1", "large-2")[row % 2],
            "grader_model": ("large-2", "small-1")[row % 3 == 0],
            "remark": TRUE[row],
        }
        for row in ROWS
    ]
    with pytest.raises((BadInput, ReadingUnclear)) as caught:
        read(records)
    assert "prediction=model_name" not in str(caught.value)


def test_what_a_person_left_out_has_no_role_though_several_columns_were_left_out():
    records = [
        {"question": ASKED[row], "response": SAID[row], "expected_output": TRUE[row], "ground_truth": TRUE[row]}
        for row in ROWS
    ]
    assert read(records).reading.with_role("reference") == ("expected_output",)
    for left_out, reference in (
        (["expected_output"], ("ground_truth",)),
        (["expected_output", "ground_truth"], ()),
        (["ground_truth", "expected_output"], ()),
    ):
        choices = TableChoices(columns=tuple(("ignore", name) for name in left_out))
        found = read(records, choices).reading
        assert found.with_role("reference") == reference
        assert {name: found.left_out[name] for name in left_out} == dict.fromkeys(left_out, CHOSEN)
