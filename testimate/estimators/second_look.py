"""Testers err too: which answers to look at again, and the estimate corrected by what the second look says.

How far a judge who saw every input agrees with the people who saw some: kappa of the whole set.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.estimators.adaptive_rounds import inputs_spoken_for, standing_sample
from testimate.estimators.intervals import t_quantile
from testimate.estimators.sample import need_labels, round_sample_of, sample_of
from testimate.estimators.weights import FEWEST, WEIGHED, draw_weights, too_few

# Which answers are looked at again, and why not those that look wrong: decision 63.
ERROR_RATE = 0.02
"""Share of wrong answers expected before any is looked at again."""

EVEN_SHARE = 0.3
"""Part of the second looks that every answer has alike, so that an error nobody expects is found too."""


@dataclass(frozen=True, eq=False)
class Answered:
    """The settled inputs of a sample, each once, that count in the estimate.

    Attributes
    ----------
    rows : (n,) distinct rows in the order of drawing.
    failed : (n,) 1.0 where the first answer says that the network failed, else 0.0.
    weights : (n,) by how much the estimated failure rate rises if this input failed, above 0.
    """

    rows: NDArray[np.intp]
    failed: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class SecondLook:
    """An input that was looked at again: its row, the chance (0, 1] with which it was, and its loss by the second look."""

    row: int
    chance: float
    loss: float


@dataclass(frozen=True)
class Corrected:
    """An estimate corrected by second looks.

    Attributes
    ----------
    estimate : corrected, with its interval at a size fixed in advance; there is no always-valid one.
    looked_at, changed : answers that were looked at again, and those among them that changed.
    """

    estimate: Estimate
    looked_at: int
    changed: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values: those of the estimate, and both counts."""
        return {**self.estimate.to_json(), "looked_at": self.looked_at, "changed": self.changed}


def answered_of(design: Design, verdicts: Sequence[Verdict]) -> Answered:
    """The answers that count in the estimate of pass or fail, each with its weight in it.

    The estimate is linear in the losses: an input weighs 1 / n in a simple random sample, W_h / n_h in a stratified one,
    1 / (n N p) for each time it was drawn by its chance p, and in adaptive rounds what it counts in its own round and in the
    rounds after it, which start from what is known.

    Raises
    ------
    WrongDesign : a design whose estimate is not one of these.
    BadInput : losses other than 0 and 1.
    NotEnoughLabels : nothing is settled yet, or in adaptive rounds no whole round.

    >>> from testimate.core.draw import Draw
    >>> labels = [Verdict(Draw(0, stratum=0), 1.0), Verdict(Draw(5, stratum=1), 0.0), Verdict(Draw(6, stratum=1), 0.0)]
    >>> answered_of(Stratified(stratum_sizes=(4, 6), planned=3), labels).weights
    array([0.4, 0.3, 0.3])
    """
    if not isinstance(design, SimpleRandom | Stratified | PerDraw | Rounds):
        raise WrongDesign(
            f"A second look was asked for on a {design.kind} design; it corrects simple random, stratified and "
            "per-draw samples and adaptive rounds. Keep the plain estimate."
        )
    rows = np.array([verdict.draw.row for verdict in verdicts], dtype=np.intp)
    if isinstance(design, Rounds):
        rounds = round_sample_of(design, verdicts, 1.0)
        need_labels(rounds)
        standing = standing_sample(rounds, verdicts)[0]
        count = standing.losses.size
        settled, losses = rounds.settled[:count], standing.losses
        weights: NDArray[np.float64] = inputs_spoken_for(standing) / design.size
        rows = rows[:count]
    else:
        sample = sample_of(design, verdicts, 1.0)
        need_labels(sample)
        settled, losses = sample.settled, sample.losses
        n = sample.labeled
        if isinstance(design, PerDraw):
            weights = 1 / (n * design.size * sample.probabilities)
        elif isinstance(design, Stratified):
            sizes = np.asarray(design.stratum_sizes)
            counts = np.bincount(sample.strata[settled], minlength=len(sizes))
            weights = (sizes / design.size / np.maximum(counts, 1))[sample.strata]
        else:
            weights = np.full(rows.size, 1 / n)
    rows, losses, weights = rows[settled], losses[settled], weights[settled]
    if not np.isin(losses, (0.0, 1.0)).all():
        other = losses[~np.isin(losses, (0.0, 1.0))][0]
        raise BadInput(
            f"A second look was asked for on losses such as {other:g}; it corrects answers that are right or wrong. "
            "For numbers, give a tolerance."
        )
    distinct, first, place = np.unique(rows, return_index=True, return_inverse=True)
    summed = np.bincount(place, weights, distinct.size).astype(np.float64)
    order = np.argsort(first)
    return Answered(distinct[order], losses[first[order]].astype(np.float64), summed[order])


