"""JSON that somebody else wrote: how much it may become is asked before it is parsed, and which numbers it has afterwards."""

import json
import math
from typing import Any

from testimate.core.errors import BadInput

DEEPEST = 20
"""Lists and objects within one another; what this program writes has five."""

LARGEST_WHOLE = 2**53
"""The largest whole number that a browser counts exactly."""


def read_json(text: bytes | str, most: int, *, finite: bool = False) -> Any:
    """Returns the parsed JSON; ValueError if it is damaged, nested too deep, or may have more values than that.

    A list of three bytes takes a hundred in memory, so a limit on bytes alone limits little. The values are counted by what
    begins or follows them, also inside texts. ``finite`` : infinity and NaN, which JSON does not have, are refused as well.

    >>> read_json('{"rows": [1, 2]}', most=5)
    {'rows': [1, 2]}
    """
    check_values(text, most)
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_finite) if finite else json.loads(text)
    except RecursionError:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from None
    if not is_nested_at_most(DEEPEST, value):
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value


def check_values(text: bytes | str, most: int) -> int:
    """Returns how many values the JSON has at most; ValueError if that is more."""
    content = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    values = sum(map(content.count, (b"[", b"{", b",")))
    if values > most:
        raise ValueError(f"more than {most} values")
    return values


def _finite(text: str) -> float:
    """The number; ValueError if it is infinity, NaN, or beyond every float."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.20} is not a finite number")
    return number


def is_nested_at_most(levels: int, value: Any) -> bool:
    """Whether lists and objects are within one another at most so deep.

    >>> is_nested_at_most(1, [1, 2]), is_nested_at_most(1, [[1], 2])
    (True, False)
    """
    if not isinstance(value, dict | list):
        return True
    inside = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(is_nested_at_most(levels - 1, one) for one in inside if isinstance(one, dict | list))


def check_plain(value: Any, what: str) -> Any:
    """The parsed JSON of a browser; BadInput if it is nested too deep, or has a number that no browser counts."""
    if not is_nested_at_most(DEEPEST, value):
        raise BadInput(f"The {what} is nested too deep. Expected at most {DEEPEST} levels. Reload the page.")
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            waiting.extend(one.values() if isinstance(one, dict) else one)
        elif isinstance(one, float) and not math.isfinite(one):
            raise BadInput(f"The {what} has the number {one}. Expected finite numbers. Reload the page.")
        elif isinstance(one, int) and abs(one) > LARGEST_WHOLE:
            raise BadInput(f"The {what} has a number beyond {LARGEST_WHOLE}. Expected smaller ones. Reload the page.")
    return value
