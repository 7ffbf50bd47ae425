"""The map of the clusters on the page: its colors, what is picked on it, its pictures, and how far it has settled.

A figure that is drawn again only when what it shows has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray
from scipy.spatial import KDTree

from testimate.charts.cluster_map import (
    FRAMES,
    POINT_LIMIT,
    ColorBy,
    Coloring,
    MapMarks,
    MapView,
    cluster_map,
    inside,
    pictured_rows,
)
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import commas, counted, has_or_have, percent
from testimate.planning.parts import EMPTY, FEW_NUMBERS, Grouping, grouping_of_numbers, grouping_of_words
from testimate.project.cluster_review import CardNote, folders_of
from testimate.project.clusters import ClusterView
from testimate.project.found_clusters import MapNow, map_job_of
from testimate.reports.explained_words import place_words, plan_words, role_words
from testimate.session.session import Session
from testimate.structure.maps import Method, PlanarMap
from testimate.ui.appearance import dark, lecturing
from testimate.ui.clusters.cluster_cards import choose_card, chosen_card, names_shown
from testimate.ui.clusters.cluster_settings import REDUCTIONS, settings_words
from testimate.ui.clusters.selection import filter_form, kept_selections, marked, pick, picked
from testimate.ui.components.linked_pictures import PICTURE_SIDE, map_picks, map_pictures, map_pointer
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_walls import losses_known, said
from testimate.ui.job_progress import how_far, resume_button, running, show_unfinished
from testimate.ui.member import present_member
from testimate.ui.navigation import this_visit
from testimate.ui.page_head import nothing_here
from testimate.ui.pages import LABEL, PLAN

if TYPE_CHECKING:
    from testimate.tables.cells import Column


GLOSH = "outlier score (GLOSH)"
WITNESS = "too few prototypes (witness)"
TRUE, NUMBER, FOLDER = "true class", "predicted number", "folder of the file"
TAG, COLUMN = "tag: ", "column: "

Tags = Mapping[str, NDArray[np.object_]]


Colorings = Mapping[str, Callable[[], Coloring]]
"""By name, in the order they are offered; a call raises BadInput where a column has too many different words."""


def colorings(view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None, tags: Tags) -> Colorings:
    """All that these inputs allow; the true class only if ``inputs`` hold the truth."""
    losses = losses_known(inputs, session)
    found: dict[str, Callable[[], Coloring]] = {"cluster": lambda: Coloring("cluster", view.labels)}
    classes = inputs.task.classes if inputs.single_class else None
    confidence, truth = inputs.confidence, inputs.truth
    if classes is not None:
        found["predicted class"] = lambda: Coloring("predicted class", inputs.predictions, classes)
        if truth is not None:
            found[TRUE] = lambda: Coloring("column", np.asarray(truth, dtype=np.intp), classes)
    elif inputs.task.numeric:
        found[NUMBER] = lambda: Coloring("number", np.asarray(inputs.predictions, dtype=np.float64))
    if confidence is not None:
        found["confidence"] = lambda: Coloring("confidence", confidence)
    found["labeled"] = lambda: Coloring("labeled", np.isfinite(losses).astype(np.intp))
    found["failed"] = lambda: Coloring("failed", losses)
    for name, cells in tags.items():
        found[TAG + name] = lambda cells=cells: _words("tag", TAG, [str(one) for one in cells])  # type: ignore[misc]  # mypy cannot type a default that binds
    for name, column in project().columns.further(subject.key).items():
        found[COLUMN + name] = lambda column=column: of_column(column)  # type: ignore[misc]  # mypy cannot type a default that binds
    if folders := folders_of(inputs):
        found[FOLDER] = lambda: _words("column", FOLDER, folders)
    found[GLOSH] = lambda: Coloring("auxiliary variable", view.clustering.glosh)
    found[WITNESS] = lambda: Coloring("auxiliary variable", view.witness)
    for name in inputs.scores:
        if name != "confidence":
            found[name] = lambda name=name: Coloring("auxiliary variable", inputs.score(name))  # type: ignore[misc]  # mypy cannot type a default that binds
    return found


def of_column(column: Column) -> Coloring:
    """A column of a table: a few numbers and all words are groups, more numbers a scale."""
    if not column.is_numeric:
        return _words("column", column.name, column.texts.to_pylist())
    numbers = np.asarray(column.values, dtype=np.float64)
    if len(np.unique(numbers[np.isfinite(numbers)])) > FEW_NUMBERS:
        return Coloring("number", np.where(np.isfinite(numbers), numbers, np.nan))
    return _groups("column", grouping_of_numbers(column.name, numbers))


def _words(by: ColorBy, name: str, words: list[str]) -> Coloring:
    return _groups(by, grouping_of_words(name, words))


def _groups(by: ColorBy, found: Grouping) -> Coloring:
    """The groups; inputs without a value are -1."""
    names = [one for one in found.values if one != EMPTY]
    place = np.array([names.index(one) if one != EMPTY else -1 for one in found.values], dtype=np.intp)
    return Coloring(by, place[found.groups], tuple(names))


LOOKED = "map looked at"
EVERY = 1.0
"""Seconds between two updates of a settling map."""


def job_of(subject: Subject, features: str) -> str:
    """The name of the job that lays out the subject's inputs."""
    return map_job_of(project().inputs(subject.key).fingerprint, features)