def second_look_chances(answered: Answered, failing: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The chance (n,) with which each answer is looked at again, summing to ``count``.

    Proportional to its weight times the root of the chance that it is wrong, with an even share besides. That chance is e (1 -
    p) / (e (1 - p) + (1 - e) p) where the answer says that the network failed, p the chance of failing and e the testers'
    error rate, and e p / (e p + (1 - e) (1 - p)) where it says that it was right.

    Parameters
    ----------
    failing : (n,) chance that the network fails on each of these inputs before it was labeled, strictly between 0 and 1.
    count : answers to look at again, 1..n.
    """
    n = answered.rows.size
    if not 1 <= count <= n:
        raise BadInput(
            f"{count} answers were to be looked at again. Expected 1 to {n}, the number of answers that count. Change it."
        )
    wanted = answered.weights * np.sqrt(chance_of_error(answered.failed, failing))
    size = (1 - EVEN_SHARE) * wanted / wanted.mean() + EVEN_SHARE
    chances, certain = np.zeros(n), np.zeros(n, dtype=bool)
    while True:  # what would exceed 1 is certain, and the others share the rest
        free = ~certain
        chances[certain] = 1.0
        if free.any():
            chances[free] = (count - certain.sum()) * size[free] / size[free].sum()
        beyond = free & (chances >= 1)
        if not beyond.any():
            return chances
        certain |= beyond


def chance_of_error(failed: NDArray[np.float64], failing: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance (n,) that an answer is wrong, by Bayes from the chance of failing and ERROR_RATE."""
    e = ERROR_RATE
    if_failed = e * (1 - failing) / (e * (1 - failing) + (1 - e) * failing)
    if_right = e * failing / (e * failing + (1 - e) * (1 - failing))
    return np.asarray(np.where(failed > 0, if_failed, if_right))


def draw_second_looks(chances: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Places to look at again, as many as the chances sum to, in random order: each with its own chance exactly.

    Systematic in an order drawn at random (Madow 1949).
    """
    order = rng.permutation(chances.size)
    steps = np.floor(np.concatenate([[0.0], np.cumsum(chances[order])]) + rng.random())
    steps[-1] = steps[0] + round(float(chances.sum()))  # rounding may neither lose one nor add one
    taken: NDArray[np.intp] = order[np.diff(np.minimum(steps, steps[-1])) > 0]
    return rng.permutation(taken)


def corrected_by_second_looks(
    plain: Estimate, answered: Answered, looks: Sequence[SecondLook], failing: NDArray[np.float64]
) -> Corrected:
    """The estimate with what the second looks say: plain failure rate + sum of weight (second - first) / chance.

    Exactly as unbiased as the plain estimate is with the answers of the second look, whoever erred and how often, as long
    as those looked at were drawn by their chances (Horvitz and Thompson 1952, of the differences; two-phase sampling,
    Sarndal, Swensson and Wretman 1992, chapter 9).

    The interval joins the plain one with the error of the correction (Zou and Donner 2008): each end lies as far from the
    corrected estimate as the root of (end - plain)^2 + (z s)^2. s^2 is the estimated variance of the correction, or where it
    is larger the expected one, at the error rate that was found (as if one more error had been found and expected).

    Parameters
    ----------
    plain : the estimate from the first answers.
    failing : (n,) as for ``second_look_chances``.

    Raises
    ------
    BadInput : an input that has no answer that counts or occurs twice, a chance outside (0, 1], a loss other than 0 and 1.
    """
    places = {int(row): place for place, row in enumerate(answered.rows)}
    rows = [look.row for look in looks]
    for place, look in enumerate(looks):
        if look.row not in places or look.row in rows[:place]:
            what = "occurs twice" if look.row in places else "has no first answer that counts in the estimate"
            raise BadInput(
                f"Row {look.row} was looked at again and {what}. Expected each answered input once. Remove it."
            )
        if not 0 < look.chance <= 1 or look.loss not in (0.0, 1.0):
            raise BadInput(
                f"Row {look.row} was looked at again with the chance {look.chance} and the loss {look.loss}. Expected a chance "
                "above 0 and at most 1, as it was drawn, and right (0) or wrong (1). Restore it."
            )
    at = np.array([places[row] for row in rows], dtype=np.intp)
    chance = np.array([look.chance for look in looks])
    off = np.array([look.loss for look in looks]) - answered.failed[at]
    weight = answered.weights[at]
    shift = float((weight * off / chance).sum())
    left = weight**2 * (1 - chance) / chance**2
    expected_errors = chance_of_error(answered.failed[at], failing[at])
    more = (1 + np.abs(off).sum()) / (1 + expected_errors.sum())
    spread = float(np.sqrt(max((left * off**2).sum(), min(more, 1 / ERROR_RATE) * (left * expected_errors).sum())))
    return Corrected(_moved(plain, shift, spread, len(looks)), looked_at=len(looks), changed=int((off != 0).sum()))


def _moved(plain: Estimate, shift: float, spread: float, looks: int) -> Estimate:
    """The plain estimate with a failure rate higher by ``shift``, whose standard error is ``spread``."""
    accuracy = plain.accuracy - shift
    reach = t_quantile(plain.level, np.inf) * spread
    low = None if plain.low is None else float(np.clip(accuracy - hypot(plain.accuracy - plain.low, reach), 0, 1))
    high = None if plain.high is None else float(np.clip(accuracy + hypot(plain.high - plain.accuracy, reach), 0, 1))
    return replace(
        plain,
        accuracy=float(np.clip(accuracy, 0, 1)),
        standard_error=None if plain.standard_error is None else hypot(plain.standard_error, spread),
        low=low,
        high=high,
        always_low=None,
        always_high=None,
        settled_low=None,
        settled_high=None,
        skipped_low=None if plain.skipped_low is None else float(np.clip(plain.skipped_low - shift, 0, 1)),
        skipped_high=None if plain.skipped_high is None else float(np.clip(plain.skipped_high - shift, 0, 1)),
        method=f"{plain.method}, corrected by {looks} second looks",
    )


@dataclass(frozen=True)
class JudgeAgreement:
    """What the labels say about a judge over all inputs.

    Attributes
    ----------
    labeled : how many labels it is based on.
    agreement : estimated share of all inputs on which judge and people say the same, 0..1; None where ``why`` says why.
    kappa, low, high : agreement beyond chance, at most 1, with the ends of its interval; None as above, where one of the two
        always says the same, and where fewer than ``FEWEST`` labels are right, or not right: the interval of kappa then holds
        86% in place of 95% (docs/studies/verdicts.md).
    """

    labeled: int
    agreement: float | None = None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


def judge_agreement(
    design: Design,
    verdicts: Sequence[Verdict],
    judge: NDArray[np.bool_],
    people: NDArray[np.bool_],
    *,
    level: float = 0.95,
) -> JudgeAgreement:
    """Cohen's kappa of the whole set from weighted labels, with an interval by linearisation.

    Cohen 1960, eq. 1: kappa = 1 - (1 - p_o) / (1 - p_e); p_o is the share on which both agree and p_e that by chance, from
    the shares each calls right, all three estimated with the design's weights. The variance is that of the weighted sum of
    its influence (Sarndal, Swensson and Wretman 1992, section 5.5), which for a simple random sample is that of Fleiss, Cohen
    and Everitt 1969. Student's interval lies around log((1 + kappa) / (1 - kappa)), so that it stays below 1.

    Parameters
    ----------
    judge, people : (n,) whether each called the input of the verdict right; ignored where a verdict has no loss.

    Raises nothing: a design without weights, and one with too few labels, has a sentence in ``why``.
    """
    labeled = sum(one.loss is not None for one in verdicts)
    if not isinstance(design, WEIGHED):
        return JudgeAgreement(labeled, why=f"a {design.kind} design has no honest interval for this")
    if labeled < FEWEST:
        return JudgeAgreement(labeled, why=too_few(labeled))
    try:
        weights = draw_weights(design, verdicts)
    except NotEnoughLabels as error:
        return JudgeAgreement(labeled, why=str(error))
    w = weights.weights / weights.weights.sum()  # (n,)
    said, was = judge[weights.positions].astype(np.float64), people[weights.positions].astype(np.float64)
    agree = (said == was).astype(np.float64)
    observed, judged, right = float(w @ agree), float(w @ said), float(w @ was)
    chance = judged * right + (1 - judged) * (1 - right)
    if chance >= 1 - 1e-12:
        return JudgeAgreement(
            labeled, observed, why="judge or people always say the same, so there is no chance to beat"
        )
    rarer = int(min(was.sum(), (1 - was).sum()))
    if rarer < FEWEST:
        kind = "right" if was.sum() < len(was) / 2 else "not right"
        return JudgeAgreement(
            labeled, observed, why=f"for kappa there are too few labels that are {kind}: {rarer} of at least {FEWEST}"
        )
    kappa = 1 - (1 - observed) / (1 - chance)
    of_chance = (2 * right - 1) * (said - judged) + (2 * judged - 1) * (was - right)
    influence = (agree - observed) / (1 - chance) - (1 - observed) / (1 - chance) ** 2 * of_chance
    parts = (influence / weights.weights.sum())[:, None]
    spread = math.sqrt(float(weights.variance(parts)[0]))
    if spread < 1e-12 or abs(kappa) >= 1:
        return JudgeAgreement(
            labeled, observed, kappa, why="all labels agree, so the spread of kappa cannot be estimated"
        )
    half = t_quantile(check_level(level), len(w) - 1) * spread / (1 - kappa**2)  # of atanh(kappa)
    return JudgeAgreement(
        labeled, observed, kappa, math.tanh(math.atanh(kappa) - half), math.tanh(math.atanh(kappa) + half)
    )
