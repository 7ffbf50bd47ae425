"""Strangers who hold more connections than the server has descriptors, and a tester who labels on meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from testimate.core.selector import Request
from testimate.project.project import Project
from testimate.session.session import Session
from tests.browser.app_server import DESCRIPTORS, ROOT, App
from tests.browser.app_steps import answer, on_screen
from tests.browser.holding_strangers import held_connections
from tests.browser.strangers import open_files
from tests.browser.surface_steps import until

PASSWORD = "long enough"


@pytest.fixture
def project(tmp_path: Path, demo_ready) -> Project:
    """A project with the demo ready, and a team with a session."""
    project = Project(demo_ready("digits", tmp_path))
    project.testers.add("Lea", PASSWORD, "lead")
    project.testers.add("Ann", PASSWORD)
    return project


@dataclass(frozen=True)
class Ann:
    """A tester in her browser, and what is stored of what she answered."""

    page: Any
    app: App
    session: Session

    def log_in(self) -> None:
        """From no login to the first input."""
        self.page.context.clear_cookies()
        self.page.goto(f"{self.app.url}/label?subject=digits&session={self.session.session_record.id}", timeout=20_000)
        self.page.get_by_label("Name", exact=True).fill("Ann", timeout=20_000)
        self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        on_screen(self.page)

    def label(self, count: int) -> None:
        """Answers that many inputs, until all are on disk."""
        expected = self.stored() + count
        for _ in range(count):
            row = on_screen(self.page)
            answer(self.page, row, str(int(self.session.inputs.truth[row])))
        until(lambda: self.stored() == expected, self.page, seconds=20)

    def stored(self) -> int:
        """How many answers are on disk."""
        self.session.refresh()
        return len(self.session.votes())


@pytest.fixture
def serve(run_app, project, page) -> Callable[[int, int], Ann]:
    """A call that serves the team by a process that may have that many descriptors, and raise it to so many."""

    def served(soft: int, hard: int) -> Ann:
        session = project.start_session("digits", Request("rrs", 40, 1), votes_per_input=1)
        facts = {"TESTIMATE_PROJECT": str(project.folder), "TESTIMATE_TEAM": "yes", DESCRIPTORS: f"{soft} {hard}"}
        return Ann(page, run_app(ROOT / "serve.py", **facts), session)

    return served


def test_a_tester_logs_in_and_labels_while_strangers_hold_more_than_all_descriptors(serve):
    ann = serve(256, 256)
    with held_connections(ann.app.port, {"silent": 130, "half a request": 130, "web socket": 20}) as counts:
        ann.log_in()
        ann.label(1)
    assert counts["silent", "closed by the server"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("hard", [1_024, 20_000])
def test_a_tester_labels_on_and_logs_in_again_while_400_strangers_hold_connections(serve, hard):
    ann = serve(1_024, hard)
    ann.log_in()
    ann.label(5)
    with held_connections(ann.app.port, {"web socket": 300, "silent": 100}) as counts:
        ann.label(5)
        files = open_files(ann.app.process.pid)
        ann.log_in()
        ann.label(5)
    assert files < 0.75 * hard, f"of {hard} descriptors, the strangers: {dict(counts)}"
