"""Which key answers which class."""

from collections.abc import Sequence

DIGITS = "1234567890"
"""In the order of the keyboard."""
LETTERS = "abdeghijklmnopqtuvwxyz"
"""Not c and r, which Streamlit takes, nor s (skip) and f (flag)."""
PLAY = "p"
"""Plays a sound; where inputs are sounds no class gets it."""


def class_keys(names: Sequence[str], *, sounds: bool = False) -> tuple[str, ...]:
    """One key per class, "" where the keys are used up (such classes are found by searching).

    A class whose name is itself a free key takes it, so that the digit 7 is answered with 7; the others take the
    digits in the order of the keyboard, then letters. ``sounds`` : the inputs are sounds, which ``PLAY`` plays.

    >>> class_keys(["0", "1", "2"])
    ('0', '1', '2')
    >>> class_keys(["cat", "dog"])
    ('1', '2')
    >>> class_keys(["a", "b", "c"])
    ('a', 'b', '1')
    """
    usable = (DIGITS + LETTERS).replace(PLAY, "") if sounds else DIGITS + LETTERS
    own: dict[str, int] = {}
    for place, name in enumerate(names):
        if len(name) == 1 and name.lower() in usable:
            own.setdefault(name.lower(), place)
    keys = [""] * len(names)
    for key, place in own.items():
        keys[place] = key
    free = (key for key in usable if key not in own)
    return tuple(key or next(free, "") for key in keys)
