"""Plain buttons with the same events as the labeling surface, for screen readers, AppTest and sites without scripts."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import streamlit as st

from testimate.charts.pictures import boxed_picture, series_png
from testimate.core.errors import BadInput
from testimate.core.session_record import REASON, Event, EventKind
from testimate.core.stored_record import time_now
from testimate.core.subject import Shown
from testimate.core.task import Task
from testimate.core.words import commas
from testimate.ui.components.answer_widgets import box_answer, criteria_answer, member_words, members, outside_name
from testimate.ui.components.labeling_surface.view import QueuedInput, SurfaceView, not_displayable
from testimate.ui.components.page_scripts import spoken_status
from testimate.ui.components.untrusted_text import escape_markdown, shown_text

MOST_BUTTONS = 12
"""With more classes than this, a list to choose from replaces the buttons."""


def fallback_buttons(view: SurfaceView, *, key: str, on_event: Callable[[Event], None]) -> None:
    """Shows the first input of the queue with plain widgets; each click is one event for the input shown at that moment.

    ``on_event`` is called before the script runs again; it stores the event and does not raise.
    """

    def record(kind: EventKind, row: int, position: int, answer: Any = None, note: str | None = None) -> None:
        detail: dict[str, Any] = {"position": position, "prediction_shown": view.predictions_shown}
        if note is not None:
            detail["note"] = note
        reason = str(st.session_state.get(f"{key} {row} reason", "")).strip()
        if kind == "answer" and reason:
            detail[REASON] = reason
        at = time_now("milliseconds")
        on_event(Event(str(uuid4()), kind, row, view.tester, at, answer=answer, detail=detail))

    spoken_status(_where_we_are(view), row=view.queue[0].row if view.queue else None, key=f"{key} said")
    for words in (view.offline_error, *view.refused.values()):
        if words:
            st.error(escape_markdown(words))
    if not view.queue:
        st.info(escape_markdown(view.finished_words) if view.finished else view.waiting_words)
    else:
        _ask(view, view.queue[0], key, record)
    if view.history:
        last = view.history[-1]
        st.button(
            f"Undo input {commas(last.row)}: {escape_markdown(last.label)}",
            key=f"{key} undo {last.row}",
            on_click=record,
            args=("undo", last.row, last.position),
        )


def _where_we_are(view: SurfaceView) -> str:
    """How far the session is, what was answered last, and which input is to be answered now."""
    last = f" Input {view.history[-1].row}: {view.history[-1].label}." if view.history else ""
    now = f" Now input {view.queue[0].row}." if view.queue else ""
    return f"{commas(view.done)} of {commas(view.planned)} done.{last}{now}"


def _ask(view: SurfaceView, item: QueuedInput, key: str, record: Callable[..., None]) -> None:
    """The input with its answers and actions. Widget keys hold the row, so that no click can reach another input."""
    name = f"{key} {item.row}"
    _show(item)
    if view.predictions_shown and item.prediction is not None:
        st.markdown(f"The model says {escape_markdown(item.prediction)}.")
    if view.reasons:
        needed = ", ".join(view.task.classes[place] for place in sorted(view.reasons))
        st.text_input(f"Reason, needed for: {escape_markdown(needed)}", key=f"{name} reason", max_chars=2000)
    if view.task.one_choice and len(view.task.classes) <= MOST_BUTTONS:
        with st.container(horizontal=True):
            for place, label in enumerate(view.task.classes):
                args = ("answer", item.row, item.position, place)
                st.button(escape_markdown(label), key=f"{name} class {place}", on_click=record, args=args)
        if view.task.outside:
            _ask_outside(view.task, item, name, record)
    elif view.task.criteria:
        given = criteria_answer(view.task, key=name)
        st.button(
            "Save the answer",
            key=f"{name} store",
            disabled=given is None,
            on_click=record,
            args=("answer", item.row, item.position, given),
        )
    elif view.task.boxed:
        st.button(
            "Save the answer",
            key=f"{name} store",
            on_click=record,
            args=("answer", item.row, item.position, box_answer(view.task, item.shown.boxes, key=name)),
        )
    else:
        _ask_by_form(view.task, item, name, record)
    others: tuple[tuple[EventKind, str], ...] = (("cannot tell", "Can't tell"), ("skip", "Skip, come back later"))
    with st.container(horizontal=True):
        for kind, words in others:
            st.button(words, key=f"{name} {kind}", on_click=record, args=(kind, item.row, item.position))

    def flag() -> None:
        record("flag", item.row, item.position, note=str(st.session_state[f"{name} note"]))

    st.text_input("Note", key=f"{name} note", max_chars=2000)
    st.button("Flag with this note", key=f"{name} flag", on_click=flag)


def _ask_by_form(task: Task, item: QueuedInput, name: str, record: Callable[..., None]) -> None:
    """A number, one of many classes, several classes, or a text that the task reads, stored by a button."""
    if not task.by_name:
        st.text_input(f"Answer {escape_markdown(task.unit)}".strip(), key=f"{name} answer")
        if f"{name} refused" in st.session_state:
            st.error(escape_markdown(st.session_state[f"{name} refused"]))
    else:
        choose: Callable[..., Any] = st.multiselect
        if task.one_choice:
            choose = st.selectbox
        empty = {"index": None} if task.one_choice else {}
        choose("Class", members(task), format_func=member_words(task), key=f"{name} answer", **empty)
        if task.outside:
            outside_name(task, f"{name} outside")

    def answer() -> None:
        value = st.session_state[f"{name} answer"]
        if not task.by_name:
            try:
                value = task.entered_answer(value)
            except BadInput as error:
                st.session_state[f"{name} refused"] = str(error)
                return
        typed = str(st.session_state.get(f"{name} outside", ""))
        if isinstance(value, list):
            value = [typed if one == "" else one for one in value]
        elif value == "":
            value = typed
        if value is not None:
            record("answer", item.row, item.position, value)

    st.button("Save the answer", key=f"{name} store", on_click=answer)


def _ask_outside(task: Task, item: QueuedInput, name: str, record: Callable[..., None]) -> None:
    """What is none of the classes, with a name if the tester types one."""

    def answer() -> None:
        record("answer", item.row, item.position, str(st.session_state.get(f"{name} outside", "")))

    st.button(task.outside.capitalize(), key=f"{name} class outside", on_click=answer)
    outside_name(task, f"{name} outside")


def _show(item: QueuedInput) -> None:
    _show_one(item, item.shown)
    if item.why:
        st.caption(escape_markdown(f"Why: {item.why}"))


def _show_one(item: QueuedInput, shown: Shown) -> None:
    if shown.panes:
        for pane in shown.panes:
            st.caption(pane.title)
            _show_one(item, pane.shown)
    elif shown.image is not None:
        image = boxed_picture(shown.image, shown.boxes) if shown.boxes else shown.image
        name = f"Input {commas(item.row)}"
        st.image(image, width=480 if shown.boxes else 320, caption=name, alt=name)
    elif shown.audio is not None:
        st.caption(f"Input {commas(item.row)}")
        st.audio(shown.audio, format="audio/wav")
    elif shown.series is not None:
        st.image(series_png(shown.series.values), caption=f"Input {commas(item.row)}", alt=f"Input {commas(item.row)}")
    elif shown.text is not None:
        st.text(shown_text(shown.text))
    elif shown.cells:
        cells = [(escape_markdown(name), escape_markdown(shown_text(value))) for name, value in shown.cells]
        st.table({"column": [name for name, _ in cells], "value": [value for _, value in cells]}, hide_header=True)
    else:
        raise not_displayable(item.row, shown)
