"""Labels that decide which model is best: how they are planned, and what those of a session show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from testimate.comparison import COMPARING
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.core.words import commas
from testimate.reports.compared_models import Contender, Contest, compares_models, contest, points, points_range
from testimate.session.session import Session
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import LABEL
from testimate.ui.sessions import session_names

if TYPE_CHECKING:  # SciPy's statistics, which a session of one model does not need
    from testimate.comparison.overview import ComparisonView

FIRST_BUDGET = 200


def what_next(subject: Subject, inputs: Inputs, view: ComparisonView) -> None:
    """The section that plans labels where they decide between the models."""
    st.subheader(
        "Label where they disagree", anchor=False, help="\n\n".join(explained(name) for name in ("tell-apart", "sds"))
    )
    if not view.disputed:
        st.info("There is nothing to label: the models predict the same for every input.")
        return
    technique = st.radio(
        "Inputs",
        ["tell-apart", "sds"],
        format_func=lambda name: {
            "tell-apart": "Find the best model with 95% confidence (random inputs where the remaining models disagree)",
            "sds": "Quick look, no guarantee (most discriminating inputs, SDS)",
        }[name],
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = view.disputed if technique == "tell-apart" else len(inputs)
        budget = int(
            st.number_input("Labels at most", 1, most, min(FIRST_BUDGET, most), width=160, help=explained("budget"))
        )
        seed = int(st.number_input("Seed", 0, 2**31, 1, width=120, help=explained("seed")))
        start = st.button("Start labeling", type="primary", icon=":material/label:")
    st.caption(escape_markdown(COMPARING[technique].claims.note))
    if start:
        session = project().start_session(subject.key, Request(technique, budget, seed))
        go(LABEL, subject=subject.key, session=session.session_record.id)


def standing(subject: Subject) -> str:
    """The models by the labels of a session, at first the latest; returns the verdict, "" without any label."""
    records = [record for record in project().sessions() if record.subject == subject.key]
    if not records:
        return ""
    names = session_names(records, project().session_changes.names())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Session", list(names), format_func=names.__getitem__, width=480)
        if st.button("Continue labeling", icon=":material/label:"):
            go(LABEL, subject=subject.key, session=chosen)
    session = project().session(chosen)
    session.refresh()
    if not compares_models(session):
        return ""
    found = contest(session)
    table_of(found)
    return found.words if session.labeled else ""


def contest_panel(session: Session) -> Contest:
    """The standing of the models; a winner only when the intervals say so."""
    found = contest(session)
    words = escape_markdown(found.words)
    if found.winner:
        st.success(words, icon=":material/trophy:")
    else:
        st.info(words, icon=":material/balance:")
    table_of(found)
    return found


def table_of(found: Contest) -> None:
    """The models with what they got right and how far they are behind."""
    st.dataframe([row_of(one) for one in found.contenders], hide_index=True, placeholder=UNKNOWN)
    if any(one.behind is not None for one in found.contenders):
        rivals = len(found.contenders) - 1
        shared = f" The confidence level is shared among the {rivals} rivals of a model." if rivals > 1 else ""
        st.caption(
            "Behind: accuracy of the model on top minus this one's, over all inputs. The intervals are stop-safe."
            f"{shared} The best one is ruled out with a chance of at most {100 * (1 - found.level):.3g}%."
        )


def row_of(one: Contender) -> dict[str, object]:
    """A model as a row of the table."""
    standing = one.state if one.beaten_by is None else f"ruled out by {one.beaten_by}"
    row: dict[str, object] = {
        "model": one.model,
        "standing": standing,
        "right": f"{commas(one.right)} of {commas(one.labeled)}",
    }
    behind = one.behind
    if behind is None:
        return row | {"behind": "", "differ on": ""}
    by = "" if behind.estimate is None else f"{points(behind.estimate)}; "
    return row | {
        "behind": f"{by}{points_range(behind.low, behind.high)}",
        "differ on": f"{commas(behind.labeled)} of {commas(behind.disputed)}",
    }
