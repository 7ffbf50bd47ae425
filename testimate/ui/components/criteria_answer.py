"""Several criteria of one output, asked by plain widgets: for screen readers, disputes and exploring."""

from typing import Any

import streamlit as st

from testimate.core.task import Task
from testimate.tasks.criteria import SKIPPED
from testimate.ui.components.untrusted_text import escape_markdown


def criteria_answer(task: Task, *, key: str) -> Any:
    """A grade by each criterion, or none; returns the answer in the task's form, None while nothing is chosen."""
    places = []
    for number, one in enumerate(task.criteria):
        grades = one.task.classes
        chosen = st.segmented_control(
            escape_markdown(one.name),
            range(len(grades)),
            format_func=grades.__getitem__,
            key=f"{key} criterion {number}",
            help=escape_markdown(one.rubric) or None,
        )
        places.append(SKIPPED if chosen is None else int(chosen))
    return None if all(place == SKIPPED for place in places) else task.check_answer(places)
