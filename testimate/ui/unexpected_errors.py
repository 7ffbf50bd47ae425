"""An error that nobody foresaw, on the page: its details are for leads and for people who work alone."""

import logging
import secrets
import traceback

import streamlit as st

from testimate.ui.current_project import team
from testimate.ui.error_messages import LEADS_HERE
from testimate.ui.member import open_to_others

_log = logging.getLogger(__name__)


def show_unexpected(error: Exception) -> bool:
    """Shows a sentence with a number that is also in the log; True, because Streamlit shows nothing of its own then."""
    number = secrets.token_hex(4)
    _log.error("Error %s on a page.", number, exc_info=error)
    knows = bool(st.session_state.get(LEADS_HERE)) if team() else not open_to_others()
    who = "It is in the server's log, too." if knows else "The lead can see it in the log."
    st.error(f"Something went wrong, and it is not your fault. {who} Its number is {number}.", icon=":material/error:")
    if knows:
        with st.expander("Details"):
            st.code("".join(traceback.format_exception(error)), language=None)
    return True
