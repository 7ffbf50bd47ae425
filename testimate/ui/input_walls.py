"""Walls of inputs: what the network predicts for each, whether it is wrong, and why it is shown."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import commas, percent
from testimate.session.session import Session
from testimate.ui.components.linked_pictures import Hung, picture_wall
from testimate.ui.components.shown_input import picture_width
from testimate.ui.input_dialog import look_closer


def said(row: int, inputs: Inputs) -> str:
    """What the network predicts for one input, short; of a multi-label task that may be no label at all."""
    words = inputs.task.prediction_text(inputs.predictions[row])
    return words if inputs.confidence is None else f"{words} · {percent(inputs.confidence[row], 0)}"


def losses_known(inputs: Inputs, session: Session | None) -> NDArray[np.float64]:
    """The loss of every input that a tester answered, in the plan or exploring, (N,); nan elsewhere."""
    losses = np.full(len(inputs), np.nan)
    if session is not None and session.inputs.fingerprint == inputs.fingerprint:
        answers = {**session.explored(), **session.answers()}
        losses[list(answers)] = inputs.losses_of(answers)
    return losses


def shown_inputs(
    rows: Sequence[int] | NDArray[np.intp],
    subject: Subject,
    inputs: Inputs,
    *,
    why: Mapping[int, str] | None = None,
    more: Mapping[int, Sequence[str]] | None = None,
    losses: NDArray[np.float64] | None = None,
) -> list[Hung]:
    """Return the inputs as a wall shows them, with ``why`` under each and ``more`` on hover.

    ``losses`` : (N,) as testers found them; the truth where it is known comes first.
    """
    known = inputs.losses if inputs.losses is not None else losses
    return [
        Hung(
            row=row,
            shown=subject.dataset.show(row),
            title=said(row, inputs),
            why=(why or {}).get(row, ""),
            more="; ".join([f"input {commas(row)}", *(more or {}).get(row, ())]),
            mark=mark(row, inputs, known),
        )
        for row in map(int, rows)
    ]


def wall(
    hung: Sequence[Hung], *, key: str, plot: str = "", size: int = 84, in_a_line: bool = False, label: str = ""
) -> None:
    """Shows the inputs; a click asks for a closer look.

    ``in_a_line`` : wide pictures are as wide as square ones, so that a line holds equally many.
    """
    width = picture_width(hung[0].shown, size) if hung and not in_a_line else size
    picture_wall(hung, key=key, on_pick=look_closer, plot=plot, size=width, label=label)


def mark(row: int, inputs: Inputs, losses: NDArray[np.float64] | None) -> Any:
    """Whether the input is known to be wrong or right."""
    if losses is None or np.isnan(losses[row]):
        return ""
    return "failed" if bool(inputs.task.failed(losses[row : row + 1])[0]) else "right"


def more_button(name: str, shown: int, total: int, step: int) -> None:
    """If not all inputs are shown yet: a button for more of them."""
    if shown < total:
        key = f"{name}: how many"
        words = f"Show more ({commas(shown)} of {commas(total)})"
        st.button(words, key=f"{name}: more", on_click=lambda: st.session_state.update({key: shown + step}))


def how_many(name: str, start: int) -> int:
    """How many inputs a wall that can grow shows."""
    return int(st.session_state.get(f"{name}: how many", start))
