"""What is done to an input before the model sees it: chosen among the usual ways, or set by hand, with a preview."""

import base64
import io
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image

from testimate.core.errors import BadInput, TestimateError
from testimate.core.subject import Dataset, Modality, content_of
from testimate.core.words import commas, counted, percent
from testimate.datasets.pictures import PictureDataset
from testimate.datasets.preprocessing import (
    MAX_RATE,
    Background,
    Channels,
    Color,
    Padding,
    Preprocessing,
    Tokens,
    as_fraction,
    listed,
    number_in,
    numbers_in,
)
from testimate.datasets.usual_preprocessings import SeenPreprocessing, see_preprocessings, suggest_preprocessings
from testimate.models.facts import CERTAIN
from testimate.models.graph import InputSpec, arranged
from testimate.subjects.preparation import UNKNOWN
from testimate.subjects.uploaded_subject import UploadedSubject
from testimate.ui.components.shown_input import before_and_after
from testimate.ui.components.untrusted_text import escape_markdown

THUMBNAIL = 64
"""Pixels of the longer side of a picture in a table."""

PREVIEW: dict[Modality, int] = {"image": 4, "audio": 2, "text": 2, "tabular": 2}
"""Inputs in the preview: texts, sounds and table rows take more room than a picture."""


def chosen_preprocessing(own: UploadedSubject) -> Preprocessing | None:
    """A usual preprocessing, each with the model's accuracy if labels show it, or one set by hand; None if it is invalid."""
    st.subheader("What the model is given", anchor=False)
    dataset = own.dataset.dataset
    usual = {one.name: one.preprocessing for one in suggest_preprocessings(dataset, own.record.facts.input_shape)}
    tried, source = own.prepared.tried, own.prepared.source
    accuracy = {one.name: one.accuracy for one in tried}
    used = next((name for name, one in usual.items() if one == dataset.preprocessing), next(iter(usual)))
    if source is None:
        doubt = escape_markdown(own.prepared.doubt or UNKNOWN)
        st.warning(
            f"{doubt} Compare what the model predicts with each preparation, and choose the one it was trained with.",
            icon=":material/help:",
        )
        compared(own)
    elif len(usual) > 1:
        st.caption(f"Decided by: {escape_markdown(source)}.")
    names = [*(name for name in accuracy if name in usual), *(name for name in usual if name not in accuracy)]
    name = names[0]
    if len(names) > 1:
        picked: str | None = st.radio(
            "Preprocessing",
            names,
            None if source is None else names.index(used),
            format_func=lambda name: f"{name} · {percent(accuracy[name])} right" if name in accuracy else name,
            key=f"own preprocessing {files_of(own)}",
            label_visibility="collapsed",
            horizontal=len(names) > 3,
        )
        if picked is None:
            return None
        name = picked
    if own.record.facts.takes_texts:
        st.caption(escape_markdown("; ".join(("Texts go in as they are", *own.record.facts.notes)) + "."))
        return usual[name]
    try:
        to_be_said = dataset.modality == "text" and usual[name].tokens == "none"
        title = "How a text becomes numbers" if to_be_said else "Change it"
        with st.expander(title, expanded=to_be_said, icon=":material/tune:"):
            return preprocessing_form(dataset, usual[name], key=f"own form {files_of(own)} {name}")
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None


def files_of(own: UploadedSubject) -> str:
    """A name for the model and the data that does not change when their classes are renamed; choices are kept under it."""
    return f"{own.record.fingerprint} {content_of(own.dataset.dataset)}"


