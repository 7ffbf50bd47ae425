"""Where the network fails: the accuracy of slices with intervals, as a table and a forest plot, and more labels in a slice.

By class: precision, recall and F1 with intervals, their means, and the confusion matrix of all inputs; of a detector,
precision and recall. Weak spots that nobody named are searched on request, with their numbers and faults, and fresh labels
to confirm them.
"""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.comparison import shares_confused
from testimate.charts.estimates import forest
from testimate.core.errors import TestimateError
from testimate.core.session_record import HALF_WIDTH
from testimate.core.words import DOWN, UP, commas, level_words, percent, percentage
from testimate.planning.parts import MANY, Grouping, with_outside
from testimate.planning.weak_spots import CANDIDATES, WeakSpot
from testimate.project.cluster_review import Columns, columns_of, grouping_by, traits_of
from testimate.project.selections import (
    is_of_selection,
    known_losses,
    label_in_slice,
    labels_for,
    members_digest,
    top_ups_of,
)
from testimate.reports.calibration import EXPLAINED, ConfidenceWords, session_confidence
from testimate.reports.gaps import session_gaps
from testimate.reports.live import LiveReport, session_boxes
from testimate.reports.outside import counts_outside, outside_of
from testimate.reports.parts import (
    SlicesFound,
    confirmed_words,
    fresh_words,
    mean_errors,
    score_lines,
    session_scores,
    session_weak_spots,
    slices_with_top_ups,
)
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.navigation import go
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import LABEL


