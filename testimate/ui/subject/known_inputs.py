"""On opening a subject: whose inputs these are, and how many of them are labeled already."""

import streamlit as st

from testimate.core.subject import Subject
from testimate.core.words import counted, percent, spaced
from testimate.project.versions import become_version, can_be_version, recognised, table_with_the_same_keys
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.location import go
from testimate.ui.other_models import carry_out
from testimate.ui.pages import VERSIONS


def known_inputs(subject: Subject) -> None:
    """Says so if other versions have the same inputs, or if a table has the same keys; otherwise nothing."""
    if not can_be_version(subject):
        return
    there = recognised(project(), subject.key)
    if there:
        one, labeled = max(there, key=lambda pair: pair[1])
        count = f", {spaced(labeled)} of them labeled" if labeled else ""
        more = f", and of {counted(len(there) - 1, 'more version')}" if len(there) > 1 else ""
        st.info(escape_markdown(f"These are the inputs of {one.name!r}{count}{more}."), icon=":material/history:")
        if st.button("See the versions", icon=":material/history:"):
            go(VERSIONS, subject=subject.key)
        return
    same = table_with_the_same_keys(project(), subject.key)
    if same is None:
        return
    st.info(
        escape_markdown(
            f"These seem to be the inputs of {same.name!r}: the rows have the same keys, and the predictions agree on "
            f"{percent(same.agreement)}. As a version of it, this model is judged by the existing labels."
        ),
        icon=":material/history:",
    )
    if st.button("Make it a version", icon=":material/history:"):
        made: list[Subject] = []
        carry_out(lambda: made.append(become_version(project(), subject.key, same.key)), again=False)
        if made:
            go(VERSIONS, subject=made[0].key)
