"""An uploaded prediction table before it is kept: which column is what, the inputs its rows name, and their features.

A detector's uploaded output, before it is kept: its pictures, and the lowest score of boxes to judge.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from testimate.core.errors import BadInput, ReadingUnclear, TestimateError, Way
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.core.words import counted
from testimate.project.files import keep_unpacked
from testimate.project.kept_subjects import KeptTable, opened_table
from testimate.subjects.box_table import is_detections
from testimate.subjects.media import Names
from testimate.subjects.prediction_table import TableChoices, TableContent, table_content
from testimate.tables.archives import holds_one_table
from testimate.tables.cells import Cells
from testimate.tables.kinds import ZIP, begins
from testimate.tables.roles import CODE, roles_by_name
from testimate.tasks.regression import SaidTolerance
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.components.what_was_understood import what_was_understood
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.pages import SUBJECT
from testimate.ui.subject.chosen_files import chosen_file, tolerance_field
from testimate.ui.subject.column_roles import chosen_roles, column_roles
from testimate.ui.subject.inputs_panel import chosen_task
from testimate.ui.subject.reading_question import chosen_way

TILES = 4


def boxes_form(name: str, data: bytes | Path, file: str) -> KeptTable | None:
    """The form below the upload; returns how to read the file, once that is known. ``file`` names this upload."""
    pictures = chosen_file("dataset", "The pictures", "A zip of all pictures, those without a box too", "table inputs")
    least = st.number_input(
        "Lowest score of a box to judge",
        0.0,
        1.0,
        0.0,
        0.05,
        key=f"least score {file}",
        help="The threshold at which the detector is used; precision and recall are for it. Boxes below it are not "
        "shown, but say how likely something was missed.",
    )
    kept = KeptTable(name, task="boxes", choices=TableChoices(inputs=pictures, least_score=float(least)))
    try:
        with st.spinner("Reading the boxes …", show_time=True):
            subject = opened_table(data, kept)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    boxes = dict(subject.facts)["boxes"]
    st.success(escape_markdown(f"{subject.name}: {counted(len(subject.dataset), 'picture')}, boxes: {boxes}."))
    for remark in getattr(subject.inputs and subject.inputs.names, "remarks", ()):
        st.warning(escape_markdown(remark), icon=":material/warning:")
    if subject.dataset.modality == "tabular":
        st.warning("Without the pictures nobody can judge the boxes here. Add them.", icon=":material/warning:")
    else:
        gallery(
            [Tile(subject.dataset.show(row)) for row in range(min(TILES, len(subject.dataset)))], across=TILES, size=160
        )
    return kept


GRADES = {"": "Right, partly, wrong", "1-5": "Grades 1 to 5"}

SEEN, SIDE = 3, 120
"""Inputs that are shown as a tester will see them, and pixels of a picture's side."""

ANOTHER = "another class"
"""The answer if the truth is none of the named classes."""

OPENED, MOST_KEPT = "table opened", 8
"""Where the tables that were read are kept until another file replaces them, and the most ways to read one that are kept."""


def table_form(name: str, data: bytes | Path, file: str) -> None:
    """What is in the table, what may be added to it, and the button that keeps it; ``file`` names this upload.

    ``data`` : what was uploaded, a table or a zip with a Hugging Face dataset; or the folder of one.
    """
    try:
        if isinstance(data, bytes) and begins(data, ZIP) and not holds_one_table(data, name):
            data = keep_unpacked(project().folder, name, data)
        if is_detections(data):
            boxes = boxes_form(name, data, file)
            if boxes is not None and st.button("Open the boxes", type="primary"):
                keep(boxes, data, "boxes")
            return
        content = read_once(name, data, file)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    block = st.container()  # above what may be added to the table
    kept = KeptTable(name, choices=TableChoices(columns=chosen_roles(file)))
    kept = with_additions(kept, content.cells, file)
    with block:
        found = opened(content, kept, file)
        if found is None:
            column_roles(content.cells, None, file)
            return
        subject, kept = found
        tolerance = chosen_tolerance(subject, file)
        if tolerance is not None:
            found = opened(content, replace(kept, tolerance=tolerance, task=subject.task.kind), file)
            if found is None:
                return
            subject, kept = found
        what_was_understood(subject.reading, reasons=False)
        column_roles(content.cells, subject.reading, file)
        as_testers_see(subject)
    task = subject.task.kind
    if {*subject.readable_as} - {"classification", "regression"}:
        task = chosen_task(subject, key=f"sets {file}")
    if st.button("Open the table", type="primary"):
        keep(kept, data, task)


def with_additions(kept: KeptTable, cells: Cells, file: str) -> KeptTable:
    """The table with what is added to it: inputs, features, classes that were never predicted, a scale of grades."""
    with st.expander("Add the pictures, sounds or texts, or features"):
        inputs = chosen_file(
            "dataset", "What the rows are about", "A zip; its files are found by their names", "table inputs"
        )
        features = chosen_file(
            "dataset", "Features", "An .npy array, one line per row: with it a table has clusters", "table features"
        )
        code = st.multiselect("Source code", cells.names, key=f"role code {file}")
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
    usual = f"{subject.task.tolerance:.4g}, one standard deviation of the predictions; or such as 10 %"
    return tolerance_field(st.container(), "Tolerance", key=f"tolerance {file}", usual=usual)


def read_once(name: str, data: bytes | Path, file: str) -> TableContent:
    """The columns of the upload, read once."""
    known = st.session_state.get("table content")
    if known is None or known[0] != file:
        known = (file, table_content(data, name))
        st.session_state["table content"] = known
    content: TableContent = known[1]
    return content


def chosen_grades(file: str) -> str:
    """The scale on which the outputs are judged."""
    return st.segmented_control(
        "How are outputs judged?",
        list(GRADES),
        default="",
        required=True,
        format_func=GRADES.__getitem__,
        key=f"grades {file}",
        help="Partly right counts half; on the scale of five grades, each step below 5 counts a quarter less. Two "
        "systems are compared.",
    )


def further_classes(file: str) -> tuple[str, ...]:
    """Classes that were never predicted and may still be the answer, a line each, and one for all the others."""
    with st.expander("Classes that were never predicted"):
        lines = st.text_area("Their names, one a line", key=f"further {file}", placeholder="owl").splitlines()
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


def as_testers_see(subject: Subject) -> None:
    """The first inputs as a tester will see them, and which rows have no file."""
    names = subject.inputs.names if subject.inputs is not None else None
    for remark in names.remarks if isinstance(names, Names) else ():
        st.warning(escape_markdown(remark), icon=":material/warning:")
    shown = [subject.dataset.show(row) for row in range(min(SEEN, len(subject.dataset)))]
    st.caption("As testers see them")
    gallery([Tile(one) for one in shown], across=2 * SEEN, size=SIDE)
    if all([name for name, _ in one.cells] == ["row"] for one in shown):
        st.caption("Testers see row numbers alone. Add the inputs below, or choose a column that is shown.")


def keep(kept: KeptTable, data: bytes | Path, task: TaskKind) -> None:
    """Keeps the table in the project and goes to it."""
    try:
        subject = project().add_table(
            kept.name, data, tolerance=kept.tolerance, task=task, choices=kept.choices, features=kept.features
        )
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    for name in (OPENED, "table content", "table inputs kept", "table features kept"):
        st.session_state.pop(name, None)
    go(SUBJECT, subject=subject.key)
