"""The first screen: what this is for, the demos, your own table or model, and earlier sessions."""

from typing import Literal

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.session_record import SessionRecord
from testimate.core.words import counted
from testimate.demos.catalog import strip_of
from testimate.project.deleted import delete_subject
from testimate.project.files import ProjectFile, holds_table, project_files
from testimate.project.subjects import SubjectEntry
from testimate.project.versions import Family, FamilyMember, families
from testimate.tables.kinds import TABLE_KINDS
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, remarks_on_its_place
from testimate.ui.member import present_member
from testimate.ui.navigation import forget, go, start_default
from testimate.ui.pages import LABEL, SUBJECT, VERSIONS
from testimate.ui.sessions import distinct_names, shift_dial
from testimate.ui.subject.dropped_files import drop_area, dropped, take_table
from testimate.ui.subject.session_list import ALL, PARAMETER, all_sessions, sessions_begun
from testimate.ui.tour import first_demo, show_me_around


def welcome() -> None:
    """The first screen: what this is for, the demos, your own table, and earlier sessions."""
    if st.query_params.get(PARAMETER) == ALL:
        all_sessions(project().sessions())
        return
    if dropped().data is not None:
        from testimate.ui.subject.import_page import import_page  # PyArrow, which the first screen need not wait for

        import_page(dropped())
        return
    st.title("How accurate is your model? Label a few inputs to find out.")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(
            "You get its accuracy on all inputs, with a 95% interval, and the faults you found.",
            width="content",
        )
        show_me_around()
    for remark in remarks_on_its_place():
        st.warning(escape_markdown(remark), icon=":material/warning:")
    sessions = project().sessions()
    sessions_begun(sessions)
    if added := families(project()):
        st.subheader("Your test sets", anchor=False)
        for family in added:
            family_rows(family, sessions)
    st.subheader("Test your own model", anchor=False)
    upload()
    st.subheader("Try a demo", anchor=False)
    with st.container(horizontal=True, gap="small", key="demos"):
        for entry in project().entries():
            if entry.demo:
                demo_card(entry, sessions, first=not sessions and entry.key == first_demo())
    with st.expander("Advanced", icon=":material/tune:"):
        bring_model()


CARD = 224
"""Pixels of a demo's card: five of them stand in a row of 1,216."""


def demo_card(entry: SubjectEntry, sessions: list[SessionRecord], *, first: bool) -> None:
    """One demo: a click opens it, plans it with the default technique and lands on Label.

    ``first`` : whether its button is the page's main button, of which there is one.
    """
    with st.container(border=True, key=f"card {entry.key}", gap="xsmall", width=CARD):
        st.image(strip_of(entry.key), width="stretch", alt=f"A few inputs of the demo {entry.name.lower()}")
        st.markdown(f"**{entry.name}**", help=entry.description)
        key = shift_dial(entry.key, place="card")
        of_demo = [record for record in sessions if record.subject == key]
        with st.container(horizontal=True):
            if of_demo and st.button("Continue labeling", key=f"go on {entry.key}", icon=":material/resume:"):
                go(LABEL, subject=key, session=of_demo[0].id)
            label = "Start labeling" if not of_demo else "Start a new session"
            kind: Literal["primary", "secondary"] = "primary" if first else "secondary"
            if st.button(label, key=f"demo {entry.key}", type=kind, icon=":material/play_arrow:"):
                start_default(key)
            if st.button("Explore first", key=f"look {entry.key}", type="tertiary"):
                go(SUBJECT, subject=key)


def upload() -> None:
    """The fields for a prediction table and the files of its rows: the model stays where it is."""
    with st.container(border=True):
        drop_area()
        if dropped().inputs:
            st.info(f"{escape_markdown(dropped().inputs)}. Now choose the table.", icon=":material/table:")
        large_table()
        with st.expander("What the table needs"):
            st.markdown(
                f"One row per input, with a column **prediction** and, ideally, **confidence**. {TABLE_KINDS}. Logs of "
                "tools that evaluate language models open as they are. Drop the pictures, sounds or texts too, to see them "
                "while you label.\n\n"
                "- `prediction` (or `SUT`): the predicted class, or a number for a regression\n"
                "- `confidence`: probability of the predicted class, 0 to 1; or `p_0` … `p_9` or `p_cat`, one per class\n"
                "- `image`, `audio` or `file`: the file that the row is about; or `text`: the text itself\n"
                "- any other number that predicts failure, such as `dsa` (larger means more likely), not shown to testers\n"
                "- `output` in place of a prediction, with `input` and, ideally, `reference`: outputs to grade\n"
                "- `label`: the true answer of every row, if you know it; or `outcome`: Pass / Fail\n\n"
                "You check the columns after the upload. Boxes of a detector open too, as COCO JSON or "
                "a zip of YOLO text files. So does a Hugging Face dataset with a column `prediction`: zip its Parquet files, "
                "or the folder that `save_to_disk` wrote."
            )


