"""What a terminal prints of names and messages: similar characters for those it lacks, and no control sequences."""

import codecs
import io
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from testimate.core.visible_text import CONTROLS, TURNING

INSTEAD = {
    "\u2009": " ",  # thin spaces between thousands
    "\u202f": " ",
    "\u00a0": " ",
    "\u00b1": "+/-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2026": "...",
    "\u2192": "->",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u00d7": "x",
    "\u00b7": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
}


def nearest(text: str) -> str:
    """The text in ASCII, letters without their accents, and a question mark for what has no similar character.

    >>> nearest("0.91 \u00b1 0.02 of 10\u202f000, K\u00e4se")
    '0.91 +/- 0.02 of 10 000, Kase'
    """
    said = "".join(INSTEAD.get(sign) or unicodedata.normalize("NFKD", sign) for sign in text)
    return "".join(sign if sign.isascii() else "?" for sign in said if not unicodedata.combining(sign))


COMMANDS = re.compile(f"[{CONTROLS}\r\u2028\u2029{TURNING}]")
"""What moves the cursor, colors, renames or turns around on a terminal; line ends and tabs do not count."""


def without_commands(text: str) -> str:
    """The text with control characters escaped as JSON escapes them, so that in JSON it means the same.

    >>> without_commands("model\\x1b[2J\\rgone")
    'model\\\\u001b[2J\\\\u000dgone'
    """
    return COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Plain:
    """A stream that prints no control characters to its terminal; otherwise it behaves as the stream that it wraps."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return int(self._stream.write(without_commands(text)))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _instead_of(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return nearest(error.object[error.start : error.end]), error.end


def _plain_letters(name: str) -> codecs.CodecInfo | None:
    """ASCII by another name: Typer takes a terminal that says "ascii" for one that means UTF-8, and writes that."""
    if name != "plain_letters":
        return None
    ascii_ = codecs.lookup("ascii")
    return codecs.CodecInfo(
        ascii_.encode,
        ascii_.decode,
        incrementalencoder=ascii_.incrementalencoder,
        incrementaldecoder=ascii_.incrementaldecoder,
        name="plain-letters",
    )


codecs.register_error("testimate.nearest", _instead_of)
codecs.register(_plain_letters)


@contextmanager
def printable() -> Iterator[None]:
    """Makes standard output and error print a similar character for one the terminal lacks, and no control sequences.

    A progress bar, which does, takes ``sys.__stderr__``.
    """
    streams = sys.stdout, sys.stderr
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            plain = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="plain-letters" if plain else None, errors="testimate.nearest")
    sys.stdout, sys.stderr = map(_Plain, streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
