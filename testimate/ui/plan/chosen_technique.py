"""The technique of a plan: advised with its reason and evidence, the share of its picks, or chosen by name."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from testimate.advice.advice import ROWS, Advice, Case
from testimate.advice.evidence import PAGE, TABLE_11
from testimate.advice.evidence import evidence as measured_evidence
from testimate.core.inputs import Inputs
from testimate.core.selector import Option, Request, Selector
from testimate.core.words import spaced
from testimate.planning.build import titled
from testimate.planning.forecast import expected_half_widths
from testimate.planning.needs import default_auxiliary, possible
from testimate.selectors import SELECTORS
from testimate.ui.components.terms import explained, technique_term
from testimate.ui.components.untrusted_text import escape_markdown

FIGURES = ("error", "failures", "SFDR")


def advised(advice: Advice) -> None:
    """The technique and why, in a few sentences."""
    with st.container(key="advice"):
        st.info(
            escape_markdown(f"{titled(advice.technique)}. {advice.why}"),
            icon=":material/lightbulb:",
        )


def evidence(advice: Advice) -> None:
    """On request: the technique's definition, the candidates in a table, what its columns mean, and what is not known."""
    case = advice.case
    if case is None:
        return
    with st.expander("Why, and on what evidence", icon=":material/fact_check:"):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            st.markdown(explained(advice.technique))
            for line in advice.lacking:
                st.markdown(f":material/info: {escape_markdown(line)}")
        with right:
            st.table([cells(one) for one in table(advice)], border="horizontal", hide_index=True)
            for line in legend(case, advice.objective):
                st.caption(escape_markdown(line))
            if advice.options.get("exploit"):
                st.caption("rra: with 12 random draws and 8 picks in a round (docs/studies/prioritizers.md).")


def table(advice: Advice) -> list[dict[str, str]]:
    """A line for each candidate; columns without any figure are left out."""
    shown = [name for name in FIGURES if any(name in one.measured for one in advice.candidates)]
    lines = []
    for one in advice.candidates:
        line = {"technique": titled(one.technique)}
        if ROWS[advice.objective]:
            line["in the paper"] = one.published
        line |= {f"{name}, measured": one.measured.get(name, "not measured") for name in shown}
        lines.append(line | {"why not": one.why_not or "advised"})
    return lines


def cells(line: dict[str, str]) -> dict[str, str]:
    """The line, letter by letter in Markdown."""
    return {name: escape_markdown(value) for name, value in line.items()}


def legend(case: Case, objective: str) -> list[str]:
    """What the columns of the table mean, and where they were measured."""
    said, rows, subjects = [], ROWS[objective], ", ".join(measured_evidence().subjects.get(case.figures, ()))
    if rows:
        said.append(
            f"In the paper: DeepSample, table 10, by {' / '.join(rows)}: rank 1 to 3 for "
            f"{'; '.join(case.breakdowns)}; a dash where it is not among the best three. RMSE is the error, RMedSE "
            "the error apart from outliers, T the trade-off with the failures exposed."
        )
    if subjects and objective == "severe faults":
        said.append(f"SFDR on {subjects}, with as many labels as faults (docs/studies/prioritizers.md).")
    elif subjects:
        said.append(
            f"Measured on {subjects} with 200 labels, as a multiple of simple random sampling's: a smaller error is better, "
            f"more failures are better ({PAGE})."
        )
    variables = TABLE_11["regression" if case.task == "regression" else "classification"]
    if case.auxiliary in variables and objective != "severe faults":
        of = 60 if case.task == "regression" else 270
        best = "; ".join(f"{name} {error} and {failures}" for name, (error, _, failures) in variables.items())
        said.append(f"The best auxiliary variable by RMSE and by failures, of {of} configurations: {best} (table 11).")
    return said


ROUND = 20
"""Inputs in a round, random draws and picks together."""

SHARES = (4, 6, 8, 10)
ORDERS = {
    "failure chance": "whatever is most likely to fail",
    "severe first": "what fails while the network is sure",
}
SEVERE = {"failure chance": "failure chance", "severe first": "severity first"}
"""The names on the page, and the option's."""


