"""What the network meets but does not know: inputs that are none of its classes, by name and as pictures."""

import numpy as np
import streamlit as st

from testimate.core.words import counted, percent
from testimate.reports.outside import outside_of
from testimate.session.session import Session
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown

PICTURES, ACROSS = 18, 9

MOST_LISTED = 100
"""Names in the table, the commonest; what lists more of them is read by nobody and sent with every click."""


def outside(session: Session) -> None:
    """The section; nothing while no label is none of the classes."""
    found = outside_of(session)
    if found is None:
        return
    st.subheader("What it meets but does not know", anchor=False)
    words = found.words(session)
    st.write(escape_markdown(words[:1].upper() + words[1:]))
    lines = [
        {
            session.inputs.task.outside.capitalize(): one.name or "without a name",
            "Labels": len(one.rows),
            "Taken for": one.taken_words,
        }
        for one in found.named[:MOST_LISTED]
    ]
    st.dataframe(lines, hide_index=True, height="content" if len(lines) <= 8 else 320)
    if len(found.named) > MOST_LISTED:
        st.caption(f"{counted(len(found.named) - MOST_LISTED, 'more name')}. All are in the labels.")
    gallery(tiles(session, found.rows), across=ACROSS)


def tiles(session: Session, rows: tuple[int, ...]) -> list[Tile]:
    """Those of which the network was most sure first."""
    inputs, answers = session.inputs, session.answers()
    order = np.array(rows, dtype=np.intp)
    if inputs.confidence is not None:
        order = order[np.argsort(-inputs.confidence[order], kind="stable")]
    made = []
    for row in order[:PICTURES].tolist():
        sure = "" if inputs.confidence is None else f" ({percent(inputs.confidence[row], 0)})"
        said = f"said {inputs.task.prediction_text(inputs.predictions[row])}{sure}"
        names = ", ".join(filter(None, inputs.task.names_outside(answers[row])))
        made.append(Tile(session.show(row), f"{said}, is {names}" if names else said, help=inputs.name_of(row)))
    return made
