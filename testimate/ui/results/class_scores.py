"""Precision, recall and F1 of each class with intervals, their means, and the confusion matrix of all inputs."""

import streamlit as st

from testimate.charts.comparison import shares_confused
from testimate.core.errors import TestimateError
from testimate.reports.parts import score_lines, session_scores
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words


@st.fragment
@errors_in_words
def class_scores(session: Session) -> None:
    """The table beside the matrix; a part of the page of its own."""
    together = st.checkbox(
        "Intervals that hold all together",
        key=f"scores together {session.session_record.id}",
        help="Bonferroni correction: wider, so that all of them together hold as often as a single one otherwise does.",
    )
    try:
        scores = session_scores(session, simultaneous=together)
    except TestimateError as error:
        st.info(escape_markdown(str(error)), icon=":material/info:")
        return
    classes = session.inputs.task.classes
    st.caption(
        "Precision: of the inputs predicted as a class, the share that belong to it. Recall: of the inputs of a "
        "class, the share predicted as it. F1: their harmonic mean. Each is estimated for all inputs, allowing for "
        "how the labels were drawn."
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.dataframe(
            [
                {"class": one.name, "precision": one.precision, "recall": one.recall, "F1": one.f1}
                for one in score_lines(scores, classes)
            ],
            hide_index=True,
        )
    with right:
        if scores.confusion:
            figure = shares_confused(
                [(one.true, one.predicted, one.share.value or 0.0) for one in scores.confusion], classes, dark=dark()
            )
            st.plotly_chart(figure, theme=None, alt="Confusion matrix of all inputs, in percent of all")
