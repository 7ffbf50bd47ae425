"""What the grades mean and when a reason must be given, asked on Plan if outputs are judged."""

import streamlit as st

from testimate.core.task import Task
from testimate.demos.catalog import find_demo
from testimate.tasks.question import REASONS, RUBRIC_LETTERS
from testimate.tasks.verdict import Judgement

WHEN = {"never": "Never", "faults": "Where it is not right", "always": "Always"}


def grading(task: Task, key: str) -> tuple[str, str]:
    """What the grades mean, and when a reason must be given; nothing for tasks with right answers."""
    if not isinstance(task, Judgement):
        return "", "never"
    demo = find_demo(key)
    rubric = st.text_area(
        "Rubric",
        "" if demo is None else demo.rubric,
        max_chars=RUBRIC_LETTERS,
        placeholder="right: complete and true · partly: true, but something is missing · wrong: something is false",
        help="What each grade means. It stays in view on Label.",
    )
    asked = st.segmented_control(
        "Ask for a reason",
        [name for name in REASONS if not (task.compares and name == "faults")],
        default="never",
        required=True,
        format_func=WHEN.__getitem__,
        help="A reason is typed with the answer; nothing is stored without it.",
    )
    return rubric, asked
