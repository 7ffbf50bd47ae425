"""Answers still in the browser when Label is left are counted by the page that comes next, or it says that they are not."""

import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.project.project import Project
from tests.browser.app_steps import (
    PATIENCE,
    SURFACE,
    answer_in_turn,
    click,
    go,
    let_it_be_seen,
    on_screen,
    still,
    wait_until_stored,
)
from tests.browser.surface_steps import until

resource = pytest.importorskip("resource")  # Windows has none

ROOT = Path(__file__).parents[2]
KEYS = "012012012012"


@dataclass
class Served:
    """The app on a session of twelve labels; ``stored`` counts what is on disk."""

    app: object
    project: Project
    session: str
    subject: str

    def url(self, name: str) -> str:
        return f"{self.app.url}/{name}?subject={self.subject}&session={self.session}"

    def stored(self) -> int:
        return len(self.project.store.history(self.session))

    def answers(self) -> dict[int, object]:
        """The last answer on each row, as it is on disk."""
        events = self.project.store.history(self.session)
        return {event.row: event.answer for event in events if event.kind == "answer"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("last") / "project")
    yield project
    project.store.close()


@pytest.fixture(scope="module")
def subject(project) -> str:
    lines = [f"{row % 3},{(row + (row % 7 == 0)) % 3},0.{60 + row % 40}" for row in range(900)]
    return project.add_table("rows.csv", "\n".join(["label,prediction,confidence", *lines]).encode()).key


@pytest.fixture(scope="module")
def app(run_app, project):
    """One server for all tests of this file; each has a session of its own."""
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))


@pytest.fixture
def served(app, project, subject) -> Served:
    session = project.start_session(subject, Request("srs", len(KEYS), seed=1)).session_record.id
    return Served(app, project, session, subject)


def label(page, served: Served, keys: str = KEYS) -> None:
    """Presses the keys as quickly as each input can be seen, and waits for nothing afterwards."""
    page.goto(served.url("label"))
    page.wait_for_selector(".surface:not([data-row=''])", timeout=1000 * PATIENCE)
    let_it_be_seen(page)
    still(page)
    for key in keys:
        page.keyboard.press(key)


def held(page) -> int:
    return int(page.evaluate("() => Object.keys(localStorage).filter((name) => /^testimate /.test(name)).length"))


def says_that_all_are_counted(page) -> None:
    page.get_by_text(f"{len(KEYS)} answered").first.wait_for(state="attached", timeout=1000 * PATIENCE)
    until(lambda: held(page) == 0, page)  # the browser too has been told that they are stored


def to_results(page) -> None:
    page.get_by_role("link", name="Results", exact=True).click()


def report(page) -> str:
    with page.expect_download(timeout=1000 * PATIENCE) as download:
        page.get_by_role("button", name=re.compile(r"Report \(HTML\)")).click()
    return Path(download.value.path()).read_text()


def test_results_right_after_the_last_key_count_it_and_so_does_the_report_and_fifty_more_go_on_from_there(served, page):
    label(page, served)
    to_results(page)
    says_that_all_are_counted(page)
    assert served.stored() == len(KEYS)
    assert f"{len(KEYS)} answered" in report(page)
    before = served.answers()
    assert len(before) == len(KEYS)
    go(page, "Label")
    click(page, page.get_by_role("button", name="Label 50 more"))
    rows = answer_in_turn(page, lambda _: ["1"], 2)
    wait_until_stored(page, f"{len(KEYS) + 2} of {len(KEYS) + 50}")
    assert not before.keys() & set(rows)
    assert served.answers() == before | dict.fromkeys(rows, 1)


LEFT_AND_ANSWERED = f"""([key, wait]) => new Promise((done) => {{
  const row = () => {SURFACE}?.dataset.row;
  let taken = false;
  const press = () => {{
    const before = row();
    document.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
    taken = before !== row();
  }};
  const leave = () => [...document.querySelectorAll("a")].find((one) => one.pathname === "/results").click();
  const [first, second] = wait < 0 ? [press, leave] : [leave, press];
  const then = () => {{ second(); done(taken); }};
  first();
  if (wait) setTimeout(then, Math.abs(wait)); else then();
}})"""
"""Leaves for Results and answers so many milliseconds later, or before it where they are negative; whether it was taken."""


