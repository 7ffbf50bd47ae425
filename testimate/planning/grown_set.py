"""A dataset that grew: its old inputs are judged by their old labels, the new ones by labels of their own, and all by both."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Estimate
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.words import spaced
from testimate.estimators.reused import joined
from testimate.planning.headline import Headline, headline_of
from testimate.planning.reused_labels import LabeledPlan, Reused, reuse_labels


@dataclass(frozen=True, eq=False)
class Grown:
    """What is known about a model on a set that grew.

    Attributes
    ----------
    old, added : on the inputs of the old set, and on those that came; None where its labels give no number yet.
    all : on all of them, the two parts weighted by their sizes; None where one of them has no number.
    headline : which interval of ``all`` counts.
    sizes : inputs of the old set, and those that came.
    why : where there is no number, the sentence that says what is missing; else "".
    """

    old: Reused | None
    added: Reused | None
    all: Estimate | None
    headline: Headline | None
    sizes: tuple[int, int]
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; ``all``, ``old`` and ``added`` each have the fields of an estimate, or are null."""
        whole = None if self.all is None else {**self.all.to_json(), "headline": self.headline}
        return {
            "inputs": {"old": self.sizes[0], "added": self.sizes[1]},
            "all": whole,
            "old": None if self.old is None else self.old.to_json(),
            "added": None if self.added is None else self.added.to_json(),
            "why": self.why,
        }


def places_of(old: Sequence[str], new: Sequence[str]) -> NDArray[np.intp]:
    """The row of each old input in the new set, (N,), -1 where it is gone; by what names it or a digest of its content.

    Of several that are alike, the first is matched with the first, the second with the second.

    >>> places_of(["a", "b", "b", "x"], ["n", "b", "a", "b"]).tolist()
    [2, 1, 3, -1]
    """
    at: dict[str, list[int]] = defaultdict(list)
    for row in range(len(new) - 1, -1, -1):
        at[new[row]].append(row)
    return np.array([at[one].pop() if at[one] else -1 for one in old], dtype=np.intp)


def added_rows(places: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """The rows of a set of ``size`` inputs that are none of the old ones, whose places are ``places``, in order.

    Raises BadInput where old inputs are gone, or nothing came.
    """
    gone = np.flatnonzero(places < 0)
    if gone.size:
        raise BadInput(
            f"{spaced(gone.size)} of the {spaced(places.size)} old inputs are not in the new set, the first in row "
            f"{spaced(int(gone[0]))}; expected all of them and some more. Put them back, or use the old labels for a set whose "
            "mix drifted: testimate drift."
        )
    rows = np.setdiff1d(np.arange(size), places)
    if not rows.size:
        raise BadInput(
            "The new set has the old inputs and no others; expected some new ones. Judge it as a version: testimate "
            "reuse."
        )
    return rows


def judge_grown(
    new: Inputs,
    places: NDArray[np.intp],
    plans: Sequence[LabeledPlan],
    added_plans: Sequence[LabeledPlan] = (),
    *,
    old: Inputs | None = None,
    others: Sequence[OtherModel] = (),
    level: float = 0.95,
) -> Grown:
    """The accuracy of a model on the old inputs, on those that came, and on all, from labels of both parts.

    The two parts are strata of the grown set, each with a sample of its own, so the weighted mean is unbiased where they are.
    No label of the old inputs says anything about the new ones: where these have none, there is no number for all.

    Parameters
    ----------
    new : what the model predicts for all inputs of the grown set.
    places : (N,) row of each old input in it, as ``places_of`` gives them.
    plans, added_plans : plans and votes of the old set and of the inputs that came, each numbered as it was drawn: row i of the
        second is the i-th of ``added_rows``.
    old : the predictions that the old plans were made from, for the old inputs.
    others : further models' predictions for the grown set.

    Raises BadInput where old inputs are gone, or a plan is of another number of inputs.
    """
    came = added_rows(places, len(new))
    problems = []

    def of_part(rows: NDArray[np.intp], labeled: Sequence[LabeledPlan], before: Inputs | None, at: float) -> Reused:
        seen = [
            replace(
                one,
                predictions=one.predictions[rows],
                confidence=None if one.confidence is None else one.confidence[rows],
            )
            for one in others
        ]
        if not labeled:
            raise NotEnoughLabels("None of them was drawn by a plan yet. Plan labels of them.")
        return reuse_labels(new.part(rows), labeled, old=before, others=seen, level=at)

    parts: list[Reused | None] = []
    for called, rows, labeled, before in (("old", places, plans, old), ("new", came, added_plans, None)):
        try:
            parts.append(of_part(rows, labeled, before, level))
        except NotEnoughLabels as error:
            parts.append(None)
            problems.append(f"The {spaced(rows.size)} {called} inputs have no number: {error}")
    sizes = (places.size, came.size)
    first, second = parts
    if first is None or second is None:
        return Grown(first, second, None, None, sizes, " ".join(problems))
    narrower = (1 + level) / 2
    careful = [of_part(places, plans, old, narrower).estimate, of_part(came, added_plans, None, narrower).estimate]
    whole = joined([first.estimate, second.estimate], careful, sizes, level)
    complete = first.headline == second.headline == "fixed"
    return Grown(first, second, whole, headline_of(complete, whole.low, whole.always_low), sizes)
