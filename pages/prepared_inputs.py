"""What is done to an input before the model sees it: chosen among the usual ways, or one's own, with a preview."""

import numpy as np
import streamlit as st

from pages.preprocessing_form import preprocessing_form
from testimate.core.errors import BadInput, TestimateError
from testimate.core.subject import Modality
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.usual_preprocessings import suggest_preprocessings
from testimate.subjects.own_subject import OwnSubject
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import before_and_after
from testimate.widgets.untrusted_text import escape_markdown

PREVIEW: dict[Modality, int] = {"image": 4, "audio": 2, "text": 2, "tabular": 2}
"""Inputs in the preview: texts, sounds and table rows take more room than a picture."""


def chosen_preprocessing(own: OwnSubject) -> Preprocessing | None:
    """A usual preprocessing, each with the model's accuracy where labels tell it, or one's own; None where it is wrong."""
    st.subheader("What the model is given", anchor=False)
    dataset = own.dataset.dataset
    usual = {one.name: one.preprocessing for one in suggest_preprocessings(dataset, own.record.facts.input_shape)}
    accuracy = {one.name: one.accuracy for one in own.tried}
    used = next((name for name, one in usual.items() if one == dataset.preprocessing), next(iter(usual)))
    if own.tried:
        st.caption(
            f"Tried on {own.tried[0].count:,} inputs whose class is known. The first suits the model best: it is most often "
            "right, and where several are alike, surest of the right classes."
        )
    names = [*(name for name in accuracy if name in usual), *(name for name in usual if name not in accuracy)]
    name = names[0]
    if len(names) > 1:
        name = st.radio(
            "Preprocessing",
            names,
            names.index(used),
            format_func=lambda name: f"{name} · {percent(accuracy[name])} right" if name in accuracy else name,
            key=f"own preprocessing {own.subject.key}",
            label_visibility="collapsed",
            horizontal=len(names) > 3,
        )
    try:
        to_be_said = dataset.modality == "text" and usual[name].tokens == "none"
        title = "How a text becomes numbers" if to_be_said else "Change it"
        with st.expander(title, expanded=to_be_said, icon=":material/tune:"):
            return preprocessing_form(dataset.modality, usual[name], key=f"own form {own.subject.key} {name}")
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None


def preview(own: OwnSubject, preprocessing: Preprocessing) -> bool:
    """A few inputs as they are stored and as the model gets them; False where they cannot be prepared so."""
    dataset = own.dataset.dataset.with_preprocessing(preprocessing)
    count = PREVIEW[dataset.modality]
    rows = np.unique(np.linspace(0, len(dataset) - 1, count).astype(int))
    try:
        given = dataset.batch(rows)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return False
    draw = getattr(dataset, "preview", None)  # of pictures
    for column, row, array in zip(st.columns(count), rows, given, strict=False):
        with column:
            shown = None if draw is None else draw(int(row)).shown
            before_and_after(dataset.show(int(row)), array, f"input {row}", seen=shown)
    if given.dtype.kind not in "fiub":
        st.warning("The model takes numbers; say above how a text is cut into tokens.", icon=":material/warning:")
        return False
    wanted = own.record.facts.input_shape
    if array_misfits(given.shape[1:], wanted):
        st.warning(
            f"The model takes {by_shape(wanted)} and would be given {by_shape(given.shape[1:])}. Change the preprocessing.",
            icon=":material/warning:",
        )
    return True


def array_misfits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Whether an input has another shape than the model takes."""
    return len(shape) != len(wanted) or any(
        side is not None and side != met for met, side in zip(shape, wanted, strict=True)
    )


def by_shape(shape: tuple[int | None, ...]) -> str:
    """A shape as one reads it."""
    if not shape:
        return "one number"
    return " x ".join("any" if side is None else f"{side:,}" for side in shape) + " numbers"
