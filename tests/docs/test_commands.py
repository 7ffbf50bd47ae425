"""Every command in the tutorial, the how-to pages and the README runs, page by page, and prints what stands there."""

import contextlib
import csv
import doctest
import io
import json
import logging
import os
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from testimate import Project, Request
from testimate.core.session_record import Event
from testimate.reports.exports import labels_csv, plan_json
from tests.command_line import CommandLine
from tests.docs.pages import DOCS, ROOT, Block, blocks

NOT_RUN = {
    "make app": "serves until it is stopped; the browser tests start the same app",
    "make test": "runs this test",
    "source .venv/bin/activate": "the environment of the test stands for it",
    "ray start": "leaves a cluster behind; tests/feature_cache starts one and stops it",
    "python -m pytest -p no:cacheprovider tests/selectors/test_claims.py": "takes a quarter of a minute",
    "testimate demo digits --project elsewhere": "tests/cli/test_testers.py reopens a session elsewhere",
    "testimate sessions import session.testimate --project elsewhere": "the same",
    "testimate features big": "stands for a network that is too large to bring along",
    "export RAY_ADDRESS": "names a cluster that is not there",
    "testimate study table.csv --technique rrs --technique rra --budget 200 --repetitions 2000 --seed 1 --engine ray": (
        "needs that cluster; tests/engines starts one"
    ),
}
"""Commands that no test runs, by how they begin, and why."""

ELSEWHERE = {
    "team.md": "tests/cli/test_testers.py, which types the passwords",
    "plug-in.md": "tests/testing/test_plug_ins.py, without installing its package",
    "notebook.md": "tests/docs/test_notebook.py, in a Jupyter kernel",
}
PAGES = [
    ROOT / "README.md",
    DOCS / "tutorial.md",
    DOCS / "papers.md",
    DOCS / "reference" / "python.md",
    *(page for page in sorted((DOCS / "how-to").glob("*.md")) if page.name not in ELSEWHERE),
]
SHOWN = ("", "text", "toml", "json", "csv", "html")
"""Languages of blocks that are only shown."""


