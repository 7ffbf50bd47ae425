"""Records that were stored, or that come from another program: what they may be, checked once, where they come in.

The annotation of a field says what its values are: type, range, length, choices. JSON has no tuples, paths or records, so the
annotation also says what to make of a value. msgspec checks; what is made here keeps a stored 1 from becoming 1.0, of which
another fingerprint would follow.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from testimate.core.errors import BadInput
from testimate.core.visible_text import STORABLE
from testimate.core.words import commas

Record = TypeVar("Record")

LONGEST_TEXT, MOST_LISTED = 10_000, 100_000
"""Characters of a text, and entries of a list: a file may have 25,000 columns and as many classes."""

From0 = Annotated[int, Meta(ge=0)]
From1 = Annotated[int, Meta(ge=1)]
Whole64 = Annotated[int, Meta(ge=1 - (1 << 63), le=(1 << 63) - 1, description="a whole number of 64 bits")]
Finite = Annotated[float, Meta(gt=-1e300, lt=1e300, description="a finite number")]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT, pattern=STORABLE)]
ShortText = Annotated[str, Meta(max_length=1_000, pattern=STORABLE)]
"""A name that is made from names of files is below."""

Texts = Annotated[tuple[Text, ...], Meta(max_length=MOST_LISTED)]
TextByName = Annotated[Mapping[Text, Text], Meta(max_length=MOST_LISTED)]


@dataclass(frozen=True)
class Rule:
    """What an annotation says that the library cannot: ``expected``, in words, of a value that ``holds``."""

    holds: Callable[[Any], bool]
    expected: str


def _is_time(text: str) -> bool:
    """Whether a text states a time in ISO 8601."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.+Z-]{5,32}", text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def time_now(timespec: str = "seconds") -> str:
    """Return the time now as records hold it, in UTC; events, of which many come in a second, hold "milliseconds"."""
    return datetime.now(UTC).isoformat(timespec=timespec)


Time = Annotated[str, Rule(_is_time, "a time such as 2024-05-01T10:00:00+00:00")]


class WrongRecord(ValueError):
    """A record lacks a field, or has one that nobody knows."""


class WrongValue(WrongRecord):
    """A field has a value that it cannot have: ``found``, where the words ``expected`` say what it can."""

    def __init__(self, field: str, found: Any, expected: str) -> None:
        super().__init__(f"{field or 'the record'} is {found!r:.80}, expected {expected}")
        self.field, self.found, self.expected = field, found, expected


def read_record(kind: type[Record], stored: object, *, others: bool = False) -> Record:
    """Return the record whose fields were stored; a field that was not stored has its default.

    ``others`` : whether fields that the record does not have are passed over. WrongRecord where they are not, and where a field
    without a default is missing; WrongValue, which is one, where a value is not what its field says.

    >>> from testimate.core.design import SimpleRandom
    >>> read_record(SimpleRandom, {"stratum_sizes": [9], "planned": 3}).stratum_sizes
    (9,)
    """
    if others and isinstance(stored, Mapping):
        stored = {name: stored[name] for name in _shape(cast(Hashable, kind)).names if name in stored}
    return cast(Record, read_value(kind, stored))


def read_value(kind: Any, stored: Any) -> Any:
    """Return what a value of that type was stored as; raises as ``read_record``."""
    try:
        msgspec.convert(stored, kind, dec_hook=_path, str_keys=True)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, BadInput):
            raise error.__cause__ from None
        if error.__cause__ is not None:  # its values do not go together
            raise WrongRecord(str(error.__cause__)) from None
        raise _refusal(kind, stored, str(error)) from None
    except UnicodeEncodeError:  # half a character, of which it does not say where
        raise _refusal(kind, stored, "") from None
    make = _maker(kind)
    return stored if make is None else make(stored)


def _path(kind: Any, value: Any) -> Any:
    return kind(value)


# What is made of JSON's values

Maker = Callable[[Any], Any]


@dataclass(frozen=True)
class _Shape:
    """A record's fields: their ``names``; what is made of their values, by name; and the rules they obey."""

    names: frozenset[str]
    hints: Mapping[str, Any]
    makers: Mapping[str, Maker]
    rules: tuple[tuple[str, Rule], ...]


@cache
def _shape(kind: Any) -> _Shape:
    hints = get_type_hints(kind, include_extras=True)
    hints = {field.name: hints[field.name] for field in fields(kind) if field.init}
    makers = {name: make for name, hint in hints.items() if (make := _maker(hint)) is not None}
    rules = [(name, rule) for name, hint in hints.items() for rule in get_args(hint) if isinstance(rule, Rule)]
    return _Shape(frozenset(hints), hints, makers, tuple(rules))


