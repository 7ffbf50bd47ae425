"""A set that holds the labeled inputs of another subject and more: what each part's labels say, and labels of the new ones."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.estimate import Estimate
from testimate.core.rounding import percent, percent_range, spaced
from testimate.core.subject import Subject
from testimate.planning.grown_set import Grown
from testimate.planning.headline import Headline
from testimate.project.grown_sets import (
    LabeledPart,
    judged_parts,
    label_added,
    labeled_part,
    left_to_draw,
    state_of_parts,
)
from testimate.reports.plurals import counted
from testimate.reports.version_words import ends_of
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.location import go
from testimate.ui.pages import LABEL

PROPOSED = 60
"""Labels of the new inputs that are proposed."""


def grown_set(subject: Subject) -> bool:
    """The section; nothing where no labeled subject's inputs lie in this one's. Whether it has numbers."""
    with st.spinner("Looking for labeled inputs in this set …", show_time=True):
        part = labeled_part(project(), subject.key)
    if part is None:
        return False
    st.subheader("A set that grew", anchor=False)
    if part.gone:
        st.info(
            escape_markdown(
                f"{spaced(len(part.places) - part.gone)} of these inputs are those of {part.name!r}, but "
                f"{spaced(part.gone)} of its inputs are gone. Labels judge a set that grew where all of the old inputs are "
                "still there; below they may be weighted to this set's mix."
            ),
            icon=":material/info:",
        )
        return False
    st.markdown(
        escape_markdown(
            f"{counted(len(part.places), 'input')} of these are those of {part.name!r}, {spaced(part.labeled)} of them "
            f"labeled; {counted(len(part.added), 'input')} {'is' if len(part.added) == 1 else 'are'} new. Labels of the old "
            "ones say nothing of the new ones."
        )
    )
    try:
        found = known_parts(subject, part)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return False
    st.dataframe(rows_of(found), hide_index=True)
    if found.why:
        st.caption(escape_markdown(found.why))
    label_more(subject, part)
    return found.old is not None or found.added is not None


def known_parts(subject: Subject, part: LabeledPart) -> Grown:
    """What the labels say; computed again only when one came."""
    state = state_of_parts(project(), subject.key, part)
    kept: tuple[object, Grown] | None = st.session_state.get("parts judged")
    if kept is None or kept[0] != state:
        kept = st.session_state["parts judged"] = state, judged_parts(project(), subject.key, part)
    return kept[1]


def rows_of(found: Grown) -> list[dict[str, str]]:
    """A row of the table for each part, and one for all."""
    old, added = found.old, found.added
    parts: list[tuple[str, int, Estimate | None, Headline | None]] = [
        ("Old inputs", found.sizes[0], None if old is None else old.estimate, None if old is None else old.headline),
        (
            "New inputs",
            found.sizes[1],
            None if added is None else added.estimate,
            None if added is None else added.headline,
        ),
        ("All", sum(found.sizes), found.all, found.headline),
    ]
    rows = []
    for called, size, estimate, headline in parts:
        row = {"Part": called, "Inputs": spaced(size), "Labels": "–", "Accuracy": "–", "Interval": "–"}
        if estimate is not None:
            ends = ends_of(estimate, headline)
            stop_safe = " (stop-safe)" if headline == "always" else ""
            row |= {"Labels": spaced(estimate.labeled), "Accuracy": percent(estimate.accuracy)}
            row["Interval"] = "none that counts" if ends is None else percent_range(*ends) + stop_safe
        rows.append(row)
    return rows


def label_more(subject: Subject, part: LabeledPart) -> None:
    """How many of the new inputs to label, and the button that opens Label."""
    left = left_to_draw(project(), subject.key, part)
    if not left:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = int(
            st.number_input(
                "Labels of the new inputs", 1, left, min(PROPOSED, left), key=f"added {subject.key}", width=200
            )
        )
        if st.button(f"Label {spaced(wanted)} of the new inputs", icon=":material/label:", key="label added"):
            try:
                session = label_added(project(), subject.key, part, wanted)
            except TestimateError as error:
                st.error(escape_markdown(str(error)), icon=":material/error:")
                return
            go(LABEL, subject=subject.key, session=session.session_record.id)
