"""Which rows of a table belong together: as said, and as a table looks."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import InputGroups
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.planning.forecast import drawn_apart
from testimate.subjects.media import Names
from testimate.subjects.prediction_table import read_table
from testimate.subjects.table_choices import TableChoices
from tests.each import each


def table(column, values):
    lines = [f"{value},{('dog', 'cat')[row % 2]},0.{50 + row % 40}" for row, value in enumerate(values)]
    return "\n".join([f"{column},prediction,confidence", *lines]).encode()


def test_a_column_called_group_says_what_belongs_together_and_an_empty_cell_is_a_group_of_its_own():
    found = read_table(table("Group", ["a", "b", "a", "", "", "b"]), name="t.csv")
    assert found.inputs.groups.codes.tolist() == [0, 1, 0, 2, 3, 1]
    assert ("groups", "4 by Group, of 1 to 2 inputs, 2 of them inputs without one") in found.facts
    assert found.inputs.looks_grouped == ""


def test_the_column_stays_what_it_was_before_it_was_a_role():
    found = read_table(table("group", [4, 4, 7, 7]), name="t.csv")
    assert found.inputs.scores["group"].tolist() == [4, 4, 7, 7]
    assert found.fingerprint == read_table(table("group", [4, 4, 7, 7]), name="other.csv").fingerprint


def test_any_column_can_be_named_and_its_groups_are_drawn_as_wholes():
    found = read_table(
        table("ward", [f"w{row // 3}" for row in range(30)]),
        name="t.csv",
        choices=TableChoices(columns=(("group", "ward"),)),
    )
    draws = build(found.inputs, Request("rrs-groups", 12, 1)).ask(12)
    assert all(len({draw.row // 3 for draw in draws[place : place + 3]}) == 1 for place in range(0, 12, 3))
    assert "group w" in draws[0].reason


@pytest.mark.parametrize(("values", "groups"), [(["a"] * 8, 1), (list("abcdefgh"), 8)])
def test_one_group_with_all_inputs_and_groups_of_one_are_drawn_like_any_other(values, groups):
    found = read_table(table("group", values), name="t.csv")
    assert len(found.inputs.groups.names) == groups
    for technique in ("srs-groups", "rrs-groups"):
        draws = build(found.inputs, Request(technique, 8, 1)).ask(8)
        assert sorted(draw.row for draw in draws) == list(range(8))


def test_without_groups_their_techniques_say_what_to_name():
    found = read_table(table("ward", ["a", "a", "b", "b"]), name="t.csv")
    with pytest.raises(BadInput, match="--column group=NAME"):
        build(found.inputs, Request("srs-groups", 2, 1))


@each(
    ("column", "values", "seen"),
    [
        ("patient_id", [row // 3 for row in range(30)], "the cells of the column 'patient_id' repeat"),
        ("image", [f"ward/p{row // 3}_{row % 3}.png" for row in range(60)], "file names begin alike, such as 'p0'"),
        ("patient_id", list(range(30)), ""),
        ("tools[0].author", [f"{row // 3}" for row in range(30)], ""),
        ("image", [f"train_{row:04}.png" for row in range(60)], ""),
        ("image", [f"cat2_{row:04}.png" for row in range(60)], ""),
        ("light", ["day", "night"] * 15, ""),
    ],
)
def test_a_table_that_looks_grouped_is_named_and_no_other(column, values, seen):
    inputs = read_table(table(column, values), name="t.csv").inputs
    assert seen in inputs.looks_grouped
    assert bool(inputs.looks_grouped) == bool(seen)
    assert drawn_apart(inputs, "rrs") == inputs.looks_grouped


def test_groups_that_are_drawn_one_by_one_are_named_and_those_drawn_as_wholes_are_not():
    inputs = read_table(table("group", ["a", "b"] * 5), name="t.csv").inputs
    assert "draws them one by one" in drawn_apart(inputs, "srs")
    assert drawn_apart(inputs, "srs-groups") == ""


def test_a_part_of_the_inputs_keeps_the_groups_it_has():
    inputs = read_table(table("group", ["a", "b", "c", "a"]), name="t.csv").inputs
    part = inputs.part(np.array([3, 1])).groups
    assert (part.codes.tolist(), part.names) == ([0, 1], ("a", "b"))


def test_groups_without_an_input_are_refused():
    with pytest.raises(BadInput, match="2 groups are named"):
        InputGroups(np.zeros(3, dtype=np.intp), ("a", "b"))


def test_iterating_over_the_names_of_rows_ends():
    names = Names(lambda row: f"row {row}", 3)
    assert list(names) == ["row 0", "row 1", "row 2"]
    assert "row 9" not in names
    with pytest.raises(IndexError):
        names[3]
