"""The inputs of one stratum, to see what they have in common."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.reports.plurals import counted
from testimate.reports.why_shown import plan_words
from testimate.session.session import Session
from testimate.ui.closer_look import closer_look_if_asked
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_walls import how_many, losses_known, more_button, wall

WALL = 24
ORDERS = ("at random", "largest first", "smallest first")


@st.fragment
@errors_in_words
def stratum_inputs(
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    scores: NDArray[np.float64],
    strata: NDArray[np.intp],
    name: str,
) -> None:
    """A stratum to choose, and its inputs; ``strata`` (N,) counts from 0, ``name`` is the auxiliary variable's."""
    st.subheader("The inputs of a stratum", anchor=False)
    count = int(strata.max()) + 1
    left, right = st.columns([5, 2], vertical_alignment="bottom")
    chosen = left.segmented_control(
        "Stratum",
        range(count),
        default=count - 1,
        required=True,
        format_func=lambda stratum: str(stratum + 1),
        key=f"stratum of {count}",
        help="By rising auxiliary variable: the last one holds the inputs most likely to fail.",
    )
    stratum = count - 1 if chosen is None else int(chosen)
    order = right.selectbox("Order", ORDERS, key="stratum order")
    inside = np.flatnonzero(strata == stratum)
    st.markdown(facts(inside, inputs, scores))
    st.caption(escape_markdown(f"Below each input stand what the network says of it and its {name}."))
    shelf = f"stratum {stratum} {order}"
    rows = arranged(inside, scores, order)[: how_many(shelf, WALL)].tolist()
    why = {
        row: (f"stratum {stratum + 1} of {count}", f"its {name} is {scores[row]:.4g}", plan_words(session, row))
        for row in rows
    }
    told = {row: tuple(line for line in lines if line) for row, lines in why.items()}
    under = {row: f"{scores[row]:.3g}" for row in rows}
    losses = losses_known(inputs, session)
    wall(
        rows,
        subject,
        inputs,
        key="stratum",
        why=under,
        more=told,
        losses=losses,
        size=72,
        label="Inputs of the stratum",
    )
    more_button(shelf, len(rows), len(inside), WALL)
    closer_look_if_asked(subject, inputs, session, told)


def arranged(rows: NDArray[np.intp], scores: NDArray[np.float64], order: str) -> NDArray[np.intp]:
    """The rows in that order; "at random" is the same at every look."""
    if order == "at random":
        return np.random.default_rng(0).permutation(rows)
    sign = -1 if order == "largest first" else 1
    return rows[np.argsort(sign * scores[rows], kind="stable")]


def facts(rows: NDArray[np.intp], inputs: Inputs, scores: NDArray[np.float64]) -> str:
    """What the stratum holds, in a sentence."""
    told = f"{counted(len(rows), 'input')}, from {scores[rows].min():.4g} to {scores[rows].max():.4g}."
    if inputs.losses is not None:
        failed = int(inputs.task.failed(inputs.losses[rows]).sum())
        told += f" {failed:,} of them fail, known here."
    return told
