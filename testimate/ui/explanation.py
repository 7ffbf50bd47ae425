"""Why the network predicted this for one input: where it looked, what would have changed its answer, and similar inputs."""

from typing import Any

import streamlit as st

from testimate.charts.heat_picture import heat_picture
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.rounding import spaced
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.project.alike import distances_to, nearest_prototype, neighbours
from testimate.project.cluster_settings import suited_settings
from testimate.reports.explained_words import enough_words, strongest_parts
from testimate.session.session import Session
from testimate.subjects.occlusion import Explained, explain
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project

PARTS = 8
"""How many words or columns are listed."""


def explanation(row: int, subject: Subject, inputs: Inputs, session: Session | None, *, blind: bool = False) -> None:
    """Asks for the explanation with a button, then shows it.

    ``blind`` : inputs are still being labeled, so those without a label stay unexplained.
    """
    st.markdown("**Why this answer?**")
    found = project().explanations.of(inputs.fingerprint, row)
    if subject.open_model is None:
        st.caption("A table has no model, so nothing can show where it looked.")
    elif found is None and st.button("See where it looked", key=f"explain {row}", icon=":material/visibility:"):
        found = explained_with_progress(subject, row)
        if found is not None:
            project().explanations.keep(inputs.fingerprint, row, found)
    if found is not None:
        where_it_looked(found, row, subject, inputs)
    if inputs.features:
        alike(row, subject, inputs, session, blind=blind)


def explained_with_progress(subject: Subject, row: int) -> Explained | None:
    """The explanation, with its progress shown; None if it failed, and then the reason is shown."""
    place = st.empty()
    bar = place.progress(0.0, "Covering parts of the input …")

    def progress(done: int, total: int, what: str = "") -> None:
        words = f"{what[:1].upper()}{what[1:]}: {spaced(done)} of {spaced(total)} copies"
        bar.progress(min(1.0, done / max(total, 1)), words)

    try:
        return explain(subject, row, progress=progress)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    finally:
        place.empty()


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
    st.markdown(f"**Nearest to it in the features ({escape_markdown(role)})**")
    tiles = [Tile(subject.dataset.show(one.row), what_it_is(one.row, inputs, session, blind=blind)) for one in near]
    gallery(tiles, across=6, size=72)
    task = inputs.task
    if blind or not isinstance(task, Classification) or inputs.predictions.ndim != 1:
        return
    view = project().clusters_at_hand(subject.key, suited_settings(inputs))
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
