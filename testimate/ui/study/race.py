"""The race: techniques side by side on one subject, labeled by the known truth at a chosen speed, for a class to watch.

One technique in a race: its chart and numbers so far, the input it has just labeled, and what is happening.
"""

from collections.abc import Sequence
from time import monotonic

import numpy as np
import streamlit as st

from testimate.charts.comparison import Lane, race_frame, race_lane
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import DEFAULT_AUXILIARY, Request
from testimate.core.subject import Subject
from testimate.core.terms import TERMS
from testimate.core.words import commas, percent
from testimate.metrics import LiveMetrics, fault_severity, severity_counts
from testimate.planning.build import titled
from testimate.planning.needs import default_auxiliary, possible
from testimate.reports.live import ExactMetrics, drawn_metrics, exact_metrics, rows_with_a_loss
from testimate.selectors import SELECTORS
from testimate.studies.race import Course, run_course, what_goes_on, without_truth
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import inline_picture
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words
from testimate.ui.result_charts import bars_of
from testimate.ui.truth import reveal, truth_revealed

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
    st.image(drawn, width="stretch", alt=f"{titled(name)} after {commas(count)} of {commas(len(course))} labels")
    with st.container(horizontal=True, key=f"lane-figures-{place}"):
        figures(course, count, brief=brief)
    with st.container(horizontal=True, vertical_alignment="center", key=f"lane-input-{place}"):
        just_labeled(subject, inputs, course, count)
    words = what_goes_on(course, count)
    with st.container(key=f"lane-words-{place}"):
        st.markdown(escape_markdown(words))
        if course.warning:
            st.caption(escape_markdown(course.warning))
    faults_found(inputs, course, count)


def faults_found(inputs: Inputs, course: Course, count: int) -> None:
    """WFDR, SFDR and the faults by severity: estimated as in a session, exact once the truth is shown."""
    rows, losses = rows_with_a_loss(course.verdicts(count))
    severity = fault_severity(inputs, rows, losses)
    if severity is None:
        return
    found: ExactMetrics | LiveMetrics | None = None
    if course.revealed:
        found = exact_metrics(inputs, rows)
    elif count:
        found = drawn_metrics(inputs, course.design, course.verdicts(count), float(course.accuracy[count - 1]))
    kind = "Exact, because the truth is shown." if course.revealed else "Estimated from the labels."
    with st.container(horizontal=True):
        for name, value in (
            ("WFDR", None if found is None else found.wfdr),
            ("SFDR", None if found is None else found.sfdr),
        ):
            shown = "–" if value is None else percent(value)
            st.metric(METRICS[name], shown, help=explained(name, kind), width="content")
    bars_of(inputs.task, severity_counts(inputs.task.failed(losses), severity))


METRICS = {"WFDR": "Found early (WFDR)", "SFDR": "Severe first (SFDR)"}
"""What the two metrics are called on the panel, here, and in Results."""


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
        course.measure.interval("95%").capitalize(),
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
        "Faults",
        commas(int(course.failures[last])) if count else "0",
        help=explained("fault", "Distinct inputs. Each is a cross in the chart."),
        width="content",
    )


CHOSEN = "Chosen, not random: no interval and no guarantee."


def just_labeled(subject: Subject, inputs: Inputs, course: Course, count: int) -> None:
    """The input labeled last: its picture, whether the network was right, and why it was picked."""
    if not count:
        st.caption("The first input comes with the first label.")
        return
    draw = course.draws[count - 1]
    if subject.dataset.modality == "image":
        picture = subject.dataset.show(draw.row).image
        if picture is not None:
            inline_picture(picture, size=PICTURE, alt=f"input {commas(draw.row)}")
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
    predicted = f"predicted {inputs.task.prediction_text(inputs.predictions[row])}"
    return predicted if inputs.truth is None else f"{predicted}, actually {inputs.task.truth_text(inputs.truth[row])}"


def between(course: Course, low: np.ndarray, high: np.ndarray, place: int) -> str:
    """Both ends of an interval, or a dash."""
    if not np.isfinite(low[place]):
        return "–"
    return course.measure.brief_range(float(low[place]), float(high[place]))


EVERY = 0.4
"""Seconds between two drawings: often enough to look alive, and slow enough for a slow machine."""

LEGEND = "dark band: 95% interval · light band: stop-safe interval · crosses: faults"

