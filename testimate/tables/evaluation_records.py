"""Records of evaluations as plainer ones: an answer under the key of each input, turns of a prompt, and replies as texts."""

import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any

from testimate.tables.records import ROLE_KEYS, as_json

FEWEST_ANSWERS = 10
"""Answers below which an object of texts is one record, not an answer for each input."""

KEY, ANSWER = "key", "prediction"
"""The columns of an object that has an answer under the key of each input."""

OF_RECORD, OF_TRY = "item_id", "repeat"
"""The columns of which record a row is of, and of which of its tries."""

OF_OUTPUTS = frozenset({"response", "responses", "completions", "outputs", "generations", "samples", "output_list"})
"""Last fields of paths of lists of outputs, of which nothing says whether they are right; turns are parts of one."""

OF_TRIES = frozenset({"trials", "attempts", "tries", "rollouts"})
OF_REPLIES_LISTED = OF_OUTPUTS | OF_TRIES | {"candidates", "replies"}
OF_TEXTS = ("text", "content", "message", "response", "output", "answer", "completion", "generation")
"""Fields with lists of a model's tries at one input, of its replies to it, and those of the text of a reply."""

SIDE_BY_SIDE = 4
"""Replies to each input of which one can be chosen; more, or not as many to each, are rows of their own, as tries are."""


