"""Compare models: ranked without labels, how far to trust the ranking, and labels where they decide which is best."""

from dataclasses import replace

import streamlit as st

from testimate.core.rounding import percent, spaced
from testimate.reports.plurals import counted
from testimate.ui.best_model_labels import standing, what_next
from testimate.ui.compare.choose_models import choose_models, others_in_project
from testimate.ui.compare.kept_labels import labels_there
from testimate.ui.compare.ranking import hardest, looked_at, matrix, ranking, side_by_side, trust
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.location import opened, remember
from testimate.ui.pages import COMPARE
from testimate.ui.shell import run_page
from testimate.ui.truth import truth_revealed, truth_switch


def show() -> None:
    """The page."""
    st.header("Compare models", anchor=False)
    key = opened("subject")
    if key is None or not key.startswith("compare-") or st.session_state.get("choose models"):
        st.write(
            "Several models have predicted the same inputs. They are ranked without any labels, by how far the "
            "others confirm them; a few labels where they disagree then show which is best."
        )
        earlier()
        made = choose_models()
        if made is None:
            return
        st.session_state["choose models"] = False
        remember("subject", made)
        st.rerun()
    compared(key)


def earlier() -> None:
    """The existing comparisons."""
    known = others_in_project(None)
    if not known:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("In this project", list(known), format_func=lambda key: known[key], width=420)
        if st.button("Open"):
            st.session_state["choose models"] = False
            remember("subject", chosen)
            st.rerun()


def compared(key: str) -> None:
    """One comparison."""
    with st.spinner("Opening the models …"):
        subject, inputs = project().subject(key), project().inputs(key)
    with st.spinner("Ranking the models, and again on resampled inputs …", show_time=True):
        view = looked_at(inputs)
    truth_switch(inputs)
    if not truth_revealed():
        view = replace(view, accuracy=None, with_truth={})
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            f"**{escape_markdown(subject.name)}**: {len(view.predictions.models)} models, {counted(len(inputs), 'input')}; on "
            f"{spaced(view.disputed)} ({percent(view.disputed / len(inputs), 0)}) they do not all predict the same."
        )
        if st.button("Other models", icon=":material/arrow_back:"):
            st.session_state["choose models"] = True
            st.rerun()
    left, right = st.columns([1, 1], gap="large")
    with left:
        ranking(view)
    with right:
        trust(view)
        what_next(subject, inputs, view)
    labels_there(subject)
    standing(subject)
    first, second = st.columns([1, 1], gap="large")
    with first:
        matrix(view)
    with second:
        hardest(subject, view)
    side_by_side(subject, view)


run_page(COMPARE, show)
