"""Until the truth is revealed no page shows what only the truth can say; one switch reveals it on all of them."""

import pytest

from testimate.core.selector import Request
from tests.pages.page_parts import reveal_truth, switcher_opened

PAGES = ("subject", "clusters", "strata", "plan", "label", "results")


@pytest.fixture
def labeled(project, say):
    session = project.start_session("digits", Request("rra", 40, 1))
    truth = session.inputs.truth
    while draws := session.upcoming(10):
        for draw in draws:
            session.record([say(draw.row, int(truth[draw.row]))])
    return session


def everything(test) -> str:
    """All words and numbers of a page, its tables and the traces of its charts included."""
    shown = [str(part.value) for part in (*test.markdown, *test.caption, *test.info, *test.metric)]
    shown += [f"{part.label} | {part.delta}" for part in test.metric]
    shown += [part.value.to_csv() for part in test.dataframe]
    shown += [chart.proto.spec for chart in test.get("plotly_chart")]
    return "\n".join(shown)


REVEALED = (
    ", known here",
    "Known here",
    "(known here)",
    "truth 9",
    "with the truth",
    "| exact ",
    "Of all faults there are",
)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_tells_the_truth_before_it_is_revealed_and_the_switch_is_on_each(opened, labeled, page):
    test = opened(page, subject="digits", session=labeled.session_record.id)
    assert not test.exception
    hidden = everything(test)
    assert not [words for words in REVEALED if words in hidden]
    assert not [button for button in test.button if button.label == "Truth shown"]
    reveal_truth(test)
    assert [button for button in test.button if button.label == "Truth shown"]
    assert not test.exception
    assert [words for words in REVEALED if words in everything(test)] or page == "plan"


def test_an_address_may_ask_for_the_truth_and_the_switch_takes_it_back(opened, project):
    test = opened("subject", subject="digits", truth="on")
    assert "known here" in everything(test)
    reveal_truth(test, shown=False)
    assert "known here" not in everything(test)


def test_where_the_truth_is_not_known_there_is_nothing_to_reveal(opened, project):
    lines = ["prediction,confidence", *(f"{row % 3},0.9" for row in range(40))]
    subject = project.add_table("mine.csv", "\n".join(lines).encode())
    assert "reveal the truth" not in {
        toggle.key for toggle in switcher_opened(opened("subject", subject=subject.key)).toggle
    }


def test_what_has_no_truth_left_has_the_same_predictions_and_is_made_once(project):
    inputs = project.inputs("digits")
    blind = inputs.without_truth
    assert blind.truth is None
    assert blind.losses is None
    assert blind.predictions is inputs.predictions
    assert inputs.without_truth is blind
    assert blind.without_truth is blind


@pytest.mark.parametrize("shown", [False, True])
def test_why_an_input_was_picked_waits_for_its_answer_unless_the_prediction_is_shown(project, say, shown):
    from testimate.core.session_record import ALONE, Tester
    from testimate.ui.label.labeling import Outcome, view_of

    session = project.start_session("digits", Request("rra", 40, 1), show_prediction=shown)
    first, *_ = session.upcoming(2)
    session.record([say(first.row, 1, tester=ALONE)])
    view = view_of(session, Outcome(), Tester(ALONE, "lead"))
    assert {bool(item.why) for item in view.queue} == {shown}
    assert [past.why for past in view.history] == [first.reason]
    assert "chance of failure" in first.reason
