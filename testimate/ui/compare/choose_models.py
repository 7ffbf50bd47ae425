"""Which models are compared: a table of predictions, models of the project on the same data, or the demo."""

import streamlit as st

from testimate.comparison.predictions_table import USUAL_TRUTHS
from testimate.core.progress import Progress
from testimate.core.reading import read_as
from testimate.demos.catalog import find_demo
from testimate.demos.comparison_models import NINE
from testimate.project.compared_models import (
    TRUE_LABEL,
    ComparisonChoice,
    demo_comparison,
    glyph_comparison,
    table_of_subjects,
)
from testimate.project.subjects import COMPARISON
from testimate.subjects.shifts import SHIFTS
from testimate.tables.files import read_cells
from testimate.ui.compare.comparing import make_comparison
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.session_names import distinct_names, shift_dial

NONE = "none"
DEMO_SEVERITY = 3


def choose_models() -> str | None:
    """Three ways to make a comparison; the key of the one just made."""
    with st.container(key="stacked models"):
        left, middle, right = st.columns(3, gap="large")
    with left:
        st.subheader("Try the demo", anchor=False)
        made = nine_on_letters() or ten_on_digits()
        if made is not None:
            return made
    with middle:
        st.subheader("Upload predictions", anchor=False)
        made = upload()
        if made is not None:
            return made
    with right:
        st.subheader("Models of this project", anchor=False)
        return of_project()


def nine_on_letters() -> str | None:
    """The demo: nine networks, two of which have a planted fault."""
    st.write(
        "Nine networks have read the same 10\u202f000 printed letters. Two of them were trained on bad labels: "
        "see whether the ranking notices, and find out what they learned."
    )
    key = shift_dial("glyphs", place="compare")
    pressed = st.button("Compare nine models", type="primary", icon=":material/play_arrow:")
    with st.expander("How each was trained (this reveals the two)"):
        for model in NINE:
            planted = f" **{model.planted}**" if model.planted else ""
            st.markdown(f"- {model.name}: {model.trained}{planted}")
    if not pressed:
        return None
    demo = find_demo(key)
    assert demo is not None
    assert demo.level is not None
    here, level = project(), demo.level
    return make_comparison(key, lambda progress: here.add_comparison(*glyph_comparison(level, progress)).key)


def ten_on_digits() -> str | None:
    """Ten models of other kinds on the digits demo, whose pictures can be corrupted in many ways."""
    with st.expander("Or ten models that read handwritten digits"):
        st.write("Ten models of different quality have read the same 1\u202f497 handwritten digits.")
        shift = st.selectbox(
            "Shifted by",
            [None, *SHIFTS],
            format_func=lambda name: name or "nothing",
            help="How the pictures are corrupted, at severity 3, before the models see them.",
        )
        if not st.button("Compare ten models", icon=":material/play_arrow:"):
            return None
    here, seen = project(), None if shift is None else (shift, DEMO_SEVERITY)
    return make_comparison(
        f"digits {shift}", lambda progress: here.add_comparison(*demo_comparison(seen, progress)).key
    )


def upload() -> str | None:
    """A file with a column per model, and what its other columns are."""
    file = st.file_uploader(
        "Predicted labels", type=["csv", "gz", "parquet"], help="One row per input, one column per model."
    )
    if file is None:
        st.caption("CSV or Parquet: one row per input, one column per model with the class it predicts.")
        return None
    content = file.getvalue()
    cells = read_cells(content, file.name)
    columns = list(cells.columns)
    if cells.taken:
        st.caption(escape_markdown(read_as(file.name, cells.taken)))
    likely = [name for name in columns if name.strip().casefold() in (*USUAL_TRUTHS, TRUE_LABEL)]
    truth = st.selectbox("True labels, where known", [NONE, *columns], columns.index(likely[0]) + 1 if likely else 0)
    rest = [name for name in columns if name != truth]
    shown = st.multiselect("Columns that are not models, shown while labeling", rest)
    names = subjects_by_name()
    by = st.selectbox(
        "Inputs, shown while labeling",
        [None, *names],
        format_func=lambda key: "only the table" if key is None else names[key],
    )
    if not st.button("Compare these models", type="primary"):
        return None
    choice = ComparisonChoice(file.name, None if truth == NONE else truth, tuple(shown), by)
    return project().add_comparison(content, choice).key


def subjects_by_name() -> dict[str, str]:
    """The name of each subject that is one model, by its key."""
    return distinct_names({entry.key: entry.name for entry in project().entries() if entry.description != COMPARISON})


def of_project() -> str | None:
    """Subjects of the project on the same data; their features are computed once and found again."""
    names = subjects_by_name()
    keys = st.multiselect("Models on the same data", list(names), format_func=lambda key: names[key])
    if len(keys) < 2:
        st.caption("Choose two or more subjects with the same dataset; add models on the Subject page.")
        return None
    if not st.button(f"Compare these {len(keys)}", type="primary"):
        return None
    here, name = project(), f"{names[keys[0]]} and {len(keys) - 1} more.csv"

    def run(progress: Progress) -> str:
        """Runs the models that have not run yet."""
        subjects = [here.subject(key, progress) for key in keys]
        content = table_of_subjects(subjects, [here.inputs(key, progress) for key in keys])
        truth = TRUE_LABEL if any(subject.truth is not None for subject in subjects) else None
        return here.add_comparison(content, ComparisonChoice(name, truth, (), keys[0])).key

    return make_comparison(" ".join(keys), run)


def others_in_project(now: str | None) -> dict[str, str]:
    """The comparisons of the project but this one, key to name."""
    found = [entry for entry in project().entries() if entry.description == COMPARISON and entry.key != now]
    return distinct_names({entry.key: entry.name for entry in found})
