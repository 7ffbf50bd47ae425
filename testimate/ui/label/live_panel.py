"""Beside the labeling surface: what is known so far and, on request, the cluster of the input being judged and the last
fault.

Charts are drawn again at most once a second, so that drawing them never holds up the keys. A session inside a part of the
inputs shows what its labels say about that part.
"""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import plotly.graph_objects as go
import streamlit as st

from testimate.charts.clusters import strata_filled
from testimate.core.errors import NotEnoughLabels, TestimateError
from testimate.core.session_record import Tester
from testimate.core.task import ROUGH, Measure
from testimate.core.words import commas, counted, percent, percent_range
from testimate.planning.estimate import counting_ends, headline_of
from testimate.planning.parts import Slice
from testimate.project.cluster_review import Columns, can_be_sliced, columns_of
from testimate.project.cluster_settings import ClusterSettings, suited_settings
from testimate.project.second_looks import is_second_look
from testimate.project.selections import is_of_selection, known_losses, selection_estimate, slice_by_fresh_labels
from testimate.project.version_gate import is_gate_session
from testimate.project.version_labels import is_top_up
from testimate.reports.compared_models import compares_models
from testimate.reports.explained_words import place_words, role_words
from testimate.reports.live import ExactMetrics, LiveReport, session_boxes
from testimate.reports.parts import session_slices
from testimate.reports.people import TeamProgress, known_label_words
from testimate.reports.remarks import remarks
from testimate.reports.words import (
    DECIDED,
    decided_words,
    earlier_interval_words,
    goal_words,
    other_interval_words,
    severe_words,
    still_needed_words,
    widened_words,
)
from testimate.session.session import Session
from testimate.ui.appearance import dark, lecturing
from testimate.ui.best_model_labels import contest_panel
from testimate.ui.components.gauges import round_bar, width_gauge
from testimate.ui.components.shown_input import Tile, gallery, shown_input
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_dialog import explanation
from testimate.ui.result_charts import estimate_chart, faults_by_severity
from testimate.ui.truth import truth_revealed
from testimate.ui.version_gate import gate_panel

SECONDS = 1.0
"""Seconds between two drawings; an older chart is not wrong, but people expect a new one within a second."""


@dataclass
class PacedCharts:
    """The charts of one session as this browser page has them.

    Attributes
    ----------
    rest : seconds until they may be drawn again; 0 where they are drawn in this run.
    """

    rest: float = 0.0
    _drawn_at: float = float("-inf")
    _figures: dict[str, tuple[Hashable, go.Figure]] = field(default_factory=dict)

    def begin_run(self) -> None:
        """Notes that a run of the page begins, and decides whether it is time to draw."""
        now = time.monotonic()
        self.rest = max(0.0, self._drawn_at + SECONDS - now)
        if not self.rest:
            self._drawn_at = now

    def figure(self, key: str, make: Callable[[], go.Figure], looks: Hashable = None) -> go.Figure:
        """The chart of this name; made again when it is time, or when ``looks``, what else it shows, has changed."""
        kept = self._figures.get(key)
        if kept is None or not self.rest or kept[0] != looks:
            kept = self._figures[key] = (looks, make())
        return kept[1]


def paced_charts(session: str) -> PacedCharts:
    """Those of a session, by its id."""
    name = f"charts {session}"
    charts = st.session_state.setdefault(name, PacedCharts())
    assert isinstance(charts, PacedCharts)
    return charts


DETAILS = "details wanted"
LOW, TALL = 166, 360
"""Pixels of the running estimate, the second ones in projector mode."""

MOST_STRATA = 12
"""With more strata than this only their summary is shown."""


def own_panel(session: Session, report: TeamProgress, who: Tester, *, goes_on: bool) -> None:
    """The session's progress, for a tester: nothing about the answers of others. ``goes_on`` : whether an input is shown."""
    said, answered, inputs = session.said_by(who.name), report.answered, report.inputs
    left, right = st.columns(2)
    left.metric("Your answers", commas(said))
    right.metric("Answered by enough testers", f"{commas(answered)} of {commas(inputs)}")
    st.progress(min(1.0, answered / max(inputs, 1)))
    on = ". Keep labeling" if goes_on and max(said, answered) < inputs else ""
    (st.success if report.may_stop else st.caption)(
        "The team can stop. The result is as precise as planned." if report.may_stop else f"Not precise enough yet{on}."
    )
    st.caption("Other testers' answers are hidden, so yours stays independent.")


