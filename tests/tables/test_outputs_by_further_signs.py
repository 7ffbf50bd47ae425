"""Evaluations of language models whose outputs, references and judges are told by more than one known name."""

import pytest

from testimate.core.errors import BadInput
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from testimate.tables.rules import LONE
from tests.tables.evaluation_files import lines
from tests.tables.kept_evaluation_files import ROWS, SAID

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
