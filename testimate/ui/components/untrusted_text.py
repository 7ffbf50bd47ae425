"""Untrusted text (class names, file names, texts of a dataset) made safe for Streamlit's Markdown."""

import re
import unicodedata

_JOINER = "\u2060"  # word joiner: takes no room and breaks no line
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")  # all that CommonMark lets a backslash escape (spec 0.31, 2.4)
_SPACES = re.compile(r"[^\S\u00a0\u202f]+")  # white space but for the two that do not break: "12 345", "91 %"
_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # override the order of what follows


def escape_markdown(text: str) -> str:
    r"""The text as one line of Markdown that Streamlit shows letter by letter.

    Every punctuation mark is escaped, so no picture, link, HTML, LaTeX, colour directive, list or table begins. Three
    things Streamlit makes of finished text, escaped or not: emoji and icon shortcodes (``:smile:``), addresses
    (``www.``, ``http:``, ``a@b.c``) and arrows (``->``); an invisible word joiner inside breaks them. Runs of white
    space become one space, but spaces that do not break stay, as those in numbers are; control characters and those that
    turn the writing direction are shown as ``\ufffd`` or dropped.

    >>> escape_markdown("cat_2")
    'cat\\_2'
    >>> escape_markdown("a\n# b")
    'a \\# b'
    """
    line = _SPACES.sub(" ", str(text)).strip().translate(_BIDI)
    line = "".join("\ufffd" if unicodedata.category(letter) == "Cc" else letter for letter in line)
    line = re.sub(r"([:@])(?=\S)", rf"\1{_JOINER}", line)
    line = re.sub(r"(?i)(www)(?=\.)", rf"\1{_JOINER}", line)
    line = re.sub(r"(?<!\S)(<-|-|[<>~])(?=[->=](?!\S))", rf"\1{_JOINER}", line)
    return _PUNCTUATION.sub(r"\\\1", line)