def two_streams(inputs: Inputs, request: Request) -> Request:
    """The plan with the share of picks, and their target, that the tester chooses; says how much width this costs."""
    left, right = st.columns(2)
    picks = left.select_slider(
        f"Picks among {ROUND} inputs",
        SHARES,
        8,
        key="picks",
        help=explained(
            "exploit pick", "The others are drawn at random; the estimate rests on them alone and stays unbiased."
        ),
    )
    order = right.selectbox("They look for", list(ORDERS), format_func=ORDERS.__getitem__, key="picks go for")
    options = {**request.options, "zones": ROUND - picks, "exploit": picks, "exploit_order": SEVERE[order]}
    chosen = replace(request, options=options)
    if words := cost_in_words(inputs, chosen, picks):
        st.caption(escape_markdown(words))
    return chosen


def cost_in_words(inputs: Inputs, chosen: Request, picks: int) -> str:
    """How much wider the interval is expected to be for the picks; empty where there is no forecast."""
    without = replace(chosen, options={})
    pair = [
        expected_half_widths(inputs, [request.budget], techniques=("rra",), chosen=request).get("rra", [np.nan])[0]
        for request in (chosen, without)
    ]
    if not np.isfinite(pair).all():
        return ""
    return (
        f"Of {spaced(chosen.budget)} labels about {spaced(chosen.budget * picks // ROUND)} go to picks. The "
        f"interval is expected to be "
        f"±{100 * pair[0]:.1f} points instead of ±{100 * pair[1]:.1f} without them."
    )


TECHNIQUE_HELP = "How the inputs are picked. Once chosen, it is explained below, with formula and source."


def technique_by_name(inputs: Inputs, advised: Request, linked: str | None = None) -> Request | None:
    """What was chosen by name, with budget and seed as advised; None if the advice is followed.

    ``linked`` : the technique that the page starts with.
    """
    with st.expander("Choose the technique yourself", expanded=linked is not None):
        if not st.toggle("Choose by name", linked is not None, key="by name"):
            return None
        names = list(SELECTORS)
        technique = st.selectbox(
            "Technique",
            names,
            names.index(linked or advised.technique),
            format_func=titled,
            help=TECHNIQUE_HELP,
        )
        chosen, auxiliary, features, variant = SELECTORS[technique], advised.auxiliary, advised.features, None
        why_not = possible(inputs, chosen)
        if why_not:
            st.warning(escape_markdown(why_not))
        if "scores" in chosen.needs and inputs.scores:
            scores = list(inputs.scores)
            first = default_auxiliary(inputs) or scores[0]
            several = "Of several the mean counts, each scaled to 0 to 1."
            taken = st.multiselect(
                "Auxiliary variables", scores, [first], help=explained("auxiliary variable", several)
            )
            auxiliary = "+".join(taken) or first
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
    return Request(technique, advised.budget, advised.seed, auxiliary, features, variant, options)


def option_field(option: Option) -> Any:
    """A field for one option of a technique."""
    label = option.name.replace("_", " ").capitalize()
    if option.choices:
        return st.selectbox(label, list(option.choices), list(option.choices).index(option.default), help=option.help)
    if isinstance(option.default, bool):
        return st.toggle(label, option.default, help=option.help)
    step = 1 if isinstance(option.default, int) else 0.01
    low, high = option.low, option.high
    if isinstance(option.default, int):
        low, high = (None if low is None else int(low)), (None if high is None else int(high))
    return st.number_input(label, low, high, option.default, step=step, help=option.help)


def describe(technique: type[Selector]) -> None:
    """What the technique claims, from its own data."""
    st.markdown(explained(technique_term(technique)))
    claims = technique.claims
    interval = "has an honest interval" if claims.honest_interval else "has no honest interval"
    always = ", and one that is right whenever you stop" if claims.always_valid else ""
    unbiased = "biased" if claims.unbiased == "no" else f"unbiased at {claims.unbiased}".replace("at once", "once")
    st.caption(escape_markdown(f"{technique.source}. The estimate is {unbiased} and {interval}{always}. {claims.note}"))
