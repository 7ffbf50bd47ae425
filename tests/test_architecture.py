"""The house itself: names that shadow nothing, an entry that only navigates, an import that costs nothing."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from testimate.ui.pages import PAGES
from tests import house
from tests.each import each

ROOT = Path(__file__).parents[1]


@functools.cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """All nodes of a file's source; kept, because several tests look through the same files."""
    return tuple(ast.walk(ast.parse(source)))


@pytest.fixture(autouse=True, scope="module")
def trees_are_let_go() -> Iterator[None]:
    """Three million nodes, which every later collection of garbage in this process would look at."""
    yield
    nodes.cache_clear()
    house.tree.cache_clear()


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
        "from testimate.ui.current_project import team",
        "from testimate.ui.member import initials, logout, who_is_here",
        "from testimate.ui.navigation import disputes_in_navigation",
        "from testimate.ui.tabs import tabs",
    ]


def test_importing_the_package_imports_no_library_at_all_and_not_even_typing():
    code = "import sys; before = set(sys.modules); import testimate; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert "testimate" in loaded
    assert not {"typing", "numpy", "scipy", "sklearn", "torch", "pandas", "streamlit", "plotly"} & set(loaded)


def test_the_names_promised_to_python_users_are_there():
    import testimate

    for name in testimate.__all__:
        assert getattr(testimate, name) is not None


def test_every_file_in_the_folder_of_pages_is_a_page_of_the_table_and_runs_as_that_page():
    run = {
        path.stem: re.findall(r"^run_page\((\w+), show\)$", path.read_text(), re.MULTILINE)
        for path in (ROOT / "pages").glob("*.py")
        if path.stem != "__init__"
    }
    assert run == {page.address: [page.address.upper()] for page in PAGES}


def test_only_known_truth_and_one_way_from_answers_reach_the_losses_of_a_task():
    allowed = {
        "testimate/core/inputs.py",  # the one way from a stored answer
        "testimate/planning/known_inputs.py",  # the truth that came with the data
        "testimate/project/compared_models.py",
        "testimate/project/subject_records.py",
        "testimate/tables/answers.py",
        "testimate/subjects/box_table.py",
        "testimate/subjects/verdict_table.py",
        "testimate/tasks/verdict.py",  # which of its own grades are faults
    }
    calls = re.compile(r"\.losses\(")
    found = {
        str(path.relative_to(ROOT))
        for folder in ("testimate", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if any(calls.search(line) and ">>>" not in line for line in path.read_text().splitlines())
    }
    assert found == allowed


def classes_of_one_name(sources: dict[str, str]) -> dict[str, list[str]]:
    """The files of each name that several classes have, by that name."""
    places: dict[str, list[str]] = {}
    for path, source in sources.items():
        for node in nodes(source):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path)
    return {name: files for name, files in places.items() if len(files) > 1}


def test_no_two_classes_have_the_same_name():
    assert classes_of_one_name({"a.py": "class Part: ...", "b.py": "class Part: ...\nclass Parts: ..."}) == {
        "Part": ["a.py", "b.py"]
    }
    files = [path for room in ("testimate", "pages") for path in (ROOT / room).rglob("*.py")]
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}
    assert len(sources) > 300
    assert classes_of_one_name(sources) == {}


QUESTIONS = """
def words(task, kind):
    if isinstance(task, Regression) or type(task) is not Boxes:
        return {Judgment: "grade"}
    match task:
        case MultiLabel():
            return "sets"
    match task.kind:
        case "boxes":
            return "boxes"
    return task.kind in ("verdict", "regression") or task.name == "boxes"

@words.register(Classification)
def of_classes(task): return isinstance(task, str) or type(task) is str
"""


def test_each_way_to_ask_for_a_tasks_type_is_counted_and_nothing_else():
    assert sorted(house.questions_in(QUESTIONS)) == [3, 3, 4, 6, 8, 11, 13]


def test_no_more_places_ask_for_a_tasks_type():
    assert len(house.questions()) <= house.QUESTIONS, "let the task answer: testimate/tasks"


