"""A question about how a file is read: each answer with what the first rows would be then, taken by one click."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from testimate.core.errors import ReadingUnclear, TestimateError, Way
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import counted, percent
from testimate.ui.components.untrusted_text import escape_markdown, with_names

FIRST = 3
"""Rows of a preview."""


def chosen_way(unclear: ReadingUnclear, read: Callable[[Way], Subject | TestimateError], *, key: str) -> Way | None:
    """Asks how a table is to be read that may be read in several ways; None until that is chosen.

    ``read`` : the table read in one of the ways, for its preview.
    """
    taken: int | None = st.session_state.get(key)
    if taken is not None and taken < len(unclear.ways):
        with st.container(horizontal=True, vertical_alignment="center"):
            said = unclear.ways[taken].words
            st.markdown(f"{escape_markdown(unclear.question)} **{with_names(said)}**", width="content")
            st.button(
                "Ask again", key=f"{key} again", type="tertiary", on_click=partial(st.session_state.pop, key, None)
            )
        return unclear.ways[taken]
    ask(unclear, take=partial(_take, key), key=key, preview=lambda way: _preview(read(way)))
    return None


def ask(
    unclear: ReadingUnclear, *, take: Callable[[int], None], key: str, preview: Callable[[Way], None] | None = None
) -> None:
    """The question with a button for each way, which takes the way's place; above it what ``preview`` writes."""
    with st.container(border=True, key="reading question"):
        st.markdown(f":orange[:material/help:] **{escape_markdown(unclear.question)}** {with_names(unclear.found)}")
        for start in range(0, len(unclear.ways), 2):
            for place, column in enumerate(st.columns(2, gap="large"), start):
                if place < len(unclear.ways):
                    with column:
                        _offer(unclear.ways[place], partial(take, place), f"{key} {place}", preview)


def _offer(way: Way, take: Callable[[], None], key: str, preview: Callable[[Way], None] | None) -> None:
    st.markdown(begun(way))
    if preview is not None:
        preview(way)
    st.button("Read it this way", key=key, on_click=take, help=escape_markdown(way.words))


def begun(way: Way) -> str:
    """What a way is, in Markdown, begun as a sentence is; the name of a column stays as it is written."""
    words = with_names(way.words)
    named = any(kind == "columns" and way.words.startswith(pair[1]) for kind, pair in way.changes)
    return words if named else words[:1].upper() + words[1:]


def _preview(found: Subject | TestimateError) -> None:
    """What the first rows are in a way."""
    if isinstance(found, ReadingUnclear):
        st.caption(f"Then you are asked: {escape_markdown(found.question)}")
    elif isinstance(found, TestimateError):
        st.caption(escape_markdown(str(found)))
    elif found.inputs is not None:
        st.dataframe(_first_rows(found, found.inputs), hide_index=True, width="stretch")
        if found.inputs.known_accuracy is not None:
            measure, count = found.task.measure, counted(len(found.inputs), "row")
            st.caption(f"{measure.title} {measure.brief(found.inputs.known_accuracy)} on {count}")


def _take(key: str, place: int) -> None:
    st.session_state[key] = place


def _first_rows(found: Subject, inputs: Inputs) -> list[dict[str, str]]:
    """What is predicted or judged in the first rows, how surely, and the truth where it is known."""
    rows = []
    for row in range(min(FIRST, len(inputs))):
        one = {"prediction": inputs.task.prediction_text(inputs.predictions[row])}
        if not one["prediction"]:  # people judge an output
            panes = found.dataset.show(row).panes
            one = {pane.title if pane.further else pane.title.lower(): pane.shown.text or "" for pane in panes}
        if inputs.confidence is not None:
            one["confidence"] = percent(inputs.confidence[row])
        if inputs.truth is not None:
            one["truth"] = inputs.task.truth_text(inputs.truth[row])
        rows.append(one)
    return rows
