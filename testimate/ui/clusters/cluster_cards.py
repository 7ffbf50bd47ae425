"""The clusters as cards and as a table: what represents each, what it represents badly, and what a reviewer says about it.

Two of them side by side show where they differ. The inputs that belong to none, the minority space, are in groups of
similar ones, or on one wall, the most outlying first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.subject import Shown, Subject
from testimate.core.words import commas, counted, percent
from testimate.labels.notes import LONGEST_NOTE, ClusterNote
from testimate.project.cluster_names import automatic_names
from testimate.project.cluster_review import CardNote, called, naming_traits, write_note
from testimate.project.cluster_settings import settings_of
from testimate.project.clusters import ClusterCard, ClusterView, MinorityGroup, minority_groups
from testimate.project.selections import EstimatedPart, LabeledCounts, estimated_parts, labeled_counts, largest_within
from testimate.reports.words import part_words
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.clusters.cluster_settings import choose, settings_words
from testimate.ui.clusters.selection import Picked, label_them, pick
from testimate.ui.components.linked_pictures.small_views import cluster_mark
from testimate.ui.components.spectrogram import spectrogram
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_dialog import closer_look_if_asked
from testimate.ui.input_walls import how_many, losses_known, more_button, shown_inputs, wall
from testimate.ui.member import present_member
from testimate.ui.page_head import UNKNOWN

REFUSED = "note refused"


def cluster_card(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
    more: Mapping[int, Sequence[str]],
) -> None:
    """The card of the cluster that was chosen."""
    card = chosen_card(view)
    with st.container(border=True, gap="small"):
        title(view, card, names_shown(view, subject, inputs, notes)[card.number], called(view, card.number, notes))
        words = f"{view.group.capitalize()} {card.number + 1}: {facts(card, inputs)}"
        st.markdown(escape_markdown(f"{words} {labeled_facts(card, subject, inputs, session)}".rstrip()))
        with st.container(horizontal=True, gap="small"):
            label_them(Picked(card.rows, called(view, card.number, notes)), subject, session, key="cluster")
            with st.popover("Rename", icon=":material/edit:"), st.container(width=NOTE):
                note_field(view, card, subject, notes.get(card.number))
        beware(notes.get(card.number))
        prototype_wall(card, subject, inputs, more, key="prototypes")
        criticism_wall(card, subject, inputs, more, key="criticisms")


NOTE = 420


@dataclass(frozen=True)
class ShownName:
    """What a cluster is called on the screen, untrusted text; ``automatic`` : it named itself."""

    text: str
    automatic: bool


DESCRIBED_AT_ONCE, READ_AT_ONCE = 2_000, 10_000
"""Inputs that are looked at for their properties, and texts that are read, while someone waits."""


def names_shown(
    view: ClusterView, subject: Subject, inputs: Inputs, notes: Mapping[int, CardNote]
) -> tuple[ShownName, ...]:
    """The names of the clusters: a note's first line, else one that the cluster gives itself, else its number."""
    key, tags = subject.key, project().columns.tags(subject.key)
    of = (view.fingerprint, tuple(sorted((name, hash(tuple(map(str, cells)))) for name, cells in tags.items())))
    kept = st.session_state.get(_NAMES)
    if kept is None or kept[0] != of:
        described = len(inputs) <= DESCRIBED_AT_ONCE or project().columns.has_descriptions(key)
        is_text = subject.dataset.modality == "text" and len(inputs) <= READ_AT_ONCE
        texts = [subject.dataset.show(row).text or "" for row in range(len(inputs))] if is_text else ()
        traits = naming_traits(project(), key, inputs, described)
        kept = st.session_state[_NAMES] = of, automatic_names(view.labels, inputs, traits, texts)
    return tuple(
        ShownName(notes[number].name, automatic=False)
        if number in notes
        else ShownName(own or f"{view.group.capitalize()} {number + 1}", automatic=bool(own))
        for number, own in enumerate(kept[1])
    )


_NAMES = "names of clusters"


