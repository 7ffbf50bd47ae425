"""A dataset whose mix drifted: how it differs from a labeled set, and what those labels say about it under an assumption."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom
from testimate.core.draw import Estimate
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.words import percent, spaced
from testimate.estimators.reused import Part, combined, estimate_reweighted
from testimate.planning.headline import is_complete
from testimate.planning.reused_labels import (
    PURPOSE,
    LabeledPlan,
    PooledAnswers,
    check_plan,
    predicted_variance,
    verdicts_of,
)
from testimate.planning.version_guesses import VersionGuesses
from testimate.structure.two_samples import TwoSamples, classes_alike, features_alike, numbers_alike
from testimate.tasks.classification import Classification
from testimate.tasks.regression import Regression

By = Literal["class", "confidence"]
"""By which kinds of inputs labels are weighted again: the predicted class, or strata of confidence."""

CONFIDENCE_STRATA = 10

ASSUMES: Mapping[By, str] = {
    "class": "This assumes that among inputs predicted as one class the model fails as often on the new set as on the old one.",
    "confidence": "This assumes that among inputs of one confidence the model fails as often on the new set as on the old one.",
}

CANNOT_SHOW = "No label of the old set can show whether it does; a few labels of the new set can."

WIDE = (
    "The interval is wide on purpose: after lists that follow confidence a 95 % interval held in 98 to 99 % of "
    "trials, because without labels of the new set nothing rules out failures elsewhere in it."
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
    if isinstance(first.task, Regression) and isinstance(second.task, Regression):
        found.append(("predicted numbers", numbers_alike(first.predictions, second.predictions)))
    if not found:
        raise BadInput(
            "The two sets have no features, no confidence and no predictions of one kind in common; expected one of these. Add "
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
    missing = NotEnoughLabels("No plan covers all inputs; expected one that was not drawn for a difference. Label one.")
    for one in plans:
        check_plan(one, inputs)
        if one.plan.resolved.get(PURPOSE) == "difference":
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
        f"{spaced(one.labeled)} labels of the old set put the accuracy at {percent(one.accuracy)} "
        f"({percent(one.low)} to {percent(one.high)})."
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
            "One of the sets has no confidence, so it has no strata of confidence; expected it for both. Add the column, or "
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
    return isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1


def _all_classes(first: Inputs, second: Inputs) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first.task.classes, *second.task.classes)))


def _places(inputs: Inputs, names: Sequence[str]) -> NDArray[np.intp]:
    """The predicted classes in the numbering of ``names``, (N,)."""
    at = {name: place for place, name in enumerate(names)}
    numbers: NDArray[np.intp] = np.array([at[name] for name in inputs.task.classes], dtype=np.intp)[inputs.predictions]
    return numbers
