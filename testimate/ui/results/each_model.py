"""A sample for several models on the Results page: a row for each of them."""

import streamlit as st

from testimate.project.version_history import history_of
from testimate.project.version_labels import shared_models
from testimate.reports.version_words import labels_of_plans, row_of
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.empty_state import UNKNOWN
from testimate.ui.location import go
from testimate.ui.pages import VERSIONS


def each_model(session: Session) -> None:
    """The models that the sample is for, each with its accuracy; nothing if it is for one."""
    record = session.session_record
    models = shared_models(record)
    if not models:
        return
    st.subheader("Each model", anchor=False)
    with st.spinner("Judging each model …"):
        history = history_of(project(), record.subject, only=models, level=record.level)
    if len(history.plans) > 1:
        st.caption(
            f"Judged by all {labels_of_plans(history)} that these inputs have; what stands above rests on this session's alone."
        )
    st.dataframe([row_of(one) for one in history.versions], hide_index=True, placeholder=UNKNOWN)
    for one in history.versions:
        if one.why:
            st.caption(escape_markdown(f"{one.version.name}: {one.why}"))
    st.caption(
        "These estimates also use the models' predictions, so the tested one may differ slightly from above. The best "
        "of several on the same labels looks better than it is."
    )
    if st.button("Compare them on Versions"):
        go(VERSIONS, subject=record.subject)
