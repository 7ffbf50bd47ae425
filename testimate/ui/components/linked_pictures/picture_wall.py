"""A wall of inputs, each with a title and the reason it is there; the one under the pointer is marked on the map."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from testimate.core.subject import Shown
from testimate.ui.components.bundle import component
from testimate.ui.components.linked_pictures.small_views import look_to_json
from testimate.ui.components.messages import arrival, plain_row

_component = component("picture_wall")


@dataclass(frozen=True)
class Hung:
    """One input on the wall.

    Attributes
    ----------
    row : its place in the dataset.
    shown : what a person sees of it.
    title : a few words about it; untrusted text.
    why : why it is here, in a few words, and ``more``, the full reason, shown on hover; untrusted text.
    mark : whether it is known to be wrong or right.
    """

    row: int
    shown: Shown
    title: str = ""
    why: str = ""
    more: str = ""
    mark: Literal["", "failed", "right"] = ""


def picture_wall(
    hung: Sequence[Hung], *, key: str, on_pick: Callable[[int], None], plot: str = "", size: int = 84, label: str = ""
) -> None:
    """Draws the wall; the number of columns depends on the width and on the kind of the inputs.

    ``on_pick`` is called with the row of an input that was clicked, before the script runs again. ``plot`` : key of the
    chart whose points carry the rows as customdata. ``size`` : width of a small picture in pixels. ``label`` : what the wall
    shows, for those who cannot see it.
    """
    rows = {one.row for one in hung}

    def pick(row: int) -> None:
        if row in rows:
            on_pick(row)

    items = [
        {
            "row": one.row,
            "look": look_to_json(one.shown),
            "title": one.title,
            "why": one.why,
            "more": one.more or one.why,
            "mark": one.mark,
        }
        for one in hung
    ]
    picked = arrival(key, "picked", plain_row, pick)
    _component(key=key, data={"items": items, "plot": plot, "size": size, "label": label}, on_picked_change=picked)
