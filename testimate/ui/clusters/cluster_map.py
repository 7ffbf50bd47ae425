"""The map of the clusters: what it is coloured by, what is picked on it, and the input under the pointer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray
from scipy.spatial import KDTree

from testimate.charts.cluster_map import FRAMES, POINT_LIMIT, cluster_map, inside
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import counted, spaced
from testimate.project.cluster_review import CardNote
from testimate.project.clusters import ClusterView
from testimate.project.found_clusters import MapNow
from testimate.reports.explained_words import place_words, plan_words, role_words
from testimate.session.session import Session
from testimate.structure.maps import Method
from testimate.tasks.classification import Classification
from testimate.ui.appearance import dark
from testimate.ui.clusters.cluster_cards import choose_card, chosen_card
from testimate.ui.clusters.colourings import COLUMN, Colouring, Colourings, colourings
from testimate.ui.clusters.filter_form import filter_form, kept_selections
from testimate.ui.clusters.kept_figure import kept_figure
from testimate.ui.clusters.map_pictures import pictures_in_view
from testimate.ui.clusters.picked import marked, pick, picked
from testimate.ui.clusters.settling_map import EVERY, how_it_settles, settling, worth
from testimate.ui.components.linked_pictures import map_picks, map_pointer
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.empty_state import nothing_here
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_walls import losses_known, said
from testimate.ui.lecture import lecturing
from testimate.ui.pages import LABEL, PLAN

METHODS: dict[Method, str] = {"neighbours": "neighbours (t-SNE)", "fastica": "FastICA", "pca": "PCA"}
FADED = "chosen only"
DRAWN = "drawn map"
NAMES, DENSITY = "map names", "map density"
MOST_FRAMES = 2_000
"""Inputs of a selection that are framed; of a larger one the frames would hide the map."""
MOVING_LIMIT = 10_000
"""Points of a map that still moves: it is drawn every second, by some browsers without a graphics card."""

FIRST_AT_MOST = 5e10
"""Limit on inputs times squared width of the features: above it PCA's map is not made while the clusters are being found."""

NEIGHBOURS = 24
"""Sent along with the input under the pointer, so that the next one appears at once."""


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
    tags = project().columns.tags(subject.key)
    row = st.columns([12, 13], vertical_alignment="bottom")
    ways = colourings(view, subject, inputs, session, tags)
    by = row[0].selectbox("Colour by", list(ways), key="colour by")
    method = row[1].selectbox("Map", list(METHODS), format_func=METHODS.__getitem__, key="map method", help=METHOD_HELP)
    with st.container(horizontal=True, vertical_alignment="center"):
        filter_form(view, inputs, session, notes, tags)
        kept_selections(subject)
        st.toggle("Chosen only", key=FADED, help="Fades all but what is selected, or else the cluster chosen.")
        st.toggle("Names", value=True, key=NAMES, help="Numbers of the clusters, or the names they were given.")
        st.toggle(
            "Density",
            key=DENSITY,
            help="Lines around dense regions: each marks twice the density of the one outside it.",
        )
    colouring = coloured(ways, by)
    shown = partial(chart, view, subject, inputs, session, colouring, by, method, notes, height)
    if method == "neighbours" and settling(subject, view.settings.features):
        moving_chart(shown, subject, view.settings.features)
    else:
        shown()
    if by in ("labeled", "failed") and not np.isfinite(losses_known(inputs, session)).any():
        words = "No input is labeled yet, so all points look the same. Label some to see them here."
        nothing_here(words, PLAN if session is None else LABEL, icon=":material/label:")
    pictures_in_view(subject, map_of(view, subject, method), view.fingerprint, faults_found(inputs, session))
    under_the_pointer(view, subject, inputs, session, method, notes)


def first_map(subject: Subject, inputs: Inputs, features: str, *, height: int) -> None:
    """PCA's map, or an earlier version's, to look at while the clusters are being found; the browser loads what draws it."""
    space = inputs.feature(features)
    if float(len(space)) * space.shape[1] ** 2 > FIRST_AT_MOST:
        return
    now, task = project().map_now(subject.key, features), inputs.task
    one_class = isinstance(task, Classification) and inputs.predictions.ndim == 1
    figure = cluster_map(
        now.planar.points,
        inputs.predictions if one_class else np.zeros(len(inputs), dtype=np.intp),
        colour_by="predicted class" if one_class else "labeled",
        names=task.classes if isinstance(task, Classification) else (),
        pictured=True,
        limit=MOVING_LIMIT,
        height=height,
        dark=dark(),
    )
    st.plotly_chart(
        figure, theme=None, key="first map", alt="Map of the inputs by their features, without clusters yet"
    )
    st.caption(f"{worth(now.planar)} The clusters are still being found.")


@st.fragment(run_every=EVERY)
@errors_in_words
def moving_chart(shown: Callable[[], None], subject: Subject, features: str) -> None:
    """The chart while its points move to their places; alone in its fragment, drawn again every second.

    As soon as they have settled the whole page is drawn again, because what is drawn on the map has to follow it.
    """
    if project().map_now(subject.key, features).settled:
        st.rerun()
    shown()


