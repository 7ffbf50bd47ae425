"""Records of evaluations as plainer ones: an answer under the key of each input, and the turns of a prompt as a chat."""

from collections.abc import Mapping, Sequence
from typing import Any

from testimate.tables.records import ROLE_KEYS

FEWEST_ANSWERS = 10
"""Answers below which an object of texts is one record, not an answer for each input."""

KEY, ANSWER = "key", "prediction"
"""The columns of an object that has an answer under the key of each input."""

PROMPT = "prompt"
"""Where OpenCompass has the text of a turn, beside its speaker."""


def answers_by_key(document: Any) -> list[Mapping[str, Any]] | None:
    """Return the rows of an object with an answer under the key of each input, as for SQuAD; None for any other object.

    >>> answers_by_key({f"q{number}": "yes" for number in range(10)})[9]
    {'key': 'q9', 'prediction': 'yes'}
    >>> answers_by_key({"name": "m", "license": "x"})
    """
    if not isinstance(document, dict) or len(document) < FEWEST_ANSWERS:
        return None
    values = [*document.values()]
    plain = [{*map(type, values)} <= kinds for kinds in ({str}, {int, float})]
    numbered = sum(any(letter.isdigit() for letter in key) for key in document)
    if not any(plain) or 2 * numbered < len(values) or len({*values}) < 2:
        return None  # field names have no numbers, and of equal answers nothing is to be known
    return [{KEY: key, ANSWER: value} for key, value in document.items()]


def with_turns(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Return the records with the prompts that are lists of turns as chats; None where they have none.

    >>> with_turns([{"origin_prompt": [{"role": "HUMAN", "prompt": "2+2?"}]}])
    [{'origin_prompt': [{'role': 'HUMAN', 'content': '2+2?'}]}]
    """
    if not records or not any(map(_are_turns, records[0].values())):
        return None
    return [
        {name: [*map(_turn, value)] if _are_turns(value) else value for name, value in one.items()} for one in records
    ]


def _are_turns(value: object) -> bool:
    """Whether this is a list of turns, each with a speaker and a prompt."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and {*ROLE_KEYS} & {*one} and isinstance(one.get(PROMPT), str) for one in value)
    )


def _turn(one: Mapping[str, Any]) -> dict[str, Any]:
    return {("content" if name == PROMPT else name): value for name, value in one.items()}


KIND, OF_MODEL = "openinference.span.kind", "LLM"
"""The attribute by which Phoenix and other users of OpenInference say what a step of a trace is, and a call of a model."""


def calls_of_models(spans: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Return the calls of a language model among the steps of traces; None where there are none, or nothing else.

    >>> steps = [{"attributes": {KIND: kind}} for kind in ("CHAIN", "LLM")]
    >>> calls_of_models(steps)
    [{'attributes': {'openinference.span.kind': 'LLM'}}]
    """
    calls = [one for one in spans if _kind_of(one) == OF_MODEL]
    return calls if 0 < len(calls) < len(spans) else None


def _kind_of(span: Mapping[str, Any]) -> Any:
    """What a step of a trace is, by its attributes, whose names may be paths."""
    value: Any = span.get("attributes")
    if isinstance(value, Mapping) and KIND in value:
        return value[KIND]
    for name in KIND.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
