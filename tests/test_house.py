"""The house itself: names that shadow nothing, an entry that only navigates, an import that costs nothing."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_no_top_level_name_shadows_the_standard_library():
    names = {
        path.stem
        for path in ROOT.iterdir()
        if path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists())
    }
    assert names, "the checkout has top-level modules"
    assert not names & sys.stdlib_module_names


def test_the_entry_of_the_app_knows_nothing_but_streamlit_where_it_lies_and_who_is_there():
    tree = ast.parse((ROOT / "app.py").read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == [
        "from pathlib import Path",
        "import streamlit as st",
        "from pages.member import logout, team, who_is_here",
    ]


def test_importing_the_package_imports_no_library_at_all():
    code = "import sys; before = set(sys.modules); import testimate; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert "testimate" in loaded
    assert not {"numpy", "scipy", "sklearn", "torch", "pandas", "streamlit", "plotly", "hdbscan"} & set(loaded)


def test_the_names_promised_to_python_users_are_there():
    import testimate

    for name in testimate.__all__:
        assert getattr(testimate, name) is not None


def test_the_navigation_names_exactly_the_pages_that_prepare_themselves():
    entry = (ROOT / "app.py").read_text()
    named = set(re.findall(r'"pages/(\w+\.py)"', entry))
    prepared = {
        path.name
        for path in (ROOT / "pages").glob("*.py")
        if re.search(r"\npage\(show[^\n]*\)$", path.read_text().rstrip())
    }
    assert named == prepared
    assert len(named) >= 6
    addresses = re.search(r"^PAGES = (\(.*?\))$", (ROOT / "serve.py").read_text(), re.MULTILINE)
    assert {f"{name}.py" for name in filter(None, ast.literal_eval(addresses[1]))} == named
