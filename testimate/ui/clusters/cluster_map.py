"""The map of the clusters: what it is coloured by, what is picked on it, and the input under the pointer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray
from scipy.spatial import KDTree

from testimate.charts.cluster_map import ColourBy, cluster_map
from testimate.charts.lasso import inside
from testimate.core.inputs import Inputs
from testimate.core.rounding import spaced
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.project.cluster_notes import CardNote
from testimate.project.clusters import ClusterView
from testimate.project.neighbour_maps import MapNow
from testimate.reports.plurals import counted
from testimate.reports.why_shown import place_words, plan_words, role_words
from testimate.session.session import Session
from testimate.structure.planar_map import Method
from testimate.ui.appearance import dark
from testimate.ui.clusters.cluster_cards import choose_card, chosen_card
from testimate.ui.clusters.filter_form import filter_form, kept_selections
from testimate.ui.clusters.picked import marked, pick, picked
from testimate.ui.clusters.settling_map import EVERY, how_it_settles, settling, worth
from testimate.ui.components.linked_pictures import map_picks, map_pointer
from testimate.ui.components.terms import explained
from testimate.ui.current_project import project
from testimate.ui.empty_state import nothing_here
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_walls import losses_known, said
from testimate.ui.pages import LABEL, PLAN

GLOSH = "outlier score (GLOSH)"
WITNESS = "said too little by the prototypes (witness)"
PLAIN = ("cluster", "predicted class", "confidence", "labeled", "failed")
TAG = "tag: "
METHODS: dict[Method, str] = {"neighbours": "neighbours (t-SNE)", "fastica": "FastICA", "pca": "PCA"}
FADED = "chosen only"
DRAWN = "drawn map"
NAMES, DENSITY = "map names", "map density"
MOST_FRAMES = 2_000
"""Inputs of a selection that are framed; of a larger one the frames would hide the map."""
NEIGHBOURS = 24
"""Sent along with the input under the pointer, so that the next one is there at once."""

Tags = Mapping[str, NDArray[np.object_]]


def colourings(inputs: Inputs, tags: Tags) -> list[str]:
    """What the map can be coloured by: the plain ones these inputs allow, tags, then their auxiliary variables."""
    lacking = set() if inputs.confidence is not None else {"confidence"}
    if not (isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1):
        lacking.add("predicted class")
    auxiliary = [name for name in inputs.scores if name != "confidence"]
    return [
        *(name for name in PLAIN if name not in lacking),
        *(TAG + name for name in tags),
        GLOSH,
        WITNESS,
        *auxiliary,
    ]


def clusters_on_a_map(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
    *,
    height: int,
) -> None:
    """The map with its choices."""
    tags = project().tags_of(subject.key)
    row = st.columns([9, 8], vertical_alignment="bottom")
    by = row[0].selectbox("Colour by", colourings(inputs, tags), key="colour by")
    method = row[1].selectbox("Map", list(METHODS), format_func=METHODS.__getitem__, key="map method", help=METHOD_HELP)
    with st.container(horizontal=True, vertical_alignment="center"):
        filter_form(view, inputs, session, notes, tags)
        kept_selections(subject)
        st.toggle("Chosen only", key=FADED, help="Fades all but what is selected, or else the cluster chosen.")
        st.toggle("Names", value=True, key=NAMES, help="Numbers of the clusters, or the names they were given.")
        st.toggle("Density", key=DENSITY, help="Lines around where many inputs lie: each of twice the density.")
    shown = partial(chart, view, subject, inputs, session, tags, by, method, notes, height)
    if method == "neighbours" and settling(subject, view.settings.features):
        moving_chart(shown)
    else:
        shown()
    if by in ("labeled", "failed") and not np.isfinite(losses_known(inputs, session)).any():
        words = "No input is labeled yet, so all points look the same. Label some to see them here."
        nothing_here(words, PLAN if session is None else LABEL, icon=":material/label:")
    under_the_pointer(view, subject, inputs, session, method, notes)


@st.fragment(run_every=EVERY)
@errors_in_words
def moving_chart(shown: Callable[[], None]) -> None:
    """The chart while its points move to their places; alone in its fragment, drawn again every second."""
    shown()


def chart(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    tags: Tags,
    by: str,
    method: Method,
    notes: Mapping[int, CardNote],
    height: int,
) -> None:
    """The chart as it is now, and what there is to know of it."""
    now = map_of(view, subject, method)
    warning = now.planar.warning
    if warning and warning not in view.clustering.notes:  # which stand above the map already
        st.warning(warning, icon=":material/warning:")
    figure = drawn(view, inputs, session, now, tags, by, notes, height=height)
    alt = f"Map of the inputs by their features, coloured by {by}"
    st.plotly_chart(figure, theme=None, key="map", alt=alt)
    if method == "neighbours" and not now.settled:
        how_it_settles(subject, view.settings.features)
    count = len(faults_found(inputs, session))
    framed = f" The {counted(count, 'fault')} found so far {'has' if count == 1 else 'have'} a frame." if count else ""
    st.caption(f"{worth(now.planar)} Point at one, click it, or draw a lasso around several.{framed}")


def drawn(
    view: ClusterView,
    inputs: Inputs,
    session: Session | None,
    now: MapNow,
    tags: Tags,
    by: str,
    notes: Mapping[int, CardNote],
    *,
    height: int,
) -> go.Figure:
    """The figure; the one drawn last where nothing of it has changed since."""
    focus = focused(view, inputs)
    labeled = () if session is None else (session.session_record.id, len(session.history()))
    of_tag = () if not by.startswith(TAG) else tuple(tags[by.removeprefix(TAG)].tolist())
    named = names_of(view, notes) if st.session_state.get(NAMES) else {}
    chosen, contours = picked(len(inputs)).rows, bool(st.session_state.get(DENSITY))
    framed = chosen if 1 < len(chosen) <= MOST_FRAMES else chosen[:0]
    name = (
        *(view.fingerprint, now.planar.method, now.turn, by, height, dark(), labeled, hash(of_tag), contours),
        *(focus and tuple(focus), tuple(named), hash(framed.tobytes())),
    )
    kept = st.session_state.get(DRAWN)
    if kept is not None and kept[0] == name:
        return cast(go.Figure, kept[1])
    names: Sequence[str] = inputs.task.classes if isinstance(inputs.task, Classification) else ()
    if by.startswith(TAG):
        names = np.unique(tags[by.removeprefix(TAG)][tags[by.removeprefix(TAG)] != ""]).tolist()
    plain = by if by in PLAIN else "tag" if by.startswith(TAG) else "auxiliary variable"
    figure = cluster_map(
        now.planar.points,
        values(by, view, inputs, session, tags),
        colour_by=cast(ColourBy, plain),
        names=names,
        called=view.group,
        variable=by,
        focus=None if focus is None else np.isin(np.arange(len(inputs)), focus),
        pictured=True,
        faults=[] if by == "failed" else faults_found(inputs, session),
        labeled=[] if by in ("labeled", "failed") else np.flatnonzero(np.isfinite(losses_known(inputs, session))),
        chosen=framed,
        named=named,
        contours=contours,
        height=height,
        dark=dark(),
    )
    if by == "cluster":
        figure.update_layout(showlegend=False)  # the table has the marks
    st.session_state[DRAWN] = (name, figure)
    return figure


def names_of(view: ClusterView, notes: Mapping[int, CardNote]) -> dict[str, NDArray[np.intp]]:
    """What is written among the inputs of each cluster: its number, and its name where it has one."""
    found = {}
    for card in view.cards:
        note = notes.get(card.number)
        found[f"{card.number + 1}" if note is None else f"{card.number + 1} {note.name}"] = card.rows
    return found


def faults_found(inputs: Inputs, session: Session | None) -> NDArray[np.intp]:
    """The rows that testers found to fail."""
    losses = losses_known(inputs, session)
    labeled = np.flatnonzero(np.isfinite(losses))
    found: NDArray[np.intp] = labeled[np.asarray(inputs.task.failed(losses[labeled]), dtype=bool)]
    return found


def focused(view: ClusterView, inputs: Inputs) -> list[int] | None:
    """The rows that are not faded: what is selected, or else the cluster chosen; None for all."""
    if not st.session_state.get(FADED):
        return None
    rows = picked(len(inputs)).rows
    chosen: list[int] = (rows if len(rows) > 1 else chosen_card(view).rows).tolist()
    return chosen


METHOD_HELP = "How the features are laid out in two dimensions.\n\n" + "\n\n".join(
    explained(name) for name in ("neighbour map", "neighbours kept", "FastICA", "PCA")
)


def map_of(view: ClusterView, subject: Subject, method: Method) -> MapNow:
    """The inputs as points, as they are now; the linear maps are made at once."""
    features = view.settings.features
    if method == "neighbours":
        return project().map_now(subject.key, features)
    with st.spinner("Drawing the map …", show_time=True):
        return MapNow(project().planar_map(subject.key, features, method), True, 0)


def values(by: str, view: ClusterView, inputs: Inputs, session: Session | None, tags: Tags) -> NDArray[Any]:
    """A value per input for the map, (N,): a group, a share, a number, or nan where nothing is known."""
    if by == "cluster":
        return view.labels
    if by == "predicted class":
        return inputs.predictions
    if by == "confidence" and inputs.confidence is not None:
        return inputs.confidence
    if by == GLOSH:
        return view.clustering.glosh
    if by == WITNESS:
        return view.witness
    if by.startswith(TAG):
        cells = tags[by.removeprefix(TAG)]
        names = np.unique(cells[cells != ""])
        return np.where(cells == "", -1, np.searchsorted(names, cells))
    if by not in PLAIN:
        return inputs.score(by)
    losses = losses_known(inputs, session)
    return losses if by == "failed" else np.isfinite(losses).astype(np.intp)


def picks_on_the_map(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """Takes clicks and lassos; what they pick is shown by the fragment that this is drawn in, which alone runs again."""

    def clicked(row: int) -> None:
        pick([row], "click")
        if view.labels[row] >= 0:
            choose_card(int(view.labels[row]))

    def lassoed(corners: Sequence[tuple[float, float]]) -> None:
        method = st.session_state.get("map method", "neighbours")
        rows = np.flatnonzero(inside(map_of(view, subject, method).planar.points, corners))
        if len(rows):
            pick(rows, "lasso")

    map_picks(key="map picks", plot="map", marked=marked(), on_click=clicked, on_lasso=lassoed, count=len(inputs))


@st.fragment
@errors_in_words
def under_the_pointer(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    method: Method,
    notes: Mapping[int, CardNote],
) -> None:
    """The input under the pointer; alone in its fragment, so that it comes at once."""

    def near(row: int) -> list[int]:
        kept, now = st.session_state.setdefault("map tree", {}), map_of(view, subject, method)
        name = (view.fingerprint, now.planar.method, now.turn)
        if name not in kept:
            kept.clear()
            kept[name] = KDTree(now.planar.points)
        found = kept[name].query(now.planar.points[row], k=min(NEIGHBOURS, len(inputs)))[1]
        return sorted({row, *map(int, np.ravel(found))})

    def lines(row: int) -> list[str]:
        told = [f"{said(row, inputs)} · input {spaced(row)}", place_words(view, row, notes), role_words(view, row)]
        return [line for line in (*told, plan_words(session, row)) if line]

    written = hash(tuple((number, note.name) for number, note in sorted(notes.items())))
    map_pointer(
        key="map pointer",
        plot="map",
        name=f"{subject.key} {view.fingerprint} {0 if session is None else len(session.history())} {written}",
        near=near,
        show=subject.dataset.show,
        lines=lines,
        count=len(inputs),
    )
