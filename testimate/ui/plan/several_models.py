"""One sample for several models: which of them, and the request that draws it."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.planning.top_up import MOST_MODELS
from testimate.project.version_labels import shared_request
from testimate.project.versions import can_be_version, versions_of
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project


def for_several_models(subject: Subject, request: Request) -> Request | None:
    """The request of a sample for this model and the chosen ones, with the same budget and seed; None if there is only one."""
    if not can_be_version(subject):
        return None
    others = {one.key: one.name for one in versions_of(project(), subject.key) if one.key != subject.key}
    if not others:
        return None
    chosen = st.multiselect(
        "Judge these models by the same labels",
        list(others),
        format_func=others.__getitem__,
        max_selections=MOST_MODELS - 1,
        key=f"several models of {subject.key}",
        help=explained("shared", "One sample is drawn for all of them; you label once."),
    )
    if not chosen:
        return None
    try:
        with st.spinner("Finding where any of them may fail …"):
            shared = shared_request(project(), [subject.key, *chosen], request.budget, request.seed)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    st.caption(
        "The sample is drawn where any of these models may fail. What to expect is for the technique above and this "
        "model alone."
    )
    return shared
