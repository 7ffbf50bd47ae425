"""All that a surface says, one file each beside this one: a changed sentence is a line of one file. ``make words`` writes them.

Each number is written 0: which one stands there is for the other tests.
"""

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_regressions.file_regression import FileRegressionFixture
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from testimate.core.selector import Request
from testimate.core.terms import TERMS
from testimate.project.project import Project
from testimate.project.versions import add_version
from testimate.reports.report import report_html
from testimate.session.session import Session
from tests.pages.conftest import opened, project, ready, the_same_inputs_are_clustered_and_laid_out_once
from tests.pages.test_pages import label
from tests.pages.test_versions_page import version

__all__ = ["opened", "project", "ready", "the_same_inputs_are_clustered_and_laid_out_once"]

VALUES = {"title", "header", "subheader", "markdown", "text", "caption", "info", "warning", "error", "success"}
OF_A_TERM = re.compile(r"\*\*.*\*\*:|\$\$|:small\[Source")
"""What the glossary says about a term, which has a file of its own."""

Says = Callable[[str, str], None]


@pytest.fixture
def says(file_regression: FileRegressionFixture) -> Says:
    """A call that compares what was said with the file of a surface."""

    def compare(surface: str, said: str) -> None:
        file_regression.check(said, encoding="utf-8", fullpath=Path(__file__).with_name(f"{surface}.txt"))

    return compare


