"""Manages versions: add one, name and order them, say which knew the labels, and bring labels from elsewhere."""

from datetime import UTC, datetime

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.subject import Subject
from testimate.core.words import counted
from testimate.project.kept_labels import import_labels
from testimate.project.version_records import LONGEST_NAME, VersionFacts
from testimate.project.versions import Version, add_version
from testimate.reports.votes_import import votes_from_csv
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import remember
from testimate.ui.other_models import carry_out, predictions_form

NOT_SEEN = (
    "Labels judge a version honestly only if it was neither trained on these inputs nor chosen by their labels. Tick those "
    "that were: they get no number."
)


def add(subject: Subject, *, opened: bool) -> None:
    """The form that adds a version from a model of the project or a table."""
    with st.expander("Add a version", icon=":material/add:", expanded=opened):
        st.caption("Its predictions for these very inputs. Nothing has to be labeled again.")
        made = predictions_form(subject, "version")
        name = st.text_input(
            "Name", max_chars=LONGEST_NAME, placeholder="the name of its file or model", key="version name"
        )
        if (
            st.button("Add this version", icon=":material/add:", disabled=made is None, key="add version")
            and made is not None
        ):
            chosen = made

            def added() -> None:
                version = add_version(project(), subject.key, chosen())
                facts = project().version_facts.of(version.key)
                project().version_facts.keep(version.key, VersionFacts(name.strip(), facts.place, facts.knew_labels))
                remember("subject", version.key)

            carry_out(added)


def names_and_order(versions: list[Version]) -> None:
    """A line for each version: its place, its name, and whether it knew the labels."""
    with st.expander("Names, order, and which of them knew the labels", icon=":material/edit:"):
        st.caption(NOT_SEEN)
        with st.form("versions", border=False):
            said = {}
            for place, one in enumerate(versions, start=1):
                columns = st.columns([1, 4, 3], vertical_alignment="bottom")
                at = columns[0].number_input("Place", 1, 999, place, key=f"place {one.key}")
                name = columns[1].text_input("Name", one.name, max_chars=LONGEST_NAME, key=f"name {one.key}")
                knew = columns[2].checkbox("Trained or chosen by these labels", one.knew_labels, key=f"knew {one.key}")
                said[one.key] = VersionFacts(name.strip(), int(at), knew)
            if st.form_submit_button("Keep"):
                for place, key in enumerate(sorted(said, key=lambda key: said[key].place), start=1):
                    project().version_facts.keep(key, VersionFacts(said[key].name, place, said[key].knew_labels))
                st.rerun()


def labels_from_elsewhere(subject: Subject) -> None:
    """Labels of another tool, which are compared with those given here and enter no estimate."""
    with st.expander("Labels from elsewhere", icon=":material/upload_file:"):
        st.caption(
            "A CSV file with the columns row and answer, as in the votes on Results. Their inputs were not drawn by a "
            "plan, so no estimate uses them; Versions shows how far they agree with the labels given here."
        )
        file = st.file_uploader(
            "Labels of another tool", ["csv"], key="labels from elsewhere", label_visibility="collapsed"
        )
        if file is None or not st.button("Take these labels"):
            return
        task = subject.task
        try:
            votes = votes_from_csv(file.getvalue(), task, file.name, lambda taken: st.toast(escape_markdown(taken)))
            answers = {vote.row: task.classes[vote.answer] for vote in votes if vote.answer is not None}
            beyond = max(answers, default=0)
            size = len(project().inputs(subject.key))
            if beyond >= size:
                st.error(
                    f"The file names row {beyond}; expected rows 0 to {size - 1}. Correct it.", icon=":material/error:"
                )
                return
            count = import_labels(
                project().known_labels,
                project().dataset_of(subject.key),
                answers,
                file.name,
                datetime.now(UTC).isoformat(timespec="seconds"),
            )
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
            return
        st.toast(f"{counted(count, 'label')} taken.")
        st.rerun()
