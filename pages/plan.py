"""Plan: what the tester wants, the technique that serves it, how many labels, and how exact that will be."""

from typing import Any

import numpy as np
import streamlit as st

from pages.opened import dark, go, opened_subject, page, project
from testimate.charts.forecast import forecast
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Option, Request, Selector
from testimate.core.subject import Subject
from testimate.plans.build import build, default_auxiliary, possible
from testimate.plans.forecast import budgets_needed, expected_half_widths
from testimate.plans.objectives import OBJECTIVES, advise
from testimate.selectors import SELECTORS
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import shown_input
from testimate.widgets.untrusted_text import escape_markdown

PREVIEW = 12


def show() -> None:
    """The page."""
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    st.header("Plan", anchor=False)
    left, right = st.columns([5, 6], gap="large")
    with left:
        request = choose(inputs)
        settings = session_settings()
    with right:
        st.subheader("What to expect", anchor=False)
        expect(inputs, request, settings["half_width"])
    try:
        with st.spinner("Choosing the inputs …"):
            selector = build(inputs, request)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    with left:
        begin(subject, request, settings)
    preview(subject, selector)


def choose(inputs: Inputs) -> Request:
    """The objective, or a technique by name, with budget and seed."""
    objective = st.radio(
        "What do you want from the labels?",
        list(OBJECTIVES),
        format_func=lambda name: OBJECTIVES[name],
        key="objective",
    )
    advice = advise(inputs, objective)
    technique, auxiliary = advice.technique, advice.auxiliary or "confidence"
    columns = st.columns(2)
    start = min(200, len(inputs))
    budget = int(
        columns[0].number_input("Budget (labels)", 1, len(inputs), start, help="How many inputs you will label.")
    )
    seed = int(columns[1].number_input("Seed", 0, 2**31, 1, help="The same seed picks the same inputs again."))
    options: dict[str, Any] = dict(advice.options)
    variant, features = None, "LHL"
    with st.expander("Choose the technique yourself"):
        names = list(SELECTORS)
        by_name = st.toggle("Choose by name", key="by name")
        if by_name:
            technique = st.selectbox(
                "Technique", names, names.index(technique), format_func=lambda n: SELECTORS[n].title
            )
            chosen = SELECTORS[technique]
            why_not = possible(inputs, chosen)
            if why_not:
                st.warning(escape_markdown(why_not))
            if "scores" in chosen.needs and inputs.scores:
                scores = list(inputs.scores)
                first = scores.index(default_auxiliary(inputs) or scores[0])
                auxiliary = st.selectbox("Auxiliary variable", scores, first)
            if "features" in chosen.needs and inputs.features:
                roles = list(inputs.features)
                features = "+".join(st.multiselect("Features", roles, [roles[0]])) or roles[0]
            if chosen.variants:
                variant = st.selectbox("Definition", [None, *chosen.variants], format_func=lambda v: v or "as defined")
            options = {option.name: option_field(option) for option in chosen.options}
            describe(chosen)
    if not by_name:
        st.info(
            escape_markdown(f"{SELECTORS[technique].title} ({technique}). {advice.why}"), icon=":material/lightbulb:"
        )
    return Request(technique, budget, seed, auxiliary, features, variant, options)


def option_field(option: Option) -> Any:
    """A field for one option of a technique."""
    if option.choices:
        return st.selectbox(
            option.name, list(option.choices), list(option.choices).index(option.default), help=option.help
        )
    if isinstance(option.default, bool):
        return st.toggle(option.name, option.default, help=option.help)
    step = 1 if isinstance(option.default, int) else 0.01
    low, high = option.low, option.high
    if isinstance(option.default, int):
        low, high = (None if low is None else int(low)), (None if high is None else int(high))
    return st.number_input(option.name, low, high, option.default, step=step, help=option.help)


def describe(technique: type[Selector]) -> None:
    """What the technique claims, from its own data."""
    claims = technique.claims
    interval = "has an honest interval" if claims.honest_interval else "has no honest interval"
    always = ", and one that is right whenever you stop" if claims.always_valid else ""
    unbiased = "biased" if claims.unbiased == "no" else f"unbiased at {claims.unbiased}".replace("at once", "once")
    st.caption(escape_markdown(f"{technique.source}. The estimate is {unbiased} and {interval}{always}. {claims.note}"))


def session_settings() -> dict[str, Any]:
    """What does not change the draws: when one may stop, and whether the prediction is shown."""
    columns = st.columns(2)
    points = columns[0].number_input(
        "Stop when within ± points",
        0.5,
        50.0,
        5.0,
        step=0.5,
        help="The stop-safe interval's half-width you ask for, in points.",
    )
    columns[1].write("")
    shown = columns[1].toggle(
        "Show the prediction first",
        help="A shown prediction draws the tester towards it; hidden until the answer by default.",
    )
    return {"half_width": points / 100, "show_prediction": shown}


def expect(inputs: Inputs, request: Request, half_width: float) -> None:
    """The interval's expected half-width against the budget, before any label."""
    budgets = np.unique(np.geomspace(min(20, len(inputs)), max(min(2000, len(inputs)), 2), 24).astype(int))
    curves = expected_half_widths(inputs, budgets)
    if not curves:
        st.info("Without confidence there is nothing to forecast from. The interval shows itself as you label.")
        return
    figure = forecast(
        budgets,
        curves,
        chosen_budget=request.budget,
        chosen_technique=request.technique,
        target=half_width,
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, alt="Expected half-width of the interval against the budget")
    st.caption(
        "Expected half-width of the 95 % interval, in percentage points, if the network's confidence is about right. "
        "An overconfident network gives a wider one."
    )
    needed = budgets_needed(inputs, half_width)
    if request.technique in needed:
        count = needed[request.technique]
        labels = "more labels than there are inputs" if count is None else f"about {count:,} labels"
        st.write(escape_markdown(f"To be within ± {percent(half_width)} with {request.technique}: {labels}."))


def begin(subject: Subject, request: Request, settings: dict[str, Any]) -> None:
    """Starts the session."""
    if st.button("Start labeling", type="primary", icon=":material/play_arrow:"):
        session = project().start_session(subject.key, request, **settings)
        go("label", subject=subject.key, session=session.session_record.id)


def preview(subject: Subject, selector: Selector) -> None:
    """The first inputs that will be asked, and why."""
    warning = getattr(selector, "warning", "")
    if warning:
        st.warning(escape_markdown(warning), icon=":material/warning:")
    draws = selector.ask(PREVIEW)
    st.subheader("The first inputs to be labeled", anchor=False)
    st.caption("Each with the reason it was picked; its answer, and the network's, stay hidden.")
    if subject.dataset.modality == "tabular":
        st.dataframe([{"row": draw.row, "why": draw.reason} for draw in draws], hide_index=True)
        return
    for column, draw in zip(st.columns(PREVIEW), draws, strict=False):
        with column:
            shown_input(subject.dataset.show(draw.row))
            st.caption(escape_markdown(draw.reason))


page(show)
