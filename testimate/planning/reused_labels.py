"""Old labels judge a new model: the votes of plans made for an earlier version become an estimate of the next one.

Predictions in the numbering of classes in which labels were given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.charts.html import paragraphs
from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, UnknownRow
from testimate.core.fingerprint import of_array
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.task import SHARE_RIGHT
from testimate.core.words import better_or_worse, commas, counted, level_words, points
from testimate.estimators.combined import Part, combined
from testimate.estimators.intervals import EVEN_SHARE_BESIDE_A_VERSION
from testimate.estimators.learned_guesses import estimate_with_learned_guesses
from testimate.estimators.version_difference import (
    POWER,
    Difference,
    check_power,
    combined_differences,
    difference_with_learned_guesses,
    is_renewed,
    labels_to_tell,
    within_reach,
)
from testimate.planning.assisted import VersionGuesses
from testimate.planning.estimate import KNOWN, Headline, headline_of, interval_words, is_complete
from testimate.planning.plan import Plan
from testimate.planning.votes import class_of_label, is_failed
from testimate.selectors import with_honest_interval
from testimate.tasks.classification import Classification

PURPOSE, DIFFERING, GATE = "for", "differing", "gate"
"""In what a top-up's plan resolved: its purpose ("accuracy", "difference", ``GATE``), and a digest of where versions differ."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabeledPlan:
    """A plan with its votes: ``kind`` of vote (label, failed or loss), and the cell of each row, "" for "cannot tell".

    ``outside`` : names of labels that were none of the classes one could choose from. ``session`` : the id of the one session
    that gave all its labels; "" of a file, and where a later session labeled some of its inputs again. ``classes`` : one
    could choose from, empty where they are those of the judged model.
    """

    plan: Plan
    kind: str
    votes: Mapping[int, str]
    outside: frozenset[str] = frozenset()
    session: str = ""
    classes: tuple[str, ...] = ()


