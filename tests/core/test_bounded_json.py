"""JSON that somebody else wrote is as json reads it, or refused by a count that needs no parsing."""

import json

import pytest

from testimate.core.bounded_json import DEEPEST, read_json


def test_what_is_within_the_limits_is_what_json_reads():
    for value in (None, 3, "a,b[{", [], {"a": [1, 2.5, {"b": None}]}, ["\U0001f319", "\x00"]):
        text = json.dumps(value)
        assert read_json(text, most=10) == read_json(text.encode(), most=10) == value


@pytest.mark.parametrize("text", ["[[],[],[]]", '["a","b","c","d","e","f"]', '{"a": {"b": {}}, "c": [0,1]}'])
def test_values_are_counted_before_anything_is_parsed(text, monkeypatch):
    most = sum(map(text.count, "[{,"))
    assert read_json(text, most) == json.loads(text)
    monkeypatch.setattr(json, "loads", None)
    with pytest.raises(ValueError, match=f"more than {most - 1} values"):
        read_json(text, most - 1)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 500, 200_000])
def test_nesting_too_deep_for_a_later_reader_is_refused(levels):
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert read_json(deep, most=DEEPEST) == json.loads(deep)
    with pytest.raises(ValueError, match=f"nested deeper than {DEEPEST} levels"):
        read_json("[" * levels + "]" * levels, most=levels)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", '{"a": [Infinity]}'])
def test_numbers_that_json_does_not_have_are_refused_where_that_is_asked_for(text):
    read_json(text, most=9)
    with pytest.raises(ValueError, match="is not a finite number"):
        read_json(text, most=9, finite=True)
