"""The Label page's own part, beside a map of 10,000 points; served by the labeling benchmark.

LABELING_DATABASE, LABELING_BUDGET, LABELING_TECHNIQUE, LABELING_TEAM and LABELING_MAP say what is labeled;
``?tester=NAME`` who labels. LABELING_CLOCK : a file that says by how many seconds the server's clock is wrong.
"""

import os
import time
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from benchmarks.labeling_page.session import new_session
from testimate.core.session_record import ALONE, Tester
from testimate.session.session import Session
from testimate.ui.current_project import project
from testimate.ui.label.labeling import labeling
from testimate.ui.member import TOKEN


@st.cache_resource(show_spinner=False)
def session() -> Session:
    """One for all tabs, as in the app."""
    budget, votes = int(os.environ["LABELING_BUDGET"]), os.environ.get("LABELING_TEAM")
    technique = os.environ.get("LABELING_TECHNIQUE", "srs")
    return new_session(os.environ["LABELING_DATABASE"], technique, budget, 1 if votes else None, clock)


def clock() -> float:
    """Seconds since 1970, by a clock that may jump."""
    wrong = Path(os.environ.get("LABELING_CLOCK", ""))
    return time.time() + (float(wrong.read_text() or 0) if wrong.is_file() else 0.0)


def who() -> Tester:
    """Who labels: of a team somebody who has logged in, for each answer looks that up."""
    name = st.query_params.get("tester", ALONE)
    if not os.environ.get("LABELING_TEAM"):
        return Tester(name, "lead")
    testers = project().testers
    member = testers.find(name) or testers.add(name, None)
    if TOKEN not in st.session_state:
        st.session_state[TOKEN] = testers.open_login(member)
    return member


st.set_page_config(layout="wide", page_title="Labeling")
labeling(session(), who())
if os.environ.get("LABELING_MAP"):
    rng = np.random.default_rng(2)
    points = rng.normal(size=(10_000, 2)) + 6 * rng.integers(0, 4, (10_000, 1))
    figure = go.Figure(go.Scattergl(x=points[:, 0], y=points[:, 1], mode="markers", marker={"size": 3}))
    st.plotly_chart(figure, key="map")
