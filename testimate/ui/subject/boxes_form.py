"""A detector's uploaded output, before it is kept: its pictures, and the lowest score of boxes to judge."""

from pathlib import Path

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.words import counted
from testimate.project.kept_subjects import KeptTable, opened_table
from testimate.subjects.prediction_table import TableChoices
from testimate.ui.components.shown_input import Tile, gallery
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.subject.chosen_files import chosen_file

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
