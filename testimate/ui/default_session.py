"""A session by the default technique, started with one click."""

import streamlit as st

from testimate.advice.advice import advise
from testimate.core.selector import Request
from testimate.demos.catalog import find_demo
from testimate.ui.current_project import project, team
from testimate.ui.job_progress import on_the_bar
from testimate.ui.location import go
from testimate.ui.pages import LABEL

FIRST_BUDGET = 200
START_HALF_WIDTH = 0.05
START_SEED = 4


def question_of(key: str) -> str:
    """What a tester of a demo is asked; empty for other subjects."""
    demo = find_demo(key)
    return "" if demo is None else demo.question


def start_default(key: str) -> None:
    """Opens a subject, plans a session with the default technique and goes to Label."""
    with st.spinner("Getting the demo ready …"):
        inputs = project().inputs(key, on_the_bar(st.progress(0.0)))
        advice = advise(inputs, "tight interval")
        budget = min(FIRST_BUDGET, len(inputs))
        request = Request(
            advice.technique,
            budget=budget,
            seed=START_SEED,
            auxiliary=advice.auxiliary or "confidence",
            options=advice.options,
        )
        session = project().start_session(
            key,
            request,
            half_width=START_HALF_WIDTH,
            votes_per_input=1 if team() else None,
            question=question_of(key),
            rubric="" if (demo := find_demo(key)) is None else demo.rubric,
        )
    go(LABEL, subject=key, session=session.session_record.id)
