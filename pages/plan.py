"""Plan: what the tester wants, the technique that serves it, how many labels, and how exact that will be."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from pages.member import team
from pages.opened import dark, go, opened_subject, page
from pages.opened_project import project
from pages.plan_advice import advised, evidence
from pages.technique_words import technique_term
from pages.two_streams import two_streams
from testimate.charts.forecast import forecast
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Option, Request, Selector
from testimate.core.subject import Subject
from testimate.core.task import Task
from testimate.plans.build import build, default_auxiliary, possible
from testimate.plans.forecast import budgets_needed, expected_always_half_widths, expected_half_widths
from testimate.plans.objectives import OBJECTIVES, Advice, advise
from testimate.selectors import SELECTORS
from testimate.widgets.shown_input import Tile, gallery
from testimate.widgets.terms import explained
from testimate.widgets.untrusted_text import escape_markdown

PREVIEW, ACROSS = 12, 6
FORECAST_TO = 600  # labels, or three times the budget
TECHNIQUE_HELP = "How the inputs are picked. What it means, with formula and source, stands below once it is chosen."
WATCHED = ("rra", "rrs", "srs")
"""Techniques whose stop-safe interval is narrow enough to stop by it."""


def show() -> None:
    """The page."""
    st.header("Plan", anchor=False)
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    left, right = st.columns([5, 6], gap="large")
    with left:
        request, advice = choose(inputs)
        settings = session_settings(inputs.task)
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
    if advice is not None:
        evidence(advice)
    preview(subject, selector)


def choose(inputs: Inputs) -> tuple[Request, Advice | None]:
    """The objective, or a technique by name, with budget and seed; the advice that was followed, if any was."""
    objective = st.radio(
        "What do you want from the labels?",
        list(OBJECTIVES),
        format_func=lambda name: OBJECTIVES[name],
        key="objective",
    )
    columns = st.columns(2)
    start = min(200, len(inputs))
    budget = int(columns[0].number_input("Budget (labels)", 1, len(inputs), start, help=explained("budget")))
    seed = int(columns[1].number_input("Seed", 0, 2**31, 1, help=explained("seed")))
    advice = advise(inputs, objective, budget=budget)
    technique, auxiliary = advice.technique, advice.auxiliary or "confidence"
    options: dict[str, Any] = dict(advice.options)
    variant, features = None, "LHL"
    with st.expander("Choose the technique yourself"):
        names = list(SELECTORS)
        by_name = st.toggle("Choose by name", key="by name")
        if by_name:
            technique = st.selectbox(
                "Technique",
                names,
                names.index(technique),
                format_func=lambda n: SELECTORS[n].title,
                help=TECHNIQUE_HELP,
            )
            chosen = SELECTORS[technique]
            why_not = possible(inputs, chosen)
            if why_not:
                st.warning(escape_markdown(why_not))
            if "scores" in chosen.needs and inputs.scores:
                scores = list(inputs.scores)
                first = scores.index(default_auxiliary(inputs) or scores[0])
                auxiliary = st.selectbox("Auxiliary variable", scores, first, help=explained("auxiliary variable"))
            if "features" in chosen.needs and inputs.features:
                roles = list(inputs.features)
                features = "+".join(st.multiselect("Features", roles, [roles[0]])) or roles[0]
            if chosen.variants:
                variant = st.selectbox("Definition", [None, *chosen.variants], format_func=lambda v: v or "as defined")
            fields, options = st.columns(2), {}
            for place, option in enumerate(chosen.options):
                with fields[place % 2]:
                    options[option.name] = option_field(option)
            describe(chosen)
    if not by_name:
        advised(advice)
    request = Request(technique, budget, seed, auxiliary, features, variant, options)
    balanced = objective == "balance" and technique == "rra" and not by_name
    return (two_streams(inputs, request) if balanced else request), None if by_name else advice


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
    st.markdown(explained(technique_term(technique)))
    claims = technique.claims
    interval = "has an honest interval" if claims.honest_interval else "has no honest interval"
    always = ", and one that is right whenever you stop" if claims.always_valid else ""
    unbiased = "biased" if claims.unbiased == "no" else f"unbiased at {claims.unbiased}".replace("at once", "once")
    st.caption(escape_markdown(f"{technique.source}. The estimate is {unbiased} and {interval}{always}. {claims.note}"))


def session_settings(task: Task) -> dict[str, Any]:
    """What does not change the draws: when one may stop, and whether the prediction is shown."""
    columns = st.columns(2, vertical_alignment="bottom")
    half_width = wanted_half_width(columns[0], task)
    shown = columns[1].toggle(
        "Show the prediction first",
        help="A shown prediction draws the tester towards it; hidden until the answer by default.",
    )
    needed = None
    if team():
        needed = int(
            st.number_input(
                "Testers per input",
                1,
                9,
                2,
                help="Each input goes to so many testers, blind to each other. More than half of them must agree; what "
                "they dispute a lead settles.",
            )
        )
    return {"half_width": half_width, "show_prediction": shown, "votes_per_input": needed}


def wanted_half_width(place: DeltaGenerator, task: Task) -> float:
    """The stop-safe half-width asked for, as a share, or in the unit of the squared error."""
    if task.kind != "regression":
        what = "The stop-safe interval's half-width you ask for, in percentage points."
        return float(place.number_input("Stop when within ± points", 0.5, 50.0, 5.0, step=0.5, help=what)) / 100
    why = (
        "The stop-safe interval's half-width you ask for, around 1 - mean squared error."
        if task.loss_bound is not None
        else "Squared errors have no largest one here, so there is no stop-safe interval: label the whole budget."
    )
    return float(
        place.number_input(
            "Stop when within ±", 0.0001, value=0.05, format="%.4f", disabled=task.loss_bound is None, help=why
        )
    )


def expect(inputs: Inputs, request: Request, half_width: float) -> None:
    """The intervals' expected half-width against the budget, before any label, and the labels a wanted one takes."""
    size = len(inputs)
    last = min(size, max(3 * request.budget, FORECAST_TO))
    budgets = np.unique(np.geomspace(min(20, size), max(last, 2), 24).astype(int))
    fixed = expected_half_widths(inputs, budgets, chosen=request)
    if not fixed:
        why = (
            "For a number to be predicted there is no forecast."
            if inputs.task.kind == "regression"
            else "Without confidence there is nothing to forecast from."
        )
        st.info(f"{why} The interval shows itself as you label.", icon=":material/show_chart:")
        return
    stop_safe = st.segmented_control(
        "Interval",
        [True, False],
        format_func=lambda watched: "stop-safe: watch and stop" if watched else "at a budget fixed beforehand",
        default=request.technique in WATCHED,
        required=True,
        key="stop-safe forecast",
        help=f"{explained('stop-safe interval')}\n\n{explained('ordinary interval')}",
    )
    curves = expected_always_half_widths(inputs, budgets, chosen=request) if stop_safe else fixed
    figure = forecast(
        budgets,
        curves,
        chosen_budget=request.budget,
        chosen_technique=request.technique,
        target=half_width,
        dark=dark(),
    )
    figure.update_layout(height=330)
    figure.update_yaxes(range=[0, 100 * highest(curves.get(request.technique), half_width)])
    kind = "stop-safe 95 % interval" if stop_safe else "95 % interval"
    st.plotly_chart(figure, theme=None, alt=f"Expected half-width of the {kind} against the budget")
    needed_words(inputs, request, half_width)
    by_other = " and as auxiliary variable" if request.auxiliary != "confidence" and request.technique in fixed else ""
    st.caption(
        f"Expected half-width of the {kind}, if the network's confidence is about right: it is taken as the chance of being "
        f"right{by_other}. An overconfident network gives a wider one."
    )


