"""Plan: what the tester wants, the technique that serves it, how many labels, and how precise the estimate will be."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.advice.advice import OBJECTIVES, Advice, Objective, advise
from testimate.core.draw import Draw
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import DEFAULT_AUXILIARY, Request
from testimate.core.subject import Subject
from testimate.core.task import Task
from testimate.core.words import commas
from testimate.planning.build import build, in_a_sentence
from testimate.planning.criteria import with_criteria
from testimate.planning.forecast import drawn_apart, no_estimate_follows
from testimate.planning.known_labels import labels_of
from testimate.planning.needs import CRITERIA
from testimate.selectors import SELECTORS
from testimate.tasks.question import QUESTION_LETTERS
from testimate.tasks.verdict import Criterion
from testimate.ui.components.shown_input import Tile, gallery, picture_width
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team
from testimate.ui.error_messages import unusual
from testimate.ui.navigation import go, opened_subject, question_of
from testimate.ui.other_models import chosen_history, chosen_others
from testimate.ui.page_head import about, page_head
from testimate.ui.pages import LABEL, PLAN
from testimate.ui.plan.expected_width import BY_CONTENT, expected_width
from testimate.ui.plan.faults_found import expected_of_goal, forecast_of_shared
from testimate.ui.plan.options import (
    LinkedPlan,
    above_confidence,
    class_colors,
    evidence,
    for_each_part,
    for_several_models,
    grading,
    known_answers,
    known_labels,
    link_to_plan,
    linked_plan,
    linked_words,
    technique_by_name,
    top_k,
    two_streams,
    wanted_criteria,
    wrong_answers,
)
from testimate.ui.shell import run_page

PREVIEW, ACROSS, SIDE = 12, 6, 88

FEW = 200
"""Labels up to which a budget may lie below one round of a technique."""


def show() -> None:
    """The page: a goal, two numbers, what to expect of them; all else lies under Advanced."""
    head = page_head(PLAN)
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    about(head, subject, inputs)
    linked = linked_plan(subject.key, len(inputs))
    unusual(inputs)
    objective = wanted_objective(inputs.task)
    numbers = st.container(horizontal=True, vertical_alignment="center", gap="small", key="plan-numbers")
    typed = wanted_labels(numbers, len(inputs), linked.budget)
    budget = min(max(typed, 1), len(inputs))  # all else is drawn, and keeps what was chosen
    outlook = st.container(horizontal=True, vertical_alignment="center", key="forecast")
    with outlook:
        expected, start = st.container(width="stretch"), st.container(width="content")
    reason = st.container(horizontal=True, vertical_alignment="center", gap="small", key="advice")
    notes = st.container()
    with st.expander("Advanced", expanded=linked != LinkedPlan(), icon=":material/tune:"):
        linked_words(linked)
        left, right = st.columns([5, 6], gap="large")
        first = st.container()
    with left:
        st.subheader("Technique", anchor=False)
        chosen = st.container()  # above the others, whose predictions the advice knows
        top_k(subject, inputs)
        judged = inputs.task.graded  # there is nothing that another model would predict about it
        inputs, others = (inputs, ()) if judged else chosen_others(subject, inputs)
        inputs, others = chosen_history(subject, inputs, others)
        inputs, criteria = asked_of_outputs(inputs, subject.key)
        with chosen:
            request, advice = choose(inputs, objective, budget, linked)
        shared = None if criteria else instead(subject, inputs, request)
        known = known_labels(subject, inputs) if shared is None and not criteria else ()
        inputs = replace(inputs, known=labels_of(inputs.task, known))
        slipped_in = known_answers(subject, request) if shared is None and not criteria else ()
        st.subheader("For testers", anchor=False)
        settings = session_settings(inputs.task, subject.key)
    settings |= wanted_precision(numbers, inputs.task, request.technique, linked.within)
    asked, advice = (request, advice) if shared is None else (shared, None)
    try:
        with st.spinner("Choosing the inputs …"):
            begun = beginning_of(inputs, asked)
    except TestimateError as error:
        notes.error(escape_markdown(str(error)), icon=":material/error:")
        return
    if typed == budget:
        with start:
            begin(
                subject,
                asked,
                {
                    **settings,
                    "others": others,
                    "known_answers": slipped_in,
                    "known_labels": known,
                    "criteria": criteria,
                },
            )
    with reason:
        picked_by(asked, advice)
    with notes:
        warnings_of(begun, drawn_apart(inputs, asked.technique))
    with right:
        st.subheader("Expected result", anchor=False)
        forecast = expected_width(inputs, request, settings["half_width"])
        wrong_answers(inputs, request)
        link_to_plan(subject.key, asked, settings["half_width"] if inputs.task.measure.is_share else None)
    with expected:
        said = expected_of_goal(forecast, inputs, request, objective) if shared is None else forecast_of_shared(shared)
        if typed == budget:
            st.markdown(escape_markdown(said.words), help=said.assumption or None)
        else:
            st.error(f"{commas(typed)} labels. Expected 1 to {commas(len(inputs))}. Change the number.")
    with first:
        preview(subject, begun)


GOALS = {
    "tight interval": "Measure accuracy",
    "balance": "Measure and find faults",
    "many failures": "Find faults",
    "severe faults": "Confident mistakes",
}
"""The names on the page; ``OBJECTIVES`` says each in full."""


def wanted_objective(task: Task) -> Objective:
    """What the labels are for; without a confidence, as of numbers, there are no severe faults."""
    offered = [name for name in OBJECTIVES if not (task.numeric and name == "severe faults")]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        in_full = "\n".join(f"- **{GOALS[name]}**: {OBJECTIVES[name]}" for name in offered)
        st.markdown("**Goal**", width="content", help=in_full)
        return st.radio(
            "Goal",
            offered,
            format_func=GOALS.__getitem__,
            key="objective of numbers" if task.numeric else "objective",
            label_visibility="collapsed",
            horizontal=True,
        )


def wanted_labels(place: DeltaGenerator, size: int, linked: int | None) -> int:
    """At most how many inputs are to be labeled, as typed."""
    place.markdown("Label up to", width="content", help=explained("budget"))
    start = linked or min(200, size)
    return int(place.number_input(LABELS, value=start, label_visibility="collapsed", width=FIELD))


LABELS, FIELD = "Labels, at most", 130


def picked_by(request: Request, advice: Advice | None) -> None:
    """The technique, and why it was chosen."""
    st.markdown(escape_markdown(f"Picked by {in_a_sentence(request.technique)}."), width="content")
    if advice is None:
        return
    with st.popover("Why?", type="tertiary"), st.container(width=EVIDENCE):
        evidence(advice)


EVIDENCE = 640


def warnings_of(begun: "Beginning", apart: str) -> None:
    """What to know before labeling, if there is anything."""
    for words in (begun.lacking, begun.warning):
        if words:
            st.warning(escape_markdown(words), icon=":material/warning:")
    if apart:
        st.info(escape_markdown(apart), icon=":material/group_work:")


@dataclass(frozen=True)
class Beginning:
    """What a request begins with: its first ``draws``, a ``warning`` and what is ``lacking`` for an estimate; "" for none."""

    draws: tuple[Draw, ...]
    warning: str
    lacking: str


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_CONTENT)
def beginning_of(inputs: Inputs, request: Request) -> Beginning:
    """Builds the technique once for each request: of millions of inputs it takes seconds."""
    selector = build(inputs, request)
    draws = selector.ask(request.budget if request.budget <= FEW else PREVIEW)
    lacking = no_estimate_follows(selector.design, draws, request.budget)
    return Beginning(tuple(draws[:PREVIEW]), getattr(selector, "warning", ""), lacking)


def instead(subject: Subject, inputs: Inputs, request: Request) -> Request | None:
    """The request for parts, for a confidence to trust or for several models, in place of the technique; None for neither."""
    return (
        for_each_part(subject, inputs, request)
        or above_confidence(subject, inputs, request)
        or for_several_models(subject, request)
    )


def asked_of_outputs(inputs: Inputs, key: str) -> tuple[Inputs, tuple[Criterion, ...]]:
    """The inputs as the criteria that were named ask about them; as they are where one cannot be asked, which is said.

    ``key`` : the subject's.
    """
    criteria = wanted_criteria(inputs.task, key)
    try:
        return with_criteria(inputs, criteria, tell=lambda words: st.caption(escape_markdown(words))), criteria
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return inputs, ()


def choose(inputs: Inputs, objective: Objective, budget: int, linked: LinkedPlan) -> tuple[Request, Advice | None]:
    """The technique for the objective, or one by name, with the seed; the advice that was followed, if any was.

    ``linked`` : what the page starts with.
    """
    first_seed = 1 if linked.seed is None else linked.seed
    seed = int(st.number_input("Seed", 0, 2**31, first_seed, help=explained("seed")))
    advice = advise(inputs, objective, budget=budget)
    request = Request(
        advice.technique, budget, seed, advice.auxiliary or DEFAULT_AUXILIARY, options=dict(advice.options)
    )
    if inputs.task.criteria:  # a technique that learns would learn from one of them
        request = Request("rrs" if CRITERIA in inputs.scores else "srs", budget, seed, CRITERIA)
    by_name = technique_by_name(inputs, request, linked.technique)
    if by_name is not None or inputs.task.criteria:
        return by_name or request, None
    balanced = objective == "balance" and request.technique == "rra"
    return (two_streams(inputs, request) if balanced else request), advice


def begin(subject: Subject, request: Request, settings: dict[str, Any]) -> None:
    """Starts the session."""
    if st.button("Start labeling", type="primary", icon=":material/play_arrow:"):
        session = project().start_session(subject.key, request, **settings)
        go(LABEL, subject=subject.key, session=session.session_record.id)


def preview(subject: Subject, begun: Beginning) -> None:
    """The first inputs that will be asked, and why."""
    st.subheader("First inputs", anchor=False, help=explained("inclusion probability"))
    why = st.toggle("Show why each was picked", help="Reasons can hint at the answer, so they are off by default.")
    tiles = [Tile(subject.dataset.show(draw.row), draw.reason if why else "") for draw in begun.draws]
    width = max((picture_width(tile.shown, SIDE) for tile in tiles[:1]), default=SIDE)
    gallery(tiles, across=ACROSS, size=width)


def session_settings(task: Task, key: str) -> dict[str, Any]:
    """The settings by the names ``Project.start_session`` takes; none of them changes the draws. ``key`` : the subject's."""
    question = st.text_input(
        "Question for testers",
        question_of(key),
        max_chars=QUESTION_LETTERS,
        placeholder=task.usual_question,
        help="One line above each input, such as: Which letter is this?",
    )
    shown = st.toggle(
        "Show predictions first",
        help="Seeing the prediction biases the answer. By default it appears only afterwards.",
        disabled=task.graded,
    )
    rubric, reasons = grading(task, key)
    return {
        "show_prediction": shown,
        "question": question,
        "rubric": rubric,
        "reasons": reasons,
        "colors": class_colors(task),
    }


