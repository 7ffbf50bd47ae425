"""Which interval a design gets: one line for each kind of design and of loss, for the docs, the estimators and the tests."""

from dataclasses import dataclass
from typing import Literal

from testimate.core.design import (
    Design,
    Groups,
    PerDraw,
    Purposive,
    Rounds,
    Sequential,
    SimpleRandom,
    Stratified,
    StratifiedAsPublished,
    TwoStage,
    WholeGroups,
)
from testimate.core.errors import BadInput

Losses = Literal["pass or fail", "other losses"]


@dataclass(frozen=True)
class IntervalLine:
    """What a design gets for a kind of loss.

    Attributes
    ----------
    design : the kind of design.
    losses : "pass or fail" (classes, multi-label, top-k) or "other losses" (regression).
    ordinary : name of the interval as an estimate's ``method`` gives it; empty where there is no honest one.
    conservative : name of the choice that covers at least as often as it claims; empty where there is none.
    setting : what the estimator's ``interval`` is called for the conservative choice; empty where there is none.
    always_valid : whether there is an interval that is right whenever one stops.
    note : on what condition there is one, or why there is none; one sentence for the reader.
    model : of a model-assisted estimate, which one: "difference" or "regression"; empty for the design's own estimate.
    """

    design: type[Design]
    losses: Losses
    ordinary: str
    conservative: str
    setting: str
    always_valid: bool
    note: str
    model: Literal["", "difference", "regression"] = ""


_BOUND = "where the task has a largest loss"
_LEFT = "each input is drawn from what its stratum has left, so the terms of the draws have no common mean to bet on"
_OWN_GROUP = "a draw represents only its own group, whose mean is not that of the set"
_WHOLE = "the labels of a group are not independent of each other, and groups are of different sizes"
_CHANGING = "the chance of a draw depends on the draws before it, and how small it may become is not known in advance"
_NO_CHANCES = "there are no chances, so there is no honest interval at all"
_BIASED = "the published arithmetic is biased, so there is no honest interval at all"
_NOT_IN_TURN = (
    "only where each round visits every stratum once (rrs); otherwise a stratum may have to wait, and the bets with it"
)

INTERVALS: tuple[IntervalLine, ...] = (
    IntervalLine(SimpleRandom, "pass or fail", "Wilson", "Clopper-Pearson", "clopper-pearson", True, ""),
    IntervalLine(SimpleRandom, "other losses", "skewness-corrected t", "", "", True, _BOUND),
    IntervalLine(Stratified, "pass or fail", "score", "Korn-Graubard", "korn-graubard", True, _NOT_IN_TURN),
    IntervalLine(Stratified, "other losses", "skewness-corrected t", "", "", True, f"{_NOT_IN_TURN}; {_BOUND}"),
    IntervalLine(Rounds, "pass or fail", "score", "Korn-Graubard", "korn-graubard", True, ""),
    IntervalLine(Rounds, "other losses", "skewness-corrected t", "", "", True, _BOUND),
    IntervalLine(
        PerDraw, "pass or fail", "logit", "Korn-Graubard", "korn-graubard", True, "where the smallest chance is above 0"
    ),
    IntervalLine(PerDraw, "other losses", "t", "", "", True, f"where the smallest chance is above 0; {_BOUND}"),
    IntervalLine(TwoStage, "pass or fail", "logit", "", "", False, _LEFT),
    IntervalLine(TwoStage, "other losses", "t", "", "", False, _LEFT),
    IntervalLine(Groups, "pass or fail", "logit", "", "", False, _OWN_GROUP),
    IntervalLine(Groups, "other losses", "t", "", "", False, _OWN_GROUP),
    IntervalLine(WholeGroups, "pass or fail", "Wilson", "", "", False, _WHOLE),
    IntervalLine(WholeGroups, "other losses", "skewness-corrected t", "", "", False, _WHOLE),
    IntervalLine(Sequential, "pass or fail", "logit", "", "", False, _CHANGING),
    IntervalLine(Sequential, "other losses", "t", "", "", False, _CHANGING),
    IntervalLine(StratifiedAsPublished, "pass or fail", "", "", "", False, _BIASED),
    IntervalLine(StratifiedAsPublished, "other losses", "", "", "", False, _BIASED),
    IntervalLine(Purposive, "pass or fail", "", "", "", False, _NO_CHANCES),
    IntervalLine(Purposive, "other losses", "", "", "", False, _NO_CHANCES),
)
"""Two lines for each kind of design, in the order of the docs."""

_OWN = "the design's own, without the model"

ASSISTED_INTERVALS: tuple[IntervalLine, ...] = (
    IntervalLine(SimpleRandom, "pass or fail", "score", "Korn-Graubard", "korn-graubard", True, _OWN, "difference"),
    IntervalLine(SimpleRandom, "pass or fail", "score", "Korn-Graubard", "korn-graubard", True, _OWN, "regression"),
    IntervalLine(SimpleRandom, "other losses", "skewness-corrected t", "", "", True, f"{_OWN}; {_BOUND}", "regression"),
    IntervalLine(Stratified, "pass or fail", "score", "Korn-Graubard", "korn-graubard", True, _OWN, "difference"),
    IntervalLine(Stratified, "pass or fail", "score", "Korn-Graubard", "korn-graubard", True, _OWN, "regression"),
    IntervalLine(Stratified, "other losses", "skewness-corrected t", "", "", True, f"{_OWN}; {_BOUND}", "regression"),
)
"""Of model-assisted estimates, in the order of the docs; a score that is not a chance can only be regressed on."""


def interval_line(design: type[Design], losses: Losses) -> IntervalLine:
    """The line of a kind of design.

    >>> interval_line(Stratified, "pass or fail").conservative
    'Korn-Graubard'
    """
    return next(line for line in INTERVALS if line.design is design and line.losses == losses)


def setting_of(design: Design, interval: str) -> str | None:
    """The setting of this design's estimator for the "ordinary" (None: nothing) or "conservative" interval.

    BadInput where the choice is not known, or the design has no conservative interval.
    """
    if interval == "ordinary":
        return None
    if interval != "conservative":
        raise BadInput(f"The interval is {interval!r:.40}. Expected ordinary or conservative. Choose one of these.")
    setting = interval_line(type(design), "pass or fail").setting
    if not setting:
        having = ", ".join(dict.fromkeys(line.design.kind for line in INTERVALS if line.setting))
        raise BadInput(
            f"A {design.kind} design has no conservative interval; there is one for these designs: {having}. "
            "Take the ordinary one, or select with a technique of one of these."
        )
    return setting
