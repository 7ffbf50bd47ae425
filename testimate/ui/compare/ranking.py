"""The ranking of models without a label, how far to trust it, and other views of the models."""

import numpy as np
import streamlit as st

from testimate.charts.comparison import agreement_matrix, model_ranking, rank_change
from testimate.comparison.overview import ComparisonView, Stability, ranks_side_by_side
from testimate.core.subject import Subject
from testimate.core.words import percent
from testimate.structure.ranks import places_of
from testimate.ui.appearance import dark
from testimate.ui.compare.choose_models import others_in_project
from testimate.ui.compare.comparing import view_of
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project

WHAT = {
    "LaF": "ability (log odds)",
    "Majority": "with the majority (% of inputs)",
    "Dawid-Skene": "right, as estimated (% of inputs)",
}
"""What each ranking's score is."""


def ranking(view: ComparisonView) -> None:
    """The rankings, with the range each score would have on other inputs."""
    each = (
        explained("LaF"),
        explained("Majority", "The better ranking on some data, so look at it, too."),
        explained(
            "Dawid-Skene", "Here the models vote: the share of inputs that each is right on, if they err independently."
        ),
    )
    st.subheader("Ranking without labels", anchor=False, help="\n\n".join(each))
    which = st.segmented_control(
        "Ranked by",
        list(WHAT),
        default="LaF",
        required=True,
        key="ranked by",
        label_visibility="collapsed",
    )
    found: Stability = view.rankings[which]
    order = np.argsort(-found.score, kind="stable")
    names = [view.predictions.models[place] for place in order]
    scale = 1.0 if which == "LaF" else 100.0
    figure = model_ranking(
        names,
        scale * found.score[order],
        scale * found.low[order],
        scale * found.high[order],
        dark=dark(),
        what=WHAT[which],
    )
    st.plotly_chart(
        figure,
        theme=None,
        config={"displayModeBar": False},
        key="ranking",
        alt="Models by their score, with ranges over resampled inputs",
    )
    close = [view.predictions.models[place] for place in order if found.not_told_apart[place]]
    if len(close) > 1:
        st.caption(escape_markdown(f"Not told apart from the first: {', '.join(close[1:])}."))
    details(view, found, order)


def details(view: ComparisonView, found: Stability, order: np.ndarray) -> None:
    """The numbers behind the chart."""
    ranks = places_of(found.score)
    rows = []
    for place in order.tolist():
        row: dict[str, object] = {
            "rank": int(ranks[place]),
            "model": view.predictions.models[place],
            "rank on other inputs": f"{found.best_rank[place]} – {found.worst_rank[place]}",
            "first there (%)": 100 * float(found.first[place]),
            "accuracy, guessed (%)": 100 * float(view.trust.accuracy[place]),
        }
        if view.accuracy is not None:
            row["accuracy, known here (%)"] = 100 * float(view.accuracy[place])
        rows.append(row)
    number = st.column_config.NumberColumn
    shown = {name: number(format="%.1f") for name in rows[0] if name.endswith("(%)")}
    with st.expander("Numbers"):
        st.dataframe(rows, hide_index=True, column_config=shown)


def trust(view: ComparisonView) -> None:
    """How far the ranking can be trusted."""
    st.subheader("How far to trust it", anchor=False)
    found, stable = view.trust, view.laf.agreement
    columns = st.columns(3)
    columns[0].metric("Quality", percent(found.quality, 0), help=explained("quality", "Guessed without labels."))
    columns[1].metric(
        "Diversity",
        f"{100 * found.diversity:.1f} points",
        help=explained("diversity", "Guessed without labels."),
    )
    columns[2].metric(
        "Stability",
        "–" if stable is None else f"{stable:.2f}",
        help=explained(
            "Spearman", "Correlation of LaF's ranking with those on resampled inputs; 1 means that it never changes."
        ),
    )
    if found.good:
        st.success(
            "Quality and diversity are in the range where the paper found such rankings reliable.",
            icon=":material/check:",
        )
    for sentence in found.warnings:
        st.warning(escape_markdown(sentence), icon=":material/warning:")
    if view.with_truth:
        correlations = "; ".join(
            f"{name} {'–' if one.spearman is None else f'{one.spearman:.2f}'}" for name, one in view.with_truth.items()
        )
        st.caption(f"The truth is known here. Spearman correlation with the true ranking: {correlations}.")


ACROSS, TILE = 6, 72
"""Pictures in a line, and the width of each in pixels."""

HARDEST = "According to LaF the models are least likely to be right on these. Below each: what they say, and how many of them."


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
        st.caption(
            "Choose other comparisons of the same models, for example on shifted inputs, to see how the ranks change."
        )
        return
    beside = [view_of(project().inputs(key)) for key in chosen]
    ready = [one for one in beside if one is not None]
    if len(ready) < len(beside):
        return
    ranks = ranks_side_by_side([view, *ready])
    if len(ranks) < 2:
        st.info(
            "These comparisons have fewer than two models in common; models are matched by the names of their columns."
        )
        return
    names = [subject.name, *(others[key] for key in chosen)]
    st.plotly_chart(rank_change(ranks, names, dark=dark()), theme=None, alt="Ranks of the models on each dataset")
