"""The numbers of the house: files, questions after a task's type, modules with one importer, rules that stand twice.

``make house`` prints them beside those of commit aba28c58, the start, and the aims; ``tests/test_architecture.py`` keeps the
questions and the rules from growing again.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TASKS = {"Classification", "MultiLabel", "Regression", "Judgment", "Boxes"}
KINDS = {"classification", "multi-label", "regression", "verdict", "boxes"}
MOST_PARAMETERS = 10
SHORT = 40
MOST_FUNCTIONS = 8
"""Functions with more parameters than that: public verbs with their keywords, and techniques with all they may know."""

QUESTIONS = 0
"""Questions after a task's type that may stand outside ``tasks/``: none, though the issue's table allowed 20."""


@dataclass(frozen=True)
class Rule:
    """A rule with the one file where it may stand, and what a second copy of it looks like."""

    name: str
    home: str
    copy: str

    def copies(self, sources: Mapping[str, str]) -> list[str]:
        """Lines outside its home where the rule stands again: "file:line"."""
        pattern = re.compile(self.copy)
        return [
            f"{file}:{number}"
            for file, source in sources.items()
            if file != self.home
            for number, line in enumerate(source.splitlines(), 1)
            if pattern.search(line) and not line.lstrip().startswith(("#", ">>>"))
        ]


RULES = (
    Rule("lines of a CSV, split", "testimate/tables/csv.py", r"csv\.(?:reader|DictReader|Sniffer)\("),
    Rule("a CSV, read in columns", "testimate/tables/csv_cells.py", r"arrow_csv\.\w+\(|pd\.read_csv\("),
    Rule("a CSV, written", "testimate/core/spreadsheet_cells.py", r"csv\.(?:writer|DictWriter)\(|\.to_csv\((?!\))"),
    Rule(
        "a line of JSON Lines", "testimate/tables/json_lines.py", r"json\.loads\(first|[Ee]xpected one object per line"
    ),
    Rule("names as people count", "testimate/core/words.py", r"re\.(?:split|findall)\(r\"\(?(?:\\d|\[0-9\])\+"),
    Rule(
        "what spreadsheets run", "testimate/core/spreadsheet_cells.py", r"[\"']=\+\\{0,2}-@|[\"']=[\"'], ?[\"']\+[\"']"
    ),
    Rule(
        "a whole number, and no True",
        "testimate/core/checks.py",
        r"not isinstance\([\w.\[\]]+, bool\)|isinstance\([\w.\[\]]+, bool\) or|type\(\w+\) (?:is int|in \(int)",
    ),
    Rule(
        "what is drawn next",
        "testimate/planning/draws.py",
        r"\.ask\([\w.]+\.remaining\)|\.row in (?:losses|standing|settled|votes):",
    ),
    Rule("options, read and checked", "testimate/core/selector.py", r"option\.default for option|\"true\": True"),
    Rule(
        "bounds of a clustering",
        "testimate/structure/density_clusters.py",
        r"\bmin_(?:cluster_size|samples) < \d|\"min_(?:cluster_size|samples)\", \d",
    ),
    Rule(
        "the score of who names none",
        "testimate/core/selector.py",
        r"or \"confidence\"(?! not| in)|DEFAULT_AUXILIARY = ",
    ),
    Rule(
        "a number with its noun and verb",
        "testimate/core/words.py",
        r"[\"'](?:is|has)[\"'] if .* == 1 else|[\"']{2} if .* == 1 else [\"']s[\"']",
    ),
    Rule("the first line of a message", "testimate/core/words.py", r"splitlines\(\)(?: or \[[\"']{2}\])?\)?\[0\]"),
    Rule(
        "ends, rounded outwards",
        "testimate/core/words.py",
        r"\b(?<!np\.)(?:floor|ceil)\(10+ \*|ROUND_(?:FLOOR|CEILING)",
    ),
    Rule("a level in words", "testimate/core/words.py", r"100 \* [\w.\[\]]*level:g"),
    Rule("a difference in points", "testimate/reports/compared_models.py", r":\+\.1f\}"),
    Rule("a column that only numbers the rows", "testimate/tables/roles.py", r"in INDEX_NAMES"),
    Rule(
        "a chance from 0 to 1",
        "testimate/core/checks.py",
        r"< 0\) \| \(\w+ > 1\)|not \((?:chi|chances|scores|sure)\.min\(\) >= 0 and",
    ),
    Rule("the level of a fault", "testimate/metrics/severity.py", r"floor\((?:10|LEVELS) \* \w+ \+"),
    Rule("rows, each once", "testimate/selectors/following.py", r"len\(set\(rows\)\) == len"),
    Rule("the time now, as stored", "testimate/core/stored_record.py", r"now\(UTC\)\.isoformat\("),
    Rule("a level between 0 and 1", "testimate/core/checks.py", r"\b0(?:\.0)? < [\w.]*level\w* < 1\b"),
    Rule(
        "text that shows",
        "testimate/core/visible_text.py",
        r"\.isprintable\(\)|[\"']C[cs][\"']|\\ud[8-9a-f][0-9a-f]{2}-",
    ),
    Rule(
        "paths inside a project",
        "testimate/project/record_paths.py",
        r"\breal\w*\.is_relative_to\(|\.resolve\(\)\.(?:is_)?relative_to\(|commonpath\(",
    ),
    Rule(
        "one file for another",
        "testimate/core/files.py",
        r"os\.(?:replace|rename)\(|shutil\.move\(|with_(?:name|suffix)\(.*\.part\"",
    ),
    Rule("a zip's table of contents", "testimate/core/files.py", r"PK\\x0[56]|\bOF_MEMBER\b ="),
    Rule("bounds on a model", "testimate/models/bounds.py", r"\bMAX_(?:PARAMETERS|LAYERS|AXES|CONFIG_BYTES) = \d"),
    Rule("most classes", "testimate/tables/limits.py", r"\bMAX_CLASSES = \d|\b25_000\b"),
    Rule("memory that is free", "testimate/core/machine.py", r"MemAvailable|virtual_memory\(|SC_AVPHYS_PAGES"),
)


@dataclass(frozen=True)
class Row:
    """A line of the table: what is counted, how many at the start, and the most that is aimed for, if anything is."""

    what: str
    start: int
    most: int | None
    count: Callable[[], int]


@cache
def product() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    files = [ROOT / "app.py", ROOT / "serve.py"]
    files += [path for top in ("testimate", "pages") for path in sorted((ROOT / top).rglob("*.py"))]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


@cache
def sources() -> dict[str, str]:
    """The text of every file of the product by its path."""
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in product().values()}


@cache
def tree(source: str) -> ast.Module:
    """The syntax tree of a source."""
    return ast.parse(source)


def names(node: ast.AST) -> set[str]:
    """The names and attributes that an expression mentions."""
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def texts(node: ast.AST) -> set[object]:
    """The constants in an expression."""
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}


def asks_for_type(node: ast.AST) -> bool:
    """Whether a node asks which kind of task something is: by isinstance, type(), match, a table or the name of its kind."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            return bool(names(kinds) & TASKS)
        case ast.Call(func=ast.Attribute(attr="register"), args=[kind, *_]):
            return isinstance(kind, ast.Name) and kind.id in TASKS
        case ast.MatchClass():
            return bool(names(node.cls) & TASKS)
        case ast.Match(subject=ast.Attribute(attr="kind")):
            return any(texts(each.pattern) & KINDS for each in node.cases)
        case ast.Dict():
            return any(isinstance(key, ast.Name) and key.id in TASKS for key in node.keys)
        case ast.Compare():
            return _compares_types([node.left, *node.comparators])
    return False


