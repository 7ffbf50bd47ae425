"""Import: a table that was dropped, before it is kept. Which column is what, the inputs of its rows, and the first session.

A detector's output, before it is kept: its pictures, and the lowest score of boxes to judge.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import streamlit as st

from testimate.core.errors import BadInput, ReadingUnclear, TestimateError, Way
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.core.words import counted
from testimate.project.kept_subjects import KeptTable, opened_table
from testimate.subjects.box_table import is_detections
from testimate.subjects.media import Names
from testimate.subjects.prediction_table import TableContent, table_content
from testimate.subjects.table_choices import TableChoices
from testimate.tables.cells import Cells
from testimate.tables.packed_cells import with_opened_cells
from testimate.tables.roles import CODE, FILES, roles_by_name
from testimate.tables.rules import LATEST
from testimate.tasks.question import QUESTION_LETTERS
from testimate.tasks.regression import SaidTolerance
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown, with_names
from testimate.ui.components.what_was_understood import what_was_understood
from testimate.ui.current_project import project
from testimate.ui.navigation import FIRST_BUDGET, START_HALF_WIDTH, go, start_default
from testimate.ui.pages import SUBJECT
from testimate.ui.subject.chosen_files import chosen_file, tolerance_field
from testimate.ui.subject.column_roles import Table, asked_columns, chosen_roles, column_roles
from testimate.ui.subject.dropped_files import FEATURES, INPUTS, Dropped, drop_area, forget_dropped
from testimate.ui.subject.inputs_panel import chosen_task
from testimate.ui.subject.reading_question import chosen_way

TILES = 4


def import_page(files: Dropped) -> None:
    """The first screen once a table was dropped: what its columns are, what is asked, and the button that starts labeling."""
    assert files.data is not None
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.header("Check the columns", anchor=False)
        st.button("Change files", on_click=forget_dropped)
    st.markdown(files_line(files))
    try:
        if is_detections(files.data):
            boxes_form(files.name, files.data, files.id)
            return
        content = read_once(files.name, files.data, files.id)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    block, start = st.container(gap="small"), st.container(gap="small")
    advanced = st.expander("Advanced: features, other classes, how answers are judged")
    kept = KeptTable(files.name, choices=TableChoices(columns=chosen_roles(files.id)))
    with advanced:
        kept = with_additions(kept, content.cells, files.id)
        more = st.container()
    with block:
        found = opened(content, kept, files.id)
        if found is not None:
            subject, kept = found
            with more:
                tolerance = chosen_tolerance(subject, files.id)
            if tolerance is not None:
                found = opened(content, replace(kept, tolerance=tolerance, task=subject.task.kind), files.id)
        table = Table(content.cells, None if found is None else found[0], files.id)
        if found is not None:
            what_was_understood(found[0].reading, reasons=False)
        column_roles(table)
        if found is not None:
            inputs_of_the_rows(found[0])
    if found is None:
        with start:
            buttons("First choose above how to read the table.", opens=False)
        return
    with more:
        ready = ReadyTable(*found, files.data, task_of(found[0], files.id))
        as_testers_see(ready.subject)
    with start:
        open_or_start(ready, asked_columns(table))


def files_line(files: Dropped) -> str:
    """What was dropped, in one line of Markdown."""
    inputs = f" + **{escape_markdown(files.inputs)}**" if files.inputs else ""
    return f"**{escape_markdown(files.name)}**{inputs}"


@dataclass(frozen=True)
class ReadyTable:
    """A table that can be used.

    Attributes
    ----------
    subject, kept : what it is and how it is read. data : what was dropped. task : what its predictions are.
    """

    subject: Subject
    kept: KeptTable
    data: bytes | Path
    task: TaskKind


def open_or_start(ready: ReadyTable, asked: Sequence[str]) -> None:
    """The question, how many labels, and the buttons. ``asked`` : the columns whose question is open."""
    task, file = ready.subject.task, ready.kept.name
    places = st.columns([4, 1.5, 1.5])
    question = places[0].text_input(
        "Question for testers", max_chars=QUESTION_LETTERS, placeholder=task.usual_question, key=f"question {file}"
    )
    most = len(ready.subject.dataset)
    budget = places[1].number_input("Labels, at most", 1, most, min(FIRST_BUDGET, most), key=f"budget {file}")
    points = 100 * START_HALF_WIDTH
    if task.measure.is_share:
        points = places[2].number_input("Goal, ± points", 0.5, 50.0, points, 0.5, format="%.1f", key=f"goal {file}")
    waits = f"First answer the question about `{asked[0]}`." if asked else ""
    pressed = buttons(waits)
    if not pressed:
        return
    key = keep(ready)
    if key is None:
        return
    forget_dropped()
    if pressed == START:
        start_default(key, question=question, budget=int(budget), half_width=points / 100)
    go(SUBJECT, subject=key)


START, OPEN = "Start labeling", "Open without labeling"


def buttons(waits: str, *, opens: bool = True) -> str:
    """The two buttons; returns the one that was pressed, "" for none. ``waits`` : why labeling cannot start yet."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        start = st.button(START, type="primary", icon=":material/play_arrow:", disabled=bool(waits))
        look = st.button(OPEN, type="tertiary", disabled=not opens)
        if waits:
            st.caption(with_names(waits), width="content")
    return START if start else OPEN if look else ""


