"""Versions of a model: what the labels say about each, how they are added and ordered, and a few more labels where they
help.

A set that holds the labeled inputs of another subject and more, or only looks like it, is judged by those labels, too.
"""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from testimate.charts.estimates import version_history
from testimate.core.draw import Estimate
from testimate.core.errors import TestimateError
from testimate.core.stored_record import time_now
from testimate.core.subject import Subject
from testimate.core.words import commas, counted, is_or_are, percent, percent_range
from testimate.planning.changed_sets import (
    WIDE,
    By,
    Grown,
    MovedClass,
    alike_in_words,
    compare_sets,
    reweighted_in_words,
)
from testimate.planning.estimate import Headline
from testimate.planning.top_up import Purpose
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
from testimate.project.kept_labels import import_labels
from testimate.project.subject_records import LONGEST_NAME, VersionFacts
from testimate.project.version_gate import is_gate_session
from testimate.project.version_history import NO_PLAN, History, JudgedVersion, classes_moved
from testimate.project.version_labels import is_top_up, start_top_up
from testimate.project.versions import Version, add_version
from testimate.reports.compared_models import (
    classes_in_words,
    ends_of,
    row_of,
    row_of_class,
    subtracted,
    summary,
    too_close,
    two_estimates,
    verdict,
)
from testimate.reports.votes_import import votes_from_csv, votes_known_outside
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_walls import how_many, more_button, shown_inputs, wall
from testimate.ui.navigation import go, remember
from testimate.ui.other_models import carry_out, predictions_form
from testimate.ui.page_head import UNKNOWN
from testimate.ui.pages import LABEL, PLAN, VERSIONS
from testimate.ui.sessions import moment
from testimate.ui.truth import truth_revealed

SHOWN = 24
"""Inputs of a wall at first."""

MANY = 5
"""With this many versions or more, the best of them looks better than it is by more than its interval says."""


def no_labels_yet(history: History) -> None:
    """Before the first labels: one sentence for all versions, and a way to them."""
    st.info(NO_PLAN, icon=":material/info:")
    if st.button("Plan the first labels", icon=":material/checklist:", type="primary"):
        go(PLAN, subject=history.versions[-1].version.key)


def headline(history: History, one: JudgedVersion | None) -> None:
    """The decision about a version in a sentence, and the labels that would make it while it is too close to call."""
    if one is None or one.reused is None:
        st.markdown("#### No version has a number yet.")
        return
    said = verdict(one, history.level) or (
        f"{one.version.name} has the first estimate. Add another version to compare."
        if not one.before
        else f"{one.version.name} can't be compared with {one.before}."
    )
    st.markdown(f"#### {escape_markdown(said)}")
    if why := subtracted(history, one):
        st.caption(escape_markdown(why))
    if one.before and one.reused.warning:
        st.caption(escape_markdown(one.reused.warning))
    if one.before and too_close(one):
        left = (one.reused.differing or 0) - (one.reused.differing_labeled or 0)
        ask(one, "difference", one.reused.how_to_tell, min(one.reused.labels_to_tell or FOR_DIFFERENCE, left), left)


def judged_versions(history: History, count: int) -> None:
    """The versions judged, of ``count``, each with its number or the sentence that says why it has none."""
    shown = history.versions
    if count > 1:
        st.caption(escape_markdown(summary(history, count)))
    beside = st.container(horizontal=True, gap="medium")  # one below the other if there is no room
    with beside, st.container(width=430):
        chart(shown)
    with beside, st.container(width=730):
        st.dataframe([row_of(one) for one in shown], hide_index=True, placeholder=UNKNOWN)
        if both := two_estimates(history):
            st.caption(escape_markdown(both))
        if count > 1:
            st.caption(
                "Each version is compared with the one before. Got worse and got better count labeled inputs only one of "
                "the two gets right.",
                help=explained("ordinary interval", "Differences are of accuracies, in percentage points."),
            )
        for one in shown:
            if one.why:
                st.info(escape_markdown(f"{one.version.name}: {one.why}"), icon=":material/info:")
        if sum(one.reused is not None for one in history.versions) >= MANY:
            st.caption("Of many versions, the best-looking one looks better than it is. Confirm it with fresh labels.")


