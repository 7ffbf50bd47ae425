"""JSON of unknown origin as a table: one object per line, a list of objects, or an object that has the rows inside.

Lines are read by PyArrow where their fields are alike, which is six times as fast; within bounds that it does not check itself.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.spellings import bare
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.cells import Cells, arrow_json, check_cell_length, check_names, pa
from testimate.tables.column_names import CONFIDENCES, OF_PREDICTIONS, TRUTHS
from testimate.tables.evaluation_names import is_called_output
from testimate.tables.evaluation_records import (
    KIND,
    OF_MESSAGES,
    OF_REPLIES,
    answers_by_key,
    calls_of_models,
    listed_replies,
    with_each_reply,
    with_plain_messages,
    with_replies_as_text,
    with_turns,
)
from testimate.tables.json_lines import MOST_NESTED, check_nesting, is_object_line, records_of_lines, too_deep
from testimate.tables.keyed_records import KeyedRecords, lists_under_keys
from testimate.tables.likeliest import OF_CHANCES, are_chances, by_score
from testimate.tables.lists_of_parts import PARTS, lists_of_parts, note_on_parts, with_parts_as_texts
from testimate.tables.nested_records import Nested, records_under_keys, rows_of_nested
from testimate.tables.record_layouts import (
    LOOKED_AT,
    ON_TEXTS,
    Spoken,
    note_on_spoken,
    rows_of_texts,
    spoken_in,
    with_spoken,
)
from testimate.tables.records import RESPONSES, columns_of_nested, columns_of_records, is_list, parted, turns_of
from testimate.tables.rows_within import only_list_with_answers, rows_within
from testimate.tables.rules import FOUND, LONE, PAIRED, TRANSLATED
from testimate.tables.whole_objects import whole_objects, with_whole_objects, with_whole_responses

ROWS_UNDER = (
    *("samples", "results", "request_states", "data", "records", "examples", "traces", "test_cases", "testCases"),
    *(
        "annotations",
        "rows",
        "items",
        "predictions",
        "instances",
        "questions",
        "entries",
        "spans",
        "eval",
        "testRunData",
    ),
)
"""Fields under which an object has its rows, the likeliest first."""

BESIDE_PREDICTIONS = frozenset(
    {
        *OF_PREDICTIONS,
        *TRUTHS,
        *CONFIDENCES,
        "label",
        "probabilities",
        "instances",
        "inputs",
        "texts",
        "ids",
        "files",
        "images",
    }
)
"""Names of lists that have a value for each input, as one of predictions has."""

MOST_LEVELS_ABOVE = 3
"""Objects inside objects in which the rows are looked for."""

PIECE = 32_000_000
"""Bytes that PyArrow parses at a time; a line may not be longer."""

SAMPLED_LINES, SAMPLED_BYTES = 1_000, 1_000_000
"""Lines from all over a file whose fields should be those of the whole file; a file of fewer bytes is looked at whole."""

MOST_OPENED = 500
"""Objects and lists in a line that PyArrow parses: it ends the whole program for some thousands inside each other."""


def read_json(content: bytes, name: str) -> Cells:
    """Return the columns of JSON in UTF-8; ``name`` is the file's, for sentences.

    BadInput where it is damaged, holds no rows, or is beyond the limits.
    """
    text = content.strip()
    if text.startswith(b"{") and _is_lines(text):
        return _read_lines(text, name)
    document = _document(text, name)
    before = partial(_read_document, document, name)
    if (texts := _rows_of_texts(document)) is not None:
        cells = cells_of_records(texts, "JSON, a list of texts")
        cells = replace(cells, notes=(*cells.notes, ON_TEXTS))
        return instead_of(cells, before, "list of texts", since=FOUND)
    nested = records_under_keys(document)
    if nested is not None and not _has_more_rows(document, nested):
        cells = cells_of_records(rows_of_nested(nested), "JSON, rows under keys")
        return instead_of(cells, before, "records under keys", since=FOUND)
    if (inside := _rows_beside_summary(document)) is not None:
        cells = _of_rows(inside[1], f"JSON, rows under {inside[0]!r:.60}")
        return instead_of(cells, before, "rows beside a summary", since=FOUND)
    keyed = lists_under_keys(document, MOST_LEVELS_ABOVE, ROWS_UNDER)
    if keyed is None or _has_other_rows(document, keyed):
        return before()
    what = f"JSON, rows under the keys of {keyed.where!r:.60}" if keyed.where else "JSON, rows under keys"
    return instead_of(_of_rows(keyed.rows, what), before, "rows under keys", since=FOUND)


def _rows_beside_summary(document: Any) -> tuple[str, list[Mapping[str, Any]]] | None:
    """The only list of several objects in an object that has another list of one, such as a summary, with its path."""
    rows, where = rows_of(document) if isinstance(document, dict) else (None, "")
    if rows is None or len(rows) != 1 or not where or where in ROWS_UNDER:
        return None
    return _only_rows_inside(document)


def _rows_of_texts(document: Any) -> list[Mapping[str, Any]] | None:
    """The rows of a list of texts that is the document, or the only list in it; None where there is none."""
    if not isinstance(document, dict):
        return rows_of_texts(document)
    lists = {name: value for name, value in document.items() if isinstance(value, list | dict) and value}
    called = [*filter(is_called_output, lists)]
    return rows_of_texts(lists[called[0]]) if len(lists) == len(called) == 1 and len(document) > 1 else None


def _has_more_rows(document: Mapping[str, Any], nested: Sequence[Nested]) -> bool:
    """Whether a document has as many rows as it has records under keys elsewhere, or other ones where these have one key."""
    rows = rows_of(document)[0] or [document]
    inside = _only_rows_inside(document)
    if inside is not None and len(inside[1]) >= len(nested):
        return True
    return rows != [document] and (len(nested[0].keys) < 2 or len(rows) >= len(nested))


def _has_other_rows(document: Any, keyed: KeyedRecords) -> bool:
    """Whether a document has the same rows or, under a name of rows or as many, others than those in its lists under keys."""
    if lists_beside_predictions(document) is not None or _are_of_one_input(_lists_of_one_length(document)):
        return True
    rows, where = rows_of(document)
    if rows is None or rows == [document]:
        return False
    if where == keyed.where:
        return rows == keyed.rows
    return where.partition(".")[0] in ROWS_UNDER or len(rows) >= len(keyed.rows)


def _are_of_one_input(side: list[Mapping[str, Any]] | None) -> bool:
    """Whether the records of lists side by side say the same in a field, such as the question that several systems answer."""
    if side is None:
        return False
    rows = [
        [one for one in row.values() if isinstance(one, dict)] for row in side
    ]  # questions may stand beside them as texts
    if not all(len(row) > 1 for row in rows):
        return False
    fields = set.intersection(*({*one} for row in rows for one in row))
    return any(all(len({str(one[name]) for one in row}) == 1 for row in rows) for name in fields)


def _read_document(document: Any, name: str) -> Cells:
    """The columns of a document."""
    beside = lists_beside_predictions(document)
    rows, where = rows_of(document)
    if beside is None and rows == [document] and (answers := answers_by_key(document)) is not None:
        cells = cells_of_records(answers, "JSON, an answer for each key")
        return instead_of(cells, lambda: cells_of_records([document], "JSON"), "answers by key", since=LONE)
    if beside is None and rows == [document] and (inside := _only_rows_inside(document)) is not None:
        path, found = inside
        before = partial(cells_of_records, [document], "JSON")
        return instead_of(_of_rows(found, f"JSON, rows under {path!r:.60}"), before, "rows inside", since=PAIRED)
    if beside is None and rows == [document] and (chats := _lists_with_chats(document)) is not None:
        cells = cells_of_records(chats, "JSON, lists side by side")
        return instead_of(cells, partial(cells_of_records, rows, "JSON"), "lists of chats", since=FOUND)
    if beside is not None and beside != rows:
        earlier = rows or [document]
        said = cells_of_records(beside, "JSON, lists side by side")
        what = f"JSON, rows under {where!r:.60}" if where else "JSON"
        return instead_of(said, lambda: cells_of_records(earlier, what), "lists side by side", since=TRANSLATED)
    if rows is None and (beside := _lists_of_one_length(document)) is not None:
        return cells_of_records(beside, "JSON, lists side by side")
    if rows is None and (answered := only_list_with_answers(document)) is not None:
        where, rows = answered
    if rows is None:
        raise BadInput(
            f"{name!r:.200} contains JSON in which no rows were found: {_outline(document)}. Expected a list of objects, or an "
            "object that has one. Export one object per line (JSON Lines)."
        )
    if not rows:
        raise BadInput(f"{name!r:.200} contains JSON without rows. Expected one per input. Export it with its rows.")
    what = f"JSON, rows under {where!r:.60}" if where else "JSON"
    if where and where not in ROWS_UNDER and (side := _lists_of_one_length(document)) is not None:
        cells = cells_of_records(side, "JSON, lists side by side")
        return instead_of(cells, partial(cells_of_records, rows, what), "lists side by side", since=LONE)
    return _of_rows(rows, what)


EACH_REPLY = "each reply"
"""What tells a table with several replies of each input from the same one as it was read before."""


def _of_rows(rows: list[Mapping[str, Any]], what: str) -> Cells:
    """The columns of records with each of several replies, or of the records that they list, if they list some."""
    if spoken_in(rows) is None and (within := rows_within(rows)) is not None:  # turns of a talk are no cases
        cells = _of_rows(within, f"{what}, the rows in their lists")
        return instead_of(cells, partial(_of_records, rows, what), "rows within", since=FOUND)
    return _of_records(rows, what)


def _of_records(rows: list[Mapping[str, Any]], what: str) -> Cells:
    """The columns of records that are rows."""
    several = with_each_reply(rows)
    if several is None:
        return _of_single_replies(rows, what)
    return instead_of(
        _of_single_replies(several, what), partial(_of_single_replies, rows, what), EACH_REPLY, since=FOUND
    )


def _of_single_replies(rows: list[Mapping[str, Any]], what: str) -> Cells:
    """The columns of records, with prompts as chats, replies as texts and objects that are one answer whole."""
    if parts := lists_of_parts(rows):
        cells = _of_objects(with_parts_as_texts(rows, parts), what)
        cells = replace(cells, notes=(*cells.notes, note_on_parts(parts)))
        return instead_of(cells, partial(_of_objects, rows, what), PARTS, since=FOUND)
    return _of_objects(rows, what)


def _of_objects(rows: list[Mapping[str, Any]], what: str) -> Cells:
    """The columns of records whose lists are read by their first object, with objects that are one answer whole."""
    if (whole_rows := with_whole_responses(rows)) is not rows:
        return instead_of(_of_turns([*whole_rows], what), partial(_of_turns, rows, what), WHOLE, since=FOUND)
    if (objects := whole_objects(rows)) is not None:
        whole = _of_turns(with_whole_objects(rows, objects), what)
        return instead_of(whole, partial(_of_turns, rows, what), WHOLE, since=FOUND)
    return _of_turns(rows, what)


def _of_turns(rows: list[Mapping[str, Any]], what: str) -> Cells:
    """The columns of records whose objects are read field by field, with prompts as chats and replies as texts."""
    turned = with_turns(rows)
    if turned is not None:
        return instead_of(
            cells_of_records(turned, what), partial(cells_of_records, rows, what), "turns of prompts", since=LONE
        )
    messages: list[Mapping[str, Any]] = with_plain_messages(rows)
    if messages is not rows:
        before = partial(_with_plain_replies, rows, what)
        return instead_of(_with_plain_replies(messages, what), before, MESSAGES, since=FOUND)
    if (spoken := spoken_in(rows)) is not None:
        before = partial(_with_plain_replies, rows, what)
        return instead_of(_cells_of_spoken(rows, spoken, what), before, CHATS, since=FOUND)
    return _with_plain_replies(rows, what)


WHOLE = "whole objects"
"""What tells a table of objects that are one answer each from the same one as it was read before."""


def _cells_of_spoken(rows: Sequence[Mapping[str, Any]], spoken: Spoken, what: str) -> Cells:
    """Records with the turns of their chats in columns, and the sentence on whose they are."""
    cells = cells_of_records([with_spoken(with_replies_as_text(row), spoken) for row in rows], what)
    return replace(cells, notes=(*cells.notes, note_on_spoken(rows, spoken)))


CHATS = "turns of speakers"
"""What tells a table of chats whose speakers have names of their own from the same one as it was read before."""


def _with_plain_replies(rows: list[Mapping[str, Any]], what: str) -> Cells:
    """Records with the replies of models as texts."""
    plain: list[Mapping[str, Any]] = with_replies_as_text(rows)
    if plain is not rows:
        before = partial(cells_of_records, rows, what)
        return instead_of(cells_of_records(plain, what), before, AS_TEXT, since=LONE)
    return cells_of_records(rows, what)


def instead_of(cells: Cells, before: Callable[[], Cells], change: str, *, since: int) -> Cells:
    """Return a table that was read as another one before these rules; what it has been read as since later ones stays."""
    changes = (*cells.changes, change)
    if cells.before is None or since >= cells.since:
        return replace(cells, before=before, since=since, changes=changes)
    later = cells.before
    return replace(cells, before=lambda: instead_of(later(), before, change, since=since), changes=changes)


def cells_of_records(rows: Iterator[Mapping[str, Any]] | list[Mapping[str, Any]], what: str) -> Cells:
    """Return records as a table; ``what`` is its format, for people."""
    columns, size = columns_of_records(rows)
    return checked_cells(columns, size, what)


def checked_cells(columns: dict[str, Any], size: int, what: str) -> Cells:
    """Return columns as a table; BadInput where a name or the length of a cell cannot be."""
    if not size or not columns:
        raise BadInput("The table has no rows. Expected one per input. Export it with its rows.")
    columns, likeliest = parted(columns)
    stripped = {path.strip(): column for path, column in columns.items()}
    check_names([path.strip() for path in columns])
    limits.check_shape(size, len(columns))
    for path, column in stripped.items():
        if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
            check_cell_length(path, column)
    found = {path.strip(): column for path, column in likeliest.items()}
    return by_score(Cells(stripped, size, format=what), {**stripped, **found}, found)


def _is_lines(text: bytes) -> bool:
    """Whether this is one object per line, and not one object over several lines."""
    first, _, rest = text.partition(b"\n")
    return bool(rest.strip()) and is_object_line(first, rest)


def _document(text: bytes, name: str) -> Any:
    """The document as plain values; BadInput where it is too large to hold, damaged or nested too deeply."""
    if len(text) > limits.MAX_JSON_BYTES:
        lines = f"{name.rpartition('.')[0]:.100}.jsonl"
        raise BadInput(
            f"{name!r:.200} is one JSON document of {commas(len(text))} bytes. Expected at most "
            f"{commas(limits.MAX_JSON_BYTES)}; as JSON Lines it may have more. Run jq -c '.[]' {name:.100} > {lines} on a list."
        )
    limits.check_free(1, 1, limits.BYTES_OF_JSON * len(text))
    try:
        document = json.loads(text)
    except RecursionError:
        raise too_deep(name) from None
    except ValueError as error:
        raise _damaged(name, str(error)) from None
    check_nesting(document, name)
    return document


def _damaged(name: str, why: str) -> BadInput:
    return BadInput(
        f"{name!r:.200} begins like JSON and is damaged or cut off ({why:.100}). Expected a complete file. Copy or export it "
        "again."
    )


def rows_of(document: Any, above: str = "", level: int = 0) -> tuple[list[Mapping[str, Any]] | None, str]:
    """Return the records of a document and the path they are under; None where there are none.

    >>> rows_of({"model": "m", "results": {"results": [{"a": 1}]}})
    ([{'a': 1}], 'results.results')
    >>> rows_of({"a": [1, 2], "b": ["x", "y"]})[0]
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    if isinstance(document, list):
        document = [_chances_of(one) or one for one in document]
        return (document if all(isinstance(one, dict) for one in document) else None), above
    if not isinstance(document, dict) or level > MOST_LEVELS_ABOVE:
        return None, above
    if "resourceSpans" in document:
        return spans_of(document), "resourceSpans"
    for key in ROWS_UNDER:
        if key in document:
            rows, where = rows_of(document[key], f"{above}.{key}".lstrip("."), level + 1)
            if rows:
                return rows, where
    columns = _of_columns(document)
    if columns is not None:
        return columns, above
    if level:
        return _of_keys(document), above
    lists = {key: value for key, value in document.items() if isinstance(value, list) and value}
    found = {key: value for key, value in lists.items() if all(isinstance(one, dict) for one in value)}
    if len(found) == 1:
        key, value = next(iter(found.items()))
        return value, key
    return _of_keys(document) or ([document] if not found else None), above


