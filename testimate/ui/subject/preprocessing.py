"""What is done to an input before the model sees it: chosen among the usual ways, or one's own, with a preview."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import streamlit as st

from testimate.core.errors import BadInput, TestimateError
from testimate.core.rounding import percent
from testimate.core.subject import Modality
from testimate.subjects.datasets.preprocessing import Channels, Colour, Padding, Preprocessing, Tokens
from testimate.subjects.datasets.usual_preprocessings import suggest_preprocessings
from testimate.subjects.uploaded.subject import UploadedSubject
from testimate.ui.components.shown_input import before_and_after
from testimate.ui.components.untrusted_text import escape_markdown

PREVIEW: dict[Modality, int] = {"image": 4, "audio": 2, "text": 2, "tabular": 2}
"""Inputs in the preview: texts, sounds and table rows take more room than a picture."""


def chosen_preprocessing(own: UploadedSubject) -> Preprocessing | None:
    """A usual preprocessing, each with the model's accuracy where labels show it, or one's own; None where it is wrong."""
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


def preview(own: UploadedSubject, preprocessing: Preprocessing) -> bool:
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


def preprocessing_form(modality: Modality, given: Preprocessing, *, key: str) -> Preprocessing:
    """The preprocessing as changed; ``key`` is unique to what is given. Raises BadInput where a field cannot be read."""
    changes: dict[str, Any] = {}
    if modality != "text":
        changes |= numbers_fields(given, key)
    if modality == "image":
        changes |= picture_fields(given, key)
    if modality == "audio":
        places: tuple[Channels, ...] = ("as stored", "first", "last")
        shown = {"as stored": "none: (length)", "first": "first: (1, length)", "last": "last: (length, 1)"}
        place = given.channels if given.channels in places else "as stored"
        changes["channels"] = st.selectbox(
            "Channel axis", places, places.index(place), format_func=lambda one: shown[one], key=f"{key} channels"
        )
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
    if scale != as_fraction(given.scale):  # a field left alone keeps every digit
        changes["scale"] = fraction(scale)
    if mean != listed(given.mean):
        changes["mean"] = several(mean, "mean")
    if deviation != listed(given.deviation):
        changes["deviation"] = several(deviation, "deviation")
    return changes


def picture_fields(given: Preprocessing, key: str) -> dict[str, Any]:
    """Size, colours and their place."""
    columns = st.columns(4)
    height, width = given.resize or (0, 0)
    height = columns[0].number_input("Height", 0, 10_000, height, key=f"{key} height", help="0: as stored.")
    width = columns[1].number_input("Width", 0, 10_000, width, key=f"{key} width", help="0: as stored.")
    colours, places = get_args(Colour), get_args(Channels)
    colour = columns[2].selectbox("Colours", colours, colours.index(given.colour), key=f"{key} colour")
    channels = columns[3].selectbox("Channel axis", places, places.index(given.channels), key=f"{key} channels")
    return {"resize": (height, width) if height and width else None, "colour": colour, "channels": channels}


def token_fields(given: Preprocessing, key: str) -> dict[str, Any]:
    """What a text is cut into, and the list of tokens."""
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
    """What is cut and filled up, and how."""
    columns = st.columns(3)
    length = columns[0].number_input("Length", 0, value=given.length or 0, key=f"{key} length", help="0: as it is.")
    pad = columns[1].number_input("Filled up with", 0, value=given.pad, key=f"{key} pad")
    places = get_args(Padding)
    padding = columns[2].selectbox("Where", places, places.index(given.padding), key=f"{key} padding")
    return {"length": int(length) or None, "pad": int(pad), "padding": padding}


def listed(numbers: tuple[float, ...]) -> str:
    """Numbers as a field shows them."""
    return ", ".join(f"{number:.10g}" for number in numbers)


def as_fraction(number: float) -> str:
    """A number as a field shows it, a simple fraction where it is exactly one.

    >>> as_fraction(1 / 255), as_fraction(2 / 255), as_fraction(0.5), as_fraction(1.0), as_fraction(0.0123)
    ('1/255', '2/255', '1/2', '1', '0.0123')
    """
    simple = Fraction(number).limit_denominator(1_000)
    if simple and simple.numerator / simple.denominator == number and simple.numerator <= 10:
        return str(simple)
    return f"{number:.10g}"


def several(text: str, name: str) -> tuple[float, ...]:
    """The numbers in a field; BadInput where one is none."""
    try:
        return tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError:
        raise BadInput(f"Expected numbers such as 0.5, 0.5, 0.5 as the {name}, got {text!r:.60}. Correct it.") from None


def fraction(text: str) -> float:
    """A number, or one number over another; BadInput where it is neither."""
    over, _, under = text.partition("/")
    try:
        return float(over) / float(under or "1")
    except (ValueError, ZeroDivisionError):
        raise BadInput(f"Expected a number such as 1/255 as the scale, got {text!r:.60}. Correct it.") from None
