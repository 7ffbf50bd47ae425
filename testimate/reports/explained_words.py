"""An explanation in words: which parts matter most, and what would have been enough to change the answer."""

import numpy as np

from testimate.core.words import percent, points, spaced
from testimate.subjects.occlusion import Explained


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
        return f"Nothing that was covered changes the answer; {spaced(found.runs)} copies of the input were tried."
    if found.kind == "picture":
        left, top, right, bottom = found.enough
        return (
            f"A square of {right - left} x {bottom - top} pixels ({percent(found.share)} of the picture) is enough: with it "
            f"covered, the network says {found.then}."
        )
    return f"Without {', '.join(found.parts[place] for place in found.enough)} the network says {found.then}."
