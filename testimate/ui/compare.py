"""Several models side by side: which of them, what existing labels say, and their ranking without a label.

A comparison that takes a while shows its progress, and can be stopped. How far to trust the ranking is measured, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from testimate.charts.comparison import agreement_matrix, model_ranking, rank_change
from testimate.comparison.model_columns import models_among
from testimate.comparison.overview import ComparisonView, Stability, ranks_side_by_side
from testimate.comparison.ranking import places_of
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.core.reading import read_as
from testimate.core.subject import Subject
from testimate.core.words import commas, counted, level_words, percent, percent_range
from testimate.demos.catalog import find_demo
from testimate.demos.comparison_models import NINE
from testimate.project.compared_models import (
    TRUE_LABEL,
    ComparisonChoice,
    demo_comparison,
    glyph_comparison,
    table_of_subjects,
)
from testimate.project.subjects import COMPARISON
from testimate.project.version_labels import JudgedModel, KeptContest, kept_contest, state_of_kept
from testimate.reports.compared_models import ends_of, points, points_range
from testimate.subjects.shifts import SHIFTS
from testimate.tables.files import read_cells
from testimate.tables.kinds import TABLE_KINDS
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.job_progress import resume_button, show_running, show_unfinished
from testimate.ui.page_head import UNKNOWN
from testimate.ui.sessions import distinct_names, shift_dial

if TYPE_CHECKING:
    from testimate.comparison.overview import ComparisonView


AT_ONCE = 0.5
"""Seconds that the page waits before it shows progress; what is done by then needs none."""

_MADE = "comparison being made"


def make_comparison(name: str, work: Callable[[Progress], str]) -> str | None:
    """Starts the work that gives a comparison's key; returns the key if it is there at once; else its progress is shown next.

    ``name`` : of the comparison; the same one is not made twice at a time.
    """
    job = f"comparison {name}"
    project().jobs.start(job, work)
    if project().jobs.wait(job, AT_ONCE).state == "done":
        return _taken(job)
    st.session_state[_MADE] = job
    return st.rerun()


def being_made() -> bool:
    """Whether a comparison is being made or was stopped, which is then shown in place of the choice."""
    job = st.session_state.get(_MADE)
    status = None if job is None else project().jobs.status(job)
    if job is None or status is None or status.state == "done":
        return False
    with st.container(border=True):
        if status.state == "running":
            show_running(job, first_step="running the models")
            return True
        show_unfinished(job, stopped="Stopped before all models had run. Nothing was saved.")
        if st.button("Choose models", type="primary"):
            del st.session_state[_MADE]
            project().jobs.forget(job)
            st.rerun()
    return True


def made() -> str | None:
    """The key of the comparison that was made in the background; once."""
    job = st.session_state.pop(_MADE, None)
    return None if job is None or project().jobs.status(job) is None else _taken(job)


def _taken(job: str) -> str:
    key: Any = project().jobs.result(job)
    project().jobs.forget(job)
    return str(key)


def view_of(inputs: Inputs) -> ComparisonView | None:
    """The ranking, made once for each comparison while the server runs; None while it is made or after it was stopped."""
    from testimate.comparison.overview import view_comparison

    jobs, job = project().jobs, f"ranking {inputs.fingerprint}"
    if jobs.status(job) is None:
        jobs.start(job, lambda progress: view_comparison(inputs, progress))
    status = jobs.wait(job, AT_ONCE)
    if status.state == "done":
        view: ComparisonView = jobs.result(job)
        return view
    with st.container(border=True):
        if status.state == "running":
            show_running(job, first_step="ranking the models")
            return None
        show_unfinished(job, stopped="The ranking was stopped.")
        if resume_button(status, "Rank the models"):
            jobs.start(job, lambda progress: view_comparison(inputs, progress))
            st.rerun()
    return None


NONE = "none"
DEMO_SEVERITY = 3


def choose_models() -> str | None:
    """Three ways to make a comparison; the key of the one just made."""
    with st.container(key="stacked models"):
        left, middle, right = st.columns(3, gap="large")
    with left:
        st.subheader("Try the demo", anchor=False)
        made = nine_on_letters() or ten_on_digits()
        if made is not None:
            return made
    with middle:
        st.subheader("Upload predictions", anchor=False)
        made = upload()
        if made is not None:
            return made
    with right:
        st.subheader("Models of this project", anchor=False)
        return of_project()


def nine_on_letters() -> str | None:
    """The demo: nine networks, two of which have a planted fault."""
    st.write("Nine networks read 10,000 letters. Two learned from bad labels. Does the ranking notice?")
    key = shift_dial("glyphs", place="compare")
    pressed = st.button("Compare nine models", type="primary", icon=":material/play_arrow:")
    with st.expander("How each was trained (this reveals the two)"):
        for model in NINE:
            planted = f" **{model.planted}**" if model.planted else ""
            st.markdown(f"- {model.name}: {model.trained}{planted}")
    if not pressed:
        return None
    demo = find_demo(key)
    assert demo is not None
    assert demo.level is not None
    here, level = project(), demo.level
    return make_comparison(key, lambda progress: here.add_comparison(*glyph_comparison(level, progress)).key)


def ten_on_digits() -> str | None:
    """Ten models of other kinds on the digits demo, whose pictures can be corrupted in many ways."""
    with st.expander("Or ten models that read handwritten digits"):
        st.write("Ten models of different quality have read the same 1,497 handwritten digits.")
        shift = st.selectbox(
            "Shifted by",
            [None, *SHIFTS],
            format_func=lambda name: name or "nothing",
            help="How the pictures are corrupted, at severity 3, before the models see them.",
        )
        if not st.button("Compare ten models", icon=":material/play_arrow:"):
            return None
    here, seen = project(), None if shift is None else (shift, DEMO_SEVERITY)
    return make_comparison(
        f"digits {shift}", lambda progress: here.add_comparison(*demo_comparison(seen, progress)).key
    )


def upload() -> str | None:
    """A file with a column per model, and what its other columns are."""
    file = st.file_uploader(
        "Predicted labels",
        label_visibility="collapsed",
        help=f"One row per input, one column per model. {TABLE_KINDS}.",
    )
    if file is None:
        st.caption("One row per input, one column per model.")
        return None
    content = file.getvalue()
    cells = read_cells(content, file.name)
    columns = list(cells.columns)
    if cells.taken:
        st.caption(escape_markdown(read_as(file.name, cells.taken)))
    found = models_among(cells, columns)
    likely = [*found.truths, *found.may_be_truth, *(name for name in columns if name == TRUE_LABEL)]
    if likely:
        asked = f"Is {escape_markdown(likely[0])} the true answer?"
        said = st.segmented_control(asked, ["Yes", "No"], key=f"truth of {file.name}")
        if said is None:
            return None
        likely = likely[:1] if said == "Yes" else []
    truth = st.selectbox("True labels, where known", [NONE, *columns], columns.index(likely[0]) + 1 if likely else 0)
    rest = [name for name in columns if name != truth]
    models = st.multiselect("Models", rest, [name for name in found.models if name != truth])
    for name, why in found.left_out.items():
        if name != truth and name not in models:
            st.caption(escape_markdown(f"{name} is no model: {why}."))
    shown = st.multiselect(
        "Columns that are not models, shown while labeling", [name for name in rest if name not in models]
    )
    names = subjects_by_name()
    by = st.selectbox(
        "Inputs, shown while labeling",
        [None, *names],
        format_func=lambda key: "only the table" if key is None else names[key],
    )
    if not st.button("Compare these models", type="primary"):
        return None
    all_others = {*models, *shown} == {*rest}  # as comparisons were stored before models could be chosen
    choice = ComparisonChoice(
        file.name,
        None if truth == NONE else truth,
        tuple(shown),
        by,
        models=() if all_others else tuple(models),
    )
    return project().add_comparison(content, choice).key


def subjects_by_name() -> dict[str, str]:
    """The name of each subject that is one model, by its key."""
    return distinct_names({entry.key: entry.name for entry in project().entries() if entry.description != COMPARISON})


def of_project() -> str | None:
    """Subjects of the project on the same data; their features are computed once and found again."""
    names = subjects_by_name()
    keys = st.multiselect(
        "Models on the same data", list(names), format_func=lambda key: names[key], label_visibility="collapsed"
    )
    if len(keys) < 2:
        st.caption("Choose two or more models.")
        return None
    if not st.button(f"Compare these {len(keys)}", type="primary"):
        return None
    here, name = project(), f"{names[keys[0]]} and {len(keys) - 1} more.csv"

    def run(progress: Progress) -> str:
        """Runs the models that have not run yet."""
        subjects = [here.subject(key, progress) for key in keys]
        content = table_of_subjects(subjects, [here.inputs(key, progress) for key in keys])
        truth = TRUE_LABEL if any(subject.truth is not None for subject in subjects) else None
        return here.add_comparison(content, ComparisonChoice(name, truth, (), keys[0])).key

    return make_comparison(" ".join(keys), run)


def others_in_project(now: str | None) -> dict[str, str]:
    """The comparisons of the project but this one, key to name."""
    found = [entry for entry in project().entries() if entry.description == COMPARISON and entry.key != now]
    return distinct_names({entry.key: entry.name for entry in found})


def verdict_or_hint(said: str, view: ComparisonView) -> None:
    """What labels decide, or who looks best without any, with what speaks against it in the same paragraph."""
    if said:
        st.markdown(f"#### {escape_markdown(said)}")
        return
    warnings = " ".join(view.trust.warnings)
    if not view.disputed:
        st.markdown(f"#### {escape_markdown(warnings)}")
        return
    leader = view.predictions.models[int(np.argmax(view.laf.score))]
    hint = (
        "Quality and diversity are in the range where the paper found such rankings good. Labels decide."
        if view.trust.good
        else f"Treat it as a hint: {warnings[:1].lower()}{warnings[1:]}"
    )
    st.markdown(f"**{escape_markdown(leader)} looks best by agreement alone.** {escape_markdown(hint)}")


def judged_by_kept_labels(subject: Subject) -> KeptContest | None:
    """The models by labels that their inputs have already; None where no plan of these inputs has any."""
    state = state_of_kept(project(), subject.key)
    kept: tuple[object, KeptContest | None] | None = st.session_state.get("kept contest")
    if kept is None or kept[0] != state:
        try:
            with st.spinner("Judging the models by the existing labels …", show_time=True):
                kept = st.session_state["kept contest"] = state, kept_contest(project(), subject.key)
        except TestimateError as error:
            st.info(escape_markdown(str(error)), icon=":material/info:")
            return None
    return kept[1]


def labels_there(found: KeptContest) -> str:
    """The table of the models by the labels that exist; returns the verdict."""
    st.dataframe([row_of(one) for one in found.models], hide_index=True, placeholder=UNKNOWN)
    rivals = len(found.models) - 1
    shared = f", at a level shared among the {rivals} rivals of a model" if rivals > 1 else ""
    st.caption(
        f"By {counted(found.labels, 'label')} these inputs already have. Behind: accuracy of the model on top minus this "
        f"one's{shared}. Valid only for models that were not trained on these labels or chosen with them."
    )
    for warning in {gap.warning for one in found.models if (gap := one.first_minus_this) is not None and gap.warning}:
        st.caption(escape_markdown(warning))
    return verdict(found)


def behind(one: JudgedModel) -> bool:
    """Whether the model is worse than the one on top, by the interval that counts."""
    ends = _ends(one)
    return ends is not None and ends[0] > 0


def verdict(found: KeptContest) -> str:
    """Who is best, in a sentence."""
    top = found.models[0].model
    open_ = [one.model for one in found.models[1:] if not behind(one)]
    if not open_:
        return f"{top} is the best of the {len(found.models)} models ({level_words(found.level)} confidence)."
    others = open_[0] if len(open_) == 1 else f"{commas(len(open_))} others"
    return f"Too close to call. {top} leads. {others} may be as good."


def row_of(one: JudgedModel) -> dict[str, str]:
    """A model as a row of the table."""
    estimate, ends = one.accuracy.estimate, ends_of(one.accuracy.estimate, one.accuracy.headline)
    row = {"Model": one.model, "Accuracy": percent(estimate.accuracy)}
    row["Interval"] = "none that counts" if ends is None else percent_range(*ends)
    gap, apart = one.first_minus_this, _ends(one)
    row["Behind"] = ""
    if gap is not None and gap.difference is not None:
        ends_said = "no interval that counts" if apart is None else points_range(*apart)
        row["Behind"] = f"{points(gap.difference.value)}; {ends_said}"
    return row


def _ends(one: JudgedModel) -> tuple[float, float] | None:
    gap = one.first_minus_this
    return None if gap is None else ends_of(gap.difference, gap.difference_headline)


WHAT = {
    "LaF": "ability (log odds)",
    "Majority": "with the majority (% of inputs)",
    "Dawid-Skene": "right, as estimated (% of inputs)",
}
"""What each ranking's score is."""


