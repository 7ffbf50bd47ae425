"""Subject: open a demo, a prediction table or a model with its data, see what it is, and go on to label it."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.clusters import strata_histogram
from testimate.charts.comparison import predicted_classes
from testimate.core.inputs import Inputs
from testimate.core.subject import Modality, Subject
from testimate.core.task import Task
from testimate.core.words import commas, percent
from testimate.ui.appearance import dark
from testimate.ui.components.fact_list import facts
from testimate.ui.components.shown_input import Tile, gallery, picture_width
from testimate.ui.components.terms import explained, layer_words
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.components.what_was_understood import what_was_understood
from testimate.ui.current_project import project
from testimate.ui.error_messages import unusual
from testimate.ui.job_progress import computing
from testimate.ui.navigation import forget, opened, remember, subject_and_inputs
from testimate.ui.other_models import other_models
from testimate.ui.pages import PLAN, SUBJECT
from testimate.ui.sessions import shift_dial
from testimate.ui.shell import run_page
from testimate.ui.subject.inputs_panel import known_inputs, leaks, task_of, techniques
from testimate.ui.subject.welcome import welcome

LINE, SIDE = 8, 88
"""Square sample pictures in a line, and the side of each in pixels; of wider ones there are fewer."""

SAMPLES: dict[Modality, int] = {"image": 16, "tabular": 8, "text": 4, "audio": 4}


LONG = 80
"""Letters of a name that the head of a page may not show in full."""


@dataclass(frozen=True)
class Figure:
    """A number of the headline, with what it means on hover."""

    label: str
    value: str
    help: str | None = None


def show() -> None:
    """The page."""
    key = opened("subject")
    if key is None and "add" in st.query_params:
        from testimate.ui.subject.upload_form import (
            upload_form,  # takes a part of a second to load, which the first screen need not wait for
        )

        upload_form()
    elif key is None:
        welcome()
    else:
        one_subject(key)


def one_subject(key: str) -> None:
    """The open subject: numbers, predicted classes, sample inputs, where to go next, and its facts under Advanced."""
    if computing(key):
        other_subjects()
        return
    subject, inputs = subject_and_inputs(key)
    remember("subject", key)
    with st.container(
        horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute", key="subject-head"
    ):
        st.header(escape_markdown(subject.name), anchor=False)
        with st.container(horizontal=True, width="content"):
            other_subjects()
            if st.button("Start labeling", type="primary", icon=":material/checklist:"):
                st.switch_page(PLAN.file, query_params={"subject": key})
    turned = shift_dial(key, place="subject")
    if turned != key:
        forget("session")
        remember("subject", turned)
        st.rerun()
    headline(inputs)
    task_of(subject)
    known_inputs(subject)
    leaks(project().inputs(key))  # a warning, whether the truth is revealed or not
    unusual(inputs)
    left, right = st.columns([2, 3], gap="large")
    with left:
        predicted(inputs)
    with right, st.container(key="sample inputs"):
        samples(subject, inputs)
    with st.expander("Advanced", icon=":material/tune:"):
        what_was_understood(subject.reading)
        what_it_is(subject, inputs)
        if not inputs.compared:
            other_models(subject)
        techniques(subject, inputs)


def other_subjects() -> None:
    """Closes the subject."""
    if st.button("All test sets", icon=":material/arrow_back:"):
        forget("subject")
        forget("session")
        st.rerun()


def headline(inputs: Inputs) -> None:
    """The numbers people ask for first."""
    figures = [Figure("Inputs", commas(len(inputs)), explained("operational set")), answer(inputs.task)]
    if inputs.task.graded and not inputs.task.compares and inputs.confidence is not None:
        figures.append(Figure("Mean score of the judge", percent(inputs.confidence.mean())))
    elif inputs.confidence is not None:
        often = "Average over all inputs. Models are often more confident than accurate."
        figures.append(Figure("Mean confidence", percent(inputs.confidence.mean()), explained("confidence", often)))
    figures += known_here(inputs)
    for column, figure in zip(st.columns(max(4, len(figures))), figures, strict=False):
        column.metric(figure.label, figure.value, help=figure.help)


def answer(task: Task) -> Figure:
    """What the network predicts: how many classes there are to choose from, or the unit of its number."""
    if task.numeric:
        beyond = f"The model predicts a number. {task.fault_words.capitalize()} is a fault."
        return Figure("Answer", task.unit.capitalize() or "A number", beyond)
    return Figure(task.classes_title, str(len(task.classes)))


def known_here(inputs: Inputs) -> list[Figure]:
    """How good the network is, where the truth is known."""
    if inputs.losses is None:
        return []
    because = "True answers are known here, so you can check the estimate."
    right, measure = inputs.known_accuracy, inputs.task.measure
    assert right is not None
    return [Figure(f"{measure.title}, known here", measure.brief(right), explained("accuracy", because))]


def what_it_is(subject: Subject, inputs: Inputs) -> None:
    """What the model and the data are, with their fingerprints."""
    st.subheader("Facts", anchor=False)
    widths = ", ".join(f"{layer_words(role)} {commas(array.shape[1])}" for role, array in inputs.features.items())
    found = {
        **({"name": subject.name} if len(subject.name) > LONG else {}),
        **dict(subject.facts),
        "numbers per input": widths or "None. A table has no layers.",
        "failure scores": ", ".join(inputs.scores) or "none",
        "fingerprint": subject.fingerprint,
    }
    facts(found.items())


def predicted(inputs: Inputs) -> None:
    """How often each class, or which numbers, are predicted; of judged outputs the judge's score, if there is one."""
    task, predictions = inputs.task, inputs.predictions
    if task.numeric:
        spread("Predicted numbers", predictions, "predicted number", unit=task.unit or "no unit")
        return
    if task.graded:
        if inputs.confidence is not None and task.compares:
            spread("Confidences", inputs.confidence, "confidence")
        elif inputs.confidence is not None:
            spread("Scores of the judge", inputs.confidence, "chance that the output is right")
        return
    st.subheader("Boxes of each class" if task.boxed else "Predicted classes", anchor=False)
    figure = predicted_classes(task.predicted_counts(predictions), task.classes, dark=dark())
    if task.boxed:
        figure.update_yaxes(title_text="boxes (count)")
        figure.update_xaxes(title_text="class")
    st.plotly_chart(figure, theme=None, key="predicted classes", alt="How many inputs are predicted as each class")