def prototype_wall(
    card: ClusterCard, subject: Subject, inputs: Inputs, more: Mapping[int, Sequence[str]], *, key: str
) -> None:
    """The inputs that represent the cluster."""
    st.markdown("**Typical**", help=explained("prototype", "The inputs that represent the cluster best."))
    if card.sampled is not None:
        st.caption(card.sampled.words())
    why = {int(row): f"{place + 1}" for place, row in enumerate(card.prototypes)}
    wall(
        shown_inputs(card.prototypes, subject, inputs, why=why, more=more),
        plot="map",
        in_a_line=True,
        size=62,
        key=key,
        label=key.capitalize(),
    )


def criticism_wall(
    card: ClusterCard, subject: Subject, inputs: Inputs, more: Mapping[int, Sequence[str]], *, key: str
) -> None:
    """The inputs that the prototypes represent badly, in which way, each with the prototype nearest to it."""
    st.markdown(
        "**Poorly represented**", help=explained("criticism", "The inputs that the typical ones represent worst.")
    )
    if not len(card.criticisms):
        alone = len(card.rows) == len(card.prototypes)
        st.caption(
            "None: every input of it is a prototype."
            if alone
            else "None: every other input is nearly the same as a prototype."
        )
        return
    rarer = card.witness > 0
    for way, words in ((~rarer, "more common"), (rarer, "rarer")):
        places = np.flatnonzero(way)
        if not places.size:
            continue
        st.caption(
            f"{'Rarer' if words == 'more common' else 'More common'} than they look",
            help=f"Judged by the typical ones alone, inputs like these look {words} than they are.",
        )
        beside = card.prototypes[card.nearest[places]]
        why = {int(row): f"{place + 1}" for place, row in zip(places, card.criticisms[places], strict=True)}
        why |= {int(row): "nearest typical" for row in beside}
        name = f"{key} that look {words}"
        wall(
            shown_inputs(
                np.stack([card.criticisms[places], beside], axis=1).ravel(), subject, inputs, why=why, more=more
            ),
            plot="map",
            in_a_line=True,
            size=62,
            key=name,
            label=name.capitalize(),
        )


def title(view: ClusterView, card: ClusterCard, name: ShownName, how: str) -> None:
    """What the cluster is called, slanted if it named itself, a way to the next one, and to all of its inputs.

    ``how`` : what a selection of them is called.
    """
    count, words = len(view.cards), escape_markdown(name.text)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(f"*{words}*" if name.automatic else words, anchor=False, width="stretch")
        for step, icon in ((-1, ":material/chevron_left:"), (1, ":material/chevron_right:")):
            st.button(
                "",
                icon=icon,
                key=f"step {step}",
                help="Previous" if step < 0 else "Next",
                type="tertiary",
                on_click=choose_card,
                args=((card.number + step) % count,),
            )
        st.button("Select all", key="select cluster", type="tertiary", on_click=pick, args=(card.rows, how))


def facts(card: ClusterCard, inputs: Inputs) -> str:
    """What the cluster holds, in a sentence or two."""
    words = [counted(len(card.rows), "input")]
    if card.purity is not None and card.commonest is not None and inputs.task.classes:
        share = f"{percent(card.purity)} " if len(card.rows) > 1 else ""
        words.append(f"{share}predicted {inputs.task.classes[card.commonest]}")
    if card.mean_confidence is not None:
        words.append(f"mean confidence {percent(card.mean_confidence)}")
    text = ", ".join(words) + "."
    if card.mean_loss is None or inputs.losses is None:
        return text
    measure = inputs.task.measure
    if not measure.is_share:
        return f"{text} {percent(failing(card, inputs))} of them fail, {measure.title} {1 - card.mean_loss:.4g}, known here."
    return f"{text} Accuracy {percent(1 - card.mean_loss)}, known here."


def labeled_facts(card: ClusterCard, subject: Subject, inputs: Inputs, session: Session | None) -> str:
    """What testers' labels say about the cluster: how many are right, and its estimate where some were drawn from it."""
    found = losses_known(inputs, session)[card.rows]
    found = found[np.isfinite(found)]
    words = ""
    if len(found):
        right = len(found) - int(inputs.task.failed(found).sum())
        words = f"{commas(len(found))} labeled, {commas(right)} right."
    part = largest_within(estimated_parts(project(), subject.key), card.rows)
    return (
        words if part is None else f"{words} {part_words(part.estimate, inputs.task.measure, len(part.rows))}".strip()
    )