def wanted_precision(place: DeltaGenerator, task: Task, technique: str, within: float | None) -> dict[str, Any]:
    """The half-width wanted, and in a team how many testers label each input, by the names ``Project.start_session`` takes."""
    claims = SELECTORS[technique].claims
    asked = claims.honest_interval or claims.always_valid
    if not asked:
        place.markdown("labels.", width="content")
    half_width = wanted_half_width(place, task, within) if asked else (within or 5.0) / 100
    needed = None
    if team():
        needed = int(place.number_input("Testers per input", 1, 9, 2, label_visibility="collapsed", width=FIELD))
        help_ = "How many testers label each input, independently. More than half must agree. Otherwise a lead decides."
        place.markdown("testers each.", width="content", help=help_)
    return {"half_width": half_width, "votes_per_input": needed}


def wanted_half_width(place: DeltaGenerator, task: Task, within: float | None) -> float:
    """The stop-safe half-width asked for, as a share, or in the unit of the squared error; it starts ``within`` points."""
    if task.measure.is_share:
        what = explained(
            "half-width",
            f"You can stop once half the stop-safe interval is this many percentage points of {task.measure.noun}.",
        )
        place.markdown("inputs, stop at ±", width="content")
        points = place.number_input(
            "Goal, ± points",
            0.5,
            50.0,
            within or 5.0,
            step=0.5,
            format="%.1f",
            label_visibility="collapsed",
            width=FIELD,
        )
        place.markdown("points.", width="content", help=what)
        return float(points) / 100
    bounded = task.loss_bound is not None
    why = (
        explained("half-width", "Half-width of the stop-safe interval around 1 - mean squared error.")
        if bounded
        else "No stop-safe interval here, because squared errors have no upper limit. Label the whole budget."
    )
    place.markdown(f"inputs, stop at ± of {escape_markdown(task.measure.title)}", width="content", help=why)
    label = f"Stop when within ± of {task.measure.title}"
    return float(
        place.number_input(
            label,
            0.0001,
            value=0.05,
            format="%g",
            disabled=not bounded,
            label_visibility="collapsed",
            width=FIELD,
        )
    )


run_page(PLAN, show)
