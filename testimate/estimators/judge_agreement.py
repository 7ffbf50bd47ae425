"""How far a judge who saw every input agrees with the people who saw some: kappa of the whole set."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.draw_weights import WEIGHED, draw_weights
from testimate.estimators.intervals import check_level, t_quantile
from testimate.estimators.ratios import FEWEST, too_few


@dataclass(frozen=True)
class JudgeAgreement:
    """What the labels say about a judge over all inputs.

    Attributes
    ----------
    labeled : how many labels it is based on.
    agreement : estimated share of all inputs on which judge and people say the same, 0..1; None where ``why`` says why.
    kappa, low, high : agreement beyond chance, at most 1, with the ends of its interval; None as above, where one of the two
        always says the same, and where fewer than ``FEWEST`` labels are right, or not right: the interval of kappa then holds
        86 % in place of 95 % (docs/studies/verdicts.md).
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
