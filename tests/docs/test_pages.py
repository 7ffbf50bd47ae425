"""Links and pictures of the documentation exist, and nothing public is left out of the reference."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import testimate
from testimate.selectors import SELECTORS
from tests.docs.pages import DOCS, ROOT, blocks, links, pages
from tests.docs.test_commands import NOT_RUN, PAGES
from tests.each import each


@pytest.fixture
def site(monkeypatch):
    """A module of docs/site by its name."""
    monkeypatch.syspath_prepend(str(DOCS / "site"))
    yield import_module
    for name in ("docstrings", "made_pages", "formulas"):
        sys.modules.pop(name, None)


@each("page", pages())
def test_every_link_and_picture_of_a_page_exists(page):
    for link in links(page):
        target = link.partition("#")[0]
        if not target or target.startswith(("http://", "https://")):
            continue
        file = (page.parent / target).resolve()
        assert file.exists(), f"{page.name} links to {link}"


def test_no_picture_lies_about_that_no_page_shows():
    shown = {(page.parent / link).resolve() for page in pages() for link in links(page)}
    taken = {file for file in (DOCS / "pictures").iterdir() if file.suffix in (".png", ".gif")}
    assert taken <= shown


def test_pictures_are_small_enough_to_come_with_every_clone():
    sizes = {file.name: file.stat().st_size for file in (DOCS / "pictures").iterdir()}
    assert {name for name, size in sizes.items() if size > 1_500_000} == set()
    assert sum(sizes.values()) < 4_000_000


def test_the_reference_tells_every_public_name():
    reference = (DOCS / "reference" / "python.md").read_text()
    assert {name for name in testimate.__all__ if not re.search(rf"\b{name}\b", reference)} == set()


def test_the_reference_tells_every_technique_with_its_options_and_every_command(site):
    techniques = (DOCS / "reference" / "techniques.md").read_text()
    for name, made in SELECTORS.items():
        assert f"\n## {name}\n" in techniques
        assert all(f"`{option.name}`" in techniques for option in made.options)
    commands = (DOCS / "reference" / "command-line.md").read_text()
    for command in ("app", "features", "select", "continue", "estimate", "sessions replay", "testers add"):
        assert f"\n## `testimate {command}`" in commands or f"\n### `testimate {command}`" in commands
    assert "$ testimate estimate plan.json votes.csv --json -" in commands


def test_the_reference_in_the_repository_is_what_the_program_says(site):
    for name, make in site("made_pages").WRITTEN.items():
        assert (DOCS / name).read_text() == make(), "run: PYTHONPATH=. python docs/site/made_pages.py"


def test_docstrings_become_lists_and_examples_code(site):
    text = "Counts.\n\nParameters\n----------\nsize : N, a number. seed : any.\nlast : the\n    end.\n\n>>> 1 + 1\n2\n\nWords."
    assert site("docstrings").as_markdown(text) == (
        "Counts.\n\n**Parameters**\n\n- `size`: N, a number.\n- `seed`: any.\n- `last`: the\n    end.\n\n"
        "```pycon\n>>> 1 + 1\n2\n```\n\nWords."
    )


def test_formulas_become_mathml(site):
    drawn = site("formulas").drawn(r'<td><span class="arithmatex">\(p \le \frac{1}{2}\)</span></td>')
    assert "<mfrac>" in drawn
    assert "arithmatex" not in drawn


def test_every_command_that_is_not_run_stands_on_a_page():
    written = [line.removeprefix("$ ") for page in PAGES for block in blocks(page) for line in block.text.splitlines()]
    assert {start for start in NOT_RUN if not any(line.startswith(start) for line in written)} == set()


def test_files_of_the_documentation_name_no_machine():
    written = [file for file in DOCS.rglob("*") if file.suffix in (".md", ".py", ".css")]
    named = {file.name for file in [*written, Path(ROOT / "mkdocs.yml")] if "/work/" in file.read_text()}
    assert named == set()
