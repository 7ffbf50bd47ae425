"""One input of the Clusters page looked at closely: why it is shown, its label, and why the network said what it said."""

import threading

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.core.words import commas
from testimate.project.project import Project
from testimate.ui.input_dialog import job_of
from tests.pages.clusters_page_steps import said


def test_a_label_given_while_exploring_is_kept_and_leaves_the_estimate_as_it_is(ready_page, project):
    session = project.start_session("digits", Request("srs", budget=60, seed=1))
    for number, draw in enumerate(session.upcoming(30)):
        truth = int(session.inputs.truth[draw.row])
        session.record([Event(f"event-{number:04}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", truth)])
    before = session.estimate()
    labeled = set(session.answers())
    row = next(row for row in project.clusters("digits").minority.tolist() if row not in labeled)
    from testimate.ui.input_dialog import record

    assert record(session, row, 3) == ""
    assert record(session, row, 99) != ""  # no such class
    assert session.explored() == {row: 3}
    assert [event.stream for event in session.history() if event.row == row] == ["exploration"]
    assert session.estimate() == before
    reopened = Project(project.folder).session(session.session_record.id)
    assert reopened.explored() == {row: 3}
    assert reopened.estimate() == before


def test_an_input_looked_at_says_why_it_is_shown_and_takes_a_label(ready_page, project):
    session = project.start_session("digits", Request("pace", budget=20, seed=1))
    row = session.upcoming(1)[0].row
    test = ready_page(session=session.session_record.id)
    test.session_state["closer look"] = row
    test.session_state["picked on the map"] = [row]
    test.run()
    assert f"Input {commas(row)}" in said(test)
    assert "icked by the plan, PACE: prototypes of clusters and diverse outliers (pace): prototype" in said(test)
    test.button(key=f"explore {row} 7").click().run()
    assert not test.exception
    session.refresh()
    assert session.explored() == {row: 7}
    assert not session.answers()


def asked_to_explain(test):
    test.session_state["closer look"] = 5
    test.run()
    test.session_state["closer look"] = 5  # a browser runs the dialog alone again, AppTest the page
    test.button(key="explain 5").click().run()
    assert not test.exception
    return test


def test_an_input_looked_at_is_explained_by_where_the_network_looked_and_by_what_is_like_it(ready_page, project):
    test = asked_to_explain(ready_page())
    found = project_of_the_app(project).explanations.of(project.inputs("digits").fingerprint, 5)
    left, top, right, bottom = found.enough
    assert f"A square of {right - left} x {bottom - top} pixels" in said(test)
    assert f"the network says {found.then}" in said(test)
    assert "Nearest to it, by the last hidden layer (LHL)" in said(test)
    assert "the predicted class" in said(test)


def test_a_worker_that_dies_while_it_explains_is_a_sentence_on_the_page_which_can_ask_again(ready_page, monkeypatch):
    from testimate.models.worker_process import ModelCrashed

    def dies(*args, **named):
        raise ModelCrashed("The model's process ended in the middle of its work. Expected a smaller batch. Try again.")

    monkeypatch.setattr("testimate.ui.input_dialog.explain", dies)
    test = asked_to_explain(ready_page())
    assert "ended in the middle of its work" in said(test)
    monkeypatch.undo()


def test_an_explanation_that_takes_long_says_how_far_it_is_and_can_be_stopped(ready_page, project, monkeypatch):
    begun, goes_on = threading.Event(), threading.Event()

    def slow(subject, row, *, progress):
        progress(53, 331, "covering parts of the input")
        begun.set()
        goes_on.wait(60)
        progress(106, 331, "covering parts of the input")
        raise AssertionError("it went on after it was stopped")

    monkeypatch.setattr("testimate.ui.input_dialog.explain", slow)
    monkeypatch.setattr("testimate.ui.input_dialog.AT_ONCE", 0.0)
    test = ready_page()

    def looked_at(press: str) -> None:
        test.session_state["closer look"] = 5  # a browser runs the dialog alone again, AppTest the page
        (test.button(key=press).click() if press else test).run()
        assert not test.exception

    looked_at("")
    looked_at("explain 5")
    begun.wait(60)
    looked_at("")
    assert [bar for bar in test.get("progress") if "53 of 331" in bar.proto.text]
    looked_at("stop explaining 5")
    goes_on.set()
    jobs, inputs = project_of_the_app(project).jobs, project.inputs("digits")
    assert jobs.wait(job_of(5, inputs), 60).state == "canceled"
    looked_at("")
    assert "Stopped before it was whole" in said(test)
    assert project_of_the_app(project).explanations.of(inputs.fingerprint, 5) is None
    monkeypatch.undo()
    looked_at("explain 5")
    assert "A square of" in said(test)


def test_once_an_explanation_is_there_its_dialog_is_drawn_again_without_the_part_that_looked(ready_page, monkeypatch):
    test = ready_page()
    for press in ("", "explain 5"):
        test.session_state["closer look"] = 5
        (test.button(key=press).click() if press else test).run()
    asked = []
    # it ends between two looks of the part that says how far it is
    monkeypatch.setattr("testimate.ui.input_dialog.running", lambda job: asked.append(job) or len(asked) == 1)
    test.session_state["closer look"] = 5
    test.run()
    assert not test.exception
    assert len(asked) == 2
    assert "A square of" in said(test)


def project_of_the_app(project: Project) -> Project:
    """The project that the pages hold open, on the same folder."""
    from testimate.ui.current_project import project as current

    return current()
