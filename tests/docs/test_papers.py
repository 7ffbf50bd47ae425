"""The page on the papers: every row says what became of it, its figures stand in the studies, and its commands are real."""

import re
import shlex

import click
import pytest
import typer

from benchmarks.__main__ import sections_of_results
from benchmarks.papers import DEMONSTRATIONS, IN_A_BROWSER
from testimate.cli import app
from tests.docs.pages import DOCS, LINK, ROOT, blocks
from tests.each import each

PAGE = DOCS / "papers.md"
STATES = ("works", "not possible, because ")
PAPERS = {
    "PACE": "pace",
    "SSOA": "ssoa",
    "DeepSample": "deepsample",
    "WFDR and SFDR": "prioritizers",
    "LaF": "laf",
}
"""Each part of the page, and the study that its figures are quoted from."""

FIGURE = re.compile(r"(?<![\w.,])[-+]?\d+\.\d+(?![\w.])")


def rows(paper):
    """The cells of each row of the paper's table."""
    part = PAGE.read_text().split(f"\n## {paper}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def commands():
    """Every command on the page, as words."""
    scripts = [block.text for block in blocks(PAGE) if block.language == "sh"]
    return [shlex.split(line) for script in scripts for line in script.splitlines() if line]


TABLE = [(paper, row) for paper in PAPERS for row in rows(paper)]


@each("paper", PAPERS)
def test_a_paper_has_rows_and_each_says_what_became_of_it(paper):
    found = rows(paper)
    assert len(found) >= 10
    for row in found:
        assert len(row) == 6, row
        assert row[4].startswith(STATES), row
        assert row[4].startswith("works") or "tried" in row[4], f"{row}: say what was tried"


def test_every_row_that_works_names_a_command_of_the_page():
    anchors = {anchor(heading) for heading in re.findall(r"^### (.+)$", PAGE.read_text(), re.MULTILINE)}
    shown = {link for _, row in TABLE for link in re.findall(r"\(#([^)]+)\)", row[5])}
    assert shown == anchors
    assert [row for _, row in TABLE if row[4].startswith("works") and "(#" not in row[5]] == []


def test_every_part_of_a_study_that_is_linked_exists():
    linked = re.findall(r"\(studies/(\w+\.md)#([^)]+)\)", PAGE.read_text())
    assert linked
    for study, part in linked:
        headings = re.findall(r"^#+ (.+)$", (DOCS / "studies" / study).read_text(), re.MULTILINE)
        assert part in {anchor(heading) for heading in headings}, f"{study} has no part {part}"


def anchor(heading):
    """As the site makes it of a heading."""
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


@each("paper", PAPERS)
def test_what_was_measured_stands_in_the_study(paper):
    """Figures with decimals that the page quotes; a study that is made anew and says something else fails here."""
    sources = [DOCS / "studies" / f"{PAPERS[paper]}.md"]
    if paper == "WFDR and SFDR":  # the examples in its text are tests
        sources += sorted((ROOT / "tests" / "metrics").glob("test_*.py"))
    if paper == "PACE":  # its own tables are the witness of the tests of errors
        sources.append(ROOT / "tests" / "structure" / "test_two_samples.py")
    for row in rows(paper):
        linked = {DOCS / link.partition("#")[0] for link in LINK.findall(row[3]) if link.startswith("studies/")}
        texts = [source.read_text() for source in {*sources, *linked}]
        figures = {figure.lstrip("+-") for text in texts for figure in FIGURE.findall(text)}
        quoted = FIGURE.findall(LINK.sub("", row[3]))
        assert {figure for figure in quoted if figure.lstrip("+-") not in figures} == set(), row


@pytest.mark.parametrize("words", commands(), ids=lambda words: " ".join(words[:2]) + " " + words[-1])
def test_a_command_parses(words, monkeypatch, tmp_path):
    program, *arguments = words
    if program == "python":
        assert arguments[0] in {block.title for block in blocks(PAGE)}
        return
    assert program == "testimate"
    group = typer.main.get_command(app)
    verb = group.get_command(click.Context(group), arguments[0])
    assert verb is not None, arguments[0]
    verb.make_context(arguments[0], list(arguments[1:]))


def test_the_page_has_a_row_for_each_of_the_papers_claims():
    assert len(TABLE) == 108


def test_each_demonstration_names_the_number_that_would_differ():
    parts = PAGE.read_text().split("\n### ")[1:]
    silent = [part.partition("\n")[0] for part in parts if not re.search(r"\*\*If it did nothing\*\*, [^\n]*\d", part)]
    assert silent == []


def test_every_demonstration_with_commands_is_measured_by_the_program():
    measured = {*DEMONSTRATIONS, IN_A_BROWSER}
    assert {part.partition("\n")[0] for part in PAGE.read_text().split("\n### ")[1:]} == measured


def test_no_demonstration_of_the_results_shows_what_nothing_would_show():
    """RESULTS.md, as the program last wrote it."""
    section = sections_of_results()["papers"]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    assert {name for name, *_ in lines[1:]} == set(DEMONSTRATIONS)
    assert [name for name, _, nothing, here in lines[1:] if float(nothing) == float(here)] == []


def test_every_row_shows_itself_by_a_command_or_says_why_not():
    sections = {anchor(part.partition("\n")[0]): part for part in PAGE.read_text().split("\n### ")[1:]}
    for _, row in TABLE:
        for link in re.findall(r"\(#([^)]+)\)", row[5]):
            assert "testimate " in sections[link] or "`testimate app`" in sections[link], row
        assert "(#" in row[5] or row[4].startswith("not possible, because "), row
