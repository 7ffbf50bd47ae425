"""The cookie by which a browser stays logged in; the server cannot set one, so a script on the page does."""

import streamlit as st

COOKIE = "testimate-login"

_SCRIPT = """
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${data.name}=${data.token}; Path=/; SameSite=Strict; Max-Age=${data.seconds}${secure}`;
}
"""

_component = st.components.v2.component("testimate.login_cookie", js=_SCRIPT)


def keep_cookie(token: str, seconds: float) -> None:
    """Keeps the token in this browser for so many seconds; 0 forgets it. ``token`` : letters, digits, - and _."""
    _component(key="login cookie", data={"name": COOKIE, "token": token, "seconds": round(seconds)}, height=1)


def kept_cookie() -> str:
    """What this browser showed when it connected; empty where it showed nothing."""
    return str(st.context.cookies.get(COOKIE, ""))