def note_field(view: ClusterView, card: ClusterCard, subject: Subject, note: CardNote | None) -> None:
    """What a reviewer says the cluster is; kept in the project."""
    name = f"note {view.fingerprint} {card.number}"

    def keep() -> None:
        text = str(st.session_state[name])
        try:
            write_note(project().cluster_notes, view, card, text, subject=subject.key, tester=present_member().name)
        except TestimateError as error:
            st.session_state[REFUSED] = str(error)

    with st.form(f"form {name}", border=False):
        st.text_area(
            "What is this cluster?",
            value="" if note is None else note.text,
            max_chars=LONGEST_NOTE,
            height=96,
            key=name,
            placeholder="First line: a name. Below: notes.",
        )
        st.form_submit_button("Save note", type="primary", on_click=keep)
    refused = st.session_state.pop(REFUSED, "")
    if refused:
        st.error(escape_markdown(refused), icon=":material/error:")
    if note is not None:
        st.caption(escape_markdown(f"✓ saved {when(note.note.at)} by {note.note.tester}."))


def beware(note: CardNote | None) -> None:
    """Shows what a reviewer wrote below the name, and warns if the cluster no longer holds those inputs."""
    if note is None:
        return
    if below := note.text.strip().partition("\n")[2].strip():
        st.caption(escape_markdown(below))
    if note.beware:
        st.warning(escape_markdown(note.beware), icon=":material/warning:")


def when(at: str) -> str:
    """A time as people read it.

    >>> when("2026-11-20T10:05:07+00:00")
    '2026-11-20 10:05 UTC'
    """
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M} UTC"


def other_notes(subject: Subject, notes: Sequence[ClusterNote]) -> None:
    """Notes on clusters of other settings, and the way to them."""
    if not notes:
        return
    with st.expander(f"Notes on clusters of other settings ({len(notes)})", icon=":material/sticky_note_2:"):
        for place, note in enumerate(notes):
            settings = settings_of(note.settings)
            left, right = st.columns([6, 1], vertical_alignment="center")
            left.markdown(
                escape_markdown(f"Cluster {note.cluster + 1} ({commas(note.size)} inputs): {note.text}")
                + f"  \n:small[{escape_markdown(settings_words(settings))}]"
            )
            if right.button("Open", key=f"open note {place}", width="stretch"):
                choose(subject, settings)
                choose_card(note.cluster)
                st.rerun()


ORDERS = ("least sure first", "by number", "largest first", "least pure first", "least accurate first")
CHOSEN = "cluster chosen"
ROW = 38
"""Height of a row of the table in pixels."""


def ordered(view: ClusterView, order: str) -> list[ClusterCard]:
    """The cards in that order; those without that number come last, in the order of their numbers."""

    def key(card: ClusterCard) -> tuple[bool, float]:
        by = {
            "least sure first": card.mean_confidence,
            "largest first": -len(card.rows),
            "least pure first": card.purity,
            "least accurate first": None if card.mean_loss is None else -card.mean_loss,
        }.get(order, card.number)
        return by is None, 0.0 if by is None else float(by)

    return sorted(view.cards, key=key)


def orders(inputs: Inputs) -> list[str]:
    """The orders that these inputs allow."""
    lacking = set()
    if inputs.confidence is None:
        lacking.add("least sure first")
    if not inputs.single_class:
        lacking.add("least pure first")
    if inputs.losses is None:
        lacking.add("least accurate first")
    return [order for order in ORDERS if order not in lacking]


def chosen_card(view: ClusterView) -> ClusterCard:
    """The card that was chosen; the first of the order where none was, or where there are fewer now."""
    number = st.session_state.get(CHOSEN)
    if isinstance(number, int) and number < len(view.cards):
        return view.cards[number]
    return ordered(view, st.session_state.get("cluster order", ORDERS[0]))[0]


