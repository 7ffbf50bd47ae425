"""A team in four real browsers on PostgreSQL, to the end of a plan: with a logout, crashes and disputes on the way."""

import sys
from pathlib import Path

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Role
from testimate.project.project import Project
from tests.browser.app_steps import click, go, still
from tests.browser.surface_steps import until
from tests.browser.test_faults_at_the_label_page import WITNESS

ROOT = Path(__file__).parents[2]
TEAM: dict[str, Role] = {"Ann": "tester", "Bob": "tester", "Cid": "tester", "Lea": "lead"}
TESTERS = ("Ann", "Bob", "Cid")
PASSWORD = "long enough"
WAITS = """
// seconds without an input before one came again, whatever the page said meanwhile
window.waited = 0; let since = null;
setInterval(() => {
  const row = window.surface?.()?.dataset.row;
  if (row === '') since ??= performance.now();
  else if (row && since !== null) { window.waited += (performance.now() - since) / 1000; since = null; }
}, 20);
"""
WITNESSED = "() => [window.pressed, window.events, window.waited]"


class Person:
    """Somebody at a browser of their own, and what they have pressed there, over crashes of the page."""

    def __init__(self, name: str, browser: object, url: str) -> None:
        self.name, self.url = name, url
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.context.add_init_script(WITNESS)
        self.context.add_init_script(WAITS)
        self.pressed: list[list] = []
        self.events: list[dict] = []
        self.waited = 0.0
        self.page = self.context.new_page()
        self.page.goto(url)
        self.log_in()

    def log_in(self) -> None:
        self.page.get_by_role("textbox", name="Name").fill(self.name, timeout=90_000)
        self.page.get_by_role("textbox", name="Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        self.page.get_by_text(f"{self.name} ({TEAM[self.name]})").wait_for(timeout=90_000)

    def log_out(self) -> None:
        click(self.page, self.page.locator(".st-key-who").get_by_role("button").last)
        click(self.page, self.page.get_by_role("button", name="Log out"))
        self.page.get_by_role("button", name="Log in").wait_for(timeout=90_000)

    def row(self) -> str:
        return str(self.page.evaluate("() => window.surface()?.dataset.row ?? ''"))

    def answer(self, wrong: bool = False) -> None:
        """Presses the key of the input on the screen, where there is one that can have been seen."""
        if row := self.row():
            self.page.keyboard.press(str((int(row) + wrong) % 3))

    def keep(self) -> None:
        pressed, events, waited = self.page.evaluate(WITNESSED)
        self.pressed, self.events, self.waited = self.pressed + pressed, self.events + events, self.waited + waited

    def crash(self) -> None:
        """The page dies with a label on its way, and is opened again in the same browser."""
        self.answer()
        self.keep()
        dead = self.page
        self.page = self.context.new_page()
        with pytest.raises(Exception, match="crash"):
            dead.goto("chrome://crash")
        dead.close()
        self.page.goto(self.url)
        self.page.get_by_text(f"{self.name} (").wait_for(timeout=90_000)


@pytest.mark.slow  # tests/session and tests/pages do the same without a browser
def test_four_browsers_label_a_plan_to_its_end_through_a_logout_crashes_and_disputes(
    run_app, own_postgresql, browser, tmp_path
):
    database = f"{own_postgresql.url}/postgres"
    project = Project(tmp_path / "project", database)
    lines = [f"{row % 3},{(row + (row % 7 == 0)) % 3},0.{60 + row % 40}" for row in range(900)]
    subject = project.add_table("rows.csv", "\n".join(["label,prediction,confidence", *lines]).encode())
    session = project.start_session(subject.key, Request("rra", 200, seed=1), votes_per_input=2)
    for name, role in TEAM.items():
        project.testers.add(name, PASSWORD, role)
    facts = {"TESTIMATE_PROJECT": str(project.folder), "TESTIMATE_DATABASE": database, "TESTIMATE_TEAM": "yes"}
    app = run_app(ROOT / "serve.py", **facts)
    url = f"{app.url}/label?subject={subject.key}&session={session.session_record.id}"
    people = {name: Person(name, browser, url) for name in TEAM}
    lead, away = people["Lea"], set()
    for turn in range(2_000):
        if turn == 20:
            people["Cid"].keep()
            people["Cid"].log_out()
            away.add("Cid")
        if turn == 30:
            people["Cid"].log_in()  # the same document goes on, so what was kept of it comes again
            people["Cid"].pressed, people["Cid"].events, people["Cid"].waited = [], [], 0.0
            away.clear()
        if turn == 40:
            people["Ann"].crash()
        if turn == 60:
            app.kill()
            app.start()
        for name in TESTERS:
            if name not in away:
                row = people[name].row()
                people[name].answer(wrong=name == "Bob" and bool(row) and int(row) % 20 == 3)
        lead.page.wait_for_timeout(250)  # the pace of a tester
        if turn > 60 and turn % 10 == 0:
            session.refresh()
            if session.votes_left() == 0:
                break
    session.refresh()
    assert session.votes_left() == 0
    disputed = session.disputed()
    assert disputed
    go(lead.page, "Disputes")
    for number, row in enumerate(disputed):
        lead.page.get_by_text(f"Bob: {(row + 1) % 3}").first.wait_for(timeout=90_000)
        box = lead.page.get_by_role("combobox").first
        box.click()
        box.fill(str(row % 3))
        lead.page.get_by_role("option", name=str(row % 3), exact=True).click()
        still(lead.page)
        lead.page.get_by_role("button", name="This is the answer").first.click()
        lead.page.get_by_text(f"Settled: {number + 1}").wait_for(timeout=90_000)
    session.refresh()
    assert session.finished
    assert set(session.adjudicated()) == set(disputed)

    on_disk = [event for event in session.history() if event.kind == "answer"]
    for name in TESTERS:
        one = people[name]
        words = "All planned inputs are labeled."
        until(lambda one=one, words=words: words in one.page.locator(".surface .calm").text_content(), one.page, 60)
        one.keep()
        stored = {(event.id, event.row, event.answer) for event in on_disk if event.tester == name}
        assert stored == {(event["id"], event["row"], event["answer"]) for event in one.events}
        assert {row: answer for _, row, answer in stored} == {row: int(key) for row, key in one.pressed if key in "012"}
    given = {row: len(votes) for row, votes in session.votes().items()}
    beyond = {row: count for row, count in given.items() if count != 2}
    labeled = sum(event.seconds or 0.0 for event in on_disk)
    waits = {name: round(people[name].waited, 2) for name in TESTERS}
    sys.stdout.write(f"{len(on_disk)} answers, {len(disputed)} disputes, asked beyond two: {beyond}\n")
    sys.stdout.write(f"seconds waited: {waits}; labeled: {labeled:.0f}; {sum(waits.values()) / labeled:.2%}\n")
    assert len(given) == 200
    assert len(beyond) <= 16, "two hands at most: those of the page that crashed and of who had logged out"
    for person in people.values():
        person.context.close()
    project.store.close()
