"""A confidence to trust, on the pages: planned, labeled look by look, and said on Results and in the report."""

import re

from testimate.core.selector import Request
from testimate.project.project import Project
from testimate.reports.report import report_html
from tests.pages.test_plan_and_results import field, label, said

ABOVE = r"Above confidence 0\.\d+, at least 90\.0% of the inputs are right: [\d,]+ of 1,497 inputs"


def test_plan_asks_for_a_confidence_to_trust_and_starts_its_ladder(project, opened):
    test = opened("plan", subject="digits")
    field(test, "number_input", "Labels, at most").set_value(195).run()
    field(test, "toggle", "Find a confidence to trust").set_value(True).run()
    field(test, "number_input", "Right above it, % at least").set_value(90.0).run()
    assert "takes 39 labels without a fault" in said(test)
    assert "Takes at most 195 labels" in said(test)
    field(test, "button", "Start labeling").click().run()
    [record] = [one for one in project.sessions() if one.request.technique == "confidence-ladder"]
    assert record.request.options == {"right": 0.9}
    assert len(project.session(record.id).draws) == 39


def test_too_few_labels_for_a_ladder_are_said_on_the_page(opened):
    test = opened("plan", subject="digits")
    field(test, "number_input", "Labels, at most").set_value(60).run()
    field(test, "toggle", "Find a confidence to trust").set_value(True).run()
    assert "The budget is 60. Expected at least 80 labels" in said(test)
    assert not [one for one in test.button if one.label == "Start labeling"]


def test_a_ladder_is_labeled_to_its_end_and_replays(project, opened):
    session = project.start_session("digits", Request("confidence-ladder", 195, 1, options={"right": 0.9}))
    while not session.finished:
        label(session, session.planned - session.remaining + len(session.upcoming(10)))
    assert not session.waiting
    again = Project(project.folder).session(session.session_record.id)
    assert (again.draws, again.finished) == (session.draws, True)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert not test.exception
    assert re.search(ABOVE, said(test))
    assert re.search(ABOVE, report_html(session))
    assert "read at the planned number of labels" not in report_html(session)


def test_results_say_above_which_confidence_enough_are_right(project, opened):
    session = project.start_session("digits", Request("srs", 200, 1))
    label(session, 200)
    test = opened("results", subject="digits", session=session.session_record.id)
    test.button_group(f"where it fails {session.session_record.id}").select("Confidence").run()
    assert re.search(ABOVE, said(test))
    assert "says too much in at most 5% of campaigns, read at the planned number of labels." in said(test)
    assert re.search(ABOVE, report_html(session))