def panel(session: Session, report: LiveReport, charts: PacedCharts) -> None:
    """What the labels say so far."""
    if compares_models(session):
        contest_panel(session)
        return
    if is_second_look(session.session_record):
        second_look_panel(report)
        return
    if is_gate_session(session.session_record):
        gate_panel(session)
        return
    if is_top_up(session.session_record):
        top_up_panel(report)
        return
    if is_of_selection(session.session_record):
        part_panel(session, report)
        faults_panel(report, severe_words(session.inputs.task))
        return
    if session.inputs.task.compares:
        comparison_panel(session, report, charts)
        return
    estimate_panel(session, report, charts)
    boxes_panel(session)
    faults_panel(report, severe_words(session.inputs.task))
    faults_by_severity(session, report)
    current_round(report)
    other = other_interval_words(session, report.estimate)
    if not (other or strata_shown(report) or can_be_sliced(session)):
        return
    if not details_wanted():
        return
    if other:
        st.caption(escape_markdown(other))
    live_slices(session, columns_of(project(), session))  # only while they are shown: a key does not wait for them
    strata_panel(report, session.selector.design.part, charts)


def comparison_panel(session: Session, report: LiveReport, charts: PacedCharts) -> None:
    """Whether the better of two systems is decided; which one leads is shown on request, to keep labeling blind."""
    if decided_words(session, report.estimate).startswith(DECIDED):
        st.success("Decided. You can stop. Results shows which system won.")
    else:
        st.caption("Not decided yet. The two may still be equally good. Keep going.")
    asked = st.toggle(
        "Show who leads",
        key="show who leads",
        help="The score moves with every answer, which gives away the sides. Keep it off to judge blind.",
    )
    if asked:
        estimate_panel(session, report, charts)


def top_up_panel(report: LiveReport) -> None:
    """The progress of a top-up; its result is on the Versions page, with the plans before it."""
    st.metric("Labeled for the versions", f"{commas(report.counts.done)} of {commas(report.planned)}")
    st.progress(min(1.0, report.counts.done / max(report.planned, 1)))
    st.caption("These labels add to your earlier ones. Once all are in, see the result under Models.")


def second_look_panel(report: LiveReport) -> None:
    """The progress of a second look; nothing about the first answers, which would influence the second ones."""
    st.metric("Looked at again", f"{commas(report.counts.done)} of {commas(report.planned)}")
    st.progress(min(1.0, report.counts.done / max(report.planned, 1)))
    st.caption(
        "Take your time. These inputs were drawn at random, so what you find corrects the whole result. First answers are "
        "hidden. If you can't tell, the first one stands."
    )


CHOSEN = "Average over the chosen inputs only. They weren't drawn at random, so it guarantees nothing about the rest."


def estimate_panel(session: Session, report: LiveReport, charts: PacedCharts) -> None:
    """The accuracy with the interval that counts, the other in small print, against labels, and whether you may stop."""
    estimate, record = report.estimate, session.session_record
    measure = session.inputs.task.measure
    chosen = not session.selector.design.at_random
    title = measure.title
    if chosen and not (session.inputs.task.numeric and measure.is_share):
        title = "Mean of chosen"
    elif not chosen:
        noun = measure.noun.removeprefix("the ")
        title = f"{noun[:1].upper()}{noun[1:]} of all {counted(len(session.inputs), 'input')}"
    ends = None if estimate is None else counting_ends(estimate, report.headline)
    fixed = report.headline == "fixed" or (
        report.headline is None and estimate is not None and estimate.low is not None
    )
    headline(
        title,
        "–" if estimate is None else measure.brief(estimate.accuracy),
        ""
        if chosen or estimate is None
        else f"{interval(ends, measure)} {kind_of_interval(fixed, record.level, measure)}",
        help=CHOSEN if chosen else accuracy_explained("Estimated for the whole set.", fixed, measure),
    )
    if report.errors is not None:
        st.caption(escape_markdown(report.errors.words()))
    if estimate is not None:
        figure = charts.figure(
            "running estimate",
            lambda: live_chart(session, report),
            looks=(dark(), truth_revealed()),
        )
        st.plotly_chart(figure, theme=None, key="running estimate", alt=report.words, config={"displayModeBar": False})
    if chosen:
        st.caption(f"No guarantee. {CHOSEN}")
    elif estimate is not None and estimate.why:
        st.caption(escape_markdown(estimate.why))
    again = earlier_interval_words(session, estimate)
    for sentence in (widened_words(estimate, measure), again, *remarks(session), *known_label_words(session)):
        if sentence:
            st.caption(escape_markdown(sentence))
    if report.labeled and report.no_number:
        st.caption(escape_markdown(report.no_number))
    gauged = goal_gauge(session, report)
    more = "" if report.may_stop or report.headline == "fixed" else still_needed_words(session, estimate)
    said = KEEP_GOING if more and gauged else report.may_stop_words  # the gauge shows how wide it is, and the goal
    (st.success if report.may_stop else st.caption)(escape_markdown(f"{said} {more}".rstrip()))


