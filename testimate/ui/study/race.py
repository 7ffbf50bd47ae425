"""The race: techniques side by side on one subject, labeled by the known truth at a speed one sets, for a class to watch."""

from collections.abc import Sequence

import streamlit as st

from testimate.charts.race_lane import Lane, race_frame
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.planning.technique_names import titled
from testimate.studies.race import Course, run_course
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words
from testimate.ui.study.race_controls import controls, from_the_start, labels_by_now, pause
from testimate.ui.study.race_lane import WIDTHS, lane

EVERY = 0.4
"""Seconds between two drawings: often enough to look alive, and a slow machine keeps up."""

LEGEND = "dark band: 95 % interval · light band: stop-safe interval · crosses: failures"

LOOK = """<style>
.st-key-race [data-testid="stMetricValue"] { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.st-key-race [data-testid="stVerticalBlock"] { gap: 0.35rem; }
[class*="st-key-lane-figures"] { column-gap: 1.6rem; }
[class*="st-key-lane-words"] { min-height: 6.2rem; }
[class*="st-key-lane-words"] p { font-size: 0.95rem; }
[class*="st-key-lane-input"] { min-height: 5rem; }
@media (min-width: 1700px) {
  .st-key-race [data-testid="stProgress"] p { font-size: 1.1rem; }
  [class*="st-key-lane-title"] p { font-size: 1.35rem; }
  .st-key-race [data-testid="stMetricValue"] { font-size: 2.1rem; }
  .st-key-race [data-testid="stMetricLabel"] p { font-size: 1.05rem; }
  [class*="st-key-lane-words"] p { font-size: 1.35rem; line-height: 1.45; }
  [class*="st-key-lane-input"] [data-testid="stCaptionContainer"] p { font-size: 1.1rem; }
  [class*="st-key-lane-words"] { min-height: 8rem; }
  [class*="st-key-lane-input"] img { width: 120px; image-rendering: pixelated; }
}
</style>"""


def race(subject: Subject, inputs: Inputs) -> None:
    """The view: the controls, then a lane for each technique."""
    st.html(LOOK)
    if st.session_state.get("race of") != subject.key:
        st.session_state["race of"] = subject.key
        pause()
        from_the_start()
    requests = controls(inputs)
    courses = []
    for request in requests:
        try:
            with st.spinner(f"{titled(request.technique)} runs its course …"):
                courses.append(course_of(inputs, request))
        except TestimateError as error:
            st.error(escape_markdown(f"{titled(request.technique)}: {error}"), icon=":material/error:")
    if not courses:
        st.info("Choose two to four techniques in the settings.", icon=":material/tune:")
        return
    with st.container(key="race"):
        st.fragment(errors_in_words(lanes), run_every=EVERY if st.session_state.get("race on") else None)(
            subject, inputs, courses
        )


@st.cache_resource(
    show_spinner=False, max_entries=64, hash_funcs={Inputs: lambda inputs: inputs.fingerprint, Request: repr}
)
def course_of(inputs: Inputs, request: Request) -> Course:
    """The whole course of a technique, found once for each request."""
    return run_course(inputs, request)


def lanes(subject: Subject, inputs: Inputs, courses: Sequence[Course]) -> None:
    """The lanes as they stand now; drawn again and again while the race is on."""
    state = st.session_state
    most = max(len(course) for course in courses)
    count = labels_by_now(most)
    if state.get("race on") and state["race over"]:
        pause()
        st.rerun()
    measure = inputs.task.measure
    truth = courses[0].truth
    ends = race_frame([(one.accuracy, one.low, one.high) for one in courses], truth, measure=measure)
    frame = Lane(most, ends, truth, width=WIDTHS[len(courses)], measure=measure)
    st.progress(
        count / most, text=f"{count:,} of {most:,} labels · dashed line: the truth, {measure.brief(truth)} · {LEGEND}"
    )
    for place, (column, course) in enumerate(zip(st.columns(len(courses), gap="large"), courses, strict=True)):
        with column:
            lane(subject, inputs, course, min(count, len(course)), frame, place)
