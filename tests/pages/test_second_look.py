"""Testers' errors on the pages: a second look begins on Results, is labeled on Label, and Results says what it corrects."""

import pytest

from testimate.core.selector import Request
from testimate.project.second_looks import second_looks_at
from tests.session.labeling import label_all


@pytest.fixture
def finished(project, say):
    session = project.start_session("digits", Request("srs", 40, seed=1))
    label_all(session, say, session.inputs.truth)
    return session


def words(test) -> str:
    kinds = ("markdown", "caption", "info", "subheader")
    return "\n".join(str(one.value) for kind in kinds for one in getattr(test, kind)).replace("\\", "")


def test_a_second_look_goes_from_results_to_label_and_back(opened, project, finished, say):
    id = finished.session_record.id
    results = opened("results", subject="digits", session=id)
    assert not results.exception
    assert "Are the answers right?" in words(results)
    [wanted] = [one for one in results.number_input if one.label == "Answers to look at again"]
    assert wanted.value == 20  # at least twenty, where a fifth is less
    wanted.set_value(15).run()
    [begin] = [one for one in results.button if one.label == "Look at 15 again"]
    begin.click().run()
    [record] = second_looks_at(project, id)
    assert record.request.budget == 15

    label = opened("label", subject="digits", session=record.id)
    assert not label.exception
    assert [one.value for one in label.metric] == ["0 of 15"]  # nothing of the estimate or of the first answers
    assert "First answers are hidden" in words(label)

    begun = opened("results", subject="digits", session=id)
    assert "0 of 15 looked at again" in words(begun)
    again = project.session(record.id)
    label_all(again, say, again.inputs.truth)
    done = opened("results", subject="digits", session=id)
    assert "15 answers were looked at again and none of them was wrong" in words(done)
    assert "Corrected for testers' errors: " in words(done)
    of_the_look = opened("results", subject="digits", session=record.id)
    assert "It has no estimate of its own" in words(of_the_look)
    assert "Results of that session" in [one.label for one in of_the_look.button]
    at_the_end = opened("label", subject="digits", session=record.id)
    assert "See what it corrects" in [one.label for one in at_the_end.button]


def test_nothing_is_offered_before_the_plan_is_done_or_where_inputs_are_chosen(opened, project, say):
    begun = project.start_session("digits", Request("srs", 40, seed=1))
    chosen = project.start_session("digits", Request("deepgini", 5, seed=1))
    label_all(chosen, say, chosen.inputs.truth)
    for session in (begun, chosen):
        results = opened("results", subject="digits", session=session.session_record.id)
        assert not results.exception
        assert "Are the answers right?" not in words(results)
