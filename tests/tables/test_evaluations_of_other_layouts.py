"""Evaluations of language models laid out in ways of their own: keys that are names, texts in lists, pieces of evidence.

Of nineteen real files, at first sight 8 were read right, 5 asked about, 3 refused and 3 misread without a word.
"""

import pytest

from testimate.core.errors import ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.each import each
from tests.tables.evaluation_files import document, lines
from tests.tables.kept_evaluation_files import ASKED, ROWS, SAID, TRUE

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
    records = {
        f"q{row}": {model: {"answer": f"{SAID[row]} By {model}.", "found": row % 3} for model in models} for row in ROWS
    }
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


def test_of_several_texts_that_may_be_judged_each_is_offered():
    records = [
        {"description": ASKED[row], **{f"e{place}_summary": f"{SAID[row]} {place} words." for place in range(3)}}
        for row in ROWS
    ]
    assert offered(lines(records)) == [f"--column output=e{place}_summary" for place in range(3)]


def test_how_few_rows_were_found_is_said_before_a_larger_budget_is_refused(tmp_path, command):
    table = tmp_path / "t.json"
    table.write_bytes(document({"results": [{"question": ASKED[row], "response": SAID[row]} for row in range(3)]}))
    said = command("select", table, "--budget", 5, "--seed", 1, "--out", tmp_path / "plan.json")
    assert said.status == 2
    reading, refusal = said.err.splitlines()
    assert reading.startswith("3 rows: input `question`")
    assert refusal == "The budget is 5. Expected a number between 1 and the number of inputs, 3. Change it."