KEEP_GOING = "Keep going."


def one_line(session: Session, report: LiveReport) -> str:
    """The panel in one line, for a narrow screen; empty where there is no number, or where it would not be blind."""
    record, estimate = session.session_record, report.estimate
    of_all = not (is_second_look(record) or is_top_up(record) or is_of_selection(record))
    if estimate is None or not of_all or compares_models(session) or session.inputs.task.compares:
        return ""
    measure, ends = session.inputs.task.measure, counting_ends(estimate, report.headline)
    between = "" if ends is None else f" ({interval(ends, measure)})"
    return f"**{measure.brief(estimate.accuracy)}**{between} · {counted(report.failures, 'fault')}"


def goal_gauge(session: Session, report: LiveReport) -> bool:
    """Draws how wide the interval that counts is, against the goal; False where none counts."""
    estimate, measure, goal = report.estimate, session.inputs.task.measure, session.session_record.half_width
    if estimate is None or report.headline is None:
        return False
    half = estimate.half_width if report.headline == "fixed" else estimate.always_half_width
    if half is None:
        return False
    reached, wanted = (measure.half_width(one).removesuffix(" points") for one in (half, goal))
    width_gauge(half, goal, reached=reached, wanted=wanted)
    return True


def live_chart(session: Session, report: LiveReport) -> go.Figure:
    """The running estimate beside the surface with, on request, the truth; how wide it is stands below, not in it.

    The stop-safe interval is not centered on the estimate, so a bracket at the estimate would mislead. The only band is that of
    the interval that counts, as long as the other one counts for nothing.
    """
    alone = report.headline == "always"
    figure = estimate_chart(session, report, truth=report.truth, stop_safe_alone=alone)
    figure.update_layout(height=TALL if lecturing() else LOW, yaxis_title=None)
    if alone and report.truth is None:
        figure.update_layout(showlegend=False, margin_t=10)
        name_the_band(figure, report, session.inputs.task.measure)
    return figure


def name_the_band(figure: go.Figure, report: LiveReport, measure: Measure) -> None:
    """Write what the band is into the plot, left of the last number and away from it; nothing where the band has no width."""
    trail, estimate = report.trail_that_counts, report.estimate
    if estimate is None or estimate.always_low == estimate.always_high:
        return
    low, high = figure.layout.yaxis.range
    below = measure.factor * estimate.accuracy > (low + high) / 2
    figure.add_annotation(
        text="stop-safe interval",
        x=trail.labels[-1],
        xanchor="right",
        xshift=-8,
        yref="paper",
        y=0.04 if below else 0.96,
        yanchor="bottom" if below else "top",
        showarrow=False,
    )


def headline(title: str, value: str, between: str, *, help: str) -> None:
    """Draw the number that the labels are for and, in the same line, its interval with level and kind; "" for none."""
    with st.container(key="headline"):
        st.metric(title, value, between, delta_color="off", delta_arrow="off", help=help)


def kind_of_interval(fixed: bool, level: float, measure: Measure) -> str:
    """Return the level and the kind of an interval, in small print; ``fixed`` : valid at the planned number of labels."""
    kind = "fixed-size" if measure.is_share else "rough"
    return f":small[:gray[{percent(level, 0)}, {kind if fixed else 'stop-safe'}]]"