def _compares_types(sides: list[ast.expr]) -> bool:
    of_kind = any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides)
    of_type = any(isinstance(side, ast.Call) and names(side.func) == {"type"} for side in sides)
    by_name, by_class = any(texts(side) & KINDS for side in sides), any(names(side) & TASKS for side in sides)
    return (of_kind and by_name) or (of_type and by_class)


def questions_in(source: str) -> list[int]:
    """The lines of a source that ask for a task's type."""
    return [getattr(node, "lineno", 0) for node in _nodes(source) if asks_for_type(node)]


def questions() -> list[str]:
    """Where the type of a task is asked for outside ``tasks/``: "file:line"."""
    outside = {file: source for file, source in sources().items() if not file.startswith("testimate/tasks/")}
    return [f"{file}:{line}" for file, source in outside.items() for line in questions_in(source)]


def rules_that_stand_twice() -> dict[str, list[str]]:
    """The second copies of each rule that has some."""
    found = {rule.name: rule.copies(sources()) for rule in RULES}
    return {name: copies for name, copies in found.items() if copies}


def imported_by(modules: Mapping[str, str]) -> dict[str, set[str]]:
    """The modules that import each, anywhere in them; ``modules`` : sources by dotted name."""
    found = defaultdict(set)
    for name, source in modules.items():
        for each in _imports(source, modules):
            if each != name:
                found[each].add(name)
    return found


def _imports(source: str, modules: Mapping[str, str]) -> Iterator[str]:
    for node in _nodes(source):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def named_in_tables(modules: Mapping[str, str], packages: set[str]) -> set[str]:
    """The modules that a registry names in its table, as "module:Name", in full or from its package on."""
    found = set()
    for name, source in modules.items():
        package = name if name in packages else name.rpartition(".")[0]
        for text in (each.value for each in _nodes(source) if isinstance(each, ast.Constant)):
            if isinstance(text, str) and (match := re.fullmatch(r"([a-z_0-9.]+):[A-Za-z_]\w*", text)):
                found |= {match[1], f"{package}.{match[1]}"}
            elif isinstance(text, str) and text.startswith("testimate."):
                found.add(text)
    return found


