"""The map of the clusters: what it is coloured by, what is picked on it, and the input under the pointer."""

from typing import Any, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from scipy.spatial import KDTree

from testimate.charts.cluster_map import ColourBy, cluster_map
from testimate.core.inputs import Inputs
from testimate.core.rounding import spaced
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.project.clusters import ClusterView
from testimate.reports.why_shown import place_words, plan_words, role_words
from testimate.session.session import Session
from testimate.structure.planar_map import Method, PlanarMap
from testimate.ui.appearance import dark
from testimate.ui.clusters.cluster_cards import choose_card, chosen_card
from testimate.ui.components.linked_pictures import map_pointer
from testimate.ui.components.terms import explained
from testimate.ui.current_project import project
from testimate.ui.empty_state import nothing_here
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_walls import losses_known, said
from testimate.ui.pages import LABEL, PLAN

GLOSH = "outlier score (GLOSH)"
PLAIN = ("cluster", "predicted class", "confidence", "labeled", "failed")
METHODS: dict[Method, str] = {"fastica": "FastICA", "pca": "PCA"}
PICKED = "picked on the map"
CLICKED = "clicked on the map"
NEIGHBOURS = 24
"""Sent along with the input under the pointer, so that the next one is there at once."""


def colourings(inputs: Inputs) -> list[str]:
    """What the map can be coloured by: the plain ones these inputs allow, then their auxiliary variables."""
    lacking = set() if inputs.confidence is not None else {"confidence"}
    if not (isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1):
        lacking.add("predicted class")
    auxiliary = [name for name in inputs.scores if name != "confidence"]
    return [name for name in PLAIN if name not in lacking] + [GLOSH, *auxiliary]


def clusters_on_a_map(
    view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None, *, height: int
) -> None:
    """The map with its choices; what is clicked or lassoed is remembered as picked."""
    row = st.columns([9, 8, 9], vertical_alignment="bottom")
    by = row[0].selectbox("Colour by", colourings(inputs), key="colour by")
    method = row[1].selectbox("Map", list(METHODS), format_func=METHODS.__getitem__, key="map method", help=METHOD_HELP)
    focused = row[2].toggle("Chosen only", key="chosen only", help="Fades all but the cluster chosen.")
    planar = map_of(view, subject, method)
    if planar.warning and planar.warning not in view.clustering.notes:  # which stand above the map already
        st.warning(planar.warning, icon=":material/warning:")
    card = chosen_card(view)
    colour_by = by if by in PLAIN else "auxiliary variable"
    figure = cluster_map(
        planar.points,
        values(by, view, inputs, session),
        colour_by=cast(ColourBy, colour_by),
        names=inputs.task.classes if isinstance(inputs.task, Classification) else (),
        called=view.group,
        variable=by,
        focus=np.equal(view.labels, card.number) if focused else None,
        pictured=True,
        height=height,
        dark=dark(),
    )

    if by == "cluster":
        figure.update_layout(showlegend=False)  # the table beside it has the marks

    def picked() -> None:
        st.session_state[PICKED] = rows_of(st.session_state["map"])

    alt = f"Map of the inputs by their features, coloured by {by}"
    st.plotly_chart(figure, theme=None, on_select=picked, key="map", alt=alt)
    st.caption("Near points look alike to the network. Point at one, click it, or draw a lasso.")
    if by in ("labeled", "failed") and not np.isfinite(losses_known(inputs, session)).any():
        words = "No input is labeled yet, so all points look the same. Label some to see them here."
        nothing_here(words, PLAN if session is None else LABEL, icon=":material/label:")
    under_the_pointer(view, subject, inputs, session, planar)


METHOD_HELP = (
    f"How the features are reduced to two dimensions for the map.\n\n{explained('FastICA')}\n\n{explained('PCA')}"
)


def map_of(view: ClusterView, subject: Subject, method: Method) -> PlanarMap:
    """The inputs as points; found with the clusters, or else now."""
    if method == view.planar.method:
        return view.planar
    with st.spinner("Drawing the map …", show_time=True):
        return project().planar_map(subject.key, view.settings.features, method)


def values(by: str, view: ClusterView, inputs: Inputs, session: Session | None) -> NDArray[Any]:
    """A value per input for the map, (N,): a group, a share, a number, or nan where nothing is known."""
    if by == "cluster":
        return view.labels
    if by == "predicted class":
        return inputs.predictions
    if by == "confidence" and inputs.confidence is not None:
        return inputs.confidence
    if by == GLOSH:
        return view.clustering.glosh
    if by not in PLAIN:
        return inputs.score(by)
    losses = losses_known(inputs, session)
    return losses if by == "failed" else np.isfinite(losses).astype(np.intp)


def rows_of(state: Any) -> list[int]:
    """The rows of the points that are selected on a chart."""
    points = state["selection"]["points"] if state else []
    rows = (int(np.ravel(point["customdata"])[0]) for point in points if "customdata" in point)
    return list(dict.fromkeys(rows))


@st.fragment
@errors_in_words
def under_the_pointer(
    view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None, planar: PlanarMap
) -> None:
    """The input under the pointer; alone in its fragment, so that it comes at once."""

    def near(row: int) -> list[int]:
        kept = st.session_state.setdefault("map tree", {})
        name = (view.fingerprint, planar.method)
        if name not in kept:
            kept.clear()
            kept[name] = KDTree(planar.points)
        found = kept[name].query(planar.points[row], k=min(NEIGHBOURS, len(inputs)))[1]
        return sorted({row, *map(int, np.ravel(found))})

    def lines(row: int) -> list[str]:
        told = [f"{said(row, inputs)} · input {spaced(row)}", place_words(view, row), role_words(view, row)]
        return [line for line in (*told, plan_words(session, row)) if line]

    def clicked(row: int) -> None:
        st.session_state[PICKED] = [row]
        st.session_state[CLICKED] = True
        if view.labels[row] >= 0:
            choose_card(int(view.labels[row]))

    map_pointer(
        key="map pointer",
        plot="map",
        name=f"{subject.key} {view.fingerprint} {0 if session is None else len(session.history())}",
        near=near,
        show=subject.dataset.show,
        lines=lines,
        on_click=clicked,
        count=len(inputs),
    )
    if st.session_state.pop(CLICKED, False):
        st.rerun()  # what was clicked is shown outside of this fragment
