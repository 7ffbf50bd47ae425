"""Files of other tools open as they are: their rows are found, their fields are columns, and each column has its role."""

import json
import struct

import pandas as pd
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.project.project import Project
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.evaluations import roles_of_evaluation
from testimate.tables.files import read_cells
from testimate.tables.rows_of_input import several_rows
from testimate.tables.score_names import direction_of, is_no_score
from tests.each import each
from tests.tables.evaluation_files import ANSWERS, QUESTIONS, ROWS, TOOLS, lines


@each("tool", TOOLS)
def test_the_columns_of_a_tools_file_have_the_roles_that_it_documents(tool):
    made = TOOLS[tool]()
    cells = read_cells(made.content, "file")
    assert (cells.size, cells.format) == (ROWS, made.format)
    assert roles_of_evaluation(cells) == made.roles


@each("tool", TOOLS)
def test_a_tools_file_opens_as_a_subject_with_what_is_known_of_it(tool):
    made = TOOLS[tool]()
    subject = read_table(made.content, name="file")
    assert {role: subject.reading.with_role(role) for role in made.roles} == {
        role: (column,) for role, column in made.roles.items()
    }
    if made.score is not None:
        assert 1 - subject.inputs.losses.mean() == pytest.approx(made.score)
    elif "output_a" not in made.roles:
        assert subject.truth is None


def test_the_judge_sees_the_question_the_answer_and_the_reference():
    subject = read_table(TOOLS["lm-evaluation-harness"]().content, name="samples.jsonl")
    panes = {pane.title: pane.shown.text for pane in subject.dataset.show(3).panes}
    assert panes == {"Input": f"Q: {QUESTIONS[3]}\nA:", "Output": ANSWERS[3], "Reference": "6"}


def test_the_likeliest_choice_is_the_output_by_its_text():
    cells = read_cells(TOOLS["lm-evaluation-harness, choices"]().content, "samples.jsonl")
    assert cells.columns["filtered_resps"].to_pylist()[:3] == [" bee", " bee", " cow"]
    assert cells.columns["target"].to_pylist()[:3] == [" ant", " bee", " cow"]


def test_a_chat_is_its_last_turn_and_the_turns_before_it():
    cells = read_cells(TOOLS["chat messages"]().content, "chats.jsonl")
    assert cells.chats == ("messages",)
    assert cells.columns["messages.output"].to_pylist() == ANSWERS
    assert cells.columns["messages.input"][5].as_py() == f"system:\nBe exact.\n\nuser:\n{QUESTIONS[5]}"


def test_a_chat_of_two_thousand_turns_is_read_whole():
    turns = [{"role": ("user", "assistant")[place % 2], "content": f"turn {place}"} for place in range(2_000)]
    cells = read_cells(lines([{"messages": turns}] * 3), "long.jsonl")
    assert cells.columns["messages.output"][2].as_py() == "turn 1999"
    assert cells.columns["messages.input"][2].as_py().count("turn ") == 1_999


def test_an_answer_that_is_json_stays_the_text_it_is():
    answers = ['{"total": 4, "unit": "m"}', '["a", "b"]', "[1, 2"]
    cells = read_cells(lines([{"output": answer} for answer in answers]), "t.jsonl")
    assert cells.columns["output"].to_pylist() == answers


@each(
    ("name", "larger"),
    [
        *(("faithfulness", True), ("answer_relevancy", True), ("scores.exact_match", True), ("Accuracy", True)),
        *(("wer", False), ("val_loss", False), ("toxicity", False), ("perplexity", False)),
        *(("score", None), ("latency", None)),
    ],
)
def test_the_name_of_a_score_says_in_which_direction_it_is_better(name, larger):
    assert direction_of(name) is larger


@each(
    "name",
    ["sample_id", "epoch", "createdAt.timestamp", "latencyMs", "execution_duration", "usage.total_tokens", "doc_id"],
)
def test_a_key_a_time_or_a_count_is_no_score(name):
    assert is_no_score(name)


def test_rows_of_one_input_are_told_by_its_key_and_by_what_tells_them_apart():
    rows = [{"doc_id": row, "filter": name, "target": "x"} for row in range(20) for name in ("strict", "flexible")]
    found = several_rows(read_cells(lines(rows), "t.jsonl"))
    assert (found.key, found.by, found.inputs) == ("doc_id", "filter", 20)
    assert several_rows(read_cells(lines(rows[::2]), "t.jsonl")) is None


