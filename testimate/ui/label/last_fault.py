"""On the Label page, after the answer: the fault found last, explained on request."""

import streamlit as st

from testimate.core.words import spaced
from testimate.session.session import Session
from testimate.ui.components.shown_input import shown_input
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.explanation import explanation

LOOKED_BACK = 50
"""How many of the last answers are searched for a fault."""


def last_fault_if_asked(session: Session) -> None:
    """A switch, and below it the last input that was answered and failed."""
    asked = st.toggle(
        "Explain the last fault",
        key="explain the last fault",
        help="What was labeled already: where the network looked, and similar inputs. The next input stays on screen.",
    )
    if asked:
        row = last_fault(session)
        if row is None:
            st.caption("No fault among the last answers.")
        else:
            one_fault(session, row)


def last_fault(session: Session) -> int | None:
    """The row of the fault found last; None where the last answers hold none."""
    answers = session.answers()
    for labeled in session.recent(LOOKED_BACK):
        row = labeled.row
        if row in answers and bool(session.inputs.task.failed([session.inputs.loss(row, answers[row])])[0]):
            return row
    return None


@st.fragment
@errors_in_words
def one_fault(session: Session, row: int) -> None:
    """The fault; a part of the page of its own, so that labeling goes on while the model is asked."""
    inputs, subject = session.inputs, project().subject(session.session_record.subject)
    with st.container(border=True):
        shown_input(subject.dataset.show(row), size=120)
        said = inputs.task.prediction_text(inputs.predictions[row])
        words = (
            f"Input {spaced(row)}: the network said {said}, you said {inputs.task.answer_text(session.answers()[row])}."
        )
        st.markdown(escape_markdown(words))
        explanation(row, subject, inputs, session, blind=True)
