"""A column that names other columns of texts says which of these is better: the texts are outputs, and nobody sees it."""

import json

import pytest

from testimate.core.errors import ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices


def picked(*names):
    records = [
        {
            "excerpt": f"Today we talk about soil with guest {row}, and about worms.",
            **{
                name: f"The guest of part {row} explains in case {at} how worms keep soil healthy."
                for at, name in enumerate(names)
            },
            "editor_pick": [*names, "tie"][row % (len(names) + 1)],
        }
        for row in range(60)
    ]
    return json.dumps(records).encode()


def test_two_texts_between_which_a_person_picked_are_compared():
    reading = read_table(picked("tuned", "base"), name="a.json").reading
    roles = {name: one.role for name, one in reading.roles.items()}
    assert roles.items() >= {"tuned": "output_a", "base": "output_b"}.items()
    assert "editor_pick" in reading.left_out


def test_of_three_texts_one_is_asked_for_and_the_others_are_not_shown_beside_it():
    content = picked("sonnet", "mini", "flash")
    with pytest.raises(ReadingUnclear, match="'sonnet' and 'mini' and 'flash' may each be the output"):
        read_table(content, name="a.json")
    reading = read_table(content, name="a.json", choices=TableChoices(columns=(("output", "mini"),))).reading
    assert {name: one.role for name, one in reading.roles.items()} == {"excerpt": "input", "mini": "output"}