LOOK = """<style>
.st-key-race [data-testid="stMetricValue"] { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.st-key-race [data-testid="stVerticalBlock"] { gap: 0.35rem; }
[class*="st-key-lane-figures"] { column-gap: 1.6rem; }
[class*="st-key-lane-words"] { min-height: 6.2rem; }
[class*="st-key-lane-words"] p { font-size: 0.95rem; }
[class*="st-key-lane-input"] { min-height: 5rem; }
@media (min-width: 641px) and (max-width: 1000px) { [class*="st-key-lane-title"] { min-height: 3.2rem; } }
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
    shown = truth_revealed()
    courses = []
    for request in requests:
        try:
            with st.spinner(f"Running {titled(request.technique)} …"):
                course = course_of(inputs, request)
                courses.append(course if shown else without_truth(course))
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
    """The lanes as they are now; drawn again and again while the race is running."""
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
    dashed = f"dashed line: the truth, {measure.brief(truth)} · " if courses[0].revealed else ""
    st.progress(count / most, text=f"{commas(count)} of {commas(most)} labels · {dashed}{LEGEND}")
    for place, (column, course) in enumerate(zip(st.columns(len(courses), gap="large"), courses, strict=True)):
        with column:
            lane(subject, inputs, course, min(count, len(course)), frame, place)


USUAL = ("pace", "rrs")
MOST = 4
BUDGET, MOST_LABELS = 200, 400
SPEEDS = (1, 2, 5, 10, 20, 50)

LONGEST_GAP = 3.0
"""The most seconds the oracle makes up for if the page stood still."""


def controls(inputs: Inputs) -> list[Request]:
    """Go and pause, one step, the speed and the settings; the requests of the techniques that run."""
    state = st.session_state
    on = bool(state.get("race on"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="race-controls"):
        st.button(
            "Pause" if on else "Go",
            type="primary",
            icon=":material/pause:" if on else ":material/play_arrow:",
            on_click=pause if on else go_on,
            width=110,
        )
        st.button("One step", icon=":material/skip_next:", on_click=one_step, disabled=on)
        st.button("From the start", icon=":material/restart_alt:", on_click=from_the_start)
        st.button(
            "Another seed",
            icon=":material/casino:",
            on_click=another_seed,
            help="Runs the same techniques again with other random draws. What changes with the seed is luck; what "
            "stays is not.",
        )
        st.button(
            "Hide the truth" if truth_revealed() else "Reveal the truth",
            icon=":material/visibility_off:" if truth_revealed() else ":material/visibility:",
            on_click=reveal,
            args=(not truth_revealed(),),
        )
        st.select_slider(
            "Labels per second",
            SPEEDS,
            5,
            format_func=lambda speed: f"{speed} labels/s" if speed > 1 else "1 label/s",
            key="race speed",
            label_visibility="collapsed",
            width=200,
        )
        with st.popover("Settings", icon=":material/tune:"):
            return settings(inputs)


def settings(inputs: Inputs) -> list[Request]:
    """Which techniques run, how far, on which auxiliary variable and by which seed."""
    able = [name for name, technique in SELECTORS.items() if not possible(inputs, technique)]
    usual = [name for name in USUAL if name in able]
    names = st.multiselect(
        "Techniques",
        able,
        usual if len(usual) > 1 else [name for name in ("srs", "rrs", *usual) if name in able][:2],
        format_func=titled,
        max_selections=MOST,
        key="race techniques",
        on_change=from_the_start,
        help="Two to four. Two fit on a small screen.",
    )
    most = min(MOST_LABELS, len(inputs))
    budget = st.number_input(
        "Labels", min(10, most), most, min(BUDGET, most), key="race budget", on_change=from_the_start, help=PLANNED
    )
    scores = list(inputs.scores)
    first = default_auxiliary(inputs)
    auxiliary = st.selectbox(
        "Failure score",
        scores,
        scores.index(first) if first else None,
        key="race auxiliary",
        on_change=from_the_start,
        help=explained("auxiliary variable"),
    )
    state = st.session_state
    seed = st.number_input(
        "Seed",
        0,
        2**31,
        state.setdefault("race seed", 1),
        key=seed_field(),
        on_change=seed_typed,
        help=explained("seed"),
    )
    features = next((role for role in ("LHL", *inputs.features) if role in inputs.features), "LHL")
    return [Request(name, int(budget), int(seed), auxiliary or DEFAULT_AUXILIARY, features) for name in names]


PLANNED = "Where the race ends. A technique such as PACE plans its whole list for this number of labels."


def go_on() -> None:
    """The oracle continues, from the start if the race is over."""
    if st.session_state.get("race over"):
        from_the_start()
    st.session_state.update({"race on": True, "race then": monotonic()})


def pause() -> None:
    """Stops the oracle where it is; Go continues from there."""
    st.session_state["race on"] = False


def one_step() -> None:
    """One more label in each lane."""
    st.session_state["race at"] = float(int(st.session_state.get("race at", 0.0)) + 1)


def from_the_start() -> None:
    """Back to no labels; a running race keeps running."""
    st.session_state.update({"race at": 0.0, "race over": False, "race then": monotonic()})


def seed_field() -> str:
    """The field of the seed; its button gives it a new key, because a hidden field ignores what code sets."""
    return f"race seed {st.session_state.get('race seeds', 0)}"


def seed_typed() -> None:
    """Takes the seed typed into the field, and begins the race again."""
    st.session_state["race seed"] = int(st.session_state[seed_field()])
    from_the_start()


def another_seed() -> None:
    """The same techniques with other random draws, from the start."""
    state = st.session_state
    state.update({"race seed": int(state.get("race seed", 1)) + 1, "race seeds": int(state.get("race seeds", 0)) + 1})
    from_the_start()


def labels_by_now(most: int) -> int:
    """How many labels the oracle has given, by the time that has passed; the race ends at ``most``."""
    state = st.session_state
    at, now = float(state.get("race at", 0.0)), monotonic()
    if state.get("race on"):
        gap = min(now - float(state.get("race then", now)), LONGEST_GAP)
        at += gap * float(state.get("race speed", 5))
    state.update({"race at": min(at, float(most)), "race then": now, "race over": at >= most})
    return int(state["race at"])