def compared(own: UploadedSubject) -> None:
    """What the model predicts for the same inputs, prepared in each of the usual ways, side by side."""
    if (seen := seen_with_each(own)) is None:
        return
    order = own.record.class_order
    overview = {
        "prepared": [one.name for one in seen],
        "what the model says": [one.sentence for one in seen],
        "confidence above 0.9999": [
            "" if one.confidence is None else percent((one.confidence > CERTAIN).mean()) for one in seen
        ],
    }
    st.dataframe(overview, hide_index=True, width="stretch")
    columns: dict[str, list[str]] = {"input": [commas(row) for row in seen[0].rows]}
    pictures = own.dataset.dataset.modality == "image"
    if pictures:
        columns["picture"] = [thumbnail(own.dataset.dataset.show(int(row)).image or b"") for row in seen[0].rows]
    for one in seen:
        if one.confidence is None:
            columns[one.name] = [f"{number:.4g}" for number in one.predicted]
            continue
        names = [str(place) if order is None else order.names[int(place)] for place in one.predicted]
        columns[one.name] = [
            f"{name} · {percent(float(sure), 0)}" for name, sure in zip(names, one.confidence, strict=True)
        ]
    st.dataframe(
        columns,
        hide_index=True,
        width="stretch",
        height=320,
        column_config={"picture": st.column_config.ImageColumn(width="small")} if pictures else None,
    )


def seen_with_each(own: UploadedSubject) -> tuple[SeenPreprocessing, ...] | None:
    """What the model predicts for some inputs in each usual way, run once for each subject; None if none of them fits."""
    kept, place = st.session_state.get("own seen"), st.empty()  # as in ``upload_form.opened``
    if kept is None or kept[0] != files_of(own):
        assert own.subject.open_model is not None
        usual = suggest_preprocessings(own.dataset.dataset, own.record.facts.input_shape)
        try:
            with place, st.spinner("Asking the model …"):
                seen = see_preprocessings(own.subject.open_model(), own.dataset.dataset, usual)
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
            return None
        kept = st.session_state["own seen"] = (files_of(own), seen)
    return kept[1] or None


def thumbnail(png: bytes) -> str:
    """A picture as the address of its own bytes, made small for a table."""
    with Image.open(io.BytesIO(png), formats=["PNG"]) as picture:
        picture.thumbnail((THUMBNAIL, THUMBNAIL))
        file = io.BytesIO()
        picture.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def preview(own: UploadedSubject, preprocessing: Preprocessing) -> bool:
    """A few inputs as they are stored and as the model gets them; False if they cannot be prepared this way."""
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
            before_and_after(dataset.show(int(row)), array, f"input {commas(int(row))}", seen=shown)
    if given.dtype.kind not in "fiub" and not own.record.facts.takes_texts:
        st.warning("The model takes numbers; say above how a text is split into tokens.", icon=":material/warning:")
        return False
    wanted = own.record.facts.input_shape
    if not fits(given, own):
        st.warning(
            f"The model takes {by_shape(wanted)} and would be given {by_shape(given.shape[1:])}. Change the preprocessing.",
            icon=":material/warning:",
        )
        return False
    return True


def fits(given: NDArray[Any], own: UploadedSubject) -> bool:
    """Whether the model takes these inputs, their axes moved as it arranges them itself."""
    try:
        arranged(given, InputSpec(own.record.facts.input_shape, own.record.facts.input_type))
    except BadInput:
        return False
    return True


def by_shape(shape: tuple[int | None, ...]) -> str:
    """A shape as people read it."""
    if not shape:
        return "one number"
    return " x ".join("any" if side is None else commas(side) for side in shape) + " numbers"


def preprocessing_form(dataset: Dataset, given: Preprocessing, *, key: str) -> Preprocessing:
    """The preprocessing as changed; ``key`` is unique to what is given. Raises BadInput if a field cannot be read."""
    changes: dict[str, Any] = {}
    modality = dataset.modality
    if modality != "text":
        changes |= numbers_fields(given, key)
    if modality == "image":
        changes |= picture_fields(given, key)
        if isinstance(dataset, PictureDataset) and dataset.source.transparent:
            behind = get_args(Background)
            changes["background"] = st.selectbox(
                "Behind transparent parts",
                behind,
                behind.index(given.background),
                key=f"{key} background",
                help=f"{commas(dataset.source.transparent)} of {counted(len(dataset), 'picture')} are transparent in places.",
            )
    if modality == "audio":
        places: tuple[Channels, ...] = ("as stored", "first", "last")
        shown = {"as stored": "none: (length)", "first": "first: (1, length)", "last": "last: (length, 1)"}
        place = given.channels if given.channels in places else "as stored"
        changes["channels"] = st.selectbox(
            "Channel axis", places, places.index(place), format_func=lambda one: shown[one], key=f"{key} channels"
        )
        rate = st.number_input(
            "Samples per second", 0, MAX_RATE, given.rate or 0, key=f"{key} rate", help="0: as the sounds have."
        )
        changes["rate"] = int(rate) or None
    if modality == "text":
        changes |= token_fields(given, key)
    if modality in ("text", "audio"):
        changes |= length_fields(given, key)
    return replace(given, **changes)


