"""An explanation in words: which parts matter most, and what would have been enough to change the answer.

Why an input is shown, in a few words: its place among the clusters, and why the plan picked it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from testimate.core.errors import UnknownRow
from testimate.core.words import commas, percent, points
from testimate.planning.build import in_a_sentence
from testimate.project.cluster_review import called
from testimate.session.session import Session
from testimate.subjects.occlusion import Explained

if TYPE_CHECKING:
    from testimate.project.cluster_review import CardNote
    from testimate.project.clusters import ClusterCard, ClusterView


def strongest_parts(found: Explained, most: int, *, numeric: bool) -> list[tuple[str, str]]:
    """The parts with the largest effects, the largest first, each with its effect in words; none of a picture.

    ``numeric`` : the answer is a number, so that the effect is one, too.
    """
    if not found.parts:
        return []
    order = np.argsort(-np.abs(found.effect), kind="stable")[:most]
    effects = found.effect[order].tolist()
    return [
        (found.parts[place], f"{effect:.4g}" if numeric else points(effect))
        for place, effect in zip(order, effects, strict=True)
    ]


def enough_words(found: Explained) -> str:
    """What is enough to change the answer, in a sentence; names of parts are untrusted text."""
    if found.enough is None:
        return f"Nothing that was covered changes the answer. {commas(found.runs)} copies of the input were tried."
    if found.kind == "picture":
        left, top, right, bottom = found.enough
        return (
            f"A square of {right - left} x {bottom - top} pixels ({percent(found.share)} of the picture) is enough: with it "
            f"covered, the network says {found.then}."
        )
    return f"Without {', '.join(found.parts[place] for place in found.enough)} the network says {found.then}."


def prototype_words(card: "ClusterCard", place: int, group: str = "cluster") -> str:
    """What the prototype at that place among the card's prototypes stands for."""
    return f"prototype {place + 1} of {group} {card.number + 1}"


def criticism_words(card: "ClusterCard", place: int, group: str = "cluster") -> str:
    """What the criticism at that place says about the card's prototypes (Kim et al. 2016, the witness function)."""
    number = card.number + 1
    return (
        f"criticism {place + 1} of {group} {number}: {criticized_words(card, place)} "
        f"(the nearest is prototype {card.nearest[place] + 1})"
    )


def criticized_words(card: "ClusterCard", place: int) -> str:
    """What is wrong with the prototypes about inputs like this criticism, in a few words."""
    how = "rarer" if card.witness[place] > 0 else "more common"
    return f"judged by the prototypes alone, inputs like this look {how} than they are"


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
    return (
        f"picked by the plan, {in_a_sentence(session.session_record.request.technique)}: {draw.reason or 'by chance'}"
    )
