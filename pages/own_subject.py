"""Your model and data: the part of the Subject page where a model's file is joined with a dataset."""

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages.opened import forget, project, remember
from pages.preprocessing_form import preprocessing_form
from testimate.core.errors import BadInput, TestimateError
from testimate.sessions.own_files import FileKind
from testimate.sessions.own_subjects import OwnChoice
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.usual_preprocessings import suggest_preprocessings
from testimate.subjects.models.facts import ModelFacts
from testimate.subjects.models.outputs import OUTPUT_KINDS
from testimate.subjects.own_subject import OwnSubject
from testimate.widgets.facts import facts
from testimate.widgets.numbers import percent
from testimate.widgets.shown_input import before_and_after
from testimate.widgets.untrusted_text import escape_markdown

ENDINGS: dict[FileKind, list[str]] = {
    "model": ["onnx", "keras", "h5", "hdf5", "pt", "pth", "safetensors"],
    "dataset": ["zip", "npz", "npy", "gz", "csv", "parquet", "jsonl"],
}
TAKEN = {
    "model": "ONNX, Keras (.keras, .h5), PyTorch weights (a state dict), safetensors",
    "dataset": "zip of pictures, texts or WAV sounds; .npz, .npy, IDX .gz; CSV, Parquet, JSON Lines",
}
CHOSEN_HERE = ("preprocessing", "FL is", "LHL is")
"""Facts that stand in fields of their own."""
PREVIEW = 4
WEIGHTS_ALONE = (".pt", ".pth", ".safetensors")


def add_own() -> None:
    """The files, what is in them, what is done to an input before the model sees it, and the button that adds it all."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.header("Your model and data", anchor=False)
        if st.button("Other subjects", icon=":material/arrow_back:"):
            st.query_params.pop("add", None)
            st.rerun()
    st.caption(
        "Nothing in these files is run but the network itself, in a process of its own. Files that hold programs are refused."
    )
    columns = st.columns(3, gap="medium")
    with columns[0]:
        model = chosen_file("model", "Model", "own model")
    with columns[1]:
        dataset = chosen_file("dataset", "Data to test it on", "own dataset")
    with columns[2]:
        training = chosen_file("dataset", "Training data (may be left out)", "own training")
    if model is None or dataset is None:
        st.info(
            "Choose a model and the data to test it on: unlabeled inputs are enough. Files laid into the project's folders "
            "models and datasets can be chosen here, too.",
            icon=":material/upload_file:",
        )
        return
    choice = OwnChoice(model, dataset, training, **meanings(model))
    own = opened(choice)
    if own is not None:
        settle(choice, own)


def chosen_file(kind: FileKind, title: str, key: str) -> Path | None:
    """A file uploaded just now, or one of those in the project; None while nothing is chosen."""
    st.markdown(f"**{title}**")
    upload = st.file_uploader(title, type=ENDINGS[kind], key=f"{key} upload", label_visibility="collapsed")
    if upload is not None and st.session_state.get(f"{key} kept") != upload.file_id:
        kept = project().add_file(kind, upload.name, upload.getvalue())
        st.session_state[f"{key} kept"] = upload.file_id
        st.session_state[key] = str(kept.path)
    files = {str(file.path): file for file in project().project_files(kind)}
    if st.session_state.get(key) not in files:
        st.session_state.pop(key, None)
    picked = st.selectbox(
        f"{title}, in this project",
        list(files),
        index=None,
        key=key,
        format_func=lambda path: f"{files[path].name}{size_in_words(files[path].bytes)}",
        placeholder="or one in this project" if files else "none in this project yet",
        label_visibility="collapsed",
        disabled=not files,
    )
    st.caption(TAKEN[kind])
    return Path(picked) if picked else None


def size_in_words(size: int | None) -> str:
    """A file's size behind its name; that of a folder is not asked for."""
    if size is None:
        return ", folder"
    return f", {size / 1e6:.1f} MB" if size >= 1e6 else f", {max(1, round(size / 1e3))} kB"


def meanings(model: Path) -> dict[str, Any]:
    """What only a person may know: what the output means, and the network of a file that holds weights alone."""
    with st.expander("If the model is not understood"):
        columns = st.columns(3)
        output = columns[0].selectbox(
            "The output means", [None, *OUTPUT_KINDS], format_func=lambda kind: kind or "as found", key="own output"
        )
        architecture = None
        if model.suffix.lower() in WEIGHTS_ALONE:
            from testimate.subjects.models.architectures import ARCHITECTURES  # imports PyTorch

            architecture = columns[1].selectbox(
                "The weights are of",
                [None, *ARCHITECTURES],
                format_func=lambda name: ARCHITECTURES[name].description if name else "as found",
                key="own architecture",
            )
        tolerance = columns[2].number_input(
            "Tolerance (of a regression)",
            0.0,
            value=None,
            key="own tolerance",
            help="An error beyond it is a failure. One standard deviation of the predictions where none is given.",
        )
    return {"output": output, "architecture": architecture, "tolerance": tolerance}