def spread(title: str, values: NDArray[np.float64], name: str, *, unit: str = "no unit") -> None:
    """A histogram of a number that each input has."""
    st.subheader(title, anchor=False)
    bins = int(np.clip(2 * np.sqrt(len(values)), 8, 60))
    figure = strata_histogram(values, name=name, unit=unit, bins=bins, dark=dark())
    figure.update_layout(height=260)
    st.plotly_chart(figure, theme=None, key="predicted classes", alt=f"How the values are spread: {name}")


def samples(subject: Subject, inputs: Inputs) -> None:
    """A few inputs, evenly spread over the set, as a tester will see them."""
    st.subheader("Sample inputs", anchor=False)
    first = subject.dataset.show(0)
    if [name for name, _ in first.cells] == ["row"]:
        st.info(
            "This table has no inputs to show, so you'll label by row number (from 0). Keep the inputs open beside you, or "
            "import the table again with their folder.",
            icon=":material/table_rows:",
        )
        return
    width = picture_width(first, SIDE)
    across = LINE * SIDE // width
    count = min(SAMPLES[subject.dataset.modality], 2 * across, len(inputs))
    rows = np.linspace(0, len(inputs) - 1, count).astype(int)
    is_table = subject.dataset.modality == "tabular"  # its cells name the row already
    tiles = [Tile(subject.dataset.show(int(row)), "" if is_table else commas(row)) for row in rows]
    gallery(tiles, across=across, size=width)


run_page(SUBJECT, show)