def with_one_importer() -> list[str]:
    """Modules that exactly one other imports; members of registries, migrations, ``__init__`` and ``__main__`` aside."""
    paths = product()
    modules = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    packages = {name for name, path in paths.items() if path.name == "__init__.py"}
    named, importers = named_in_tables(modules, packages), imported_by(modules)
    return sorted(
        name
        for name, path in paths.items()
        if name.startswith("testimate.")
        and len(importers[name]) == 1
        and name not in named
        and path.stem not in ("__init__", "__main__")
        and "migrations" not in path.parts
    )


def with_many_parameters(source: str) -> list[str]:
    """The functions of a source that take more than ten parameters."""
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            if len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs) > MOST_PARAMETERS:
                found.append(node.name)
    return found


def functions_with_many_parameters() -> list[str]:
    """The functions of the product that take more than ten parameters: "file: name"."""
    return [f"{file}: {name}" for file, source in sources().items() for name in with_many_parameters(source)]


def short_files_of_ui() -> list[str]:
    """Files of ``ui/`` with fewer than 40 lines, those of packages aside."""
    return [
        file
        for file, source in sources().items()
        if file.startswith("testimate/ui/") and not file.endswith("__init__.py") and len(source.splitlines()) < SHORT
    ]


def lines_of_code(source: str) -> int:
    """The lines of a source without blank lines, comments and docstrings."""
    texts_alone: set[int] = set()
    for node in _nodes(source):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            texts_alone |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return sum(
        1
        for number, line in enumerate(source.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and number not in texts_alone
    )


@cache
def lines_of_a_walk(name: str) -> list[int]:
    """The lines that run in each file of the product on a walk of ``tests/walks.py``, which runs in a process of its own."""
    run = [sys.executable, "-m", "tests.walks", name]
    said = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in said.splitlines()]


def files_with_most(lines: Sequence[int], share: float = 0.8) -> int:
    """The fewest files that hold this share of all lines: what somebody reads who does not open each helper."""
    whole, longest = sum(lines), sorted(lines, reverse=True)
    return next(count for count in range(len(lines) + 1) if sum(longest[:count]) >= share * whole)


def _rows_of_walk(what: str, walk: str, start: int, start_with_most: int) -> tuple[Row, Row]:
    return (
        Row(what, start, None, lambda: len(lines_of_a_walk(walk))),
        Row("  with four fifths of the lines", start_with_most, None, lambda: files_with_most(lines_of_a_walk(walk))),
    )


def _nodes(source: str) -> Iterator[ast.AST]:
    return ast.walk(tree(source))


TABLE = (
    Row("Python files of the product", 838, 400, lambda: len(product())),
    Row("questions after a task's type outside tasks/", 207, 20, lambda: len(questions())),
    Row(
        "files that ask them: hops of a new answer kind",
        90,
        None,
        lambda: len({one.split(":")[0] for one in questions()}),
    ),
    Row("modules with one importer", 197, 80, lambda: len(with_one_importer())),
    Row("rules that stand in two places", 8, 0, lambda: len(rules_that_stand_twice())),
    Row(
        "functions with more than ten parameters",
        27,
        MOST_FUNCTIONS,
        lambda: len(functions_with_many_parameters()),
    ),
    Row("files under 40 lines in ui/", 37, 15, lambda: len(short_files_of_ui())),
    *_rows_of_walk("hops from a CSV to the report", "table", 131, 56),
    *_rows_of_walk("hops from a model to its features", "model", 87, 40),
    *_rows_of_walk("hops of a key press, in Python", "key", 52, 26),
    *_rows_of_walk("hops of a technique of another package", "plug-in", 55, 24),
    Row("decision records", 163, 60, lambda: len(list((ROOT / "docs" / "decisions").glob("[0-9]*.md")))),
    Row("lines of code", 66_274, None, lambda: sum(lines_of_code(source) for source in sources().values())),
)


def main() -> None:
    """Print the table, and where each rule stands again."""
    print(f"{'':50}{'start':>8}{'now':>8}{'aim':>8}")
    for row in TABLE:
        aim = "" if row.most is None else f"<= {row.most}" if row.most else "0"
        print(f"{row.what:50}{row.start:>8,}{row.count():>8,}{aim:>8}", flush=True)
    for name, copies in rules_that_stand_twice().items():
        print(f"{name}: {', '.join(copies)}")


if __name__ == "__main__":
    main()
