"""Records that were stored as JSON come back equal to what they were, whatever their fields are."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta

from testimate.core.stored_record import Rule, ShortText, WrongRecord, WrongValue, read_record
from tests.each import each


@dataclass(frozen=True)
class Part:
    sides: tuple[int, ...]
    name: str = "?"


@dataclass(frozen=True)
class Whole:
    path: Path
    parts: tuple[Part, ...] = ()
    first: Part | None = None
    pair: tuple[str, int, Part] | None = None
    free: list[int] = field(default_factory=list)
    settings: Mapping[str, Any] = field(default_factory=dict)


def test_a_record_comes_back_from_json_as_it_was():
    whole = Whole(Path("a/b"), (Part((1, 2)), Part(())), Part((3,), "x"), ("y", 4, Part((5,))), [6], {"z": [7]})
    stored = json.loads(json.dumps(asdict(whole), default=str))
    assert read_record(Whole, stored) == whole


def test_a_field_that_was_not_stored_yet_has_its_default():
    assert read_record(Whole, {"path": "a"}) == Whole(Path("a"))


def test_a_record_with_a_strange_field_or_without_one_it_needs_is_refused():
    with pytest.raises(WrongRecord, match="color"):
        read_record(Part, {"sides": [1], "color": "red"})
    with pytest.raises(WrongRecord, match="sides"):
        read_record(Part, {"name": "x"})


@dataclass(frozen=True)
class Bounded:
    share: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    name: ShortText = ""
    even: Annotated[int, Rule(lambda number: number % 2 == 0, "an even number")] = 0
    counts: Mapping[str, Annotated[int, Meta(ge=0)]] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    scale: float = 1.0


def test_a_stored_whole_number_stays_one_where_any_number_may_stand():
    assert json.dumps(asdict(read_record(Bounded, {"scale": 1}))).endswith('"scale": 1}')  # or its digest would differ


@each(
    ("stored", "field_name", "found", "expected"),
    [
        ({"share": 1}, "share", 1, "a number between 0 and 1"),
        ({"share": float("nan")}, "share", None, "a number between 0 and 1"),
        ({"share": True}, "share", True, "a number between 0 and 1"),
        ({"name": "x" * 1_001}, "name", "x" * 1_001, "text of at most 1,000 characters"),
        ({"name": "half \ud83d"}, "name", "half \ud83d", "text of at most 1,000 characters"),
        ({"even": 3}, "even", 3, "an even number"),
        ({"even": "2"}, "even", "2", "an even number"),
        ({"counts": {"a": -1}}, "counts", {"a": -1}, "values by name"),
        ({"parts": [{"sides": []}, {"sides": [1.5]}]}, "sides", [1.5], "a list, each a whole number"),
    ],
)
def test_a_wrong_value_is_told_by_its_field_with_what_was_found_and_expected(stored, field_name, found, expected):
    with pytest.raises(WrongValue) as refused:
        read_record(Bounded, stored)
    assert (refused.value.field, refused.value.expected) == (field_name, expected)
    assert found is None or refused.value.found == found


@each("stored", [None, 5, "text", [], {"parts": [5]}, {"half \ud83d": 1}, {"parts": [{"sides": [], "color": "red"}]}])
def test_what_is_no_record_at_all_is_refused_wherever_it_stands(stored):
    with pytest.raises(WrongRecord):
        read_record(Bounded, stored)
