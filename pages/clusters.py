"""Clusters: how the network's features group the inputs, who stands for each group, and who stands outside of all."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.opened import dark, opened_session, opened_subject, page, project
from testimate.charts.cluster_map import ColourBy, cluster_map
from testimate.charts.cluster_sizes import cluster_sizes
from testimate.charts.condensed_tree import condensed_tree
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.task import Classification
from testimate.sessions.clusters import ClusterCard, ClusterView
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import shown_input
from testimate.widgets.untrusted_text import escape_markdown

GALLERY = 24


def show() -> None:
    """The page."""
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    st.header("Clusters", anchor=False)
    if not inputs.features:
        st.info(
            "A prediction table holds no features, so there is nothing to cluster. Open a demo, or look at the Strata page.",
            icon=":material/bubble_chart:",
        )
        return
    view = found_clusters(subject, inputs)
    if view.clustering.warning:
        st.warning(escape_markdown(view.clustering.warning), icon=":material/warning:")
    in_words(view, inputs)
    left, right = st.columns([6, 5], gap="large")
    with left:
        picked = the_map(view, inputs)
    with right:
        looked_at(picked, subject, inputs)
        cards(view, subject, inputs)
    minority(view, subject, inputs)
    more(view)


def found_clusters(subject: Subject, inputs: Inputs) -> ClusterView:
    """The clusters for the settings chosen; found once per setting and kept while the app runs."""
    with st.expander("Settings", icon=":material/tune:"):
        columns = st.columns(3)
        features = columns[0].selectbox(
            "Features",
            list(inputs.features),
            help="LHL: input of the last layer. FL: first layer. ORI: the input. CON: softmax.",
        )
        smallest = columns[1].number_input("min_cluster_size", 2, 5000, min(80, max(2, len(inputs) // 10)))
        samples = columns[2].number_input("min_samples", 1, 100, 4)
    with st.spinner("Finding clusters, prototypes and criticisms …", show_time=True):
        return project().clusters(
            subject.key, features=features, min_cluster_size=int(smallest), min_samples=int(samples)
        )


def in_words(view: ClusterView, inputs: Inputs) -> None:
    """What was found, in a sentence or two."""
    size, outside = len(inputs), len(view.minority)
    how = (
        f"after FastICA to 2 components, {view.clustering.engine}"
        if view.clustering.reduced
        else view.clustering.engine
    )
    st.write(
        escape_markdown(
            f"{len(view.cards)} clusters hold {size - outside:,} of the {size:,} inputs; {outside:,} "
            f"({percent(outside / size, 0)}) belong to none: the minority space. "
            f"Found by HDBSCAN ({how}).{faults_outside(view, inputs)}"
        )
    )


def faults_outside(view: ClusterView, inputs: Inputs) -> str:
    """Where the truth is known: how much of the faults lies in the minority space."""
    if inputs.losses is None or not inputs.losses.any() or not len(view.minority):
        return ""
    failed = inputs.task.failed(inputs.losses)
    return f" Known here: {percent(failed[view.minority].sum() / failed.sum(), 0)} of all faults lie in it."


def the_map(view: ClusterView, inputs: Inputs) -> list[int]:
    """The map; returns the rows that were clicked or lassoed."""
    choices: list[ColourBy] = [choice for choice in get_args(ColourBy) if available(choice, inputs)]
    by = st.selectbox("Colour by", choices, key="colour by")
    names = inputs.task.classes if isinstance(inputs.task, Classification) else ()
    figure = cluster_map(
        view.planar.points, colours(by, view, inputs), colour_by=by, names=names, hover=hovers(inputs), dark=dark()
    )
    state: Any = st.plotly_chart(
        figure, theme=None, on_select="rerun", key="map", alt="Map of the inputs by their features, coloured by " + by
    )
    st.caption("Click a point or draw a lasso to see the inputs. Near points look alike to the network.")
    points = state["selection"]["points"] if state else []
    return [int(np.ravel(point["customdata"])[0]) for point in points if "customdata" in point]


def available(choice: str, inputs: Inputs) -> bool:
    """Whether the inputs have what this colouring needs."""
    if choice == "predicted class":
        return isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1
    return choice != "confidence" or inputs.confidence is not None


def colours(by: ColourBy, view: ClusterView, inputs: Inputs) -> NDArray[Any]:
    """A value per input for the map, (N,): a group, a share, or nan where nothing is known."""
    if by == "cluster":
        return view.clustering.labels
    if by == "predicted class":
        return inputs.predictions
    if by == "confidence" and inputs.confidence is not None:
        return inputs.confidence
    losses = np.full(len(inputs), np.nan)
    session = opened_session()
    if session is not None and session.inputs is inputs:
        for row, answer in session.answers().items():
            losses[row] = inputs.task.losses(inputs.predictions[row : row + 1], [answer])[0]
    return losses if by == "failed" else np.isfinite(losses).astype(np.intp)


def hovers(inputs: Inputs) -> list[str]:
    """What the map says of an input under the pointer."""
    return [f"input {row}: {said(row, inputs)}" for row in range(len(inputs))]


def looked_at(rows: list[int], subject: Subject, inputs: Inputs) -> None:
    """The inputs picked on the map."""
    if rows:
        st.subheader(f"{len(rows):,} picked on the map", anchor=False)
        pictures(rows[:12], subject, inputs)


def cards(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """One cluster at a time: size, purity, confidence, prototypes and criticisms."""
    if not view.cards:
        return
    number = st.selectbox(
        "Cluster",
        range(len(view.cards)),
        format_func=lambda place: f"cluster {place + 1} · {len(view.cards[place].rows):,} inputs",
    )
    card = view.cards[number]
    numbers(card, inputs)
    st.markdown("**Prototypes**: the inputs that stand best for the cluster", help=PROTOTYPE_HELP)
    pictures(card.prototypes, subject, inputs)
    st.markdown("**Criticisms**: the inputs that the prototypes represent worst", help=CRITICISM_HELP)
    pictures(card.criticisms, subject, inputs)


PROTOTYPE_HELP = (
    "MMD-critic picks, one by one, the inputs that bring the mean of the prototypes closest to the mean of the cluster "
    "in the kernel's space (Kim et al. 2016)."
)
CRITICISM_HELP = (
    "Where the witness function, the difference between the cluster's density and the prototypes', is largest, "
    "kept apart by a log-determinant (Kim et al. 2016)."
)


def numbers(card: ClusterCard, inputs: Inputs) -> None:
    """What the cluster holds."""
    columns = st.columns(4)
    columns[0].metric("Inputs", f"{len(card.rows):,}")
    if card.purity is not None and card.commonest is not None and isinstance(inputs.task, Classification):
        name = inputs.task.classes[card.commonest]
        columns[1].metric(
            escape_markdown(f"Predicted {name}"),
            percent(card.purity, 0),
            help="Share of the commonest predicted class.",
        )
    if card.mean_confidence is not None:
        columns[2].metric(
            "Confidence", percent(card.mean_confidence, 0), help="Mean probability of the predicted class."
        )
    if card.mean_loss is not None:
        columns[3].metric("Accuracy", percent(1 - card.mean_loss), help="Known here, as the truth of this subject is.")


def pictures(rows: Sequence[int] | NDArray[np.intp], subject: Subject, inputs: Inputs) -> None:
    """A row of inputs with what the network says of each."""
    for start in range(0, len(rows), 6):
        for column, row in zip(st.columns(6), rows[start : start + 6], strict=False):
            with column:
                shown_input(subject.dataset.show(int(row)), size=88)
                st.caption(escape_markdown(said(int(row), inputs)), help=f"Input {row}: what the network says of it.")


def said(row: int, inputs: Inputs) -> str:
    """The network's word on one input."""
    name = inputs.task.classes[int(inputs.predictions[row])] if isinstance(inputs.task, Classification) else ""
    sure = "" if inputs.confidence is None else f" {percent(inputs.confidence[row], 0)}"
    wrong = " ✗" if inputs.losses is not None and bool(inputs.task.failed(inputs.losses[row])) else ""
    return f"{name}{sure}{wrong}"


