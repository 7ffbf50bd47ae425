"""Several models looked at from other sides: who agrees with whom, the hardest inputs, the same models on other data."""

import numpy as np
import streamlit as st

from testimate.charts.model_comparison import agreement_matrix, rank_change
from testimate.comparison.overview import ComparisonView, ranks_side_by_side, view_comparison
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.ui.appearance import dark
from testimate.ui.compare.choose_models import others_in_project
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.terms import explained
from testimate.ui.current_project import project

ACROSS, TILE = 6, 72
"""Pictures in a line, and the width of each in pixels."""

HARDEST = "By LaF the models have the least chance of being right here. Below each what how many of them say."


@st.cache_data(show_spinner=False, max_entries=16, hash_funcs={Inputs: lambda inputs: inputs.fingerprint})
def looked_at(inputs: Inputs) -> ComparisonView:
    """The view, made once for each comparison."""
    return view_comparison(inputs)


def matrix(view: ComparisonView) -> None:
    """Which models say the same."""
    st.subheader("Who agrees with whom", anchor=False)
    order = np.argsort(-view.laf.score, kind="stable")
    names = [view.predictions.models[place] for place in order]
    figure = agreement_matrix(view.agreement[np.ix_(order, order)], names, dark=dark())
    st.plotly_chart(
        figure, theme=None, config={"displayModeBar": False}, alt="Share of inputs on which two models predict the same"
    )


def hardest(subject: Subject, view: ComparisonView) -> None:
    """The inputs on which the models are trusted least."""
    st.subheader("Hardest inputs", anchor=False, help=explained("LaF", HARDEST))
    if not len(view.hardest):
        st.caption("No input is disputed.")
        return
    tiles = []
    for row in view.hardest.tolist():
        said = [view.predictions.classes[place] for place in view.predictions.labels[row]]
        counts = sorted({name: said.count(name) for name in said}.items(), key=lambda one: -one[1])
        tiles.append(Tile(subject.dataset.show(row), ", ".join(f"{count}× {name}" for name, count in counts)))
    gallery(tiles, across=ACROSS, size=TILE)


def side_by_side(subject: Subject, view: ComparisonView) -> None:
    """The same models on other data, such as shifted inputs."""
    others = others_in_project(subject.key)
    if not others:
        return
    st.subheader("The same models on other data", anchor=False)
    chosen = st.multiselect("Beside this one", list(others), format_func=lambda key: others[key])
    if not chosen:
        st.caption("Choose other comparisons with the same models, such as on shifted inputs, to see ranks change.")
        return
    views = [view, *(looked_at(project().inputs(key)) for key in chosen)]
    ranks = ranks_side_by_side(views)
    if len(ranks) < 2:
        st.info(
            "These comparisons have fewer than two models in common; models are matched by the names of their columns."
        )
        return
    names = [subject.name, *(others[key] for key in chosen)]
    st.plotly_chart(rank_change(ranks, names, dark=dark()), theme=None, alt="Ranks of the models on each dataset")
