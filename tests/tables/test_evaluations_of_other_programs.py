"""Evaluations as other programs write them today: what they call an output, a winner, a transcript or a label is read so."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.evaluation_files import document, lines
from tests.tables.kept_evaluation_files import ASKED, RIGHT, ROWS, SAID, TRUE
from tests.tables.test_cells_of_evaluations import read, roles, seen, table


def left_out(inputs):
    return {*inputs.reading.left_out}


def parquet(rows):
    held = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), held)
    return held.getvalue()


def of_lighteval(row):
    """A row of the details of lighteval: the numbers of the tokens stand beside the texts."""
    numbers = [[40_000 + 7 * row, 17 + row, 9_000 - row]]
    return {
        "__doc__": {"query": ASKED[row], "choices": [TRUE[row]], "gold_index": [0]},
        "__metric__": {"extractive_match": float(RIGHT[row])},
        "__model_response__": {
            "input": f"<|user|>{ASKED[row]}",
            "input_tokens": numbers[0],
            "text": [SAID[row]],
            "output_tokens": numbers,
            "text_post_processed": [SAID[row]],
        },
    }


def test_the_numbers_of_tokens_are_neither_asked_nor_said():
    inputs = read(parquet([*map(of_lighteval, ROWS)]), name="details.parquet")
    assert roles(inputs)["output"] == "__model_response__.text"
    assert SAID[5] in seen(inputs, 5)
    assert ASKED[5] in seen(inputs, 5)
    assert str(40_035) not in seen(inputs, 5)


def of_promptfoo(row, output):
    right = bool(RIGHT[row])
    grading = {"pass": right, "score": float(right), "componentResults": [{"pass": right, "assertion": {"value": "x"}}]}
    return {
        "prompt": {"raw": ASKED[row], "label": "p"},
        "response": {"output": output, "cached": True},
        "success": right,
        "gradingResult": grading,
        "testCase": {"assert": [{"value": f"JSON.parse(output).chance > 0.{row % 10}"}]},
    }


OBJECTS = {
    "an object": lambda row: {"churn_prediction": row % 2, "churn_probability": 0.5 + row % 50 / 100},
    "calls": lambda row: [{"type": "function", "function": {"name": "weather", "arguments": f'{{"place": {row}}}'}}],
}


@each("kind", [*OBJECTS])
@each("in_lines", [True, False])
def test_what_an_interface_returned_to_promptfoo_is_one_output(kind, in_lines):
    output = OBJECTS[kind]
    rows = [of_promptfoo(row, output(row)) for row in ROWS]
    content = lines(rows) if in_lines else document({"evalId": "e", "results": {"version": 3, "results": rows}})
    inputs = read(content, name="output.json")
    found = roles(inputs)
    assert (found["input"], found["output"], found["outcome"]) == ("prompt.raw", "response.output", "success")
    assert json.dumps(output(4)) in seen(inputs, 4)
    assert not [name for name in inputs.reading.roles if name.startswith(("gradingResult.pass", "testCase.assert"))]


def test_a_label_that_holds_a_line_break_alone_is_no_reference():
    inputs = read(lines([{"prompt": ASKED[row], "predict": SAID[row], "label": "\n"} for row in ROWS]), name="t.jsonl")
    assert roles(inputs)["output"] == "predict"
    assert "reference" not in roles(inputs)
    assert inputs.reading.left_out["label"] == "empty in every row"


def of_an_arena(row, *, turns=1):
    flags = {side: int(side == ("model_a", "model_b", "tie")[row % 3]) for side in ("model_a", "model_b", "tie")}
    texts = {"prompt": ASKED[row], "response_a": SAID[row], "response_b": TRUE[row]}
    return {
        "id": 900 + 13 * row,
        "model_a": f"m{row % 4}",
        "model_b": f"n{row % 5}",
        **{name: json.dumps([f"{text} {turn}" for turn in range(turns)]) for name, text in texts.items()},
        **{f"winner_{side}": flag for side, flag in flags.items()},
    }


@each("turns", [1, 2])
def test_flags_of_the_sides_are_the_winner_and_lists_of_texts_are_turns(turns):
    inputs = read(table([of_an_arena(row, turns=turns) for row in ROWS]))
    assert {"output_a", "output_b", "input", "label"} <= {*roles(inputs)}
    assert "[" not in seen(inputs)
    assert ("Turn 2:" in seen(inputs)) == (turns == 2)
    assert f"{SAID[0]} 0" in seen(inputs)


def test_flags_of_which_several_are_set_name_no_winner():
    rows = [{**of_an_arena(row), "winner_model_a": 1} for row in ROWS]
    assert "label" not in roles(read(table(rows)))


def test_a_call_of_a_function_is_an_output_though_no_text_is_beside_it():
    rows = [
        {
            "id": 5 + 3 * row,
            "code": f"call_{row % 2}",
            "function_answer": json.dumps({"path": "/a", "body": {"n": row}}),
        }
        for row in ROWS
    ]
    assert roles(read(lines(rows), name="t.jsonl"))["output"] == "function_answer"


def of_speech(row):
    return {
        "audio_file": f"talk{row // 9}_seg{row % 9}.wav",
        "wer": row % 7 / 10,
        "reference_text": TRUE[row],
        "reference_text_lemma": TRUE[row].lower(),
        "transcript": f"so {TRUE[row]}",
        "transcript_lemma": f"so {TRUE[row].lower()}",
    }


def test_a_transcript_beside_a_reference_and_its_errors_was_heard():
    found = roles(read(table([*map(of_speech, ROWS)])))
    assert (found["output"], found["reference"], found["input"]) == ("transcript", "reference_text", "audio_file")
    rows = [{name: cell for name, cell in of_speech(row).items() if name not in ("wer", "audio_file")} for row in ROWS]
    with pytest.raises((ReadingUnclear, BadInput)):  # it may be what was summarized, and its lemmas are no reply
        read(table(rows))


STRATEGIES = ("plain", "retrieved", "checked")


def under_strategies():
    """Products under the name of each strategy, of which some gave no class."""

    def record(strategy, row):
        gave = row % 9 or strategy == "plain"
        said = 1 + (row + (row % 4 == 0)) % 4 if gave else None
        product = {"product_name": f"Product {row}", "ingredients": f"Water, {ASKED[row]}", "true_group": 1 + row % 4}
        return {**product, "predicted_group": said, "group_correct": gave and said == 1 + row % 4}

    return document({"details": {one: [record(one, row) for row in ROWS[:20]] for one in STRATEGIES}})


def test_the_inputs_under_keys_are_what_has_one_truth_each():
    with pytest.raises(ReadingUnclear, match="20 inputs by 'product_name', told apart by 'key'"):
        read(under_strategies(), name="t.json", read=(("unpredicted", "failures"),))


@each("rows", ["together", "each"])
def test_numbered_classes_without_a_prediction_are_failures_and_the_inputs_are_shown(rows):
    inputs = read(under_strategies(), name="t.json", read=(("unpredicted", "failures"), ("rows", rows)))
    assert roles(inputs)["label"] == "true_group"
    assert "no prediction" in str(inputs.task)
    assert "Product 3" in str(inputs.dataset.show(3).cells)


def of_gates(row):
    right = row % 3 > 0
    said = ("ALLOW", "BLOCK")[row % 2]
    true = said if right else ("BLOCK", "ALLOW")[row % 2]
    return {
        "scenario": f"s{row}",
        "ground_truth": f"should_{true.lower()}",
        "decision": said,
        "correct": right,
        "reasoning": f"{ASKED[row]} Hence.",
    }


def test_what_should_be_decided_is_the_truth_of_what_was():
    content = lines([*map(of_gates, ROWS)])
    with pytest.raises(ReadingUnclear, match="spells 2 of its classes otherwise"):
        read(content, name="t.jsonl")
    inputs = read(content, name="t.jsonl", read=(("spelling", "same"),))
    assert (roles(inputs)["prediction"], roles(inputs)["label"]) == ("decision", "ground_truth")
    assert inputs.inputs.losses.mean() == pytest.approx(sum(row % 3 == 0 for row in ROWS) / len(ROWS))


def test_what_rows_are_sorted_by_is_no_prediction_beside_lists():
    kinds = ["borders", "founded by", "speaks"]
    rows = [
        {
            "Subject": f"Land {row}",
            "Relation": kinds[3 * row // len(ROWS)],
            "Objects": [f"x{row % 7}", f"y{row % 5}"][: row % 3],
        }
        for row in ROWS
    ]
    assert roles(read(lines(rows), name="t.jsonl"))["prediction"] == "Objects"
    mixed = [{**one, "Relation": kinds[row % 3]} for row, one in enumerate(rows)]
    with pytest.raises(ReadingUnclear):
        read(lines(mixed), name="t.jsonl")


def of_helm(row):
    return {
        "instance": {
            "input": {"text": ASKED[row]},
            "references": [{"output": {"text": str(7 * row)}, "tags": ["correct"]}],
        },
        "result": {"success": True, "completions": [{"text": f" {7 * row + (row % 3 == 0)} coins"}]},
    }


def test_the_unit_behind_a_number_stays_in_what_people_judge():
    inputs = read(document({"adapter_spec": {}, "request_states": [*map(of_helm, ROWS)]}), name="scenario_state.json")
    assert "28 coins" in seen(inputs, 4)


def of_label_studio(row):
    def result(word):
        return [{"from_name": "kind", "type": "choices", "value": {"choices": [word]}}]

    kinds = ("siren", "dog", "drill")
    annotation = {"id": 40 + row, "completed_by": row % 3, "lead_time": row * 0.7 + 2, "result": result(kinds[row % 3])}
    prediction = {"result": result(kinds[(row + (row % 5 == 0)) % 3]), "score": 0.4 + row % 50 / 100}
    return {"id": row, "data": {"audio": f"clips/{row}.wav"}, "annotations": [annotation], "predictions": [prediction]}


def test_who_gave_a_label_and_how_long_it_took_is_shown_to_nobody_and_no_score():
    inputs = read(document([*map(of_label_studio, ROWS)]), name="project.json")
    assert roles(inputs)["label"] == "annotations[0].result[0].value.choices"
    assert {"annotations[0].completed_by", "annotations[0].lead_time"} <= left_out(inputs)


def test_what_was_stored_by_earlier_rules_is_read_as_then():
    content = lines([of_promptfoo(row, OBJECTS["an object"](row)) for row in ROWS])
    earlier = read_table(content, name="t.jsonl", choices=TableChoices(rules=LONE))
    assert "response.output" not in earlier.reading.roles


def of_two_conversations(row):
    def side(name):
        first = [{"role": "user", "content": ASKED[row]}, {"role": "assistant", "content": f"{name} says {SAID[row]}"}]
        more = [{"role": "user", "content": "And?"}, {"role": "assistant", "content": f"{name} adds {TRUE[row]}"}]
        return [*first, *(more if row % 3 == 0 else [])]

    winner = ("model_a", "model_b", "tie (bothbad)")[row % 3]
    return {"id": f"c{row}", "winner": winner, "conversation_a": side("One"), "conversation_b": side("Other")}


@each("written", ["parquet", "json lines"])
def test_of_conversations_that_part_early_each_side_is_shown_from_there(written):
    rows = [*map(of_two_conversations, ROWS)]
    inputs = read(parquet(rows), name="t.parquet") if written == "parquet" else read(lines(rows), name="t.jsonl")
    assert "In 20 of 60 rows the conversations part before the last turn." in str(inputs.reading)
    asked, _, sides = seen(inputs, 3).partition("Left")
    assert ASKED[3] in asked
    assert not {"One", "Other", "And?"} & {*asked.split()}
    assert all(f"{name} {what}" in sides for name in ("One", "Other") for what in ("says", "adds"))
    assert "assistant:" not in seen(inputs, 4)


def test_a_suggested_label_that_was_accepted_or_rejected_is_called_no_truth():
    kinds = ("NEWS", "ART", "TECH")
    tasks = [
        {
            "text": ASKED[row],
            "label": kinds[row % 3],
            "meta": {"score": 0.5 + row / 200},
            "answer": answer,
            "_input_hash": 7 - row,
        }
        for row, answer in zip(ROWS, 12 * ("accept", "reject", "accept", "accept", "ignore"), strict=True)
    ]
    inputs = read(lines(tasks), name="t.jsonl")
    assert roles(inputs)["prediction"] == "label"
    assert not any("The truth" in one for one in inputs.reading.doubtful)


def test_the_choices_of_a_question_are_shown_beside_it():
    words = ("melts", "burns", "floats", "rusts")
    rows = [
        {
            "doc_id": row,
            "doc": {
                "question": ASKED[row],
                "choices": {"text": [*words[row % 4 :], *words[: row % 4]], "label": list("ABCD")},
            },
            "target": TRUE[row],
            "filtered_resps": [SAID[row]],
            "acc": float(RIGHT[row]),
        }
        for row in ROWS
    ]
    assert all(word in seen(read(lines(rows), name="samples.jsonl")) for word in words)


def test_the_transcript_of_a_call_is_what_a_summary_is_of_and_was_not_heard_by_the_model_that_is_judged():
    rows = [
        {
            "audio_file": f"call{row}.wav",
            "transcript": f"agent: hello. caller: {ASKED[row]} agent: let me see. caller: thank you, I will wait for it then.",
            "reference_summary": TRUE[row],
            "summary_model": SAID[row],
        }
        for row in ROWS
    ]
    found = roles(read(table(rows)))
    assert (found["input"], found["output"], found["reference"]) == ("transcript", "summary_model", "reference_summary")


def test_a_third_side_is_no_tie_but_an_output_of_its_own():
    rows = [
        {
            "prompt": ASKED[row],
            **{f"response_{side}": f"{side.upper()}: {SAID[row]}" for side in "abc"},
            **{f"winner_{side}": int("abc"[row % 3] == side) for side in "abc"},
        }
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match="'response_c'"):
        read(table(rows))


@each("said", ["generation", "continuation", "completion"])
def test_a_text_in_the_record_of_what_was_generated_is_the_output(said):
    rows = [
        {"prompt": {"text": ASKED[row], "toxicity": 0.1}, said: {"text": SAID[row], "toxicity": row / 60}}
        for row in ROWS
    ]
    found = roles(read(lines(rows), name="t.jsonl"))
    assert (found["output"], found["input"]) == (f"{said}.text", "prompt.text")
