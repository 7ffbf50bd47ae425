"""Decision records are few and short, the code they govern cites them, and no citation leads nowhere."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import DOCS, ROOT

FOLDER = DOCS / "decisions"
RECORDS = {int(page.name[:4]): page for page in FOLDER.glob("[0-9]*.md")}
MOST_RECORDS, MOST_WORDS = 60, 300
CODE = ("testimate", "pages", "tests", ".ci")
TEXTS = {"", ".py", ".js", ".ts", ".html", ".css", ".md", ".toml", ".txt", ".yml", ".yaml"}
CITED = re.compile(r"\bdecisions?[\s#]+\[?(\d+)\b(?:(?:, \d+)* and (\d+)\b)?", re.IGNORECASE)


def texts(*rooms: str) -> Iterator[Path]:
    """The files of these folders and of the root that a person wrote; this one, which looks for citations, left out."""
    for room in rooms:
        yield from (path for path in (ROOT / room).rglob("*") if path.suffix in TEXTS and path.is_file())
    yield from (path for path in ROOT.iterdir() if path.suffix in TEXTS and path.is_file())


def cited(*rooms: str) -> dict[int, Path]:
    """The decisions that these folders and the root name, each with a file that does; pages do only with their folder."""
    found: dict[int, Path] = {}
    for path in texts(*rooms):
        if path == Path(__file__) or (path.suffix == ".md" and "docs" not in rooms):
            continue
        for match in CITED.finditer(path.read_text(encoding="utf-8", errors="replace")):
            found |= {int(number): path for number in match.groups() if number}
    return found


def words(page: Path) -> int:
    """What a reader reads: pieces with a letter or digit, so the bars of a table do not count."""
    return sum(any(letter.isalnum() for letter in piece) for piece in page.read_text(encoding="utf-8").split())


def test_decisions_are_few_and_short():
    assert len(RECORDS) <= MOST_RECORDS, "merge what tells one choice, or leave out what nobody will reopen"
    assert {page.name: words(page) for page in RECORDS.values() if words(page) > MOST_WORDS} == {}


def test_each_decision_is_cited_by_the_code_it_governs():
    named = cited(*CODE)
    assert [page.name for number, page in sorted(RECORDS.items()) if number not in named] == []


def test_every_citation_names_a_decision_that_exists():
    named = cited(*CODE, "docs", "research", "benchmarks")
    assert {number: path.name for number, path in named.items() if number not in RECORDS} == {}


def test_the_index_lists_every_decision_once():
    listed = re.findall(r"\]\((\d{4}-[^)]+)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(page.name for page in RECORDS.values())
