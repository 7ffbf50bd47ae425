"""A set or a version that changed: a mix that drifted, inputs that were added, and where a version got better or worse."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.class_index import ClassIndex
from testimate.core.design import SimpleRandom
from testimate.core.draw import Estimate
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.words import commas, percent, percent_range
from testimate.estimators.combined import Part, combined, joined
from testimate.estimators.intervals import Interval
from testimate.estimators.reweighted import estimate_reweighted
from testimate.planning.assisted import VersionGuesses
from testimate.planning.estimate import Headline, headline_of, is_complete
from testimate.planning.reused_labels import (
    LabeledPlan,
    PooledAnswers,
    Reused,
    as_other,
    check_plan,
    predicted_variance,
    reuse_labels,
    says_accuracy,
    verdicts_of,
)
from testimate.structure.two_samples import TwoSamples, classes_alike, features_alike, numbers_alike

By = Literal["class", "confidence"]
"""By which kinds of inputs labels are weighted again: the predicted class, or strata of confidence."""

CONFIDENCE_STRATA = 10

ASSUMES: Mapping[By, str] = {
    "class": "This assumes that among inputs predicted as one class the model fails as often on the new set as on the old one.",
    "confidence": "This assumes that among inputs of one confidence the model fails as often on the new set as on the old one.",
}

CANNOT_SHOW = "No label of the old set can show whether it does; a few labels of the new set can."

WIDE = (
    "The interval is wide on purpose: after lists that follow confidence a 95% interval held in 98 to 99% of "
    "trials, because without labels of the new set nothing rules out faults elsewhere in it."
)
"""Of an interval after any list but a simple random one; decision 80 has the trials."""

SUSPICIOUS = 0.05
"""Below this, after Holm's correction for several tests, two sets are reported to differ."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Compared:
    """One test of whether two sets look alike: of what, its result, and its p-value corrected for all tests (Holm 1979)."""

    what: str
    found: TwoSamples
    corrected: float

    @property
    def differs(self) -> bool:
        """Whether chance is a poor explanation."""
        return self.corrected < SUSPICIOUS

    def to_json(self) -> dict[str, Any]:
        """What was compared, the statistic and p-value, the p-value corrected, and whether the sets differ."""
        return {"what": self.what, **asdict(self.found), "corrected_p_value": self.corrected, "differs": self.differs}


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of inputs, by ``names`` (G), and the shares of two sets in each, ``old`` and ``new`` (G,), each summing to 1."""

    names: tuple[str, ...]
    old: Floats
    new: Floats


@dataclass(frozen=True, eq=False)
class Reweighted:
    """What labels of one set say about another.

    Attributes
    ----------
    estimate : the accuracy on the new set; its interval holds under the assumption alone, at a size fixed in advance.
    complete : whether each plan was labeled to its end; else the interval may not hold.
    kinds : the shares by which labels were weighted again.
    unseen : share of the new set in kinds of which the old set has no input.
    cautious : whether the labels were drawn otherwise than at random from the whole, so that the interval is as ``WIDE`` says.
    """

    estimate: Estimate
    complete: bool
    by: By
    kinds: Kinds
    unseen: float
    cautious: bool

    @property
    def assumes(self) -> str:
        """The assumption, in two sentences."""
        return f"{ASSUMES[self.by]} {CANNOT_SHOW}"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, the fields of the estimate first."""
        shares = [
            {"kind": name, "old": float(old), "new": float(new)}
            for name, old, new in zip(self.kinds.names, self.kinds.old, self.kinds.new, strict=True)
        ]
        return {
            **self.estimate.to_json(),
            "headline": "fixed" if self.complete else None,
            "by": self.by,
            "unseen": self.unseen,
            "shares": shares,
            "assumes": self.assumes,
        }


