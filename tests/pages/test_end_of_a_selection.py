"""The end of a plan that draws from a selection, on Label: what is left of the selection can be labeled, until nothing is."""

from testimate.project.selections import label_some
from tests.pages.test_pages import said
from tests.session.labeling import label_all

ALL = "This plan has no inputs left"


def test_the_rest_of_a_selection_is_offered_and_once_it_is_labeled_the_page_says_that_nothing_is_left(
    opened, project, say
):
    session = label_some(project, "digits", range(10, 18), 5, called="eight", seed=1)
    truth = session.inputs.truth
    label_all(session, say, truth)
    of = {"subject": "digits", "session": session.session_record.id}
    test = opened("label", **of)
    assert "Inside eight, 8 inputs" in said(test)
    assert ALL not in said(test)
    next(button for button in test.button if button.label == "Label 3 more").click().run()
    assert not test.exception
    session.refresh()
    assert {draw.row for draw in session.upcoming(8)} == set(range(10, 18)) - set(session.answers())
    label_all(session, say, truth)
    test = opened("label", **of)
    assert not test.exception
    assert f"{ALL}. To label more, make a new plan." in said(test)
    assert not [button for button in test.button if button.label.endswith(" more")]
