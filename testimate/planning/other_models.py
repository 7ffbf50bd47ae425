"""Other models' predictions of the same inputs become auxiliary variables, and part of what a plan was made for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary.leak import combined, disagreement, votes
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.words import commas, percent
from testimate.planning.needs import COMBINED, DISAGREEMENT, VOTES, classes_of


def with_others(inputs: Inputs, others: Sequence[OtherModel]) -> Inputs:
    """The inputs with what other models say about them: further scores, and another fingerprint than without.

    ``disagreement`` is the share of the others that predict something else than the tested model; of a regression the
    distance of the tested prediction from the others' median, over the tolerance. ``votes`` weighs each by how sure it is,
    where they have confidences; ``combined`` is the chance of failure that both give with the tested model's own confidence.

    Raises BadInput where one has another number of inputs, is the tested model itself, or occurs twice, and where a column
    of the table has the name of one of these scores.
    """
    if not others:
        return inputs
    if inputs.others:
        raise BadInput("The inputs have other models already. Expected those without. Name all of them at once.")
    for place, other in enumerate(others):
        _check(inputs, other, others[:place])
    taken = {DISAGREEMENT, VOTES, COMBINED} & set(inputs.scores)
    if taken:
        raise BadInput(
            f"The table has a column {min(taken)!r} of its own, the name for what other models say. Expected another "
            "name. Rename the column."
        )
    digest = fingerprint.of_bytes(inputs.fingerprint.encode(), b"others", *(one.fingerprint.encode() for one in others))
    return replace(
        inputs, fingerprint=digest, scores={**inputs.scores, **_scores(inputs, others)}, others=tuple(others)
    )


def _check(inputs: Inputs, other: OtherModel, before: Sequence[OtherModel]) -> None:
    if len(other.predictions) != len(inputs):
        raise BadInput(
            f"{other.name!r:.60} has predictions of {commas(len(other.predictions))} inputs and the tested model of "
            f"{commas(len(inputs))}. Expected one for each, in the same order, or a key column in both tables. Export them "
            "again."
        )
    same = next((one for one in before if one.fingerprint == other.fingerprint), None)
    if same is not None:
        raise BadInput(
            f"{other.name!r:.60} says the same as {same.name!r:.60}. Expected different models. Leave one of them out."
        )
    own, its = inputs.confidence, other.confidence
    alike = own is None or its is None or bool(np.allclose(own, its, atol=1e-6))
    if alike and not _differs(inputs, other.predictions).any():
        raise BadInput(
            f"{other.name!r:.60} predicts the same as the tested model on every input: it is that model, or a copy, "
            "from which nothing can be learned. Leave it out."
        )


def _differs(inputs: Inputs, said: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether another model's predictions differ from the tested one's, (N,)."""
    own = inputs.predictions
    if own.ndim == 2 and said.ndim == 1:  # the first k classes: it agrees where its class is among them
        return np.asarray(~(own == said[:, None]).any(axis=1))
    differs = np.asarray(own != said)
    return np.asarray(differs.any(axis=1) if differs.ndim == 2 else differs)


def _scores(inputs: Inputs, others: Sequence[OtherModel]) -> dict[str, NDArray[np.float64]]:
    if inputs.task.numeric:
        median = np.median([np.asarray(one.predictions, dtype=np.float64) for one in others], axis=0)
        return {DISAGREEMENT: np.abs(inputs.predictions - median) / (inputs.task.tolerance or 1.0)}
    differs = np.column_stack([_differs(inputs, one.predictions) for one in others])
    sure = [(place, one.confidence) for place, one in enumerate(others) if one.confidence is not None]
    found = {DISAGREEMENT: disagreement(differs)}
    voted = None
    if sure:
        voted = votes(differs[:, [place for place, _ in sure]], np.column_stack([one for _, one in sure]))
        found[VOTES] = voted
    return {**found, COMBINED: combined(inputs.scores.get("confidence"), found[DISAGREEMENT], voted)}