def accuracy_explained(of: str, fixed: bool, measure: Measure) -> str:
    """Explain an estimate, of what it is, and the interval beside it."""
    if not fixed:
        return f"{explained('accuracy', of)}\n\n{explained('stop-safe interval')}"
    return f"{explained('accuracy', of)}\n\n{explained('ordinary interval', '' if measure.is_share else ROUGH)}"


def interval(ends: tuple[float, float] | None, measure: Measure) -> str:
    """Both ends, or a dash."""
    if ends is None:
        return "–"
    if ends[0] == ends[1]:
        return f"exactly {measure.brief(ends[0])}"
    return measure.brief_range(ends[0], ends[1])


ESTIMATED = "Of the labels so far, with the number of faults estimated. Exact: by the known truth."


def exactly(exact: ExactMetrics | None, labeled: int) -> str:
    """What the exact numbers are based on, and what a zero among them means; empty if the truth is not known."""
    if exact is None:
        return ""
    words = "Exact: by the known answers of the whole set, not by the labels."
    first = f"the first {counted(min(labeled, exact.faults), 'labeled input')}"
    if exact.wfdr == 0:
        return f"{words} 0%: none of {first} is a fault."
    if exact.sfdr == 0:
        return f"{words} SFDR 0%: none of the faults among {first} belongs to the most severe."
    return words


def boxes_panel(session: Session) -> None:
    """Precision and recall of a detector so far, over all classes; nothing for other tasks."""
    found = session_boxes(session)
    if found is None:
        return
    total = found.scores.all
    for column, title, part in zip(
        st.columns(2), ("Precision", "Recall"), (total.precision, total.recall), strict=True
    ):
        ends = None if part.low is None or part.high is None else (part.low, part.high)
        column.metric(
            title,
            "–" if part.value is None else percent(part.value),
            delta=None if ends is None else percent_range(*ends),
            delta_color="off",
            delta_arrow="off",
            help=part.why or explained(title.lower(), "A fixed-size interval."),
        )


def faults_panel(report: LiveReport, severe: str) -> None:
    """The faults found, how many are severe and how well their order finds them; ``severe`` : what makes one so."""
    if report.severity is None:
        st.metric("Faults", commas(report.failures), help=explained("fault", "Among the inputs labeled."))
        if report.failures:
            st.caption("No severity: this test set has no confidence.")
        return
    running, exact = report.running, report.exact
    columns = st.columns([2, 2, 4, 4], gap="small")
    columns[0].metric("Faults", commas(report.failures), help=explained("fault", "Among the inputs labeled."))
    columns[1].metric("Severe", commas(report.severity.high), help=explained("severity", f"Here: {severe}."))
    columns[2].metric(
        "Found early (WFDR)",
        "–" if running is None or running.wfdr is None else percent(running.wfdr),
        delta="" if exact is None or exact.wfdr is None else f"exact {percent(exact.wfdr)}",
        delta_color="off",
        delta_arrow="off",
        help=explained("WFDR", ESTIMATED),
    )
    columns[3].metric(
        "Severe first (SFDR)",
        "–" if running is None else percent(running.sfdr),
        delta="" if exact is None else f"exact {percent(exact.sfdr)}",
        delta_color="off",
        delta_arrow="off",
        help=explained("SFDR", ESTIMATED),
    )
    if explanation := exactly(exact, report.labeled):
        st.caption(explanation)
    if running is not None and running.wfdr is not None and report.labeled < SETTLED:
        st.caption(leaps(report.labeled))


SETTLED = 20
"""Labels from which on the next one moves WFDR by less than 5 points."""


def leaps(labeled: int) -> str:
    """Why WFDR leaps while labels are few.

    >>> leaps(1)
    'WFDR leaps while labels are few: the next one can move it by about 50 points.'
    """
    points = round(100 / (labeled + 1))
    return f"WFDR leaps while labels are few: the next one can move it by about {points} points."


def current_round(report: LiveReport) -> None:
    """How far the round at work is, of a technique that draws in rounds it learns from."""
    if report.rounds:
        now = next((one for one in report.rounds if one.labeled < one.planned), report.rounds[-1])
        round_bar(now.number, now.labeled, now.planned)


def details_wanted() -> bool:
    """The switch for details; it stays as you left it: over other pages through memory, over a reload through the address."""
    wanted = st.toggle(
        "More",
        bool(st.session_state.get(DETAILS)),
        key="details",
        bind="query-params",
        help="Other interval, groups, rounds.",
    )
    st.session_state[DETAILS] = wanted
    return wanted


