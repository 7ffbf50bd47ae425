"""Versions: one model after another on the same inputs, judged by the same labels, and the few labels that would say more."""

import streamlit as st

from testimate.core.subject import Subject
from testimate.planning.margin_gate import PRICE
from testimate.project.version_history import History, JudgedVersion, history_of, state_of
from testimate.project.versions import can_be_version, versions_of
from testimate.ui.current_project import project
from testimate.ui.job_progress import on_the_bar
from testimate.ui.navigation import opened_subject
from testimate.ui.page_head import page_head
from testimate.ui.pages import VERSIONS
from testimate.ui.shell import run_page
from testimate.ui.version_gate import before_of, version_gate
from testimate.ui.versions import (
    add,
    begun_top_ups,
    by_class,
    changed,
    grown_set,
    headline,
    in_another_order,
    judged_versions,
    labels_from_elsewhere,
    more_labels,
    names_and_order,
    no_labels_yet,
    other_sets,
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
            "Labels are used again for models with one class per input. This test set is of another kind, so each version "
            f"needs labels of its own.{f' {PRICE}' if subject.task.grades else ''}",
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
            "Labels outlive the model. Add a new version's predictions for the same inputs, and your existing labels measure "
            "it at once."
        )
        add(subject, opened=True)
    in_another_order(subject)
    in_parts = False if history.plans else grown_set(subject)
    if history.plans:
        judged(subject, history, len(versions))
    elif len(versions) > 1 or not in_parts:
        no_labels_yet(history)
    if len(versions) > 1 and not history.plans:
        version_gate(versions[-1], before_of(versions, versions[-1]))
        add(subject, opened=False)
    with st.expander("Advanced", icon=":material/tune:"):
        if history.plans:
            grown_set(subject)
        names_and_order(versions)
        labels_from_elsewhere(subject)
        other_sets(subject)


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


def judged(subject: Subject, history: History, count: int) -> None:
    """The decision about one version, all versions by their labels, and what changed in that one."""
    place = st.container()
    judged_versions(history, count)
    one = chosen(subject, history, count)
    with place:
        headline(history, one)
        begun_top_ups(one)
    changed(history, one)
    if one.earlier:
        with st.expander("Where it moved, by predicted class", icon=":material/table_rows:"):
            by_class(history, one)
    version_gate(one.version, before_of(versions_of(project(), subject.key), one.version))
    more_labels(history, one)


def chosen(subject: Subject, history: History, count: int) -> JudgedVersion:
    """The version that the page is about: at first the open one, or the latest with a number."""
    names = {one.version.key: one.version.name for one in history.versions}
    keys = list(names)
    numbered = [one.version.key for one in history.versions if one.reused is not None] or keys
    start = keys.index(subject.key if subject.key in numbered[1:] else numbered[-1])
    key = keys[start]
    if count > 1:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            picked = (
                f"version beside {subject.key}"  # of each subject its own: one that was just added is the one chosen
            )
            key = st.selectbox("Version", keys, start, format_func=names.__getitem__, width=420, key=picked)
            add(subject, opened=False)
    return next(judged for judged in history.versions if judged.version.key == key)


run_page(VERSIONS, show)