def settling(subject: Subject, features: str) -> bool:
    """Whether the map moves: it is being laid out, or will be once the chart is on the screen."""
    if project().map_now(subject.key, features).settled:
        return False
    status = project().jobs.status(job_of(subject, features))
    return status is None or status.state == "running"


def how_it_settles(subject: Subject, features: str) -> None:
    """Under a map that has not settled: how far it is, or why it did not settle and how to go on.

    It begins at the second update of a visit: a browser that still draws the chart asks for none, and need not share the
    processor; nor does a visitor who leaves at once. The whole page is drawn again once it is over.
    """
    job = job_of(subject, features)
    status, looked = project().jobs.status(job), (job, this_visit())
    if status is None and st.session_state.get(LOOKED) != looked:
        st.session_state[LOOKED] = looked
        st.progress(0.0, text="**Looking for neighbors**")
        return
    status = status or project().find_map(subject.key, features)
    if status is None or status.state == "done":
        st.rerun()
    elif running(job):
        share = status.done / status.total if status.total else 0.0
        step = escape_markdown(status.what or "looking for neighbors")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(min(1.0, share), text=f"**{step[:1].upper()}{step[1:]}** · {how_far(status)}")
            if present_member().leads and st.button("Stop", icon=":material/stop:", key=f"cancel {job}"):
                project().jobs.cancel(job)
    else:
        begins = "the earlier version's" if project().map_now(subject.key, features).planar.method != "pca" else "PCA's"
        show_unfinished(job, stopped=f"The map was stopped before it had settled: {begins} map is shown.")
        if resume_button(status, "Settle it"):
            project().find_map(subject.key, features, again=True)
            st.rerun()


def worth(planar: PlanarMap) -> str:
    """What being near each other means on this map, in a sentence, with the share of neighbors that it keeps."""
    if planar.kept is None:
        return "Nearby points look alike to the model."
    kept = f"{percent(planar.kept)} of the 15 nearest neighbors kept"
    if planar.method == "neighbors":
        return f"Nearby points look alike to the model ({kept}). Distances between groups mean little."
    return f"A linear map ({kept}). Groups that are far apart may overlap on it."


PICTURES = "map pictures"


@st.fragment
@errors_in_words
def pictures_in_view(subject: Subject, now: MapNow, name: str, first: NDArray[np.intp]) -> None:
    """Draws them; alone in its fragment, so that nothing else is drawn when the view changes.

    ``name`` : of the clustering. ``first`` : rows that have room before all others. A map that still moves has no
    pictures, and neither have inputs that are not pictures.
    """
    points = now.planar.points

    def rows_in(view: MapView) -> Sequence[int]:
        rows: list[int] = pictured_rows(points, view, side=PICTURE_SIDE, first=first).tolist()
        return rows

    map_pictures(
        key=PICTURES,
        plot="map",
        name=f"{name} {now.planar.method} {now.turn}",
        on=now.settled and subject.dataset.modality == "image",
        rows_in=rows_in,
        place=lambda row: (float(points[row, 0]), float(points[row, 1])),
        show=subject.dataset.show,
    )


def kept_figure(place: str, name: Hashable, draw: Callable[[], go.Figure]) -> go.Figure:
    """The figure last drawn at this place of the session if the name, the theme and the size of type are the same, else a
    new one."""
    full, kept = (name, dark(), lecturing()), st.session_state.get(place)
    if kept is not None and kept[0] == full:
        return cast(go.Figure, kept[1])
    figure = draw()
    st.session_state[place] = (full, figure)
    return figure


