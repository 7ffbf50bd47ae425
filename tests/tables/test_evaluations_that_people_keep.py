"""Evaluations as people keep them in repositories: what a tester sees beside an output, rows of several tries, texts without
a header, and that a table stored before is read as it was.
"""

import json
from itertools import pairwise

import numpy as np
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.files import read_cells
from testimate.tables.packed_cells import with_opened_cells
from testimate.tables.rules import LATEST, PAIRED
from tests.each import each
from tests.tables.evaluation_files import document, lines
from tests.tables.kept_evaluation_files import ASKED, KEPT, LODGED, PLACES, RIGHT, ROWS, SAID, SIZE, TRUE

STORED = TableChoices(rules=PAIRED)


def content_of(name):
    [file] = [file for file in KEPT if file.name == name]
    return file.make()


def seen(name, row, **choices):
    subject = read_table(content_of(name), name=name, choices=TableChoices(**choices))
    return {pane.title: pane.shown.text for pane in subject.dataset.show(row).panes}


def test_a_tester_sees_the_task_beside_its_material_the_choices_and_whole_prompts():
    assert seen("alpaca_empty.json", 1) == {"Input": ASKED[1], "input": "", "Output": SAID[1]}
    assert seen("alpaca.json", 1) == {"Input": TRUE[1], "instruction": ASKED[1], "Output": SAID[1]}
    assert json.loads(seen("choices.json", 1)["choices"]) == ["Rome", "Oslo", "Bern"]
    assert seen("opencompass.json", 1)["Input"] == f"HUMAN:\n{ASKED[0]}\n\nBOT:\n{TRUE[0]}\n\nHUMAN:\n{ASKED[1]}"


def test_an_output_without_its_question_is_shown_with_the_name_of_its_input():
    assert seen("all_preds.jsonl", 3)["instance_id"] == "project__project-3"
    assert seen("our-7b.jsonl", 3)["question_id"] == "84"


def test_each_of_several_tries_is_a_row_of_its_own_and_right_or_wrong_as_it_was_marked():
    subject = read_table(content_of("sample_3.json"), name="t", choices=TableChoices(read=(("rows", "together"),)))
    assert len(subject.inputs) == 3 * SIZE
    assert subject.inputs.losses.tolist() == [loss for right in RIGHT for loss in (1 - right, 0, 1 - right)]
    assert len(subject.inputs.groups.names) == SIZE
    assert seen("sample_3.json", 4, read=(("rows", "each"),))["Output"] == TRUE[1]


def test_no_line_of_a_text_without_a_header_is_lost():
    cells = with_opened_cells(read_cells(content_of("predictions.txt"), "predictions.txt"), LATEST)
    assert cells.columns["line"].to_pylist() == PLACES
    lines = read_cells(content_of("generated_predictions.txt"), "generated_predictions.txt").columns["line"].to_pylist()
    assert (len(lines), lines[1], lines[3]) == (SIZE, SAID[1], SAID[3].replace(" went", ", as ever, went"))
    subject = read_table(
        content_of("generated_predictions.txt"), name="t", choices=TableChoices(columns=(("output", "line"),))
    )
    assert subject.dataset.show(1).panes[0].shown.text == SAID[1]


def test_the_first_line_of_a_table_without_a_header_is_its_first_row():
    subject = read_table(content_of("labels_first.txt"), name="t")
    assert subject.inputs.predictions.tolist() == [int(right) for right in RIGHT]
    assert subject.dataset.show(0).text == LODGED[0]


@each(
    "content",
    [
        "label\ttext\n" + "".join(f"{row % 2}\tThe sentence number {row}.\n" for row in range(40)),
        "image,0,1\n" + "".join(f"a{row}.png,{row % 2},{1 - row % 2}\n" for row in range(40)),
        ",0\n" + "".join(f"{row},{row % 2}\n" for row in range(40)),
        "species,word\n" + "".join(f"{'ab'[row % 2]},{['word', 'no'][row % 2]}\n" for row in range(40)),
    ],
)
def test_a_first_line_that_names_a_column_is_no_row(content):
    cells = with_opened_cells(read_cells(content.encode(), "t.csv"), LATEST)
    assert (cells.size, [*cells.columns][1]) == (40, content.splitlines()[0].replace("\t", ",").split(",")[1])


@each("first", ["0", "1"])
def test_a_first_number_that_may_count_the_columns_is_said_to_be_a_name_and_asked_about_where_it_stands_below_it(first):
    doubts = read_table(f"{first}\n".encode() + b"2.5\n3.5\n" * 20, name="t.csv").reading.doubtful
    with pytest.raises(ReadingUnclear, match=f"The first line is {first}, which stands below it, too"):
        read_table(f"{first}\n".encode() + b"0\n1\n" * 20, name="t.csv")
    assert any(f"first line, {first}, is read as the name" in doubt and "41 values" in doubt for doubt in doubts)
    named = read_table(b"prediction\n" + b"0\n1\n" * 20, name="t.csv")
    assert (len(named.inputs), [doubt for doubt in named.reading.doubtful if "first line" in doubt]) == (40, [])