@st.fragment
@errors_in_words
def class_scores(session: Session) -> None:
    """The table beside the matrix; a part of the page of its own."""
    together = st.checkbox(
        "Correct for multiple comparisons",
        key=f"scores together {session.session_record.id}",
        help="Wider intervals (Bonferroni), so that all of them hold at once as often as one normally does.",
    )
    try:
        scores = session_scores(session, simultaneous=together)
    except TestimateError as error:
        st.info(escape_markdown(str(error)), icon=":material/info:")
        return
    classes, met = session.inputs.task.classes, outside_of(session)
    name = "" if met is None else met.row
    st.caption(
        "Precision: of the inputs predicted as a class, the share that belong to it. Recall: of the inputs of a "
        "class, the share predicted as it. F1: their harmonic mean. Each is estimated for all inputs, allowing for "
        "how the labels were drawn."
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.dataframe(
            [
                {"class": one.name, "precision": one.precision, "recall": one.recall, "F1": one.f1}
                for one in score_lines(scores, classes, name)
            ],
            hide_index=True,
        )
    with right:
        if scores.confusion:
            rows, places = with_outside(classes, [one.true for one in scores.confusion])
            cells = [
                (place, one.predicted, one.share.value or 0.0)
                for place, one in zip(places, scores.confusion, strict=True)
            ]
            figure = shares_confused(cells, rows, dark=dark())
            st.plotly_chart(figure, theme=None, alt="Confusion matrix of all inputs, in percent of all")


FRESH = 40
"""Labels that are offered to confirm a spot."""

PICTURES, ACROSS = 9, 9
COLUMN = "weak spot"
"""Beginning of the tags under which confirmed spots are stored."""


@st.fragment
@errors_in_words
def weak_spots(session: Session) -> None:
    """What one half of the labels finds and the other one measures."""
    subject = session.session_record.subject
    if not project().columns.has_descriptions(subject):
        st.markdown(
            "Looks for parts of the inputs that fail more often than the rest: by what the network says, by columns, "
            "tags and clusters, and by properties of pictures, texts and sounds, for which each input is opened once."
        )
        if not st.button("Look for weak spots", type="primary", icon=":material/search:"):
            return
        described(subject)
        st.rerun(scope="fragment")  # without the button
    traits = traits_of(project(), session)
    found = session_weak_spots(project(), session, traits)
    st.caption(
        f"Checked {commas(found.traits)} traits and their pairs. Half the labels suggest up to {CANDIDATES} groups. The other "
        "half tests them. By chance alone, at most 1 campaign in 20 would name any."
    )
    if not found.spots:
        st.info(escape_markdown(found.why), icon=":material/task_alt:")
    for spot in found.spots:
        one_spot(session, spot)


def described(subject: str) -> None:
    """Describes each input, with progress."""
    place = st.empty()
    bar = place.progress(0.0, "Looking at the inputs …")

    def progress(done: int, total: int, what: str = "") -> None:
        bar.progress(min(1.0, done / max(total, 1)), f"{what[:1].upper()}{what[1:]}: {commas(done)} of {commas(total)}")

    project().columns.descriptions(subject, progress)
    place.empty()


def one_spot(session: Session, spot: WeakSpot) -> None:
    """The spot in words, with the faults found in it, and what fresh labels say."""
    with st.container(border=True):
        st.markdown(f"**{escape_markdown(spot.sentence())}**")
        faults_in(session, spot)
        if said := confirmed_words(project(), session, spot):
            st.markdown(escape_markdown(said))
        label_in_part(session, spot.rows, spot.words, accuracy=spot.estimate.value, count=FRESH, column=COLUMN)


def faults_in(session: Session, spot: WeakSpot) -> None:
    """Some of the faults found in it; nothing if there are none to show."""
    inputs, answers = session.inputs, session.answers()
    rows = np.intersect1d(spot.rows, list(answers))
    failed = [row for row in rows.tolist() if bool(inputs.task.failed([inputs.loss(row, answers[row])])[0])]
    tiles = []
    for row in failed[:PICTURES]:
        said = f"predicted {inputs.task.prediction_text(inputs.predictions[row])}"
        if inputs.confidence is not None and not inputs.task.numeric:
            said += f" ({percent(inputs.confidence[row], 0)})"
        tiles.append(
            Tile(
                session.show(row), f"{said}, actually {inputs.task.answer_text(answers[row])}", help=inputs.name_of(row)
            )
        )
    if tiles:
        gallery(tiles, across=ACROSS)


VIEWS = ("Groups", "Precision and recall", "Confidence", "Weak spots")

LOWEST = "the lowest: its interval allows for being picked"


def slices(session: Session, report: LiveReport) -> None:
    """The section; nothing if the session is about a part of the inputs or the inputs have nothing to slice by."""
    columns = columns_of(project(), session)
    if not columns:
        return
    st.subheader("Where it fails", anchor=False)
    one_class = "predicted class" in columns
    sure = session_confidence(session)
    missing = {"Precision and recall"} if not one_class else set[str]()
    views = [name for name in VIEWS if name not in (missing if sure is not None else missing | {"Confidence"})]
    view = st.segmented_control(
        "Where it fails",
        views,
        default=views[0],
        required=True,
        label_visibility="collapsed",
        key=f"where it fails {session.session_record.id}",
    )
    if view == "Precision and recall":
        class_scores(session)
    elif view == "Confidence" and sure is not None:
        confidence(sure)
    elif view == "Weak spots":
        weak_spots(session)
    else:
        by_column(session, report, columns)


@st.fragment
@errors_in_words
def by_column(session: Session, report: LiveReport, columns: Columns) -> None:
    """The slices of a column, or of the pairs of two; a part of the page of its own, so that a choice draws it alone."""
    key, measure = session.session_record.id, session.inputs.task.measure
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.selectbox("By", list(columns), key=f"slices {key}", width=240)
        others = [name for name in columns if name != first]
        with st.popover("Options"):
            second = st.selectbox(
                "and by", others, None, placeholder="nothing else", key=f"and by {key} {first}", width=240
            )
            together = st.checkbox(
                "Correct for multiple comparisons",
                help="Wider intervals (Bonferroni), so that all of them hold at once as often as one normally does.",
            )
    try:
        grouping = grouping_by(columns, first, second)
    except TestimateError as error:
        st.warning(escape_markdown(str(error)), icon=":material/warning:")
        return
    found = slices_with_top_ups(project(), session, grouping, simultaneous=together)
    places = list(found.measured)
    if few := found.few_words():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(escape_markdown(few), width="content")
            if st.toggle("Show them", key=f"few labels {key} {grouping.column}"):
                places += [place for place in range(len(found.slices)) if place not in places]
    if not places:
        return
    if found.measured:
        st.caption(
            f"{MANY} These intervals are fixed-size.",
            help="They are valid at the planned number of labels. Click a row to label more of that group.",
        )
    with st.container(key="stacked slices"):
        left, right = st.columns([8, 5], gap="medium")
    with left:
        picked = table(session, found, places)
    with right:
        chart(found, report, measure.title)
    gaps(session, grouping, simultaneous=together)
    place = picked if picked is not None else found.lowest
    if place is not None:
        more_labels(session, found, place)
    for at, top_up in found.top_ups.items():
        said = f"{grouping.column} {grouping.values[at]}: {fresh_words(session, top_up)}"
        st.caption(escape_markdown(said))


def confidence(sure: ConfidenceWords) -> None:
    """Show what the labels say about the network's confidence."""
    st.dataframe([{"Of the confidence": name, "By the labels": words} for name, words in sure.lines()], hide_index=True)
    st.caption(EXPLAINED)
    for sentence in sure.sentences():
        st.markdown(escape_markdown(sentence))


def gaps(session: Session, grouping: Grouping, *, simultaneous: bool) -> None:
    """Show how far each group is from the rest, and the largest gap; nothing if no two groups have enough labels."""
    found = session_gaps(session, grouping, simultaneous=simultaneous)
    largest = found.largest()
    if not largest:
        return
    with st.expander("Gaps between groups", icon=":material/align_horizontal_left:"):
        st.markdown(escape_markdown(largest))
        st.dataframe([{"Group": value, "Minus the rest": words} for value, words in found.lines()], hide_index=True)


def table(session: Session, found: SlicesFound, places: Sequence[int]) -> int | None:
    """A row for each slice at these places, which one can sort; the place of the one that is clicked."""
    measure, column = session.inputs.task.measure, found.grouping.column
    errors, outside = mean_errors(session, found.grouping), [*counts_outside(session)]
    called = session.inputs.task.outside.capitalize()
    unit = session.inputs.task.unit
    lowest = found.lowest
    rows = []
    for place in places:
        one = found.slices[place]
        note = one.estimate.why or (LOWEST if place == lowest and place not in found.top_ups else "")
        row = {
            column: one.value,
            "Inputs": one.size,
            "Labels": one.estimate.labeled,
            measure.title: _percent(one.estimate.value),
            "Low": None if one.estimate.low is None else percentage(one.estimate.low, 1, DOWN),
            "High": None if one.estimate.high is None else percentage(one.estimate.high, 1, UP),
        }
        error = errors[place]
        if session.inputs.task.numeric:
            row["Mean error"] = "" if error is None else error.words(unit)
        if outside:
            row[called] = int((found.grouping.groups[outside] == place).sum())
        rows.append({**row, "Note": note})
    percent = st.column_config.NumberColumn(format="%.1f%%")
    chosen = st.dataframe(
        rows,
        hide_index=True,
        column_config={measure.title: percent, "Low": percent, "High": percent},
        on_select="rerun",
        selection_mode="single-row",
        key=f"slices table {session.session_record.id} {column} {len(places)}",
        placeholder=UNKNOWN,
    )
    picked: Sequence[int] = chosen.selection.rows
    return places[int(picked[0])] if picked and picked[0] < len(rows) else None


def chart(found: SlicesFound, report: LiveReport, measure: str) -> None:
    """The forest plot of the slices with an interval."""
    shown = [one for one in found.slices if one.estimate.low is not None]
    if not shown:
        return
    figure = forest(
        [one.value for one in shown],
        [one.estimate.value or 0.0 for one in shown],
        [one.estimate.low or 0.0 for one in shown],
        [one.estimate.high or 0.0 for one in shown],
        whole=None if report.estimate is None else report.estimate.accuracy,
        column=found.grouping.column,
        measure=measure,
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, alt=f"{measure} by {found.grouping.column}, with intervals")


def more_labels(session: Session, found: SlicesFound, place: int) -> None:
    """The slice that was clicked, or the lowest one: labels drawn inside it."""
    one, column = found.slices[place], found.grouping.column
    called = f"{column} {one.value}"
    with st.expander(escape_markdown(f"Label more in {called}"), icon=":material/label:"):
        label_in_part(session, (found.grouping.groups == place).nonzero()[0], called, accuracy=one.estimate.value)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def boxes(session: Session) -> None:
    """The section; nothing for other tasks."""
    found = session_boxes(session)
    if found is None:
        return
    st.subheader("Precision and recall", anchor=False)
    lines = [
        {
            "Class": one.name,
            "Precision: boxes that are right": one.precision,
            "Recall: objects that are found": one.recall,
        }
        for one in found.lines()[: 1 if len(found.task.classes) == 1 else None]
    ]
    st.dataframe(lines, hide_index=True, height="content" if len(lines) <= 12 else 460)
    st.caption(
        escape_markdown(
            f"Of the whole set, with fixed-size {level_words(found.level)} intervals. Pictures were drawn, not boxes, and the "
            "boxes of a picture go wrong together. The intervals allow for it."
        )
    )


SOME = 20
"""Labels that say something about a part and are quickly given."""

COUNT, WIDTH = "a number of labels", "until the interval is narrow"


def label_in_part(
    session: Session,
    rows: NDArray[np.intp],
    called: str,
    *,
    accuracy: float | None,
    count: int = SOME,
    column: str = "",
) -> None:
    """One line with a button; the session that it starts opens on Label.

    ``rows`` : of the part. ``called`` : its name, untrusted text. ``accuracy`` : what is known about it, or None.
        ``count`` : the number offered first. ``column`` : for a part that is not in a column yet, the one to store it
        in as a tag.
    """
    key = f"label in part {session.session_record.id} {called}"
    record = session.session_record
    for open_ in open_top_ups(session, rows):
        with st.container(horizontal=True, vertical_alignment="center"):
            done = f"{commas(open_.counts().done)} of {commas(open_.planned)}"
            st.markdown(escape_markdown(f"{called}: {done} fresh labels given."))
            if st.button("Continue labeling", key=f"go on {open_.session_record.id}", icon=":material/play_arrow:"):
                go(LABEL, subject=record.subject, session=open_.session_record.id)
        return
    left = len(rows) - len(np.intersect1d(rows, list(known_losses(project(), record.subject))))
    if not left:
        st.caption(escape_markdown(f"{called}: every input of it is labeled."))
        return
    st.markdown(escape_markdown(f"Label more in {called}, {commas(left)} inputs of which have no label:"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = st.segmented_control("Label more", [COUNT, WIDTH], default=COUNT, required=True, key=f"{key} how")
        half_width = HALF_WIDTH
        if how == COUNT:
            wanted: int | None = int(
                st.number_input("Labels", 1, left, min(count, left), key=f"{key} count", width=120)
            )
        else:
            points = st.number_input(
                "Within ± points", 0.5, 50.0, 10.0, 0.5, format="%.1f", key=f"{key} points", width=140
            )
            half_width = float(points) / 100
            wanted = labels_for(half_width, left, accuracy, level=record.level)
        words = f"Label {commas(wanted)} here" if wanted else "Label all of them"
        if st.button(words, key=f"{key} start", icon=":material/label:"):
            start(session, rows.tolist(), wanted or left, called, half_width, column)
    st.caption(
        "Drawn at random inside this part, in a session of their own, and combined here with its labels so far. The estimate "
        "of the whole set stays as it is."
    )


def start(session: Session, rows: Sequence[int], count: int, called: str, half_width: float, column: str) -> None:
    """Begins the session and opens it."""
    from testimate.project.selections import keep_selection
    from testimate.ui.member import present_member

    subject = session.session_record.subject
    if column:
        keep_selection(project(), subject, rows, called[:80], column=column, tester=present_member().name)
    new = label_in_slice(project(), session, rows, count, called=called, half_width=half_width)
    go(LABEL, subject=subject, session=new.session_record.id)


def open_top_ups(session: Session, rows: NDArray[np.intp]) -> list[Session]:
    """The sessions inside this part that have inputs left to label."""
    there = top_ups_of(project(), session).get(members_digest(np.sort(rows)), [])
    return [one for one in there if is_of_selection(one.session_record) and not one.finished]
