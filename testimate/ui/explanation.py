"""Why the network said what it said of one input: where it looked, what would have changed its answer, and what is like it."""

import numpy as np
import pandas as pd
import streamlit as st

from testimate.charts.heat_picture import heat_picture
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.rounding import percent, points, spaced
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.project.alike import distances_to, nearest_prototype, neighbours
from testimate.project.cluster_settings import suited_settings
from testimate.session.session import Session
from testimate.subjects.occlusion import Explained, explain
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project

KEPT = "explained inputs"
MOST_KEPT = 30
PARTS = 8
"""Words or columns that are listed."""


def explanation(row: int, subject: Subject, inputs: Inputs, session: Session | None) -> None:
    """Asks for the explanation with a button, then shows it."""
    kept: dict[tuple[str, int], Explained] = st.session_state.setdefault(KEPT, {})
    name = (inputs.fingerprint, row)
    st.markdown("**Why this answer?**")
    if subject.open_model is None:
        st.caption("A table has no model that could be asked where it looked.")
    elif name not in kept and st.button("See where it looked", key=f"explain {row}", icon=":material/visibility:"):
        found = explained_with_progress(subject, row)
        if found is not None:
            while len(kept) >= MOST_KEPT:
                kept.pop(next(iter(kept)))
            kept[name] = found
    if name in kept:
        where_it_looked(kept[name], row, subject, inputs)
    if inputs.features:
        alike(row, subject, inputs, session)


def explained_with_progress(subject: Subject, row: int) -> Explained | None:
    """The explanation, its work shown as it goes; None where it failed, which is then said."""
    place = st.empty()
    bar = place.progress(0.0, "Covering parts of the input …")

    def progress(done: int, total: int, what: str = "") -> None:  # noqa: ARG001 - there is one kind of step
        bar.progress(
            min(1.0, done / max(total, 1)), f"Covering parts of the input: {spaced(done)} of {spaced(total)} copies"
        )

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
        st.image(heat_picture(shown.image, found.effect, found.enough), width=280)
        st.caption(
            "Orange: covered, the network is less sure of its answer, so it looked there. Blue: covered, it is surer. The "
            "frame is the smallest square tried that changes the answer."
        )
    else:
        st.dataframe(strongest(found, inputs), hide_index=True, height="content")
    st.markdown(escape_markdown(enough_words(found)))


def strongest(found: Explained, inputs: Inputs) -> pd.DataFrame:
    """The parts with the largest effects, the largest first."""
    order = np.argsort(-np.abs(found.effect), kind="stable")[:PARTS]
    numeric = inputs.task.numeric
    header = "its number falls by" if numeric else "its chance falls by"
    told = [f"{found.effect[place]:.4g}" if numeric else points(float(found.effect[place])) for place in order]
    return pd.DataFrame({"without": [found.parts[place] for place in order], header: told})


def enough_words(found: Explained) -> str:
    """What would have been enough to change the answer, in a sentence."""
    if found.enough is None:
        return f"Nothing that was covered changes the answer ({spaced(found.runs)} copies of the input were tried)."
    if found.kind == "picture":
        left, top, right, bottom = found.enough
        return (
            f"A square of {right - left} x {bottom - top} pixels ({percent(found.share)} of the picture) is enough: with it "
            f"covered, the network says {found.then}."
        )
    names = ", ".join(found.parts[place] for place in found.enough)
    return f"Without {names} the network says {found.then}."


def alike(row: int, subject: Subject, inputs: Inputs, session: Session | None) -> None:
    """The nearest inputs in the features with what they are, and the nearest prototypes of the classes in question."""
    role = suited_settings(inputs).features
    distances = distances_to(row, inputs.feature(role))
    near = neighbours(row, distances)
    st.markdown(f"**Nearest to it in the features ({escape_markdown(role)})**")
    gallery(
        [Tile(subject.dataset.show(one.row), what_it_is(one.row, inputs, session)) for one in near], across=6, size=72
    )
    task = inputs.task
    if not isinstance(task, Classification) or inputs.predictions.ndim != 1:
        return
    view = project().clusters_at_hand(subject.key, suited_settings(inputs))
    if view is None:
        st.caption("Open Clusters once to see the prototypes nearest to it, too.")
        return
    own, tiles = own_class(row, inputs, session), []
    for place, words in ((int(inputs.predictions[row]), "the class it was taken for"), (own, "the class it is")):
        if place is None or (words == "the class it is" and place == inputs.predictions[row]):
            continue
        found = nearest_prototype(place, row, view, inputs, distances)
        if found is not None:
            caption = f"{task.classes[place]}, {words}; at distance {found.distance:.3g}"
            tiles.append(Tile(subject.dataset.show(found.row), caption))
    if tiles:
        st.markdown("**Nearest prototypes**")
        gallery(tiles, across=3, size=72)


def own_class(row: int, inputs: Inputs, session: Session | None) -> int | None:
    """The class the input is, by a tester's answer or else by the truth where it is known."""
    answers = {} if session is None else {**session.explored(), **session.answers()}
    if row in answers:
        return int(answers[row])
    return None if inputs.truth is None else int(inputs.truth[row])


def what_it_is(row: int, inputs: Inputs, session: Session | None) -> str:
    """What the network says of a neighbour and what it is, where somebody knows."""
    said = f"said {inputs.task.prediction_text(inputs.predictions[row])}"
    answers = {} if session is None else {**session.explored(), **session.answers()}
    if row in answers:
        return f"{said}, is {inputs.task.answer_text(answers[row])}"
    return said if inputs.truth is None else f"{said}, is {inputs.task.truth_text(inputs.truth[row])}"