def choose_card(number: int) -> None:
    """Chooses a card by its number."""
    st.session_state[CHOSEN] = number


def cluster_table(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: dict[int, CardNote],
    *,
    height: int,
) -> None:
    """The table; a row that is clicked is the cluster chosen."""
    order = st.selectbox("Order", orders(inputs), key="cluster order")
    cards = ordered(view, order)
    key = f"clusters of {view.fingerprint} {order}"

    def picked() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            choose_card(cards[rows[0]].number)

    names = names_shown(view, subject, inputs, notes)
    counts = labeled_counts(view.labels, len(view.cards), inputs.task, losses_known(inputs, session))
    parts = estimated_parts(project(), subject.key)
    rows = [
        row_of(card, view, subject, inputs, names[card.number]) | labels_of(card, counts, parts, inputs)
        for card in cards
    ]
    columns: dict[str, Any] = {
        "look": st.column_config.ImageColumn("", width=136, help="Its mark on the map and three prototypes."),
        "number": st.column_config.NumberColumn("no.", width=38, help=f"Number of the {view.group}."),
        "name": st.column_config.TextColumn("name", width=150, help="The first line of its note, else its own name."),
        "inputs": st.column_config.NumberColumn("inputs", format="localized", width=56),
        "predicted": st.column_config.TextColumn(
            "predicted", width=92, help="Its commonest predicted class, its share."
        ),
        "confidence": st.column_config.NumberColumn("confidence", format="%.1f%%", width=78, help="Mean confidence."),
        "labels": st.column_config.TextColumn("right", width=70, help="Of those labeled: a count, no estimate."),
        "estimate": st.column_config.TextColumn(
            "estimated", width=130, help="From labels drawn within the cluster, by Select all and Label 20 of these."
        ),
        "accuracy": st.column_config.NumberColumn("accuracy", format="%.1f%%", width=70, help="Known here."),
        "failing": st.column_config.NumberColumn(
            "failing", format="%.1f%%", width=70, help=explained("fault", "Share of its inputs, known here.")
        ),
        "squared": st.column_config.NumberColumn("1 - MSE", format="%.4g", width=70, help="Known here."),
    }
    table = pd.DataFrame(rows).dropna(axis=1, how="all")
    st.dataframe(
        table,
        column_config=columns,
        hide_index=True,
        on_select=picked,
        selection_mode="single-row",
        key=key,
        row_height=ROW,
        height=min(height, ROW * (len(rows) + 1) + 2),
        placeholder=UNKNOWN,
    )


def labels_of(
    card: ClusterCard, counts: LabeledCounts, parts: list[EstimatedPart], inputs: Inputs
) -> dict[str, str | None]:
    """What the labels say about a card, in the table; None where there are none."""
    labeled, right = int(counts.labeled[card.number]), int(counts.right[card.number])
    part, estimate = largest_within(parts, card.rows), None
    if part is not None:
        measure = inputs.task.measure
        estimate = measure.value(part.estimate.accuracy)
        if part.estimate.low is not None and part.estimate.high is not None:
            estimate += f" ({measure.range(part.estimate.low, part.estimate.high)})"
    return {"labels": f"{commas(right)} of {commas(labeled)}" if labeled else None, "estimate": estimate}


def row_of(card: ClusterCard, view: ClusterView, subject: Subject, inputs: Inputs, name: ShownName) -> dict[str, Any]:
    """What the table says about a card; None where it is not known."""
    predicted, numbers = None, inputs.task.numeric
    if card.commonest is not None and card.purity is not None and inputs.task.one_class:
        predicted = f"{inputs.task.classes[card.commonest]} · {percent(card.purity)}"
    known = card.mean_loss if inputs.losses is not None else None
    return {
        "look": look(view.fingerprint, card, subject, dark=dark()),
        "number": card.number + 1,
        "name": name.text,
        "inputs": len(card.rows),
        "predicted": predicted,
        "confidence": None if card.mean_confidence is None else 100 * card.mean_confidence,
        "accuracy": None if known is None or numbers else 100 * (1 - known),
        "failing": 100 * failing(card, inputs) if numbers and known is not None else None,
        "squared": 1 - known if known is not None and numbers else None,
    }