def test_a_tools_file_that_a_project_keeps_reopens_as_it_was(tmp_path):
    for name, tool in (
        ("samples.jsonl", "lm-evaluation-harness"),
        ("log.eval", "inspect_ai, .eval"),
        ("pairs", "Chatbot Arena"),
    ):
        made = TOOLS[tool]()
        key = Project(tmp_path).add_table(name, made.content).key
        reopened = Project(tmp_path).subject(key)
        assert reopened.reading.with_role("input") == (made.roles["input"],)
        assert 1 - reopened.inputs.losses.mean() == pytest.approx(made.score)
        assert reopened.dataset.show(0).panes


def test_what_several_rows_of_one_input_are_is_asked_and_they_are_drawn_together():
    rows = [
        {"question": QUESTIONS[row], "answer": f"{row} {epoch}.", "epoch": epoch}
        for row in range(ROWS)
        for epoch in (1, 2, 3)
    ]
    with pytest.raises(
        ReadingUnclear, match="The 72 rows are of 24 inputs by 'question', told apart by 'epoch'"
    ) as asked:
        read_table(lines(rows), name="epochs.jsonl")
    groups = {}
    for way in asked.value.ways:
        [(_, pair)] = way.changes
        groups[pair[1]] = read_table(lines(rows), name="epochs.jsonl", choices=TableChoices(read=(pair,))).inputs.groups
    assert groups["together"].sizes.tolist() == [3] * ROWS
    assert groups["each"] is None


def test_known_grades_keep_their_own_scale():
    rows = [{"question": QUESTIONS[row], "answer": ANSWERS[row], "rating": 1 + row % 4} for row in range(ROWS)]
    assert read_table(lines(rows), name="t.jsonl").task.classes == ("1", "2", "3", "4")
    means = [{**row, "rating": row["rating"] - 1 / 3} for row in rows]
    assert read_table(lines(means), name="t.jsonl").task.grades == "0-4/3"


@each(
    ("column", "cells", "roles"),
    [
        ("pred", ["yes", "no"], {"pred": "prediction"}),
        ("predicted_answer", ANSWERS, {"predicted_answer": "output", "answer": "reference", "question": "input"}),
    ],
)
def test_an_answer_beside_what_was_predicted_is_not_what_is_judged(column, cells, roles):
    rows = [
        {"question": QUESTIONS[row], "answer": ["yes", "no"][row % 2], column: cells[row % len(cells)]}
        for row in range(ROWS)
    ]
    found = read_table(lines(rows), name="t.jsonl").reading.roles
    assert {name: found[name].role for name in roles} == roles


def test_chats_in_the_cells_of_a_csv_are_opened_unless_its_names_say_what_is_judged():
    chats = [
        [{"role": "user", "content": QUESTIONS[row]}, {"role": "assistant", "content": ANSWERS[row]}]
        for row in range(ROWS)
    ]
    table = pd.DataFrame({"messages": map(json.dumps, chats), "rating": [1 + row % 5 for row in range(ROWS)]})
    subject = read_table(table.to_csv(index=False).encode(), name="t.csv")
    assert {pane.title: pane.shown.text for pane in subject.dataset.show(2).panes} == {
        "Input": QUESTIONS[2],
        "Output": ANSWERS[2],
    }
    assert subject.reading.with_role("label") == ("rating",)
    table["prediction"] = "cat"
    table["label"] = "owl"
    assert "messages" in read_table(table.to_csv(index=False).encode(), name="t.csv").reading.roles


def test_a_log_in_a_compression_that_python_lacks_is_refused_with_the_command_that_converts_it():
    content = TOOLS["inspect_ai, .eval"]().content
    method = struct.Struct("<H")
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):  # local headers, then the table of contents
        parts = content.split(mark)
        content = mark.join(
            [parts[0], *(part[: place - 4] + method.pack(93) + part[place - 2 :] for part in parts[1:])]
        )
    with pytest.raises(BadInput, match=r"Run inspect log convert big.eval --to json --output-dir logs-json"):
        read_cells(content, "big.eval")


@each("tool", ["promptfoo", "inspect_ai, JSON", "AlpacaEval", "MLflow traces"])
def test_a_column_is_said_to_be_shown_where_a_tester_sees_it_and_only_there(tool):
    content = TOOLS[tool]().content
    as_dropped = read_table(content, name="file")
    assert "shown" not in {one.role for one in as_dropped.reading.roles.values()}
    unseen = next(name for name, why in as_dropped.reading.left_out.items() if why == "not shown")
    assert all(pane.title != unseen for pane in as_dropped.dataset.show(0).panes)
    chosen = read_table(content, name="file", choices=TableChoices(columns=(("show", unseen),)))
    assert unseen in chosen.reading.roles
    assert [pane.title for pane in chosen.dataset.show(0).panes].count(unseen) == 1
