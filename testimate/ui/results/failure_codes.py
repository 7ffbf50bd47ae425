"""Why inputs failed: how often each code occurs among all inputs, its faults, and the names that a lead gives them."""

from collections.abc import Mapping, Sequence

import streamlit as st

from testimate.charts.estimates import forest
from testimate.core.errors import TestimateError
from testimate.core.failure_codes import LONGEST_CODE
from testimate.core.words import DOWN, UP, commas, percentage
from testimate.estimators.failure_codes import FailureCodes
from testimate.reports.failure_codes import can_have_codes, session_codes
from testimate.reports.live import labeled_rows
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import shown_input
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words
from testimate.ui.member import present_member
from testimate.ui.results.faults import CARD, fault_words, most_severe_first

SHOWN = 6
"""Faults of a code that are shown at once, the most severe first."""

WITHOUT = ""
"""The choice of the faults that have no code."""

REFUSED = "failure code refused"


def why_it_failed(session: Session) -> None:
    """The section; nothing while there is no fault that could have a code."""
    rows, losses = labeled_rows(session)
    failed = session.inputs.task.failed(losses)
    if not failed.any() or not can_have_codes(session):
        return
    named(session, most_severe_first(session, rows[failed], losses[failed]))


@st.fragment
@errors_in_words
def named(session: Session, faults: Sequence[int]) -> None:
    """The codes with their shares, and the faults of one of them to be named; a part of the page of its own."""
    session.refresh()
    codes, found = session.codes(), session_codes(session)
    if found is None:
        with st.expander("Name why they failed", icon=":material/label:"):
            st.caption("Name what went wrong, such as blur or wrong unit. Each code then gets its share of all inputs.")
            name_faults(session, faults, codes, found)
        return
    st.subheader("Why it failed", anchor=False)
    shares(found)
    name_faults(session, faults, codes, found)


def name_faults(
    session: Session, faults: Sequence[int], codes: Mapping[int, Sequence[str]], found: FailureCodes | None
) -> None:
    """The faults of one code, or those that have none yet, each with the field for its codes."""
    if words := st.session_state.pop(REFUSED, ""):
        st.warning(escape_markdown(words), icon=":material/warning:")
    names = [] if found is None else [one.code for one in found.codes if one.code]
    of = {name: [row for row in faults if name in codes.get(row, ())] for name in names}
    of[WITHOUT] = [row for row in faults if row not in codes]
    if not of[WITHOUT]:
        del of[WITHOUT]
    key = session.session_record.id
    with st.container(horizontal=True, vertical_alignment="bottom"):
        order = [WITHOUT, *names] if WITHOUT in of else names
        chosen = st.selectbox(
            "Faults",
            order,
            format_func=lambda name: f"{name or 'No code'} ({commas(len(of.get(name, [])))})",
            key=f"faults of code {key} {WITHOUT in of}",
            width=280,
        )
        if names:
            codebook(session, names)
    rows = of.get(chosen, [])
    with st.container(horizontal=True, gap="small"):
        for row in rows[:SHOWN]:
            with st.container(width=CARD, gap="xsmall"):
                one_fault(session, row, codes.get(row, ()), names)
    if len(rows) > SHOWN:
        st.caption(f"The {SHOWN} most severe of {commas(len(rows))}.")


def shares(found: FailureCodes) -> None:
    """A line for each code, and a chart of those with an interval."""
    st.caption(escape_markdown(found.basis))
    with st.container(key="stacked failure codes"):
        left, right = st.columns([8, 5], gap="medium")
    percent = st.column_config.NumberColumn(format="%.1f%%")
    lines = [
        {
            "Code": one.code or "no code",
            "Faults": len(one.rows),
            "Of all inputs": None if one.share.value is None else percentage(one.share.value, 1),
            "Low": None if one.share.low is None else percentage(one.share.low, 1, DOWN),
            "High": None if one.share.high is None else percentage(one.share.high, 1, UP),
        }
        for one in found.codes
    ]
    with left:
        st.dataframe(lines, hide_index=True, column_config=dict.fromkeys(("Of all inputs", "Low", "High"), percent))
        for remark in found.remarks:
            st.markdown(escape_markdown(remark))
    measured = [one for one in found.codes if one.share.low is not None]
    if measured:
        figure = forest(
            [one.code or "no code" for one in measured],
            [one.share.value or 0.0 for one in measured],
            [one.share.low or 0.0 for one in measured],
            [one.share.high or 0.0 for one in measured],
            whole=None,
            column="Code",
            measure="Share of all inputs",
            dark=dark(),
            highest_first=True,
        )
        right.plotly_chart(figure, theme=None, alt="Share of all inputs with each failure code, with intervals")


def one_fault(session: Session, row: int, codes: Sequence[str], names: Sequence[str]) -> None:
    """A fault with the field for its codes, which offers those given before."""
    shown_input(session.show(row), caption=fault_words(session, row), help=session.inputs.name_of(row), size=CARD)
    key = f"codes {session.session_record.id} {row} {codes}"  # another field once other codes are stored
    st.multiselect(
        f"Why input {commas(row)} failed",
        list(dict.fromkeys([*names, *codes])),
        list(codes),
        key=key,
        label_visibility="collapsed",
        placeholder="Why?",
        accept_new_options=True,
        on_change=keep_codes,
        args=(session, row, key),
    )


def keep_codes(session: Session, row: int, key: str) -> None:
    """Stores what the field says."""
    try:
        session.give_codes(row, st.session_state[key], present_member().name)
    except TestimateError as error:
        st.session_state[REFUSED] = str(error)


def codebook(session: Session, names: Sequence[str]) -> None:
    """Renames a code, merges it with another one, or splits it again."""
    key = session.session_record.id
    with st.popover("Rename or merge"):
        old = st.selectbox("Code", names, key=f"code to rename {key}")
        field = f"new name of code {key}"
        st.text_input("New name", key=field, max_chars=LONGEST_CODE, help="The name of another code merges both.")
        st.button("Rename code", on_click=rename, args=(session, old, field), type="primary")
        of = session.merged_codes().get(old, ())
        if of:
            st.caption(escape_markdown(f"Given as {', '.join(of)}."))
            st.button("Undo renaming", on_click=rename, args=(session, old, ""))


def rename(session: Session, old: str, field: str) -> None:
    """Stores the new name in the field; without a field, the names as they were given."""
    new = str(st.session_state[field]).strip() if field else ""
    if field and not new:
        st.session_state[REFUSED] = "The new name is empty. Expected one. Type it."
        return
    try:
        session.rename_code(old, new, present_member().name)
    except TestimateError as error:
        st.session_state[REFUSED] = str(error)
        return
    if field:
        st.session_state[field] = ""
