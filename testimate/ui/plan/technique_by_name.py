"""A technique chosen by name instead of by an objective: its auxiliary variable, features and options, and what it claims."""

from typing import Any

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.selector import Option, Request, Selector
from testimate.planning.needs import default_auxiliary, possible
from testimate.planning.technique_names import titled
from testimate.selectors import SELECTORS
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.technique_words import technique_term

TECHNIQUE_HELP = "How the inputs are picked. What it means, with formula and source, stands below once it is chosen."


def technique_by_name(inputs: Inputs, advised: Request) -> Request | None:
    """What was chosen by name, with budget and seed as advised; None where the advice is followed."""
    with st.expander("Choose the technique yourself"):
        if not st.toggle("Choose by name", key="by name"):
            return None
        names = list(SELECTORS)
        technique = st.selectbox(
            "Technique",
            names,
            names.index(advised.technique),
            format_func=titled,
            help=TECHNIQUE_HELP,
        )
        chosen, auxiliary, features, variant = SELECTORS[technique], advised.auxiliary, advised.features, None
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
