"""The files and the tolerance that a person gives at an upload, of a model or a table: uploaded, or of the project's folder."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.core.errors import BadInput, TestimateError
from testimate.models.description import ModelDescription
from testimate.models.facts import OUTPUT_KINDS
from testimate.models.known_networks import ARCHITECTURES
from testimate.project.files import FileKind, keep_upload, project_files
from testimate.tasks.regression import SaidTolerance, as_said, regression
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.sessions import distinct_names


def tolerance_field(place: DeltaGenerator, label: str, *, key: str, usual: str = "0.5, or 10%") -> SaidTolerance | None:
    """What was typed, a number or a percentage; None if it is empty or not a tolerance, and then a
    message says so. ``usual`` : the placeholder of the empty field.
    """
    said = place.text_input(
        label,
        key=key,
        placeholder=usual,
        help=explained(
            "fault",
            "A number in the unit of the predictions, or a percentage of the true number. If left empty: one standard "
            "deviation of the predictions.",
        ),
    )
    if not said.strip():
        return None
    try:
        return as_said(regression(said))
    except BadInput as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None


SHORT = 6
"""Characters of a fingerprint that tell two uploads of one name apart."""

WEIGHTS_ALONE = (".pt", ".pth", ".safetensors")


def chosen_file(kind: FileKind, title: str, taken: str, key: str, *, help: str | None = None) -> Path | None:
    """A file uploaded just now, or one of those in the project; None while nothing is chosen.

    ``taken`` : the formats, in words. ``help`` : on hover over the title. An upload becomes a file of the project and is
    chosen; the field for uploads is then empty again.
    """
    st.markdown(f"**{title}**", help=help)
    st.caption(taken)
    uploads = st.session_state.get(f"{key} uploads", 0)
    upload = f"{key} upload {uploads}"
    # any ending: the content decides what a file is, and a browser would only say "files are not allowed"
    st.file_uploader(title, key=upload, on_change=keep, args=(kind, key, upload), label_visibility="collapsed")
    if f"{key} refused" in st.session_state:
        st.error(escape_markdown(st.session_state[f"{key} refused"]), icon=":material/error:")
    files = {str(file.path): file for file in project_files(project().folder, kind)}
    names = {path: f"{file.name}{size_in_words(file.bytes)}" for path, file in files.items()}
    names = distinct_names(
        names, lambda path: Path(path).parent.name[:SHORT]
    )  # uploads are in folders named by content
    kept = st.session_state.get(f"{key} kept")
    picked = st.selectbox(
        f"{title}, in this project",
        list(files),
        index=list(files).index(kept) if kept in files else None,
        key=f"{key} {uploads}",  # a new field after an upload: the browser's message about the earlier one is out of date
        format_func=names.__getitem__,
        placeholder="or choose one in this project" if files else "none in this project yet",
        label_visibility="collapsed",
        disabled=not files,
    )
    st.session_state[f"{key} kept"] = picked  # another upload changes the list, and with it the field
    file = files.get(picked or "")  # never a path that a browser sent: only one of those listed
    return None if file is None else file.path


def keep(kind: FileKind, key: str, upload: str) -> None:
    """Keeps an upload in the project and chooses it, before the page is drawn again; an empty field takes its place."""
    file = st.session_state[upload]
    st.session_state.pop(f"{key} refused", None)
    if file is None:
        return
    try:
        keep_file(kind, key, file.name, file.getvalue())
    except TestimateError as error:
        st.session_state[f"{key} refused"] = str(error)


def keep_file(kind: FileKind, key: str, name: str, content: bytes) -> None:
    """Keeps a file in the project and chooses it in the field of that key; BadInput if it cannot be kept."""
    kept = keep_upload(project().folder, kind, name, content)
    st.session_state[f"{key} kept"] = str(kept.path)
    st.session_state[f"{key} uploads"] = st.session_state.get(f"{key} uploads", 0) + 1


def size_in_words(size: int | None) -> str:
    """A file's size after its name; folders have none."""
    if size is None:
        return ", folder"
    return f", {size / 1e6:.1f} MB" if size >= 1e6 else f", {max(1, round(size / 1e3))} kB"


def described_model(model: Path) -> tuple[ModelDescription, SaidTolerance | None]:
    """What only a person may know: what the output means, which network a file of bare weights is for, and a tolerance."""
    with st.expander("Correct how the model is read"):
        columns = st.columns(3)
        output = columns[0].selectbox(
            "The output means", [None, *OUTPUT_KINDS], format_func=lambda kind: kind or "as found", key="own output"
        )
        architecture = None
        if model.suffix.lower() in WEIGHTS_ALONE:
            architecture = columns[1].selectbox(
                "Network of the weights",
                [None, *ARCHITECTURES],
                format_func=lambda name: ARCHITECTURES[name].description if name else "as found",
                key="own architecture",
            )
        tolerance = tolerance_field(columns[2], "Tolerance (of a regression)", key="own tolerance")
    return ModelDescription(model, output=output, architecture=architecture), tolerance
