"""Records of any depth as the columns of a table: fields by their path, and a chat as its last turn and what came before.

Texts that hold a chat as JSON are opened like one; any other text is left as it is, since an answer may well be JSON.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from testimate.core.checks import is_whole
from testimate.core.visible_text import HALVES, REPLACEMENT
from testimate.tables import limits
from testimate.tables.cells import INPUT, OUTPUT, Array, pa, pc
from testimate.tables.json_lines import MOST_NESTED, nesting
from testimate.tables.likeliest import LIKELIEST, likeliest_class, with_likeliest_class

PATH_LEVELS = 8
"""Levels that become the path of a column; what lies deeper stays one text."""

PASSED_OVER = frozenset({"events", "attachments", "tokens", "logprobs", "embedding", "embeddings"})
"""Fields whose lists describe how an output was made, token by token or step by step; they make no columns."""

ROLE_KEYS = ("role", "from", "author", "speaker")
TURN_KEYS = ("content", "value", "parts", "text")
"""Names under which a turn of a chat has its speaker and its text."""

MODELS = frozenset({"assistant", "gpt", "model", "bot", "ai", "chatbot", "chatgpt", "bing", "bard"})
"""The speakers whose last turn is the output."""

CHAT_IN_TEXT = re.compile(r'\s*(\[\s*\{|\{\s*")')
"""How a text begins that may be a chat as JSON."""

HOLDS_CHAT = ("messages", "choices", "conversations")
"""Fields of an object that is opened though it stands in a text: a request to a language model, or its reply."""

Flat = dict[str, Any]


def flat_record(record: Mapping[str, Any], above: str = "", level: int = 1) -> Flat:
    """Return the values of a record by path; a list of plain values stays one.

    >>> flat_record({"id": 7, "doc": {"question": "2+2?"}, "resps": [["4"]]})
    {'id': 7, 'doc.question': '2+2?', 'resps': ['4']}
    """
    found: Flat = {}
    for name, value in with_likeliest_class(record).items():
        if value is not None:
            found |= _flat(f"{above}{name}".strip(), value, level)
    return found


def _flat(path: str, value: Any, level: int) -> Flat:
    """The values below a path."""
    if isinstance(value, str):
        opened = _chat_in_text(value)
        return {path: value} if opened is None else _flat(path, opened, level)
    if isinstance(value, Mapping):
        if level >= PATH_LEVELS:
            return {path: as_json(value)}
        return flat_record(value, f"{path}.", level + 1)
    if isinstance(value, list | tuple):
        return _flat_list(path, value, level)
    return {path: value}


def _flat_list(path: str, values: Sequence[Any], level: int) -> Flat:
    """A chat's turns, a list of plain values as one, or the first of several records."""
    turns = turns_of(values)
    if turns is not None:
        return _chat(path, turns)
    if not any(isinstance(value, Mapping | list | tuple) for value in values):
        return {path: [*values]}
    field = path.rpartition(".")[2]
    if field in PASSED_OVER:
        return {}
    if field == "content" and (texts := _texts_of_parts(values)):
        return {path: texts}
    attributes = _attributes(values)
    if attributes is not None:
        return _flat(path, attributes, level)
    if isinstance(values[0], list) and len(values) == 1:
        return _flat(path, values[0], level)
    correct = (value for value in values if isinstance(value, Mapping) and "correct" in (value.get("tags") or ()))
    chosen = next(correct, values[0])
    if level >= PATH_LEVELS:
        return {path: as_json(values)}
    found, likeliest = _flat(f"{path}[0]", chosen, level + 1), likeliest_class(field, values)
    marked = {} if likeliest is None else _flat(f"{path}[0]", likeliest, level + 1)
    return {**found, **{f"{name}{LIKELIEST}": value for name, value in marked.items()}}


def _attributes(values: Sequence[Any]) -> dict[str, Any] | None:
    """The attributes of a span as OTLP writes them, a list of {key, value: {stringValue: ...}}; None for another list."""
    if not all(isinstance(one, Mapping) and {"key", "value"} == {*one} for one in values):
        return None
    plain = ((one["key"], one["value"]) for one in values)
    return {str(key): next(iter(value.values()), None) if isinstance(value, Mapping) else value for key, value in plain}


