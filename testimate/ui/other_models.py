"""Other models' predictions for a subject's inputs: kept with it, added in three ways, chosen for a plan."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.subject import Subject
from testimate.demos.catalog import find_demo
from testimate.planning.history import history_words
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import expected_saving, remarks, too_sure, too_sure_words
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project

TITLE = "Add other models' predictions"
WHY = (
    "Where other models disagree with this one, it is more likely wrong. Their predictions can save labels, and the "
    "estimate stays exactly unbiased."
)
WAYS = {
    "a model in this project": "A model of this project or demo",
    "a table": "A table",
    "a column": "A column of this table",
}


def other_models(subject: Subject) -> None:
    """Those that are kept with the subject, each with what to know about it, and the form that adds one."""
    kept = project().others.of(subject.key)
    with st.expander(TITLE, icon=":material/group_work:"):
        st.caption(WHY)
        for other in kept:
            with st.container(gap="xxsmall"):  # a button belongs to the sentence above it
                st.markdown(escape_markdown(_remark(subject, other)))
                if st.button(
                    f"Remove {escape_markdown(other.name)}",
                    key=f"remove {other.fingerprint}",
                    icon=":material/delete:",
                    type="tertiary",
                ):
                    carry_out(partial(project().others.remove, subject.key, other.fingerprint))
        made = predictions_form(subject)
        if st.button("Add these predictions", icon=":material/add:", disabled=made is None) and made is not None:
            chosen = made
            carry_out(lambda: project().others.add(subject.key, chosen()))


def chosen_others(subject: Subject, inputs: Inputs) -> tuple[Inputs, tuple[str, ...]]:
    """The inputs with the other models that are chosen for the plan, all of them at first, and their fingerprints."""
    other_models(subject)
    kept = {other.fingerprint: other.name for other in project().others.of(subject.key)}
    if not kept:
        return inputs, ()
    chosen = st.multiselect(
        "Other models that help",
        list(kept),
        list(kept),
        format_func=kept.__getitem__,
        key=f"others of {subject.key} {len(kept)}",
        help=explained(COMBINED, "They decide where labels help most. What the labels show corrects them."),
    )
    try:
        helped = project().others.inputs_with(subject.key, tuple(sorted(chosen)))
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return inputs, ()
    if helped.others and (words := saving_words(helped)):
        st.caption(words)
    for other in helped.others:
        if (found := too_sure(helped, other)) is not None:
            st.caption(escape_markdown(f"{other.name} and the tested model: {too_sure_words(found)}"))
    return helped, tuple(sorted(chosen))


HISTORY = "Results of earlier models"
NONE = ""
HISTORY_WHY = (
    "Inputs that earlier models got wrong are likely wrong again. Give a row for each input and a column for each earlier "
    "model: right or wrong, 1 or 0, or a grade. Their predictions aren't needed."
)


EARLIER_VERSIONS = "earlier_versions.csv"
"""What the results that come with a demo are kept as."""


def chosen_history(subject: Subject, inputs: Inputs, others: tuple[str, ...]) -> tuple[Inputs, tuple[str, ...]]:
    """Return the inputs with the earlier results that are chosen for the plan, and all fingerprints that it takes.

    ``others`` : of the other models that are chosen.
    """
    task = inputs.task
    if task.numeric or task.boxed or task.compares:
        return inputs, others
    if inputs.history is not None:  # in columns of the table
        st.caption(escape_markdown(f"{HISTORY}: {history_words(inputs.history)}"))
        return inputs, others
    with st.expander(HISTORY, icon=":material/history:"):
        st.caption(HISTORY_WHY)
        kept = {one.fingerprint: one for one in project().others.histories(subject.key)}
        file = st.file_uploader("Table of results", key=f"history table {subject.key}", help="CSV, Parquet or JSON.")
        if st.button("Add these results", icon=":material/add:", disabled=file is None) and file is not None:
            carry_out(partial(project().others.add_history, subject.key, file.name, file.getvalue(), tell=_tell))
        demo = find_demo(subject.key)
        made = None if demo is None or EARLIER_VERSIONS in {one.name for one in kept.values()} else demo.earlier
        offer = "Take this demo's results of earlier versions"
        if made is not None and st.button(offer, icon=":material/playlist_add_check:"):
            carry_out(partial(project().others.add_history, subject.key, EARLIER_VERSIONS, made(), tell=_tell))
        if not kept:
            return inputs, others
        chosen = st.selectbox(
            "Results that help",
            [*kept, NONE],
            format_func=lambda one: kept[one].name if one else "none",
            key=f"history of {subject.key} {len(kept)}",
        )
        if chosen == NONE:
            return inputs, others
        st.caption(escape_markdown(history_words(kept[chosen])))
        if st.button("Remove these results", icon=":material/delete:", type="tertiary"):
            carry_out(partial(project().others.remove, subject.key, chosen))
    taken = (*others, chosen)
    try:
        return project().others.inputs_with(subject.key, taken), taken
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return inputs, others


def saving_words(helped: Inputs) -> str:
    """What the other models are expected to save; empty if there is no forecast."""
    saving = expected_saving(helped, stop_safe=True)
    if saving is None:
        return ""
    if saving.high <= 0:
        return (
            "These won't save labels: they agree with this model about as often as chance, so the rows may be in "
            "another order. Add a key column to both tables to match them."
        )
    between = f"{narrower(saving.low)} and {narrower(saving.high)}".replace("about ", "")
    return (
        f"With adaptive rounds (rra) they are expected to make the stop-safe interval {narrower(saving.middle)}. The "
        "more confident other models were compared with the tested one, the more they helped. When we predicted this "
        f"in the same way on networks of other data, nine of ten came out between {between}: before there are labels, "
        "nobody knows which of two equally confident models is wrong. Adaptive rounds learn it from the labels and lose "
        "little. A list drawn in advance cannot, and may need many more labels than without them."
    )


def narrower(share: float) -> str:
    """How much narrower an interval is whose squared width is less by a share, or wider where it is below 0.

    >>> narrower(0.36), narrower(0.01), narrower(-0.21)
    ('about 20% narrower', 'hardly narrower', 'about 10% wider')
    """
    left = float(np.sqrt(1 - share))
    if 0.99 < left <= 1:
        return "hardly narrower"
    return f"about {100 * (1 - left):.0f}% narrower" if left < 1 else f"about {100 * (left - 1):.0f}% wider"


def _remark(subject: Subject, other: OtherModel) -> str:
    """How often the model agrees or, if it cannot be used, why."""
    try:
        said = remarks(project().others.inputs_with(subject.key, (other.fingerprint,)))
    except TestimateError as error:
        return f"{other.name}: {error}"
    return said[0] if said else other.name


def predictions_form(subject: Subject, key: str = "other") -> Callable[[], OtherModel] | None:
    """Where another model's predictions come from, and what returns them once everything is chosen; None before.

    ``key`` : what its fields begin with.
    """
    ways = [way for way in WAYS if way != "a column" or project().columns.names(subject.key)]
    offered = project().others.offered(subject.key)
    way = st.segmented_control(
        "Where they come from",
        ways,
        format_func=WAYS.__getitem__,
        default="a model in this project" if offered else "a table",
        required=True,
        key=f"{key}s from",
        label_visibility="collapsed",
    )
    made: Callable[[], OtherModel] | None = None
    if way == "a model in this project":
        if not offered:
            st.caption("No other model of this project has the same inputs. Open one, or add a table.")
            return None
        name = st.selectbox("Model", list(offered), None, placeholder="choose a model", key=f"{key} model")
        made = None if name is None else offered[name]
    elif way == "a table":
        file = st.file_uploader(
            "Table of predictions",
            key=f"{key} table",
            help="A row for each input in the same order, or a column 'key' in both tables. Columns: prediction and, "
            "if it is known, confidence.",
        )
        if file is not None:
            made = partial(_of_table, subject, file)
    else:
        columns = list(project().columns.names(subject.key))
        left, right = st.columns(2)
        prediction = left.selectbox("Prediction", columns, None, placeholder="choose a column", key=f"{key} prediction")
        sure = right.selectbox("Its confidence", columns, None, placeholder="not known", key=f"{key} confidence")
        if prediction is not None:
            made = partial(project().others.read, subject.key, prediction, None, prediction=prediction, confidence=sure)
    return made


def _of_table(subject: Subject, file: UploadedFile) -> OtherModel:
    """What the uploaded table predicts for the subject's inputs."""
    return project().others.read(subject.key, file.name, file.getvalue(), tell=_tell)


def _tell(taken: str) -> None:
    """Shows how a table was read; the message outlasts the next drawing of the page."""
    st.toast(escape_markdown(taken), icon=":material/info:")


def carry_out(change: Callable[[], object], *, again: bool = True) -> None:
    """Makes the change and, with ``again``, draws the page again; says why if it cannot be made."""
    try:
        with st.spinner("Reading the predictions …"):
            change()
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    if again:
        st.rerun()
