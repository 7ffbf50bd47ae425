"""Records under keys inside keys: of each model the documents, and of each of these the fields with what was predicted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from testimate.core.spellings import bare
from testimate.tables.column_names import OF_PREDICTIONS, words_of
from testimate.tables.evaluation_names import is_called_output
from testimate.tables.evaluation_records import KEY, OF_RECORD
from testimate.tables.records import as_json
from testimate.tables.score_names import JUDGE_NAMES

MOST_DEEP = 6
"""Objects inside each other in which records are looked for."""

LEAST_ALIKE = 0.5
"""Share of the fields of each record that all have, and of the records that have an answer."""

BETWEEN = " / "
"""What stands between the keys of an input."""

SYSTEMS = frozenset({"model", "models", "system", "method", "variant", "llm"})
"""Fields of a record that say which system it is about."""


class Nested(NamedTuple):
    """A record, the keys above it, and the plain fields of the records above it."""

    keys: tuple[str, ...]
    above: Mapping[str, Any]
    record: Mapping[str, Any]


def records_under_keys(document: Any) -> list[Nested] | None:
    """Return the records of an object that hold answers and stand under keys, at the depth at which they do; None without any.

    >>> fields = {"title": {"gold": "A", "predicted": "B"}, "year": {"gold": 1, "predicted": 1}}
    >>> found = records_under_keys({"m1": {"docs": {"d1": fields, "d2": fields}}, "m2": {"docs": {"d1": fields}}})
    >>> len(found), found[0].keys, found[0].record
    (6, ('m1', 'd1', 'title'), {'gold': 'A', 'predicted': 'B'})
    """
    found = _unfolded([Nested((), {}, document)], MOST_DEEP) if isinstance(document, dict) else None
    return found if found is not None and len(found) > 1 and found[0].keys else None


def rows_of_nested(found: Sequence[Nested]) -> list[Mapping[str, Any]]:
    """Return records under keys as rows: the keys in columns, of which one tells systems apart where others name the input."""
    system, depth = _level_of_systems(found), len(found[0].keys)
    mixed = _mixed_fields(found)
    rows: list[Mapping[str, Any]] = []
    for one in found:
        rest = [key for place, key in enumerate(one.keys) if place != system]
        keys: dict[str, Any] = {OF_RECORD: BETWEEN.join(rest)} if system is not None and depth > 1 else {}
        ordered = rest if system is None else [one.keys[system], *(rest if depth > 2 else [])]
        keys |= {KEY if not place else f"{KEY}_{place + 1}": key for place, key in enumerate(ordered)}
        own = {
            name: as_json(value) if name in mixed and _is_open(value) else value for name, value in one.record.items()
        }
        rows.append({**keys, **{name: value for name, value in one.above.items() if name not in keys}, **own})
    return rows


def _unfolded(found: list[Nested], levels: int) -> list[Nested] | None:
    """The records with answers in or below some; None where there are none, or nothing tells which these are."""
    if _have_answers(found):
        return found
    if not levels or any(_are_records(value) for one in found for value in one.record.values()):
        return None
    one_name = len({name for one in found for name in one.record}) < 2
    if (found[0].keys or len(found[0].record) > 1) and not one_name:
        inside = [inner for one in found for inner in one.record.values()]
        if len(inside) > 1 and _are_alike(inside):
            return _unfolded(
                [Nested((*one.keys, key), one.above, inner) for one in found for key, inner in one.record.items()],
                levels - 1,
            )
    several = []
    for name in dict.fromkeys(name for one in found for name in one.record):
        held = [one for one in found if isinstance(one.record.get(name), dict) and one.record[name]]
        if held and len(held) >= LEAST_ALIKE * len(found):
            below = _unfolded(
                [Nested(one.keys, {**one.above, **_plain(one.record)}, one.record[name]) for one in held], levels - 1
            )
            several += [] if below is None else [below]
    return several[0] if len(several) == 1 else None


def _have_answers(found: Sequence[Nested]) -> bool:
    """Whether these are records under keys of which most have an answer, under the same name."""
    if not found[0].keys:
        return False
    named = [
        {name for name, value in one.record.items() if _is_answer(name) and not isinstance(value, dict)}
        for one in found
    ]
    return any(sum(name in one for one in named) >= LEAST_ALIKE * len(found) for name in set[str]().union(*named))


def _is_answer(name: str) -> bool:
    return bare(name) in OF_PREDICTIONS or is_called_output(name)


def _are_records(value: object) -> bool:
    """Whether this is a list of records, which are the rows if there is one."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) for one in value)


def _are_alike(values: Iterable[Any]) -> bool:
    """Whether these are objects with mostly the same fields, or objects of such."""
    records = [*values]
    if not records or not all(isinstance(one, dict) and one for one in records):
        return False
    shared = set.intersection(*({*one} for one in records))
    if all(len(shared) >= LEAST_ALIKE * len(one) for one in records):
        return True
    inside = [inner for one in records for inner in one.values()]
    return len(inside) > len(records) and _are_alike(inside)


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if isinstance(value, str | int | float)}


def _is_open(value: object) -> bool:
    return isinstance(value, dict | list)


def _mixed_fields(found: Sequence[Nested]) -> set[str]:
    """The fields that hold texts or numbers in some records, and lists or objects in others."""
    kinds: dict[str, set[bool]] = {}
    for one in found:
        for name, value in one.record.items():
            if value is not None:
                kinds.setdefault(name, set()).add(_is_open(value))
    return {name for name, some in kinds.items() if len(some) > 1}


def _level_of_systems(found: Sequence[Nested]) -> int | None:
    """The place among the keys of those that name models; None where none do."""
    for place in range(len(found[0].keys)):
        names = {one.keys[place] for one in found}
        said = [name for name in names if any(word.startswith(JUDGE_NAMES) for word in words_of(name))]
        above = any(one.above.get(field) == one.keys[place] for one in found[:1] for field in SYSTEMS)
        if 2 * len(said) > len(names) or above:
            return place
    return None
