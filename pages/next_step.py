"""An empty place on a page: what is missing, and the buttons that mend it."""

from dataclasses import dataclass

import streamlit as st

from testimate.widgets.untrusted_text import escape_markdown


@dataclass(frozen=True)
class Step:
    """A button's label, and the page it opens by its file's name."""

    label: str
    page: str


TO_SUBJECT = Step("Go to Subject", "subject")
TO_STRATA = Step("Go to Strata", "strata")
TO_PLAN = Step("Go to Plan", "plan")
TO_LABEL = Step("Label on", "label")
TO_RESULTS = Step("Go to Results", "results")


def nothing_here(missing: str, *steps: Step, icon: str = ":material/info:") -> None:
    """Says what is missing and what to do, with the first step as the likeliest one."""
    st.info(escape_markdown(missing), icon=icon)
    with st.container(horizontal=True):
        for place, step in enumerate(steps):
            if st.button(step.label, type="secondary" if place else "primary", key=f"{step.page} {missing[:24]}"):
                st.switch_page(f"pages/{step.page}.py")