def judged_classes(plans: Sequence[LabeledPlan], versions: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The classes in whose numbering the labels of these plans judge the versions, each of which has some; empty without plans.

    A class that could not be answered in every plan judges nobody: who met it had to say another. Where a label is none of
    the classes it could be told, by its name; then a version is judged by the classes that it learned, too. One whose
    classes are mostly others names them otherwise, and learned nothing.
    """
    named = [one.classes for one in plans if one.classes]
    if any(one.outside for one in plans):
        answers = {name for classes in named for name in classes}
        learned = [classes for classes in versions if 2 * len(answers.intersection(classes)) >= len(classes)]
        return tuple(dict.fromkeys(name for classes in (*named, *learned) for name in classes))
    return tuple(name for name in named[0] if all(name in classes for classes in named)) if named else ()


@dataclass(frozen=True, repr=False)
class Reused:
    """What old labels say about a new model.

    Attributes
    ----------
    estimate : its accuracy, with the intervals.
    headline : which interval holds: "fixed" where each plan was labeled to its end, else "always" where there is a stop-safe
        one, else None.
    reused, labeled : labels that say whether the new model is right, and all that were given.
    difference : new minus old; None where the old predictions are not available.
    difference_headline : as ``headline``, of the difference.
    differing, differing_labeled : inputs on which the two predict differently, and how many of those are labeled; None
    without the old predictions.
    warning : where the fixed-size interval of the difference counts and is an earlier one, when that misses; else "".
    power : the chance that ``labels_to_tell`` is about; ``at_power`` asks for another one.
    gains, size : what ``labels_to_tell`` follows from, of each differing input and all N.
    """

    estimate: Estimate
    headline: Headline | None
    reused: int
    labeled: int
    difference: Difference | None = None
    difference_headline: Headline | None = None
    differing: int | None = None
    differing_labeled: int | None = None
    warning: str = ""
    power: float = POWER
    gains: Floats | None = field(default=None, compare=False)
    size: int = 0

    def __repr__(self) -> str:
        return " ".join(self._sentences())

    @property
    def labels_to_tell(self) -> int | None:
        """More labels of differing inputs that show with the chance ``power`` which version is better.

        As if the difference were as it seems. None where it seems to be 0, nothing is left to label, or the interval tells it
        already.
        """
        gap = self.difference
        if self.gains is None or gap is None or not gap.low <= 0 <= gap.high:
            return None
        return labels_to_tell(gap.value, self.gains, self.size, self.estimate.level, self.power)

    def at_power(self, power: float) -> "Reused":
        """Ask for another chance than 0.9 of ``labels_to_tell``; BadInput where it is not above 0.5 and below 1."""
        return replace(self, power=check_power(power))

    def _repr_html_(self) -> str:
        return paragraphs(self._sentences())

    def _sentences(self) -> tuple[str, ...]:
        """The accuracy with the interval that counts, and the difference where it is known."""
        found, share = self.estimate, SHARE_RIGHT
        labels = f"by {commas(self.reused)} of {commas(self.labeled)} labels given before"
        interval = interval_words(found, self.headline, share) or "(no valid interval yet)"
        said = f"{share.title} {share.value(found.accuracy)} {interval}, {labels}."
        if self.difference is None:
            return (said,)
        gap, counts = self.difference, self.difference_headline
        reach = (gap.low, gap.high) if counts == "fixed" else (gap.always_low, gap.always_high)
        low, high = reach if counts else (None, None)
        if low is None or high is None:
            return said, f"Its difference from the version before is {share.difference(gap.value)}."
        better = f"It is {better_or_worse(low, high)} than the version before."
        return said, " ".join(filter(None, [better, self.how_to_tell, self.warning]))

    @property
    def how_to_tell(self) -> str:
        """How many more labels would show which version is better, as a sentence; "" where that is shown or unknown."""
        more, left = self.labels_to_tell, (self.differing or 0) - (self.differing_labeled or 0)
        if more is None:
            return ""
        if more >= left:
            return f"Only labels of all {commas(left)} other inputs on which they differ would tell which is better."
        chance = level_words(self.power)
        return f"About {commas(more)} labels where they differ would show with a {chance} chance which is better."

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every field of the estimate beside them."""
        apart = (
            None
            if self.differing is None
            else {
                "inputs": self.differing,
                "labeled": self.differing_labeled,
                "labels_to_tell": self.labels_to_tell,
                "power": self.power,
            }
        )
        difference = None
        if self.difference is not None:
            difference = {**asdict(self.difference), "headline": self.difference_headline, "warning": self.warning}
        return {
            **self.estimate.to_json(),
            "labeled": self.labeled,
            "headline": self.headline,
            "reused": self.reused,
            "difference": difference,
            "disagreements": apart,
        }


class PooledAnswers:
    """What the votes of several plans say about each input, whichever plan drew it: its class, or classes that it is not.

    A label names the class, also one that only a later version has. "Right" names what the old version predicted; "wrong"
    says only that it is not that, and "none of these" without a name that it is none of the plan's classes: the next version
    is wrong where it predicts one of these, and unsettled where it does not.
    """

    def __init__(self, plans: Sequence[LabeledPlan], inputs: Inputs, old: Inputs | None) -> None:
        self.classes: dict[int, int] = {}
        self.excluded: dict[int, int] = {}
        self.unnamed: dict[int, frozenset[int]] = {}
        """The classes that inputs with a label without a name are not."""
        for one in plans:
            offered = frozenset(
                place for place in map(ClassIndex(inputs.task.classes).get, one.classes) if place is not None
            )
            for row, cell in one.votes.items():
                if cell == "":
                    continue
                if one.kind == "label":
                    answer = _answer(cell, row, one, inputs)
                    if answer == "":
                        self.unnamed[row] = offered or frozenset(range(len(inputs.task.classes)))
                    else:
                        self._keep(row, UNKNOWN if isinstance(answer, str) else int(answer))
                    continue
                if old is None:
                    raise BadInput(
                        "The votes say right or wrong and not which class, and the table that the plan was made from "
                        "was not found; a verdict is on its predictions. Give it with --old, or votes with the column "
                        "label."
                    )
                predicted = int(old.predictions[row])
                if is_failed(one.kind, cell, row):
                    self.excluded[row] = predicted
                else:
                    self._keep(row, predicted)
        for row in self.unnamed.keys() & self.classes.keys():
            if self.classes[row] in self.unnamed[row]:
                raise BadInput(_TWO_LABELS.format(row=row))
            del self.unnamed[row]

    def _keep(self, row: int, place: int) -> None:
        before = self.classes.setdefault(row, place)
        if before != place:
            raise BadInput(_TWO_LABELS.format(row=row))

    def judged(self, inputs: Inputs) -> Floats:
        """The losses of a model by these answers, (N,), nan where they do not settle them."""
        found = np.full(len(inputs), np.nan)
        for row, place in self.excluded.items():
            if inputs.predictions[row] == place:
                found[row] = 1.0
        for row, places in self.unnamed.items():
            if int(inputs.predictions[row]) in places:
                found[row] = 1.0
        answers = {row: "" if place == UNKNOWN else place for row, place in self.classes.items()}
        found[list(answers)] = inputs.losses_of(answers)
        return found


_TWO_LABELS = "Row {row} has two different labels in the votes. Expected one truth for each input. Correct one of them."


def _answer(cell: str, row: int, one: LabeledPlan, inputs: Inputs) -> Any:
    """What a label says: a class of the model, or the name of what is none, "" without one; BadInput where it is no label."""
    known = cell in one.outside or (cell in one.classes and cell not in inputs.task.classes)
    return inputs.task.stored_answer(cell) if known else class_of_label(cell, row, inputs)


def reuse_labels(
    new: Inputs,
    plans: Sequence[LabeledPlan],
    *,
    old: Inputs | None = None,
    against: Inputs | None = None,
    others: Sequence[OtherModel] = (),
    level: float = 0.95,
) -> Reused:
    """The accuracy of a new model on the inputs of the plans, from the labels given then, and the difference to the old one.

    Exactly unbiased for a model that was neither trained nor chosen on these labels, where each plan was labeled to its end.
    Several plans are combined with weights that no label and no draw has a part in. See ``estimate_with_learned_guesses``.

    Parameters
    ----------
    new : the new model's predictions, input i being row i of the plans.
    old : the predictions the plans were made from, in the same order and numbering of classes; they help to guess
    where the new model fails, and are needed for votes that name no class.
    against : the version whose accuracy the difference is from; the old one where None.
    others : further models.

    Raises
    ------
    BadInput : plans of another number of inputs, a vote on a row that was not drawn, votes without classes and no ``old``.
    NotEnoughLabels : a plan gives no estimate yet; the message says what is missing.
    """
    for one in plans:
        check_plan(one, new)
    answers = PooledAnswers(plans, new, old)
    models = [*(as_other(one) for one in (old, against) if one is not None), *others]
    guesses = VersionGuesses(new, models)
    even = EVEN_SHARE_BESIDE_A_VERSION if guesses.knows_others else None
    chances, losses = guesses.chances, answers.judged(new)
    parts, always = [], []
    for one in plans:
        if not says_accuracy(one.plan):
            continue
        verdicts = verdicts_of(one, losses)
        found = estimate_with_learned_guesses(one.plan.design, verdicts, guesses.learn, level=level, even=even)
        found = with_honest_interval(found, one.plan.request.technique)
        parts.append(Part(found, predicted_variance(one, chances * (1 - chances), len(new))))
        always.append(is_complete(one.plan, one.votes))
    if not parts:
        raise BadInput(
            "Every plan was drawn for a difference, among the inputs where two versions differ, so none says how "
            "accurate one of them is. Expected the plan they were added to. Name it with --plan and --votes."
        )
    estimate = combined(parts, level)
    given = {row for one in plans for row, cell in one.votes.items() if cell != ""}
    settled = {row for one in plans for row in one.votes if not np.isnan(losses[row])}
    estimate = replace(estimate, labeled=len(settled))  # a label that two plans use is one label
    against = against or old
    if against is None:
        return Reused(estimate, headline_of(all(always), estimate.low, estimate.always_low), len(settled), len(given))
    difference, complete = _difference(plans, new, against, models, answers, guesses, level)
    apart = new.predictions != against.predictions
    headline = None if difference is None else headline_of(complete, difference.low, difference.always_low)
    warning = ""
    if difference is not None and headline == "fixed" and difference.low < difference.high:
        warning = earlier_interval_words([one.plan for one in plans if _is_of(one.plan, apart)])
    return Reused(
        estimate,
        headline_of(all(always), estimate.low, estimate.always_low),
        len(settled),
        len(given),
        difference,
        headline,
        int(apart.sum()),
        len([row for row in given if apart[row]]),
        warning=warning,
        gains=(answers.judged(against) - losses)[apart],
        size=len(new),
    )


SUPPOSED = (0.2, 0.4, 0.6, 0.8)
"""Differences for which labels are predicted, as shares of the largest one that the predictions allow."""


def labels_before_any(size: int, differing: int, *, level: float = 0.95, power: float = POWER) -> dict[float, int]:
    """How many labels where two versions differ show which one is better, before there is any, by the difference supposed.

    As if one version were right wherever they differ, which takes the most labels.

    >>> labels_before_any(3000, 150)
    {0.01: 95, 0.02: 41, 0.03: 17, 0.04: 6}
    """
    nothing, supposed = np.full(differing, np.nan), [round(share * differing / size, 6) for share in SUPPOSED]
    needed = ((apart, labels_to_tell(apart, nothing, size, level, power)) for apart in supposed)
    return {apart: labels for apart, labels in needed if labels is not None}


def power_words(size: int, differing: int, needed: Mapping[float, int], power: float = POWER) -> tuple[str, ...]:
    """The labels of ``labels_before_any`` as a sentence, then one for each difference.

    >>> power_words(3000, 150, {0.02: 43})[1].replace("\u00a0", " ")
    'if they are 2.0 points apart: about 43 labels'
    """
    if not differing:
        return ("The versions predict the same everywhere. No label would tell them apart.",)
    said = (
        f"The versions differ on {counted(differing, 'input')} of {commas(size)}, so they are at most "
        f"{points(differing / size)} apart. Labels drawn there show with a {level_words(power)} chance which is better:"
    )
    return said, *(
        f"if they are {points(apart)} apart: about {counted(labels, 'label')}" for apart, labels in needed.items()
    )


def _difference(
    plans: Sequence[LabeledPlan],
    new: Inputs,
    old: Inputs,
    others: Sequence[OtherModel],
    answers: PooledAnswers,
    guesses: VersionGuesses,
    level: float,
) -> tuple[Difference | None, bool]:
    """New minus old, and whether each plan behind it is complete; None where a plan's design gives no difference."""
    apart = new.predictions != old.predictions
    drawn = [one for one in plans if isinstance(one.plan.design, DIFFERENCES) and _is_of(one.plan, apart)]
    if not drawn:
        return None, False
    before = VersionGuesses(old, [as_other(new), *others])
    new_losses, old_losses = answers.judged(new), answers.judged(old)
    half_points = np.where(apart, (new_losses - old_losses + 1) / 2, 0.5)  # (N,), nan where the votes do not settle it
    spreads = np.where(apart, predicted_spread(guesses.chances, before.chances), 0.0) / 4

    def learn(rows: NDArray[np.intp], _: Floats) -> Floats:
        """Half-points of all inputs, from the losses of both at these rows."""
        sides = []
        for fit, losses in ((guesses, new_losses), (before, old_losses)):
            settled = rows[~np.isnan(losses[rows])]
            sides.append(fit.learn(settled, losses[settled]))
        return np.where(apart, (sides[0] - sides[1] + 1) / 2, 0.5)

    found, variances = [], []
    for one in drawn:
        verdicts = verdicts_of(one, half_points)
        certain = _certain_strata(one.plan)
        design = one.plan.design
        found.append(
            difference_with_learned_guesses(design, verdicts, learn, spreads, apart, level=level, certain=certain)
        )
        variances.append(predicted_variance(one, spreads, len(new)))
    gap = within_reach(combined_differences(found, variances), (old_losses - new_losses)[apart], len(new))
    return gap, all(is_complete(one.plan, one.votes) for one in drawn)


def earlier_interval_words(plans: Sequence[Plan]) -> str:
    """That the draws of one of these plans give a difference the earlier interval, and when that misses; else "".

    Plans made before keep it, and samples in strata besides rrs, rra and a top-up have it.
    """
    stratified = [one.design for one in plans if isinstance(one.design, Stratified | Rounds)]
    if all(map(is_renewed, stratified)):
        return ""
    return (
        "The plan has the earlier interval of a difference. Where few labels lie among the inputs on which the versions "
        "differ, and most of these got worse, it can miss in 13 of 100 cases, not in 5."
    )


DIFFERENCES = (SimpleRandom, Stratified, Rounds)
"""Designs from which a difference is estimated."""


def differing_digest(apart: NDArray[np.bool_]) -> str:
    """Of the inputs on which two versions differ, (N,), by which a top-up for their difference is known again."""
    return of_array(apart.astype(np.uint8))


def says_accuracy(plan: Plan) -> bool:
    """Whether the plan covers all inputs, and not those alone on which two versions differ."""
    return plan.resolved.get(PURPOSE) not in ("difference", GATE)


def _is_of(plan: Plan, apart: NDArray[np.bool_]) -> bool:
    """Whether the plan can judge versions that differ there: not a gate, which ends by its labels, or a top-up for others."""
    if plan.resolved.get(PURPOSE) == GATE:
        return False
    return plan.resolved.get(PURPOSE) != "difference" or plan.resolved.get(DIFFERING) == differing_digest(apart)


def _certain_strata(plan: Plan) -> frozenset[int]:
    """Strata of a top-up for a difference from which nothing is drawn, because the predictions are the same there."""
    if plan.resolved.get(PURPOSE) != "difference":
        return frozenset()
    return frozenset(range(len(plan.design.stratum_sizes))) - {draw.stratum for draw in plan.draws}


def predicted_spread(new: Floats, old: Floats) -> Floats:
    """Variance of loss of the new model less loss of the old one, (N,), where they differ: at most one of them is right."""
    return np.asarray(np.maximum(new + old - (new - old) ** 2, 0.0))


def as_other(inputs: Inputs) -> OtherModel:
    """The old version as another model."""
    return OtherModel("the old version", inputs.predictions, inputs.confidence)


def verdicts_of(one: LabeledPlan, losses: Floats) -> list[Verdict]:
    """A verdict for each draw up to the last that was voted on, and for those that earlier plans know.

    The loss is None where the votes do not settle it.
    """
    known = set(one.plan.resolved.get(KNOWN, ()))
    draws = one.plan.draws
    reached = max((position + 1 for position, draw in enumerate(draws) if draw.row in one.votes), default=0)
    if not reached:
        raise NotEnoughLabels(
            "The votes of a plan contain no label yet; an estimate needs at least 1. Label some inputs."
        )
    return [
        Verdict(draw, None if np.isnan(losses[draw.row]) else float(losses[draw.row]))
        for position, draw in enumerate(draws)
        if position < reached or draw.row in known
    ]


def predicted_variance(one: LabeledPlan, spreads: Floats, size: int) -> float:
    """Of the plan's estimate, from how many it drew and the losses' predicted variances (N,): no label and no draw counts.

    Unequal chances are taken to follow s = 0.7 r / mean r + 0.3, r the root of the predicted variance.
    """
    known = len(one.plan.resolved.get(KNOWN, ()))
    drawn, open_ = one.plan.design.planned - known, float(size - known)
    if one.plan.resolved.get(PURPOSE) == "difference":  # drawn where the versions differ alone
        differ = spreads > 0
        open_ *= float(differ.mean())
        spreads = spreads[differ]
    root = np.sqrt(spreads)
    if isinstance(one.plan.design, SimpleRandom) or not root.any():
        mean = float(spreads.mean())
    else:
        weights = 0.7 * root / root.mean() + 0.3
        mean = float((spreads / weights).mean() * weights.mean())
    return (open_ / size) ** 2 * mean / drawn * max(1 - drawn / open_, 0.0)


def check_plan(one: LabeledPlan, new: Inputs) -> None:
    """BadInput where the plan is of another number of inputs, UnknownRow where a vote is on a row it did not draw."""
    design: Design = one.plan.design
    if design.size != len(new):
        raise BadInput(
            f"The plan is of {commas(design.size)} inputs and the new model predicts {commas(len(new))}. Expected predictions "
            "of the inputs the plan was made for, or a column 'key' in both tables. Export them again."
        )
    drawn = {draw.row for draw in one.plan.draws}
    strange = next((row for row in one.votes if row not in drawn), None)
    if strange is not None:
        raise UnknownRow(
            f"Row {strange} has an answer, but its plan did not pick it. Expected each plan with its votes. Name them in order."
        )


def renumbered(inputs: Inputs, classes: Sequence[str]) -> Inputs:
    """The predictions with their classes numbered as in ``classes``, among which they must be."""
    own = inputs.task.classes
    if tuple(own) == tuple(classes):
        return inputs
    index = ClassIndex(classes)
    strange = index.first_unknown(sorted({own[place] for place in set(inputs.predictions.tolist())}))
    if strange is not None:
        raise BadInput(
            f"It predicts the class {strange!r:.40}, which was not among the answers when these inputs were "
            f"labeled. Expected the classes {', '.join(classes)!s:.80}. Use the same names, or label a new plan of it."
        )
    numbers = index.indices(own, UNKNOWN)
    said = inputs.predictions.copy()
    for place in set(said.tolist()):
        said[inputs.predictions == place] = numbers[place]
    return replace(
        inputs, task=Classification(tuple(classes)), predictions=said, probabilities=None, losses=None, truth=None
    )