def test_what_stands_in_a_list_of_each_record_is_no_answer_of_the_row():
    pages = [{"url": f"https://a.b/{row % 5}", "quote": f"of {row % 5}"} for row in ROWS]
    cited = [{"question": ASKED[row], "reference": TRUE[row], "evidences": [pages[row]] * 2} for row in ROWS]
    with pytest.raises(BadInput, match="were asked or expected") as refusal:
        read_table(lines(cited), name="cited.jsonl")
    assert not isinstance(refusal.value, ReadingUnclear)


def test_a_label_within_the_steps_of_a_trace_is_offered_as_the_prediction():
    steps = [{"ticket": ASKED[row], "steps": [{"label": PLACES[row], "ms": row / 7}, {"ms": row}]} for row in ROWS]
    with pytest.raises(BadInput, match=r"--column 'prediction=steps\[0\]\.label'"):
        read_table(lines(steps), name="steps.jsonl")
    told = TableChoices(columns=(("prediction", "steps[0].label"),))
    assert len(read_table(lines(steps), name="steps.jsonl", choices=told).inputs) == SIZE


def test_steps_of_a_trace_that_call_no_model_are_left_out_with_a_word():
    subject = read_table(content_of("spans.jsonl"), name="spans.jsonl")
    assert len(subject.inputs) == SIZE // 3
    assert f"Of {SIZE} steps the {SIZE // 3} that call a language model are rows." in subject.reading.doubtful
    assert with_opened_cells(read_cells(content_of("spans.jsonl"), "spans.jsonl"), PAIRED).size == SIZE


def test_outputs_of_one_input_are_counted_and_drawn_together_on_request():
    doubts = read_table(content_of("samples.jsonl"), name="samples.jsonl").reading.doubtful
    assert any(f"{SIZE} rows are of {SIZE // 3} inputs by 'task_id'" in doubt for doubt in doubts)
    grouped = read_table(content_of("samples.jsonl"), name="t", choices=TableChoices(columns=(("group", "task_id"),)))
    assert len(grouped.inputs.groups.names) == SIZE // 3


def test_a_name_that_does_not_stand_again_below_it_is_a_header():
    cells = with_opened_cells(read_cells(b"animal\n" + b"cat\ndog\n" * 20, "animals.csv"), LATEST)
    assert (cells.size, [*cells.columns]) == (40, ["animal"])


@each("name", ["all_preds.jsonl", "our-7b.jsonl", "generated_predictions.txt", "predictions.json"])
def test_a_table_that_was_refused_when_it_was_stored_is_refused_by_the_rules_of_then(name):
    with pytest.raises(BadInput):
        read_table(content_of(name), name=name, choices=STORED)


def test_rows_of_two_systems_on_the_same_inputs_are_drawn_together_or_alone_as_a_person_says():
    together, alone = (
        read_table(content_of("arms.jsonl"), name="t", choices=TableChoices(read=(("rows", rows),))).inputs
        for rows in ("together", "each")
    )
    assert (len(together.groups.names), together.groups.sizes.tolist()) == (SIZE, [2] * SIZE)
    assert alone.groups is None
    np.testing.assert_array_equal(together.losses, alone.losses)
    assert len(read_table(content_of("arms.jsonl"), name="t", choices=STORED).inputs) == 2 * SIZE


def test_a_table_stored_before_keeps_its_reading():
    def roles(name):
        reading = read_table(content_of(name), name=name, choices=STORED).reading
        return {column: one.role for column, one in reading.roles.items()}

    assert "instruction" not in roles("model_outputs.json")
    assert roles("judged_pairs.jsonl")["judgments[0].decision"] == "label"
    assert roles("generated_predictions.jsonl")["predict"] == "prediction"
    assert roles("batch_output.jsonl")["response.status_code"] == "score"
    assert len(read_table(content_of("predictions.txt"), name="t", choices=STORED).inputs) == SIZE - 1


def called(city):
    return [{"type": "function", "function": {"name": "visits", "arguments": json.dumps({"city": city})}}]


def replies(name):
    """Replies that are no text alone, each with what a tester should see of it."""
    asked = [{"role": "user", "content": one} for one in ASKED]
    said = [{"role": "assistant", "content": SAID[row], "tool_calls": None} for row in ROWS]
    shown = [*SAID]
    for row in range(0, SIZE, 2):
        call = f'visits({{"city": "{PLACES[row]}"}})'
        said[row] |= {"content": "" if row % 4 else SAID[row], "tool_calls": called(PLACES[row]) * 2}
        shown[row] = f"{call}\n{call}" if row % 4 else f"{SAID[row]}\n\n{call}\n{call}"
    if name == "calls":
        return [{"custom_id": row, "response": {"choices": [{"message": said[row]}]}} for row in ROWS], shown
    if name == "calls in chats":
        return [{"messages": [asked[row], said[row]]} for row in ROWS], shown
    if name == "answers":
        held = [{"role": "assistant", "content": {"answer": one}} for one in SAID]
        return [{"uid": f"{row:x}", "messages": [asked[row], held[row]]} for row in ROWS], SAID
    turns = [{"question_id": row, "choices": [{"index": 0, "turns": [SAID[row], TRUE[row]]}]} for row in ROWS]
    return turns, [f"Turn 1:\n{SAID[row]}\n\nTurn 2:\n{TRUE[row]}" for row in ROWS]


