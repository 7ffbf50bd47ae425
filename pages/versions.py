"""Versions: one model after another on the same inputs, judged by the same labels, and the few labels that would say more."""

import streamlit as st

from testimate.core.subject import Subject
from testimate.project.version_history import History, history_of, state_of
from testimate.project.versions import can_be_version, versions_of
from testimate.ui.current_project import project
from testimate.ui.job_progress import on_the_bar
from testimate.ui.navigation import opened_subject
from testimate.ui.page_head import page_head
from testimate.ui.pages import VERSIONS
from testimate.ui.shell import run_page
from testimate.ui.versions import (
    add,
    by_class,
    changed,
    grown_set,
    in_another_order,
    judged_versions,
    labels_from_elsewhere,
    names_and_order,
    other_sets,
    top_ups,
)

MOST = 10
"""Versions judged at first; if there are more, the latest."""


def show() -> None:
    """The page."""
    page_head(VERSIONS)
    found = opened_subject()
    if found is None:
        return
    subject, _ = found
    if not can_be_version(subject):
        st.info(
            "Labels are used again for models with one class per input; this subject is of another kind, so each version "
            "needs labels of its own.",
            icon=":material/info:",
        )
        other_sets(subject)
        return
    versions = versions_of(project(), subject.key)
    shown = versions[-MOST:]
    if len(versions) > MOST and st.toggle(f"Judge all {len(versions)} versions", key="all versions"):
        shown = versions
    history = known_history(subject, tuple(one.key for one in shown))
    if len(versions) < 2:
        st.write(
            "You retrain, and the labels are still true: each says what an input is, whichever model is judged. Add "
            "the next version's predictions for the same inputs, and the existing labels judge it at once."
        )
        add(subject, opened=True)
    in_another_order(subject)
    in_parts = grown_set(subject)
    if history.plans or len(versions) > 1 or not in_parts:
        judged_versions(history, len(versions))
    if len(versions) > 1:
        if history.plans:
            chosen(subject, history)
        add(subject, opened=False)
    names_and_order(versions)
    other_sets(subject)
    labels_from_elsewhere(subject)


def known_history(subject: Subject, only: tuple[str, ...]) -> History:
    """These versions as judged, each again only when there are new labels or versions, with a bar meanwhile."""
    place = st.empty()  # also where nothing is judged: what follows keeps its place, and what was opened stays open
    state = state_of(project(), subject.key), only
    kept: tuple[object, History] | None = st.session_state.get("versions judged")
    if kept is None or kept[0] != state:
        before = st.session_state.setdefault("each version judged", {})
        bar = place.progress(0.0, text="Judging each version by the labels …")
        history = history_of(
            project(), subject.key, only=only, judged_before=before, progress=on_the_bar(bar, "Judging ")
        )
        place.empty()
        kept = st.session_state["versions judged"] = (state_of(project(), subject.key), only), history
    return kept[1]


def chosen(subject: Subject, history: History) -> None:
    """One version, at first the open one: labels that would say more, and what changed."""
    names = {one.version.key: one.version.name for one in history.versions}
    keys = list(names)
    start = keys.index(subject.key) if subject.key in keys[1:] else len(keys) - 1
    st.divider()
    picked = f"version beside {subject.key}"  # of each subject its own: one that was just added is the one chosen
    key = st.selectbox("Version", keys, start, format_func=names.__getitem__, width=420, key=picked)
    one = next(judged for judged in history.versions if judged.version.key == key)
    beside = st.container(horizontal=True, gap="medium")  # below one another where there is no room
    with beside, st.container(width=400):
        top_ups(history, one)
    with beside, st.container(width=760):
        by_class(history, one)
        changed(history, one)


run_page(VERSIONS, show)