def ranked_by() -> str:
    """The method of the ranking, chosen among the three."""
    each = (
        explained("LaF"),
        explained("Majority", "The better ranking on some data, so look at it, too."),
        explained(
            "Dawid-Skene", "Here the models vote: the share of inputs that each is right on, if they err independently."
        ),
    )
    which = st.segmented_control(
        "Ranking method", list(WHAT), default="LaF", required=True, key="ranked by", help="\n\n".join(each)
    )
    return str(which)


def ranking(view: ComparisonView, which: str) -> None:
    """One ranking, with the range each score would have on other inputs."""
    st.subheader("Ranking without labels", anchor=False, help=explained(which))
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
        st.caption(escape_markdown(f"Too close to the first to tell: {', '.join(close[1:])}."))


def details(view: ComparisonView, which: str) -> None:
    """The numbers behind the chart."""
    found: Stability = view.rankings[which]
    order = np.argsort(-found.score, kind="stable")
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
            "Spearman", "Correlation of LaF's ranking with those on resampled inputs. 1 means that it never changes."
        ),
    )
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
            "These comparisons have fewer than two models in common. Models are matched by the names of their columns."
        )
        return
    names = [subject.name, *(others[key] for key in chosen)]
    st.plotly_chart(rank_change(ranks, names, dark=dark()), theme=None, alt="Ranks of the models on each dataset")
