"""One technique in a race: its chart and numbers so far, the input it has just labeled, and what is happening."""

import numpy as np
import streamlit as st

from testimate.charts.comparison import Lane, race_lane
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.terms import TERMS
from testimate.core.words import spaced
from testimate.planning.build import titled
from testimate.studies.race import Course, what_goes_on
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import inline_picture
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown

WIDTHS = {1: 1000, 2: 560, 3: 350, 4: 270}
"""Width of a drawing by the number of lanes: on the screen its letters are then about as large with two lanes as with four."""

PICTURE = 72
"""Width of the input just labeled, in pixels."""


def lane(subject: Subject, inputs: Inputs, course: Course, count: int, frame: Lane, place: int) -> None:
    """One technique: its estimate so far, the input it has just labeled, its chart, and what is happening."""
    name = course.request.technique
    brief = frame.width < WIDTHS[2]
    title = f"**{titled(name)}**"
    with st.container(key=f"lane-title-{place}"):
        st.markdown(title, help=explained(name) if name in TERMS else None)
    drawn = race_lane(
        frame,
        course.accuracy[:count],
        course.low[:count],
        course.high[:count],
        course.always_low[:count],
        course.always_high[:count],
        course.failed[:count],
        dark=dark(),
        chosen=course.chosen,
    )
    st.image(drawn, width="stretch", alt=f"{titled(name)} after {spaced(count)} of {spaced(len(course))} labels")
    with st.container(horizontal=True, key=f"lane-figures-{place}"):
        figures(course, count, brief=brief)
    with st.container(horizontal=True, vertical_alignment="center", key=f"lane-input-{place}"):
        just_labeled(subject, inputs, course, count)
    words = what_goes_on(course, count)
    with st.container(key=f"lane-words-{place}"):
        st.markdown(escape_markdown(words))
        if course.warning:
            st.caption(escape_markdown(course.warning))


def figures(course: Course, count: int, *, brief: bool) -> None:
    """The numbers of a lane; in a narrow one, ``brief``, only the light band shows the stop-safe interval."""
    last = count - 1
    known = count > 0 and np.isfinite(course.accuracy[last])
    st.metric(
        "Mean of chosen" if course.chosen else course.measure.title,
        course.measure.brief(float(course.accuracy[last])) if known else "–",
        help=CHOSEN if course.chosen else explained("accuracy", "Estimated for the whole set."),
        width="content",
    )
    st.metric(
        course.measure.interval("95 %").capitalize(),
        "none" if course.chosen else between(course, course.low, course.high, last) if known else "–",
        help=CHOSEN if course.chosen else explained("ordinary interval", "The dark band."),
        width="content",
    )
    if not brief and np.isfinite(course.always_low).any():
        st.metric(
            "Stop-safe",
            between(course, course.always_low, course.always_high, last) if known else "–",
            help=explained("stop-safe interval", "The light band."),
            width="content",
        )
    st.metric(
        "Failures",
        spaced(int(course.failures[last])) if count else "0",
        help=explained("fault", "Distinct inputs found to fail; each is a cross in the chart."),
        width="content",
    )


CHOSEN = "These inputs are chosen, not drawn at random: their mean has no interval and no guarantee."


def just_labeled(subject: Subject, inputs: Inputs, course: Course, count: int) -> None:
    """The input labeled last: its picture, whether the network was right, and why it was picked."""
    if not count:
        st.caption("The first input comes with the first label.")
        return
    draw = course.draws[count - 1]
    if subject.dataset.modality == "image":
        picture = subject.dataset.show(draw.row).image
        if picture is not None:
            inline_picture(picture, size=PICTURE, alt=f"input {spaced(draw.row)}")
    wrong = bool(course.failed[count - 1])
    with st.container():
        st.badge(
            "wrong" if wrong else "right",
            icon=":material/close:" if wrong else ":material/check:",
            color="orange" if wrong else "green",
        )
        st.caption(escape_markdown(f"{answers(inputs, draw.row)}; {draw.reason}"))


def answers(inputs: Inputs, row: int) -> str:
    """What the input is, and what the network predicts."""
    predicted = f"network: {inputs.task.prediction_text(inputs.predictions[row])}"
    return predicted if inputs.truth is None else f"is {inputs.task.truth_text(inputs.truth[row])}, {predicted}"


def between(course: Course, low: np.ndarray, high: np.ndarray, place: int) -> str:
    """Both ends of an interval, or a dash."""
    if not np.isfinite(low[place]):
        return "–"
    return course.measure.brief_range(float(low[place]), float(high[place]))