METHODS: dict[Method, str] = {"neighbors": "neighbors (t-SNE)", "fastica": "FastICA", "pca": "PCA"}
FADED = "chosen only"
DRAWN = "drawn map"
NAMES, DENSITY, LEGEND = "map names", "map density", "map legend by "
MOST_FRAMES = 2_000
"""Inputs of a selection that are framed; of a larger one the frames would hide the map."""
MOVING_LIMIT = 10_000
"""Points of a map that still moves: it is drawn every second, by some browsers without a graphics card."""

FIRST_AT_MOST = 5e10
"""Limit on inputs times squared width of the features: above it PCA's map is not made while the clusters are being found."""

NEIGHBORS = 24
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
    ways = colorings(view, subject, inputs, session, tags)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Color", width="content")
        by = st.selectbox("Color", list(ways), key="color by", label_visibility="collapsed", width=COLORS)
        filter_form(view, inputs, session, notes, tags)
        kept_selections(subject)
        with (
            st.popover("", icon=":material/more_horiz:", help="More about the map", key="map menu"),
            st.container(width=MENU),
        ):
            method, about = map_menu(by), st.container()
    coloring = colored(ways, by)
    shown = partial(chart, view, subject, inputs, session, coloring, by, method, notes, height)
    with about:
        about_the_map(view, subject, inputs, session, method)
    if method == "neighbors" and settling(subject, view.settings.features):
        moving_chart(shown, subject, view.settings.features)
    else:
        shown()
    if by in ("labeled", "failed") and not np.isfinite(losses_known(inputs, session)).any():
        words = "No input is labeled yet, so all points look the same. Label some to see them here."
        nothing_here(words, PLAN if session is None else LABEL, icon=":material/label:")
    pictures_in_view(subject, map_of(view, subject, method), view.fingerprint, faults_found(inputs, session))
    under_the_pointer(view, subject, inputs, session, method, notes)


COLORS, MENU = 220, 320


def map_menu(by: str) -> Method:
    """What the map shows besides its colors, and how it is laid out, which is returned. ``by`` : what its colors say."""
    method = st.selectbox("Map", list(METHODS), format_func=METHODS.__getitem__, key="map method", help=METHOD_HELP)
    st.toggle("Names", value=True, key=NAMES, help="The names of the clusters. Slanted ones are automatic.")
    st.toggle(
        "Legend",
        by != "cluster",  # of which the names on the map say enough
        key=LEGEND + by,
        help="What the colors and the frames mean.",
    )
    st.toggle("Chosen only", key=FADED, help="Fades everything except the selection or the chosen cluster.")
    st.toggle(
        "Density", key=DENSITY, help="Lines around dense regions: each marks twice the density of the one outside it."
    )
    return method


def about_the_map(view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None, method: Method) -> None:
    """What being near means on the map, how to pick from it, and how the clusters were found."""
    count = len(faults_found(inputs, session))
    framed = f" The {counted(count, 'fault')} found so far {has_or_have(count)} a frame." if count else ""
    pictures = ", and the inputs are shown as pictures" if subject.dataset.modality == "image" else ""
    st.caption(
        f"{worth(map_of(view, subject, method).planar)} Hover, click or lasso. Zoom with Ctrl + scroll, or two "
        f"fingers{pictures}.{framed}"
    )
    how_found(view)


def how_found(view: ClusterView) -> None:
    """Settings and engine, in a quiet line."""
    found = view.clustering
    reduced = f"after {REDUCTIONS.get(found.reduction, found.reduction)}, " if found.reduced else ""
    words = f"{settings_words(view.settings)} · HDBSCAN: {reduced}{found.engine}"
    st.caption(escape_markdown(words[:1].upper() + words[1:]))


def without_titles(figure: go.Figure) -> None:
    """Takes the titles off the axes of a map: places have no unit, and the map needs the room."""
    figure.update_xaxes(title_text="")
    figure.update_yaxes(title_text="")


