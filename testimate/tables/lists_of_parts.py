"""Lists of objects that are one text, as a document of headings, paragraphs and tables is, or texts beside a question.

Read by its first object, the rest of such a list would be lost. Known since ``rules.FOUND``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from testimate.core.spellings import bare
from testimate.tables.column_names import CONTEXTS, are_words_of_context, words_of
from testimate.tables.evaluation_names import is_called_input_or_reference, is_called_output
from testimate.tables.first_cells import looks_like_sentence
from testimate.tables.records import PASSED_OVER, as_json, turns_of

PARTS = "lists of parts"
"""What tells a table of lists that are one text each from the same one as it was read before."""

OF_TEXTS = frozenset({"text", "content", "pagecontent", "passage"})
"""Names of the text of a context, which has a title, too."""

FIRST = 100
"""Records that are looked at."""


def lists_of_parts(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the fields whose lists are one text each: of objects of different kinds, where these were asked or answered by
    the name, or of the contexts of a question.

    >>> parts = [{"header": "Rain"}, {"paragraph": "It rains in Rome.", "citations": [2]}]
    >>> lists_of_parts([{"id": 7, "document": parts, "steps": [{"name": "a"}, {"name": "b"}]}])
    ['document']
    >>> lists_of_parts([{"contexts": [{"chunk": "a#4", "text": "It rains in Rome."}]}])
    ['contexts']
    """
    some = records[:FIRST]
    names = dict.fromkeys(name for record in some for name, value in record.items() if isinstance(value, list))
    found = []
    for name in names:
        lists = [record[name] for record in some if record.get(name)]
        if name not in PASSED_OVER and lists and all(map(_are_objects, lists)):
            parts = [part for one in lists for part in one]
            of_contexts = _is_of_contexts(name) and bool(_field_of_text(parts))
            kinds = sum(len(one) > 1 and not {*one[0]}.intersection(*one) for one in lists)
            called = is_called_output(name) or is_called_input_or_reference(name)
            if of_contexts or (called and 2 * kinds > len(lists) and 2 * sum(map(_hold_sentence, lists)) > len(lists)):
                found.append(name)
    return found


def with_parts_as_texts(records: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return records with these lists as texts: of contexts the text of each, of other objects all that they hold.

    >>> with_parts_as_texts([{"document": [{"header": "Rain"}, {"text": "In Rome.", "cited": [2]}]}], ["document"])
    [{'document': 'Rain\\n\\nIn Rome.\\n[2]'}]
    """
    texts = {
        name: _field_of_text([part for one in records[:FIRST] for part in one.get(name) or ()])
        for name in names
        if _is_of_contexts(name)
    }
    found: list[Mapping[str, Any]] = []
    for record in records:
        written: dict[str, Any] = {}
        for name in names:
            parts = record.get(name)
            if not parts or not _are_objects(parts):
                continue
            field = texts.get(name, "")
            kept = [part.get(field) for part in parts] if field else []
            written[name] = [text for text in kept if text] if field else "\n\n".join(map(_as_text, parts))
        found.append({**record, **written})
    return found


def note_on_parts(names: Sequence[str]) -> str:
    """Return the sentence on lists that are read as texts."""
    of_contexts = [name for name in names if _is_of_contexts(name)]
    whole = [name for name in names if name not in of_contexts]
    said = [(whole, "are read as one text each, with all their parts"), (of_contexts, "are read by their texts alone")]
    return " ".join(f"The lists in {' and '.join(map(repr, some))!s:.120} {how}." for some, how in said if some)


def _is_of_contexts(name: str) -> bool:
    return bare(name) in CONTEXTS or are_words_of_context(words_of(name))


def _are_objects(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(part, Mapping) for part in value)
        and turns_of(value) is None
    )


def _hold_sentence(parts: Sequence[Mapping[str, Any]]) -> bool:
    return any(isinstance(value, str) and looks_like_sentence(value) for part in parts for value in part.values())


def _field_of_text(parts: Sequence[Mapping[str, Any]]) -> str:
    """The only field that holds a sentence in most of these objects, or of several the one called a text; "" elsewhere."""
    fields = dict.fromkeys(field for part in parts for field in part)
    of_texts = [
        field
        for field in fields
        if 2 * sum(isinstance(part.get(field), str) and looks_like_sentence(part[field]) for part in parts) > len(parts)
    ]
    named = [field for field in of_texts if bare(field) in OF_TEXTS] if of_texts[1:] else of_texts
    return named[0] if len(named) == 1 else ""


def _as_text(part: Mapping[str, Any]) -> str:
    """All that an object holds, each value in a line."""
    return "\n".join(
        value if isinstance(value, str) else as_json(value) for value in part.values() if value is not None
    )