def test_a_rule_is_found_where_it_stands_again_and_not_in_its_home():
    [rule] = [rule for rule in house.RULES if rule.name == "a level between 0 and 1"]
    copy = "if not 0 < level < 1:\n"
    sources = {rule.home: copy, "a.py": f"# of no use\n{copy}", "b.py": copy.replace("level", "share")}
    assert rule.copies(sources) == ["a.py:2"]


def test_hardly_any_function_takes_more_than_ten_parameters():
    assert len(house.functions_with_many_parameters()) <= house.MOST_FUNCTIONS, "group them in a record"


@each("rule", house.RULES)
def test_a_rule_stands_in_its_home(rule):
    source = (ROOT / rule.home).read_text()
    assert rule.copies({"elsewhere.py": source}), "the file or the pattern is of yesterday"


def test_no_rule_stands_in_two_places():
    assert house.rules_that_stand_twice() == {}


def test_importers_registries_parameters_and_lines_are_counted_as_written():
    modules = {
        "a": "from b import c\nimport d",
        "b": "",
        "b.c": "import d",
        "d": "TABLE = {'one': 'e:One', 'two': 'b.f:Two'}",
    }
    assert house.imported_by(modules) == {"b.c": {"a"}, "d": {"a", "b.c"}}
    assert house.named_in_tables({"b": "TABLE = 'c:One'"}, {"b"}) == {"c", "b.c"}
    eleven = ", ".join("abcdefghijk")
    assert house.with_many_parameters(f"def one({eleven}): ...\ndef two(*, {eleven[3:]}): ...") == ["one"]
    assert house.files_with_most([1, 7, 1, 1]) == 2
    assert house.files_with_most([3, 3, 3, 1]) == 3
    assert house.lines_of_code('"""A text\nof two lines."""\n\n# why\ncount = 1  # how\n') == 1


def pins(file: str) -> dict[str, str]:
    """The packages of a requirements file with their versions; a line that is no exact pin fails."""
    lines = [line.split("#")[0].strip() for line in (ROOT / file).read_text().splitlines()]
    found = {}
    for line in lines:
        if line and not line.startswith("-r "):
            pinned = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==([0-9][^ ;]*)(?: *;.*)?", line)
            assert pinned, f"{file} does not pin {line!r} to one version"
            found[pinned[1].lower()] = pinned[2]
    return found


def test_every_package_is_pinned_to_one_version_and_none_besides():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {re.match(r"[A-Za-z0-9._-]+", one)[0].lower() for one in project["dependencies"]}
    optional = {
        re.match(r"[A-Za-z0-9._-]+", one)[0].lower()
        for group in project.get("optional-dependencies", {}).values()
        for one in group
    } - {"testimate"}
    app, development = pins("requirements.txt"), pins("requirements-dev.txt")
    assert set(app) == named | (optional - set(development)), (
        "requirements.txt is the full set: the core and its extras"
    )
    assert not named & optional
    assert not set(app) & set(development)


def imports_of(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of this checkout that a file imports anywhere in it, also inside functions and for types alone."""
    found = set()
    for node in nodes(path.read_text()):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively; write the whole name"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name and name not in modules:
                name = name.rpartition(".")[0]
            found |= {name} - {""}
    return found


def circles_among(imports: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which reaches all others of its group (strongly connected components; Tarjan 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        path.append(module)
        for other in imports[module]:
            if other not in number:
                visit(other)
            if other in path:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            group = path[path.index(module) :]
            del path[path.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in imports:
        if module not in number:
            visit(module)
    return found


def test_a_circle_is_found_where_there_is_one():
    assert circles_among({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]


def test_no_files_import_each_other_in_a_circle():
    files = [ROOT / "app.py", ROOT / "serve.py"]
    files += [path for top in ("testimate", "pages", "research", "benchmarks") for path in (ROOT / top).rglob("*.py")]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    assert len(modules) > 300
    imports = {name: imports_of(path, modules) - {name} for name, path in modules.items()}
    assert circles_among(imports) == []


def test_no_process_of_the_tests_has_tensorflow():
    # Streamlit clears the session of a loaded Keras, and all garbage, before each run of a page: 0.1 to 0.4 s of it.
    assert not {"keras", "tensorflow"} & set(sys.modules)
