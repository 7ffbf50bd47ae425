"""An error that a tester can mend is a sentence, also where Streamlit keeps it from the page."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from testimate.ui.error_messages import LEADS_HERE


def a_page_of_two_parts():
    import streamlit as st

    from testimate.core.errors import BadInput
    from testimate.ui.error_messages import errors_in_words

    @st.fragment
    @errors_in_words
    def part(place: int, *, fails: bool) -> None:
        if fails:
            raise BadInput(f"Part *{place}* was changed. Expected what it was. Restore it.")
        st.text(f"part {place}")

    part(1, fails=True)
    part(2, fails=False)


def test_what_a_part_raises_is_said_in_its_place_and_the_others_stand():
    page = AppTest.from_function(a_page_of_two_parts).run()
    assert not page.exception
    [error] = page.error
    assert error.value.replace("\\", "") == "Part *1* was changed. Expected what it was. Restore it."
    assert [text.value for text in page.text] == ["part 2"]


def a_page_that_fails():
    from testimate.ui.error_messages import show_unexpected

    try:
        raise RuntimeError("cannot open /srv/labels.sqlite")
    except RuntimeError as error:
        show_unexpected(error)


@pytest.mark.parametrize(("team", "leads", "expected"), [("yes", False, False), ("yes", True, True), ("", False, True)])
def test_details_of_an_unforeseen_error_are_for_leads_and_people_who_work_alone(
    monkeypatch, caplog, team, leads, expected
):
    monkeypatch.setenv("TESTIMATE_TEAM", team)
    page = AppTest.from_function(a_page_that_fails)
    page.session_state[LEADS_HERE] = leads
    page.run()
    assert not page.exception
    [error] = page.error
    [number] = re.findall(r"Its number is ([0-9a-f]{8})\.", error.value)
    assert f"Error {number} on a page." in caplog.messages
    assert "/srv" not in error.value
    details = [code.value for code in page.code]
    assert ["Traceback" in one and "/srv/labels.sqlite" in one for one in details] == [True] * expected