def chart(shown: tuple[JudgedVersion, ...]) -> None:
    """The accuracy of each version with its interval, in their order."""
    ends = [ends_of(one.estimate, one.headline) for one in shown]
    figure = version_history(
        [one.version.name for one in shown],
        [np.nan if one.estimate is None else one.estimate.accuracy for one in shown],
        [np.nan if one is None else one[0] for one in ends],
        [np.nan if one is None else one[1] for one in ends],
        [one.truth if one.truth is not None and truth_revealed() else np.nan for one in shown],
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, key="version history", alt="The accuracy of each version with its interval")


def changed(history: History, one: JudgedVersion) -> None:
    """The labeled inputs that got worse, and those that got better, as pictures."""
    if not one.earlier:
        return
    for what, rows in (("worse", one.worse), ("better", one.better)):
        st.subheader(f"What got {what}", anchor=False)
        if not rows:
            st.caption(f"No labeled input got {what}.")
            continue
        who = (one.before, one.version.name) if what == "worse" else (one.version.name, one.before)
        these = "it" if len(rows) == 1 else "them"
        words = f"{counted(len(rows), 'labeled input')}: {who[0]} gets {these} right and {who[1]} does not."
        st.caption(escape_markdown(words))
        subject, inputs = project().subject(one.version.key), project().inputs(one.version.key)
        losses = np.full(len(inputs), np.nan)
        losses[list(rows)] = 1.0 if what == "worse" else 0.0
        name = f"got {what} {one.version.key}"
        count = how_many(name, SHOWN)
        why = {row: f"it is {history.labels[row].answer}" for row in rows}
        wall(
            shown_inputs(rows[:count], subject, inputs, why=why, losses=losses),
            key=name,
            label=f"Inputs that got {what}",
        )
        more_button(name, count, len(rows), SHOWN)


def by_class(history: History, one: JudgedVersion) -> None:
    """Accuracy by predicted class under this version and the one before, and which classes moved."""
    if not one.earlier:
        return
    state = one.version, one.earlier, tuple(plan.votes for plan in history.plans)
    kept: tuple[object, list[MovedClass]] | None = st.session_state.get("classes moved")
    if kept is None or kept[0] != state:
        kept = st.session_state["classes moved"] = state, classes_moved(project(), history, one)
    moved = kept[1]
    if not moved:
        return
    st.markdown(escape_markdown(classes_in_words(moved, one.version.name, one.before)))
    st.dataframe(
        [row_of_class(each) for each in moved],
        hide_index=True,
        placeholder=UNKNOWN,
        column_config={"Change": st.column_config.TextColumn(width="medium")},
    )
    st.caption(
        "Of the inputs that a version predicts as a class, the share that belong to it, the largest drop first. The ranges "
        "of the changes are valid for all classes at once, for labels planned in advance.",
        help=explained("ordinary interval", "Changes are in percentage points."),
    )


NOT_SEEN = (
    "Tick any version that was trained on these inputs or chosen with these labels. It gets no estimate, because the labels "
    "would flatter it."
)


def add(subject: Subject, *, opened: bool) -> None:
    """The form that adds a version from a model of the project or a table: at once if ``opened``, else behind a button."""
    with st.container(border=True) if opened else st.popover("Add a version", icon=":material/add:", type="primary"):
        if opened:
            st.markdown("**Add a version**")
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
    with st.expander("Manage versions", icon=":material/edit:"):
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
            "A CSV file with the columns answer and row, or a key of the table. No plan drew their inputs, so no "
            "estimate uses them. You see here how far they agree with your labels."
        )
        file = st.file_uploader(
            "Labels of another tool", ["csv"], key="labels from elsewhere", label_visibility="collapsed"
        )
        if file is None or not st.button("Take these labels"):
            return
        task = subject.task
        try:

            def tell(taken: str) -> None:
                st.toast(escape_markdown(taken))

            on = project().columns.voted_on(subject.key)
            votes = votes_from_csv(file.getvalue(), task, file.name, tell, on=on)
            votes = votes_known_outside(votes, task, file.name, tell)
            if any(vote.kind == "codes" for vote in votes):
                tell("The failure codes are left out: they belong to the labels of a plan.")
            answers = {
                vote.row: task.answer_text(vote.answer, in_full=True) for vote in votes if vote.answer is not None
            }
            beyond = max(answers, default=0)
            if beyond >= on.size:
                st.error(
                    f"The file names row {beyond}. Expected rows 0 to {on.size - 1}. Correct it.",
                    icon=":material/error:",
                )
                return
            count = import_labels(
                project().known_labels,
                project().dataset_of(subject.key),
                answers,
                file.name,
                time_now(),
            )
        except TestimateError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
            return
        st.toast(f"{counted(count, 'label')} taken.")
        st.rerun()


