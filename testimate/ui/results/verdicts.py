"""What the verdicts say beyond the score, on Results: shares of the grades, the judge's agreement, and where it is wrong."""

import streamlit as st

from testimate.core.words import percent, percent_range
from testimate.planning.task_estimates import judge_words
from testimate.reports.live import LiveReport
from testimate.reports.verdicts import DECIDED, JudgeError, decided_words, judge_errors, reasons_given, session_verdicts
from testimate.session.session import Session
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown

MOST = 8
"""Outputs in a gallery of the judge's errors."""

ACROSS = 9


def decision(session: Session, report: LiveReport) -> None:
    """Of two systems, which is preferred, or that it is not decided yet; nothing for other tasks."""
    decided = decided_words(session, report.estimate)
    if decided:
        show = st.success if decided.startswith(DECIDED) else st.info
        show(escape_markdown(decided), icon=":material/balance:")


def verdicts(session: Session) -> None:
    """The section; nothing for other tasks, or while there is no honest number."""
    if not session.inputs.task.graded:
        return
    found = session_verdicts(session)
    if found is None:
        return
    st.subheader("What people say about all inputs", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        lines = []
        for one in (*found.grades, *([found.right] if found.right is not None and len(found.grades) > 3 else [])):
            ends = one.estimate
            between = "" if ends.low is None or ends.high is None else percent_range(ends.low, ends.high)
            lines.append({"Grade": one.name, "Share": percent(ends.accuracy), "Interval": between})
        st.dataframe(lines, hide_index=True, height="content")
        if found.mean_grade is not None:
            value, low, high = found.mean_grade
            between = "" if low is None or high is None else f", between {low:.2f} and {high:.2f}"
            st.write(f"Mean grade {value:.2f}{between}.")
        st.caption("Intervals at a number of labels fixed in advance.")
    with right:
        if found.judge is not None:
            st.markdown("**The judge and people**")
            st.write(escape_markdown(judge_words(found.judge)))
            st.caption(
                "Kappa is agreement beyond chance: 0 where the judge might as well guess, 1 where it always says what people "
                "say."
            )
    where_the_judge_errs(session)


def where_the_judge_errs(session: Session) -> None:
    """The outputs that the judge called right and people did not, and the other way round, the surest first."""
    errors = judge_errors(session)
    kinds = (
        ("called right", "Called right by the judge, and not by people"),
        ("called wrong", "Called wrong by the judge, and right by people"),
    )
    for kind, title in kinds:
        some = [one for one in errors if one.kind == kind]
        if some:
            st.markdown(f"**{title}** · {len(some)}")
            gallery(
                [_tile(session, one, reasons_given(session).get(one.row, "")) for one in some[:MOST]], across=ACROSS
            )


def _tile(session: Session, one: JudgeError, reason: str) -> Tile:
    why = f": {reason}" if reason else ""
    return Tile(session.show(one.row), f"score {percent(one.score, 0)}, {one.answer}{why}", help=f"input {one.row}")
