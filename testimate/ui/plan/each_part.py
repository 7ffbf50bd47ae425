"""A plan that aims at parts: every class, or every value of a column, to the same width."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.planning.parts import each_part_request, each_part_within
from testimate.project.cluster_review import columns_of_subject
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project


def for_each_part(subject: Subject, inputs: Inputs, request: Request) -> Request | None:
    """The request that gives every part of a column its own labels, with the same seed; None if this was not asked for."""
    if not inputs.task.measure.is_share:
        return None
    columns = columns_of_subject(project(), subject.key, inputs)
    if not columns:
        return None
    asked = st.toggle(
        "Every class, or part, to the same width",
        key=f"each part of {subject.key}",
        help="Labels go to each part until its own interval is expected to be narrow enough. The whole set is judged by "
        "the same labels.",
    )
    if not asked:
        return None
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    name = left.selectbox("Parts by", list(columns), key=f"parts of {subject.key} by")
    wide = right.number_input("Each within ± points", 0.5, 50.0, 5.0, step=0.5, format="%.1f")
    try:
        plan = each_part_within(inputs, columns[name](), float(wide) / 100)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    dear = 2 * plan.total > len(inputs)
    (st.warning if dear else st.info)(escape_markdown(plan.words()), icon=":material/donut_small:")
    st.caption("These take the place of the budget and the technique above. What to expect on the right is for those.")
    return each_part_request(plan, request.seed)