def remarks(inputs: Inputs) -> list[str]:
    """What is to be known of the other models, a sentence each: how often they agree, and what of them is of no use."""
    if inputs.task.numeric:
        return []
    said = []
    for other in inputs.others:
        agrees = 1 - float(_differs(inputs, other.predictions).mean())
        words = f"{other.name} agrees with the tested model on {percent(agrees)} of the inputs"
        if other.predictions.ndim == 1 and agrees_by_chance(inputs, other.predictions):
            words += ", about as often as by chance: its rows may be in another order (a column 'key' in both would settle it)"
        elif other.confidence is None:
            words += "; without its confidence it helps less"
        strange = float((other.predictions < 0).mean())
        if strange:
            words += f"; {percent(strange)} of its predictions are classes this network does not have, and disagree"
        found = too_sure(inputs, other)
        said.append(f"{words}." if found is None else f"{words}. {too_sure_words(found)}")
    return said


@dataclass(frozen=True, slots=True)
class TooSure:
    """The tested model and another one, of which one is more confident than it should be.

    Attributes
    ----------
    differing : share of the inputs on which they predict differently.
    own, theirs : mean doubt, 1 - confidence, of the tested model and of the other one: the shares of failures that each admits.
    """

    differing: float
    own: float
    theirs: float

    @property
    def least_failing(self) -> float:
        """Share of the inputs on which the tested model fails at least, if the other one is right as often as it says."""
        return self.differing - self.theirs

    @property
    def more_labels(self) -> float:
        """How many times as many labels such a failure rate takes as its confidence promises: they grow as p (1 - p)."""
        rate = min(self.least_failing, 0.5)
        return rate * (1 - rate) / (max(self.own, LEAST_DOUBT) * (1 - self.own))


def too_sure(inputs: Inputs, other: OtherModel) -> TooSure | None:
    """Whether two models predict differently more often than both admit to fail; None where they do not, or nothing is known.

    Where two models predict different classes at least one of them is wrong, so the share of such inputs is at most the sum of
    both shares of failures. What exceeds that sum by their own words (by more than three standard deviations of it, had every
    input its own chance) one of them is not aware of. Which of them it is, nothing says before there are labels. Rows
    that agree as
    often as by chance are in another order, and say nothing.
    """
    own, its = inputs.confidence, other.confidence
    single = inputs.single_class
    if own is None or its is None or not single or agrees_by_chance(inputs, other.predictions):
        return None
    found = TooSure(float(_differs(inputs, other.predictions).mean()), float(1 - own.mean()), float(1 - its.mean()))
    chance = sum(float(np.sqrt((one * (1 - one)).sum())) for one in (own, its)) / len(inputs)
    return found if found.differing > found.own + found.theirs + 3 * chance else None


def too_sure_words(found: TooSure) -> str:
    """What follows from it, in two sentences."""
    differing, own, theirs, both, least = (
        percent(share)
        for share in (found.differing, found.own, found.theirs, found.own + found.theirs, found.least_failing)
    )
    return (
        f"They differ on {differing} of the inputs, though by their own confidences they fail on {own} and {theirs}, "
        f"together {both} at most: one of them is more confident than it should be, and before there are labels "
        f"nobody knows which. If it is the tested model, it fails on at least {least}, and an interval needs about "
        f"{found.more_labels:.1f} times the labels that its confidence promises, or more."
    )


def agreement_by_chance(inputs: Inputs, said: NDArray[np.intp]) -> float:
    """How often the predictions would agree were the rows of one of them shuffled."""
    own = classes_of(inputs)
    count = max(int(own.max()), int(said.max()), 0) + 1
    shares = [np.bincount(one[one >= 0], minlength=count) / one.size for one in (own, said)]
    return float((shares[0] * shares[1]).sum())


