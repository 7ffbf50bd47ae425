"""The cookie by which a browser stays logged in."""

import streamlit as st

from testimate.ui.components.login_handover import ADDRESS, COOKIE, SECURE, TICKET, Handover, tickets

_SCRIPT = """
const shown = "testimate ticket shown last";
export default function ({ data }) {
  if (window[shown] === data.ticket) return; // the page's script runs again and again; a ticket is valid once
  window[shown] = data.ticket;
  const server = window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href).href;
  const headers = { [data.names.ticket]: data.ticket, [data.names.secure]: location.protocol === "https:" ? "yes" : "no" };
  fetch(new URL(data.address, server), { method: "POST", headers });
}
"""

_component = st.components.v2.component("testimate.login_cookie", js=_SCRIPT)


def keep_cookie(token: str, seconds: float) -> None:
    """Keeps the token in this browser for ``seconds``; 0 deletes it. ``token`` : letters, digits, - and _."""
    handover = Handover(token, seconds)
    meant, ticket = st.session_state.get("ticket given", (None, ""))
    if meant != handover:
        ticket = tickets.give(handover)
        st.session_state["ticket given"] = handover, ticket
    data = {"ticket": ticket, "address": ADDRESS, "names": {"ticket": TICKET, "secure": SECURE}}
    _component(key="login cookie", data=data, height=1)


def kept_cookie() -> str:
    """The token this browser sent when it connected; empty if it sent none."""
    return str(st.context.cookies.get(COOKIE, ""))