def large_table() -> None:
    """The way of a table that is too large for an upload."""
    limit = st.get_option("server.maxUploadSize")
    st.caption(f"More than {limit} MB? Save it as Parquet in the project's folder `datasets`, and choose it here.")
    folder = folder_in_project()
    if folder is not None:
        take_table(folder.name, folder.path, str(folder.path))
        st.rerun()


def folder_in_project() -> ProjectFile | None:
    """A Parquet file or a Hugging Face dataset in the project's folder of datasets, if there is one and it is chosen."""
    folders = {str(one.path): one for one in project_files(project().folder, "dataset") if holds_table(one.path)}
    if not folders:
        return None
    picked = st.selectbox(
        "A Parquet file or a Hugging Face dataset in this project",
        list(folders),
        index=None,
        format_func=distinct_names({path: folder.name for path, folder in folders.items()}).__getitem__,
        placeholder="or choose a Parquet file or a Hugging Face dataset in this project",
        label_visibility="collapsed",
        key="table folder",
    )
    return folders[picked] if picked else None


def bring_model() -> None:
    """The button that leads to the upload of a model and a dataset."""
    with st.container(border=True):
        st.write(
            "**Run a model here.** Upload a model (ONNX, Keras, PyTorch weights or safetensors) and its test data: pictures, "
            "texts, sounds or tables. You also get clusters."
        )
        if st.button("Upload a model", icon=":material/upload_file:"):
            st.query_params["add"] = "own"
            st.rerun()


def family_rows(family: Family, sessions: list[SessionRecord]) -> None:
    """The subjects on the same inputs: a single one as a line, several as numbered lines below their name."""
    if len(family.members) == 1:
        [one] = family.members
        entry_row(one, sessions, f"{one.name} · {one.entry.description.lower()}")
        return
    with st.container(border=True, gap="xsmall", key=f"family {family.members[0].entry.key}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            count = counted(len(family.members), "version")
            st.markdown(f"**{escape_markdown(family.name)}** · {count} on the same inputs", width="content")
            if st.button("Versions", key=f"versions {family.members[0].entry.key}", icon=":material/history:"):
                go(VERSIONS, subject=family.members[-1].entry.key)
        for place, one in enumerate(family.members, start=1):
            entry_row(one, sessions, f"{place}. {one.name}")


def entry_row(one: FamilyMember, sessions: list[SessionRecord], words: str) -> None:
    """One subject of the project, in these words."""
    entry = one.entry
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Open", key=f"open {entry.key}"):
            go(SUBJECT, subject=entry.key)
        st.text(words)
        if present_member().leads and not entry.demo:
            delete(entry, sum(record.subject == entry.key for record in sessions))


def delete(entry: SubjectEntry, sessions: int) -> None:
    """Deletes a subject and its sessions after a confirmation."""
    with st.popover("Delete", icon=":material/delete:", type="tertiary", key=f"delete {entry.key}"):
        lost = f" with its {counted(sessions, 'session')}" if sessions else ", which has no session"
        st.text(f"Delete {entry.name}{lost}? You can't undo this.")
        st.caption("Files that were uploaded for it stay in the project's folder.")
        labels_too = bool(sessions) and st.checkbox(
            "Forget its labels, too",
            key=f"delete labels {entry.key}",
            help="Leave this off to keep the labels. They apply again as soon as you add the same inputs, for "
            "example with a new version of the model.",
        )
        if not st.button("Delete for good", key=f"delete {entry.key} for good", type="primary"):
            return
        try:
            delete_subject(project(), entry.key, labels_too=labels_too)
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
            return
        forget("subject", "session")
        st.rerun()