def strata_shown(report: LiveReport) -> bool:
    """Whether there are rounds, or few enough strata for a chart."""
    return bool(report.rounds) or 1 < len(report.strata) <= MOST_STRATA


def strata_panel(report: LiveReport, what: str, charts: PacedCharts) -> None:
    """Labels in each stratum, or in each of the last rounds."""
    if not strata_shown(report):
        return
    figure = charts.figure("strata", lambda: strata_chart(report, what), looks=(dark(), bool(report.rounds)))
    st.plotly_chart(figure, theme=None, key="strata", alt=f"Labels per {what}", config={"displayModeBar": False})


def strata_chart(report: LiveReport, what: str) -> go.Figure:
    """A bar for each stratum, or for each of the last rounds."""
    if report.rounds:
        filled = [one.labeled for one in report.rounds]
        planned = [one.planned for one in report.rounds]
        names = [str(one.number) for one in report.rounds]
        figure = strata_filled(filled, planned, what="round", names=names, dark=dark())
    else:
        filled = [one.labeled for one in report.strata]
        planned = [one.size if one.planned is None else one.planned for one in report.strata]
        figure = strata_filled(filled, planned, what=what, dark=dark())
    return figure.update_layout(height=190)


if TYPE_CHECKING:
    from testimate.project.clusters import ClusterView  # takes part of a second to load, and few people ask for it

EVERY = 2.0
"""Seconds between two updates of the progress."""

ACROSS = 6


ITS_CLUSTER, LAST_FAULT = "show its cluster", "explain the last fault"
"""The keys of two switches in the menu below the surface, and of whether each is on."""


def surface_menu(*, last_fault_known: bool) -> None:
    """Offer the plain buttons, the input's cluster and the last fault; ``last_fault_known`` : whether one may see it."""
    with st.popover(
        "", icon=":material/more_horiz:", help="More about this input", type="tertiary", key="menu of the surface"
    ):
        st.toggle(
            "Plain buttons", key="plain buttons", help="For screen readers, and browsers that do not run scripts."
        )
        st.toggle(
            "Show its cluster",
            key=ITS_CLUSTER,
            help="The prototypes and criticisms of the input's cluster, without what the network says about them.",
        )
        if last_fault_known:
            st.toggle(
                "Explain the last fault",
                key=LAST_FAULT,
                help="What was labeled already: where the network looked, and similar inputs. The next input stays on "
                "screen.",
            )


def its_cluster_if_asked(session: Session, row: int | None) -> None:
    """The cluster of the row, where the menu asks for it; None means that no input is being judged."""
    if not st.session_state.get(ITS_CLUSTER) or row is None:
        return
    if not session.inputs.features:
        st.caption("These inputs have no features, so there are no clusters: open a model, or add a file of features.")
        return
    settings = suited_settings(session.inputs)
    status = project().find_clusters(session.session_record.subject, settings)
    if status is None:
        pictures(project().clusters(session.session_record.subject, settings), session, row)
    elif status.state == "running":
        being_found(session.session_record.subject, settings)
    else:
        st.caption(escape_markdown(status.error or "Finding the clusters was stopped. Start it again under Explore."))


@st.fragment(run_every=EVERY)
@errors_in_words
def being_found(subject: str, settings: ClusterSettings) -> None:
    """The work, watched until it is over; labeling continues in the meantime."""
    status = project().find_clusters(subject, settings)
    if status is None or status.state != "running":
        st.rerun()
    st.caption(f"The clusters are being found: {status.seconds:.0f} s so far. You can go on labeling.")


def pictures(view: "ClusterView", session: Session, row: int) -> None:
    """Which cluster the row is in, with its prototypes and criticisms."""
    words = [f"Input {commas(row)}", place_words(view, row), role_words(view, row)]
    st.markdown(escape_markdown(": ".join(words[:2]) + (f"; {words[2]}" if words[2] else "") + "."))
    if view.labels[row] < 0:
        st.caption("This input is in no cluster.")
        return
    card = view.cards[view.labels[row]]
    for title, rows in (("Prototypes", card.prototypes), ("Criticisms", card.criticisms)):
        if len(rows):
            st.caption(f"{title} of its {view.group}")
            gallery([Tile(session.show(one), commas(one)) for one in map(int, rows)], across=ACROSS, size=72)