def chart(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    colouring: Colouring,
    by: str,
    method: Method,
    notes: Mapping[int, CardNote],
    height: int,
) -> None:
    """The chart as it is now, and what there is to know about it."""
    now = map_of(view, subject, method)
    warning = now.planar.warning
    if warning and warning not in view.clustering.notes:  # already shown above the map
        st.warning(warning, icon=":material/warning:")
    figure = drawn(view, inputs, session, now, colouring, by, notes, height=height)
    alt = f"Map of the inputs by their features, coloured by {by}"
    st.plotly_chart(figure, theme=None, key="map", alt=alt, config={"scrollZoom": True})
    if method == "neighbours" and not now.settled:
        how_it_settles(subject, view.settings.features)
    count = len(faults_found(inputs, session))
    framed = f" The {counted(count, 'fault')} found so far {'has' if count == 1 else 'have'} a frame." if count else ""
    pictures = ", and the inputs are shown as pictures" if subject.dataset.modality == "image" else ""
    st.caption(
        f"{worth(now.planar)} Point at one, click it, or draw a lasso around several. Zoom in with Ctrl and the wheel, or two "
        f"fingers{pictures}.{framed}"
    )


def drawn(
    view: ClusterView,
    inputs: Inputs,
    session: Session | None,
    now: MapNow,
    colouring: Colouring,
    by: str,
    notes: Mapping[int, CardNote],
    *,
    height: int,
) -> go.Figure:
    """The figure; the previous one if nothing in it has changed since."""
    focus = focused(view, inputs)
    labeled = () if session is None else (session.session_record.id, len(session.history()))
    named = names_of(view, notes) if st.session_state.get(NAMES) else {}
    chosen, contours = picked(len(inputs)).rows, bool(st.session_state.get(DENSITY))
    framed = chosen if 1 < len(chosen) <= MOST_FRAMES else chosen[:0]
    name = (
        *(view.fingerprint, now.planar.method, now.turn, by, height, labeled, contours),
        *(focus and tuple(focus), tuple(named), hash(framed.tobytes()), colouring.by),
        *(colouring.names, hash(np.asarray(colouring.values).tobytes())),
    )

    def draw() -> go.Figure:
        figure = cluster_map(
            now.planar.points,
            colouring.values,
            colour_by=colouring.by,
            names=colouring.names,
            called=view.group,
            variable=by.removeprefix(COLUMN),
            focus=None if focus is None else np.isin(np.arange(len(inputs)), focus),
            pictured=True,
            faults=[] if by == "failed" else faults_found(inputs, session),
            labeled=[] if by in ("labeled", "failed") else np.flatnonzero(np.isfinite(losses_known(inputs, session))),
            chosen=framed,
            named=named,
            contours=contours,
            limit=POINT_LIMIT if now.settled else MOVING_LIMIT,
            height=height,
            dark=dark(),
        )
        if lecturing() and colouring.by == "cluster" and named:
            # The map shows the rest.
            figure.for_each_trace(lambda trace: trace.update(showlegend=trace.legendrank == FRAMES))
        # A part that was zoomed into is another place on another map.
        figure.update_layout(uirevision=now.planar.method)
        return figure

    return kept_figure(DRAWN, name, draw)


def coloured(ways: Colourings, by: str) -> Colouring:
    """The colouring of that name; by cluster, with the reason, if it is not available."""
    try:
        return ways[by]()
    except BadInput as error:
        st.warning(escape_markdown(f"{error} The map shows the clusters instead."), icon=":material/warning:")
        return ways["cluster"]()


def names_of(view: ClusterView, notes: Mapping[int, CardNote]) -> dict[str, NDArray[np.intp]]:
    """The labels written among the inputs of each cluster: its number, and its name if it has one."""
    found = {}
    for card in view.cards:
        note = notes.get(card.number)
        found[f"{card.number + 1}" if note is None else f"{card.number + 1} {note.name}"] = card.rows
    return found


def faults_found(inputs: Inputs, session: Session | None) -> NDArray[np.intp]:
    """The rows of faults that testers found."""
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


def picks_on_the_map(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """Takes clicks and lassos; the fragment around it shows what they pick, and only that fragment runs again."""

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
    """The input under the pointer; alone in its fragment, so that it appears at once."""

    def near(row: int) -> list[int]:
        kept, now = st.session_state.setdefault("map tree", {}), map_of(view, subject, method)
        name = (view.fingerprint, now.planar.method, now.turn)
        if name not in kept:
            kept.clear()
            kept[name] = KDTree(now.planar.points)
        found = kept[name].query(now.planar.points[row], k=min(NEIGHBOURS, len(inputs)))[1]
        return sorted({row, *map(int, np.ravel(found))})

    def lines(row: int) -> list[str]:
        descriptions = [
            f"{said(row, inputs)} · input {spaced(row)}",
            place_words(view, row, notes),
            role_words(view, row),
        ]
        return [line for line in (*descriptions, plan_words(session, row)) if line]

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
