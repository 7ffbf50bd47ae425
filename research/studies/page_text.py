"""How study pages are written: Markdown tables, numbers in points, paragraphs folded."""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is words, the others numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def write_page(file: Path, sections: Iterable[str]) -> None:
    """Writes Markdown sections, paragraphs and list items folded at 120; tables, headings and pictures as they are."""
    folded, words, hanging = [], "", ""

    def end() -> None:
        nonlocal words
        if words:
            folded.extend(
                textwrap.wrap(words, 120, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
            )
        words = ""

    for line in "\n".join(sections).splitlines():
        if not line.strip() or line.startswith(("|", "#", "![")):
            end()
            folded.append(line)
        elif line.startswith("- "):
            end()
            words, hanging = line, "  "
        elif words:
            words += " " + line.strip()
        else:
            words, hanging = line, ""
    end()
    file.write_text("\n".join(folded).rstrip() + "\n")


def points(value: float | None) -> str:
    """A share as percentage points, with two digits."""
    return "–" if value is None else f"{100 * value:.2f}"
