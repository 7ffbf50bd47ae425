"""Records that were stored as JSON come back equal to what they were, whatever their fields are."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from testimate.core.stored_record import read_record


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
    with pytest.raises(TypeError, match="colour"):
        read_record(Part, {"sides": [1], "colour": "red"})
    with pytest.raises(TypeError, match="sides"):
        read_record(Part, {"name": "x"})
