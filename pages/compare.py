"""Compare models: ranked without labels, how far to trust the ranking, and labels where they decide which is best."""

from dataclasses import replace
from typing import NoReturn

import streamlit as st

from testimate.core.words import commas, counted, percent
from testimate.ui.best_model_labels import standing, what_next
from testimate.ui.compare import (
    being_made,
    choose_models,
    details,
    hardest,
    judged_by_kept_labels,
    labels_there,
    made,
    matrix,
    others_in_project,
    ranked_by,
    ranking,
    side_by_side,
    trust,
    verdict_or_hint,
    view_of,
)
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import check_subject, opened, remember
from testimate.ui.page_head import nothing_here, page_head
from testimate.ui.pages import COMPARE
from testimate.ui.shell import run_page
from testimate.ui.truth import note_truth, truth_revealed


def show() -> None:
    """The page."""
    page_head(COMPARE)
    if being_made():
        return
    key = made() or comparison_open()
    if key is None:
        one_model_is_open()
        st.write("Rank models by how well they agree. Then label a few inputs where they differ.")
        earlier()
        chosen = choose_models()
        if chosen is None:
            return
        reopen(chosen)
    remember("subject", key)
    compared(key)


CHOOSING = "choose models"


def one_model_is_open() -> None:
    """Says that one model alone cannot be compared, and offers the comparison that this tab looked at last."""
    if opened("subject") is not None and not st.session_state.get(CHOOSING):
        check_subject()
        nothing_here("One model is open. This page compares several.", icon=":material/balance:")


def comparison_open() -> str | None:
    """The comparison that is open; None where none is, or others are to be chosen."""
    key = opened("subject")
    return key if key is not None and key.startswith("compare-") and not st.session_state.get(CHOOSING) else None


def reopen(key: str) -> NoReturn:
    """Opens a comparison that was chosen."""
    st.session_state[CHOOSING] = False
    remember("subject", key)
    st.rerun()


def earlier() -> None:
    """The existing comparisons."""
    known = others_in_project(None)
    if not known:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("In this project", list(known), format_func=lambda key: known[key], width=420)
        if st.button("Open"):
            reopen(chosen)


def compared(key: str) -> None:
    """One comparison."""
    with st.spinner("Opening the models …"):
        subject, inputs = project().subject(key), project().inputs(key)
    view = view_of(inputs)
    if view is None:
        return
    note_truth(key, inputs)
    if not truth_revealed():
        view = replace(view, accuracy=None, with_truth={})
    headline = st.container()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            f"**{escape_markdown(subject.name)}**: {len(view.predictions.models)} models, {counted(len(inputs), 'input')}. "
            f"They disagree on {commas(view.disputed)} ({percent(view.disputed / len(inputs), 0)})."
        )
        if st.button("Other models", icon=":material/arrow_back:"):
            st.session_state[CHOOSING] = True
            st.rerun()
    kept = judged_by_kept_labels(subject)
    said = standing(subject) or ("" if kept is None else labels_there(kept))
    with headline:
        verdict_or_hint(said, view)
    left, right = st.columns([1, 1], gap="large")
    with right:
        what_next(subject, inputs, view)
    with st.expander("Advanced", icon=":material/tune:"):
        which = ranked_by()
        details(view, which)
        trust(view)
        first, second = st.columns([1, 1], gap="large")
        with first:
            matrix(view)
        with second:
            hardest(subject, view)
        side_by_side(subject, view)
    with left:
        ranking(view, which)


run_page(COMPARE, show)
