"""What the model's outputs mean: the classes in their order, where the order comes from, and fields that change it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.subject import Modality
from testimate.datasets.class_lists import ClassList, names_in
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.usual_preprocessings import predicted_classes
from testimate.subjects.class_order import UnclearClasses, in_output_order
from testimate.subjects.uploaded_subject import UploadedSubject
from testimate.ui.components.shown_input import Tile, gallery, picture_width
from testimate.ui.components.untrusted_text import escape_markdown

BY_HAND, PASTED, PROPOSED, KEPT = "as changed by hand", "as pasted", "as the labels suggest", "as found, and kept"
ALPHABETICAL, FIRST, NUMERIC = "alphabetical order", "order of first appearance", "numeric order"

SHOWN: dict[Modality, int] = {"image": 8, "tabular": 6, "text": 4, "audio": 4}
"""Inputs shown with their predicted class."""

ROW, HEADER, TALLEST = 35, 38, 400
"""Heights of the list of classes, in pixels."""


@dataclass(frozen=True)
class ChosenClasses:
    """What a person chose for these files: a list, and whether similar names are one class; None if nothing."""

    classes: ClassList | None = None
    same_names: bool | None = None


def chosen_classes(*files: Path) -> ChosenClasses:
    """What was chosen for these files so far."""
    kept = st.session_state.get("own classes")
    return kept[1] if kept is not None and kept[0] == files else ChosenClasses()


def choose(files: tuple[Path, ...], chosen: ChosenClasses) -> None:
    """Keeps the choice and draws the page with it."""
    st.session_state["own classes"] = (files, chosen)
    st.session_state["own classes changed"] = st.session_state.get("own classes changed", 0) + 1
    st.rerun()


def ask_about_classes(files: tuple[Path, ...], unclear: UnclearClasses) -> None:
    """The question that has to be answered before the files can be joined, under the sentence that says why."""
    chosen = chosen_classes(*files)
    if unclear.alike:
        with st.container(horizontal=True):
            if st.button("The same class", icon=":material/merge:"):
                choose(files, ChosenClasses(chosen.classes, same_names=True))
            if st.button("Different classes", icon=":material/call_split:"):
                choose(files, ChosenClasses(chosen.classes, same_names=False))
    st.subheader("What the model's outputs mean", anchor=False)
    given = chosen.classes.names if chosen.classes is not None else unclear.named
    names = (*given, *([""] * unclear.outputs))[: unclear.outputs]
    left, right = st.columns(2, gap="large")
    with left:
        edited_list(files, names)
    with right:
        pasted_list(files)
        if chosen != ChosenClasses() and st.button("Forget this list", icon=":material/undo:"):
            choose(files, ChosenClasses())


def class_order(files: tuple[Path, ...], own: UploadedSubject, preprocessing: Preprocessing) -> bool:
    """The classes in the order of the outputs and why, some inputs with their predicted class, and what changes the order.

    False if the model could not be run on those inputs, or the labels contradict an order that nobody has chosen; a message
    then says so.
    """
    order = own.record.class_order
    if order is None:
        return True
    st.subheader("What the model's outputs mean", anchor=False)
    for remark in order.remarks:
        st.info(escape_markdown(remark), icon=":material/info:")
    wrong_order(files, own)
    left, right = st.columns([4, 7], gap="large")
    with left:
        st.caption(f"Taken from: {escape_markdown(order.source)}.")
        if own.record.facts.output.startswith("one "):
            above = "0" if own.record.facts.output == "one logit" else "one half"
            st.caption(f"The model has a single output: output 1 is chosen where it is above {above}, else output 0.")
        edited_list(files, order.names)
    with right:
        runs = predicted_inputs(own, preprocessing)
        with st.expander("Another order, or a list of names", icon=":material/swap_vert:"):
            other_orders(files, own)
            pasted_list(files)
    return runs and not own.mirrored


def wrong_order(files: tuple[Path, ...], own: UploadedSubject) -> None:
    """The order in which the model would be right far more often, and the buttons that take it or keep the other."""
    if own.exchanged is None:
        return
    st.warning(
        f"The classes may be in the wrong order: {escape_markdown(own.exchanged.sentence)}. Testimate left them as they are.",
        icon=":material/swap_horiz:",
    )
    same = chosen_classes(*files).same_names
    with st.container(horizontal=True):
        if st.button("Take this order", icon=":material/swap_horiz:"):
            choose(files, ChosenClasses(ClassList(own.exchanged.names, PROPOSED), same))
        order = own.record.class_order
        if own.mirrored and order is not None and st.button("Keep the order", icon=":material/check:"):
            choose(files, ChosenClasses(ClassList(order.names, KEPT), same))


def edited_list(files: tuple[Path, ...], names: tuple[str, ...]) -> None:
    """The names as an editable table, applied all at once, because two names that are being exchanged are equal in between."""
    changes = st.session_state.get("own classes changed", 0)
    edited = st.data_editor(
        {"output": list(range(len(names))), "class": list(names)},
        key=f"own class names {changes} {hash((files, names))}",
        disabled=["output"],
        hide_index=True,
        width="stretch",
        height=min(TALLEST, HEADER + ROW * len(names)),
        column_config={
            "output": st.column_config.NumberColumn("Output", width=70),
            "class": st.column_config.TextColumn("Class", required=True),
        },
    )
    changed = tuple(str(name or "").strip() for name in cast(dict[str, list[Any]], edited)["class"])
    kept = chosen_classes(*files).same_names
    with st.container(horizontal=True):
        if st.button("Take these names", disabled=changed == names or "" in changed, icon=":material/check:"):
            choose(files, ChosenClasses(ClassList(changed, BY_HAND), kept))
        if len(names) == 2 and all(names) and st.button("Exchange the two", icon=":material/swap_vert:"):
            choose(files, ChosenClasses(ClassList(names[::-1], BY_HAND), kept))


def other_orders(files: tuple[Path, ...], own: UploadedSubject) -> None:
    """Orders that a framework may have used, and the way back to the one found."""
    order, chosen = own.record.class_order, chosen_classes(*files)
    assert order is not None
    orders = {ALPHABETICAL: tuple(sorted(order.names))}
    known = in_output_order(own.dataset, order).known
    if known is not None and known.answers.ndim == 1 and own.dataset.classes:
        _, first = np.unique(known.answers, return_index=True)
        seen = [order.names[place] for place in known.answers[np.sort(first)]]
        orders[FIRST] = (*seen, *(name for name in order.names if name not in seen))
    if all(name.isdecimal() and len(name) < 10 for name in order.names):
        orders[NUMERIC] = tuple(sorted(order.names, key=int))
    with st.container(horizontal=True):
        for name, names in orders.items():
            if st.button(name.capitalize(), disabled=names == order.names):
                choose(files, ChosenClasses(ClassList(names, name), chosen.same_names))
        if chosen != ChosenClasses() and st.button("As found", icon=":material/undo:"):
            choose(files, ChosenClasses())


def pasted_list(files: tuple[Path, ...]) -> None:
    """A list of names typed, pasted or uploaded."""
    changes = st.session_state.get("own classes changed", 0)
    text = st.text_area(
        "List of classes, the first for output 0",
        key=f"own classes pasted {changes}",
        placeholder="stays\nleaves",
        help="One name per line, names with commas, or JSON such as Keras's class_indices or id2label.",
    )
    file = st.file_uploader("Or a file with them", ["txt", "json"], key=f"own classes file {changes}")
    if not st.button("Take this list", disabled=not text.strip() and file is None, icon=":material/check:"):
        return
    try:
        names = names_in(text if text.strip() or file is None else file.getvalue().decode("utf-8-sig", "replace"))
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    source = PASTED if text.strip() or file is None else f"the list {file.name}"
    choose(files, ChosenClasses(ClassList(names, source), chosen_classes(*files).same_names))


def predicted_inputs(own: UploadedSubject, preprocessing: Preprocessing) -> bool:
    """Some inputs with the class the model predicts and, where it is known, the label, so that a person sees if they do
    not fit. False if the model could not be run.
    """
    order = own.record.class_order
    assert order is not None
    dataset = own.dataset.dataset.with_preprocessing(preprocessing)
    rows = np.unique(np.linspace(0, len(dataset) - 1, SHOWN[dataset.modality]).astype(np.intp))
    assert own.subject.open_model is not None
    try:
        model = own.subject.open_model()
        layer = model.roles.get("CON") or model.roles["OUT"]  # a model may say the number of its class alone
        given = np.asarray(model.run(dataset.batch(rows), [layer])[layer])
    except TestimateError as error:
        st.error(f"No predictions: {escape_markdown(str(error))}", icon=":material/error:")
        return False
    known = in_output_order(own.dataset, order).known
    labels = {} if known is None or not own.dataset.classes else dict(zip(known.rows, known.answers, strict=True))
    several = own.record.facts.output.startswith("several")
    answers = [np.flatnonzero(chances >= 0.5) for chances in given] if several else predicted_classes(given)
    tiles = []
    for row, said in zip(rows, answers, strict=True):
        caption = f"predicted {named(order.names, said)}"
        if row in labels:
            label = labels[row]
            caption += f" · label {named(order.names, np.flatnonzero(label) if np.ndim(label) else [label])}"
        tiles.append(Tile(dataset.show(int(row)), caption))
    size = picture_width(tiles[0].shown, 88)
    gallery(tiles, across=max(1, 4 * 88 // size), size=size)
    return True


def named(names: tuple[str, ...], places: object) -> str:
    """The names of some classes, in words."""
    return ", ".join(names[int(place)] for place in np.atleast_1d(np.asarray(places))) or "none"
