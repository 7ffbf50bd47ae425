"""Why an input is shown, in a few words: its place among the clusters, and why the plan picked it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from testimate.core.errors import UnknownRow
from testimate.planning.build import titled
from testimate.project.cluster_review import called
from testimate.session.session import Session

if TYPE_CHECKING:
    from testimate.project.cluster_review import CardNote
    from testimate.project.clusters import ClusterCard, ClusterView


def prototype_words(card: "ClusterCard", place: int, group: str = "cluster") -> str:
    """What the prototype at that place among the card's prototypes stands for."""
    return f"prototype {place + 1} of {group} {card.number + 1}"


def criticism_words(card: "ClusterCard", place: int, group: str = "cluster") -> str:
    """What the criticism at that place says about the card's prototypes (Kim et al. 2016, the witness function)."""
    number = card.number + 1
    return (
        f"criticism {place + 1} of {group} {number}: {criticised_words(card, place)} "
        f"(the nearest is prototype {card.nearest[place] + 1})"
    )


def criticised_words(card: "ClusterCard", place: int) -> str:
    """What is wrong with the prototypes about inputs like this criticism, in a few words."""
    how = "rarer" if card.witness[place] > 0 else "more common"
    return f"the prototypes make inputs like this look {how} than they are"


def place_words(view: "ClusterView", row: int, notes: "Mapping[int, CardNote] | None" = None) -> str:
    """Which cluster the input is in, by its name where a note gives one, and how firmly; or how far outside of all."""
    found = view.clustering
    if not view.trouble and found.labels[row] < 0:
        return f"minority space, outlier score (GLOSH) {found.glosh[row]:.2f}"
    group = called(view, int(view.labels[row]), notes or {})
    return group if view.trouble else f"{group}, membership {found.membership[row]:.2f}"


def role_words(view: "ClusterView", row: int) -> str:
    """The input's part in its cluster, where it is a prototype or a criticism; else ""."""
    if view.labels[row] < 0:
        return ""
    card = view.cards[view.labels[row]]
    for rows, words in ((card.prototypes, prototype_words), (card.criticisms, criticism_words)):
        places = rows.tolist()
        if row in places:
            return words(card, places.index(row), view.group)
    return ""


def plan_words(session: Session | None, row: int) -> str:
    """Why the session's plan picked the input; "" where it did not, or not yet."""
    if session is None:
        return ""
    try:
        draw = session.draw_of(row)
    except UnknownRow:
        return ""
    return f"picked by the plan, {titled(session.session_record.request.technique)}: {draw.reason or 'by chance'}"
