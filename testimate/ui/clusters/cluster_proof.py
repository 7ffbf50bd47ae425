"""The evidence for the clusters and their prototypes: other settings side by side, and the prototypes put to the test."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from testimate.charts.clusters import prototype_curve
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import counted, percent
from testimate.project.clusters import ClusterView
from testimate.project.found_clusters import ProvenPrototypes
from testimate.project.jobs import JobStatus
from testimate.structure.prototypes import ChoiceError
from testimate.structure.settings_table import SettingRow, advised
from testimate.ui.appearance import dark
from testimate.ui.clusters.cluster_settings import choose
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_walls import shown_inputs, wall
from testimate.ui.job_progress import running, show_running, show_unfinished
from testimate.ui.page_head import UNKNOWN

SHOWN = 24
"""Prototypes of each choice that are shown beside those of the other."""


def asked_for(job: str, button: str, begin: Callable[[], JobStatus], *, first_step: str, stopped: str) -> None:
    """A button that begins the work, or how far it is."""
    if running(job):
        show_running(job, first_step=first_step)
        return
    show_unfinished(job, stopped=stopped)
    if st.button(button, key=f"begin {job}"):
        begin()
        st.rerun()


def settings_study(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """Other settings side by side; a row that is clicked is taken. Faults are shown only if ``inputs`` hold the truth."""
    studies, settings = project().cluster_studies, view.settings
    st.subheader("Other settings", anchor=False, help=explained("min_cluster_size"))
    rows = studies.tried_settings(subject.key, settings)
    if rows is None:
        st.caption("Tries smaller and larger clusters on each layer, and compares number, separation and stability.")
        asked_for(
            studies.settings_job(subject.key, settings),
            "Try other settings",
            lambda: studies.try_settings(subject.key, settings),
            first_step="trying settings",
            stopped="The settings were not tried: you stopped it.",
        )
        return
    st.markdown(advice_words(rows, settings.features, settings.min_cluster_size))
    key = f"settings tried for {view.fingerprint}"

    def taken() -> None:
        chosen = st.session_state[key]["selection"]["rows"]
        if chosen:
            row = rows[chosen[0]]
            choose(subject, replace(settings, features=row.features, min_cluster_size=row.min_cluster_size))

    columns = {
        "in use": st.column_config.TextColumn("", width=44),
        "features": st.column_config.TextColumn("features", width=90),
        "size": st.column_config.NumberColumn("min_cluster_size", width=110),
        "clusters": st.column_config.NumberColumn("clusters", width=70),
        "outside": st.column_config.NumberColumn(
            "minority", format="%.1f%%", width=76, help=explained("minority space", "Share of the inputs.")
        ),
        "validity": st.column_config.NumberColumn("validity", format="%.2f", width=70, help=explained("validity")),
        "stability": st.column_config.TextColumn("stability", width=150, help=explained("stability")),
        "faults": st.column_config.NumberColumn(
            "faults outside", format="%.1f%%", width=100, help="Share of the faults in the minority space, known here."
        ),
    }
    table = pd.DataFrame([cells(row, settings.features, settings.min_cluster_size, inputs) for row in rows])
    st.dataframe(
        table.dropna(axis=1, how="all"),
        column_config=columns,
        hide_index=True,
        on_select=taken,
        selection_mode="single-row",
        key=key,
        placeholder=UNKNOWN,
    )
    st.caption("Choose a row to cluster by it.")


def cells(row: SettingRow, features: str, size: int, inputs: Inputs) -> dict[str, object]:
    """A row of the table."""
    stable = None
    if row.stability is not None:
        stable = f"{row.stability:.2f} ({row.lowest:.2f} to {row.highest:.2f})"
    return {
        "in use": "now" if (row.features, row.min_cluster_size) == (features, size) else "",
        "features": row.features,
        "size": row.min_cluster_size,
        "clusters": row.clusters,
        "outside": 100 * row.outside,
        "validity": row.validity,
        "stability": stable,
        "faults": None if row.faults_outside is None or inputs.losses is None else 100 * row.faults_outside,
    }


def advice_words(rows: Sequence[SettingRow], features: str, size: int) -> str:
    """Which setting to take, in a sentence."""
    best = advised(rows)
    if best is None:
        return "None of these settings tells the inputs apart. Other features may: choose them under Settings."
    if (best.features, best.min_cluster_size) == (features, size):
        return "**The settings in use are the best of these**, by stability and validity together."
    return (
        f"**Try {escape_markdown(best.features)} with min_cluster_size {best.min_cluster_size}**: {best.clusters} clusters, "
        f"the best of these by stability ({best.stability:.2f}) and validity ({best.validity:.2f}) together."
    )


def prototype_study(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """The prototypes put to the test; on the true classes only if ``inputs`` hold the truth."""
    studies, settings = project().cluster_studies, view.settings
    st.subheader("How good are the prototypes?", anchor=False, help=explained("MMD-critic"))
    found = studies.proven_prototypes(subject.key, settings)
    if found is None:
        st.caption("How much they leave unexplained, and whether they tell classes apart better than other choices do.")
        asked_for(
            studies.prototypes_job(subject.key, settings),
            "Put them to the test",
            lambda: studies.prove_prototypes(subject.key, settings),
            first_step="choosing prototypes of all inputs",
            stopped="The prototypes were not looked at: you stopped it.",
        )
        return
    proof = found.together
    st.plotly_chart(
        prototype_curve(proof.discrepancies, used=proof.used, elbow=proof.elbow, dark=dark()),
        theme=None,
        alt="Discrepancy that prototypes leave, against their number",
    )
    st.markdown(kernel_words(found))
    table = error_table(found, truth_shown=inputs.truth is not None)
    if not table.empty:
        st.dataframe(table, hide_index=True, column_config={"choice": st.column_config.TextColumn("", width=230)})
        st.caption(
            "Error of the nearest-prototype classifier (Kim et al. 2016, section 5.1): every input gets the class of the "
            f"nearest of {proof.used} prototypes."
        )
    both_choices(found, view, subject, inputs)


def both_choices(found: ProvenPrototypes, view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """The prototypes of all inputs at once, and beside them the first one of each cluster."""
    at_once, count = found.together.chosen[: found.together.used], len(view.cards)
    of_each = np.array([card.prototypes[0] for card in view.cards])
    sides = (
        ("Of all inputs at once", at_once, "in the order they were chosen"),
        (f"Of each {view.group}", of_each, "the first one"),
    )
    for part, (name, rows, order) in zip(st.columns(2, gap="large"), sides, strict=True):
        hung = rows[:SHOWN].tolist()
        why = {
            row: f"{view.group} {view.labels[row] + 1}" if view.labels[row] >= 0 else "minority space" for row in hung
        }
        some = f", {SHOWN} of {len(rows)}" if len(rows) > SHOWN else ""
        with part:
            st.markdown(f"**{name}**: {order}{some}")
            wall(shown_inputs(hung, subject, inputs, why=why), key=name, plot="map", size=62, label=name)
    held = len(np.setdiff1d(np.unique(view.labels[at_once]), [-1]))
    outside = int((view.labels[at_once] < 0).sum())
    st.caption(
        f"Chosen all at once, they come from {held} of {counted(count, view.group)}; {outside} of the {len(at_once)} "
        "are in the minority space."
    )


def kernel_words(found: ProvenPrototypes) -> str:
    """What the number, the kernel's width and choosing by cluster change, in sentences."""
    proof = found.together
    left = proof.discrepancies[proof.used - 1]
    return (
        f"The clusters have {found.apart} prototypes together; from {proof.elbow} on, further ones explain little "
        f"more. The same number, chosen from all inputs at once, leaves an MMD² of {plain(left)}, the clusters' own "
        f"leave {plain(found.apart_left)}. With a kernel half as wide {percent(proof.stay_half)} of them stay, with "
        f"one twice as wide {percent(proof.stay_twice)}."
    )