def failing(card: ClusterCard, inputs: Inputs) -> float:
    """Share of the card's inputs that fail, 0..1, where the truth is known."""
    assert inputs.losses is not None, "asked for only where the truth is known"
    return float(inputs.task.failed(inputs.losses[card.rows]).mean())


def seen(shown: Shown) -> bytes | None:
    """The picture of an input, or a sound's spectrogram; None for text and table rows."""
    if shown.audio is not None:
        drawn = spectrogram(shown.audio)
        return None if drawn is None else drawn.small()
    return shown.image


def look(fingerprint: str, card: ClusterCard, subject: Subject, *, dark: bool) -> str:
    """The mark and three prototypes in one picture, drawn once."""
    kept = st.session_state.setdefault("cluster looks", {})
    name = (fingerprint, card.number, dark)
    if name not in kept:
        pictures = [seen(subject.dataset.show(int(row))) for row in card.prototypes[:3]]
        kept[name] = cluster_mark(card.number, [picture for picture in pictures if picture], dark=dark)
    return str(kept[name])


MOST_CLASSES = 10


@st.fragment
@errors_in_words
def two_clusters(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
    reasons: Callable[[Sequence[int]], Mapping[int, tuple[str, ...]]],
) -> None:
    """Shows the two chosen clusters, at first the two that are nearest to each other; ``reasons`` says why rows are shown."""
    st.subheader("Two side by side", anchor=False)
    first, second = nearest_pair(view)
    with st.container(border=True):
        columns = st.columns(2, gap="large")
        cards: list[ClusterCard] = []
        why: dict[int, tuple[str, ...]] = {}
        for column, at_first, side in zip(columns, (first, second), ("left", "right"), strict=True):
            with column:
                number = st.selectbox(
                    f"The one on the {side}",
                    range(len(view.cards)),
                    at_first,
                    format_func=lambda number: named(view, number, notes),
                    key=f"{side} of two, {view.fingerprint}",
                    label_visibility="collapsed",
                )
                card = view.cards[number]
                cards.append(card)
                why |= reasons([*map(int, (*card.prototypes, *card.criticisms))])
                st.markdown(escape_markdown(facts(card, inputs)))
                prototype_wall(card, subject, inputs, why, key=f"{side} prototypes")
                criticism_wall(card, subject, inputs, why, key=f"{side} criticisms")
        predicted_in_both(cards, view, inputs, notes)
    closer_look_if_asked(subject, inputs, session, why)


def named(view: ClusterView, number: int, notes: Mapping[int, CardNote]) -> str:
    """A cluster as it appears in a list."""
    words = called(view, number, notes)
    return f"{words[:1].upper()}{words[1:]} ({commas(len(view.cards[number].rows))})"


