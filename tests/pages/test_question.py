"""The question that the tester is asked: written on Plan, kept with the session, above each input; a usual one else."""

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.project.second_looks import start_second_look
from testimate.project.selections import label_some
from testimate.tasks.question import QUESTION_LETTERS


def head(test) -> list[str]:
    return [part.value.replace("\\", "") for part in test.markdown]


def test_the_question_of_a_demo_is_offered_on_plan_and_what_is_written_there_is_asked_on_label(opened, project):
    test = opened("plan", subject="digits")
    [field] = [field for field in test.text_input if field.label == "Question for testers"]
    assert field.value == "Which digit is this?"
    field.set_value("Which <b>digit</b>,\n do you think?").run()
    next(button for button in test.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    assert record.question == "Which <b>digit</b>, do you think?"
    assert "**Which <b>digit</b>, do you think?**" in head(opened("label", subject="digits", session=record.id))


def test_without_a_question_the_kind_of_answer_gives_one(opened, project):
    session = project.start_session("digits", Request("srs", 20, 1))
    assert "**Which of these is it?**" in head(opened("label", subject="digits", session=session.session_record.id))


def test_a_question_too_long_for_a_line_is_refused_and_no_session_begun(project):
    with pytest.raises(BadInput, match=rf"has {QUESTION_LETTERS + 1} characters\. Expected at most {QUESTION_LETTERS}"):
        project.start_session("digits", Request("srs", 20, 1), question="x" * (QUESTION_LETTERS + 1))
    assert project.sessions() == []


def test_sessions_that_follow_from_another_ask_the_same(project, say):
    session = project.start_session("digits", Request("srs", 30, 1), question="Which digit?")
    while draws := session.upcoming(10):
        session.record([say(draw.row, int(session.inputs.truth[draw.row])) for draw in draws])
    look = start_second_look(project, session, 10)
    selection = label_some(project, "digits", range(200), 10, called="", seed=1, like=session.session_record)
    assert {other.session_record.question for other in (look, selection)} == {"Which digit?"}
