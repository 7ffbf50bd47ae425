"""Cells of evaluations that hold more than one thing: chats as JSON or Python writes them, and what a judge was asked; and the
steps of traces that call a model. Known since ``rules.FOUND``.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.words import commas
from testimate.tables.cells import Array, Cells, Column, pa
from testimate.tables.chats import say_what_is_judged
from testimate.tables.column_names import words_of
from testimate.tables.evaluation_names import is_called_input, is_called_input_or_reference, is_called_output
from testimate.tables.evaluation_records import KIND, OF_MODEL, text_of_turns, with_replies_as_text
from testimate.tables.pairs import systems_among
from testimate.tables.parquet import ParquetColumns, is_text
from testimate.tables.records import HOLDS_CHAT, MODELS, TURN_KEYS, chat_text, column_of, turns_of
from testimate.tables.score_names import is_in_judgment, names_judge, path_end

MOST_FAILING = 0.1
"""Share of the filled cells that may be no chat, no prompt of a judge and no choice, where the others are."""

MOST_STEPS = 200_000
"""Rows of Parquet up to which only some steps of traces are taken, for which the table is held in memory."""

FIRST = 100
"""First cells among which one that is filled says whether a column may be one of these."""

LONGEST = 200_000
"""Characters of a cell that is parsed."""

HELD = re.compile(r"""\s*(\[\s*\{|\{)\s*["']""")
"""How a chat begins, as JSON or as Python writes it."""

QUOTED = re.compile(r'\s*".*"\s*', re.DOTALL)
"""A text in quotes, as JSON writes it."""

SPEAKERS = frozenset({"human", "ai", "system", "user", "assistant", "tool", "developer", "model"})
"""Speakers of a turn that stands alone, or that LangChain writes as its type."""


def with_evaluations_opened(cells: Cells) -> Cells:
    """Return a table with such cells as plain texts; Parquet, which has types for them, keeps its cells as they are."""
    if isinstance(cells.columns, ParquetColumns) and cells.size > MOST_STEPS:
        return cells
    cells = _with_turns_of_each_side(_with_roots_of_traces(_with_calls_of_models(cells)))
    if isinstance(cells.columns, ParquetColumns):
        return cells
    return _with_judged_texts(_with_turns_as_texts(_with_chats_as_texts(cells)))


def _with_calls_of_models(cells: Cells) -> Cells:
    """Return the steps of traces that call a language model, if these are some of them, as of traces in JSON Lines."""
    kinds = [name for name in cells.columns if name.endswith(KIND) or path_end(name) == "span_kind"]
    for name in kinds:
        column = Column(name, cells.columns[name])
        words = column.words.to_pylist()
        if OF_MODEL not in words or not {"CHAIN", "AGENT", "RETRIEVER", "TOOL", "EMBEDDING"} & {*words}:
            continue
        return _with_steps(
            cells, column.places == words.index(OF_MODEL), "that call a language model", "calls of models"
        )
    return cells


def _with_roots_of_traces(cells: Cells) -> Cells:
    """Return the steps that begin a trace, where a column says which do, and others stand below them: one for each input."""
    name = next((one for one in cells.columns if path_end(one) == "is_root"), None)
    if name is None or not any("span" in words_of(one) for one in cells.columns):
        return cells
    column = Column(name, cells.columns[name].cast(pa.large_string()))
    words = [word.casefold() for word in column.words.to_pylist()]
    if {*words} != {"true", "false"}:
        return cells
    return _with_steps(cells, column.places == words.index("true"), "that begin a trace", "roots of traces")


def _with_steps(cells: Cells, chosen: NDArray[np.bool_], which: str, change: str) -> Cells:
    """The table with some of its steps alone, and without the columns that are empty in these."""
    kept = pa.array(chosen)
    columns = {one: values.filter(kept) for one, values in cells.columns.items()}
    columns = {one: values for one, values in columns.items() if values.null_count < len(values)}
    size = int(chosen.sum())
    note = f"Of {commas(cells.size)} steps the {commas(size)} {which} are rows."
    changes = (*cells.changes, change)
    return replace(cells, columns=columns, size=size, notes=(*cells.notes, note), changes=changes)


def _first_filled(column: Array) -> str:
    if not is_text(column.type):
        return ""
    return next((str(text) for text in column.slice(0, FIRST).to_pylist() if text), "")


def _replaced(cells: Cells, made: Mapping[str, Mapping[str, Array]], change: str) -> Cells:
    """The table with columns in the place of one each."""
    columns: dict[str, Array] = {}
    for name, column in cells.columns.items():
        columns |= made.get(name, {name: column})
    return replace(cells, columns=columns, changes=(*cells.changes, *(f"{change} {name}" for name in made)))


def _with_chats_as_texts(cells: Cells) -> Cells:
    """Return a table with the turns of each chat in its cells as a text, the reply apart where no name says which it is."""
    made: dict[str, Mapping[str, Array]] = {}
    for name, column in cells.columns.items():
        first = _first_filled(column)
        if not HELD.match(first) and not QUOTED.fullmatch(first):
            continue
        if chat_in_cell(first) is None:
            made |= {name: {name: only}} if (only := _only_texts(name, column)) is not None else {}
            continue
        texts = [None if text == "null" else text for text in column.to_pylist()]
        chats = [chat_in_cell(text or "") for text in texts]
        if sum(text is not None and text != "" and chat is None for text, chat in zip(texts, chats, strict=True)) > (
            MOST_FAILING * len(texts)
        ):
            continue
        made[name] = _parts(name, texts, chats, [*cells.columns])
    return _replaced(cells, made, "chats as texts in") if made else cells


def _parts(
    name: str, texts: Sequence[str | None], chats: Sequence[list[tuple[str, str]] | None], names: Sequence[str]
) -> dict[str, Array]:
    """The columns of a column of chats: itself, or the reply and what came before it."""
    apart = f"{name}.input", f"{name}.output"
    replied = [chat is not None and len(chat) > 1 and chat[-1][0].casefold() in MODELS for chat in chats]
    asked = is_called_input_or_reference(name) and any(is_called_output(other) for other in names if other != name)
    whole = asked or is_called_output(name) or {*apart} & {*names} or say_what_is_judged(names)
    if whole or 2 * sum(replied) <= sum(chat is not None for chat in chats):
        plain = [text if chat is None else chat_text(chat) for text, chat in zip(texts, chats, strict=True)]
        return {name: column_of(plain)}
    pairs = list(zip(texts, chats, replied, strict=True))
    before = [text if chat is None else chat_text(chat[:-1] if ends else chat) for text, chat, ends in pairs]
    return {
        apart[0]: column_of(before),
        apart[1]: column_of([chat[-1][1] if chat is not None and ends else None for _, chat, ends in pairs]),
    }


def _only_texts(name: str, column: Array) -> Array | None:
    """The texts of what was asked or answered where each cell is one in quotes, or an object that holds one alone; else None.

    A value that is empty in every object is none.
    """
    if not (is_called_output(name) or is_called_input_or_reference(name)):
        return None
    cells = column.to_pylist()
    held = [parsed(text) if text else None for text in cells]
    if any(text and text != "null" and one is None for text, one in zip(cells, held, strict=True)):
        return None
    if all(one is None or isinstance(one, str) for one in held):
        return column_of(held)
    if not all(one is None or isinstance(one, dict) for one in held):
        return None
    keys = {key for one in held if one for key, value in one.items() if value or value in (False, 0)}
    if len(keys) != 1:
        return None
    [key] = keys
    texts = [one.get(key) if one else None for one in held]
    return column_of(texts) if all(text is None or isinstance(text, str) for text in texts) else None


def _with_turns_as_texts(cells: Cells) -> Cells:
    """Return a table with one text for the turns that each cell lists, where each row has as many answers as questions."""
    listed: dict[str, list[list[str]]] = {}
    for name in [one for one in cells.columns if is_called_input(one) or is_called_output(one)]:
        column = cells.columns[name]
        turns = (
            [_listed_texts(text) for text in column.to_pylist()] if TEXTS_LISTED.match(_first_filled(column)) else []
        )
        if turns and all(turns):
            listed[name] = [one for one in turns if one]
    asked = [name for name in listed if is_called_input(name)]
    said = [name for name in listed if name not in asked]
    lengths = {tuple(map(len, turns)) for turns in listed.values()}
    if not asked or not said or len(lengths) > 1:
        return cells
    made = {name: {name: column_of([*map(text_of_turns, turns)])} for name, turns in listed.items()}
    return _replaced(cells, made, "turns as texts in")


def _with_turns_of_each_side(cells: Cells) -> Cells:
    """Return a table of two conversations with what was said before they part as the input, and the rest of each as output."""
    for left, right in systems_among({name: name for name in cells.columns if path_end(name).endswith(".input")}):
        sides = [(name, f"{name.removesuffix('input')}output") for name in (left, right)]
        if any(output not in cells.columns for _, output in sides):
            continue
        asked, said = ([cells.columns[side[place]].to_pylist() for side in sides] for place in (0, 1))
        begins = [_parting(one or "", other or "") for one, other in zip(*asked, strict=True)]
        parted = sum(place is not None for place in begins)
        if not parted:
            continue
        made: dict[str, Array] = {}
        for (name, output), before, last in zip(sides, asked, said, strict=True):
            rows = [_parted_at(*row) for row in zip(begins, before, last, strict=True)]
            made |= {name: column_of([row[0] for row in rows]), output: column_of([row[1] for row in rows])}
        held = cells.columns
        columns = held.opened([*made], made) if isinstance(held, ParquetColumns) else {**held, **made}
        rows_parted = f"{commas(parted)} of {commas(cells.size)} rows"
        note = f"In {rows_parted} the conversations part before the last turn. Outputs begin there."
        changes = (*cells.changes, f"turns of {left}")
        cells = replace(cells, columns=columns, notes=(*cells.notes, note), changes=changes)
    return cells


OF_MODELS_TURN = re.compile(rf"(?:\A|\n\n)(?:{'|'.join(sorted(MODELS))}):\n", re.IGNORECASE)
OF_FIRST_TURN = re.compile(r"\A[^\n:]{1,40}:\n(?!.*\n\n[^\n:]{1,40}:\n)", re.DOTALL)
"""Where a model's turn begins in the text of a chat, and where the only one does."""


def _parting(one: str, other: str) -> int | None:
    """Where two texts of chats part: at the turn of a model from which on they differ; None where they are the same."""
    if one == other:
        return None
    turns = [turn.start() for turn in OF_MODELS_TURN.finditer(one) if other.startswith(one[: turn.end()])]
    return turns[-1] if turns else None


def _parted_at(place: int | None, before: str | None, last: str | None) -> tuple[str | None, str | None]:
    """What was said before a place of a chat, and what was said from there on."""
    if place is None or before is None:
        return before, last
    rest = before[place:].strip()
    return OF_FIRST_TURN.sub("", before[:place]), f"{rest}\n\nassistant:\n{last or ''}"


TEXTS_LISTED = re.compile(r'\s*\[\s*("|null)')
"""How a list of texts begins, as JSON writes it."""


def _listed_texts(text: str | None) -> list[str] | None:
    """The texts that a cell lists, "" for one that is missing; None where it lists none."""
    held = parsed(text or "")
    return (
        [one or "" for one in held]
        if isinstance(held, list) and all(isinstance(one, str | None) for one in held)
        else None
    )


def parsed(text: str) -> Any:
    """Return what a text holds as JSON or Python writes it; None where it holds nothing, or is too long."""
    if len(text) > LONGEST:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def chat_in_cell(text: str) -> list[tuple[str, str]] | None:
    """Return the turns of a chat, of one turn or of an object around a chat, as JSON or Python writes them; else None.

    >>> chat_in_cell("[{'message.role': 'user', 'message.content': 'Hi'}]")
    [('user', 'Hi')]
    >>> chat_in_cell('{"role": "assistant", "content": "Hello"}')
    [('assistant', 'Hello')]
    >>> chat_in_cell("{'type': 'dog'}"), chat_in_cell("[{'text': 'Hi'}")
    (None, None)
    """
    held = with_replies_as_text(parsed(text)) if HELD.match(text) else None
    if isinstance(held, list):
        return turns_of([*map(_plain_turn, held)])
    if not isinstance(held, dict):
        return None
    for name in HOLDS_CHAT:
        inside = held.get(name)
        if isinstance(inside, list) and inside:
            turns = [one.get("message") if name == "choices" and isinstance(one, dict) else one for one in inside]
            if (found := turns_of([*map(_plain_turn, turns)])) is not None:
                return found[:1] if name == "choices" else found
    alone = turns_of([_plain_turn(held)])
    return alone if alone is not None and alone[0][0].casefold() in SPEAKERS else None


def _plain_turn(turn: Any) -> Any:
    """A turn with its speaker and its text under the usual names, as OpenInference and LangChain write them."""
    if not isinstance(turn, Mapping):
        return turn
    inside = turn.get("message")
    turn = inside if isinstance(inside, Mapping) and len(turn) == 1 else turn
    plain = {str(name).removeprefix("message."): value for name, value in turn.items()}
    if isinstance(plain.get("contents"), list) and "content" not in plain:
        parts = [
            {str(name).rpartition(".")[2]: value for name, value in part.items()}
            for part in plain["contents"]
            if isinstance(part, Mapping)
        ]
        plain["content"] = parts
    if "role" not in plain and plain.get("type") in SPEAKERS and {*TURN_KEYS} & {*plain}:
        plain["role"] = plain["type"]
    return plain


BETWEEN = re.compile(
    r"(?:\[|<\|)\s*(?:The )?Start of (?P<who>[^\]|]{1,80}?)\s*(?:\]|\|>)(?P<text>.*?)"
    r"(?:\[|<\|)\s*(?:The )?End of (?P=who)\s*(?:\]|\|>)",
    re.DOTALL | re.IGNORECASE,
)
"""What stands between two marks in the prompt of a judge, as in those of MT-bench and its followers."""

MOST_MARKS = 20
"""Marks in the prompt of a judge."""

QUESTION = re.compile(
    r"(?:\[|<\|)\s*(?:User )?(?:Question|Prompt)\s*(?:\]|\|>)(?P<text>.*)\Z", re.DOTALL | re.IGNORECASE
)
"""The question before it."""


REPLY = "### Assistant"
"""How a reply begins in a conversation that a judge was shown."""


def judged_in_prompt(prompt: str) -> dict[str, str]:
    """Return the question, the answer or answers and the reference that a judge was shown; nothing from another text.

    >>> judged_in_prompt("Rate it. [Question] 2+2? [The Start of Assistant's Answer] 5 [The End of Assistant's Answer]")
    {'question': '2+2?', 'answer': '5'}
    """
    if not 0 < prompt.count("tart of ") <= MOST_MARKS:
        return {}
    found: dict[str, str] = {}
    marks = [*BETWEEN.finditer(prompt)]
    for mark in marks:
        words = words_of(mark["who"])
        side = next((f"answer_{letter}" for letter in "ab" if letter in words), "answer")
        found["reference" if "reference" in words else side] = mark["text"].strip()
    if "answer_b" not in found and "answer_a" in found:
        found["answer"] = found.pop("answer_a")  # a single one's conversation
    if not {"answer", "answer_a"} & {*found}:
        return {}
    asked = QUESTION.search(prompt[: marks[0].start()])
    before, turn, last = found.get("answer", "").rpartition(REPLY)
    if asked is None and turn:  # a conversation: what was asked last, with what was said before
        _, _, found["answer"] = last.partition(":")
        return {"question": before.strip(), **{part: text.strip() for part, text in found.items()}}
    return {**({} if asked is None else {"question": asked["text"].strip()}), **found}


def _with_judged_texts(cells: Cells) -> Cells:
    """Return a table with what a judge was shown in the place of its prompt."""
    made: dict[str, Mapping[str, Array]] = {}
    for name, column in cells.columns.items():
        if is_in_judgment(name) or not judged_in_prompt(_first_filled(column)[:LONGEST]):
            continue
        shown = [judged_in_prompt((text or "")[:LONGEST]) for text in column.to_pylist()]
        if sum(not one for one in shown) > MOST_FAILING * len(shown):
            continue
        parts = [*dict.fromkeys(part for one in shown for part in one)]
        stem = "shown" if names_judge(name) else name
        made[name] = {f"{stem}.{part}": column_of([one.get(part) for one in shown]) for part in parts}
    if not made:
        return cells
    found = _replaced(cells, made, "judged texts of")
    note = f"What a judge was shown in {' and '.join(map(repr, made))!s:.120} is read as the question and its answer."
    return replace(found, notes=(*found.notes, note))