def _only_rows_inside(document: Mapping[str, Any]) -> tuple[str, list[Mapping[str, Any]]] | None:
    """The only list of several objects that an object holds at any of the first levels, with its path; None without one.

    >>> _only_rows_inside({"kind": "x", "results": {"documents": [{"id": 1}, {"id": 2}], "errors": []}})
    ('results.documents', [{'id': 1}, {'id': 2}])
    """
    found: list[tuple[str, list[Mapping[str, Any]]]] = []
    waiting: list[tuple[str, Any, int]] = [("", document, 0)]
    while waiting:
        path, value, level = waiting.pop()
        if isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) for one in value):
            found.append((path, value))
        elif isinstance(value, dict) and level <= MOST_LEVELS_ABOVE:
            waiting += [(f"{path}.{key}".lstrip("."), inside, level + 1) for key, inside in value.items()]
    return found[0] if len(found) == 1 and turns_of(found[0][1]) is None else None


def lists_beside_predictions(document: Any) -> list[Mapping[str, Any]] | None:
    """Return the rows of an object with a list of predictions and, beside it, as long ones of inputs, labels and the like.

    >>> lists_beside_predictions({"instances": [{"a": 1}, {"a": 2}], "predictions": ["x", "y"], "model": "m"})
    [{'instances': {'a': 1}, 'predictions': 'x'}, {'instances': {'a': 2}, 'predictions': 'y'}]
    """
    if not isinstance(document, dict):
        return None
    lists = {key: value for key, value in document.items() if isinstance(value, list) and len(value) > 1}
    sizes = {len(value) for key, value in lists.items() if bare(key) in OF_PREDICTIONS}
    alike = {key: value for key, value in lists.items() if {len(value)} == sizes}
    if sum(bare(key) in BESIDE_PREDICTIONS for key in alike) < 2:
        return None
    return [dict(zip(alike, row, strict=True)) for row in zip(*alike.values(), strict=True)]


