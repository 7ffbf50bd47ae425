"""How many of the first classes count as right: chosen on Plan for a model, or a table with probabilities."""

import streamlit as st

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.tasks.classification import Classification
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.location import forget, remember

MOST_PLACES = 10
BROUGHT = ("table-", "own-")
"""How the keys of uploaded subjects begin; a demo stays as it is described."""


def top_k(subject: Subject, inputs: Inputs) -> None:
    """Asks among how many of the most probable classes the true one must be; another number makes another subject."""
    task = inputs.task
    if not isinstance(task, Classification) or inputs.probabilities is None or not subject.key.startswith(BROUGHT):
        return
    if len(task.classes) < 3:
        return
    most = min(MOST_PLACES, len(task.classes) - 1)
    asked = st.number_input(
        "Right if the class is among the first",
        1,
        most,
        min(task.top_k, most),
        key=f"top k {subject.key}",
        help="1 counts the most probable class alone; 5 is the top-5 accuracy. A session keeps the number it was started with.",
    )
    if asked == task.top_k:
        return
    try:
        changed = project().with_top_k(subject.key, int(asked))
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    forget("session")
    remember("subject", changed.key)
    st.rerun()
