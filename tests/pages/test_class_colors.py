"""The colors of the classes' buttons: chosen on Plan, kept with the session and with those that follow from it."""

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.project.selections import label_some


def test_colors_chosen_on_plan_are_kept_with_the_session(opened, project):
    test = opened("plan", subject="digits")
    next(switch for switch in test.toggle if switch.label == "Color the buttons").set_value(True).run()
    next(picker for picker in test.color_picker if picker.label == "3").set_value("#00FF00").run()
    next(button for button in test.button if button.label == "Start labeling").click().run()
    [record] = project.sessions()
    assert list(record.colors) == [str(place) for place in range(10)]
    assert record.colors["3"] == "#00ff00"
    assert record.as_stored()["colours"] == record.colors  # the name that projects of every version hold
    assert SessionRecord.of_stored(record.as_stored()) == record


def test_a_color_that_is_none_or_of_no_class_is_refused_and_no_session_begun(project):
    for colors, words in (({"3": "green"}, "Expected # and six"), ({"x": "#00ff00"}, "not one of the 10 classes")):
        with pytest.raises(BadInput, match=words):
            project.start_session("digits", Request("srs", 20, 1), colors=colors)
    assert project.sessions() == []


def test_sessions_that_follow_from_another_have_its_colors_and_earlier_ones_none(project):
    session = project.start_session("digits", Request("srs", 30, 1), colors={"3": "#00ff00"})
    selection = label_some(project, "digits", range(200), 10, called="", seed=1, like=session.session_record)
    assert selection.session_record.colors == {"3": "#00ff00"}
    assert project.start_session("digits", Request("srs", 30, 1)).session_record.colors == {}
