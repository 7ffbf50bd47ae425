"""Weak spots that nobody named: searched on request, with their numbers and faults, and fresh labels to confirm them."""

import numpy as np
import streamlit as st

from testimate.core.words import percent, spaced
from testimate.planning.weak_spots import CANDIDATES, WeakSpot
from testimate.project.cluster_review import traits_of
from testimate.reports.parts import confirmed_words, session_weak_spots
from testimate.session.session import Session
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.label_in_part import label_in_part

FRESH = 40
"""Labels that are offered to confirm a spot."""

PICTURES, ACROSS = 9, 9
COLUMN = "weak spot"
"""Beginning of the tags under which confirmed spots are stored."""


@st.fragment
@errors_in_words
def weak_spots(session: Session) -> None:
    """What one half of the labels finds and the other one measures."""
    subject = session.session_record.subject
    if not project().columns.has_descriptions(subject):
        st.markdown(
            "Looks for parts of the inputs that fail more often than the rest: by what the network says, by columns, "
            "tags and clusters, and by properties of pictures, texts and sounds, for which each input is opened once."
        )
        if not st.button("Look for weak spots", type="primary", icon=":material/search:"):
            return
        described(subject)
        st.rerun(scope="fragment")  # without the button
    traits = traits_of(project(), session)
    found = session_weak_spots(project(), session, traits)
    st.caption(
        f"{spaced(found.traits)} traits and their pairs were looked at. One half of the labels proposes up to {CANDIDATES} "
        "parts, the other half measures them, and a part is named only where chance alone would show any in at most one "
        "campaign of twenty."
    )
    if not found.spots:
        st.info(escape_markdown(found.why), icon=":material/task_alt:")
    for spot in found.spots:
        one_spot(session, spot)


def described(subject: str) -> None:
    """Describes each input, with progress."""
    place = st.empty()
    bar = place.progress(0.0, "Looking at the inputs …")

    def progress(done: int, total: int, what: str = "") -> None:
        bar.progress(min(1.0, done / max(total, 1)), f"{what[:1].upper()}{what[1:]}: {spaced(done)} of {spaced(total)}")

    project().columns.descriptions(subject, progress)
    place.empty()


def one_spot(session: Session, spot: WeakSpot) -> None:
    """The spot in words, with the faults found in it, and what fresh labels say."""
    with st.container(border=True):
        st.markdown(f"**{escape_markdown(spot.sentence())}**")
        faults_in(session, spot)
        if said := confirmed_words(project(), session, spot):
            st.markdown(escape_markdown(said))
        label_in_part(session, spot.rows, spot.words, accuracy=spot.estimate.value, count=FRESH, column=COLUMN)


def faults_in(session: Session, spot: WeakSpot) -> None:
    """Some of the faults found in it; nothing if there are none to show."""
    inputs, answers = session.inputs, session.answers()
    rows = np.intersect1d(spot.rows, list(answers))
    failed = [row for row in rows.tolist() if bool(inputs.task.failed([inputs.loss(row, answers[row])])[0])]
    tiles = []
    for row in failed[:PICTURES]:
        said = f"said {inputs.task.prediction_text(inputs.predictions[row])}"
        if inputs.confidence is not None and not inputs.task.numeric:
            said += f" ({percent(inputs.confidence[row], 0)})"
        tiles.append(
            Tile(session.show(row), f"{said}, is {inputs.task.answer_text(answers[row])}", help=inputs.name_of(row))
        )
    if tiles:
        gallery(tiles, across=ACROSS)
