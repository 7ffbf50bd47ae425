"""Numbers of things, as a sentence writes them."""

from testimate.core.rounding import spaced


def counted(number: int, what: str) -> str:
    """The number with its noun.

    >>> counted(1, "fault"), counted(2_577, "more label")
    ('1 fault', '2\\u202f577 more labels')
    """
    return f"{spaced(number)} {what}{'' if number == 1 else 's'}"


def has_or_have(number: int) -> str:
    """Whichever of "has" and "have" follows that number."""
    return "has" if number == 1 else "have"
