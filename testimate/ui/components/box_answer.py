"""What is wrong with a detector's boxes, asked by plain widgets: for screen readers, disputes and exploring."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from testimate.core.subject import ShownBox
from testimate.core.task import Task
from testimate.tasks.boxes import MOST_MISSED
from testimate.ui.components.untrusted_text import escape_markdown


def box_answer(task: Task, boxes: Sequence[ShownBox], *, key: str) -> Any:
    """The numbers of the wrong boxes, and how many objects of each class have no box; returns the answer in the task's form."""
    wrong: Sequence[int] = ()
    if boxes:
        wrong = st.multiselect(
            "Wrong boxes",
            range(len(boxes)),
            format_func=lambda place: f"{place + 1} {boxes[place].name}",
            key=f"{key} wrong",
            placeholder="none",
        )
    missed: list[Any] = []
    kinds = st.multiselect(
        "Classes of which objects were missed",
        range(len(task.classes)),
        format_func=task.classes.__getitem__,
        key=f"{key} kinds",
        placeholder="none",
    )
    for kind in kinds:
        name = escape_markdown(task.classes[kind])
        count = st.number_input(f"{name}: how many", 1, MOST_MISSED, key=f"{key} missed {kind}")
        missed += [-1 - kind] * int(count)
    return task.check_answer([*missed, *wrong])
