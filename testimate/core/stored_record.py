"""Reads a stored record back: one rule for every frozen record that was written as plain JSON values.

JSON has no tuples, paths or records, so the types of the record's fields say what a value was.
"""

from collections.abc import Hashable, Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def read_record(kind: type[Record], stored: Mapping[str, Any]) -> Record:
    """Return the record whose fields were stored; a field that was not stored has its default.

    Lists become tuples where the field is one, maps become records, texts become paths; everything else stays as it is and
    is for the record to check. Raises TypeError where a field without a default is missing, or one is unknown.

    >>> from testimate.core.design import SimpleRandom
    >>> read_record(SimpleRandom, {"stratum_sizes": [9], "planned": 3}).stratum_sizes
    (9,)
    """
    hints = _hints(cast("Hashable", kind))
    return kind(**{name: _read(hints.get(name), value) for name, value in stored.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(hint: Any, value: Any) -> Any:
    """Return the value in the type of its field."""
    if isinstance(value, list):
        return _tuple(hint, value)
    if isinstance(value, Mapping):
        record = next((one for one in _choices(hint) if isinstance(one, type) and is_dataclass(one)), None)
        return value if record is None else read_record(record, value)
    return Path(value) if isinstance(value, str) and Path in _choices(hint) else value


def _tuple(hint: Any, values: list[Any]) -> Any:
    """Return the values as a tuple where the field is one, each in its own type."""
    for choice in _choices(hint):
        if get_origin(choice) is tuple:
            parts = get_args(choice)
            if len(parts) == 2 and parts[1] is Ellipsis:
                return tuple(values) if _is_plain(parts[0]) else tuple(_read(parts[0], value) for value in values)
            return tuple(map(_read, parts, values)) if len(parts) == len(values) else tuple(values)
    return values


def _choices(hint: Any) -> tuple[Any, ...]:
    """Return the types that a field may have."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _is_plain(hint: Any) -> bool:
    """Whether values of this type are what JSON gives: then millions of them need no look."""
    return all(get_origin(one) is not tuple and not is_dataclass(one) and one is not Path for one in _choices(hint))
