"""Where a version got better or worse: its accuracy by predicted class, compared with the version before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from testimate.core.draw import Estimate
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.estimators.intervals import Interval
from testimate.planning.drifted_set import weighted_estimate
from testimate.planning.reused_labels import LabeledPlan, PooledAnswers, as_other
from testimate.planning.version_guesses import VersionGuesses

FEWEST = 10
"""Labels without which a class has no number."""


@dataclass(frozen=True)
class OfClass:
    """A version's accuracy on the inputs it predicts as one class: how many these are, how many labeled, and the estimate.

    The estimate is None where fewer than ``FEWEST`` have a label.
    """

    inputs: int
    labeled: int
    estimate: Estimate | None


@dataclass(frozen=True)
class MovedClass:
    """A predicted class under two versions.

    Attributes
    ----------
    name : of the class. before, now : of the version before, and of the new one.
    change : now minus before, -1..1; None where one has no number.
    range : ends of the change that hold for all classes at once.
    """

    name: str
    before: OfClass
    now: OfClass
    change: float | None
    range: Interval | None

    @property
    def moved(self) -> bool:
        """Whether chance is a poor explanation of the change, all classes that were compared taken together."""
        return self.range is not None and (self.range.low > 0 or self.range.high < 0)


def moved_classes(old: Inputs, new: Inputs, plans: Sequence[LabeledPlan], level: float = 0.95) -> list[MovedClass]:
    """Each class that one of them predicts, the largest fall first, then those without a number.

    Of what each version predicts as the class, the share that is of it, by ``estimate_reweighted`` with that class alone. The
    ends of the change join those of both at the level 1 - (1 - level) / k, for k classes with a number for both (Bonferroni),
    by the rule of Zou and Donner (2008, eq. 3) for independent estimates: the same labels judge both, most of them alike,
    which makes a change more certain than it says.
    """
    both = [_accuracies(one, other, plans, level) for one, other in ((old, new), (new, old))]
    estimated = [place for place in both[0].keys() & both[1].keys() if all(one[place].estimate for one in both)]
    careful = 1 - (1 - level) / max(len(estimated), 1)
    wide = [_accuracies(one, other, plans, careful, estimated) for one, other in ((old, new), (new, old))]
    nothing = OfClass(0, 0, None)
    found = []
    for place in sorted(both[0].keys() | both[1].keys()):
        name, (before, now) = new.task.classes[place], (one.get(place, nothing) for one in both)
        change, ends = None, None
        if place in estimated:
            a, b = (one[place].estimate for one in wide)
            assert a is not None
            assert b is not None
            change, ends = b.accuracy - a.accuracy, _of_change(a, b)
        found.append(MovedClass(name, before, now, change, ends))
    return sorted(found, key=lambda one: (one.change is None, one.change or 0.0, one.name))


def _of_change(before: Estimate, now: Estimate) -> Interval:
    """Ends of now minus before."""
    assert before.low is not None
    assert before.high is not None
    assert now.low is not None
    assert now.high is not None
    change = now.accuracy - before.accuracy
    down = np.hypot(now.accuracy - now.low, before.high - before.accuracy)
    up = np.hypot(now.high - now.accuracy, before.accuracy - before.low)
    return Interval(max(-1.0, float(change - down)), min(1.0, float(change + up)))


def _accuracies(
    inputs: Inputs, other: Inputs, plans: Sequence[LabeledPlan], level: float, only: Sequence[int] | None = None
) -> Mapping[int, OfClass]:
    """Of each class that is predicted, or of these alone, by its place."""
    predicted = inputs.predictions.astype(np.intp)
    losses = PooledAnswers(plans, inputs, inputs).judged(inputs)
    sizes = np.bincount(predicted, minlength=len(inputs.task.classes))
    labeled = np.bincount(predicted[~np.isnan(losses)], minlength=sizes.size)
    chances = VersionGuesses(inputs, [as_other(other)]).chances
    found = {}
    for place in np.flatnonzero(sizes).tolist():
        if only is not None and place not in only:
            continue
        estimate = None
        if labeled[place] >= FEWEST:
            shares = np.zeros(sizes.size)
            shares[place] = 1.0
            try:
                estimate = weighted_estimate(inputs, plans, predicted, shares, chances, level)
            except NotEnoughLabels:
                estimate = None
        found[place] = OfClass(int(sizes[place]), int(labeled[place]), estimate)
    return found