def opened(choice: OwnChoice) -> OwnSubject | None:
    """The files, opened once for as long as the same ones are chosen; None where they are refused, which is then told."""
    asked = repr(choice)
    known = st.session_state.get("own opened")
    if known is None or known[0] != asked:
        bar = st.progress(0.0, text="Opening the model and the data …")

        def progress(done: int, total: int, what: str = "") -> None:
            bar.progress(min(1.0, done / max(total, 1)), text=escape_markdown(what.capitalize()))

        try:
            known = (asked, choice.open(progress), "")
        except TestimateError as error:
            known = (asked, None, str(error))
        st.session_state["own opened"] = known
        bar.empty()
    if known[1] is None:
        st.error(escape_markdown(known[2]), icon=":material/error:")
    return known[1]


def settle(choice: OwnChoice, own: OwnSubject) -> None:
    """Facts and layers, the preprocessing with its preview, and the button that adds the subject."""
    left, right = st.columns([4, 7], gap="large")
    with left:
        st.subheader("What is in them", anchor=False)
        facts(fact for fact in own.subject.facts if fact[0] not in CHOSEN_HERE)
        layers = chosen_layers(own.record.facts)
    with right:
        preprocessing = chosen_preprocessing(own)
        if preprocessing is None or not preview(own, preprocessing):
            return
    with st.container(horizontal=True, horizontal_alignment="right"):
        if not st.button("Use this model and data", type="primary", icon=":material/check:"):
            return
    same = not layers and preprocessing == own.dataset.dataset.preprocessing
    asked = OwnChoice(
        choice.model,
        choice.dataset,
        choice.training,
        preprocessing,
        layers,
        choice.output,
        choice.architecture,
        choice.tolerance,
    )
    with st.spinner("Adding the subject …", show_time=True):
        subject = project().add_own(asked, own if same else None)
    st.query_params.pop("add", None)
    project().compute(subject.key)
    remember("subject", subject.key)
    forget("session")
    st.rerun()


def chosen_layers(model: ModelFacts) -> dict[str, str]:
    """The layers a tester chose to play FL and LHL, where they are others than those found."""
    chosen = {}
    for role, meaning in (("LHL", "Last hidden layer (LHL)"), ("FL", "First layer (FL)")):
        if role not in model.roles:
            continue
        found = model.roles[role]
        layer = st.selectbox(
            meaning,
            model.layers,
            model.layers.index(found) if found in model.layers else 0,
            format_func=lambda name, found=found: f"{name} (as found)" if name == found else name,
            key=f"own layer {role}",
            help="Whose output describes an input: clusters, dsa and lsa use LHL by default.",
        )
        if layer != found:
            chosen[role] = layer
    return chosen


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
        with st.expander("Change it", icon=":material/tune:"):
            return preprocessing_form(dataset.modality, usual[name], key=f"own form {own.subject.key} {name}")
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None


def preview(own: OwnSubject, preprocessing: Preprocessing) -> bool:
    """Four inputs as they are stored and as the model gets them; False where they cannot be prepared so."""
    dataset = own.dataset.dataset.with_preprocessing(preprocessing)
    rows = np.unique(np.linspace(0, len(dataset) - 1, PREVIEW).astype(int))
    try:
        given = dataset.batch(rows)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return False
    draw = getattr(dataset, "preview", None)  # of pictures
    for column, row, array in zip(st.columns(PREVIEW), rows, given, strict=False):
        with column:
            shown = None if draw is None else draw(int(row)).shown
            before_and_after(dataset.show(int(row)), array, f"input {row}", seen=shown)
    wanted = own.record.facts.input_shape
    if array_misfits(given.shape[1:], wanted):
        st.warning(
            f"The model takes {by_shape(wanted)} and would be given {by_shape(given.shape[1:])}. Change the preprocessing.",
            icon=":material/warning:",
        )
    if given.dtype.kind not in "fiub":
        st.warning(
            "The model takes numbers; say how a text is cut into tokens under Change it.", icon=":material/warning:"
        )
        return False
    return True


def array_misfits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Whether an input has another shape than the model takes."""
    return len(shape) != len(wanted) or any(
        side is not None and side != met for met, side in zip(shape, wanted, strict=True)
    )


def by_shape(shape: tuple[int | None, ...]) -> str:
    """A shape as one reads it."""
    return " x ".join("any" if side is None else str(side) for side in shape) or "one number"