def _make(kind: Any, stored: Mapping[str, Any]) -> Any:
    """Return the record of values that were checked."""
    shape = _shape(kind)
    if not stored.keys() <= shape.names:
        raise WrongRecord(f"the field {min(stored.keys() - shape.names)!r:.60} is unexpected")
    if not shape.makers and not shape.rules:
        return kind(**stored)
    for name, rule in shape.rules:
        if name in stored and not rule.holds(stored[name]):
            raise WrongValue(name, stored[name], rule.expected)
    made = {name: make(stored[name]) for name, make in shape.makers.items() if name in stored}
    return kind(**{**stored, **made})


@cache
def _maker(hint: Any) -> Maker | None:
    """Return what makes a value of JSON's; None where JSON's is it already, so that millions of them need no look."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _maker(args[0])
    if is_dataclass(hint):
        return partial(_make, hint)
    if origin in (Union, UnionType):
        makers = [(_json_type(one), make) for one in args if (make := _maker(one)) is not None]
        return partial(_made_of_one, makers) if makers else None
    if origin is tuple and args[1:] == (Ellipsis,):
        make = _maker(args[0])
        return tuple if make is None else partial(_tuple_of, make)
    if origin is list:
        make = _maker(args[0])
        return None if make is None else lambda values: [*map(make, values)]
    if origin is tuple:
        each = [_maker(one) or _as_it_is for one in args]
        return lambda values: tuple(make(value) for make, value in zip(each, values, strict=True))
    if origin in (dict, Mapping):
        return None if args[0] is not int and _maker(args[1]) is None else partial(_map_of, *args)
    return Path if hint is Path else None


def _as_it_is(value: Any) -> Any:
    return value


def _tuple_of(make: Maker, values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(make, values))


def _map_of(name: Any, hint: Any, values: Mapping[str, Any]) -> dict[Any, Any]:
    name, make = int if name is int else _as_it_is, _maker(hint) or _as_it_is
    return {name(key): make(value) for key, value in values.items()}


def _made_of_one(makers: Sequence[tuple[type, Maker]], value: Any) -> Any:
    """Return the value as the one of several types that takes it; a value that needs no making as it is."""
    return next((make(value) for taken, make in makers if isinstance(value, taken)), value)


def _json_type(hint: Any) -> Any:
    """Return what a value that is made into this type is in JSON."""
    if get_origin(hint) is Annotated:
        return _json_type(get_args(hint)[0])
    if hint is Path:
        return str
    return list | tuple if get_origin(hint) is tuple else Mapping


# What is wrong, for a sentence


def _refusal(kind: Any, stored: Any, message: str) -> WrongRecord:
    """Return the error about the field that the library names in its message, as "... - at `$.draws[0].row`"."""
    why, _, path = message.rpartition(" - at ") if " - at " in message else (message, "", "")
    if lacking := re.match("Object missing required field `(.+)`", why):
        return WrongRecord(f"{lacking[1]} is missing")
    field, found, hint, value = "", stored, kind, stored
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":  # a value of a map, by a name that the message leaves out
            break
        value = value[name or int(index)]
        if name:
            record: Any = next(one for one in _parts(hint) if is_dataclass(one))
            field, found, hint = name, value, _shape(record).hints[name]
    if is_dataclass(hint):
        return WrongRecord(f"there is {found!r:.60}, expected values by name")
    return WrongValue(field, found, expected_words(hint))


def _parts(hint: Any) -> Iterator[Any]:
    """Every type in a type, itself first."""
    yield hint
    for one in get_args(hint):
        yield from _parts(one)


_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def expected_words(hint: Any) -> str:
    """Return what a value of a type is, for a sentence after "expected".

    >>> expected_words(From1 | None), expected_words(Annotated[str, Meta(max_length=100)]), expected_words(Literal["a", "b"])
    ('a whole number of at least 1, or null', 'text of at most 100 characters', 'one of a, b')
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        said = [one.expected if isinstance(one, Rule) else one.description for one in args[1:]]
        metas = [one for one in args[1:] if isinstance(one, Meta)]
        return next(filter(None, said), None) or " ".join([expected_words(args[0]), *filter(None, map(_bounds, metas))])
    if origin in (Union, UnionType):
        others = " or ".join(dict.fromkeys(expected_words(one) for one in args if one is not NoneType))
        return f"{others}, or null" if NoneType in args else others
    if origin is Literal:
        return f"one of {', '.join(map(str, args))}"
    if origin in (tuple, list, Sequence):
        several = len(args) == 1 or args[1:] == (Ellipsis,)
        return f"a list, each {expected_words(args[0])}" if several else f"a list of {len(args)} values"
    return _WORDS.get(hint, "values by name")


def _bounds(meta: Meta) -> str:
    """Return the bounds of a value, in words; "" where it has none."""
    if meta.max_length is not None:
        return f"of at most {commas(meta.max_length)} characters"
    if meta.gt is not None and meta.lt is not None:
        return f"between {meta.gt} and {meta.lt}"
    if meta.ge is not None:
        return f"of at least {meta.ge}" if meta.le is None else f"from {meta.ge} to {meta.le}"
    return "" if meta.gt is None else f"above {meta.gt}"