def plain(text: object) -> str:
    """On lines of their own, without markup, escapes, addresses, identities or numbers."""
    text = re.sub(r"<style.*?</style>|<[^>]+>|:material/\w+:", " ", str(text), flags=re.DOTALL)
    text = re.sub(r"\]\(\S+\)", "]", re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", text))
    text = re.sub(r"\b[0-9a-f]{10,}\b", "ID", text)
    lines = (re.sub(r"\d+", "0", " ".join(line.split())) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def of_chart(spec: str) -> Iterator[str]:
    """The words of a chart: its axes, its traces, what is written into it."""
    figure = json.loads(spec)
    layout = figure["layout"]
    for name in sorted(layout):
        title = layout[name].get("title", {}).get("text") if re.fullmatch("[xy]axis[0-9]*", name) else None
        if title:
            yield f"{name[0]}: {title}"
    yield from dict.fromkeys(trace["name"] for trace in figure["data"] if trace.get("name"))
    yield from (note["text"] for note in layout.get("annotations", ()) if note.get("text"))


def of_element(element: Element) -> Iterator[str]:
    """The words of one element, with those behind its question mark."""
    message, name = element.proto, element.type
    if name in VALUES:
        yield str(element.value)
    elif name == "metric":
        yield f"{element.label}: {element.value} {element.delta}"
    elif name == "plotly_chart":
        yield "chart: " + " | ".join(of_chart(message.spec))
    elif name in ("arrow_data_frame", "dataframe"):
        yield "table: " + " | ".join(map(str, element.value.columns))
    elif getattr(element, "label", ""):
        options = ", ".join(map(str, getattr(element, "options", ())))
        yield f"[{element.label}: {options}]" if 0 < len(options) < 200 else f"[{element.label}]"
    help_text = getattr(message, "help", "")
    yield from (f"  ? {one}" for one in help_text.split("\n\n") if one and not OF_A_TERM.match(one))


def of_page(node: Any) -> Iterator[str]:
    """The words of a page from top to bottom, with the names of what opens."""
    if not isinstance(node, Block):
        yield from of_element(node)
        return
    for kind, name in (("expandable", "label"), ("popover", "label"), ("tab", "label"), ("dialog", "title")):
        if title := getattr(getattr(node.proto, kind, None), name, ""):
            yield f"> {title}"
    for child in node.children.values():
        yield from of_page(child)


def words_of(test: AppTest) -> str:
    assert not test.exception
    return "\n".join(filter(None, (plain(words) for words in of_page(test.main)))) + "\n"


class Text(HTMLParser):
    """The text of a document, a line for each piece; without the cells of its tables."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.lines: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag, _):
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if data.strip() and not {"style", "script", "svg", "td"} & set(self.inside):
            self.lines.append(plain(data))


def begun(project: Project) -> Session:
    """Thirty of forty planned inputs of the digits, three of them faults."""
    session = project.start_session("digits", Request("rrs", budget=40, seed=1), half_width=0.05)
    label(session, 30, wrong=3)
    return session


@pytest.mark.parametrize(
    ("surface", "states"),
    [
        ("project", [("subject", {}), ("subject", {"subject": "digits"})]),
        ("strata", [("strata", {}), ("strata", {"subject": "digits"})]),
        ("plan", [("plan", {}), ("plan", {"subject": "digits"})]),
        ("learn", [("study", {}), ("study", {"view": "What the papers claim"}), ("study", {"subject": "digits"})]),
        ("clusters", [("clusters", {}), ("clusters", {"subject": "digits"})]),
        ("compare", [("compare", {})]),
        ("team", [("team", {}), ("disputes", {})]),
        ("label", [("label", {}), ("label", {"subject": "digits"}), ("label", {"session": "open"})]),
        ("results", [("results", {}), ("results", {"session": "open"})]),
    ],
)
def test_a_page_says_what_its_file_says(surface, states, project, opened, says):
    """With nothing open, with the digits, with thirty labels."""
    parts = []
    for page, opens in states:
        named = {"subject": "digits", "session": begun(project).session_record.id} if "session" in opens else opens
        parts += [f"# {page}, {' and '.join(opens) or 'nothing'} open", words_of(opened(page, **named))]
    says(surface, "\n".join(parts))


def test_versions_says_what_its_file_says_of_two(project, opened, says):
    begun(project)
    add_version(project, "digits", version(project, 1, 0.02, "better"))
    says("versions", words_of(opened("versions", subject="digits")))


def test_the_report_says_what_its_file_says(project, says):
    says("report", "\n".join(Text(report_html(begun(project))).lines) + "\n")


def test_the_glossary_says_what_its_file_says(says):
    says("glossary", "\n".join(f"{name}: {plain(term.meaning)}" for name, term in sorted(TERMS.items())) + "\n")


def test_the_terminal_says_what_its_file_says_from_plan_to_estimate(command, tmp_path, monkeypatch, says):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    sure = rng.uniform(0.5, 1, 300).round(3)
    truth = np.where(rng.random(300) < sure, np.arange(300) % 4, (np.arange(300) + 1) % 4)
    rows = [f"{row % 4},{sure[row]},{truth[row]}" for row in range(300)]
    Path("table.csv").write_text("\n".join(["prediction,confidence,label", *rows]) + "\n")
    lines = ["$ select", command.ok("select", "table.csv", "--budget", 40, "--seed", 1, "--out", "plan.json")]
    drawn = dict.fromkeys(draw["row"] for draw in json.loads(Path("plan.json").read_text())["draws"])
    Path("votes.csv").write_text("\n".join(["row,label", *(f"{row},{truth[row]}" for row in drawn)]) + "\n")
    for verb in (
        ("estimate", "plan.json", "votes.csv"),
        ("estimate", "plan.json", "votes.csv", "--calibration", "--classes"),
        ("estimate", "plan.json", "votes.csv", "--fail-under", 0.9),
        ("reuse", "table.csv", "--plan", "plan.json", "--votes", "votes.csv", "--old", "table.csv"),
        ("study", "table.csv", "--technique", "srs", "--budget", 20, "--repetitions", 5, "--seed", 1),
        ("select", "table.csv", "--budget", 0, "--seed", 1, "--out", "plan.json"),
        ("estimate", "plan.json", "table.csv"),
    ):
        lines += [f"$ {' '.join(map(str, verb))}", "\n".join(command(*verb)[1:])]
    says("terminal", plain("\n".join(lines)) + "\n")
