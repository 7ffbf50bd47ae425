"""Why the network predicted this for one input: where it looked, what would have changed its answer, and similar inputs."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from testimate.charts.pictures import heat_picture
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.core.subject import Subject
from testimate.project.cluster_review import distances_to, nearest_prototype, neighbours
from testimate.project.cluster_settings import suited_settings
from testimate.reports.explained_words import enough_words, strongest_parts
from testimate.session.session import Session
from testimate.subjects.occlusion import Explained, explain
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.job_progress import EVERY, how_far, running, show_unfinished, start_over
from testimate.ui.technique_words import layer_words

PARTS = 8
"""How many words or columns are listed."""

AT_ONCE = 1.0
"""Seconds for which the page waits for an explanation before it shows how far it is."""


def explanation(
    row: int,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    *,
    blind: bool = False,
    shown_again: Callable[[], None] = lambda: None,
) -> None:
    """Asks for the explanation with a button, then shows it.

    ``blind`` : inputs are still being labeled, so those without a label stay unexplained. ``shown_again`` : called before the
    whole page is drawn again, which closes a dialog that nobody asks for.
    """
    st.markdown("**Why this answer?**")
    if subject.open_model is None:
        st.caption("A table has no model, so nothing can show where it looked.")
    else:
        looking(row, subject, inputs, shown_again)
    if inputs.features:
        alike(row, subject, inputs, session, blind=blind)


@st.fragment
@errors_in_words
def looking(row: int, subject: Subject, inputs: Inputs, shown_again: Callable[[], None]) -> None:
    """Where the network looked, or a button that asks; a part of the page of its own."""
    job = job_of(row, inputs)
    if running(job):
        looking_on(row, inputs, shown_again)
    else:
        seen_or_asked(row, subject, inputs)


@st.fragment(run_every=EVERY)
@errors_in_words
def looking_on(row: int, inputs: Inputs, shown_again: Callable[[], None]) -> None:
    """Shows how far it is, with a button to stop it; once it is over, the page is drawn again and this update ends."""
    job = job_of(row, inputs)
    status = project().jobs.status(job)
    if status is None or status.state != "running":
        shown_again()
        st.rerun()
    step = escape_markdown(status.what or "covering parts of the input")
    share = status.done / status.total if status.total else 0.0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, share), text=f"{step[:1].upper()}{step[1:]} · {how_far(status)}")
        st.button(
            "Stop", icon=":material/stop:", key=f"stop explaining {row}", on_click=project().jobs.cancel, args=(job,)
        )


def seen_or_asked(row: int, subject: Subject, inputs: Inputs) -> None:
    """What was found; else why there is nothing, and the button that asks for it."""
    job = job_of(row, inputs)
    found = project().explanations.of(inputs.fingerprint, row)
    if found is not None:
        where_it_looked(found, row, subject, inputs)
        return
    status = project().jobs.status(job)
    if status is not None:
        show_unfinished(job, stopped="Stopped before it was whole, so nothing is shown.")
    asked = "See where it looked" if status is None else "Try again"
    st.button(
        asked,
        key=f"explain {row}",
        icon=":material/visibility:",
        on_click=ask_where_it_looked,
        args=(row, subject, inputs),
    )


def job_of(row: int, inputs: Inputs) -> str:
    """The name of the job that explains an input."""
    return f"explain {inputs.fingerprint} {row}"


def ask_where_it_looked(row: int, subject: Subject, inputs: Inputs) -> None:
    """Asks the model in the background, so that it can be stopped; waits a moment, in which small inputs are done."""
    kept, job = project().explanations, job_of(row, inputs)

    def work(progress: Progress) -> None:
        kept.keep(inputs.fingerprint, row, explain(subject, row, progress=progress))

    start_over(job, work)
    project().jobs.wait(job, AT_ONCE)


def where_it_looked(found: Explained, row: int, subject: Subject, inputs: Inputs) -> None:
    """The picture with its shade, or the words and columns that matter most, and what is enough to change the answer."""
    shown = subject.dataset.show(row)
    if found.kind == "picture" and shown.image is not None:
        st.image(
            heat_picture(shown.image, found.effect, found.enough), width=280, alt="The picture, shaded where it matters"
        )
        less, more = ("its number falls", "it rises") if inputs.task.numeric else ("it is less sure", "it is more sure")
        frame = "" if found.enough is None else " The frame is the smallest square tried that changes the answer."
        st.caption(f"Orange: with this covered, {less}, so the network looked here. Blue: {more}.{frame}")
    else:
        header = "its number falls by" if inputs.task.numeric else "its probability falls by"
        parts = strongest_parts(found, PARTS, numeric=inputs.task.numeric)
        rows = [{"without": part, header: falls} for part, falls in parts]
        st.dataframe(rows, hide_index=True, height="content")
    st.markdown(escape_markdown(enough_words(found)))


def alike(row: int, subject: Subject, inputs: Inputs, session: Session | None, *, blind: bool) -> None:
    """The nearest inputs in the features with what they are, and the nearest prototypes of the classes in question."""
    role = suited_settings(inputs).features
    distances = distances_to(row, inputs.feature(role))
    near = neighbours(row, distances)
    st.markdown(f"**Nearest to it, by the {escape_markdown(layer_words(role))}**")
    tiles = [Tile(subject.dataset.show(one.row), what_it_is(one.row, inputs, session, blind=blind)) for one in near]
    gallery(tiles, across=6, size=72)
    task = inputs.task
    if blind or not inputs.single_class:
        return
    view = project().clusters_if_found(subject.key, suited_settings(inputs))
    if view is None:
        st.caption("Open Clusters once to see the nearest prototypes here as well.")
        return
    taken_for, own = int(inputs.predictions[row]), own_class(row, inputs, session)
    classes = {taken_for: "the predicted class"}
    if own is not None and own != taken_for:
        classes[own] = "the true class"
    tiles = []
    for place, words in classes.items():
        found = nearest_prototype(place, row, view, inputs, distances)
        if found is not None:
            tiles.append(
                Tile(subject.dataset.show(found.row), f"{task.classes[place]}, {words}: distance {found.distance:.3g}")
            )
    if tiles:
        st.markdown("**Nearest prototypes**")
        gallery(tiles, across=4, size=72)


def own_class(row: int, inputs: Inputs, session: Session | None) -> int | None:
    """The class the input is, by a tester's answer or else by the truth where it is known."""
    answers = answers_of(session)
    if row in answers:
        return int(answers[row])
    return None if inputs.truth is None else int(inputs.truth[row])


def what_it_is(row: int, inputs: Inputs, session: Session | None, *, blind: bool) -> str:
    """What the network predicts for a neighbour and what it is, if that is known; ``blind``: only for labeled ones."""
    answers = answers_of(session)
    said = f"said {inputs.task.prediction_text(inputs.predictions[row])}"
    if row in answers:
        return f"{said}, is {inputs.task.answer_text(answers[row])}"
    if blind:
        return "not labeled"
    return said if inputs.truth is None else f"{said}, is {inputs.task.truth_text(inputs.truth[row])}"


def answers_of(session: Session | None) -> dict[int, Any]:
    """Every answer that counts, planned or exploring."""
    return {} if session is None else {**session.explored(), **session.answers()}
