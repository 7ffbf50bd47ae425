"""The reveal as a step of its own: first the estimate alone, then the truth beside it."""

import streamlit as st

from testimate.core.words import percent
from testimate.planning.estimate import counting_ends
from testimate.reports.live import LiveReport
from testimate.session.session import Session
from testimate.ui.truth import reveal, truth_revealed


def reveal_card(session: Session, report: LiveReport) -> None:
    """Where the right answers are known: the button that shows the truth, then whether the interval that counts holds it.

    Nothing for plans without such an interval, such as a list or part of a selection, which do not estimate the whole
    set.
    """
    estimate, truth = report.estimate, session.inputs.known_accuracy
    ends = None if estimate is None else counting_ends(estimate, report.headline)
    if estimate is None or ends is None or truth is None or not session.inputs.task.measure.is_share:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="reveal-card"):
        if not truth_revealed():
            st.markdown(
                "The right answers of all inputs are known here. Commit to your estimate first.", width="stretch"
            )
            st.button("Reveal the truth", icon=":material/visibility:", key="reveal now", on_click=reveal, args=(True,))
            return
        where = "inside" if ends[0] <= truth <= ends[1] else "outside"
        missing = f"{100 * (1 - session.session_record.level):g} of 100 sessions"
        seldom = f"ever miss in at most {missing}" if report.headline == "always" else f"miss in about {missing}"
        st.markdown(
            f"**The truth is {percent(truth)}, {where} the interval.** The estimate is "
            f"{100 * abs(estimate.accuracy - truth):.1f} points off. Such intervals {seldom}: a class that labels with "
            "different seeds can count them.",
            width="stretch",
        )
