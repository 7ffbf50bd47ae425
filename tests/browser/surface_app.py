"""A page with nothing but the labeling surface, over a session that lives in a file; started by the browser tests.

``?case=NAME`` names the file the events go to and the kind of inputs, ``kind-anything``; ``?rows=N`` how many there are.
"""

import os
import time
from pathlib import Path

import numpy as np
import streamlit as st

from testimate.ui.components.labeling_surface.fallback_buttons import fallback_buttons
from testimate.ui.components.labeling_surface.surface import labeling_surface
from testimate.ui.components.labeling_surface.view import SurfaceView
from tests.browser.surface_cases import CaseSession


def main() -> None:
    st.set_page_config(layout="wide", page_title="Labeling surface")
    case = st.query_params.get("case", "text")
    refused = st.session_state.setdefault("refused", {})
    session = CaseSession(Path(os.environ["SURFACE_FOLDER"]), case, int(st.query_params.get("rows", "200")), refused)

    def view() -> SurfaceView:
        st.session_state.looks = st.session_state.get("looks", 0) + 1
        return session.view(waiting="waiting" in case and st.session_state.looks < 3)

    @st.fragment
    def label() -> None:
        if "plain" in case:
            fallback_buttons(view(), key="plain", on_event=lambda event: session.store([event]))
            if "slow" in case:
                time.sleep(0.5)  # the buttons of the last input stay on the page until this run has ended
        else:
            labeling_surface(view(), key="surface", on_events=session.store)

    left, right = st.columns([55, 45])
    with left:
        if not st.checkbox("Hide the surface"):
            label()
    with right:
        st.text_input("A field of the page")
        if st.button("Slow rerun"):
            time.sleep(0.5)  # a run that is still going on while keys are pressed
        if "rerun" in case:  # drawn again beside the surface
            st.line_chart(np.random.default_rng(1).normal(size=(50, 2)))


if __name__ == "__main__":
    main()