def _lists_of_one_length(document: Any) -> list[Mapping[str, Any]] | None:
    """The rows of an object whose lists, two or more, are all as long, beside texts and numbers; None for any other one."""
    if not isinstance(document, dict):
        return None
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    if len(lists) < 2 or len({*map(len, lists.values())}) > 1 or len(next(iter(lists.values()))) < 2:
        return None
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _lists_with_chats(document: Any) -> list[Mapping[str, Any]] | None:
    """The rows of an object with a list of chats, and of others as long, beside what is no list; None for any other one."""
    side = _lists_of_one_length(document)
    if side is None:
        lists = [name for name, value in document.items() if isinstance(value, list) and value]
        side = [{lists[0]: one} for one in document[lists[0]]] if len(lists) == 1 else None
    if side is None or len(side) < 2:
        return None
    return side if any(all(turns_of(row[name]) is not None for row in side) for name in side[0]) else None


def _chances_of(values: Any) -> Mapping[str, float] | None:
    """The chances by class of a list such as [{"label": "cat", "score": 0.8}, ...], which names each class once; else None."""
    if not isinstance(values, list) or len(values) < 2 or not all(isinstance(one, dict) for one in values):
        return None
    if any({*one} != {"label", "score"} or not isinstance(one["label"], str) for one in values):
        return None
    found = {one["label"]: one["score"] for one in sorted(values, key=lambda one: one["label"])}
    return found if len(found) == len(values) and are_chances([*found.values()]) else None