# the test before this one leaves right after the last key; leaving.test.js holds what is answered meanwhile
@pytest.mark.parametrize(
    "waits",
    [
        pytest.param([0, -15], id="two", marks=pytest.mark.slow),
        pytest.param([0, 0, 0, 1, 2, 3, 5, 10, -1, -5, -15, -40], id="twelve", marks=pytest.mark.slow),
    ],
)
def test_an_answer_in_the_moment_of_leaving_is_counted_and_the_next_page_is_whole(served, page, waits):
    label(page, served, "")
    answered = 0
    for key, wait in zip(KEYS, waits, strict=False):
        answered += page.evaluate(LEFT_AND_ANSWERED, [key, wait])
        page.wait_for_url(re.compile("/results"), timeout=1000 * PATIENCE)
        page.get_by_text(f"{answered} answered").first.wait_for(state="attached", timeout=1000 * PATIENCE)
        until(lambda: held(page) == 0, page)
        page.get_by_role("button", name=re.compile(r"Report \(HTML\)")).wait_for(timeout=1000 * PATIENCE)
        if answered == len(KEYS):
            break  # each was taken, so that nothing is left to label
        page.get_by_role("link", name="Label", exact=True).click()
        on_screen(page)
        still(page)
    assert 2 * len(waits) / 3 <= answered == served.stored()


@pytest.mark.slow
def test_a_reload_right_after_the_last_key_loses_none_of_them(served, page):
    label(page, served)
    page.reload()
    page.goto(served.url("results"))
    says_that_all_are_counted(page)
    assert served.stored() == len(KEYS)


@pytest.mark.slow
def test_a_tab_closed_right_after_the_last_key_loses_none_of_them(served, page, open_tab):
    first = open_tab()
    label(first, served)
    first.close()
    page.goto(served.url("results"))
    says_that_all_are_counted(page)
    assert served.stored() == len(KEYS)


@pytest.mark.slow
def test_a_server_that_stands_still_meanwhile_counts_them_once_it_goes_on(served, page):
    label(page, served, KEYS[:3])
    until(lambda: served.stored() == 3, page)
    until(lambda: held(page) == 0, page)  # the browser has been told that they are stored
    os.kill(served.app.process.pid, signal.SIGSTOP)
    try:
        for key in KEYS[3:]:
            page.keyboard.press(key)
        to_results(page)
        assert held(page) == len(KEYS) - 3
    finally:
        os.kill(served.app.process.pid, signal.SIGCONT)
    says_that_all_are_counted(page)
    assert served.stored() == len(KEYS)


def test_what_is_clicked_on_a_page_that_is_being_left_leaves_the_next_one_whole(served, page):
    label(page, served, KEYS[:3])
    until(lambda: served.stored() == 3, page)
    until(lambda: held(page) == 0, page)
    page.get_by_text("More", exact=True).wait_for()  # else the server is stopped while it draws what is to be clicked
    os.kill(served.app.process.pid, signal.SIGSTOP)  # a slow server: both clicks wait for it
    try:
        to_results(page)
        page.get_by_text("More", exact=True).click()
        page.wait_for_timeout(500)  # Streamlit sends a click a moment later
    finally:
        os.kill(served.app.process.pid, signal.SIGCONT)
    page.wait_for_url(re.compile("/results"), timeout=1000 * PATIENCE)
    page.get_by_text("3 answered").first.wait_for(state="attached", timeout=1000 * PATIENCE)
    still(page)
    assert "3 answered" in str(page.text_content("body"))
    page.get_by_role("button", name=re.compile(r"Report \(HTML\)")).wait_for(timeout=1000 * PATIENCE)


def test_while_they_cannot_be_stored_the_page_says_how_many_and_no_report_is_made_without_them(served, page):
    label(page, served, KEYS[:-2])
    until(lambda: served.stored() == len(KEYS) - 2, page)
    until(lambda: held(page) == 0, page)
    _, hard = resource.prlimit(served.app.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(served.app.process.pid, resource.RLIMIT_FSIZE, (1, hard))  # no file may grow: a full disk
    for key in KEYS[-2:]:
        page.keyboard.press(key)
    to_results(page)
    bar = page.locator(".late")
    bar.get_by_text("2 answers are still in this browser and not counted on this page").wait_for(
        timeout=1000 * PATIENCE
    )
    until(lambda: "cannot be reached" in str(bar.text_content()), page)
    downloads = []
    page.on("download", lambda download: downloads.append(download))
    page.get_by_role("button", name=re.compile(r"Report \(HTML\)")).click()
    bar.get_by_text("Download once they are counted").wait_for()
    resource.prlimit(served.app.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    says_that_all_are_counted(page)
    assert downloads == []
    assert f"{len(KEYS)} answered" in report(page)
