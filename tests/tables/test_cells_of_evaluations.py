"""Cells of evaluations that hold more than one thing, and columns of other tools that look like answers and are none."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.evaluation_files import document, lines
from tests.tables.kept_evaluation_files import ASKED, PLACES, RIGHT, ROWS, SAID, TRUE

STORED = TableChoices(rules=LONE)


def table(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def read(content, choices=None, *, name="t.csv", **given):
    return read_table(content, name=name, choices=choices or TableChoices(**given))


def roles(inputs):
    return {one.role: column for column, one in inputs.reading.roles.items()}


def seen(inputs, row=0):
    return inputs.dataset.show(row).text


def span(row, kind="LLM"):
    """A step of a trace as Phoenix writes a data frame of them to CSV."""
    sent, reply = ({"role": who, "content": text} for who, text in (("user", ASKED[row]), ("assistant", SAID[row])))
    plain = kind != "LLM"
    return {
        "context.span_id": f"{row:08x}",
        "attributes.openinference.span.kind": kind,
        "attributes.llm.token_count.prompt": 30 + row % 7,
        "attributes.llm.cost.prompt": f"${row % 5}.001",
        "attributes.input.value": ASKED[row] if plain else json.dumps({"messages": [sent], "model": "our-7b"}),
        "attributes.output.value": SAID[row] if plain else json.dumps({"choices": [{"message": reply}]}),
        "attributes.llm.input_messages": str([{f"message.{name}": value for name, value in sent.items()}]),
        "attributes.llm.output_messages": str([{f"message.{name}": value for name, value in reply.items()}]),
    }


@each("without", [(), ("attributes.input.value",), ("attributes.input.value", "attributes.output.value")])
def test_a_count_of_tokens_is_no_question_and_a_chat_as_python_writes_it_is_one(without):
    rows = [{name: cell for name, cell in span(row).items() if name not in without} for row in ROWS]
    inputs = read(table(rows))
    assert seen(inputs) == f"Input\n{ASKED[0]}\n\nOutput\n{SAID[0]}"
    stored = roles(read(table([span(row) for row in ROWS]), STORED))
    assert stored["input"] == "attributes.llm.token_count.prompt"


def test_of_the_steps_of_traces_in_a_csv_the_calls_of_a_model_are_rows():
    inputs = read(table([span(row, ("CHAIN", "LLM")[row % 2]) for row in ROWS]))
    assert len(inputs.dataset) == len(ROWS) // 2
    assert seen(inputs) == f"Input\n{ASKED[1]}\n\nOutput\n{SAID[1]}"
    assert "Of 60 steps the 30 that call a language model are rows." in inputs.reading.doubtful


def test_the_steps_of_traces_are_told_apart_in_parquet_too(tmp_path):
    file = tmp_path / "spans.parquet"
    rows = [span(row, ("CHAIN", "LLM")[row % 2]) for row in ROWS]
    pq.write_table(pa.Table.from_pylist(rows), file)
    inputs = read_table(file, name="spans.parquet")
    assert len(inputs.dataset) == len(ROWS) // 2
    assert seen(inputs) == f"Input\n{ASKED[1]}\n\nOutput\n{SAID[1]}"


def test_a_count_or_a_cost_is_no_question_where_nothing_else_may_be_one():
    rows = [{"input tokens": f"{row} tokens", "output": SAID[row]} for row in ROWS]
    assert "input" not in roles(read(table(rows)))
    assert roles(read(table(rows), STORED))["input"] == "input tokens"


def test_chats_and_messages_in_cells_are_their_turns_where_names_say_what_is_what():
    system = {"role": "system", "content": "Be brief."}
    rows = [
        {
            "input": json.dumps([system, {"role": "user", "content": ASKED[row]}]),
            "output": json.dumps({"role": "assistant", "content": SAID[row]}) if row != 4 else "",
            "metadata": json.dumps({"environment": "production"}),
        }
        for row in ROWS
    ]
    calls = [{"id": "c", "type": "function", "function": {"name": "look_up", "arguments": '{"row": 7}'}}]
    rows[7]["output"] = json.dumps({"role": "assistant", "content": None, "tool_calls": calls})
    rows[9]["output"] = "null"
    inputs = read(table(rows))
    assert seen(inputs, 7).endswith('Output\nlook_up({"row": 7})')
    assert seen(inputs, 9).endswith("Output\n")
    assert seen(inputs) == f"Input\nsystem:\nBe brief.\n\nuser:\n{ASKED[0]}\n\nOutput\n{SAID[0]}"
    assert SAID[0] in seen(read(table(rows), STORED))
    assert '"role"' in seen(read(table(rows), STORED))


def test_a_chat_that_is_called_the_input_holds_the_output_where_nothing_else_does():
    turns = [[{"type": "human", "content": ASKED[row]}, {"type": "ai", "content": SAID[row]}] for row in ROWS]
    inputs = read(table([{"user_input": str(turns[row]), "reference": TRUE[row]} for row in ROWS]))
    assert seen(inputs, 3) == f"Input\n{ASKED[3]}\n\nOutput\n{SAID[3]}\n\nReference\n{TRUE[3]}"


def test_a_chat_under_another_name_is_its_last_turn_and_what_came_before_it():
    turns = [[{"type": "human", "content": ASKED[row]}, {"type": "ai", "content": SAID[row]}] for row in ROWS]
    inputs = read(table([{"id": row, "conversation": str(turns[row])} for row in ROWS]))
    assert seen(inputs, 3) == f"Input\n{ASKED[3]}\n\nOutput\n{SAID[3]}"


HEADER = "[our:7b] Be kind to everyone.\n\n{{ticket}}"


def of_one_prompt():
    """A CSV of promptfoo with one provider."""
    after = {"Score": 1, "Named Scores": "", "Grader Reason": "All assertions passed", "Comment": ""}
    return [
        {
            "ticket": ASKED[row],
            "must": PLACES[row],
            HEADER: SAID[row],
            "Status": "PASS" if RIGHT[row] else "FAIL",
            **after,
        }
        for row in ROWS
    ]


def test_the_output_of_a_single_prompt_stands_before_its_verdict_and_its_question_was_put_in():
    inputs = read(table(of_one_prompt()))
    found = roles(inputs)
    assert (found["output"], found["input"], found["outcome"]) == (HEADER, "ticket", "Status")
    assert 1 - inputs.inputs.losses.mean() == pytest.approx(sum(RIGHT) / len(RIGHT))
    assert "assertions" not in seen(inputs)
    assert "output" not in roles(read(table(of_one_prompt()), STORED))


JUDGE = "Rate the reply from 1 to 10."
END = "[The End of Assistant's Answer]"


def test_what_a_judge_was_shown_is_judged_and_what_it_said_is_hidden():
    single = [
        f"{JUDGE}\n\n[Question]\n{ASKED[row]}\n\n[The Start of Assistant's Answer]\n{SAID[row]}\n{END}" for row in ROWS
    ]
    talk = "### User:\nHello.\n\n### Assistant A:\nHi.\n\n### User:\n"
    single[1] = (
        f"{JUDGE}\n\n<|The Start of Assistant A's Conversation with User|>\n\n{talk}{ASKED[1]}\n\n### Assistant A:\n{SAID[1]}"
        "\n\n<|The End of Assistant A's Conversation with User|>"
    )
    records = [
        {"question_id": row, "user_prompt": single[row], "judgment": f"It is good: [[{row % 9}]]", "score": row % 9}
        for row in ROWS
    ]
    inputs = read(lines(records), name="t.jsonl")
    assert seen(inputs) == f"Input\n{ASKED[0]}\n\nOutput\n{SAID[0]}"
    assert seen(inputs, 1) == f"Input\n{talk}{ASKED[1]}\n\nOutput\n{SAID[1]}"
    assert any("'score' may be a judge's grades" in doubt for doubt in inputs.reading.doubtful)


def test_of_two_answers_that_a_judge_was_shown_each_is_one_of_two_systems():
    def answer(letter, text):
        return f"<|The Start of Assistant {letter}'s Answer|>\n{text}\n<|The End of Assistant {letter}'s Answer|>"

    records = [
        {
            "uid": f"{row:x}",
            "prompt_of_judge": f"<|User Prompt|>\n{ASKED[row]}\n\n{answer('A', SAID[row])}\n\n{answer('B', TRUE[row])}",
            "winner": "AB"[RIGHT[row]],
        }
        for row in ROWS
    ]
    inputs = read(lines(records), name="t.jsonl")
    assert {role: roles(inputs)[role] for role in ("input", "output_a", "output_b", "label")} == {
        "input": "shown.question",
        "output_a": "shown.answer_a",
        "output_b": "shown.answer_b",
        "label": "winner",
    }


def test_a_field_of_the_question_that_holds_what_is_right_is_no_output():
    records = [
        {
            "doc_id": row,
            "doc": {"question": ASKED[row], "answer": TRUE[row]},
            "target": TRUE[row],
            "resps": [[f"Well. {SAID[row]}"]],
            "filtered_resps": [PLACES[row]],
            "exact_match": float(RIGHT[row]),
        }
        for row in ROWS
    ]
    found = roles(read(lines(records), name="t.jsonl"))
    assert (found["output"], found["reference"]) == ("filtered_resps", "target")


def test_what_stands_beside_a_score_or_says_why_it_was_given_is_no_output():
    rows = [
        {
            "inputs": ASKED[row],
            "outputs": SAID[row],
            "ground_truth": TRUE[row],
            "answer_similarity/v1/score": 1 + row % 5,
            "answer_similarity/v1/justification": f"The output matches the target nearly, number {row}.",
            "answer_tone/v1/score": 1 + row % 5,
            "answer_tone/v1/said": f"The tone of this output is friendly, number {row}.",
        }
        for row in ROWS
    ]
    assert roles(read(table(rows)))["output"] == "outputs"


def test_the_place_of_the_right_choice_is_shown_as_that_choice():
    names = ["Rome", "Oslo", "Bern", "Riga"]
    records = [
        {
            "doc": {"question": ASKED[row], "choices": {"text": names, "label": ["A", "B", "C", "D"]}},
            "target": str(names.index(PLACES[row])),
            "arguments": [[ASKED[row], f" {name}"] for name in names],
            "filtered_resps": [[str(-1 - (place + row) % 4), "False"] for place in range(4)],
        }
        for row in ROWS
    ]
    inputs = read(lines(records), name="t.jsonl")
    assert f"Reference\n{PLACES[0]}" in seen(inputs)
    assert f"Reference\n{names.index(PLACES[0])}" in seen(read(lines(records), STORED, name="t.jsonl"))


def test_choices_that_are_the_right_one_alone_are_shown_to_no_tester():
    rows = [
        {"question": ASKED[row], "response": SAID[row], "expected": PLACES[row], "options": [PLACES[row]]}
        for row in ROWS
    ]
    assert "options" in read(lines(rows), name="t.jsonl").reading.left_out
    more = [{**row, "options": ["Rome", "Oslo", "Bern", "Riga"]} for row in rows]
    assert "options" not in read(lines(more), name="t.jsonl").reading.left_out


def test_of_the_steps_of_an_experiment_those_that_begin_a_trace_are_rows():
    records = []
    for row in ROWS:
        one = {
            "root_span_id": f"{row:x}",
            "input": {"question": ASKED[row]},
            "output": SAID[row],
            "expected": TRUE[row],
        }
        judged = {"input": one, "output": {"score": 0.6, "why": f"It is near enough, number {row}."}, "is_root": False}
        records += [{**one, "is_root": True}, {**one, "expected": None, "is_root": False}, judged]
    inputs = read(lines(records), name="t.jsonl")
    assert seen(inputs, 1) == f"Input\n{ASKED[1]}\n\nOutput\n{SAID[1]}\n\nReference\n{TRUE[1]}"
    assert len(inputs.dataset) == len(ROWS)


def test_an_object_with_one_text_in_a_cell_is_that_text():
    rows = [
        {
            "inputs": json.dumps({"question": ASKED[row]}),
            "outputs": json.dumps({"output": SAID[row]}),
            "reference_outputs": json.dumps({"answer": TRUE[row]}),
        }
        for row in ROWS
    ]
    assert seen(read(table(rows))) == f"Input\n{ASKED[0]}\n\nOutput\n{SAID[0]}\n\nReference\n{TRUE[0]}"
    assert '{"question"' in seen(read(table(rows), STORED))
    more = [{**row, "outputs": json.dumps({"output": SAID[0], "language": "en"})} for row in rows]
    assert '"language"' in seen(read(table(more)))


@each("beside", [{}, {"htmls": [f"<p>{text}</p>" for text in TRUE]}])
def test_a_list_of_chats_beside_results_is_a_row_each(beside):
    chats = [[{"role": "user", "content": ASKED[row]}, {"role": "assistant", "content": SAID[row]}] for row in ROWS]
    inputs = read(document({"score": 0.7, "metrics": {"is_correct": 0.7}, **beside, "convos": chats}), name="t.json")
    assert len(inputs.dataset) == len(ROWS)
    assert seen(inputs, 2) == f"Input\n{ASKED[2]}\n\nOutput\n{SAID[2]}"


def test_the_only_choice_of_a_question_is_what_is_right_and_no_choice():
    records = [
        {
            "doc": {"query": ASKED[row], "choices": [TRUE[row]], "gold_index": [0], "instruction": ""},
            "model_response": {"input": ASKED[row], "text": [SAID[row]]},
        }
        for row in ROWS
    ]
    inputs = read(lines(records), name="t.jsonl")
    assert seen(inputs) == f"Input\n{ASKED[0]}\n\nOutput\n{SAID[0]}\n\nReference\n{TRUE[0]}"


def test_lists_of_claims_about_the_right_answer_are_not_that():
    records = [
        {
            "query": ASKED[row],
            "gt_answer": TRUE[row],
            "response": SAID[row],
            "gt_answer_claims": [[PLACES[row], "is", "it"]],
        }
        for row in ROWS
    ]
    assert roles(read(lines(records), name="t.jsonl"))["reference"] == "gt_answer"


def of_langchain(kind, text):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", kind], "kwargs": {"content": text}}


def with_messages_of_langchain(row):
    asked = [[of_langchain("SystemMessage", "Be brief."), of_langchain("HumanMessage", ASKED[row])]]
    said = {"text": SAID[row], "message": of_langchain("AIMessage", SAID[row])}
    return {"inputs": {"messages": asked}, "outputs": {"generations": [[said]]}}


def with_items_of_a_reply(row):
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID[row]}]}
    body = {"output": [{"type": "reasoning", "summary": []}, said], "usage": {"input_tokens": 20 + row % 5}}
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED[row]}]
    return {"request": {"messages": asked}, "response": {"body": body}}


def with_a_message_of_a_model(row):
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED[row]}]
    said = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": SAID[row]}]}
    return {"recordId": f"R{row}", "modelInput": {"messages": asked}, "modelOutput": said}


@each("record", [with_messages_of_langchain, with_items_of_a_reply, with_a_message_of_a_model])
@each("whole", [False, True])
def test_what_a_model_is_said_to_have_said_is_the_output(record, whole):
    records = [record(row) for row in ROWS]
    inputs = read(document(records), name="t.json") if whole else read(lines(records), name="t.jsonl")
    assert seen(inputs) == f"Input\nsystem:\nBe brief.\n\nuser:\n{ASKED[0]}\n\nOutput\n{SAID[0]}"


def test_words_that_are_no_grades_are_no_known_grades_of_an_output():
    rows = [{"input": ASKED[row], "output": SAID[row], "label": ("made up", "factual")[RIGHT[row]]} for row in ROWS]
    inputs = read(table(rows))
    assert inputs.reading.left_out["label"] == "its words are no grades"
    known = [{**row, "label": ("bad", "good")[row["label"] == "factual"]} for row in rows]
    assert roles(read(table(known)))["label"] == "label"


def test_whether_all_instructions_were_followed_says_what_is_right():
    records = [
        {
            "prompt": ASKED[row],
            "response": SAID[row],
            "follow_all_instructions": RIGHT[row],
            "follow_instruction_list": [True],
        }
        for row in ROWS
    ]
    assert roles(read(lines(records), name="t.jsonl"))["outcome"] == "follow_all_instructions"


def test_what_was_put_in_a_prompt_is_the_question_and_what_is_shown_beside_it():
    header = "[our:7b] Translate {{text}} into {{ language | upper }}."
    rows = [
        {"text": ASKED[row], "language": ("German", "French")[row % 2], header: SAID[row], "Status": "PASS", "Score": 1}
        for row in ROWS
    ]
    rows = [{**row, "Named Scores": "", "Grader Reason": "All fine", "Comment": ""} for row in rows]
    inputs = read(table(rows))
    assert seen(inputs) == f"Input\n{ASKED[0]}\n\nlanguage\nGerman\n\nOutput\n{SAID[0]}"


def test_texts_in_quotes_and_objects_whose_other_values_are_empty_are_texts():
    rows = [
        {
            "request": json.dumps({"question": ASKED[row], "history": [], "user": None}),
            "response": json.dumps(f"{SAID[row]} Sure."),
        }
        for row in ROWS
    ]
    assert seen(read(table(rows))) == f"Input\n{ASKED[0]}\n\nOutput\n{SAID[0]} Sure."
    rows[5]["response"] = f'"{SAID[5]}" is what I would say, or "nothing".'
    assert seen(read(table(rows))).endswith(' Sure."')


def test_a_number_of_messages_is_no_question():
    rows = [{"messages": 2 + row % 5, "output": SAID[row]} for row in ROWS]
    assert "input" not in roles(read(table(rows)))
    named = [{**row, "messages": ASKED[place]} for place, row in enumerate(rows)]
    assert roles(read(table(named)))["input"] == "messages"


def test_why_a_row_failed_is_no_score_of_its_output():
    rows = [
        {"question": ASKED[row], "output": SAID[row], "success": RIGHT[row], "failureReason": int(not RIGHT[row])}
        for row in ROWS[:6]
    ]
    assert read(table(rows)).reading.left_out["failureReason"] == "it says why a row failed"
    assert roles(read(table(rows), STORED))["score"] == "failureReason"


def test_what_a_model_said_that_graded_another_is_no_output_of_that():
    events = [{"spec": {"eval_name": "fact.v1"}}]
    for row in ROWS:
        judge = f"Compare the submission with the expert's. {ASKED[row]} {SAID[row]} Which is it?"
        asked = ((ASKED[row], SAID[row]), (judge, f"It is the same, I would say, number {row}."))
        said = [
            {"type": "sampling", "data": {"prompt": [{"role": "user", "content": prompt}], "sampled": [reply]}}
            for prompt, reply in asked
        ]
        said.append({"type": "metrics", "data": {"choice": "AB"[RIGHT[row]], "score": int(RIGHT[row])}})
        events += [{"sample_id": f"fact.{row}", **one} for one in said]
    assert seen(read(lines(events), name="t.jsonl")) == f"Input\n{ASKED[0]}\n\nOutput\n{SAID[0]}"
    assert "Compare" in seen(read(lines(events), STORED, name="t.jsonl"))
