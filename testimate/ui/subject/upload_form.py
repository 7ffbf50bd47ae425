"""Your model and data: the part of Project where a model's file is joined with a dataset."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from testimate.auxiliary import SLOW
from testimate.core.errors import ReadingUnclear, TestimateError
from testimate.core.reading import CHOSEN, Reading
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.rows import UnreadableFiles
from testimate.models.facts import ModelFacts
from testimate.subjects.class_order import UnclearClasses
from testimate.subjects.columns_for_model import UnclearAnswers
from testimate.subjects.uploaded_subject import (
    FIRST,
    FOLLOWING_THE_CHOICE,
    LAST_HIDDEN,
    OUTPUTS,
    SubjectDescription,
    UploadedSubject,
    open_uploaded_subject,
)
from testimate.ui.components.fact_list import facts
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.components.what_was_understood import what_was_understood
from testimate.ui.current_project import project
from testimate.ui.job_progress import on_the_bar
from testimate.ui.navigation import forget, remember
from testimate.ui.subject.chosen_files import chosen_file, described_model
from testimate.ui.subject.class_order import ask_about_classes, chosen_classes, class_order
from testimate.ui.subject.dropped_files import DATA, MODEL
from testimate.ui.subject.preprocessing import chosen_preprocessing, preview
from testimate.ui.subject.reading_question import ask

MODELS = (
    "ONNX (with its weights or tokenizer in a zip), Keras (.keras, .h5), PyTorch weights (a state dict), safetensors"
)
DATA_FILES = "Zip of pictures, texts or sounds; .npz, .npy, IDX .gz; CSV, Excel, JSON, Parquet"
TRAINING = "What the model was trained on. Some failure scores need it. It may be in the same file as the test data."
NOT_YET = "Something is missing. See above."
NO_ANSWERS = "none of them"

ONLY_AT_THE_TERMINAL = ", or start with --trust"
"""Suggestions in error messages that no page can carry out."""


def upload_form() -> None:
    """The files, what is in them, how inputs are prepared for the model, and the button that adds everything."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.header("Your model and data", anchor=False)
        if st.button("All test sets", icon=":material/arrow_back:"):
            st.query_params.pop("add", None)
            st.rerun()
    st.caption("Only the network itself runs, in a separate process. Files that contain code are refused.")
    columns = st.columns(3, gap="medium")
    with columns[0]:
        model = chosen_file("model", "Model", MODELS, MODEL)
    with columns[1]:
        dataset = chosen_file("dataset", "Data to test it on", DATA_FILES, DATA)
    with columns[2]:
        needed = "\n\n".join(map(explained, ("auxiliary variable", *SLOW)))
        training = chosen_file("dataset", "Training data (optional)", TRAINING, "own training", help=needed)
    if model is None or dataset is None:
        st.info(
            "Choose a model and its test data. The data needs no labels. You can also pick files from the project's "
            "folders models and datasets.",
            icon=":material/upload_file:",
        )
        return
    files = (model, dataset)
    chosen = chosen_classes(*files)
    described, tolerance = described_model(model)
    description = SubjectDescription(
        described,
        dataset,
        training,
        classes=chosen.classes,
        same_names=chosen.same_names,
        tolerance=tolerance,
        label=st.session_state.get(f"own answers in {dataset}"),
        leave_out=st.session_state.get("own left out") == str(dataset),
    )
    own = opened(description)
    answer_column(dataset, own)
    if own is not None:
        settle(description, own)
    else:
        use(NOT_YET)


def answer_column(dataset: Path, own: UploadedSubject | None) -> None:
    """Asks which column of a table holds the answers if no name says so; it is neither an input nor shown to testers."""
    if own is not None and own.dataset.columns:
        st.session_state["own columns"] = (dataset, own.dataset.columns)
    known = st.session_state.get("own columns")
    if known is None or known[0] != dataset:
        return
    st.selectbox(
        "Which column has the true answers?",
        known[1],
        None,
        placeholder=NO_ANSWERS,
        key=f"own answers in {dataset}",
        help="No column looks like the true answer. If one is, choose it. Neither the model nor the testers will see it.",
        width=480,
    )


