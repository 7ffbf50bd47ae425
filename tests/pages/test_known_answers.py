"""Known answers slipped in: offered on Plan, kept with the session, told on Results, in the report and at the terminal."""

import json

from testimate.core.selector import Request
from testimate.project.kept_labels import available_known_answers, keep_labels_of
from testimate.reports.report import report_html


def test_as_many_as_plan_was_told_are_kept_with_the_session_and_are_those_of_the_dataset(opened, project):
    test = opened("plan", subject="digits")
    [field] = [field for field in test.number_input if field.label == "Control inputs (known answers)"]
    assert field.value == 0
    field.set_value(12).run()
    next(button for button in test.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    inputs = project.inputs("digits")
    assert len({row for row, _ in record.known_answers}) == 12
    assert all(int(inputs.truth[row]) == answer for row, answer in record.known_answers)


def test_results_report_and_terminal_say_how_often_a_tester_was_right(opened, project, say, command):
    inputs = project.inputs("digits")
    known = [(row, int(inputs.truth[row])) for row in range(len(inputs) - 6, len(inputs))]
    session = project.start_session("digits", Request("rrs", 60, 1), known_answers=known)
    wrong = known[0][0]
    while coming := session.upcoming(1, "tester"):
        row = coming[0].row
        session.record([say(row, (int(inputs.truth[row]) + (row == wrong)) % 10, tester="tester")])
    [given] = session.known_answers_given()
    assert given.answered - given.right == (wrong in {event.row for event in session.history()})
    words = f"tester answered {given.right} of {given.answered} known answers correctly"
    shown = opened("results", subject="digits", session=session.session_record.id)
    assert any(part.value.replace("\\", "").startswith(words) for part in shown.markdown)
    assert words in report_html(session)
    out = command.ok("sessions", "replay", session.session_record.id, "--project", project.folder, "--json", "-")
    assert json.loads(out)["known_answers"] == [{"tester": "tester", "answered": given.answered, "right": given.right}]


def test_labels_of_an_earlier_session_are_known_to_the_next_one(project, say, monkeypatch):
    inputs = project.inputs("digits")
    session = project.start_session("digits", Request("srs", 20, 1))
    while draws := session.upcoming(10):
        session.record([say(draw.row, int(inputs.truth[draw.row])) for draw in draws])
    keep_labels_of(project, "digits")
    known = available_known_answers(project, "digits", inputs.without_truth)
    assert known == {draw.row: int(inputs.truth[draw.row]) for draw in session.draws}
