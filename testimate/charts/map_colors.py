"""What the points of a map are colored by: named groups, each with a color and a symbol, or a shade of one number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.charts.palette import FAILED, RIGHT, UNLABELED, hue, shades, symbol
from testimate.charts.theme import Column, column, places, safe_text
from testimate.core.errors import BadInput

GROUP_LIMIT = 60
"""More groups than this would slow the browser, and nobody could tell them apart: the smallest are drawn as one."""


@dataclass(frozen=True, eq=False)
class Group:
    """Points drawn alike: ``members`` (N,), ``rank`` in the legend, and ``front``, whether thinning has to keep them."""

    name: str
    members: NDArray[np.bool_]
    color: str
    symbol: str
    size: float = 6
    opacity: float = 0.95
    rank: int = 0
    front: bool = False


def cluster_groups(clusters: Column, count: int, *, dark: bool, called: str = "cluster") -> list[Group]:
    """Minority space (-1) first, in quiet gray, then the clusters, as they are called, from the largest to the smallest."""
    labels = places(clusters, "clusters", count)
    noise = Group("minority space", labels < 0, shades(dark).noise, "circle", size=4, rank=2 * GROUP_LIMIT)
    return [noise, *_by_size(labels, f"{called} {{}}", f"other {called}s", dark)]


def class_groups(predicted: Column, count: int, names: Sequence[str], *, dark: bool) -> list[Group]:
    """The predicted classes from the most to the least frequent, by their names (untrusted text)."""
    labels = places(predicted, "predicted classes", count)
    if labels.size and (labels.min() < 0 or labels.max() >= len(names)):
        raise BadInput(
            f"A predicted class is {labels.min() if labels.min() < 0 else labels.max()} and {len(names)} names were "
            "given. Expected a name for each class, counted from 0. Pass the names of all classes."
        )
    return _by_size(labels, [safe_text(name) for name in names], "other classes", dark)


def tag_groups(tags: Column, count: int, names: Sequence[str], *, dark: bool, none: str = "no tag") -> list[Group]:
    """Inputs without a tag in quiet gray, then the tags from the most to the least frequent, by their names (untrusted text).

    ``tags`` : (N,) places among the names, -1 for none; or the values of a column. ``none`` : what those without are called.
    """
    labels = places(tags, "tags", count)
    if labels.size and labels.max() >= len(names):
        raise BadInput(
            f"A value has place {labels.max()} and {len(names)} names were given. Expected a name for each, counted from 0. "
            "Pass the names of all values."
        )
    without = Group(none, labels < 0, UNLABELED, "circle", size=4, opacity=0.7, rank=2 * GROUP_LIMIT)
    others = f"other {'tags' if none == 'no tag' else 'values'}"
    return [without, *_by_size(labels, [safe_text(name) for name in names], others, dark)]


def labeled_groups(labeled: Column, count: int, *, dark: bool) -> list[Group]:
    """Unlabeled inputs, then the labeled ones on top; ``labeled`` is (N,) of 0 and 1."""
    done = column(labeled, "labeled marks", count) > 0
    return [
        Group("unlabeled", ~done, UNLABELED, "circle", size=4, opacity=0.7, rank=1),
        Group("labeled", done, shades(dark).estimate, "diamond", size=9, opacity=1, front=True),
    ]


def failed_groups(failed: Column, count: int) -> list[Group]:
    """Unlabeled inputs, then right, then failed; ``failed`` is (N,): above 0 failed, 0 right, None or nan unlabeled."""
    loss = column(failed, "outcomes", count)
    unlabeled = Group("unlabeled", np.isnan(loss), UNLABELED, "circle", size=4, opacity=0.7, rank=2)
    right = Group("right", loss == 0, RIGHT, "circle", size=8, opacity=1, rank=1, front=True)
    return [unlabeled, right, Group("failed", loss > 0, FAILED, "x", size=10, opacity=1, front=True)]


def _by_size(labels: NDArray[np.intp], names: str | Sequence[str], others: str, dark: bool) -> list[Group]:
    found, counts = np.unique(labels[labels >= 0], return_counts=True)
    largest = np.argsort(-counts, kind="stable")
    drawn, rest = found[largest[:GROUP_LIMIT]], found[largest[GROUP_LIMIT:]]
    groups = []
    if rest.size:
        members = np.isin(labels, rest)
        groups.append(Group(f"{rest.size} {others}", members, UNLABELED, "circle", size=4, rank=2 * GROUP_LIMIT - 1))
    for place in drawn.tolist():
        name = names.format(place + 1) if isinstance(names, str) else names[place]
        rank = int(np.searchsorted(np.sort(drawn), place))
        groups.append(Group(name, labels == place, hue(place, dark=dark), symbol(place), rank=rank))
    return groups


@dataclass(frozen=True)
class Scale:
    """A number per point as a shade: what it is called, what it is multiplied by, and which end is the doubtful one."""

    name: str
    title: str
    factor: float
    low_is_doubtful: bool

    def doubt(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values so that larger is more doubtful, (n,)."""
        return -values if self.low_is_doubtful else values

    def ends(self, numbers: NDArray[np.float64]) -> tuple[float, float]:
        """Where the shades begin and end: confidence at 50% at most and 100%, others without their outermost tails."""
        if self.low_is_doubtful:
            return float(min(numbers.min(), 50)), 100.0
        low, high = np.quantile(numbers, [0.01, 0.99])
        return float(low), float(high if high > low else low + 1)


def confidence_scale() -> Scale:
    """Confidence in percent; the unsure stand out."""
    return Scale("confidence", "confidence (%)", 100.0, low_is_doubtful=True)


def variable_scale(name: str) -> Scale:
    """An auxiliary variable, untrusted text; large values, which predict failure, stand out."""
    return Scale(safe_text(name), f"{safe_text(name)} (no unit)", 1.0, low_is_doubtful=False)


def number_scale(name: str) -> Scale:
    """The numbers of a column, untrusted text; large values stand out."""
    return Scale(safe_text(name), safe_text(name), 1.0, low_is_doubtful=False)