def opened(description: SubjectDescription) -> UploadedSubject | None:
    """The files, opened once for as long as the same ones are chosen; None if they are refused, with the reason shown."""
    asked = repr(description)
    known = st.session_state.get("own opened")
    place = st.empty()  # drawn in every run; otherwise everything below would move up, and open parts would close
    if known is None or known[0] != asked:
        bar = place.progress(0.0, text="Opening the model and the data …")
        try:
            known = (asked, open_uploaded_subject(description, progress=on_the_bar(bar)), None)
        except TestimateError as error:
            known = (asked, None, error)
        st.session_state["own opened"] = known
        bar.empty()
    if isinstance(known[2], ReadingUnclear):
        ask(known[2], take=partial(take_output, known[2], description.dataset), key="own meaning")
    elif known[1] is None:
        refused = str(known[2]).replace(ONLY_AT_THE_TERMINAL, "")
        if isinstance(known[2], UnclearAnswers):
            refused = f"{known[2].found} Choose it below."
            st.session_state["own columns"] = (description.dataset, known[2].columns)
        st.error(escape_markdown(refused), icon=":material/error:")
        if isinstance(known[2], UnclearClasses):
            ask_about_classes((description.model.path, description.dataset), known[2])
        if isinstance(known[2], UnreadableFiles):
            leave_out(known[2], description)
    return known[1]


def take_output(unclear: ReadingUnclear, dataset: Path, place: int) -> None:
    """Takes what the model's output means and what holds the labels, as the fields of the page do."""
    changes = dict(unclear.ways[place].changes)
    st.session_state["own output"] = changes["output"]
    if "label" in changes:
        st.session_state["own columns"] = (dataset, (changes["label"],))
        st.session_state[f"own answers in {dataset}"] = changes["label"]


def leave_out(unreadable: UnreadableFiles, description: SubjectDescription) -> None:
    """All files that cannot be read, each with its reason, and the button that continues without them."""
    names, reasons = zip(*unreadable.reasons, strict=True)
    st.dataframe({"file": list(names), "why": list(reasons)}, hide_index=True, width="stretch")
    if st.button("Leave them out", icon=":material/playlist_remove:"):
        st.session_state["own left out"] = str(description.dataset)
        st.rerun()


def settle(description: SubjectDescription, own: UploadedSubject) -> None:
    """Facts and layers, the preprocessing with its preview, the classes, and the button that adds the subject."""
    block = st.container()
    left, right = st.columns([4, 7], gap="large")
    with left:
        st.subheader("What is in them", anchor=False)
        chosen_below = (FIRST, LAST_HIDDEN, OUTPUTS, *FOLLOWING_THE_CHOICE)
        facts(fact for fact in own.subject.facts if fact[0] not in chosen_below)
        layers = chosen_layers(own.record.facts)
    with right:
        preprocessing = chosen_preprocessing(own)
        fits = preprocessing is not None and preview(own, preprocessing)
    with block:
        what_was_understood(prepared_as(own, preprocessing))
    if preprocessing is None or not fits:
        use(NOT_YET)
        return
    runs = class_order((description.model.path, description.dataset), own, preprocessing)
    if not use("" if runs else NOT_YET):
        return
    decided = own.prepared.source if preprocessing == own.dataset.dataset.preprocessing else None
    same = not layers and decided is not None
    asked = replace(
        description,
        preprocessing=preprocessing,
        decided=decided or "as chosen under Project",
        model=replace(description.model, roles=layers),
    )
    with st.spinner("Adding the test set …", show_time=True):
        subject = project().add_uploaded(asked, own if same else None)
    st.query_params.pop("add", None)
    project().compute(subject.key)
    remember("subject", subject.key)
    forget("session")
    st.rerun()


def prepared_as(own: UploadedSubject, preprocessing: Preprocessing | None) -> Reading | None:
    """How the files were read, with the inputs prepared as chosen on this page."""
    reading = own.subject.reading
    if reading is None or preprocessing == own.dataset.dataset.preprocessing:
        return reading
    if preprocessing is None:
        return replace(reading, preprocessing="not known yet", preprocessing_reason=own.prepared.doubt)
    return replace(reading, preprocessing=preprocessing.title, preprocessing_reason=CHOSEN)


def use(not_yet: str) -> bool:
    """The button that adds the subject, disabled while something is missing. Returns whether it was pressed."""
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        if not_yet:
            st.caption(not_yet, width="content")
        return st.button("Use this model and data", type="primary", icon=":material/check:", disabled=bool(not_yet))


def chosen_layers(model: ModelFacts) -> dict[str, str]:
    """The layers that a tester chose as FL and LHL, if they differ from those found."""
    chosen: dict[str, str] = {}
    for role, meaning in (("LHL", "Last hidden layer (LHL)"), ("FL", "First layer (FL)")):
        if role not in model.roles:
            continue
        found = model.roles[role]

        def in_words(name: str, found: str = found) -> str:
            return f"{name} (as found)" if name == found else name

        layer = st.selectbox(
            meaning,
            model.layers,
            model.layers.index(found) if found in model.layers else 0,
            format_func=in_words,
            key=f"own layer {role}",
            help=explained(role, "Clusters, dsa and lsa use LHL by default."),
        )
        if layer != found:
            chosen[role] = layer
    return chosen
