"""Who is at this browser: the one person who labels alone, or a member of the team who has logged in."""

import streamlit as st

from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.session_record import ALONE, Tester
from testimate.labels.testers import KNOWN_SECONDS
from testimate.ui.components.page_scripts import ADDRESS, COOKIE, SECURE, TICKET, Handover, tickets
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team
from testimate.ui.error_messages import LEADS_HERE, say
from testimate.ui.network.hosts import open_to_others, why_refused

TOKEN = "login token"
LOGGED_OUT = "logged out"
WAS_HERE = "who was here"
STILL_VALID = "here alone, because the server did not end the login"
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


def member() -> Tester | None:
    """Who is here; None before the login. Someone who works alone is their own lead."""
    if not team():
        return None if open_to_others() else Tester(ALONE, "lead")
    found = _found()
    if found is not None:
        st.session_state[WAS_HERE] = found.name
    st.session_state[LEADS_HERE] = found is not None and found.leads
    return found


def _found() -> Tester | None:
    """The member of the team who is at this browser."""
    if has_provider():
        known = st.user.get("is_logged_in", False) and st.user.get("email_verified", True)
        return project().testers.find(str(st.user.get("email", ""))) if known else None
    token = st.session_state.get(TOKEN) or ("" if LOGGED_OUT in st.session_state else kept_cookie())
    found = project().testers.logged_in(token) if token else None
    if found is not None:
        st.session_state[TOKEN] = token
    return found


def who_is_here() -> Tester | None:
    """As ``member``; if that cannot be looked up, as when a database is unavailable, the run ends with the reason.

    It also ends if the browser came by a name that is not this server's, where ``streamlit run app.py`` let it in.
    """
    host = st.context.headers.get("Host")
    if host is not None and (refused := why_refused(host)):
        st.error(escape_markdown(refused), icon=":material/error:")
        st.stop()
    try:
        return member()
    except TestimateError as error:
        say(error)
        st.stop()


def is_here(known: Tester) -> bool:
    """Whether it is still this member, in the same role: a login may end in another tab, and a lead may remove someone."""
    return member() == known


def still_leads(known: Tester) -> bool:
    """Whether someone who led when their page was drawn leads now; asked outside a page's run."""
    if not team():
        return known.name == ALONE
    found = project().testers.find(known.name)
    return found is not None and found.leads


def present_member() -> Tester:
    """Who is here, on a page that only shows when someone is."""
    found = member()
    if found is None:
        st.rerun()  # to the login
    return found


def keep_login() -> None:
    """Keeps the login in the browser; drawn once on every page.

    After a logout the cookie stays: it then opens nothing, but shows that this browser is known.
    """
    if st.session_state.get(LOGGED_OUT) == STILL_VALID:
        keep_cookie("", 0)
    elif LOGGED_OUT not in st.session_state and st.session_state.get(TOKEN, kept_cookie()) != kept_cookie():
        keep_cookie(st.session_state[TOKEN], KNOWN_SECONDS)


def login() -> None:
    """The form, in place of the page that was asked for."""
    if not team():
        st.error(
            "This server is open to other computers, and nobody has to log in. Start it with: testimate app --team",
            icon=":material/lock:",
        )
        return
    with st.container(horizontal_alignment="center"), st.container(width=360):
        st.caption("Testimate", help="Estimate accuracy from a few labels.")
        st.header("Log in", anchor=False)
        _why_here()
        try:
            _form()
        except BadInput as error:  # after too many wrong passwords: the form stays for when the wait is over
            say(error)


def _why_here() -> None:
    """Tells somebody whose login ended while they worked why it did, and what has become of their answers."""
    name = st.session_state.get(WAS_HERE)
    if name is None or LOGGED_OUT in st.session_state:
        return
    if project().testers.find(name) is None:
        words = f"{name} is not on the team's list any more. Ask your lead. "
    else:
        words = f"{name} was logged out (in another tab, by a new password, or after 12 hours). Log in again. "
    words += "Your answers are saved. Anything this browser couldn't send is saved after you log in."
    st.warning(escape_markdown(words))


def _form() -> None:
    if has_provider():
        if st.user.get("is_logged_in", False):
            words = (
                "You are not on this team's list. Ask its lead to add your e-mail."
                if st.user.get("email_verified", True)
                else "Your organization has not verified this e-mail address. Have it verified there, then log in again."
            )
            st.error(words, icon=":material/error:")
            st.button("Use another account", on_click=st.logout)
        else:
            st.button("Log in with your organization", type="primary", on_click=st.login)
        return
    with st.form("login", enter_to_submit=True):
        name = st.text_input("Name", max_chars=100, autocomplete="username")
        password = st.text_input("Password", type="password", max_chars=1000, autocomplete="current-password")
        sent = st.form_submit_button("Log in", type="primary")
    if not sent:
        st.caption("Your lead gave you a name and a password. Your answers are saved under that name.")
        return
    address = st.context.ip_address or ""
    found = project().testers.check(name.strip(), password, browser=kept_cookie(), address=address)
    if found is None:
        st.error("The name or the password is wrong. Try again, or ask your lead.", icon=":material/error:")
        return
    st.session_state[TOKEN] = project().testers.open_login(found)
    st.session_state.pop(LOGGED_OUT, None)
    st.rerun()


def initials(name: str) -> str:
    """The first letters of up to two words, to stand for a name where there is little room.

    >>> initials("Ann Lee"), initials("lea")
    ('AL', 'L')
    """
    return escape_markdown("".join(word[0] for word in name.split()[:2]).upper())


def logout() -> None:
    """Ends the login, here and in every tab of this browser."""
    if has_provider():
        st.logout()
        return
    st.session_state[LOGGED_OUT] = "here and at the server"
    try:
        token = st.session_state.pop(TOKEN, "")
        if (who := project().testers.logged_in(token)) is not None:
            project().give_back(who.name)
        project().testers.close_login(token)
    except StoreUnavailable as error:
        st.session_state[LOGGED_OUT] = STILL_VALID
        st.toast(escape_markdown(f"You are logged out in this tab. {error}"), icon=":material/error:")


def has_provider() -> bool:
    """Whether an identity provider (OpenID Connect) is configured in .streamlit/secrets.toml."""
    return bool(st.secrets.load_if_toml_exists()) and "auth" in st.secrets
