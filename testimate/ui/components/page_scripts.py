"""What follows a browser's tab on every page: its steps back, its connection to the server, its theme and width."""

import streamlit as st

from testimate.ui.components.bundle import component

_SCRIPT = """
const known = "testimate one step back";
export default function () {
  if (window[known]) return;
  window[known] = true;
  let acted = false; // whether the visitor has done anything on this page since it was reached
  for (const name of ["pointerdown", "keydown"]) window.addEventListener(name, () => { acted = true; }, true);
  window.addEventListener("popstate", () => { acted = false; });
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? location.href, location.href);
    if (next.pathname !== location.pathname) acted = false;
    else if (!acted) { // the page itself says what is open: the same step, not another one
      history.replaceState(state, title, url);
      return;
    }
    push(state, title, url);
  };
}
"""

_one_step_back = st.components.v2.component("testimate.one_step_back", js=_SCRIPT)


def one_step_back() -> None:
    """Makes every page of this browser tab one step of its history; Streamlit makes a step of each change of address."""
    with st.container(key="one-step-back"):
        _one_step_back(key="one step back", height=1)


_server_away = component("server_away")


def server_away() -> None:
    """Watches the connection of this browser tab; draws nothing while it holds."""
    with st.container(key="server-away"):
        _server_away(key="server away", height=1)


_window_changes = component("window_changes")


def window_changes() -> None:
    """Draws nothing. Call it outside a fragment: a change of the theme concerns the whole page."""
    with st.container(key="window-changes"):
        _window_changes(key="window changes", height=1, on_scheme_change=lambda: None)
