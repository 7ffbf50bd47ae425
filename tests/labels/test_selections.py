"""Named selections: kept on disk in every version, the latest one standing, and read as columns."""

from dataclasses import replace

import pytest

from testimate.core.errors import BadInput
from testimate.labels import SqlStore
from testimate.labels.notes import LONGEST_SELECTION_NAME, Selection, Selections, tag_columns

NIGHT = Selection("road", "light", '=night <b>"', (5, 3, 3, 9), "Ann", "2026-11-20T10:05:00+00:00")


@pytest.fixture
def place(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'labels.sqlite'}"


def test_a_selection_is_found_by_another_process_with_each_row_once_and_only_on_its_subject(place):
    Selections(SqlStore(place)).keep(NIGHT, size=10)
    found = Selections(SqlStore(place))
    assert found.of("road") == [replace(NIGHT, rows=(3, 5, 9))]
    assert found.of("digits") == []


def test_the_same_name_in_a_column_is_replaced_and_in_another_column_stands_beside(place):
    kept = Selections(SqlStore(place))
    kept.keep(NIGHT, size=10)
    kept.keep(replace(NIGHT, rows=(1,), tester="Ben"), size=10)
    kept.keep(replace(NIGHT, column="weather"), size=10)
    assert [(one.column, one.rows, one.tester) for one in kept.of("road")] == [
        ("weather", (3, 5, 9), "Ann"),
        ("light", (1,), "Ben"),
    ]


def test_a_selection_that_was_taken_back_stands_no_longer_and_may_be_named_again(place):
    kept = Selections(SqlStore(place))
    kept.keep(NIGHT, size=10)
    kept.take_back(NIGHT, tester="Ben", at="later")
    assert kept.of("road") == []
    kept.keep(NIGHT, size=10)
    assert len(kept.of("road")) == 1


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"rows": ()}, "contains no input"),
        ({"rows": (3, 10)}, "contains input 10. Expected some of the 10"),
        ({"rows": (-1, 3)}, "contains input -1"),
        ({"name": "  "}, "Expected a visible character"),
        ({"name": "two\nlines"}, r"invisible character U\+000A"),
        ({"column": "c" * (LONGEST_SELECTION_NAME + 1)}, "The column of the selection has 81 characters"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence_and_leaves_nothing(place, wrong, why):
    kept = Selections(SqlStore(place))
    with pytest.raises(BadInput, match=why):
        kept.keep(replace(NIGHT, **wrong), size=10)
    assert kept.of("road") == []


def test_each_column_names_the_inputs_of_its_selections_the_newer_one_where_two_share_an_input(place):
    kept = Selections(SqlStore(place))
    kept.keep(replace(NIGHT, name="night", rows=(0, 1, 2)), size=4)
    kept.keep(replace(NIGHT, name="dusk", rows=(2, 3)), size=4)
    kept.keep(replace(NIGHT, column="tag", name="blurred", rows=(1,)), size=4)
    columns = tag_columns(kept.of("road"), 4)
    assert {name: cells.tolist() for name, cells in columns.items()} == {
        "light": ["night", "night", "dusk", "dusk"],
        "tag": ["", "blurred", "", ""],
    }


def test_a_selection_of_all_of_40_000_inputs_and_a_column_of_as_many_names_are_read(place):
    kept = Selections(SqlStore(place))
    kept.keep(replace(NIGHT, name="all", rows=tuple(range(40_000))), size=40_000)
    many = [replace(NIGHT, name=str(row), rows=(row,)) for row in range(40_000)]
    cells = tag_columns([*many, *kept.of("road")], 40_000)["light"]
    assert cells.tolist() == [str(row) for row in range(40_000)]