def _of_columns(document: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The rows of an object whose fields are columns: equally long lists, or objects with the same row numbers, as pandas."""
    split = document.get("columns"), document.get("data")
    if isinstance(split[0], list) and isinstance(split[1], list) and all(isinstance(one, list) for one in split[1]):
        return [dict(zip(map(str, split[0]), one, strict=False)) for one in split[1]]
    values = [*document.values()]
    if values and all(isinstance(one, list) for one in values) and len(values[0]) > 0:
        lengths = {len(one) for one in values}
        return (
            [dict(zip(document, row, strict=True)) for row in zip(*values, strict=True)] if len(lengths) == 1 else None
        )
    if (
        values
        and all(isinstance(one, dict) and one and all(key.isdecimal() for key in one) for one in values)
        and (len({tuple(one) for one in values}) == 1)
    ):
        return [{name: document[name][row] for name in document} for row in values[0]]
    return None


def _of_keys(document: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The rows of an object that has a record, or a list of them, under the key of each input."""
    values = [*document.values()]
    if len(values) > 1 and all(isinstance(one, dict) for one in values):
        shared = set.intersection(*({*one} for one in values))
        return [{"key": key, **one} for key, one in document.items()] if shared else None
    if values and all(isinstance(one, list) and one and all(isinstance(row, dict) for row in one) for one in values):
        return [{"key": key, **row} for key, rows in document.items() for row in rows]
    return None


def spans_of(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the spans that an OpenTelemetry collector wrote as OTLP's JSON, of calls of a language model if there are any."""
    spans = [
        span
        for resource in document.get("resourceSpans") or ()
        for scope in (resource.get("scopeSpans") or () if isinstance(resource, dict) else ())
        for span in (scope.get("spans") or () if isinstance(scope, dict) else ())
        if isinstance(span, dict)
    ]
    calls = [span for span in spans if OUTPUT_MESSAGES in json.dumps(span.get("attributes") or "")]
    return [*(calls or spans)]


OUTPUT_MESSAGES = "gen_ai.output.messages"
"""The attribute of a span that holds what a language model gave."""


def _outline(document: Any) -> str:
    """What a document has at its top, in words."""
    if isinstance(document, list):
        kinds = {type(one).__name__ for one in document}
        return f"a list of {commas(len(document))} values ({', '.join(sorted(kinds))!s:.60})"
    return f"an object with {', '.join(map(repr, document))!s:.160}"


def samples_of_events(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the samples of a log of OpenAI's evals: the data of each event on one, under the type of the event.

    >>> events = [{"spec": {}}, {"sample_id": "s.1", "type": "match", "data": {"correct": True}}, {"final_report": {}}]
    >>> samples_of_events(events)
    [{'sample_id': 's.1', 'match': {'correct': True}}]
    """
    samples: dict[str, dict[str, Any]] = {}
    for record in records:
        sample, kind = record.get("sample_id"), record.get("type")
        if isinstance(sample, str) and isinstance(kind, str):
            samples.setdefault(sample, {"sample_id": sample})[kind] = record.get("data")
    return [*samples.values()]


def _cells_of_events(events: list[Mapping[str, Any]]) -> Cells:
    """The samples of such a log; where a model graded them, what it said is none of the model that was evaluated."""
    what = "log of OpenAI's evals"
    earlier = cells_of_records(samples_of_events(events), what)
    own = without_samplings_of_graders(events)
    if len(own) == len(events):
        return earlier
    return instead_of(
        cells_of_records(samples_of_events(own), what), lambda: earlier, "graders' samplings", since=FOUND
    )


def without_samplings_of_graders(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the events without the last sampling of each sample that has several and was graded by a choice of the model's.

    >>> events = [{"sample_id": "s.1", "type": kind, "data": {}} for kind in ("sampling", "sampling")]
    >>> len(without_samplings_of_graders([*events, {"sample_id": "s.1", "type": "metrics", "data": {"choice": "B"}}]))
    2
    """
    graded = {one.get("sample_id") for one in events if isinstance(one.get("data"), dict) and "choice" in one["data"]}
    samplings: dict[Any, list[int]] = {}
    for place, one in enumerate(events):
        if one.get("type") == "sampling" and one.get("sample_id") in graded:
            samplings.setdefault(one["sample_id"], []).append(place)
    last = {places[-1] for places in samplings.values() if len(places) > 1}
    return [one for place, one in enumerate(events) if place not in last]


EVENTS = (b'{"spec"', b'"sample_id"')
"""How a log of OpenAI's evals begins, and what its events have."""


def _read_lines(text: bytes, name: str) -> Cells:
    """One object per line, with each of several replies that it lists."""
    first = next(record for _, record in records_of_lines(io.BytesIO(text.partition(b"\n")[0]), name))
    if listed_replies(first):
        several = with_each_reply([record for _, record in records_of_lines(io.BytesIO(text), name)])
        if several is not None:
            cells = cells_of_records(map(with_replies_as_text, several), "JSON Lines")
            return instead_of(cells, partial(_lines_of_single_replies, text, name), EACH_REPLY, since=FOUND)
    return _lines_of_single_replies(text, name)


def _lines_of_single_replies(text: bytes, name: str) -> Cells:
    """One object per line."""
    if text.startswith(EVENTS[0]) and EVENTS[1] in text[:SAMPLED_BYTES]:
        return _cells_of_events([record for _, record in records_of_lines(io.BytesIO(text), name)])
    if any(all(part in text for part in parts) for parts in OF_MESSAGES):
        rows = [record for _, record in records_of_lines(io.BytesIO(text), name)]
        plain_rows: list[Mapping[str, Any]] = with_plain_messages(rows)
        if plain_rows is not rows:
            before = partial(_read_lines_with_replies, text, name)
            return instead_of(_with_plain_replies(plain_rows, "JSON Lines"), before, MESSAGES, since=FOUND)
    records = [*islice((record for _, record in records_of_lines(io.BytesIO(text), name)), LOOKED_AT)]
    if parts := lists_of_parts(records):
        rows = [record for _, record in records_of_lines(io.BytesIO(text), name)]
        cells = _with_plain_replies(with_parts_as_texts(rows, parts), "JSON Lines")
        cells = replace(cells, notes=(*cells.notes, note_on_parts(parts)))
        return instead_of(cells, partial(_read_lines_with_replies, text, name), PARTS, since=FOUND)
    if with_whole_responses(records) is not records:
        rows = [record for _, record in records_of_lines(io.BytesIO(text), name)]
        whole = _with_plain_replies([*with_whole_responses(rows)], "JSON Lines")
        return instead_of(whole, partial(_read_lines_with_replies, text, name), WHOLE, since=FOUND)
    if (objects := whole_objects(records)) is not None:
        rows = [record for _, record in records_of_lines(io.BytesIO(text), name)]
        whole = _with_plain_replies(with_whole_objects(rows, objects), "JSON Lines")
        return instead_of(whole, partial(_read_lines_with_replies, text, name), WHOLE, since=FOUND)
    if (spoken := spoken_in(records)) is not None:
        rows = [record for _, record in records_of_lines(io.BytesIO(text), name)]
        before = partial(_read_lines_with_replies, text, name)
        return instead_of(_cells_of_spoken(rows, spoken, "JSON Lines"), before, CHATS, since=FOUND)
    return _read_lines_with_replies(text, name)


MESSAGES = "plain messages"
"""What tells a table with the messages of other tools as turns from the same one as it was read before."""


def _read_lines_with_replies(text: bytes, name: str) -> Cells:
    """One object per line, with each reply of a model as one text."""
    if (
        any(all(part in text for part in parts) for parts in OF_REPLIES)
        and (plain := _with_replies(text, name)) is not None
    ):
        return plain
    return _read_plain_lines(text, name)


def _with_replies(text: bytes, name: str) -> Cells | None:
    """The lines with each reply of a model as one text; None where each is one already."""

    def records() -> Iterator[Mapping[str, Any]]:
        return (record for _, record in records_of_lines(io.BytesIO(text), name))

    if all(with_replies_as_text(record) is record for record in records()):
        return None
    plain = cells_of_records(map(with_replies_as_text, records()), "JSON Lines")
    return instead_of(plain, partial(_read_plain_lines, text, name), AS_TEXT, since=LONE)


AS_TEXT = "replies as text"
"""What tells such a table from the same one as it was read before."""


def _read_plain_lines(text: bytes, name: str) -> Cells:
    """One object per line, as it is written."""
    table = _alike(text)
    if table is not None:
        columns: dict[str, Any] = {}
        for column in table.column_names:
            columns |= columns_of_nested(column, table.column(column))
            limits.check_text_shape(table.num_rows, len(columns))
        return checked_cells(columns, table.num_rows, "JSON Lines")
    records = (record for _, record in records_of_lines(io.BytesIO(text), name))
    first = next(records)
    whole = chain([first], records)
    if "resourceSpans" in first:
        return cells_of_records([span for one in whole for span in spans_of(one)], "OpenTelemetry's JSON Lines")
    if KIND in json.dumps(first):
        return _of_calls([*whole])
    return cells_of_records(whole, "JSON Lines")


def _of_calls(spans: list[Mapping[str, Any]]) -> Cells:
    """The steps of traces: those that are calls of a language model, if these are some of them."""
    calls = calls_of_models(spans)
    if calls is None:
        return cells_of_records(spans, "JSON Lines")
    cells = cells_of_records(calls, "JSON Lines, calls of a language model")
    note = f"Of {commas(len(spans))} steps the {commas(len(calls))} that call a language model are rows."
    noted = replace(cells, notes=(*cells.notes, note))
    return instead_of(noted, partial(cells_of_records, spans, "JSON Lines"), "calls of models", since=LONE)


def _alike(text: bytes) -> Any:
    """The lines as a table of PyArrow; None where their fields or kinds of values differ, or a line opens too many lists.

    The fields of the sample are those of the whole file: PyArrow would make a column of all rows for any other one.
    """
    sample = _sample(text)
    opened = max((line.count(b"{") + line.count(b"[") for line in io.BytesIO(text)), default=0)
    if opened > MOST_OPENED or sample.count(b'":') > limits.MAX_COLUMNS * 2 or b'"resourceSpans"' in sample:
        return None
    if KIND.encode() in sample:
        return None
    try:
        schema = arrow_json.read_json(io.BytesIO(sample), _options()).schema
        if max(map(_levels, schema.types), default=0) >= MOST_NESTED:
            return None
        if RESPONSES in schema.names and _is_nested_list(schema.field(RESPONSES).type):
            return None
        if _has_lists_of_chances(pa.struct(schema)) or {"options", "accept"} <= {*schema.names}:
            return None
        schema = pa.schema([pa.field(one.name, _without_times(one.type)) for one in schema])
        whole = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
        return arrow_json.read_json(io.BytesIO(text), _options(), whole)
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _options() -> Any:
    return arrow_json.ReadOptions(block_size=PIECE)


def _sample(text: bytes) -> bytes:
    """Lines from all over the text; all of a small one."""
    if len(text) <= SAMPLED_BYTES:
        return text
    lines: list[bytes] = []
    end = total = 0
    for part in range(SAMPLED_LINES):
        at = len(text) * part // SAMPLED_LINES
        start = text.find(b"\n", at) + 1 if at else 0
        if start < end or (at and not start):  # within the line before, or in the last one
            continue
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        lines.append(text[start:end])
        total += end - start
        if total > PIECE:
            break
    return b"\n".join(lines)


def _is_nested_list(kind: Any) -> bool:
    return is_list(kind) and is_list(kind.value_type)


def _has_lists_of_chances(kind: Any) -> bool:
    """Whether an object has a list of chances, or one inside it has."""
    if not pa.types.is_struct(kind):
        return False
    return any((is_list(one.type) and bare(one.name) in OF_CHANCES) or _has_lists_of_chances(one.type) for one in kind)


def _levels(kind: Any) -> int:
    """How many lists and objects are inside each other."""
    inside = [one.type for one in kind] if pa.types.is_struct(kind) else [kind.value_type] if is_list(kind) else []
    return 1 + max(map(_levels, inside), default=0) if inside else 0


def _without_times(kind: Any) -> Any:
    """The type with texts where PyArrow took them for times: they stay as they are written."""
    if pa.types.is_temporal(kind) or pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(one.name, _without_times(one.type)) for one in kind])
    if is_list(kind):
        return pa.list_(_without_times(kind.value_type))
    return kind
