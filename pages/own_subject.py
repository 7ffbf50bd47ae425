"""Your model and data: the part of the Subject page where a model's file is joined with a dataset."""

from dataclasses import replace

import streamlit as st

from pages.chosen_files import chosen_file, meanings
from pages.opened import forget, project, remember
from pages.prepared_inputs import chosen_preprocessing, preview
from testimate.core.errors import TestimateError
from testimate.sessions.own_subjects import OwnChoice
from testimate.subjects.models.facts import ModelFacts
from testimate.subjects.own_facts import FIRST, FOLLOWING_THE_CHOICE, LAST_HIDDEN
from testimate.subjects.own_subject import OwnSubject
from testimate.widgets.facts import facts
from testimate.widgets.terms import explained
from testimate.widgets.untrusted_text import escape_markdown

MODELS = "ONNX, Keras (.keras, .h5), PyTorch weights (a state dict), safetensors"
DATA = "Zip of pictures, texts or WAV sounds; .npz, .npy, IDX .gz; CSV, Parquet, JSON Lines"
TRAINING = "What the model learned from, for the auxiliary variables that need it; or in the same file as the data"
NEED_TRAINING = ("dsa", "lsa", "sae", "vae")
"""Auxiliary variables made from the training data."""


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
        model = chosen_file("model", "Model", MODELS, "own model")
    with columns[1]:
        dataset = chosen_file("dataset", "Data to test it on", DATA, "own dataset")
    with columns[2]:
        needed = "\n\n".join(map(explained, ("auxiliary variable", *NEED_TRAINING)))
        training = chosen_file("dataset", "Training data (optional)", TRAINING, "own training", help=needed)
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
        chosen_below = (FIRST, LAST_HIDDEN, *FOLLOWING_THE_CHOICE)
        facts(fact for fact in own.subject.facts if fact[0] not in chosen_below)
        layers = chosen_layers(own.record.facts)
    with right:
        preprocessing = chosen_preprocessing(own)
        if preprocessing is None or not preview(own, preprocessing):
            return
    with st.container(horizontal=True, horizontal_alignment="right"):
        if not st.button("Use this model and data", type="primary", icon=":material/check:"):
            return
    same = not layers and preprocessing == own.dataset.dataset.preprocessing
    asked = replace(choice, preprocessing=preprocessing, layers=layers)
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
            help=explained(role, "Clusters, dsa and lsa use LHL by default."),
        )
        if layer != found:
            chosen[role] = layer
    return chosen
