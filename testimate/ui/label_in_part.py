"""More labels inside a part of the inputs, a number of them or until its interval is narrow enough, in a session of its own."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.session_record import HALF_WIDTH
from testimate.core.words import spaced
from testimate.project.labeled_parts import is_of_selection
from testimate.project.selections import known_losses, label_in_slice, labels_for, members_digest, top_ups_of
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.pages import LABEL

SOME = 20
"""Labels that say something about a part and are quickly given."""

COUNT, WIDTH = "a number of labels", "until the interval is narrow"


def label_in_part(
    session: Session,
    rows: NDArray[np.intp],
    called: str,
    *,
    accuracy: float | None,
    count: int = SOME,
    column: str = "",
) -> None:
    """One line with a button; the session that it starts opens on Label.

    ``rows`` : of the part. ``called`` : its name, untrusted text. ``accuracy`` : what is known about it, or None.
        ``count`` : the number offered first. ``column`` : for a part that is not in a column yet, the one to store it
        in as a tag.
    """
    key = f"label in part {session.session_record.id} {called}"
    record = session.session_record
    for open_ in open_top_ups(session, rows):
        with st.container(horizontal=True, vertical_alignment="center"):
            done = f"{spaced(open_.counts().done)} of {spaced(open_.planned)}"
            st.markdown(escape_markdown(f"{called}: {done} fresh labels given."))
            if st.button("Go on labeling", key=f"go on {open_.session_record.id}", icon=":material/play_arrow:"):
                go(LABEL, subject=record.subject, session=open_.session_record.id)
        return
    left = len(rows) - len(np.intersect1d(rows, list(known_losses(project(), record.subject))))
    if not left:
        st.caption(escape_markdown(f"{called}: every input of it is labeled."))
        return
    st.markdown(escape_markdown(f"Label more in {called}, {spaced(left)} inputs of which have no label:"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = st.segmented_control("Label more", [COUNT, WIDTH], default=COUNT, required=True, key=f"{key} how")
        half_width = HALF_WIDTH
        if how == COUNT:
            wanted: int | None = int(
                st.number_input("Labels", 1, left, min(count, left), key=f"{key} count", width=120)
            )
        else:
            points = st.number_input(
                "Within ± points", 0.5, 50.0, 10.0, 0.5, format="%.1f", key=f"{key} points", width=140
            )
            half_width = float(points) / 100
            wanted = labels_for(half_width, left, accuracy, level=record.level)
        words = f"Label {spaced(wanted)} here" if wanted else "Label all of them"
        if st.button(words, key=f"{key} start", icon=":material/label:"):
            start(session, rows.tolist(), wanted or left, called, half_width, column)
    st.caption(
        "Drawn at random inside this part, in a session of their own, and combined here with its labels so far. The estimate "
        "of the whole set stays as it is."
    )


def start(session: Session, rows: Sequence[int], count: int, called: str, half_width: float, column: str) -> None:
    """Begins the session and opens it."""
    from testimate.project.selections import keep_selection
    from testimate.ui.member import present_member

    subject = session.session_record.subject
    if column:
        keep_selection(project(), subject, rows, called[:80], column=column, tester=present_member().name)
    new = label_in_slice(project(), session, rows, count, called=called, half_width=half_width)
    go(LABEL, subject=subject, session=new.session_record.id)


def open_top_ups(session: Session, rows: NDArray[np.intp]) -> list[Session]:
    """The sessions inside this part that have inputs left to label."""
    there = top_ups_of(project(), session).get(members_digest(np.sort(rows)), [])
    return [one for one in there if is_of_selection(one.session_record) and not one.finished]
