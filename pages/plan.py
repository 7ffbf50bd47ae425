"""Plan: what the tester wants, the technique that serves it, how many labels, and how precise the estimate will be."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.advice.advice import OBJECTIVES, Advice, advise
from testimate.core.draw import Draw
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import DEFAULT_AUXILIARY, Request
from testimate.core.subject import Subject
from testimate.core.task import Task
from testimate.planning.build import build
from testimate.planning.forecast import drawn_apart, no_estimate_follows
from testimate.planning.known_labels import labels_of
from testimate.tasks.question import QUESTION_LETTERS
from testimate.ui.components.shown_input import Tile, gallery, picture_width
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team
from testimate.ui.error_messages import unusual
from testimate.ui.navigation import go, opened_subject, question_of
from testimate.ui.other_models import chosen_others
from testimate.ui.page_head import about, page_head
from testimate.ui.pages import LABEL, PLAN
from testimate.ui.plan.expected_width import BY_CONTENT, expected_width
from testimate.ui.plan.options import (
    LinkedPlan,
    advised,
    class_colours,
    evidence,
    for_each_part,
    for_several_models,
    grading,
    known_answers,
    known_labels,
    link_to_plan,
    linked_plan,
    technique_by_name,
    top_k,
    two_streams,
    wrong_answers,
)
from testimate.ui.shell import run_page

PREVIEW, ACROSS, SIDE = 12, 6, 88

FEW = 200
"""Labels up to which a budget may lie below one round of a technique."""


def show() -> None:
    """The page."""
    head = page_head(PLAN)
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    about(head, subject, inputs)
    linked = linked_plan(subject.key, len(inputs))
    unusual(inputs)
    left, right = st.columns([5, 6], gap="large")
    with left:
        top_k(subject, inputs)
        question, more = st.container(), st.container()
        judged = inputs.task.graded  # there is nothing that another model would predict about it
        with more:  # below the question, whose advice knows what they say
            inputs, others = (inputs, ()) if judged else chosen_others(subject, inputs)
        with question:
            request, advice = choose(inputs, linked)
        settings = session_settings(inputs.task, subject.key, linked)
        shared = for_each_part(subject, inputs, request) or for_several_models(subject, request)
        known = known_labels(subject, inputs) if shared is None else ()
        inputs = replace(inputs, known=labels_of(inputs.task, known))
        slipped_in = known_answers(subject, request) if shared is None else ()
    with right:
        st.subheader("Expected result", anchor=False)
        expected_width(inputs, request, settings["half_width"])
        wrong_answers(inputs, request)
    request, advice = (request, advice) if shared is None else (shared, None)
    try:
        with st.spinner("Choosing the inputs …"):
            begun = beginning_of(inputs, request)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    with left:
        if begun.lacking:
            st.warning(escape_markdown(begun.lacking), icon=":material/warning:")
        if apart := drawn_apart(inputs, request.technique):
            st.info(escape_markdown(apart), icon=":material/group_work:")
        link_to_plan(subject.key, request, settings["half_width"] if inputs.task.measure.is_share else None)
    with head:
        begin(subject, request, {**settings, "others": others, "known_answers": slipped_in, "known_labels": known})
    if advice is not None:
        evidence(advice)
    preview(subject, begun)


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


def choose(inputs: Inputs, linked: LinkedPlan) -> tuple[Request, Advice | None]:
    """The objective, or a technique by name, with budget and seed; the advice that was followed, if any was.

    ``linked`` : what the page starts with.
    """
    wanted = "What should the labels tell you?"
    st.subheader(wanted, anchor=False)
    numbers = inputs.task.numeric  # without a confidence there are no severe faults
    objective = st.radio(
        wanted,
        [name for name in OBJECTIVES if not (numbers and name == "severe faults")],
        format_func=lambda name: OBJECTIVES[name],
        key="objective of numbers" if numbers else "objective",
        label_visibility="collapsed",
    )
    columns = st.columns(2)
    start = linked.budget or min(200, len(inputs))
    most, first_seed = len(inputs), 1 if linked.seed is None else linked.seed
    budget = int(columns[0].number_input("Labels, at most", 1, most, start, help=explained("budget")))
    seed = int(columns[1].number_input("Seed", 0, 2**31, first_seed, help=explained("seed")))
    advice = advise(inputs, objective, budget=budget)
    request = Request(
        advice.technique, budget, seed, advice.auxiliary or DEFAULT_AUXILIARY, options=dict(advice.options)
    )
    by_name = technique_by_name(inputs, request, linked.technique)
    if by_name is not None:
        return by_name, None
    advised(advice)
    balanced = objective == "balance" and request.technique == "rra"
    return (two_streams(inputs, request) if balanced else request), advice


def begin(subject: Subject, request: Request, settings: dict[str, Any]) -> None:
    """Starts the session."""
    if st.button("Start labeling", type="primary", icon=":material/play_arrow:"):
        session = project().start_session(subject.key, request, **settings)
        go(LABEL, subject=subject.key, session=session.session_record.id)


def preview(subject: Subject, begun: Beginning) -> None:
    """The first inputs that will be asked, and why."""
    if begun.warning:
        st.warning(escape_markdown(begun.warning), icon=":material/warning:")
    st.subheader("First inputs", anchor=False, help=explained("inclusion probability"))
    why = st.toggle("Show why each was picked", help="A reason such as a high chance of failure hints at the answer.")
    tiles = [Tile(subject.dataset.show(draw.row), draw.reason if why else "") for draw in begun.draws]
    width = max((picture_width(tile.shown, SIDE) for tile in tiles[:1]), default=SIDE)
    gallery(tiles, across=ACROSS, size=width)


def session_settings(task: Task, key: str, linked: LinkedPlan) -> dict[str, Any]:
    """The settings by the names ``Project.start_session`` takes; none of them changes the draws. ``key`` : the subject's."""
    question = st.text_input(
        "Question for testers",
        question_of(key),
        max_chars=QUESTION_LETTERS,
        placeholder=task.usual_question,
        help="One line above each input, such as: Which letter is this?",
    )
    colours = class_colours(task)
    with st.container(key="stacked settings"):
        columns = st.columns(2, vertical_alignment="bottom")
    half_width = wanted_half_width(columns[0], task, linked.within)
    shown = columns[1].toggle(
        "Show predictions before answering",
        help="Seeing the prediction biases the answer. By default it appears only afterwards.",
        disabled=task.graded,
    )
    rubric, reasons = grading(task, key)
    needed = None
    if team():
        needed = int(
            st.number_input(
                "Testers per input",
                1,
                9,
                2,
                help="How many testers label each input, independently. More than half must agree. Otherwise a lead "
                "decides.",
            )
        )
    return {
        "half_width": half_width,
        "show_prediction": shown,
        "votes_per_input": needed,
        "question": question,
        "rubric": rubric,
        "reasons": reasons,
        "colours": colours,
    }


def wanted_half_width(place: DeltaGenerator, task: Task, within: float | None) -> float:
    """The stop-safe half-width asked for, as a share, or in the unit of the squared error; it starts ``within`` points."""
    if task.measure.is_share:
        what = explained(
            "half-width", f"Half-width of the stop-safe interval, in percentage points of {task.measure.noun}."
        )
        points = place.number_input("Goal, ± points", 0.5, 50.0, within or 5.0, step=0.5, format="%.1f", help=what)
        return float(points) / 100
    why = (
        explained("half-width", "Half-width of the stop-safe interval around 1 - mean squared error.")
        if task.loss_bound is not None
        else "No stop-safe interval here, because squared errors have no upper limit. Label the whole budget."
    )
    label, bounded = f"Stop when within ± of {task.measure.title}", task.loss_bound is not None
    return float(place.number_input(label, 0.0001, value=0.05, format="%g", disabled=not bounded, help=why))


run_page(PLAN, show)