def first_map(subject: Subject, inputs: Inputs, features: str, *, height: int) -> None:
    """PCA's map, or an earlier version's, to look at while the clusters are being found; the browser loads what draws it."""
    space = inputs.feature(features)
    if float(len(space)) * space.shape[1] ** 2 > FIRST_AT_MOST:
        return
    now, task = project().map_now(subject.key, features), inputs.task
    one_class = inputs.single_class
    figure = cluster_map(
        now.planar.points,
        Coloring("predicted class", inputs.predictions, task.classes)
        if one_class
        else Coloring("labeled", np.zeros(len(inputs), dtype=np.intp)),
        pictured=True,
        limit=MOVING_LIMIT,
        height=height,
        dark=dark(),
    )
    without_titles(figure)
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
    coloring: Coloring,
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
    figure = drawn(view, subject, inputs, session, now, coloring, by, notes, height=height)
    alt = f"Map of the inputs by their features, colored by {by}"
    st.plotly_chart(figure, theme=None, key="map", alt=alt, config={"scrollZoom": True})
    if method == "neighbors" and not now.settled:
        how_it_settles(subject, view.settings.features)


def drawn(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    now: MapNow,
    coloring: Coloring,
    by: str,
    notes: Mapping[int, CardNote],
    *,
    height: int,
) -> go.Figure:
    """The figure; the previous one if nothing in it has changed since."""
    focus = focused(view, inputs)
    labeled = () if session is None else (session.session_record.id, len(session.history()))
    names = names_shown(view, subject, inputs, notes) if st.session_state.get(NAMES, True) else ()
    named = {name.text: card.rows for name, card in zip(names, view.cards, strict=False)}
    legend = bool(st.session_state.get(LEGEND + by, by != "cluster"))
    chosen, contours = picked(len(inputs)).rows, bool(st.session_state.get(DENSITY))
    framed = chosen if 1 < len(chosen) <= MOST_FRAMES else chosen[:0]
    name = (
        *(view.fingerprint, now.planar.method, now.turn, by, height, labeled, contours, legend),
        *(focus and tuple(focus), tuple(named), hash(framed.tobytes()), coloring.by),
        *(coloring.names, hash(np.asarray(coloring.values).tobytes())),
    )

    def draw() -> go.Figure:
        figure = cluster_map(
            now.planar.points,
            replace(coloring, called=view.group, variable=by.removeprefix(COLUMN)),
            focus=None if focus is None else np.isin(np.arange(len(inputs)), focus),
            pictured=True,
            marks=MapMarks(
                faults=[] if by == "failed" else faults_found(inputs, session),
                labeled=[]
                if by in ("labeled", "failed")
                else np.flatnonzero(np.isfinite(losses_known(inputs, session))),
                chosen=framed,
                named=named,
                italic={name.text for name in names if name.automatic},
                contours=contours,
            ),
            limit=POINT_LIMIT if now.settled else MOVING_LIMIT,
            height=height,
            dark=dark(),
        )
        if lecturing() and coloring.by == "cluster" and named:
            # The map shows the rest.
            figure.for_each_trace(lambda trace: trace.update(showlegend=trace.legendrank == FRAMES))
        # A part that was zoomed into is another place on another map.
        figure.update_layout(uirevision=now.planar.method, showlegend=legend)
        without_titles(figure)
        return figure

    return kept_figure(DRAWN, name, draw)


def colored(ways: Colorings, by: str) -> Coloring:
    """The coloring of that name; by cluster, with the reason, if it is not available."""
    try:
        return ways[by]()
    except BadInput as error:
        st.warning(escape_markdown(f"{error} The map shows the clusters instead."), icon=":material/warning:")
        return ways["cluster"]()


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
    explained(name) for name in ("neighbor map", "neighbors kept", "FastICA", "PCA")
)


def map_of(view: ClusterView, subject: Subject, method: Method) -> MapNow:
    """The inputs as points, as they are now; the linear maps are made at once."""
    features = view.settings.features
    if method == "neighbors":
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
        method = st.session_state.get("map method", "neighbors")
        rows = np.flatnonzero(inside(map_of(view, subject, method).planar.points, corners))
        if len(rows):
            pick(rows, "lasso")

    with st.container(key="picks-on-the-map"):
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
        found = kept[name].query(now.planar.points[row], k=min(NEIGHBORS, len(inputs)))[1]
        return sorted({row, *map(int, np.ravel(found))})

    def lines(row: int) -> list[str]:
        descriptions = [
            f"{said(row, inputs)} · input {commas(row)}",
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