def turns_of(values: object) -> list[tuple[str, str]] | None:
    """Return the speaker and the text of each turn if this is a chat; else None.

    >>> turns_of([{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}])
    [('human', 'Hi'), ('gpt', 'Hello')]
    """
    if not isinstance(values, list | tuple) or not values:
        return None
    turns = []
    for one in values:
        turn = _turn(one)
        if turn is None:
            return None
        turns.append(turn)
    return turns


def _turn(one: object) -> tuple[str, str] | None:
    """The speaker and the text of a turn; None where it is none."""
    if not isinstance(one, Mapping):
        return None
    speaker = next((one[key] for key in ROLE_KEYS if isinstance(one.get(key), str)), None)
    if speaker is None or not ({*TURN_KEYS, "tool_calls"} & {*one}):
        return None
    said = next((one[key] for key in TURN_KEYS if one.get(key) is not None), None)
    return speaker, _said(one.get("tool_calls") or "" if said is None or said == "" else said)


def _said(said: Any) -> str:
    """The text of a turn, of its parts those that are texts."""
    if isinstance(said, str):
        return said
    if isinstance(said, list | tuple):
        return "\n".join(filter(None, map(_part, said)))
    return _part(said)


def _part(part: Any) -> str:
    """The text of one part; of a picture or a call its JSON."""
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        for key in ("text", "content"):
            if isinstance(part.get(key), str):
                return str(part[key])
    return as_json(part)


def _texts_of_parts(parts: Sequence[Any]) -> str:
    """The texts in the parts of a model's message, without its reasoning and its calls; "" where these are no such parts."""
    if not all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts):
        return ""
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _chat(path: str, turns: list[tuple[str, str]]) -> Flat:
    """The last turn, if the model's, as the output, and the turns before it as the input."""
    if turns[-1][0].casefold() not in MODELS:
        return {f"{path}{MARK}{INPUT}": chat_text(turns)}
    before = turns[:-1]
    return {**({f"{path}{MARK}{INPUT}": chat_text(before)} if before else {}), f"{path}{MARK}{OUTPUT}": turns[-1][1]}


MARK = "\0"
"""What tells the two parts of a chat from fields of these names, until the columns are named."""


def chat_text(turns: Sequence[tuple[str, str]]) -> str:
    """Return turns as one text, each below its speaker; a person's single one as it is.

    >>> chat_text([("user", "Hi")]), chat_text([("system", "Be brief."), ("user", "Hi")])
    ('Hi', 'system:\\nBe brief.\\n\\nuser:\\nHi')
    """
    if len(turns) == 1:
        return turns[0][1]
    return "\n\n".join(f"{speaker}:\n{text}" for speaker, text in turns)


def _chat_in_text(text: str) -> Any:
    """The chat, or the object around one, that a text holds as JSON; None where it holds none."""
    if not CHAT_IN_TEXT.match(text) or len(text) > limits.MAX_CELL_LENGTH:
        return None
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(held, list):
        return held if turns_of(held) is not None else None
    holds = isinstance(held, dict) and any(
        turns_of(held.get(name)) is not None or (name == "choices" and _replies(held.get(name))) for name in HOLDS_CHAT
    )
    return held if holds and nesting(held) <= MOST_NESTED else None


def _replies(choices: object) -> bool:
    """Whether this is a language model's list of replies."""
    return isinstance(choices, list) and bool(choices) and isinstance(choices[0], dict) and "message" in choices[0]


def as_json(value: Any) -> str:
    """Return a list or an object as one text, as short as it can be read."""
    return json.dumps(value, ensure_ascii=False, default=str)


def columns_of_records(records: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Array], int]:
    """Return the columns of flattened records by path, in the order in which they occur, and the number of rows.

    BadInput where there are more columns, rows or cells than the limits.
    """
    columns: dict[str, list[Any]] = {}
    rows = 0
    for rows, record in enumerate(records, 1):
        if len(record) > limits.MAX_COLUMNS:  # before a million fields are gone through
            limits.check_text_shape(rows, sum(value is not None for value in record.values()))
        for path, value in flat_record(with_suggested_option(with_likeliest_choice(record))).items():
            cells = columns.get(path)
            if cells is None:
                cells = columns[path] = []
                limits.check_text_shape(rows, len(columns))
            cells.extend([None] * (rows - 1 - len(cells)))
            cells.append(value)
        if not rows % 1000:
            limits.check_text_shape(rows, len(columns))
    limits.check_text_shape(rows, len(columns))
    for cells in columns.values():
        cells.extend([None] * (rows - len(cells)))
    return _told_apart({path: column_of(cells) for path, cells in columns.items()}), rows


