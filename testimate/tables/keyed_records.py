"""Records in lists under keys: of each model, task or input a list, one or two levels deep, whose records are the rows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from testimate.tables.column_names import words_of
from testimate.tables.evaluation_records import KEY, OF_RECORD, OF_TRY
from testimate.tables.pairs import ASKED
from testimate.tables.records import MODELS, turns_of
from testimate.tables.rows_within import is_row

CHAT = "messages"
"""The column of chats of which each stands under a key."""

LEAST_ALIKE = 0.5
"""Share of the fields of each list that all lists have."""

FEWEST_KEYS = 5
"""Keys from which on short lists are tries of one input each; fewer are models, say, or parts of a set."""

MOST_PARTS = 1_000
"""Fields of an object of which one may hold the lists."""

Lists = dict[tuple[str, ...], list[Mapping[str, Any]]]


class KeyedRecords(NamedTuple):
    """The rows of an object that has lists of records under keys, and the path of that object."""

    rows: list[Mapping[str, Any]]
    where: str


def lists_under_keys(document: Any, levels_above: int, names: Sequence[str]) -> KeyedRecords | None:
    """Return the records of the only object with several lists of records that are alike, with their keys; None without one.

    ``levels_above`` : objects inside each other in which it may be. ``names`` : fields under which an object has its rows.

    >>> lists_under_keys({"set": "x", "runs": {"a": [{"said": 1}, {"said": 2}], "b": [{"said": 3}]}}, 3, ())
    KeyedRecords(rows=[{'key': 'a', 'said': 1}, {'key': 'a', 'said': 2}, {'key': 'b', 'said': 3}], where='runs')
    >>> lists_under_keys({"question": "2+2?", "sources": [{"url": "x"}], "tags": [{"name": "y"}]}, 3, ())
    """
    found = [*_objects_with_lists(document, "", levels_above, names)]
    if len(found) != 1:
        return None
    [(where, lists)] = found
    named = _names_of_keys(lists)
    rows: list[Mapping[str, Any]] = []
    for keys, records in lists.items():
        above = dict(zip(named, keys, strict=True))
        for place, record in enumerate(records):
            rows.append({**above, **({OF_TRY: place} if named[-1] == OF_RECORD else {}), **record})
    return KeyedRecords(rows, where)


def _objects_with_lists(value: Any, where: str, levels: int, names: Sequence[str]) -> Iterator[tuple[str, Lists]]:
    """The objects that have several lists of records, alike, under their keys, with the path of each."""
    if not isinstance(value, dict):
        return
    lists = _lists(value, beside=not where) or _lists_below(value, names)
    if lists is not None and _are_alike([*lists.values()]):
        yield where, lists
    elif levels and len(value) <= MOST_PARTS:
        for key, inside in value.items():
            yield from _objects_with_lists(inside, f"{where}.{key}".lstrip("."), levels - 1, names)


def _lists(value: Any, *, beside: bool = False) -> Lists | None:
    """The lists of records, or the chats, under the keys of an object; None where it holds anything else.

    ``beside`` : whether other fields may stand beside the lists.
    """
    if not isinstance(value, dict):
        return None
    held: dict[tuple[str, ...], Any] = {
        (str(key),): one for key, one in value.items() if not beside or _holds_records(one)
    }
    if not held or not all(isinstance(one, list) for one in held.values()):
        return None
    if not all(isinstance(record, dict) for records in held.values() for record in records):
        return None
    filled = {keys: records for keys, records in held.items() if records}
    chats = [turns for records in filled.values() if (turns := turns_of(records)) is not None]
    if len(chats) < len(filled):
        return filled
    if not any(speaker.casefold() in MODELS for turns in chats for speaker, _ in turns):
        return None
    return {keys: [{CHAT: records}] for keys, records in filled.items()}


def _holds_records(value: Any) -> bool:
    """Whether a list of records is anywhere in a value."""
    if isinstance(value, dict):
        return any(map(_holds_records, value.values()))
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _lists_below(value: Mapping[str, Any], names: Sequence[str]) -> Lists | None:
    """The same of the objects under the keys of an object, or of the one list that each has under a name of rows."""
    held = {str(key): one for key, one in value.items() if _holds_records(one)}
    if len(held) < 2 or not all(isinstance(one, dict) for one in held.values()):
        return None
    inside = [(key, _lists(one)) for key, one in held.items()]
    if all(lists for _, lists in inside) and any(len(one) > 1 for one in held.values()):
        return {(key, *keys): records for key, lists in inside for keys, records in (lists or {}).items()}
    below = ({key: one.get(name) for key, one in held.items()} for name in (*names, *_only_list_of_each(held)))
    return next((lists for one in below if (lists := _lists(one)) is not None), None)


def _only_list_of_each(objects: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The name of the only list of records that each of several objects has, if it is the same and none is a row itself."""
    if any(map(is_row, objects.values())):
        return []
    listed = [
        {name for name, value in one.items() if isinstance(value, list) and _holds_records(value)}
        for one in objects.values()
    ]
    return [*listed[0]] if len(listed[0]) == 1 and all(one == listed[0] for one in listed) else []


def _are_alike(lists: Sequence[Sequence[Mapping[str, Any]]]) -> bool:
    """Whether these are several lists whose records have mostly the same fields, and more than one record."""
    if len(lists) < 2 or sum(map(len, lists)) < 3:
        return len(lists) > 1 and all({*records[0]} == {CHAT} for records in lists)
    fields = [{*chain.from_iterable(records)} for records in lists]
    shared = set.intersection(*fields)
    return bool(shared) and all(len(shared) >= LEAST_ALIKE * len(one) for one in fields)


def _names_of_keys(lists: Lists) -> list[str]:
    """The names of the columns of keys; the last is that of an input where its list holds tries, and no further questions."""
    named = [KEY if not place else f"{KEY}_{place + 1}" for place in range(len(next(iter(lists))))]
    tries = len(lists) >= FEWEST_KEYS and 1 < max(map(len, lists.values())) <= len(lists)
    fields = {field: value for records in lists.values() for record in records for field, value in record.items()}
    asked = any(ASKED & words_of(field) and isinstance(value, str) for field, value in fields.items())
    if tries and not asked and not {OF_RECORD, OF_TRY} & {*fields}:
        named[-1] = OF_RECORD
    while {*named} & {*fields}:
        named = [f"{name}_above" for name in named]
    return named
