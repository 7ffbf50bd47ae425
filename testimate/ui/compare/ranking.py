"""The ranking of models without a label, and how far to trust it."""

import numpy as np
import streamlit as st

from testimate.charts.model_comparison import model_ranking
from testimate.comparison.overview import ComparisonView
from testimate.comparison.stability import Stability
from testimate.core.rounding import percent
from testimate.structure.ranks import places_of
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown


def ranking(view: ComparisonView) -> None:
    """Both rankings, with the range each score would have on other inputs."""
    both = (explained("LaF"), explained("Majority", "On some data the better ranking, so look at both."))
    st.subheader("Ranking without labels", anchor=False, help="\n\n".join(both))
    which = st.segmented_control(
        "Ranked by",
        ["LaF", "Majority"],
        default="LaF",
        required=True,
        key="ranked by",
        label_visibility="collapsed",
    )
    found: Stability = view.laf if which == "LaF" else view.majority
    order = np.argsort(-found.score, kind="stable")
    names = [view.predictions.models[place] for place in order]
    scale = 1.0 if which == "LaF" else 100.0
    what = "ability (log odds; larger is better)" if which == "LaF" else "agrees with the majority (% of the inputs)"
    figure = model_ranking(
        names, scale * found.score[order], scale * found.low[order], scale * found.high[order], dark=dark(), what=what
    )
    st.plotly_chart(
        figure,
        theme=None,
        config={"displayModeBar": False},
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
    """How far the ranking goes."""
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
        help=explained("Spearman", "Of LaF's ranking with those on inputs drawn anew; 1 is always the same."),
    )
    if found.good:
        st.success("Quality and diversity are where the paper found such rankings good.", icon=":material/check:")
    for sentence in found.warnings:
        st.warning(escape_markdown(sentence), icon=":material/warning:")
    if view.with_truth:
        told = "; ".join(
            f"{name} {'–' if one.spearman is None else f'{one.spearman:.2f}'}" for name, one in view.with_truth.items()
        )
        st.caption(f"The truth is known here. Spearman correlation with the true ranking: {told}.")
