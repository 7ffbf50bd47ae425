"""Texts from JSON, which may contain half of a character, a lone surrogate: no file and no screen can hold one."""

import re

from testimate.core.errors import BadInput

HALF = re.compile("[\ud800-\udfff]")
"""One of the two units that UTF-16 takes for a character beyond the first 65,536; a whole one is a single sign in Python."""

JOINERS = {"\u200c", "\u200d"}
"""Invisible letters of Persian words, and of emoji that several make up, as a woman at a microscope."""


def whole_characters(text: str, name: str) -> str:
    """The text; BadInput, which names it, where half of a character stands in it.

    >>> whole_characters("good", "row 0")
    'good'
    """
    if half := HALF.search(text):
        raise BadInput(
            f"{name!r:.60} has \\u{ord(half[0]):04x} in it, half of a character; expected whole ones. Export the file "
            "again, or take that out."
        )
    return text
