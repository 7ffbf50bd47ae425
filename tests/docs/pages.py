"""The Markdown pages of the documentation: their fenced blocks, links and headings."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^( *)```(\S*)[ ]*(?:title=\"([^\"]+)\")?[^\n]*\n(.*?)^\1```[ ]*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it stands for, if any, its text, and the line it begins on."""

    language: str
    title: str
    text: str
    line: int


def pages() -> list[Path]:
    """Every page a person writes or a script makes."""
    return sorted([ROOT / "README.md", *DOCS.rglob("*.md")])


def blocks(page: Path) -> list[Block]:
    """The page's fenced blocks in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent, language, title, inside = match.groups()
        lines = [line.removeprefix(indent) for line in inside.splitlines()]
        found.append(Block(language, title or "", "\n".join(lines) + "\n", text.count("\n", 0, match.start()) + 1))
    return found


def links(page: Path) -> list[str]:
    """What the page links to or shows, code left out."""
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
