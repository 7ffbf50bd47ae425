"""Whether this set looks like another one, and what that one's labels say about it under an assumption."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.subject import Subject
from testimate.core.words import percent
from testimate.planning.changed_sets import WIDE, By, alike_in_words, compare_sets, reweighted_in_words
from testimate.project.changed_sets import inputs_of_set, sets_to_compare, weighted_labels
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project

WEIGHTED_BY: dict[By, str] = {"confidence": "Confidence", "class": "Predicted class"}

SEED = 1
"""Seed of the compared rows and the shuffles, so that the same sets give the same answer."""


def other_sets(subject: Subject) -> None:
    """The section; nothing if there is no other set."""
    sets = sets_to_compare(project(), subject.key)
    if not sets:
        return
    with st.expander("Does this set look like another one?", icon=":material/compare_arrows:"):
        st.caption(
            "Compared by what is known about both: features, confidence, predicted classes. Selectors that learn from the "
            "training set (SSOA) expect it to look like this one; labels of another set may be weighted to this one's mix."
        )
        other = st.selectbox("The other set", list(sets), format_func=sets.__getitem__, key="other set", width=420)
        if not st.toggle("Compare", key="compare sets"):
            return
        try:
            compared(subject, other)
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


def compared(subject: Subject, other: str) -> None:
    """The tests of one other set, and the accuracy by its labels."""
    first, second = inputs_of_set(project(), subject.key, other), project().inputs(subject.key)
    with st.spinner("Comparing …"):
        tests = compare_sets(first, second, seed=SEED)
    st.markdown(f"**{escape_markdown(alike_in_words(tests))}**")
    st.dataframe(
        [
            {
                "Compared in": one.what,
                "Distance": f"{one.found.statistic:.3f}",
                "p-value, corrected": "below 0.001" if one.corrected < 0.001 else f"{one.corrected:.3f}",
                "Differs": "yes" if one.differs else "not shown",
            }
            for one in tests
        ],
        hide_index=True,
    )
    weighting(subject, other)


def weighting(subject: Subject, other: str) -> None:
    """The accuracy by the other set's labels, if it has a plan with some, and what that assumes."""
    if weighted_labels(project(), subject.key, other, "confidence") is None:
        st.caption("The other set has no plan with labels that could be weighted.")
        return
    by = st.segmented_control(
        "Weight the other set's labels by",
        list(WEIGHTED_BY),
        default="confidence",
        required=True,
        format_func=WEIGHTED_BY.__getitem__,
    )
    weighted = weighted_labels(project(), subject.key, other, by)
    assert weighted is not None, "as for the other way to weight them"
    found = weighted()
    st.markdown(escape_markdown(reweighted_in_words(found)))
    st.info(found.assumes, icon=":material/info:")
    if found.cautious:
        st.caption(WIDE)
    with st.expander("The shares by which labels are weighted"):
        columns = (found.kinds.names, found.kinds.old, found.kinds.new)
        st.dataframe(
            [
                {"Inputs": name, "Labeled set": percent(old), "This set": percent(new)}
                for name, old, new in zip(*columns, strict=True)
                if old or new
            ],
            hide_index=True,
        )
