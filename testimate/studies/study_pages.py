"""What the kept studies found, read from their own pages, so that no figure is typed twice."""

import re
from functools import cache
from pathlib import Path

PLACES = ("docs/studies", "testimate/_app/docs/studies")
"""Where the pages lie: in a checkout, or in an installed package."""


def passage(page: str, start: str, sentences: int = 1) -> str | None:
    """So many sentences of a page from ``start`` on, without Markdown; None where it is not there.

    ``page`` : such as "deepsample". ``start`` : letter for letter; a heading, which ends in a full stop, is left out.
    """
    found = re.search(rf"(?:^|(?<=\s)){re.escape(start)}.*", _text(page), flags=re.DOTALL)
    if found is None:
        return None
    paragraph = re.split(r"\n\s*\n|\n- ", found.group(), maxsplit=1)[0]
    plain = " ".join(paragraph.split())
    if start.endswith("."):
        plain = plain.removeprefix(start).strip()
    return " ".join(re.split(r"(?<=[.!?])\s+(?=[A-Z])", plain)[:sentences])


@cache
def _text(page: str) -> str:
    """The page without the marks of bold letters; empty where it is not at hand."""
    root = Path(__file__).resolve().parents[2]
    for place in PLACES:
        file = root / place / f"{page}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8").replace("**", "")
    return ""
