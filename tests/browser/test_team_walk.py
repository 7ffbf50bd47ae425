"""A team in a real browser: two testers label blind, a lead settles their dispute, all may stop, and the report opens."""

import asyncio
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Role
from testimate.project.project import Project
from tests.browser.app_steps import answer, go, metric, on_screen
from tests.browser.strangers import come, open_files, resident_bytes
from tests.browser.surface_steps import until

ROOT = Path(__file__).parents[2]
PASSWORD = "long enough"
TEAM: dict[str, Role] = {"Lea": "lead", "Ann": "tester", "Bob": "tester"}
BUDGET = 10
HALF_WIDTH = 0.4
"""So wide that one whole round of the plan's ten strata is enough to stop."""


@pytest.fixture(scope="module")
def project(tmp_path_factory, demo_ready) -> Project:
    """A project with the demo ready and a team."""
    project = Project(demo_ready("digits", tmp_path_factory.mktemp("team")))
    for name, role in TEAM.items():
        project.testers.add(name, PASSWORD, role)
    return project


@pytest.fixture(scope="module")
def app(run_app, project):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder), TESTIMATE_TEAM="yes")


@pytest.fixture
def app_without_sessions(run_app, tmp_path):
    """The app of a team that has planned nothing yet."""
    project = Project(tmp_path)
    project.testers.add("Ann", PASSWORD)
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(tmp_path), TESTIMATE_TEAM="yes")


@pytest.fixture
def visitor(browser):
    """A call that opens a browser of its own, with a page whose console stays without errors."""
    contexts, errors = [], []

    def visit(dark: bool = False):
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": 1280, "height": 800}, color_scheme=scheme, accept_downloads=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield visit
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def picture():
    """A call that keeps a picture of a page where TESTIMATE_PICTURES names a folder; nothing otherwise."""
    folder = os.environ.get("TESTIMATE_PICTURES")

    def keep(page, name: str, tall: bool = False) -> None:
        if folder:
            size = page.viewport_size
            page.set_viewport_size({"width": 1280, "height": 2200 if tall else 800})
            page.wait_for_timeout(1500)  # charts take the new size
            page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)
            page.set_viewport_size(size)

    return keep


def log_in(page, url: str, name: str, password: str = PASSWORD) -> None:
    page.goto(url)
    page.get_by_label("Name", exact=True).fill(name, timeout=60_000)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Log in").click()


@pytest.mark.slow  # tests/pages/test_team.py goes the same way without a browser
def test_a_team_labels_blind_settles_a_dispute_stops_and_opens_the_report(app, project, visitor, picture, tmp_path):
    session = project.start_session("digits", Request("rrs", BUDGET, 1), votes_per_input=2, half_width=HALF_WIDTH)
    address = f"?subject=digits&session={session.session_record.id}"
    truth, disputed = session.inputs.truth, session.draws[3].row
    wrong = (int(truth[disputed]) + 1) % 10
    testers = {name: visitor(dark=name == "Bob") for name in ("Ann", "Bob")}
    for name, page in testers.items():
        page.goto(f"{app.url}/label{address}")
        page.get_by_role("button", name="Log in").wait_for(timeout=60_000)
        picture(page, f"login-{name}")
        log_in(page, f"{app.url}/label{address}", name)
        on_screen(page)
        assert metric(page, "Your answers") == "0"

    for number in range(BUDGET):
        for name, page in testers.items():
            row = on_screen(page)
            said = wrong if (row, name) == (disputed, "Bob") else int(truth[row])
            answer(page, row, str(said))
            if number == 5:
                picture(page, f"label-{name}")
    for name, page in testers.items():
        until(lambda page=page: metric(page, "Your answers") == str(BUDGET), page, seconds=60)
        other = "Bob" if name == "Ann" else "Ann"
        assert other not in page.locator("body").inner_text()
        assert not page.get_by_role("link", name="Disputes").count()
    session.refresh()
    assert session.disputed() == (disputed,)
    assert session.votes()[disputed] == {"Ann": int(truth[disputed]), "Bob": wrong}
    assert {row: set(given) for row, given in session.votes().items()} == {
        draw.row: {"Ann", "Bob"} for draw in session.draws
    }

    lead = visitor(dark=bool(os.environ.get("TESTIMATE_DARK")))
    log_in(lead, f"{app.url}/label{address}", "Lea")
    lead.get_by_text("Keep going").first.wait_for(timeout=60_000)
    go(lead, "Disputes")
    lead.get_by_text(f"Bob: {wrong}").wait_for(timeout=60_000)
    picture(lead, "disputes")
    counted = lead.get_by_text("Disputes 1", exact=True), lead.get_by_text("1 dispute", exact=True)
    for one in counted:
        one.wait_for()
    box = lead.get_by_role("combobox").last
    box.click()
    box.fill(str(truth[disputed]))
    lead.get_by_role("option", name=str(truth[disputed]), exact=True).click()
    lead.get_by_role("button", name="This is the answer").click()
    lead.get_by_text("No disputes").wait_for(timeout=60_000)
    for one in counted:
        one.wait_for(state="detached")
    picture(lead, "disputes-settled")
    session.refresh()
    assert session.answers()[disputed] == int(truth[disputed])
    assert session.adjudicated() == {disputed: "Lea"}

    go(lead, "Label")
    lead.get_by_text(re.compile("Done: ±")).first.wait_for(timeout=60_000)
    picture(lead, "may-stop")
    testers["Ann"].reload()
    testers["Ann"].get_by_text("The team can stop").wait_for(timeout=60_000)

    go(lead, "Results")
    lead.get_by_text("Agreement between testers").wait_for(timeout=60_000)
    assert metric(lead, "Pairs of answers that agree") == "90.0%"
    picture(lead, "results", tall=True)
    with lead.expect_download(timeout=60_000) as coming:
        lead.get_by_role("button", name="Report (HTML)").click()
    file = tmp_path / "report.html"
    coming.value.save_as(file)
    for dark in (False, True):
        report = visitor(dark)
        report.goto(file.as_uri())
        text = " ".join(report.locator("body").text_content().split())  # folded tables, too
        assert session.session_record.fingerprint in text
        assert "they agree on 90.0% of the pairs" in text
        settled = report.locator("tr", has_text="(Lea)").locator("td").all_text_contents()
        assert settled[1:] == [f"Ann: {truth[disputed]}; Bob: {wrong}", f"{truth[disputed]} (Lea)"]
        assert "within your goal" in text
        picture(report, f"report-{'dark' if dark else 'light'}")