def compare_sets(first: Inputs, second: Inputs, *, seed: int) -> list[Compared]:
    """Whether two sets look alike to one model: in its features, its confidence and what it predicts, as far as known.

    See ``structure.two_samples`` for the tests. Raises BadInput where the sets have none of these in common.
    """
    found: list[tuple[str, TwoSamples]] = []
    role = next(
        (one for one in ("LHL", "FL", "ORI", *first.features) if one in first.features and one in second.features), None
    )
    if role is not None:
        found.append((f"features ({role})", features_alike(first.features[role], second.features[role], seed=seed)))
    if first.confidence is not None and second.confidence is not None:
        found.append(("confidence", numbers_alike(first.confidence, second.confidence)))
    if _has_classes(first) and _has_classes(second):
        names = _all_classes(first, second)
        found.append(("predicted classes", classes_alike(_places(first, names), _places(second, names))))
    if first.task.numeric and second.task.numeric:
        found.append(("predicted numbers", numbers_alike(first.predictions, second.predictions)))
    if not found:
        raise BadInput(
            "The two sets have no features, no confidence and no predictions of one kind in common. Expected one of these. Add "
            "the column confidence to both tables, or features to both."
        )
    corrected = holm([one.p_value for _, one in found])
    return [Compared(what, one, p) for (what, one), p in zip(found, corrected, strict=True)]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number by Holm's rule (1979), in their order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for place, at in enumerate(np.argsort(p_values, kind="stable").tolist()):
        largest = max(largest, (len(p_values) - place) * p_values[at])
        corrected[at] = min(largest, 1.0)
    return corrected


def alike_in_words(tests: Sequence[Compared]) -> str:
    """What the tests say together, in a sentence or two."""
    differing = [one.what for one in tests if one.differs]
    if not differing:
        return (
            f"No difference shows in {_and([one.what for one in tests])}. That does not prove the sets alike; a small "
            "difference may not show in so few inputs."
        )
    return f"The two sets differ in {_and(differing)}: chance hardly explains it."


