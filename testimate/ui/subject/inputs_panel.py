"""On opening a subject: whose inputs these are, how many of them are labeled already, and how its predictions are read.

What a subject lacks for some technique is named, and scores that look as if they were made from the answers are warned of.
"""

import streamlit as st

from testimate.auxiliary import AUXILIARY, SLOW
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.core.words import commas, counted, percent
from testimate.planning.build import titled
from testimate.planning.known_inputs import note_on_references
from testimate.planning.needs import possible
from testimate.project.versions import become_version, can_be_version, recognized, table_with_the_same_keys
from testimate.selectors import SELECTORS
from testimate.tasks import TASKS
from testimate.ui.components.terms import technique_term
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import forget, go, remember
from testimate.ui.other_models import carry_out
from testimate.ui.pages import VERSIONS


def known_inputs(subject: Subject) -> None:
    """Says so if other versions have the same inputs, or if a table has the same keys; otherwise nothing."""
    if not can_be_version(subject):
        return
    there = recognized(project(), subject.key)
    if there:
        one, labeled = max(there, key=lambda pair: pair[1])
        count = f", {commas(labeled)} of them labeled" if labeled else ""
        more = f", and of {counted(len(there) - 1, 'more version')}" if len(there) > 1 else ""
        st.info(escape_markdown(f"These are the inputs of {one.name!r}{count}{more}."), icon=":material/history:")
        if st.button("See the versions", icon=":material/history:"):
            go(VERSIONS, subject=subject.key)
        return
    same = table_with_the_same_keys(project(), subject.key)
    if same is None:
        return
    st.info(
        escape_markdown(
            f"These look like the inputs of {same.name!r}: same keys, and the predictions agree on "
            f"{percent(same.agreement)}. Make this model a version of it to reuse the labels you have."
        ),
        icon=":material/history:",
    )
    if st.button("Make it a version", icon=":material/history:"):
        made: list[Subject] = []
        carry_out(lambda: made.append(become_version(project(), subject.key, same.key)), again=False)
        if made:
            go(VERSIONS, subject=made[0].key)


CAN_BE_USED = "can be used"


def leaks(inputs: Inputs) -> None:
    """Warns about each score that was probably made from the true labels; those computed only from the outputs cannot be."""
    if inputs.losses is None or not inputs.single_class:
        return
    for warning in _leaks(inputs):
        st.warning(escape_markdown(warning), icon=":material/warning:")


@st.cache_data(show_spinner=False, max_entries=32, hash_funcs={Inputs: lambda inputs: inputs.fingerprint})
def _leaks(inputs: Inputs) -> list[str]:
    """The warnings, found once for each content."""
    from testimate.auxiliary.leak import leaks_truth  # loads scipy.stats, which the first screen does not need

    found: list[str] = []
    if inputs.losses is None:
        return found
    for name, score in inputs.scores.items():
        if name in AUXILIARY:
            continue
        try:
            found.append(leaks_truth(score, inputs.predictions, inputs.losses, name=f"The score {name}").warning)
        except NotEnoughLabels:
            return []
    return [warning for warning in found if warning]


def techniques(subject: Subject, inputs: Inputs) -> None:
    """Every technique, and what this subject lacks for it."""
    rows = []
    for name, technique in SELECTORS.items():
        here = possible(inputs, technique) or CAN_BE_USED
        row = {
            "technique": titled(name),
            "here": here,
            "what it does": technique_term(technique).meaning,
        }
        rows.append({column: escape_markdown(words) for column, words in row.items()})
    rows.sort(key=lambda row: row["here"] != CAN_BE_USED)
    usable = sum(row["here"] == CAN_BE_USED for row in rows)
    with st.expander(f"{usable} of {len(rows)} techniques work with this test set", icon=":material/checklist:"):
        st.table(rows, border="horizontal", hide_index=True)
        for note in notes(subject, inputs):
            st.caption(escape_markdown(note))


def notes(subject: Subject, inputs: Inputs) -> list[str]:
    """What to know about the auxiliary variables that need a training set."""
    if subject.open_model is None:
        return []
    said = [note_on_references(subject, inputs)]
    if subject.training is None:
        learn = [name for name, variable in SLOW.items() if variable.learns]
        said.append(f"{' and '.join(learn)} need a training set to learn from.")
    elif inputs.training is not None and inputs.training.losses is None:
        said.append(
            "The training set has no labels, so techniques that use the spread of its losses are not available."
        )
    return [note for note in said if note]


def _title(kind: TaskKind) -> str:
    return TASKS[kind].title


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
        st.caption("Locked, because plans and answers already depend on it.")
    elif chosen != subject.task.kind:
        changed = project().change_task(subject.key, chosen)
        forget("session")
        remember("subject", changed.key)
        st.rerun()