def highest(chosen: NDArray[np.float64] | None, half_width: float) -> float:
    """Where the chart of half-widths ends: what is far from the wanted and the chosen one would press them flat."""
    seen = [] if chosen is None else chosen[np.isfinite(chosen)].tolist()
    return float(min(0.52, max(3 * half_width, 1.1 * max(seen, default=0.0))))


def needed_words(inputs: Inputs, request: Request, half_width: float) -> None:
    """How wide the chosen budget is expected to leave each interval, and how many labels the wanted width needs."""
    name, lines = request.technique, []
    for always_valid, curve, condition in (
        (True, expected_always_half_widths, "Stop-safe, while you watch"),
        (False, expected_half_widths, "At a number of labels fixed beforehand"),
    ):
        widths = curve(inputs, [request.budget], chosen=request).get(name)
        if widths is None or not np.isfinite(widths[0]):
            continue
        needed = budgets_needed(inputs, half_width, always_valid=always_valid, techniques=(name,), chosen=request)
        count = needed[name]
        labels = "more labels than there are inputs" if count is None else f"about {count:,} labels"
        lines.append(
            f"{condition}: ±{points(widths[0])} with {request.budget:,} labels; ±{points(half_width)} needs {labels}."
        )
    if not lines:
        lines.append(
            f"There is no forecast for {name} with {request.budget:,} labels; the lines are of other techniques."
        )
    for line in lines:
        st.markdown(escape_markdown(line))


def points(half_width: float) -> str:
    """A half-width in percentage points."""
    return f"{100 * half_width:.1f}\u00a0points"


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
    st.subheader("The first inputs to be labeled", anchor=False, help=explained("inclusion probability"))
    st.caption("Each with the reason it was picked; its answer, and the network's, stay hidden.")
    gallery([Tile(subject.dataset.show(draw.row), draw.reason) for draw in draws], across=ACROSS)


page(show)
