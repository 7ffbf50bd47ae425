"""What a terminal prints that lacks a sign: something like it, and never a traceback."""

import codecs
import io
import sys
import unicodedata

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
    """The text in ASCII, letters without their accents and what has no likeness as a question mark.

    >>> nearest("0.91 \u00b1 0.02 of 10\u202f000, K\u00e4se")
    '0.91 +/- 0.02 of 10 000, Kase'
    """
    said = "".join(INSTEAD.get(sign) or unicodedata.normalize("NFKD", sign) for sign in text)
    return "".join(sign if sign.isascii() else "?" for sign in said if not unicodedata.combining(sign))


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


def let_all_be_printed() -> None:
    """Makes standard output and standard error print something like a sign that the terminal lacks; all others stay."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            plain = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="plain-letters" if plain else None, errors="testimate.nearest")