def minority(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """The minority space as a gallery, most outlying first."""
    st.subheader(
        "Minority space, most outlying first", anchor=False, help="By GLOSH, HDBSCAN's outlier score from 0 to 1."
    )
    if not len(view.minority):
        st.caption("Every input belongs to a cluster.")
        return
    for start in range(0, min(GALLERY, len(view.minority)), 12):
        for column, row in zip(st.columns(12), view.minority[start : start + 12], strict=False):
            with column:
                shown_input(subject.dataset.show(int(row)), size=72)
                outlying = f"Input {row}: GLOSH score {view.clustering.glosh[row]:.2f}."
                st.caption(escape_markdown(said(int(row), inputs)), help=outlying)


def more(view: ClusterView) -> None:
    """Sizes and the condensed tree."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Sizes", anchor=False)
        sizes = [len(card.rows) for card in view.cards]
        st.plotly_chart(cluster_sizes(sizes, len(view.minority), dark=dark()), theme=None, alt="Inputs per cluster")
    with right:
        st.subheader(
            "Condensed tree", anchor=False, help="How clusters split as density rises; the chosen ones are marked."
        )
        figure = condensed_tree(view.clustering.condensed_tree, view.nodes, dark=dark())
        st.plotly_chart(figure, theme=None, alt="Condensed tree of the clustering")


page(show)
