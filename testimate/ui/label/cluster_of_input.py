"""The cluster of the input under judgement, on request: what stands for it and what it represents badly, as pictures."""

from typing import TYPE_CHECKING

import streamlit as st

from testimate.project.cluster_settings import ClusterSettings, suited_settings
from testimate.reports.why_shown import place_words, role_words
from testimate.session.session import Session
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words

if TYPE_CHECKING:
    from testimate.project.clusters import ClusterView  # a part of a second to load, for what only few ask for

EVERY = 2.0
"""Seconds between two looks at the work."""

ACROSS = 6


def its_cluster_if_asked(session: Session, row: int | None) -> None:
    """A switch, and below it the cluster of the row; None: no input is under judgement."""
    asked = st.toggle(
        "Show its cluster",
        key="show its cluster",
        help="The prototypes and criticisms of the input's cluster, without what the network says of them.",
    )
    if not asked or row is None:
        return
    if not session.inputs.features:
        st.caption("There are no features of these inputs, so no clusters: open a model, or add a features file.")
        return
    settings = suited_settings(session.inputs)
    status = project().find_clusters(session.session_record.subject, settings)
    if status is None:
        pictures(project().clusters(session.session_record.subject, settings), session, row)
    elif status.state == "running":
        being_found(session.session_record.subject, settings)
    else:
        st.caption(
            escape_markdown(status.error or "Finding the clusters was stopped; the Clusters page begins it anew.")
        )


@st.fragment(run_every=EVERY)
@errors_in_words
def being_found(subject: str, settings: ClusterSettings) -> None:
    """The work, looked at until it is over; labeling goes on meanwhile."""
    status = project().find_clusters(subject, settings)
    if status is None or status.state != "running":
        st.rerun()
    st.caption(f"The clusters are being found: {status.seconds:.0f} s so far. You may go on labeling.")


def pictures(view: "ClusterView", session: Session, row: int) -> None:
    """Where the row lies, and its cluster's prototypes and criticisms."""
    words = [f"Input {row:,}", place_words(view, row), role_words(view, row)]
    st.markdown(escape_markdown(": ".join(words[:2]) + (f"; {words[2]}" if words[2] else "") + "."))
    if view.labels[row] < 0:
        st.caption("It belongs to no cluster, so none stands for it.")
        return
    card = view.cards[view.labels[row]]
    for title, rows in (("Prototypes", card.prototypes), ("Criticisms", card.criticisms)):
        if len(rows):
            st.caption(f"{title} of its {view.group}")
            gallery([Tile(session.show(one), f"{one:,}") for one in map(int, rows)], across=ACROSS, size=72)
