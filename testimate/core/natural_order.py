"""The order in which people expect to see the classes: kind 2 before kind 10."""

import re
from collections.abc import Sequence


def class_order(names: Sequence[str]) -> tuple[int, ...]:
    """The places of the classes in the order in which a tester sees them.

    Names in alphabetical order, which is this program's own, are shown in natural order; any other order is that of whoever
    named them, and stays.

    >>> class_order(["kind 1", "kind 10", "kind 2"]), class_order(["stop", "go"])
    ((0, 2, 1), (0, 1))
    """
    places = range(len(names))
    if list(names) != sorted(names):
        return tuple(places)
    return tuple(sorted(places, key=lambda place: natural(names[place])))


def natural(name: str) -> list[tuple[int, int, str]]:
    """By which names sort as people count: digits by their value, however many there are.

    >>> natural("kind 2") < natural("kind 10")
    True
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name.casefold())
    return [(0, len(part.lstrip("0")), part.lstrip("0")) if part[0] in "0123456789" else (1, 0, part) for part in parts]