def numbers_fields(given: Preprocessing, key: str) -> dict[str, Any]:
    """(value x scale - mean) / deviation."""
    columns = st.columns(3)
    scale = columns[0].text_input("Scale", as_fraction(given.scale), key=f"{key} scale", help="A number or 1/255.")
    mean = columns[1].text_input("Mean", listed(given.mean), key=f"{key} mean", help="None, one, or one per channel.")
    deviation = columns[2].text_input("Deviation", listed(given.deviation), key=f"{key} deviation", help="As the mean.")
    st.caption("Each number becomes (value x scale - mean) / deviation.")
    changes: dict[str, Any] = {}
    if scale != as_fraction(given.scale):  # an untouched field keeps every digit
        changes["scale"] = number_in(scale)
    if mean != listed(given.mean):
        changes["mean"] = numbers_in(mean, "mean")
    if deviation != listed(given.deviation):
        changes["deviation"] = numbers_in(deviation, "deviation")
    return changes


def picture_fields(given: Preprocessing, key: str) -> dict[str, Any]:
    """Size, colors, and where the channels are."""
    columns = st.columns(4)
    height, width = given.resize or (0, 0)
    height = columns[0].number_input("Height", 0, 10_000, height, key=f"{key} height", help="0: as stored.")
    width = columns[1].number_input("Width", 0, 10_000, width, key=f"{key} width", help="0: as stored.")
    colors, places = get_args(Color), get_args(Channels)
    color = columns[2].selectbox("Colors", colors, colors.index(given.color), key=f"{key} color")
    channels = columns[3].selectbox("Channel axis", places, places.index(given.channels), key=f"{key} channels")
    return {"resize": (height, width) if height and width else None, "color": color, "channels": channels}


def token_fields(given: Preprocessing, key: str) -> dict[str, Any]:
    """What a text is split into, and the list of tokens."""
    columns = st.columns(3)
    kinds = get_args(Tokens)
    tokens = columns[0].selectbox("Tokens", kinds, kinds.index(given.tokens), key=f"{key} tokens")
    unknown = columns[1].number_input("Number of unknown tokens", 0, value=given.unknown, key=f"{key} unknown")
    vocabulary = given.vocabulary
    if tokens in ("characters", "words"):
        listed_there = columns[2].file_uploader("Vocabulary, one token a line", type=["txt"], key=f"{key} vocabulary")
        if listed_there is not None:
            vocabulary = tuple(listed_there.getvalue().decode("utf-8", "replace").splitlines())
        elif not vocabulary:
            raise BadInput("There is no vocabulary yet. Add a text file with one token per line.")
    return {"tokens": tokens, "unknown": int(unknown), "vocabulary": vocabulary}


def length_fields(given: Preprocessing, key: str) -> dict[str, Any]:
    """The length that inputs are cut or padded to, and how."""
    columns = st.columns(3)
    length = columns[0].number_input("Length", 0, value=given.length or 0, key=f"{key} length", help="0: as it is.")
    pad = columns[1].number_input("Filled up with", 0, value=given.pad, key=f"{key} pad")
    places = get_args(Padding)
    padding = columns[2].selectbox("Where", places, places.index(given.padding), key=f"{key} padding")
    return {"length": int(length) or None, "pad": int(pad), "padding": padding}