def _and(words: Sequence[str]) -> str:
    """
    >>> _and(["confidence"]), _and(["features", "confidence", "predicted classes"])
    ('confidence', 'features, confidence and predicted classes')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def reweight(old: Inputs, plans: Sequence[LabeledPlan], new: Inputs, *, by: By, level: float = 0.95) -> Reweighted:
    """The accuracy of a model on a new set without labels, from labels of an old one, each kind of input weighted again.

    Parameters
    ----------
    old, new : what the same model predicts for the inputs of both sets.
    plans : plans of the old set with their votes.
    by : "class": the shares of the predicted classes become those of the new set. "confidence": those of ten strata of equal
        size along the confidence on the old set; inputs less or more confident than any of the old set are of no kind it
        has.

    Raises
    ------
    BadInput : no classes, or no confidence; plans of another set.
    NotEnoughLabels : a plan gives no estimate yet.
    """
    kind, kinds = _kinds(old, new, by)
    unseen = float(kinds.new[kinds.old == 0].sum())
    chances = VersionGuesses(old, ()).chances
    estimate = weighted_estimate(old, plans, kind, kinds.new, chances, level)
    complete = all(is_complete(one.plan, one.votes) for one in plans)
    cautious = not all(isinstance(one.plan.design, SimpleRandom) for one in plans)
    return Reweighted(estimate, complete, by, kinds, unseen, cautious)


def weighted_estimate(
    inputs: Inputs,
    plans: Sequence[LabeledPlan],
    kinds: NDArray[np.intp],
    shares: Floats,
    chances: Floats,
    level: float = 0.95,
) -> Estimate:
    """The accuracy where kind g is the part ``shares[g]`` of a set, from all plans that say anything about every input.

    With one share of 1 it is the accuracy within that kind. ``kinds`` : (N,) of the labeled inputs; ``chances`` : (N,) of
    failure before any label. See ``estimate_reweighted``, with its errors; plans for a difference are left out.
    """
    held = np.bincount(kinds, minlength=shares.size)
    guesses = np.bincount(kinds, chances, shares.size) / np.maximum(held, 1)
    guesses[held == 0] = chances.mean()
    of_old = held / kinds.size
    ratio = np.divide(shares, of_old, out=np.zeros_like(shares), where=of_old > 0)[kinds]  # (N,)
    losses, parts = PooledAnswers(plans, inputs, inputs).judged(inputs), []
    missing = NotEnoughLabels("No plan covers all inputs. Expected one that was not drawn for a difference. Label one.")
    for one in plans:
        check_plan(one, inputs)
        if not says_accuracy(one.plan):
            continue
        try:
            found = estimate_reweighted(one.plan.design, verdicts_of(one, losses), kinds, shares, guesses, level)
        except (
            NotEnoughLabels
        ) as error:  # a small plan may have drawn none of these kinds, which says nothing about how they fail
            missing = error
            continue
        predicted = predicted_variance(one, ratio**2 * chances * (1 - chances), len(inputs))
        parts.append(Part(found, max(predicted, 1e-12)))
    if not parts:
        raise missing
    return combined(parts, level)


def reweighted_in_words(found: Reweighted) -> str:
    """What the old labels say about the new set, in a sentence."""
    one = found.estimate
    assert one.low is not None
    assert one.high is not None
    said = (
        f"Weighted to the new set's shares of {'predicted classes' if found.by == 'class' else 'confidence'}, "
        f"{commas(one.labeled)} labels of the old set put the accuracy at {percent(one.accuracy)} "
        f"({percent_range(one.low, one.high)})."
    )
    if found.unseen:
        said += (
            f" {percent(found.unseen)} of the new set is of kinds that the old set lacks; the interval allows for all of "
            "them to fail."
        )
    if not found.complete:
        said += " A plan was stopped before its end, so the interval may not hold."
    return said


def _kinds(old: Inputs, new: Inputs, by: By) -> tuple[NDArray[np.intp], Kinds]:
    """The kind of each input of the old set (N,), and the shares of all kinds in both."""
    if not (_has_classes(old) and _has_classes(new)):
        raise BadInput(
            "Labels are weighted again for models with one class per input; this is another task. Label the new set."
        )
    if by == "class":
        names = _all_classes(old, new)
        first, second = _places(old, names), _places(new, names)
        return first, Kinds(names, _shares(first, len(names)), _shares(second, len(names)))
    if old.confidence is None or new.confidence is None:
        raise BadInput(
            "One of the sets has no confidence, so it has no strata of confidence. Expected it for both. Add the column, or "
            "weight by class."
        )
    least, most = float(old.confidence.min()), float(old.confidence.max())
    inner = np.unique(np.quantile(old.confidence, np.linspace(0, 1, CONFIDENCE_STRATA + 1)[1:-1]))
    inner = inner[inner > least]
    edges = [least, *inner.tolist(), np.nextafter(most, np.inf)]  # what lies outside is of a kind the old set has not
    first, second = (np.searchsorted(edges, one, side="right") for one in (old.confidence, new.confidence))
    ends = pairwise(f"{edge:.3f}" for edge in [*edges[:-1], most])
    names = (f"below {least:.3f}", *(f"{low} to {high}" for low, high in ends), f"above {most:.3f}")
    return first, Kinds(names, _shares(first, len(names)), _shares(second, len(names)))


def _shares(places: NDArray[np.intp], count: int) -> Floats:
    return np.bincount(places, minlength=count) / places.size


def _has_classes(inputs: Inputs) -> bool:
    return inputs.single_class


def _all_classes(first: Inputs, second: Inputs) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first.task.classes, *second.task.classes)))


def _places(inputs: Inputs, names: Sequence[str]) -> NDArray[np.intp]:
    """The predicted classes in the numbering of ``names``, (N,)."""
    numbers: NDArray[np.intp] = ClassIndex(names).indices(inputs.task.classes)[inputs.predictions]
    return numbers


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
            f"{commas(gone.size)} of the {commas(places.size)} old inputs are not in the new set, the first in row "
            f"{commas(int(gone[0]))}. Expected all of them and some more. Put them back, or use the old labels for a set whose "
            "mix drifted: testimate drift."
        )
    rows = np.setdiff1d(np.arange(size), places)
    if not rows.size:
        raise BadInput(
            "The new set has the old inputs and no others. Expected some new ones. Judge it as a version: testimate "
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
            problems.append(f"The {commas(rows.size)} {called} inputs have no number: {error}")
    sizes = (places.size, came.size)
    first, second = parts
    if first is None or second is None:
        return Grown(first, second, None, None, sizes, " ".join(problems))
    narrower = (1 + level) / 2
    careful = [of_part(places, plans, old, narrower).estimate, of_part(came, added_plans, None, narrower).estimate]
    whole = joined([first.estimate, second.estimate], careful, sizes, level)
    complete = first.headline == second.headline == "fixed"
    return Grown(first, second, whole, headline_of(complete, whole.low, whole.always_low), sizes)


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
