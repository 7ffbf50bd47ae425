"""Rows that stand in lists inside other records, as a report has the cases of each category. Known since ``rules.FOUND``."""

from collections.abc import Mapping, Sequence
from typing import Any

from testimate.core.spellings import bare
from testimate.tables.column_names import OF_PREDICTIONS
from testimate.tables.evaluation_names import is_called_input, is_called_output
from testimate.tables.records import turns_of

FEWEST_IN_EACH = 3
"""Records in each list on average from which on they are the rows."""

MOST_DEEP = 3
"""Objects inside each other in which an answer is looked for."""


def rows_within(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Return the records with answers in the only list of each record, with the plain fields beside it; None without such.

    A record that has an answer or a question of its own is a row, whatever it lists.

    >>> cases = [{"id": 1, "prediction": "a"}, {"id": 2, "prediction": "b"}, {"id": 3, "prediction": "a"}]
    >>> rows_within([{"topic": "x", "cases": cases}, {"topic": "y", "cases": cases}])[5]
    {'topic': 'y', 'id': 3, 'prediction': 'a'}
    >>> rows_within([{"question": "x", "answers": cases}, {"question": "y", "answers": cases}])
    """
    if len(records) < 2 or any(map(is_row, records)):
        return None
    names = [name for name in records[0] if all(_are_records(one.get(name)) for one in records)]
    if len(names) != 1 or any(is_called_output(name) for name in names):
        return None
    [name] = names
    lists = [one[name] for one in records]
    inside = [record for records in lists for record in records]
    if len(inside) < FEWEST_IN_EACH * len(records) or any(turns_of(one) is not None for one in lists):
        return None
    if sum(_has_answer(record, MOST_DEEP) for record in inside) <= len(inside) / 2:
        return None
    fields = {field for record in inside for field in record}
    return [
        {**{field: value for field, value in one.items() if _is_plain(value) and field not in fields}, **record}
        for one in records
        for record in one[name]
    ]


def is_row(record: Mapping[str, Any]) -> bool:
    """Return whether a record has an answer or a question of its own."""
    plain = [name for name, value in record.items() if isinstance(value, str)]
    return any(is_called_output(name) or is_called_input(name) or bare(name) in OF_PREDICTIONS for name in plain)


def _are_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def only_list_with_answers(document: Any) -> tuple[str, list[Mapping[str, Any]]] | None:
    """Return the name and the records of the only list in an object most of whose records have an answer; None without one.

    >>> only_list_with_answers({"gates": [{"name": "a"}], "cases": [{"response": {"answer": "Rome"}}]})
    ('cases', [{'response': {'answer': 'Rome'}}])
    """
    lists = (
        {name: value for name, value in document.items() if _are_records(value)} if isinstance(document, dict) else {}
    )
    found = [
        (name, records)
        for name, records in lists.items()
        if 2 * sum(_has_answer(record, MOST_DEEP) for record in records) > len(records)
    ]
    return found[0] if len(found) == 1 else None


def _has_answer(record: Mapping[str, Any], levels: int) -> bool:
    """Whether a record has a field that is called an answer, or an object or a list of one record that has one."""
    for name, value in record.items():
        if isinstance(value, str | int | float) and (is_called_output(name) or bare(name) in OF_PREDICTIONS):
            return True
        inner = value[0] if isinstance(value, list) and len(value) == 1 else value
        if levels > 1 and isinstance(inner, dict) and _has_answer(inner, levels - 1):
            return True
    return False
