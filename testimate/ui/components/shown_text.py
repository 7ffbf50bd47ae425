"""A long text as a screen shows it: its beginning, and a sentence that says so."""

from testimate.core.words import spaced

MOST_SHOWN = 131_072
"""Characters of one text that are sent to a browser."""


def shown_text(text: str) -> str:
    """The text, or its beginning with a sentence on what is left out; files that are exported contain all of it.

    >>> shown_text("short")
    'short'
    """
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]}\n\nShown: the first {spaced(MOST_SHOWN)} of {spaced(len(text))} characters."
