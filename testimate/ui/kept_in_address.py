"""What is on while the address says so, such as a tour: a link opens with it, and pages opened by the navigation keep it."""

import streamlit as st

ON = "on"


def is_on(parameter: str) -> bool:
    """Whether it is on, by the address or else by this tab's memory."""
    if st.query_params.get(parameter) == ON:
        st.session_state[parameter] = True
    elif st.session_state.get(parameter):
        st.query_params[parameter] = ON
    return bool(st.session_state.get(parameter))


def turn_on(parameter: str) -> None:
    """Turns it on, on the page that is open and those to come."""
    st.session_state[parameter] = True


def turn_off(parameter: str) -> None:
    """Turns it off; it does not come back by itself."""
    st.session_state.pop(parameter, None)
    st.query_params.pop(parameter, None)