def task_of(subject: Subject, file: str) -> TaskKind:
    """What the predictions are, asked if they may be read as sets of classes as well."""
    if {*subject.readable_as} - {"classification", "regression"}:
        return chosen_task(subject, key=f"sets {file}")
    return subject.task.kind


def boxes_form(name: str, data: bytes | Path, file: str) -> None:
    """What a detector wrote: its pictures, the lowest score of boxes to judge, and the buttons. ``file`` names this upload."""
    pictures = chosen_file("dataset", "The pictures", "A zip of all pictures, those without a box too", INPUTS)
    least = st.number_input(
        "Lowest score of a box to judge",
        0.0,
        1.0,
        0.0,
        0.05,
        key=f"least score {file}",
        help="The threshold at which the detector is used. Precision and recall are for it. Boxes below it are not "
        "shown, but say how likely something was missed.",
    )
    kept = KeptTable(name, task="boxes", choices=TableChoices(inputs=pictures, least_score=float(least)))
    try:
        with st.spinner("Reading the boxes …", show_time=True):
            subject = opened_table(data, kept)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    boxes = dict(subject.facts)["boxes"]
    st.success(escape_markdown(f"{subject.name}: {counted(len(subject.dataset), 'picture')}, boxes: {boxes}."))
    for remark in getattr(subject.inputs and subject.inputs.names, "remarks", ()):
        st.warning(escape_markdown(remark), icon=":material/warning:")
    if subject.dataset.modality == "tabular":
        st.warning("Without the pictures you can't judge the boxes here. Add them.", icon=":material/warning:")
    else:
        gallery(
            [Tile(subject.dataset.show(row)) for row in range(min(TILES, len(subject.dataset)))], across=TILES, size=160
        )
    open_or_start(ReadyTable(subject, kept, data, "boxes"), ())


GRADES = {"": "Right, partly, wrong", "1-5": "Grades 1 to 5"}

SEEN, SIDE = 3, 120
"""Inputs that are shown as a tester will see them, and pixels of a picture's side."""

ANOTHER = "another class"
"""The answer if the truth is none of the named classes."""

OPENED, MOST_KEPT = "table opened", 8
"""Where the tables that were read are kept until another file replaces them, and the most ways to read one that are kept."""


def with_additions(kept: KeptTable, cells: Cells, file: str) -> KeptTable:
    """The table with what is added to it: inputs, features, classes that were never predicted, a scale of grades."""
    places = st.columns(2, gap="large")
    with places[0]:
        inputs = chosen_file("dataset", "Inputs", "A zip. Files are matched by name.", INPUTS)
        code = st.multiselect("Source code", cells.names, key=f"role code {file}")
    with places[1]:
        features = chosen_file(
            "dataset", "Features", "An .npy array with one row of features per input. Adds clusters.", FEATURES
        )
        further = further_classes(file)
    columns = kept.choices.columns if kept.choices is not None else ()
    columns = (*columns, *((CODE, name) for name in code))
    judged = any(role in ("output", "output_a") for role in (*roles_by_name(cells.names), *dict(columns)))
    grades = chosen_grades(file) if judged else ""
    choices = TableChoices(columns=columns, inputs=inputs, further=further, grades=grades)
    return replace(kept, choices=choices, features=features)


def chosen_tolerance(subject: Subject, file: str) -> SaidTolerance | None:
    """The error beyond which a predicted number has failed, asked for a regression; None if it is left empty."""
    if not subject.task.numeric:
        return None
    usual = f"{subject.task.tolerance:.4g}, one standard deviation of the predictions; or such as 10%"
    return tolerance_field(st.container(), "Tolerance", key=f"tolerance {file}", usual=usual)