LOOKED_BACK = 50
"""How many of the last answers are searched for a fault."""


def last_fault_if_asked(session: Session) -> None:
    """The last input that was answered and failed, where the menu asks for it."""
    if not st.session_state.get(LAST_FAULT):
        return
    row = last_fault(session)
    if row is None:
        st.caption("No fault among the last answers.")
    else:
        one_fault(session, row)


def last_fault(session: Session) -> int | None:
    """The row of the fault found last; None where the last answers hold none."""
    answers = session.answers()
    for labeled in session.recent(LOOKED_BACK):
        row = labeled.row
        if row in answers and bool(session.inputs.task.failed([session.inputs.loss(row, answers[row])])[0]):
            return row
    return None


@st.fragment
@errors_in_words
def one_fault(session: Session, row: int) -> None:
    """The fault; a part of the page of its own, so that labeling goes on while the model is asked."""
    inputs, subject = session.inputs, project().subject(session.session_record.subject)
    with st.container(border=True):
        shown_input(subject.dataset.show(row), size=120)
        said = inputs.task.prediction_text(inputs.predictions[row])
        words = (
            f"Input {commas(row)}: the network said {said}, you said {inputs.task.answer_text(session.answers()[row])}."
        )
        st.markdown(escape_markdown(words))
        explanation(row, subject, inputs, session, blind=True)


def part_panel(session: Session, report: LiveReport) -> None:
    """The accuracy of the part with the interval that counts, and whether one may stop."""
    record, measure = session.session_record, session.inputs.task.measure
    options = record.request.options
    called = str(options.get("called", "")) or "this part"
    size = len(options["rows"]) + len(options.get("known", ()))
    st.markdown(escape_markdown(f"Inside {called}, {commas(size)} inputs"))
    estimate, why = None, ""
    try:
        if "known" in options:
            estimate = slice_by_fresh_labels(session, known_losses(project(), record.subject))
        else:
            estimate = selection_estimate(session)
    except NotEnoughLabels as error:
        why = str(error)
    counts = None if estimate is None else headline_of(session.finished, estimate.low, estimate.always_low)
    ends = None if estimate is None else counting_ends(estimate, counts)
    fixed = counts == "fixed"
    headline(
        measure.title,
        "–" if estimate is None else measure.brief(estimate.accuracy),
        f"{interval(ends, measure)} {kind_of_interval(fixed, record.level, measure)}",
        help=accuracy_explained("Estimated for this part alone.", fixed, measure),
    )
    st.progress(min(1.0, report.counts.done / max(report.planned, 1)))
    if why:
        st.caption(escape_markdown(why))
    if ends is not None:
        reached, said = goal_words((ends[1] - ends[0]) / 2, record.half_width, measure)
        if reached:
            st.success(said)
        elif not session.finished:
            st.caption(said)
    st.caption("These inputs were drawn inside the part, so they change no estimate of the whole set.")


HEIGHT = 212
"""Height in pixels; the rest scrolls, so that nothing below it moves."""

COLUMN = "live slices"


def live_slices(session: Session, columns: Columns) -> None:
    """A choice of the column and its slices, those with the most labels first; nothing without a column.

    It only shows past answers: nothing hints at the input on screen.
    """
    if not columns:
        return
    name = st.selectbox("Groups by", list(columns), key=f"{COLUMN} {session.session_record.id}")
    try:
        grouping = columns[name]()
    except TestimateError as error:
        st.caption(escape_markdown(str(error)))
        return
    measure = session.inputs.task.measure
    found = sorted(session_slices(session, grouping), key=lambda one: -one.estimate.labeled)
    st.dataframe(
        [
            {
                name: one.value,
                "Labels": one.estimate.labeled,
                f"{measure.title}, with its interval": _words(one, measure),
            }
            for one in found
        ],
        hide_index=True,
        height=HEIGHT,
    )


def _words(one: Slice, measure: Measure) -> str:
    """The share with its interval, or what is missing."""
    found = one.estimate
    if found.value is None or found.low is None or found.high is None:
        return found.why
    return f"{measure.brief(found.value)}, {measure.brief_range(found.low, found.high)}"
