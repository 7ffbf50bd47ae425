"""Which key answers which class, in which order the classes stand, and which keys do everything else."""

import re
from collections.abc import Sequence

DIGITS = "1234567890"
"""In the order of the keyboard."""
LETTERS = "abdeghijklmnopqtuvwxyz"
"""Not c and r, which Streamlit takes, nor s (skip) and f (flag): these only answer a class of that very name."""
PLAY = "p"
"""Plays a sound; where inputs are sounds only a class of that very name gets it."""
ACTIONS = {
    "cannot tell": (" ", " "),
    "skip": ("s", "ArrowRight"),
    "flag": ("f", ","),
    "undo": ("Backspace", "Backspace"),
    "play": (PLAY, "-"),
}
"""The key of each action, and the one it moves to where a class is named like the first; on most layouts without shift."""


def class_keys(names: Sequence[str], *, sounds: bool = False) -> tuple[str, ...]:
    """One key per class, "" where the keys are used up (such classes are found by searching).

    A class whose name is a digit or a letter is answered with it, whatever else that key does: see ``action_keys``. The others
    take the digits in the order of the keyboard, then letters, in the order in which they stand. ``sounds`` : the inputs are
    sounds, which ``PLAY`` plays.

    >>> class_keys(["0", "1", "2"])
    ('0', '1', '2')
    >>> class_keys(["cat", "dog"])
    ('1', '2')
    >>> class_keys(["r", "s", "other"])
    ('r', 's', '1')
    """
    own: dict[str, int] = {}
    for place, name in enumerate(names):
        if re.fullmatch("[0-9a-z]", name.lower()):
            own.setdefault(name.lower(), place)
    keys = [""] * len(names)
    for key, place in own.items():
        keys[place] = key
    usable = (DIGITS + LETTERS).replace(PLAY, "") if sounds else DIGITS + LETTERS
    free = (key for key in usable if key not in own)
    for place in class_order(names):
        keys[place] = keys[place] or next(free, "")
    return tuple(keys)


def action_keys(keys: Sequence[str]) -> dict[str, str]:
    """The key of each action beside these keys of the classes.

    >>> action_keys(["r", "s"])["skip"], action_keys(["1", "2"])["skip"]
    ('ArrowRight', 's')
    """
    return {action: usual if usual not in keys else moved for action, (usual, moved) in ACTIONS.items()}


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
