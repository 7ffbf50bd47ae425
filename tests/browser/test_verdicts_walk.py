"""Demos of judging in a browser, from the first screen to the report, and two prompts until it is decided which is better."""

import re

import pytest

from testimate.core.selector import Request
from testimate.demos.answers import SEED, answered_questions, two_answerers_csv
from testimate.demos.harbor import truth_of
from testimate.demos.harbor_scenes import made_scenes
from testimate.project.project import Project
from tests.browser.app_server import ROOT
from tests.browser.app_steps import (
    PATIENCE,
    answer_in_turn,
    downloaded_report,
    go,
    keys_on_screen,
    on_screen,
    start_demo,
    still,
)
from tests.browser.surface_steps import until


@pytest.mark.slow
def test_two_prompts_are_compared_until_the_stop_safe_interval_decides(run_app, tmp_path, page):
    project = Project(tmp_path / "project")
    key = project.add_table("prompts.csv", two_answerers_csv(400, seed=3, better=0.2)).key
    session = project.start_session(key, Request("srs", 300, seed=1))
    inputs = session.inputs
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(project.folder))
    page.goto(f"{app.url}/label?subject={key}&session={session.session_record.id}")
    keys = keys_on_screen(page)

    def truly(row: int) -> list[str]:
        return [keys[inputs.task.classes[int(inputs.truth[row])]]]

    decided = page.get_by_text("It is decided which system is preferred")
    labels = 0
    while labels < 300 and not decided.count():
        answer_in_turn(page, truly, 10)
        labels += 10
        still(page)
    assert decided.count() == 1
    assert labels < 300
    assert page.get_by_text("Preference for A").count() == 0  # nothing said which side leads
    go(page, "Results")
    page.get_by_text("Decided: B is preferred.").wait_for(timeout=1000 * PATIENCE)
    session.refresh()
    assert session.estimate().always_high < 0.5


@pytest.mark.slow
def test_the_harbor_is_judged_from_the_first_screen_to_the_report(run_app, tmp_path, page):
    scenes = made_scenes(800, seed=12)
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(tmp_path / "project"))
    start_demo(page, app.url, "harbour")

    def keys(row: int) -> list[str]:
        found = []
        answer = truth_of(scenes[row])
        for box in (one for one in answer if one >= 0):
            found += [str(box + 1)] if box < 9 else [*["ArrowRight"] * box, "w"]
        at = 0
        for kind in sorted(-1 - one for one in answer if one < 0):
            found += [*["ArrowDown"] * (kind - at), "+"]
            at = kind
        return [*found, "Enter"]

    answer_in_turn(page, keys, 40)
    [record] = Project(tmp_path / "project").sessions()

    def answers() -> dict:
        return Project(tmp_path / "project").session(record.id).answers()

    until(lambda: len(answers()) == 40, page, seconds=30)  # the last keys are on their way
    assert answers() == {row: truth_of(scenes[row]) for row in answers()}
    assert on_screen(page) not in answers()
    go(page, "Results")
    report = downloaded_report(page)
    assert "Precision and recall" in report
    assert re.search(r"all classes \d+\.\d% \(\d+\.\d to \d+\.\d% *\) \d+\.\d%", report)


@pytest.mark.slow
def test_questions_and_answers_are_graded_from_the_first_screen_to_the_report(run_app, tmp_path, page):
    rows = answered_questions(seed=SEED)
    app = run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(tmp_path / "project"))
    start_demo(page, app.url, "answers")
    keys = keys_on_screen(page)
    answer_in_turn(page, lambda row: [keys[rows[row].grade]], 40)
    go(page, "Results")
    report = downloaded_report(page)
    assert "Of all inputs: right" in report
    assert "judge and people agree on" in report