SLOW = (
    "keras",
    "pytorch",
    "own-selector",
    "report",
    "prediction-table",
    "severe-faults",
    "compare-models",
    "gpu-and-cluster",
    "speech",
    "papers",
)
"""Pages of ten seconds and more whose commands tests of their own run every time; `make study` runs the pages."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=pytest.mark.slow if page.stem in SLOW else ())
        for page in PAGES
        if blocks(page)
    ],
)
def test_every_command_on_the_page_runs(page, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(logging, "raiseExceptions", False)  # frameworks log to the closed streams of earlier pages
    PREPARED.get(page.stem, nothing)(tmp_path, command)
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.language == "diff":
            apply(block, tmp_path, where)
        elif block.title:
            file = tmp_path / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language in ("sh", "console"):
            for typed, expected in commands(block):
                run(typed, expected, tmp_path, where, command)
        elif block.language == "python" and not (tmp_path / "testimate").is_dir():
            in_this_process(block.text, [where])
        elif block.language == "python":
            in_a_shell(f"python - <<'END'\n{block.text}END", tmp_path, where)
        else:
            assert block.language in SHOWN, f"{where}: no test knows what to do with {block.language!r}"


def commands(block: Block) -> list[tuple[str, str | None]]:
    """The commands of a block with what they should print; those that are not run are left out.

    In a block "console" a command stands behind "$ " and what it prints below it; in a block "sh" all lines are one script.
    """
    if block.language == "sh":
        lines = [line for line in block.text.splitlines() if not line.startswith(tuple(NOT_RUN))]
        return [("\n".join(lines), None)] if any(line.strip() for line in lines) else []
    found: list[tuple[str, str | None]] = []
    for part in ("\n" + block.text).split("\n$ ")[1:]:
        command, _, printed = part.partition("\n")
        if not command.startswith(tuple(NOT_RUN)):
            found.append((command, printed.strip() or None))
    return found


def run(command: str, expected: str | None, folder: Path, where: str, command_line: CommandLine) -> None:
    """Runs it in the folder: as a reader's shell would, or in this process what only calls ``testimate`` or the page's scripts.

    A process of its own for each call would import everything again; tests/cli/test_verbs.py runs the installed program.
    """
    if "SESSION" in command:
        command = command.replace("SESSION", newest_session(folder))
    calls = [shlex.split(line, comments=True) for line in command.replace("\\\n", " ").splitlines()]
    alone = not (folder / "testimate").is_dir() and not set("|<>$&;*") & set(command)
    if alone and all(call[0] == "testimate" or (call[0] == "python" and call[1].endswith(".py")) for call in calls):
        printed = "".join(
            command_line.ok(*arguments)
            if program == "testimate"
            else in_this_process((folder / arguments[0]).read_text(encoding="utf-8"), arguments)
            for program, *arguments in calls
        )
    else:
        printed = in_a_shell(command, folder, where)
    if expected is not None:
        same = doctest.OutputChecker().check_output(
            expected + "\n", printed.strip() + "\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        )
        assert same, f"{where}: {command} printed\n{printed}"


def in_this_process(script: str, arguments: list[str]) -> str:
    """What a page's script prints when it is started with these arguments, of which the first is its name."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a script warns of ends no script
        patch.setattr(sys, "argv", arguments)
        exec(compile(script, arguments[0], "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def in_a_shell(command: str, folder: Path, where: str) -> str:
    """What the command, or script, prints."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(folder if (folder / "testimate").is_dir() else ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], capture_output=True, text=True, cwd=folder, env=environment
    )
    assert done.returncode == 0, f"{where}: {command}\n{done.stdout[-2_000:]}{done.stderr[-2_000:]}"
    return done.stdout


@cache
def newest_session(folder: Path) -> str:
    """The id that the page's reader finds in the list."""
    return Project(folder / "testimate-project").sessions()[0].id


def apply(block: Block, folder: Path, where: str) -> None:
    """Adds the lines of a block "diff" to the file it names, behind the line that stands before them."""
    file = folder / block.title
    text, before = file.read_text(encoding="utf-8"), ""
    for line in block.text.splitlines():
        if line.startswith("+"):
            assert before in text, f"{where}: {block.title} has no line {before!r}"
            text = text.replace(before + "\n", f"{before}\n{line[1:]}\n", 1)
        before = line[1:]
    file.write_text(text, encoding="utf-8")


def nothing(folder: Path, command: CommandLine) -> None:
    """Most pages bring all they need."""


def readers_own_files(folder: Path, command: CommandLine) -> None:
    """The tables and votes that the README's reader has: small ones."""
    rng = np.random.default_rng(0)
    confidence = rng.beta(6, 2, 600)
    prediction, right = rng.integers(4, size=600), rng.random(600) < confidence
    label = np.where(right, prediction, (prediction + 1) % 4)
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [("label", "prediction", "confidence"), *zip(label, prediction, confidence, strict=True)]
        )
    with (folder / "next.csv").open("w", newline="") as file:
        better = np.where(rng.random(600) < 0.5, label, prediction)
        csv.writer(file).writerows([("prediction", "confidence"), *zip(better, confidence, strict=True)])
    with (folder / "predictions.csv").open("w", newline="") as file:
        others = [np.where(rng.random(600) < share, label, prediction) for share in (0.9, 0.7, 0.5)]
        csv.writer(file).writerows([("first", "second", "third"), *zip(*others, strict=True)])
    command.ok(*["select", "table.csv", "--technique", "rrs", "--budget", "200", "--seed", "1", "--out", "plan.json"])
    drawn = [draw["row"] for draw in json.loads((folder / "plan.json").read_text())["draws"]]
    with (folder / "votes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("row", "label"), *((row, label[row]) for row in drawn)])


def labeled_in_the_browser(folder: Path, command: CommandLine) -> None:
    """What the tutorial's reader has once the browser is closed: 40 labels, and two files downloaded from Results."""
    project = Project(folder / "testimate-project")
    session = project.start_session("digits", Request("rra", budget=200, seed=4))
    truth = project.subject("digits").truth
    assert truth is not None
    for place in range(40):
        [draw] = session.upcoming(1)
        said = int(truth[draw.row])
        session.record([Event(f"vote-{place}", "answer", draw.row, "tester", "2026-01-05T10:00:00Z", answer=said)])
    name = f"testimate-{session.session_record.id}"
    (folder / f"{name}-plan.json").write_text(json.dumps(plan_json(session)))
    (folder / f"{name}-labels.csv").write_text(labels_csv(session))


def labeled_table(folder: Path, command: CommandLine) -> None:
    """A project with a table of a hundred rows, of which twenty are labeled."""
    project = Project(folder / "testimate-project")
    lines = [f"{row % 3},0.{50 + row % 50}" for row in range(100)]
    key = project.add_table("hundred.csv", "\n".join(["prediction,confidence", *lines]).encode()).key
    session = project.start_session(key, Request("srs", budget=50, seed=1))
    answers = [
        Event(f"vote-{place:04}", "answer", draw.row, "tester", "2026-01-05T10:00:00Z", answer=draw.row % 3)
        for place, draw in enumerate(session.upcoming(20))
    ]
    session.record(answers)
    project.store.close()


def clone(folder: Path, command: CommandLine) -> None:
    """The checkout that the page changes."""
    for part in (
        "testimate",
        "tests/selectors",
        "tests/sampling.py",
        "tests/sentences.py",
        "tests/each.py",
        "pyproject.toml",
    ):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)


PREPARED: dict[str, Callable[[Path, CommandLine], None]] = {
    "README": readers_own_files,
    "tutorial": labeled_in_the_browser,
    "own-selector": clone,
    "backup": labeled_table,
}
"""What lies in the folder before the first command of a page."""
