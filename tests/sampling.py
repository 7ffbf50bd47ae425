"""Which cells of a cross-product the tests run, where running all of them would prove nothing more."""

from collections.abc import Sequence
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


def rotating(firsts: Sequence[First], seconds: Sequence[Second], each: int = 1) -> list[tuple[First, Second]]:
    """Every first with ``each`` of the seconds, beginning one further from first to first.

    So every first and every second is met, and a second with many firsts of different kinds; only whether two of them fail
    together and neither fails with any other is left out.

    >>> rotating(["srs", "rrs", "sups"], [0, 1, 2, 3], each=2)
    [('srs', 0), ('srs', 1), ('rrs', 1), ('rrs', 2), ('sups', 2), ('sups', 3)]
    """
    many = len(seconds)
    return [(first, seconds[(place + step) % many]) for place, first in enumerate(firsts) for step in range(each)]


def rotating_lists(firsts: Sequence[First], seconds: Sequence[Second], each: int) -> list[tuple[First, list[Second]]]:
    """The same, with the seconds of each first in a list: one test for each first.

    >>> rotating_lists(["srs", "rrs"], [0, 1, 2], each=2)
    [('srs', [0, 1]), ('rrs', [1, 2])]
    """
    pairs = rotating(firsts, seconds, each)
    return [(first, [second for _, second in pairs[place * each :][:each]]) for place, first in enumerate(firsts)]