@each("name", ["calls", "calls in chats", "answers", "turns"])
@each("write", [lines, document])
def test_a_tester_sees_the_whole_of_a_reply_as_text(name, write):
    records, shown = replies(name)
    subject = read_table(write(records), name="t.json")
    for row in (0, 1, 2):
        assert {pane.title: pane.shown.text for pane in subject.dataset.show(row).panes}["Output"] == shown[row]


@each("name", ["calls", "calls in chats", "answers", "turns"])
@each("write", [lines, document])
def test_replies_of_a_table_stored_before_are_read_as_then(name, write, monkeypatch):
    content = write(replies(name)[0])
    now = with_opened_cells(read_cells(content, "t.json"), PAIRED)
    with monkeypatch.context() as without:
        without.setattr("testimate.tables.json_tables.OF_REPLIES", ())
        without.setattr("testimate.tables.json_tables.with_replies_as_text", lambda value: value)
        then = with_opened_cells(read_cells(content, "t.json"), PAIRED)
    assert read_cells(content, "t.json").changes[-1:] == ("replies as text",)
    assert (now.columns, now.changes) == (then.columns, then.changes)


def test_an_answer_that_is_json_stays_as_it_was_written_beside_replies_that_are_not():
    chats = [[{"role": "user", "content": ASKED[row]}] for row in ROWS]
    said = [{"answer": SAID[row]} if row else json.dumps({"answer": SAID[row]}) for row in ROWS]
    made = [{"messages": [*chats[row], {"role": "assistant", "content": said[row]}]} for row in ROWS]
    shown = read_table(lines(made), name="t.jsonl").dataset.show(0).panes[-1].shown.text
    assert json.loads(shown) == {"answer": SAID[0]}


def test_outputs_of_several_systems_for_one_question_are_asked_about():
    asked = [{"prompt": ASKED[row // 3], "model": f"m{row % 3}", "response": SAID[row]} for row in ROWS]
    with pytest.raises(
        ReadingUnclear, match=f"{SIZE} rows are of {SIZE // 3} inputs by 'prompt', told apart by 'model'"
    ):
        read_table(lines(asked), name="t.jsonl")
    together = read_table(lines(asked), name="t.jsonl", choices=TableChoices(read=(("rows", "together"),)))
    assert together.inputs.groups.sizes.tolist() == [3] * (SIZE // 3)
    assert read_table(lines(asked), name="t.jsonl", choices=STORED).inputs.groups is None
    alone = [{"prompt": ASKED[row], "model": f"m{row % 3}", "response": SAID[row]} for row in ROWS]
    assert read_table(lines(alone), name="t.jsonl").inputs.groups is None


def test_which_of_two_columns_called_answer_is_the_reference_is_asked():
    hinted = [
        {"sample": {"question": ASKED[row], "answer": row % 4}, "answer": "ABCD"[row // 7 % 4], "response": SAID[row]}
        for row in ROWS
    ]
    with pytest.raises(ReadingUnclear, match=r"'answer' and 'sample\.answer' may each be the reference"):
        read_table(lines(hinted), name="t.jsonl")
    told = TableChoices(columns=(("reference", "sample.answer"),))
    panes = read_table(lines(hinted), name="t.jsonl", choices=told).dataset.show(9).panes
    assert {pane.title: pane.shown.text for pane in panes}["Reference"] == "1"


def test_what_a_judge_noted_beside_a_text_is_no_prediction():
    def noted(row):
        corrects = RIGHT[row] != (row % 20 == 0)
        return {"finds_correct_place": RIGHT[row], "corrects_itself": corrects, "is_short": row % 3 == 0}

    content = lines([{"trace": SAID[row], "judgment": noted(row)} for row in ROWS])
    with pytest.raises(BadInput, match="no predictions"):
        read_table(content, name="t.jsonl")
    then = read_table(content, name="t.jsonl", choices=STORED).reading.roles
    assert then["judgment.corrects_itself"].role == "prediction"


@each("mark", ["; ", ", ", " | "])
def test_sets_of_names_are_no_sentences_that_people_judge(mark):
    names = ["red", "blue", "green", "small", "round", "flat", "old", "new"]
    cells = [mark.join(names[place] for place in range(8) if (37 * row + 11) >> place & 1) for row in range(1, 80)]
    said = "".join(f'"{cell}","{other}"\n' for cell, other in pairwise(cells))
    reading = read_table(f"prediction,label\n{said}".encode(), name="t.csv").reading.roles
    assert {name: one.role for name, one in reading.items()} == {"prediction": "prediction", "label": "label"}
