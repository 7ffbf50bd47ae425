"""Ready to release: a gate between two versions that asks until it is decided, on Versions and beside the labeling surface."""

from collections.abc import Sequence

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.words import commas, plural
from testimate.planning.margin_gate import ANSWER, Margin, MarginGate
from testimate.project.version_gate import GateBetween, gate_between, gate_of_session, start_gate
from testimate.project.versions import Version
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.pages import LABEL, VERSIONS

RISKS = {0.01: "1 in 100", 0.05: "5 in 100", 0.1: "10 in 100"}
USUAL_MARGIN, USUAL_RISK = 1.0, 0.05


def version_gate(one: Version, before: Version | None) -> None:
    """The section; nothing for the first version, and for one that knew the labels."""
    if before is None or one.knew_labels:
        return
    st.subheader("Ready to release?", anchor=False)
    st.caption(
        escape_markdown(
            f"Label only where {one.name} and {before.name} differ, in random order, until it is decided. Look whenever you "
            "like."
        )
    )
    try:
        found = gate_between(project(), one.key, before.key, _asked(one.key))
    except TestimateError as error:
        st.info(escape_markdown(str(error)), icon=":material/info:")
        return
    answer(found.gate)
    if found.gate.outcome == "undecided":
        with st.container(key="gate"):
            _go_on(found, one, before)


def before_of(versions: Sequence[Version], one: Version) -> Version | None:
    """The version that labels may judge and that comes before this one; None for the first."""
    earlier = versions[: [each.key for each in versions].index(one.key)]
    return next((each for each in reversed(earlier) if not each.knew_labels), None)


def _asked(key: str) -> Margin:
    """The margin and the risk, as typed."""
    with st.container(horizontal=True):
        points = st.number_input(
            "Allowed drop, in points",
            0.0,
            100.0,
            USUAL_MARGIN,
            0.5,
            key=f"margin {key}",
            width=200,
            help="Percentage points of accuracy. A gate that has started keeps its value.",
        )
        risk = st.selectbox(
            "Risk of a wrong answer",
            list(RISKS),
            list(RISKS).index(USUAL_RISK),
            format_func=RISKS.__getitem__,
            key=f"risk {key}",
            width=180,
        )
    return Margin(float(points), float(risk))


def answer(gate: MarginGate) -> None:
    """The answer by now, with what it rests on."""
    points = f" with a margin of {gate.margin.points:g} point{plural(gate.margin.points)}" if gate.begun else ""
    words = f"**{ANSWER[gate.outcome]}**{points}. {escape_markdown(gate.why)}"
    if gate.outcome == "pass":
        st.success(words)
    elif gate.outcome == "fail":
        st.error(words)
    else:
        st.markdown(words)


def _go_on(found: GateBetween, one: Version, before: Version) -> None:
    """The labels to expect and the button that begins, or the way back to what was begun."""
    gate, record = found.gate, found.record
    if record is not None:
        if gate.left and st.button("Continue", key=f"continue gate {record.id}", type="primary"):
            go(LABEL, subject=record.subject, session=record.id)
        return
    expected = st.session_state.setdefault("labels of gates", {})
    state = one.key, before.key, gate.margin, gate.labeled, gate.differing
    if state not in expected:
        expected[state] = gate.expect()
    lines = [f"| {each.points:+g} point{plural(abs(each.points))} | {each.words} |" for each in expected[state]]
    st.markdown("\n".join(["| If it is better by | Labels to expect |", "|---|---|", *lines]))
    if st.button("Label until decided", icon=":material/label:", key=f"start gate {one.key}"):
        try:
            session = start_gate(project(), one.key, before.key, gate.margin)
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
            return
        go(LABEL, subject=one.key, session=session.session_record.id)


def gate_panel(session: Session) -> None:
    """Beside the surface: the answer, and how many labels there are. What they say is not shown before it is decided."""
    gate = gate_of_session(project(), session)
    st.metric("Ready to release?", ANSWER[gate.outcome])
    if gate.outcome == "undecided":
        st.caption(
            f"{commas(gate.labeled)} of {commas(gate.differing)} differing inputs are labeled. You see when it is decided."
        )
        return
    answer(gate)
    if st.button("See the versions", type="primary", icon=":material/arrow_forward:", key="decided"):
        go(VERSIONS, subject=session.session_record.subject)
