"""The map of the code names files and functions that are there, and the walk of a table goes where it says."""

import ast
import re
from pathlib import Path

from tests import walks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACES = ("testimate", "testimate/ui/components/labeling_surface", "")
"""Where the names on the page begin; scripts are named without their folder."""


def sources_of(name: str) -> list[str]:
    """The files that a name on the page may mean."""
    return [file for place in PLACES if (ROOT / (file := f"{place}/{name}".strip("/"))).is_file()]


def names_in(file: Path) -> set[str]:
    """What a file defines, at its top and in its classes."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    return defined | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def test_every_file_and_function_that_the_map_names_is_there():
    text = PAGE[PAGE.index("## Nouns") :]
    files = set(re.findall(r"`([a-z_/0-9]+\.(?:py|ts))`", text))
    functions = set(re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+)\.([A-Za-z_]+)", text)) - {
        (file[:-3], file[-2:]) for file in files
    }
    assert len(files) > 30
    assert len(functions) > 10
    assert [file for file in sorted(files) if not sources_of(file)] == []
    missing = [
        f"{module}.{name}"
        for module, name in sorted(functions)
        if not any(name in names_in(ROOT / file) for file in sources_of(f"{module}.py"))
    ]
    assert missing == []


def test_the_walk_of_a_table_goes_through_every_file_that_it_names(tmp_path):
    walk = PAGE[PAGE.index("## One table") : PAGE.index("## One uploaded model")]
    named = set(re.findall(r"`([a-z_]+/[a-z_]+)\.[a-z_]+", walk))
    met = {
        file.removeprefix("testimate/").removesuffix(".py") for file in walks.files_run(walks.table_to_report(tmp_path))
    }
    assert len(named) == 21
    assert named <= met
