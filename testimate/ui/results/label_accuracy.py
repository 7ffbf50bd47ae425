"""How often each label of a set is right, as a table beneath how often the whole set is."""

import streamlit as st

from testimate.reports.people import in_words, label_accuracies
from testimate.session.session import Session


def each_label(session: Session) -> None:
    """The labels of a multi-label task; nothing for other tasks."""
    found = label_accuracies(session)
    if not found:
        return
    st.subheader("Each label by itself", anchor=False)
    st.caption(
        "For the accuracy above, the whole set has to be right. Here an input is right for a label if prediction "
        "and answer agree about that label."
    )
    rows = [
        {
            "Label": one.label,
            "Right, with its interval": in_words(one),
            "Present": one.present,
            "Predicted": one.predicted,
        }
        for one in found
    ]
    st.dataframe(rows, hide_index=True)
