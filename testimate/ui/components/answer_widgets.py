"""Answers given by plain widgets: for screen readers, disputes and exploring. A class by name, grades by criteria, boxes."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from testimate.core.subject import ShownBox
from testimate.core.task import Task
from testimate.tasks.boxes import MOST_MISSED
from testimate.tasks.criteria import SKIPPED
from testimate.ui.components.untrusted_text import escape_markdown


def members(task: Task) -> list[int | str]:
    """The places of the classes, and "" for what is none of them where that is an answer."""
    return [*range(len(task.classes)), *([""] if task.outside else [])]


def member_words(task: Task) -> Callable[[int | str], str]:
    """What each of ``members`` is called, and a name that a tester gave."""

    def words(member: int | str) -> str:
        if isinstance(member, str):
            return f"{task.outside}: {member}" if member else task.outside
        return task.classes[member]

    return words


def outside_name(task: Task, key: str) -> str:
    """Asks for the name of what is none of the classes, which may stay empty."""
    return st.text_input(f"Name of “{task.outside}”, optional", key=key, max_chars=100).strip()


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