FOR_DIFFERENCE, FOR_ACCURACY = 20, 10
"""Labels proposed, of a difference where the labels so far do not say how many it takes."""


def begun_top_ups(one: JudgedVersion) -> None:
    """The labels for a version that were started before, each with a way to go on."""
    for record in project().sessions():
        if record.subject == one.version.key and is_top_up(record) and not is_gate_session(record):
            session = project().session(record.id)
            session.refresh()
            if not session.finished:
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(
                        f"Started {moment(record.created)}: {session.counts().done} of {session.planned} labeled.",
                        width="content",
                    )
                    if st.button("Continue", key=f"continue {record.id}", type="primary"):
                        go(LABEL, subject=record.subject, session=record.id)


def more_labels(history: History, one: JudgedVersion) -> None:
    """More labels for a version's accuracy, and for its difference from the one before where that is decided."""
    if one.reused is None:
        return
    with st.expander("A few more labels", icon=":material/label:"):
        if one.before and not too_close(one):
            left = (one.reused.differing or 0) - (one.reused.differing_labeled or 0)
            question = (
                f"How far apart are {one.version.name} and {one.before}? They differ on "
                f"{counted(left, 'input')} without a label."
            )
            ask(one, "difference", question, min(FOR_DIFFERENCE, left), left)
        size = len(project().inputs(one.version.key)) - len(history.labels)
        question = f"How accurate is {one.version.name}?"
        ask(one, "accuracy", question, min(FOR_ACCURACY, size), size)


def ask(one: JudgedVersion, purpose: Purpose, question: str, count: int, most: int) -> None:
    """One kind: what they are for, how many labels, and the button."""
    if question:
        st.markdown(escape_markdown(question))
    if most < 2:
        st.caption("Nothing is left to label for it.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = int(
            st.number_input(
                f"Labels for the {purpose}",
                2,
                most,
                max(count, 2),
                key=f"top-up {purpose} {one.version.key}",
                width=180,
            )
        )
        where = "where they differ" if purpose == "difference" else "more"
        if st.button(f"Label {wanted} {where}", icon=":material/label:", key=f"start {purpose}"):
            try:
                with st.spinner("Choosing the inputs …"):
                    session = start_top_up(project(), one.version.key, purpose, wanted)
            except TestimateError as error:
                st.error(escape_markdown(str(error)), icon=":material/error:")
                return
            go(LABEL, subject=one.version.key, session=session.session_record.id)


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
        with place, st.spinner("Looking for these inputs in other test sets …", show_time=True):
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
                f"{commas(len(part.places) - part.gone)} of these inputs are those of {part.name!r}, but "
                f"{commas(part.gone)} of its inputs are gone. Labels measure a set that grew only if all of the old inputs "
                "are still there. Below, you can weight them to this set's mix."
            ),
            icon=":material/info:",
        )
        return False
    st.markdown(
        escape_markdown(
            f"{commas(len(part.places))} of these inputs come from {part.name!r}, and {commas(part.labeled)} of them are "
            f"labeled. {counted(len(part.added), 'input')} {is_or_are(len(part.added))} new. Labels of the old ones say "
            "nothing about the new ones."
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
            f"These are the inputs of {same.name!r} in another order. Make this a version of it to put the predictions into "
            "that order and measure them with those labels. The test set in its present form is removed."
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
        row = {"Part": called, "Inputs": commas(size), "Labels": "–", "Accuracy": "–", "Interval": "–"}
        if estimate is not None:
            ends = ends_of(estimate, headline)
            stop_safe = " (stop-safe)" if headline == "always" else ""
            row |= {"Labels": commas(estimate.labeled), "Accuracy": percent(estimate.accuracy)}
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
        if st.button(f"Label {commas(wanted)} of the new inputs", icon=":material/label:", key="label added"):
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
            "training set (SSOA) expect it to look like this one. You can weight labels of another set to this one's mix."
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
