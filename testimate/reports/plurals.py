"""Numbers of things, as a sentence writes them."""

from testimate.core.rounding import spaced


def counted(number: int, what: str) -> str:
    """So many of them.

    >>> counted(1, "fault"), counted(2_577, "more label")
    ('1 fault', '2\\u202f577 more labels')
    """
    return f"{spaced(number)} {what}{'' if number == 1 else 's'}"


def has_or_have(number: int) -> str:
    """The verb after that many of them."""
    return "has" if number == 1 else "have"
