"""An error that a tester can mend is a sentence, also where Streamlit keeps it from the page."""

from streamlit.testing.v1 import AppTest


def a_page_of_two_parts():
    import streamlit as st

    from testimate.core.errors import BadInput
    from testimate.ui.error_messages import errors_in_words

    @st.fragment
    @errors_in_words
    def part(place: int, *, fails: bool) -> None:
        if fails:
            raise BadInput(f"Part *{place}* was changed; expected what it was. Restore it.")
        st.text(f"part {place}")

    part(1, fails=True)
    part(2, fails=False)


def test_what_a_part_raises_is_said_in_its_place_and_the_others_stand():
    page = AppTest.from_function(a_page_of_two_parts).run()
    assert not page.exception
    [error] = page.error
    assert error.value.replace("\\", "") == "Part *1* was changed; expected what it was. Restore it."
    assert [text.value for text in page.text] == ["part 2"]
