"""The answers by name as a list of Streamlit offers them: the classes, and what is none of them."""

from collections.abc import Callable

import streamlit as st

from testimate.core.task import Task


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
