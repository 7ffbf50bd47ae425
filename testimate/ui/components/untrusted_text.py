"""Untrusted text (class names, file names, texts of a dataset) made safe for Streamlit's Markdown, and long text shortened."""

import re

from testimate.core.visible_text import CONTROLS, HALVES, REPLACEMENT, TURNING
from testimate.core.words import commas

_JOINER = "\u2060"  # word joiner: takes no room and breaks no line
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")  # all that CommonMark lets a backslash escape (spec 0.31, 2.4)
_SPACES = re.compile(r"[^\S\u00a0\u202f]+")  # white space but for the two that do not break: "12 345", "91%"
_TURNING = re.compile(f"[{TURNING}]")
_NOT_SHOWN = re.compile(f"[{CONTROLS}{HALVES}]")  # no message to a browser can hold a half


def escape_markdown(text: str) -> str:
    r"""The text as one line of Markdown that Streamlit shows letter by letter.

    Every punctuation mark is escaped, so no picture, link, HTML, LaTeX, color directive, list or table begins. Three
    things Streamlit makes of finished text, escaped or not: emoji and icon shortcodes (``:smile:``), addresses
    (``www.``, ``http:``, ``a@b.c``) and arrows (``->``); an invisible word joiner inside breaks them. Runs of white
    space become one space, but spaces that do not break stay, as those in numbers are. Control characters and halves of
    characters are shown as ``\ufffd``, and those that turn the writing direction are dropped.

    >>> escape_markdown("cat_2")
    'cat\\_2'
    >>> escape_markdown("a\n# b")
    'a \\# b'
    """
    line = _plain(str(text)).strip()
    line = re.sub(r"([:@])(?=\S)", rf"\1{_JOINER}", line)
    line = re.sub(r"(?i)(www)(?=\.)", rf"\1{_JOINER}", line)
    line = re.sub(r"(?<!\S)(<-|-|[<>~])(?=[->=](?!\S))", rf"\1{_JOINER}", line)
    return _PUNCTUATION.sub(r"\\\1", line)


def with_names(text: str) -> str:
    r"""The text as ``escape_markdown`` gives it, with what stands between two backticks as a name, letter by letter.

    >>> with_names("3 rows: `said_1` 2 classes")
    '3 rows\\: `said_1` 2 classes'
    """
    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # a backtick alone
        return escape_markdown(text)
    return "".join(
        f"`{_plain(part)}`" if place % 2 and part.strip() else _escaped_inside(part) for place, part in enumerate(parts)
    )


def _plain(text: str) -> str:
    """The text as one line without control characters and turns of the writing direction."""
    return _NOT_SHOWN.sub(REPLACEMENT, _TURNING.sub("", _SPACES.sub(" ", text)))


def _escaped_inside(text: str) -> str:
    """The text as ``escape_markdown`` gives it, with a space at an end that had some."""
    ends = [" " if part.isspace() else "" for part in (text[:1], text[-1:])]
    return f"{ends[0]}{escape_markdown(text)}{ends[1]}" if text.strip() else ends[0]


MOST_SHOWN = 131_072
"""Characters of one text that are sent to a browser."""


def shown_text(text: str) -> str:
    """The text, or its beginning with a sentence on what is left out; files that are exported contain all of it.

    >>> shown_text("short")
    'short'
    """
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]}\n\nShown: the first {commas(MOST_SHOWN)} of {commas(len(text))} characters."


LETTERS = 44
"""Most letters of a name in a list or on a button; a longer one is cut in the middle, where names differ least."""


def shortened(name: str) -> str:
    """The name, cut in the middle if it is long.

    >>> shortened("a" * 30 + "b" * 30) == "a" * 21 + " … " + "b" * 20
    True
    """
    if len(name) <= LETTERS:
        return name
    left = (LETTERS - 2) // 2
    return f"{name[:left]} … {name[left + 3 - LETTERS :]}"