@pytest.mark.slow  # tests/ui/test_login_handover.py and tests/labels/test_testers.py hold its parts
def test_a_login_outlives_a_reload_holds_in_a_second_tab_and_ends_in_both(app_without_sessions, visitor):
    app, page = app_without_sessions, visitor()
    log_in(page, app.url, "Ann", "wrong password")
    page.get_by_text("The name or the password is wrong").wait_for(timeout=60_000)
    log_in(page, app.url, "Ann")

    def named(one):
        return one.locator(".st-key-who").get_by_text("A", exact=True)

    named(page).wait_for(timeout=60_000)

    def kept() -> list[dict]:
        return [one for one in page.context.cookies() if one["name"] == "testimate-login"]

    until(kept, page, seconds=60)
    [cookie] = kept()
    assert (cookie["sameSite"], cookie["httpOnly"]) == ("Strict", True)
    assert "testimate-login" not in page.evaluate("() => document.cookie")
    page.reload()
    named(page).wait_for(timeout=60_000)
    tab = page.context.new_page()
    tab.goto(f"{app.url}/label")  # as in a lead's link
    named(tab).wait_for(timeout=60_000)
    tab.get_by_text("No labeling session is open").wait_for(timeout=60_000)
    assert not tab.get_by_text("Page not found").count()

    page.locator(".st-key-who").get_by_role("button").last.click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for(timeout=60_000)
    assert not named(page).count()
    tab.reload()
    tab.get_by_role("button", name="Log in").wait_for(timeout=60_000)
    page.reload()
    page.get_by_role("button", name="Log in").wait_for(timeout=60_000)
    assert kept() == [cookie], "it tells that this browser is known, and opens nothing"


def in_a_thread(coroutine):
    """What it gives; Playwright's own loop runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def test_strangers_get_the_login_page_and_nothing_else(app):
    ended = in_a_thread(come(app.url, 60, seed=1))
    assert {how for (kind, how) in ended if kind == "upload"} <= {"403", "0"}, "0: closed before all of it was sent"
    assert {how for (kind, how) in ended if kind == "metrics"} == {"404"}
    assert {how for (kind, how) in ended if kind == "16 MB"} == {"1009"}
    assert {how for (kind, how) in ended if kind in ("no message", "text")} == {"1003"}
    assert {how for (kind, how) in ended if kind in ("visit", "clear cache")} == {"answered"}
    assert app.process.is_alive()


@pytest.mark.slow
def test_ten_thousand_requests_of_strangers_leave_memory_and_descriptors_where_they_were(run_app, project):
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder), TESTIMATE_TEAM="yes")
    in_a_thread(come(app.url, 1_000, seed=2))  # what a server needs at work
    memory, files = resident_bytes(app.process.pid), open_files(app.process.pid)
    ended = in_a_thread(come(app.url, 10_000, seed=3))
    assert sum(ended.values()) == 10_000
    assert resident_bytes(app.process.pid) <= 1.1 * memory
    assert open_files(app.process.pid) <= 1.1 * files