def agrees_by_chance(inputs: Inputs, said: NDArray[np.intp]) -> bool:
    """Whether two models agree no more often than shuffled rows would, by Cohen's kappa (1960).

    Where nearly all inputs are of one class, shuffled rows agree often; kappa allows for that. Theirs is 0, give or take
    sqrt(chance / (N (1 - chance))); ``LEAST_KAPPA`` or three of these are more than they reach, up to ``MOST_KAPPA``.
    """
    chance = agreement_by_chance(inputs, said)
    agrees = 1 - float(_differs(inputs, said).mean())
    if agrees == 1:
        return False
    scatter = float(np.sqrt(chance / (said.shape[0] * (1 - chance)))) if chance < 1 else 0.0
    return agrees - chance < float(np.clip(3 * scatter, LEAST_KAPPA, MOST_KAPPA)) * (1 - chance)


LEAST_KAPPA, MOST_KAPPA = 0.05, 0.3
"""Models of one task agree far beyond the first, and in sets of a few inputs beyond the second."""


@dataclass(frozen=True, slots=True)
class Saving:
    """By which share other models are expected to lower the squared width of adaptive rounds (rra); below 0: to raise it.

    In an endless set that is the share of the labels they save. In a finite one the labels shrink an interval faster.

    Attributes
    ----------
    low, high : between these it came out for nine of ten pairs of networks, predicted from pairs of other data.
    middle : as often above it as below.
    """

    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class SavingLine:
    """The log of the labels needed with other models over those without, by the gap of the confidences.

    Attributes
    ----------
    intercept, of_gap : of the line.
    low, high : from and to how far off nine of ten pairs of networks were, each predicted from pairs of other data.
    most : what the others cost at most, but for one pair in twenty.
    """

    intercept: float
    of_gap: float
    low: float
    high: float
    most: float


SAVING = {
    True: SavingLine(-0.17, -0.25, -0.61, 0.26, 0.18),
    False: SavingLine(-0.29, -0.32, -1.09, 0.41, 0.24),
}
"""By whether it is the stop-safe interval that is to become so narrow, or the ordinary one (decision 145)."""

WIDEST_GAP = 1.5
"""A gap beyond this, up or down, counts as this one."""


def confidence_gap(inputs: Inputs) -> float | None:
    """By how much the other models are more confident than the tested one: the mean log of its mean doubt over theirs.

    The doubt is 1 - confidence. None where the tested one has no confidence, or none of the others has.
    """
    sure = [other.confidence for other in inputs.others if other.confidence is not None]
    if inputs.confidence is None or not sure:
        return None
    own, *theirs = (max(1 - float(np.mean(one)), LEAST_DOUBT) for one in (inputs.confidence, *sure))
    return float(np.mean([np.log(own / doubt) for doubt in theirs]))


LEAST_DOUBT = 1e-3
"""A mean doubt below this counts as this."""


def expected_saving(inputs: Inputs, *, stop_safe: bool) -> Saving | None:
    """What the other models are expected to save; None without any, and where there is nothing to predict it from.

    ``stop_safe`` : until the stop-safe interval is as narrow as is wanted; else until the ordinary one is.

    A model that is more confident than the tested one is usually right more often, and says more about its failures.
    How much more was measured. Models that agree with the tested one no more often than by chance save nothing.
    """
    gap = confidence_gap(inputs)
    if COMBINED not in inputs.scores or gap is None or inputs.task.numeric:
        return None
    single = inputs.single_class
    if single and all(agrees_by_chance(inputs, other.predictions) for other in inputs.others):
        return Saving(0.0, 0.0, 0.0)
    line = SAVING[stop_safe]
    middle = min(line.intercept + line.of_gap * float(np.clip(gap, -WIDEST_GAP, WIDEST_GAP)), 0.0)
    ends = (min(middle + line.high, line.most), middle, middle + line.low)
    least, usual, most = (1 - float(np.exp(end)) for end in ends)
    return Saving(least, usual, most)