def with_likeliest_choice(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a sample of lm-evaluation-harness with the text of the choice that the model found likeliest as its response.

    Of a question with choices the harness keeps a pair for each, (log-likelihood, whether it is the greedy one).

    >>> pairs, asked = [["-3", "False"], ["-1", "True"]], [["2+2?", " 3"], ["2+2?", " 4"]]
    >>> with_likeliest_choice({"filtered_resps": pairs, "arguments": asked, "target": 1})["filtered_resps"]
    [' 4']
    """
    pairs = record.get(RESPONSES)
    if not isinstance(pairs, list) or not all(isinstance(one, list) and len(one) == 2 for one in pairs) or not pairs:
        return record
    try:
        likeliest = max(range(len(pairs)), key=lambda place: float(pairs[place][0]))
    except (TypeError, ValueError):
        return record
    texts = _choices(record.get("arguments"), len(pairs))
    target = record.get("target")
    if texts is None:
        return {**record, RESPONSES: [likeliest]}
    if is_whole(target, 0, len(texts) - 1):
        target = texts[target]
    return {**record, RESPONSES: [texts[likeliest]], "target": target}


OF_CHANCE = ("score", "prob", "probability", "confidence", "meta")
"""Names of the chance of one of several classes."""


def likeliest_of(values: Sequence[Any]) -> Any:
    """Return the record with the largest chance of several that each have one; None where they have none.

    >>> likeliest_of([{"label": "cat", "score": 0.2}, {"label": "owl", "score": 0.8}])["label"]
    'owl'
    """
    records = [value for value in values if isinstance(value, Mapping)]
    for name in OF_CHANCE:
        chances = [one for record in records if (one := _as_chance(record.get(name))) is not None]
        if chances and len(chances) == len(values):
            return records[chances.index(max(chances))]
    return None


def _as_chance(value: Any) -> float | None:
    """A number from 0 to 1, perhaps as text; None for anything else."""
    try:
        number = float(value) if isinstance(value, int | float | str) else -1
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def with_suggested_option(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a choice of Prodigy with the option that a model suggested alone, and no label where none was accepted.

    An option without a chance was suggested by nobody.

    >>> options = [{"id": "cat", "meta": "0.10"}, {"id": "owl", "meta": "0.90"}]
    >>> with_suggested_option({"options": options, "accept": ["cat"], "answer": "accept"})["options"]["id"]
    'owl'
    """
    options = record.get("options")
    if not isinstance(options, list) or not isinstance(record.get("accept"), list) or "answer" not in record:
        return record
    accepted = record["accept"] if record["answer"] == "accept" else None
    return {**record, "options": likeliest_of(options), "accept": accepted or None}


RESPONSES = "filtered_resps"
"""The field of lm-evaluation-harness with the model's responses after its filters."""


def _choices(arguments: Any, count: int) -> list[str] | None:
    """The text of each choice, which is the second argument of its request; None where they are not given so."""
    if isinstance(arguments, Mapping):
        requests = [arguments.get(f"gen_args_{place}") for place in range(count)]
        texts = [one.get("arg_1") if isinstance(one, Mapping) else None for one in requests]
    else:
        requests = arguments if isinstance(arguments, list) else []
        texts = [one[1] if isinstance(one, list) and len(one) > 1 else None for one in requests]
    found = [text for text in texts if isinstance(text, str)]
    return found if len(found) == count else None


def column_of(values: Sequence[Any]) -> Array:
    """Return plain values as a column: of truth values, of numbers, or of texts if any is one.

    Lists of one value each are these values; other lists are texts, as JSON.

    >>> column_of([["cat"], ["owl"]]).to_pylist(), column_of([["cat"], ["cat", "owl"]]).to_pylist()
    (['cat', 'owl'], ['["cat"]', '["cat", "owl"]'])
    """
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {list} and all(value is None or len(value) == 1 for value in values):
        return column_of([None if value is None else value[0] for value in values])
    if kinds == {bool}:
        return _chunked(pa.array(values, pa.bool_()))
    if kinds and kinds <= {int, float}:
        if kinds == {int} and all(value is None or abs(value) < 1 << 63 for value in values):
            return _chunked(pa.array(values, pa.int64()))
        if kinds != {int}:
            return _chunked(pa.array([None if value is None else float(value) for value in values], pa.float64()))
    texts = [None if value is None else _text(value) for value in values]
    try:
        return _chunked(pa.array(texts, pa.large_string()))
    except UnicodeEncodeError:  # half of a character, as JSON may spell it
        whole = [None if text is None else re.sub(f"[{HALVES}]", REPLACEMENT, text) for text in texts]
        return _chunked(pa.array(whole, pa.large_string()))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return as_json(value)
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _chunked(array: Any) -> Array:
    return pa.chunked_array([array])


def _told_apart(columns: Mapping[str, Array]) -> dict[str, Array]:
    """The columns without the ending of a chat where only one of its two parts occurs."""
    found: dict[str, Array] = {}
    for path, column in columns.items():
        whole, _, ending = path.partition(MARK)
        other = OUTPUT if ending == INPUT else INPUT
        alone = f"{whole}{MARK}{other}" not in columns and whole not in columns
        found[whole if alone else f"{whole}{ending}"] = column
    return found


def columns_of_nested(name: str, column: Array) -> dict[str, Array]:
    """Return a column of structs or lists as columns by path; one of plain values as it is."""
    kind = column.type
    if pa.types.is_struct(kind):
        found: dict[str, Array] = {}
        for place, field in enumerate(kind):
            found |= columns_of_nested(f"{name}.{field.name}", pc.struct_field(column, [place]))
        return found
    if (pa.types.is_string(kind) or pa.types.is_large_string(kind)) and first_is_chat(column):
        return columns_of_values(name, (value for chunk in column.chunks for value in chunk.to_pylist()))
    if pa.types.is_null(kind):
        return {name: column.cast(pa.large_string())}
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return {name: column.cast(pa.large_string())}
    if _is_of_ones(column):  # as ``_flat_list`` reads them, a thousand times as fast
        return columns_of_nested(name, pa.chunked_array([chunk.flatten() for chunk in column.chunks], kind.value_type))
    if is_list(kind):
        return columns_of_values(name, (value for chunk in column.chunks for value in plain_values(chunk)))
    return {name: column}


def first_is_chat(column: Array) -> bool:
    """Return whether the first text of a column is a chat as JSON."""
    first = next((text for text in column.slice(0, 100).to_pylist() if text), "")
    return _chat_in_text(first) is not None


def columns_of_values(name: str, values: Iterable[Any]) -> dict[str, Array]:
    """Return values of any depth as columns by path below a name."""
    columns, rows = columns_of_records({name: value} for value in values)
    return columns or {name: _chunked(pa.nulls(rows, pa.large_string()))}


def plain_values(chunk: Any) -> Iterator[Any]:
    """Yield the cells of an array as plain values, some at a time; a map is an object."""
    for start in range(0, len(chunk), 10_000):
        for value in chunk.slice(start, 10_000).to_pylist():
            yield dict(value) if pa.types.is_map(chunk.type) and value is not None else value


def _is_of_ones(column: Array) -> bool:
    """Whether every cell is a list of one plain value, or of one list."""
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)) or column.null_count:
        return False
    inside = column.type.value_type
    plain = not pa.types.is_struct(inside) and not pa.types.is_map(inside)
    return plain and pc.all(pc.equal(pc.list_value_length(column), 1)).as_py() is True


def is_list(kind: Any) -> bool:
    """Whether a column holds lists or maps."""
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_map(kind)
    )


def parted(columns: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return columns of records with the first entry of each list, and those of the likeliest entries where these differ."""
    first = {name: column for name, column in columns.items() if not name.endswith(LIKELIEST)}
    found: dict[str, Array] = {}
    for name, column in columns.items():
        own = name.removesuffix(LIKELIEST)
        if own != name and own in first and not column.equals(first[own]):
            likeliest, other = column.to_pylist(), first[own].to_pylist()
            found[own] = column_of([b if a is None else a for a, b in zip(likeliest, other, strict=True)])
    return first, found
