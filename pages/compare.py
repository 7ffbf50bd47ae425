"""Compare models: ranked without a label, with how far to trust it, and labels spent where they decide which is best."""

import numpy as np
import streamlit as st

from pages.compare_choose import choose_models, others_in_project
from pages.contest_table import contest_panel
from pages.opened import dark, go, opened, page, project, remember
from testimate.charts.agreement_matrix import agreement_matrix
from testimate.charts.model_ranking import model_ranking
from testimate.charts.rank_change import rank_change
from testimate.comparison.stability import Stability
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.plans.comparing import COMPARING
from testimate.sessions.comparison_view import ComparisonView, ranks_side_by_side, view_comparison
from testimate.sessions.contest import compares_models
from testimate.structure.ranks import places_of
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import Tile, gallery
from testimate.widgets.untrusted_text import escape_markdown

ACROSS = 12
FIRST_BUDGET = 200


def show() -> None:
    """The page."""
    st.header("Compare models", anchor=False)
    key = opened("subject")
    if key is None or not key.startswith("compare-") or st.session_state.get("choose models"):
        st.write(
            "Several models have predicted the same inputs. They are ranked without a label, by whom the others confirm; a "
            "few labels where they disagree then tell which is best."
        )
        earlier()
        made = choose_models()
        if made is None:
            return
        st.session_state["choose models"] = False
        remember("subject", made)
        st.rerun()
    compared(key)


def earlier() -> None:
    """The comparisons there are already."""
    known = others_in_project(None)
    if not known:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("In this project", list(known), format_func=lambda key: known[key], width=420)
        if st.button("Open"):
            st.session_state["choose models"] = False
            remember("subject", chosen)
            st.rerun()


def compared(key: str) -> None:
    """One comparison."""
    with st.spinner("Opening the models …"):
        subject, inputs = project().subject(key), project().inputs(key)
    with st.spinner("Ranking the models, and again on resampled inputs …", show_time=True):
        view = looked_at(inputs)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            f"**{escape_markdown(subject.name)}**: {len(view.predictions.models)} models, {len(inputs):,} inputs; on "
            f"{view.disputed:,} ({percent(view.disputed / len(inputs), 0)}) not all predict the same."
        )
        if st.button("Other models", icon=":material/arrow_back:"):
            st.session_state["choose models"] = True
            st.rerun()
    left, right = st.columns([1, 1], gap="large")
    with left:
        ranking(view)
    with right:
        trust(view)
        what_next(subject, inputs, view)
    standing(subject)
    first, second = st.columns([1, 1], gap="large")
    with first:
        matrix(view)
    with second:
        hardest(subject, view)
    side_by_side(subject, view)


@st.cache_data(show_spinner=False, max_entries=16, hash_funcs={Inputs: lambda inputs: inputs.fingerprint})
def looked_at(inputs: Inputs) -> ComparisonView:
    """The view, made once for each comparison."""
    return view_comparison(inputs)


def ranking(view: ComparisonView) -> None:
    """Both rankings, with the range each score would have on other inputs."""
    st.subheader("Ranking without labels", anchor=False)
    which = st.segmented_control(
        "By",
        ["LaF", "Majority"],
        default="LaF",
        required=True,
        key="ranked by",
        help="LaF weighs each input by its difficulty and each model by its ability. Majority: how often a model predicts "
        "what most models do; on some data the better ranking, so look at both.",
    )
    found: Stability = view.laf if which == "LaF" else view.majority
    order = np.argsort(-found.score, kind="stable")
    names = [view.predictions.models[place] for place in order]
    scale = 1.0 if which == "LaF" else 100.0
    what = "ability (log odds; larger is better)" if which == "LaF" else "agrees with the majority (% of the inputs)"
    figure = model_ranking(
        names, scale * found.score[order], scale * found.low[order], scale * found.high[order], dark=dark(), what=what
    )
    st.plotly_chart(figure, theme=None, alt="Models by their score, with ranges over resampled inputs")
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
            "first (%)": 100 * float(found.first[place]),
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
    columns[0].metric("Quality", percent(found.quality, 0), help="Mean accuracy of the models, guessed without labels.")
    columns[1].metric(
        "Diversity",
        f"{100 * found.diversity:.1f} points",
        help="Standard deviation of the accuracies; above 18 points the paper's rankings were good.",
    )
    columns[2].metric(
        "Stability",
        "–" if stable is None else f"{stable:.2f}",
        help="Spearman correlation of LaF's ranking with those on resampled inputs; 1 is always the same.",
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


def what_next(subject: Subject, inputs: Inputs, view: ComparisonView) -> None:
    """Labels where they decide."""
    st.subheader("Label where it decides", anchor=False)
    if not view.disputed:
        st.info("There is nothing to label: the models predict the same everywhere.")
        return
    technique = st.radio(
        "Inputs",
        ["tell-apart", "sds"],
        format_func=lambda name: {
            "tell-apart": "At random where models still in contention disagree: names the best with certainty",
            "sds": "The most discriminating inputs (SDS): a quick look, without a guarantee",
        }[name],
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = view.disputed if technique == "tell-apart" else len(inputs)
        budget = int(st.number_input("Labels at most", 1, most, min(FIRST_BUDGET, most), width=160))
        seed = int(st.number_input("Seed", 0, 2**31, 1, width=120))
        start = st.button("Start labeling", type="primary", icon=":material/label:")
    st.caption(escape_markdown(COMPARING[technique].claims.note))
    if start:
        session = project().start_session(subject.key, Request(technique, budget, seed))
        go("label", subject=subject.key, session=session.session_record.id)


def standing(subject: Subject) -> None:
    """What the labels of the latest session say."""
    records = [record for record in project().sessions() if record.subject == subject.key]
    if not records:
        return
    st.subheader("What the labels say", anchor=False)
    names = {record.id: f"{record.request.technique}, {record.created[:16].replace('T', ' ')}" for record in records}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Session", list(names), format_func=lambda one: names[one], width=320)
        if st.button("Go on labeling", icon=":material/label:"):
            go("label", subject=subject.key, session=chosen)
    session = project().session(chosen)
    session.refresh()
    if compares_models(session):
        contest_panel(session)


def matrix(view: ComparisonView) -> None:
    """Which models say the same."""
    st.subheader("Who agrees with whom", anchor=False)
    order = np.argsort(-view.laf.score, kind="stable")
    names = [view.predictions.models[place] for place in order]
    figure = agreement_matrix(view.agreement[np.ix_(order, order)], names, dark=dark())
    st.plotly_chart(figure, theme=None, alt="Share of inputs on which two models predict the same")


def hardest(subject: Subject, view: ComparisonView) -> None:
    """The inputs on which the models are trusted least."""
    st.subheader("Hardest inputs", anchor=False, help="Where LaF gives the models the least chance of being right.")
    if not len(view.hardest):
        st.caption("No input is disputed.")
        return
    tiles = []
    for row in view.hardest.tolist():
        said = [view.predictions.classes[place] for place in view.predictions.labels[row]]
        counts = sorted({name: said.count(name) for name in said}.items(), key=lambda one: -one[1])
        tiles.append(Tile(subject.dataset.show(row), ", ".join(f"{count}× {name}" for name, count in counts)))
    gallery(tiles, across=ACROSS // 2, size=72)


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


page(show)