def read_once(name: str, data: bytes | Path, file: str) -> TableContent:
    """The columns of the upload, and those that stand in their cells, read once."""
    known = st.session_state.get("table content")
    if known is None or known[0] != file:
        content = table_content(data, name)
        known = (file, replace(content, cells=with_opened_cells(content.cells, LATEST)))
        st.session_state["table content"] = known
    held: TableContent = known[1]
    return held


def chosen_grades(file: str) -> str:
    """The scale on which the outputs are judged."""
    return st.segmented_control(
        "How are outputs judged?",
        list(GRADES),
        default="",
        required=True,
        format_func=GRADES.__getitem__,
        key=f"grades {file}",
        help="“Partly right” counts half. On the scale from 1 to 5, each step below 5 costs a quarter. With two outputs, "
        "testers pick the better one.",
    )


def further_classes(file: str) -> tuple[str, ...]:
    """Classes that were never predicted and may still be the answer, a line each, and one for all the others."""
    lines = st.text_area(
        "Classes the model never predicted, one per line", key=f"further {file}", placeholder="owl"
    ).splitlines()
    another = st.checkbox(f"Testers may also answer “{ANOTHER}”", key=f"another {file}")
    names = dict.fromkeys(line.strip() for line in lines if line.strip())
    return (*names, ANOTHER) if another and ANOTHER not in names else tuple(names)


def opened(content: TableContent, kept: KeptTable, file: str) -> tuple[Subject, KeptTable] | None:
    """The table and how it is read, once all that is unclear was answered; None until then, or if it is refused."""
    found = result_once(content, kept, file)
    while isinstance(found, ReadingUnclear):
        way = chosen_way(found, partial(tried, content, kept, file), key=f"way {found.question} {found.found} {file}")
        if way is None:
            return None
        kept = kept.taking(way)
        found = result_once(content, kept, file)
    if isinstance(found, TestimateError):
        st.error(escape_markdown(str(found)), icon=":material/error:")
        return None
    return found, kept


def tried(content: TableContent, kept: KeptTable, file: str, way: Way) -> Subject | TestimateError:
    """The table read in a way that is asked about."""
    return result_once(content, kept.taking(way), file)


def result_once(content: TableContent, kept: KeptTable, file: str) -> Subject | TestimateError:
    """The table's subject, or why it cannot be used; read once for every way to read this upload."""
    none: dict[str, Subject | TestimateError] = {}
    known = st.session_state.get(OPENED)
    if known is None or known[0] != file:
        known = (file, none)
    asked = repr(kept)
    if asked not in known[1]:
        known[1][asked] = result(content, kept)
        while len(known[1]) > MOST_KEPT:
            known[1].pop(next(iter(known[1])))
    st.session_state[OPENED] = known
    found: Subject | TestimateError = known[1][asked]
    return found


def result(content: TableContent, kept: KeptTable) -> Subject | TestimateError:
    """The table's subject, or why it cannot be used."""
    try:
        with st.spinner("Reading the table …", show_time=True):
            return opened_table(content, kept)
    except TestimateError as error:
        return error


def inputs_of_the_rows(subject: Subject) -> None:
    """Which rows have no file, and the fields for the files of all rows if they are named and were not dropped yet."""
    names = subject.inputs.names if subject.inputs is not None else None
    for remark in names.remarks if isinstance(names, Names) else ():
        st.warning(escape_markdown(remark), icon=":material/warning:")
    if subject.dataset.modality != "tabular":
        return
    files = [name for role in FILES for name in (subject.reading.with_role(role) if subject.reading else ())]
    if files:
        with st.container(border=True):
            st.markdown(with_names(f"Add the files that `{files[0]}` names. Testers see only the names until then."))
            drop_area()
    elif [name for name, _ in subject.dataset.show(0).cells] == ["row"]:
        st.caption("No column shows an input. Testers will see row numbers.")


def as_testers_see(subject: Subject) -> None:
    """The first inputs as a tester will see them."""
    st.caption("As testers see them")
    shown = [subject.dataset.show(row) for row in range(min(SEEN, len(subject.dataset)))]
    gallery([Tile(one) for one in shown], across=2 * SEEN, size=SIDE)


def keep(ready: ReadyTable) -> str | None:
    """Keeps the table in the project and returns its key; None if it is refused, with the reason shown."""
    kept = ready.kept
    try:
        subject = project().add_table(
            kept.name,
            ready.data,
            tolerance=kept.tolerance,
            task=ready.task,
            choices=kept.choices,
            features=kept.features,
        )
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    for name in (OPENED, "table content"):
        st.session_state.pop(name, None)
    return subject.key
