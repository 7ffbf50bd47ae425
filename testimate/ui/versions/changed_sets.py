"""A set with the labeled inputs of another subject and more: what each part's labels say, and labels for the new ones.

Whether this set looks like another one, and what that one's labels say about it under an assumption.
"""

from dataclasses import dataclass

import streamlit as st

from testimate.core.draw import Estimate
from testimate.core.errors import TestimateError
from testimate.core.subject import Subject
from testimate.core.words import counted, percent, percent_range, spaced
from testimate.planning.changed_sets import WIDE, By, Grown, alike_in_words, compare_sets, reweighted_in_words
from testimate.planning.estimate import Headline
from testimate.project.changed_sets import (
    LabeledPart,
    SameInputs,
    become_ordered_version,
    inputs_of_set,
    judged_parts,
    label_added,
    labeled_part,
    left_to_draw,
    same_in_another_order,
    sets_to_compare,
    state_of_parts,
    weighted_labels,
)
from testimate.reports.version_words import ends_of
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.navigation import go
from testimate.ui.other_models import carry_out
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import LABEL, VERSIONS

PROPOSED = 60
"""Labels of the new inputs that are proposed."""


@dataclass(frozen=True, eq=False)
class FoundElsewhere:
    """Other subjects' labeled inputs among this one's: in a set that grew, or all of them in another order."""

    part: LabeledPart | None
    same: SameInputs | None


def found_elsewhere(subject: Subject) -> FoundElsewhere:
    """What was found; searched again only after a new label, session or subject."""
    place = st.empty()  # drawn even if nothing is searched, so that what follows keeps its place
    events = tuple((one.id, project().store.count(one.id)) for one in project().sessions())
    state = subject.key, events, len(project().entries())
    kept: tuple[object, FoundElsewhere] | None = st.session_state.get("found elsewhere")
    if kept is None or kept[0] != state:
        with place, st.spinner("Looking for these inputs in other subjects …", show_time=True):
            found = FoundElsewhere(labeled_part(project(), subject.key), same_in_another_order(project(), subject.key))
        kept = st.session_state["found elsewhere"] = state, found
    return kept[1]


def grown_set(subject: Subject) -> bool:
    """The section; nothing if this set has no labeled subject's inputs. Returns whether it has numbers."""
    part = found_elsewhere(subject).part
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
            f"{counted(len(part.places), 'input')} of these are those of {part.name!r}, {spaced(part.labeled)} of "
            f"them labeled; {counted(len(part.added), 'input')} {'is' if len(part.added) == 1 else 'are'} new. Labels "
            "of the old ones say nothing about the new ones."
        )
    )
    try:
        found = known_parts(subject, part)
    except TestimateError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return False
    st.dataframe(rows_of(found), hide_index=True, placeholder=UNKNOWN)
    if found.why:
        st.caption(escape_markdown(found.why))
    label_more(subject, part)
    return found.old is not None or found.added is not None


def in_another_order(subject: Subject) -> None:
    """If these are a labeled subject's inputs in another order, says so and offers to make this a version of it."""
    same = found_elsewhere(subject).same
    if same is None:
        return
    st.info(
        escape_markdown(
            f"These are the inputs of {same.name!r} in another order. As a version of it, its predictions are put "
            "into that order and judged by those labels; the subject in its present form is removed."
        ),
        icon=":material/history:",
    )
    if st.button("Make it a version", icon=":material/history:", key="ordered version"):
        made: list[Subject] = []
        carry_out(lambda: made.append(become_ordered_version(project(), subject.key, same)), again=False)
        if made:
            go(VERSIONS, subject=made[0].key)


def known_parts(subject: Subject, part: LabeledPart) -> Grown:
    """What the labels say; computed again only after a new label."""
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


WEIGHTED_BY: dict[By, str] = {"confidence": "Confidence", "class": "Predicted class"}

SEED = 1
"""Seed of the compared rows and the shuffles, so that the same sets give the same answer."""


def other_sets(subject: Subject) -> None:
    """The section; nothing if there is no other set."""
    sets = sets_to_compare(project(), subject.key)
    if not sets:
        return
    with st.expander("Does this set look like another one?", icon=":material/compare_arrows:"):
        st.caption(
            "Compared by what is known about both: features, confidence, predicted classes. Selectors that learn from the "
            "training set (SSOA) expect it to look like this one; labels of another set may be weighted to this one's mix."
        )
        other = st.selectbox("The other set", list(sets), format_func=sets.__getitem__, key="other set", width=420)
        if not st.toggle("Compare", key="compare sets"):
            return
        try:
            compared(subject, other)
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


def compared(subject: Subject, other: str) -> None:
    """The tests of one other set, and the accuracy by its labels."""
    first, second = inputs_of_set(project(), subject.key, other), project().inputs(subject.key)
    with st.spinner("Comparing …"):
        tests = compare_sets(first, second, seed=SEED)
    st.markdown(f"**{escape_markdown(alike_in_words(tests))}**")
    st.dataframe(
        [
            {
                "Compared in": one.what,
                "Distance": f"{one.found.statistic:.3f}",
                "p-value, corrected": "below 0.001" if one.corrected < 0.001 else f"{one.corrected:.3f}",
                "Differs": "yes" if one.differs else "not shown",
            }
            for one in tests
        ],
        hide_index=True,
    )
    weighting(subject, other)


def weighting(subject: Subject, other: str) -> None:
    """The accuracy by the other set's labels, if it has a plan with some, and what that assumes."""
    if weighted_labels(project(), subject.key, other, "confidence") is None:
        st.caption("The other set has no plan with labels that could be weighted.")
        return
    by = st.segmented_control(
        "Weight the other set's labels by",
        list(WEIGHTED_BY),
        default="confidence",
        required=True,
        format_func=WEIGHTED_BY.__getitem__,
    )
    weighted = weighted_labels(project(), subject.key, other, by)
    assert weighted is not None, "as for the other way to weight them"
    found = weighted()
    st.markdown(escape_markdown(reweighted_in_words(found)))
    st.info(found.assumes, icon=":material/info:")
    if found.cautious:
        st.caption(WIDE)
    with st.expander("The shares by which labels are weighted"):
        columns = (found.kinds.names, found.kinds.old, found.kinds.new)
        st.dataframe(
            [
                {"Inputs": name, "Labeled set": percent(old), "This set": percent(new)}
                for name, old, new in zip(*columns, strict=True)
                if old or new
            ],
            hide_index=True,
        )