def nearest_pair(view: ClusterView) -> tuple[int, int]:
    """The two cards whose means are nearest in the space that was clustered."""
    space = view.clustering.space
    means = np.stack([space[card.rows].mean(axis=0, dtype=np.float64) for card in view.cards])  # (clusters, d)
    apart = np.linalg.norm(means[:, None] - means[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    first, second = np.unravel_index(apart.argmin(), apart.shape)
    return int(first), int(second)


def predicted_in_both(
    cards: Sequence[ClusterCard], view: ClusterView, inputs: Inputs, notes: Mapping[int, CardNote]
) -> None:
    """What the inputs of each are predicted as, in a table; nothing if there are no classes."""
    task = inputs.task
    if cards[0] is cards[1]:
        st.caption(f"Both sides show the same {view.group}: choose another one on one side.")
        return
    if not inputs.single_class:
        return
    shares = np.stack(
        [np.bincount(inputs.predictions[card.rows], minlength=len(task.classes)) / len(card.rows) for card in cards]
    )  # (2, C)
    order = [place for place in np.argsort(-shares.sum(axis=0), kind="stable") if shares[:, place].any()][:MOST_CLASSES]
    headers = [named(view, card.number, notes) for card in cards]
    lines = {header: [percent(shares[side, place]) for place in order] for side, header in enumerate(headers)}
    st.caption("What their inputs are predicted as, most common first.")
    st.dataframe(
        pd.DataFrame({"predicted": [task.classes[place] for place in order], **lines}),
        hide_index=True,
        height="content",
    )


WALL, FEW, GROUPS = 24, 5, 6
"""Inputs on the wall of all, inputs of a group, and groups that are shown at first."""

Reasons = Callable[[Sequence[int]], Mapping[int, tuple[str, ...]]]


@st.fragment
@errors_in_words
def minority_space(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
    reasons: Reasons,
) -> None:
    """The inputs that belong to no cluster; ``reasons`` says why rows are shown."""
    st.subheader(
        f"Minority space: {counted(len(view.minority), 'input')}",
        anchor=False,
        help=f"{explained('minority space')}\n\n{explained('GLOSH')}",
    )
    if not len(view.minority):
        st.caption("Every input is in a cluster. Raise min_samples to leave outliers out.")
        if st.button("Try twice the min_samples"):
            choose(subject, replace(view.settings, min_samples=2 * view.settings.min_samples))
            st.rerun(scope="app")
        return
    losses = losses_known(inputs, session)
    ways = ["in groups", "most outlying first"]
    way = st.segmented_control("Shown", ways, default=ways[0], key="minority shown", label_visibility="collapsed")
    if way == ways[1]:
        rows = view.minority[: how_many("minority", WALL)].tolist()
        why = reasons(rows)
        hang(rows, "minority", "Minority", view, subject, inputs, losses, why)
        more_button("minority", len(rows), len(view.minority), WALL)
    else:
        why = in_groups(view, subject, inputs, losses, notes, reasons)
    closer_look_if_asked(subject, inputs, session, why)


def in_groups(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    notes: Mapping[int, CardNote],
    reasons: Reasons,
) -> Mapping[int, tuple[str, ...]]:
    """The largest groups, two in a line; why each input on the walls is shown."""
    groups = minority_groups(view, inputs)
    shown = groups[: how_many("minority groups", GROUPS)]
    why = reasons([int(row) for group in shown for row in group.rows[:FEW]])
    for start in range(0, len(shown), 2):
        for place, column in enumerate(st.columns(2, gap="large")):
            if start + place < len(shown):
                with column:
                    one_group(start + place, shown[start + place], view, subject, inputs, losses, notes, why)
    more_button("minority groups", len(shown), len(groups), GROUPS)
    return why


def one_group(
    place: int,
    group: MinorityGroup,
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    notes: Mapping[int, CardNote],
    why: Mapping[int, tuple[str, ...]],
) -> None:
    """A description of the group, its most outlying inputs, and a button that selects it."""
    words = group_words(group, view, inputs, notes)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{escape_markdown(words[:1].upper() + words[1:])}**: {counted(len(group.rows), 'input')}",
            width="stretch",
        )
        if st.button("Select", key=f"select group {place}", type="tertiary"):
            pick(group.rows, words)
            st.rerun(scope="app")
    rows = group.rows[:FEW].tolist()
    hang(rows, f"minority group {place}", f"Minority, {words}", view, subject, inputs, losses, why)


def group_words(group: MinorityGroup, view: ClusterView, inputs: Inputs, notes: Mapping[int, CardNote]) -> str:
    """What the inputs of the group have in common."""
    near = f"near {called(view, group.nearest, notes)}" if group.nearest >= 0 else "outside of all"
    task = inputs.task
    if group.predicted is None or not task.one_class:
        return near
    return f"{near}, predicted {task.classes[group.predicted]}"


def hang(
    rows: Sequence[int],
    key: str,
    label: str,
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    why: Mapping[int, tuple[str, ...]],
) -> None:
    """Shows a wall of outlying inputs with their scores."""
    wall(
        shown_inputs(
            rows,
            subject,
            inputs,
            why={row: f"GLOSH {view.clustering.glosh[row]:.2f}" for row in rows},
            more=why,
            losses=losses,
        ),
        key=key,
        plot="map",
        size=72,
        label=label,
    )
