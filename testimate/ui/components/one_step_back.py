"""The browser's Back leaves a page in one press, although its address is completed after the page was reached."""

import streamlit as st

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

_component = st.components.v2.component("testimate.one_step_back", js=_SCRIPT)


def one_step_back() -> None:
    """Makes every page of this browser tab one step of its history; Streamlit makes a step of each change of address."""
    with st.container(key="one-step-back"):
        _component(key="one step back", height=1)
