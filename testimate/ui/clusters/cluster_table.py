"""The clusters in a table beside the map: mark, prototypes, size, purity, confidence and note of each."""

from typing import Any

import pandas as pd
import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.rounding import percent
from testimate.core.subject import Subject
from testimate.core.task import Classification, Regression
from testimate.project.cluster_notes import CardNote
from testimate.project.clusters import ClusterCard, ClusterView
from testimate.ui.appearance import dark
from testimate.ui.components.cluster_mark import cluster_mark
from testimate.ui.components.terms import explained

ORDERS = ("least sure first", "by number", "largest first", "least pure first", "least accurate first")
CHOSEN = "cluster chosen"
ROW = 38
"""Height of a row of the table in pixels."""


def ordered(view: ClusterView, order: str) -> list[ClusterCard]:
    """The cards in that order; those without the number that decides come last, as they are numbered."""

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
    if not (isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1):
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
    view: ClusterView, subject: Subject, inputs: Inputs, notes: dict[int, CardNote], *, height: int
) -> None:
    """The table; a row that is clicked is the cluster chosen."""
    order = st.selectbox("Order", orders(inputs), key="cluster order")
    cards = ordered(view, order)
    key = f"clusters of {view.fingerprint} {order}"

    def picked() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            choose_card(cards[rows[0]].number)

    rows = [row_of(card, view, subject, inputs, notes.get(card.number)) for card in cards]
    columns: dict[str, Any] = {
        "look": st.column_config.ImageColumn("", width=136, help="Its mark on the map and three prototypes."),
        "number": st.column_config.NumberColumn("no.", width=38, help=f"Number of the {view.group}."),
        "note": st.column_config.TextColumn("note", width=100, help="What reviewers say it is."),
        "inputs": st.column_config.NumberColumn("inputs", format="localized", width=56),
        "predicted": st.column_config.TextColumn(
            "predicted", width=92, help="Its commonest predicted class, its share."
        ),
        "confidence": st.column_config.NumberColumn("confidence", format="%.1f %%", width=78, help="Mean confidence."),
        "accuracy": st.column_config.NumberColumn("accuracy", format="%.1f %%", width=70, help="Known here."),
        "failing": st.column_config.NumberColumn(
            "failing", format="%.1f %%", width=70, help=explained("fault", "Share of its inputs, known here.")
        ),
        "squared": st.column_config.NumberColumn("1 - MSE", format="%.4g", width=70, help="Known here."),
    }
    table = pd.DataFrame(rows).dropna(axis=1, how="all")
    if not notes:
        table = table.drop(columns="note")
    st.dataframe(
        table,
        column_config=columns,
        hide_index=True,
        on_select=picked,
        selection_mode="single-row",
        key=key,
        row_height=ROW,
        height=min(height, ROW * (len(rows) + 1) + 2),
    )


def row_of(
    card: ClusterCard, view: ClusterView, subject: Subject, inputs: Inputs, note: CardNote | None
) -> dict[str, Any]:
    """What the table says of a card; None where it is not known."""
    predicted, numbers = None, isinstance(inputs.task, Regression)
    if card.commonest is not None and card.purity is not None and isinstance(inputs.task, Classification):
        predicted = f"{inputs.task.classes[card.commonest]} · {percent(card.purity)}"
    return {
        "look": look(view.fingerprint, card, subject, dark=dark()),
        "number": card.number + 1,
        "note": "" if note is None else note.text,
        "inputs": len(card.rows),
        "predicted": predicted,
        "confidence": None if card.mean_confidence is None else 100 * card.mean_confidence,
        "accuracy": None if card.mean_loss is None or numbers else 100 * (1 - card.mean_loss),
        "failing": 100 * failing(card, inputs) if numbers and inputs.losses is not None else None,
        "squared": 1 - card.mean_loss if card.mean_loss is not None and numbers else None,
    }


def failing(card: ClusterCard, inputs: Inputs) -> float:
    """Share of the card's inputs that fail, 0..1, where the truth is known."""
    assert inputs.losses is not None, "asked for only where the truth is known"
    return float(inputs.task.failed(inputs.losses[card.rows]).mean())


def look(fingerprint: str, card: ClusterCard, subject: Subject, *, dark: bool) -> str:
    """The mark and three prototypes in one picture, drawn once."""
    kept = st.session_state.setdefault("cluster looks", {})
    name = (fingerprint, card.number, dark)
    if name not in kept:
        pictures = [subject.dataset.show(int(row)).image for row in card.prototypes[:3]]
        kept[name] = cluster_mark(card.number, [picture for picture in pictures if picture], dark=dark)
    return str(kept[name])
