"""Objects that are one answer: what a program extracted, beside the object that is right, or alone beside a text.

Read field by field, one field would be judged and the true ones of the others shown. Known since ``rules.FOUND``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from testimate.core.spellings import bare
from testimate.tables.column_names import CONFIDENCES, PREDICTING, TEXTS, TRUE, in_english, word_set, words_of
from testimate.tables.evaluation_names import GIVEN, is_called_input_or_reference, is_called_output
from testimate.tables.likeliest import CALLED_CLASSES
from testimate.tables.pairs import ACTUAL, ASKED, BESIDE_ACTUAL, CAME_OUT, EXPECTED
from testimate.tables.records import ROLE_KEYS, TURN_KEYS, as_json
from testimate.tables.score_names import JUDGE_NAMES

FIRST, FEWEST_FIELDS, LEAST_SHARED = 100, 2, 0.5
"""Records that are looked at, fields that both objects have at least, and the share of all their fields that these are."""

MOST_OF_CLASS = 3
"""Fields up to which an object with a class or a chance is that class, with what is said about it."""

EXTRACTED = PREDICTING | word_set("extracted extraction extractions parsed final structured")
"""Words in the name of an object of fields that a program took from a text, beside which nothing says what is right."""

SAID = CAME_OUT | GIVEN | EXTRACTED | word_set("result results candidate")
"""Words in the name of an object that a program gave, where another one with its fields is right."""

PROSE = frozenset({"summary", "translation"})
"""Names of fields that are answers of their own, and parts of what was extracted, too."""

TRUTHS = TRUE | EXPECTED | {"annotation", "annotations"}


class WholeObjects(NamedTuple):
    """The field of the object that a program gave, and that of the right one, "" where there is none."""

    said: str
    true: str


def whole_objects(records: Sequence[Mapping[str, Any]]) -> WholeObjects | None:
    """Return which objects in records are answers as a whole; None where none is, or several may be.

    >>> fields = {"name": "Ada", "city": "Rome"}
    >>> whole_objects([{"extracted": fields, "annotated": fields}])
    WholeObjects(said='extracted', true='annotated')
    >>> whole_objects([{"text": "Ada lives in Rome.", "final": {**fields, "age": 7}}])
    WholeObjects(said='final', true='')
    >>> whole_objects([{"predicted": {"label": "cat", "score": 0.9}, "true": {"label": "cat", "score": 1}}])
    """
    some = records[:FIRST]
    names = [name for name, value in some[0].items() if isinstance(value, dict)] if some else []
    names = [name for name in names if all(isinstance(one.get(name), dict | None) for one in some)]
    fields = {name: {key for one in some for key in one.get(name) or ()} for name in names}
    names = [name for name in names if _are_extracted(some, name, fields[name])]
    pairs = [
        (one, other)
        for one in names
        for other in names
        if one != other and _have_the_same(fields[one], fields[other]) and _says_and_is_true(one, other)
    ]
    if len(pairs) == 1:
        return WholeObjects(*pairs[0])
    alone = [name for name in names if EXTRACTED & _words(name) and len(fields[name]) > FEWEST_FIELDS]
    texts = (
        [name for name in some[0] if bare(name) in ("text", *TEXTS) or is_called_input_or_reference(name)]
        if some
        else []
    )
    texts = [name for name in texts if isinstance(some[0][name], str)]
    if pairs or len(names) != 1 or not alone or len(texts) != 1:
        return None
    return WholeObjects(alone[0], "")


def with_whole_objects(records: Sequence[Mapping[str, Any]], objects: WholeObjects) -> list[Mapping[str, Any]]:
    """Return records with these objects as texts, their fields in one order."""
    order: dict[str, None] = {}
    for one in records:
        for name in filter(None, (objects.true, objects.said)):
            order |= dict.fromkeys(one.get(name) or ())
    found: list[Mapping[str, Any]] = []
    for one in records:
        written = {name: as_json(_in_order(one[name], [*order])) for name in objects if name and one.get(name)}
        found.append({**one, **written})
    return found


OF_PROMPT, OF_RESPONSE = ("prompt", "raw"), ("response", "output")
"""Where promptfoo has the prompt of a row, and what came back for it: a text, or whatever an interface returned."""


def with_whole_responses(records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the rows of promptfoo with what came back for each prompt as one text; the same object where each is one.

    >>> row = {"prompt": {"raw": "Is it fraud?"}, "response": {"output": {"label": "yes", "chance": 0.9}}}
    >>> with_whole_responses([row])[0]["response"]
    {'output': '{"label": "yes", "chance": 0.9}'}
    """
    (prompt, raw), (response, output) = OF_PROMPT, OF_RESPONSE
    asked = [one.get(prompt) for one in records[:FIRST]]
    if not asked or not all(isinstance(one, dict) and isinstance(one.get(raw), str) for one in asked):
        return records
    found = [
        {**one, response: {**one[response], output: as_json(one[response][output])}}
        if isinstance(one.get(response), dict) and isinstance(one[response].get(output), dict | list)
        else one
        for one in records
    ]
    return records if all(one is other for one, other in zip(found, records, strict=True)) else found


def _in_order(value: Mapping[str, Any], order: Sequence[str]) -> dict[str, Any]:
    return {key: value[key] for key in order if key in value}


def _are_extracted(records: Sequence[Mapping[str, Any]], name: str, fields: set[str]) -> bool:
    """Whether objects have several fields, of which some hold texts and none is an answer, a class or its chance by itself."""
    if len(fields) < FEWEST_FIELDS:
        return False
    plain = {bare(key) for key in fields}
    turn = plain & {*ROLE_KEYS} and plain & {*TURN_KEYS}
    if turn or (plain & {*CALLED_CLASSES, *CONFIDENCES} and len(plain) <= MOST_OF_CLASS):
        return False
    if any(is_called_output(key) and bare(key) not in PROSE for key in fields):
        return False
    values = [value for one in records for value in (one.get(name) or {}).values()]
    return any(isinstance(value, str) for value in values)


def _have_the_same(one: set[str], other: set[str]) -> bool:
    shared = one & other
    return len(shared) >= FEWEST_FIELDS and len(shared) >= LEAST_SHARED * len(one | other)


def _words(name: str) -> set[str]:
    return words_of(in_english(name))


def _says_and_is_true(said: str, true: str) -> bool:
    """Whether one name says that a program gave what stands there, and the other that it is right."""
    one, other = _words(said), _words(true)
    if ACTUAL in one and other & BESIDE_ACTUAL:
        one = one - {ACTUAL} | {"output"}
    if one & (TRUTHS | ASKED) or not other & TRUTHS:
        return False
    return bool(one & SAID) or any(word.startswith(JUDGE_NAMES) for word in one)