def with_each_reply(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Return records that list several replies with each of these as a field, or as a row; None where they list none.

    >>> with_each_reply([{"question": "2+2?", "responses": [{"text": "4"}, {"text": "5"}]}])
    [{'question': '2+2?', 'responses[0]': {'text': '4'}, 'responses[1]': {'text': '5'}}]
    """
    names = listed_replies(records[0]) if records else []
    if len(names) != 1 or not all(_lists_replies(one.get(names[0]) or []) for one in records):
        return None
    [name] = names
    counts = {len(one.get(name) or ()) for one in records}
    if max(counts) < 2:
        return None
    if len(counts) == 1 and max(counts) <= SIDE_BY_SIDE and name.casefold() not in OF_TRIES:
        return [_with_fields_of_list(one, name) for one in records]
    if any({OF_RECORD, OF_TRY} & {*one} for one in records):
        return None
    return [
        {OF_RECORD: place, OF_TRY: number, **one, name: reply}
        for place, one in enumerate(records)
        for number, reply in enumerate(one.get(name) or [None])
    ]


def listed_replies(record: Mapping[str, Any]) -> list[str]:
    """Return the fields of a record that list a model's replies as objects."""
    named = [name for name in record if name.casefold() in OF_REPLIES_LISTED and record[name]]
    return [name for name in named if _lists_replies(record[name])]


def _lists_replies(values: object) -> bool:
    """Whether this is a list of replies with their texts, which are no turns of a chat."""
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        return False
    if any({*ROLE_KEYS} & {*one} for one in values):
        return False
    return all(any(isinstance(one.get(key), str | dict) for key in OF_TEXTS) for one in values)


def _with_fields_of_list(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field, value in record.items():
        found |= {f"{name}[{place}]": one for place, one in enumerate(value)} if field == name else {field: value}
    return found


PROMPT = "prompt"
"""Where OpenCompass has the text of a turn, beside its speaker."""


def answers_by_key(document: Any) -> list[Mapping[str, Any]] | None:
    """Return the rows of an object with an answer under the key of each input, as for SQuAD; None for any other object.

    >>> answers_by_key({f"q{number}": f"answer {number}" for number in range(10)})[9]
    {'key': 'q9', 'prediction': 'answer 9'}
    >>> answers_by_key({"name": "m", "license": "x"})
    >>> answers_by_key({f"{name}@{k}": 0.1 * k for name in ("P", "R") for k in range(1, 6)})
    """
    if not isinstance(document, dict) or len(document) < FEWEST_ANSWERS:
        return None
    values = [*document.values()]
    kinds = {*map(type, values)}
    if kinds != {str} and not kinds <= {int, float}:
        return None
    numbered = sum(any(letter.isdigit() for letter in key) for key in document)
    if 2 * numbered < len(values) or len({*values}) < 2:
        return None  # field names have no numbers, and of equal answers nothing is to be known
    if kinds != {str} and len({re.sub("[0-9]+", "", key) for key in document}) > 1:
        return None  # results by the names of their metrics, such as F1 and P@10
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


CALLS, ANSWERED, CHOICES, TURNS = "tool_calls", "answer", "choices", "turns"
"""Fields of a reply that is no text alone: calls of tools, an object with its answer, and replies to one turn after another."""

OF_REPLIES = ((b'"tool_calls"',), (b'"content"', b'"answer"'), (b'"choices"', b'"turns"'))
"""What stands together in a file that may have such a reply."""


def with_replies_as_text(value: Any) -> Any:
    """Return a record with each reply of a model as one text: with its calls of tools, its answer alone, or turn by turn.

    The same object where there is none.

    >>> calls = [{"function": {"name": "weather", "arguments": '{"city": "Rome"}'}}]
    >>> with_replies_as_text({"role": "assistant", "content": "", "tool_calls": calls})["content"]
    'weather({"city": "Rome"})'
    >>> with_replies_as_text({"role": "assistant", "content": {"answer": "4"}})["content"]
    '4'
    >>> print(with_replies_as_text({"choices": [{"turns": ["4", "8"]}]})["choices"][0]["turns"])
    Turn 1:
    4
    <BLANKLINE>
    Turn 2:
    8
    """
    if isinstance(value, list):
        parts = [with_replies_as_text(one) for one in value]
        return value if all(map(operator.is_, parts, value)) else parts
    if not isinstance(value, dict):
        return value
    found = {name: with_replies_as_text(one) for name, one in value.items()}
    content, calls = value.get("content"), _calls(value.get(CALLS))
    if calls and (content is None or isinstance(content, str)):
        found["content"] = "\n\n".join(filter(None, (content, calls)))
    elif (
        isinstance(content, dict) and {*content} == {ANSWERED} and isinstance(content[ANSWERED], str) and _speaks(value)
    ):
        found["content"] = content[ANSWERED]
    if isinstance(value.get(CHOICES), list):
        found[CHOICES] = [*map(_with_turns_as_text, found[CHOICES])]
    same = found.keys() == value.keys() and all(found[name] is one for name, one in value.items())
    return value if same else found


def _speaks(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(key), str) for key in ROLE_KEYS)


def _calls(calls: object) -> str:
    """The calls of tools in a reply, one a line; "" where there are none."""
    if not isinstance(calls, list) or not all(isinstance(one, dict) for one in calls):
        return ""
    return "\n".join(map(_call, calls))


def _call(call: Mapping[str, Any]) -> str:
    """A call of a tool as code has it, or as JSON where it is written in another way."""
    told = call.get("function")
    if not isinstance(told, dict) or not isinstance(told.get("name"), str):
        return as_json(call)
    given = told.get("arguments", "")
    return f"{told['name']}({given if isinstance(given, str) else as_json(given)})"


def _with_turns_as_text(choice: Any) -> Any:
    turns = choice.get(TURNS) if isinstance(choice, dict) else None
    if not isinstance(turns, list) or not turns or not all(isinstance(one, str) for one in turns):
        return choice
    return {**choice, TURNS: text_of_turns(turns)}


def text_of_turns(turns: Sequence[str]) -> str:
    """Return what was said turn after turn as one text; a single turn as it is.

    >>> print(text_of_turns(["4", "8"]))
    Turn 1:
    4
    <BLANKLINE>
    Turn 2:
    8
    """
    numbered = [f"Turn {place}:\n{text}" for place, text in enumerate(turns, 1)]
    return turns[0] if len(turns) == 1 else "\n\n".join(numbered)


OF_MESSAGES = (
    (b'"kwargs"',),
    *((kind, b'"message"') for kind in (b'"reasoning"', b'"tool_call"', b'"function_call"')),
)
"""What stands in a file that may have turns as LangChain or the Responses API of OpenAI write them, or other agents."""


def with_plain_messages(value: Any) -> Any:
    """Return a record with the messages of LangChain as turns, and of the items of a reply its messages alone.

    The same object where there is none.

    >>> with_plain_messages({"lc": 1, "id": ["schema", "HumanMessage"], "kwargs": {"content": "Hi"}})
    {'role': 'user', 'content': 'Hi'}
    >>> with_plain_messages([{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": "Hi"}])
    [{'type': 'message', 'role': 'assistant', 'content': 'Hi'}]
    """
    if isinstance(value, list):
        parts = [with_plain_messages(one) for one in value]
        if all(isinstance(one, dict) and isinstance(one.get("type"), str) for one in parts):
            said = [one for one in parts if one["type"] == "message" and _speaks(one)]
            parts = said or parts
        return value if len(parts) == len(value) and all(map(operator.is_, parts, value)) else parts
    if not isinstance(value, dict):
        return value
    if (turn := _of_langchain(value)) is not None:
        return turn
    found = {name: with_plain_messages(one) for name, one in value.items()}
    return value if all(found[name] is one for name, one in value.items()) else found


SPEAKERS = {"HumanMessage": "user", "AIMessage": "assistant", "AIMessageChunk": "assistant", "SystemMessage": "system"}
"""Who speaks in a message of LangChain, by its class."""


def _of_langchain(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """The turn that an object of LangChain's writes; None of any other one."""
    inside, path = value.get("kwargs"), value.get("id")
    if not isinstance(inside, dict) or not isinstance(path, list) or not path or "content" not in inside:
        return None
    name = str(path[-1])
    if not name.removesuffix("Chunk").endswith("Message"):
        return None
    return {"role": SPEAKERS.get(name, "tool"), "content": inside["content"]}


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
