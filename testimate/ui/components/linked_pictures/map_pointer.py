"""Shows the input under the pointer of a map at once: the inputs near it are sent along in advance."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from testimate.core.subject import Shown
from testimate.ui.components.joined_modules import joined
from testimate.ui.components.linked_pictures.small_views import look_to_json
from testimate.ui.components.messages import arrival, plain_row

_HERE = Path(__file__).parent

_pointer_component = st.components.v2.component(
    "testimate.map_pointer",
    html='<div class="pointer" hidden aria-hidden="true"></div>',
    css=(_HERE / "linked_pictures.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "map_pointer.js"),
)


def map_pointer(
    *,
    key: str,
    plot: str,
    name: str,
    near: Callable[[int], Sequence[int]],
    show: Callable[[int], Shown],
    lines: Callable[[int], Sequence[str]],
    count: int,
) -> None:
    """Shows the input whose point of the chart ``plot`` is under the pointer. Draw it in a fragment of its own.

    Parameters
    ----------
    plot : key of the chart; its points carry their row as customdata.
    name : of what is shown; a new name makes the browser forget what it holds.
    near : the rows to send when one is asked for, itself among them.
    show, lines : what a person sees of a row, and the lines beside it, the first in bold; untrusted text.
    count : number of inputs; other rows are not asked for.
    """
    asked = f"{key}: asked"

    def ask(row: int) -> None:
        if row < count:
            st.session_state[asked] = row

    row = st.session_state.get(asked)
    looks: dict[str, Any] = {}
    if isinstance(row, int) and row < count:
        looks = {str(one): {**look_to_json(show(one)), "lines": list(lines(one))} for one in near(row)}
    _pointer_component(
        key=key,
        data={"plot": plot, "name": name, "looks": looks},
        on_asked_change=arrival(key, "asked", plain_row, ask),
    )