def plain(number: float) -> str:
    """Two significant digits, without an exponent.

    >>> plain(1.14e-05), plain(0.0), plain(0.25)
    ('0.000011', '0', '0.25')
    """
    return np.format_float_positional(number, precision=2, fractional=False, trim="-")


def error_table(found: ProvenPrototypes, *, truth_shown: bool) -> pd.DataFrame:
    """The errors of several choices of as many prototypes; empty without classes.

    ``truth_shown`` : whether the truth may be shown.
    """
    columns: list[tuple[str, ChoiceError | None, float | None]] = [
        ("predicted class", found.together.predicted, found.apart_error),
        ("true class", found.together.true if truth_shown else None, found.apart_true),
    ]
    rows: dict[str, dict[str, str]] = {}
    for name, error, apart in columns:
        if error is None or apart is None:
            continue
        spread = f"{percent(error.random)} ({percent(error.random_least)} to {percent(error.random_most)})"
        for choice, value in (
            ("prototypes of all inputs", percent(error.prototypes)),
            ("prototypes of each cluster", percent(apart)),
            ("k-medoids", percent(error.medoids)),
            ("random, 20 times", spread),
        ):
            rows.setdefault(choice, {"choice": choice})[name] = value
    return pd.DataFrame(list(rows.values()))
