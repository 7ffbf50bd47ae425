"""What the labels say about each version: chart, table, and what got worse as pictures."""

import numpy as np
import streamlit as st

from testimate.charts.estimates import version_history
from testimate.core.words import counted
from testimate.planning.changed_sets import MovedClass
from testimate.project.version_history import NO_PLAN, History, JudgedVersion, classes_moved
from testimate.reports.version_words import classes_in_words, ends_of, row_of, row_of_class, summary, verdict
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_walls import how_many, more_button, wall
from testimate.ui.navigation import go
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import PLAN
from testimate.ui.truth import truth_revealed

SHOWN = 24
"""Inputs of a wall at first."""

MANY = 5
"""With this many versions or more, the best of them looks better than it is by more than its interval says."""


def judged_versions(history: History, count: int) -> None:
    """The versions judged, of ``count``, each with its number or the sentence that says why it has none.

    Before the first labels there is one sentence for all, and a way to them.
    """
    if not history.plans:
        st.info(NO_PLAN, icon=":material/info:")
        if st.button("Plan the first labels", icon=":material/checklist:", type="primary"):
            go(PLAN, subject=history.versions[-1].version.key)
        return
    st.markdown(f"#### {escape_markdown(headline(history))}")
    st.caption(escape_markdown(summary(history, count)))
    shown = history.versions
    beside = st.container(horizontal=True, gap="medium")  # one below the other if there is no room
    with beside, st.container(width=430):
        chart(shown)
    with beside, st.container(width=730):
        st.dataframe([row_of(one) for one in shown], hide_index=True, placeholder=UNKNOWN)
        st.caption(
            "Each version is compared with the one before it. Got worse and got better count labeled inputs that only "
            "one of the two has right. These accuracies also use what the labels teach about the other inputs, so "
            "they differ a little from the one on Results.",
            help=explained("ordinary interval", "Differences are of accuracies, in percentage points."),
        )
        for one in shown:
            if one.why:
                st.info(escape_markdown(f"{one.version.name}: {one.why}"), icon=":material/info:")
        if sum(one.reused is not None for one in history.versions) >= MANY:
            st.caption(
                "The best of many versions on the same labels looks better than it is. Confirm the one you choose with fresh "
                "labels."
            )


def headline(history: History) -> str:
    """What is known about the latest version that has a number."""
    numbered = [one for one in history.versions if one.reused is not None]
    if not numbered:
        return "No version has a number yet."
    return verdict(numbered[-1]) or f"{numbered[-1].version.name} is the first version."


def chart(shown: tuple[JudgedVersion, ...]) -> None:
    """The accuracy of each version with its interval, in their order."""
    ends = [None if one.reused is None else ends_of(one.reused.estimate, one.reused.headline) for one in shown]
    figure = version_history(
        [one.version.name for one in shown],
        [np.nan if one.reused is None else one.reused.estimate.accuracy for one in shown],
        [np.nan if one is None else one[0] for one in ends],
        [np.nan if one is None else one[1] for one in ends],
        [one.truth if one.truth is not None and truth_revealed() else np.nan for one in shown],
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, key="version history", alt="The accuracy of each version with its interval")


def changed(history: History, one: JudgedVersion) -> None:
    """The labeled inputs that got worse, and those that got better, as pictures."""
    if not one.earlier:
        return
    for what, rows in (("worse", one.worse), ("better", one.better)):
        st.subheader(f"What got {what}", anchor=False)
        if not rows:
            st.caption(f"No labeled input got {what}.")
            continue
        who = (one.before, one.version.name) if what == "worse" else (one.version.name, one.before)
        st.caption(
            escape_markdown(f"{counted(len(rows), 'labeled input')}: {who[0]} gets them right and {who[1]} does not.")
        )
        subject, inputs = project().subject(one.version.key), project().inputs(one.version.key)
        losses = np.full(len(inputs), np.nan)
        losses[list(rows)] = 1.0 if what == "worse" else 0.0
        name = f"got {what} {one.version.key}"
        count = how_many(name, SHOWN)
        why = {row: f"it is {history.labels[row].answer}" for row in rows}
        wall(rows[:count], subject, inputs, key=name, why=why, losses=losses, label=f"Inputs that got {what}")
        more_button(name, count, len(rows), SHOWN)


def by_class(history: History, one: JudgedVersion) -> None:
    """Accuracy by predicted class under this version and the one before, and which classes moved."""
    if not one.earlier:
        return
    st.subheader("Where it moved", anchor=False)
    state = one.version, one.earlier, tuple(plan.votes for plan in history.plans)
    kept: tuple[object, list[MovedClass]] | None = st.session_state.get("classes moved")
    if kept is None or kept[0] != state:
        kept = st.session_state["classes moved"] = state, classes_moved(project(), history, one)
    moved = kept[1]
    if not moved:
        return
    st.markdown(escape_markdown(classes_in_words(moved, one.version.name, one.before)))
    st.dataframe(
        [row_of_class(each) for each in moved],
        hide_index=True,
        placeholder=UNKNOWN,
        column_config={"Change": st.column_config.TextColumn(width="medium")},
    )
    st.caption(
        "Of the inputs that a version predicts as a class, the share that belong to it; the largest drop first. The "
        "ranges of the changes hold for all classes at once, for labels planned in advance.",
        help=explained("ordinary interval", "Changes are in percentage points."),
    )
