"""Two clusters side by side: what each holds, which inputs represent it, and where they differ."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import percent, spaced
from testimate.project.cluster_review import CardNote, called
from testimate.project.clusters import ClusterCard, ClusterView
from testimate.session.session import Session
from testimate.tasks.classification import Classification
from testimate.ui.closer_look import closer_look_if_asked
from testimate.ui.clusters.cluster_cards import criticism_wall, facts, prototype_wall
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words

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
    return f"{words[:1].upper()}{words[1:]} ({spaced(len(view.cards[number].rows))})"


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
    if not isinstance(task, Classification) or inputs.predictions.ndim != 1:
        return
    shares = np.stack(
        [np.bincount(inputs.predictions[card.rows], minlength=len(task.classes)) / len(card.rows) for card in cards]
    )  # (2, C)
    order = [place for place in np.argsort(-shares.sum(axis=0), kind="stable") if shares[:, place].any()][:MOST_CLASSES]
    headers = [named(view, card.number, notes) for card in cards]
    lines = {header: [percent(shares[side, place]) for place in order] for side, header in enumerate(headers)}
    st.caption("What their inputs are predicted as, the commonest first.")
    st.dataframe(
        pd.DataFrame({"predicted": [task.classes[place] for place in order], **lines}),
        hide_index=True,
        height="content",
    )
