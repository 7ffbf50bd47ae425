"""Whether the predictions of a table are classes, sets of classes or numbers: asked at the upload, shown on Subject."""

import streamlit as st

from testimate.core.errors import TaskUnclear
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.tasks import TASKS
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import forget, remember


def _title(kind: TaskKind) -> str:
    return TASKS[kind].title


def class_or_number(unclear: TaskUnclear, *, key: str) -> TaskKind | None:
    """Asks what the whole numbers of an uploaded table are; None until that is chosen."""
    st.info(escape_markdown(unclear.found), icon=":material/help:")
    kinds: tuple[TaskKind, ...] = ("classification", "regression")
    return st.radio(
        "What is a prediction: a class or a number?",
        kinds,
        index=None,
        format_func=_title,
        captions=[TASKS[kind].meaning.capitalize() for kind in kinds],
        key=key,
    )


def chosen_task(subject: Subject, *, key: str, disabled: bool = False) -> TaskKind:
    """The task chosen among those the table may be read as."""
    return st.segmented_control(
        "What is a prediction?",
        subject.readable_as,
        default=subject.task.kind,
        required=True,
        format_func=_title,
        disabled=disabled,
        key=key,
        help="; ".join(f"{TASKS[kind].title}: {TASKS[kind].meaning}" for kind in subject.readable_as) + ".",
    )


def task_of(subject: Subject) -> None:
    """How the predictions of a table are read, if more than one way is possible; can be changed until the first plan."""
    if not subject.readable_as:
        return
    planned = any(record.subject == subject.key for record in project().sessions())
    chosen = chosen_task(subject, key=f"task of {subject.key}", disabled=planned)
    if planned:
        st.caption("Plans and stored answers rely on this, so it can no longer be changed.")
    elif chosen != subject.task.kind:
        changed = project().change_task(subject.key, chosen)
        forget("session")
        remember("subject", changed.key)
        st.rerun()
