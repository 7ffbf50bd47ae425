"""Which key answers which class, the order of the classes, and the keys for everything else."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from testimate.core.words import class_order

# Letters and digits answer, everything else has other keys: decision 136. The script reads the same table: key_table.ts.
TABLE = json.loads(Path(__file__).with_name("keys.json").read_text(encoding="utf-8"))
DIGITS: str = TABLE["classes"]["digits"]
LETTERS: str = TABLE["classes"]["letters"]
ACTIONS: dict[str, dict[str, str]] = TABLE["actions"]
"""The ``key`` of each action, and the one it is ``moved`` to where a class is named like the first; on most layouts without
shift."""
PLAY = ACTIONS["play"]["key"]
"""Plays a sound; where inputs are sounds only a class of that very name gets it."""
OUTSIDE = "outside"
"""The action that answers with none of the classes."""
WHY = "why"
"""The action that says why an input failed."""
PALETTE: str = TABLE["palette"]["words"]
"""What opens the command palette, in words."""


def class_keys(names: Sequence[str], *, sounds: bool = False) -> tuple[str, ...]:
    """One key per class; none at all if there are more classes than keys: then all are chosen by their first letters.

    A class whose name is a digit or a letter is answered with it, even if that key has another use: see
    ``action_keys``. The others take the digits in the order of the keyboard, then letters, in their own order.
    ``sounds`` : the inputs are sounds, which ``PLAY`` plays.

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
    return tuple(keys) if all(keys) else ("",) * len(names)


def action_keys(keys: Sequence[str], *, outside: bool = False, why: bool = False) -> dict[str, str]:
    """The key of each action next to these keys of the classes; not a letter if letters name the classes.

    ``outside`` : whether an answer may be none of the classes. ``why`` : whether a failure may have codes.

    >>> action_keys(["r", "s"])["skip"], action_keys(["1", "2"])["skip"], action_keys(["n"], outside=True)["outside"]
    ('ArrowRight', 's', 'ArrowLeft')
    """
    typed = bool(keys) and not any(keys)
    left_out = {OUTSIDE: not outside, WHY: not why}
    return {
        action: said["moved"] if said["key"] in keys or (typed and re.fullmatch("[a-z]", said["key"])) else said["key"]
        for action, said in ACTIONS.items()
        if not left_out.get(action)
    }
