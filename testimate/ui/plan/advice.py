"""The advice of the Plan page: a technique with its reason, and on request the evidence for it and against the others."""

import streamlit as st

from testimate.advice.candidates import ROWS
from testimate.advice.case import Case
from testimate.advice.evidence import PAGE
from testimate.advice.evidence import evidence as measured_evidence
from testimate.advice.objectives import Advice
from testimate.advice.published_evidence import TABLE_11
from testimate.planning.technique_names import titled
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown

FIGURES = ("error", "failures", "SFDR")


def advised(advice: Advice) -> None:
    """The technique and why, in a few sentences."""
    st.info(
        escape_markdown(f"{titled(advice.technique)}. {advice.why}"),
        icon=":material/lightbulb:",
    )


def evidence(advice: Advice) -> None:
    """Behind a click: the technique's definition, the candidates in a table, what its columns mean, what is not known."""
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
    """What the columns of the table say, and of what."""
    said, rows, subjects = [], ROWS[objective], ", ".join(measured_evidence().subjects.get(case.figures, ()))
    if rows:
        said.append(
            f"In the paper: DeepSample, table 10, by {' / '.join(rows)}: the place, 1 to 3, for {'; '.join(case.breakdowns)}; "
            "a dash where it is not among the best three. RMSE is the error, RMedSE the error but for outliers, T the "
            "trade-off with the failures exposed."
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
