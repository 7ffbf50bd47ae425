"""Every path that the documentation names is there: a file, a folder, or a name inside a file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "RELEASING.md", *sorted((ROOT / "docs").rglob("*.md"))]
ROOMS = {path.name for path in (ROOT / "testimate").iterdir() if path.is_dir()}
TOPS = {path.name for path in ROOT.iterdir() if path.is_dir()}
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*/?)`")
INSIDE = re.compile(r"(?P<file>[\w/-]+?)\.(?P<name>[A-Za-z_][\w.]*)")
MADE_BY_READERS = {
    *("subjects/", "models/", "datasets/", "cache/", "tables/"),
    *("testimate/selectors/class_rounds.py", ".streamlit/secrets.toml"),
}
"""Folders of a project that are called like rooms, and files that a page asks its reader to make."""


def named_in(text: str) -> list[str]:
    """The paths of this checkout in a page: in backticks, from a folder at its top or from a room of ``testimate``."""
    found = [match[1] for match in PATH.finditer(text) if "/" in match[1]]
    return [path for path in found if path.split("/")[0] in ROOMS | TOPS and path not in MADE_BY_READERS]


def is_there(path: str) -> bool:
    """Whether it is a file, a folder, or a module with the name behind the dot in it."""
    for top in (ROOT, ROOT / "testimate"):
        if (top / path).exists():
            return True
        inside = INSIDE.fullmatch(path)
        module = top / f"{inside['file']}.py" if inside else None
        if inside and module and module.is_file():
            return (
                re.search(rf"\b{re.escape(inside['name'].split('.')[-1])}\b", module.read_text(encoding="utf-8"))
                is not None
            )
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_that_a_page_names_exists(page):
    missing = [path for path in named_in(page.read_text(encoding="utf-8")) if not is_there(path)]
    assert not missing, f"{page.relative_to(ROOT)} names {', '.join(missing)}; name what is there now"


def test_every_module_that_a_docstring_names_exists():
    rooms = "|".join(sorted(path.name for path in (ROOT / "testimate").iterdir() if (path / "__init__.py").exists()))
    named = re.compile(rf"``(?:testimate\.)?((?:{rooms})(?:\.\w+)+)``")
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for top in ("testimate", "pages", "research")
        for path in sorted((ROOT / top).rglob("*.py"))
        for name in named.findall(path.read_text(encoding="utf-8"))
        if not name.endswith(".sqlite") and not has_module(name.split("."))
    ]
    assert not missing, f"docstrings name {', '.join(missing)}; name what is there now"


def has_module(parts: list[str]) -> bool:
    """Whether these are a module of ``testimate``, with the name of something in it or without."""
    module = ROOT / "testimate" / "/".join(parts)
    if module.is_dir() or module.with_suffix(".py").is_file():
        return True
    *above, name = parts
    for file in (ROOT / "testimate" / f"{'/'.join(above)}.py", ROOT / "testimate" / "/".join(above) / "__init__.py"):
        if file.is_file():
            return re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) is not None
    return False
