"""A gate that asks until it is decided: may the new version go out, by labels of the inputs where it and the old one differ."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import commas, counted, level_words, plural
from testimate.estimators.margin_test import (
    LONGEST,
    Decision,
    ExpectedLabels,
    MarginQuestion,
    Outcome,
    allowed_loss,
    decide,
    expected_labels,
)
from testimate.planning.estimate import KNOWN
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import (
    DIFFERING,
    GATE,
    PURPOSE,
    LabeledPlan,
    PooledAnswers,
    differing_digest,
)
from testimate.selectors.following import TopUp

POINTS, RISK, ORDER = "points", "risk", "order"
"""In what a gate's plan resolved: the margin, the risk, and the inputs in the order in which they count."""

ALIKE = 0.1
"""Share of the differing inputs on which neither version is right, before labels say it."""

PRICE = (
    "Outputs change with each version, so judging both takes about 460 to 1,350 labels. Compare them side by side instead: "
    "give output_a and output_b."
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Margin:
    """How many percentage points the new version may be worse, and the risk of either wrong answer."""

    points: float
    risk: float = 0.05

    def __post_init__(self) -> None:
        if not 0 <= self.points <= 100:
            raise BadInput(f"The margin is {self.points:g}. Expected 0 to 100 percentage points. Give 2, for example.")
        MarginQuestion(0, 0, self.risk)


@dataclass(frozen=True, repr=False)
class MarginGate:
    """Where a gate stands; it prints as a sentence.

    Attributes
    ----------
    margin : what is allowed. size, differing : inputs, and those on which the versions predict differently.
    known : gains of differing inputs that were labeled before the random order was made, nan if nobody could say.
    gains : gains of the others, in that order, up to the first one without a label.
    order : rows in that order, as far as it is known.
    begun : whether there is a plan that says all of it.
    """

    margin: Margin
    size: int
    differing: int
    known: Floats
    gains: Floats
    order: tuple[int, ...] = ()
    begun: bool = False

    @cached_property
    def decision(self) -> Decision:
        """The answer by now. Known gains that are open count for neither answer, so both questions are asked."""
        low, high = (decide(self._question(fill), self.gains) for fill in (-1.0, 1.0))
        found = [one for one, outcome in ((low, "pass"), (high, "fail")) if one.outcome == outcome]
        return min(found, key=lambda one: one.at or 0, default=Decision("undecided"))

    def _question(self, fill: float) -> MarginQuestion:
        gained = int(np.where(np.isnan(self.known), fill, self.known).sum())
        open_ = self.differing - len(self.known)
        return MarginQuestion(open_, allowed_loss(self.margin.points, self.size) + gained, self.margin.risk)

    @property
    def outcome(self) -> Outcome:
        """Whether the new version passes."""
        return self.decision.outcome

    @property
    def passed(self) -> bool:
        """Whether it is decided that the new version is worse by at most the margin."""
        return self.outcome == "pass"

    @property
    def labeled(self) -> int:
        """Differing inputs that have a label."""
        return len(self.known) + len(self.gains)

    @property
    def left(self) -> int:
        """Differing inputs that have none."""
        return self.differing - self.labeled

    @property
    def name(self) -> str:
        """The question, in a few words."""
        return margin_in_words(self.margin.points)

    @property
    def why(self) -> str:
        """What it rests on, in sentences."""
        risk = level_words(self.margin.risk)
        if not self.differing:
            return "The versions predict the same everywhere. No label is needed."
        differ = f"The versions differ on {counted(self.differing, 'input')} of {commas(self.size)}"
        if self.decision.at == 0 and not self.labeled:
            return f"{differ}, so it cannot be worse by more than the margin. No label is needed."
        if not self.labeled:
            return f"{differ}. None of these has a label yet."
        every = np.append(self.known, self.gains)
        gained, lost = int((every > 0).sum()), int((every < 0).sum())
        so_far = f"{differ}. {counted(self.labeled, 'label')} there: {commas(gained)} gained, {commas(lost)} lost"
        if self.outcome != "undecided":
            return f"{so_far}. Such an answer is wrong with a chance of at most {risk}, whenever it comes."
        if not self.left:
            return f"{so_far}. Answers that nobody could give leave it open."
        return f"{so_far}. {counted(self.left, 'input')} without a label."

    def __repr__(self) -> str:
        return f"{ANSWER[self.outcome]}: {self.name}. {self.why}"

    def expect(self, seed: int = 1) -> "tuple[ExpectedAt, ...]":
        """Return how many more labels a decision takes if the difference is the margin, none, and one that is lost."""
        points = self.margin.points
        every = np.append(self.known, self.gains)
        alike = (float((every == 0).sum()) + 10 * ALIKE) / (float((~np.isnan(every)).sum()) + 10)
        past = int(np.nansum(self.gains)) + int(np.nansum(self.known))
        question = self._question(0.0)
        rest = MarginQuestion(
            question.differing - len(self.gains), question.allowed + int(np.nansum(self.gains)), question.risk
        )
        truths = dict.fromkeys(sign * points for sign in (1.0, 0.0, -0.5, -2.0))
        return tuple(
            ExpectedAt(truth, expected_labels(rest, round(truth * self.size / 100) - past, alike, seed))
            for truth in truths
        )

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "outcome": self.outcome,
            "why": self.why,
            **asdict(self.margin),
            "inputs": self.size,
            "differing": self.differing,
            "labeled": self.labeled,
            "left": self.left,
        }


def margin_in_words(points: float) -> str:
    """What a new version passes by, as the name of a check.

    >>> margin_in_words(0), margin_in_words(1)
    ('no worse than the old version', 'worse than the old version by at most 1 point')
    """
    if points == 0:
        return "no worse than the old version"
    return f"worse than the old version by at most {points:g} point{plural(points)}"


ANSWER: Mapping[Outcome, str] = {"pass": "Pass", "fail": "Fail", "undecided": "Keep going"}


@dataclass(frozen=True)
class ExpectedAt:
    """How many labels are to be expected if the new version is better by ``points``; None if that is not possible."""

    points: float
    labels: ExpectedLabels | None

    @property
    def words(self) -> str:
        """The numbers, in a few words."""
        found = self.labels
        if found is None:
            return "not possible"
        if found.median >= LONGEST:
            return f"{commas(LONGEST)} or more"
        many = f"{commas(LONGEST)} or more" if found.most >= LONGEST else commas(found.most)
        return f"about {commas(found.median)}, in nine of ten cases at most {many}"


def margin_gate(
    new: Inputs, old: Inputs, gains: Mapping[int, float], plans: Sequence[Plan], margin: Margin
) -> MarginGate:
    """Return where the gate stands.

    A gate that was begun counts the inputs in the order of its plan. Before that, the draws of a random sample count first if
    they are all the labels there are, because those among them on which the versions differ are in random order, too. Labels
    that came about otherwise are known: they only leave fewer inputs to ask about, which holds however they were chosen.

    Parameters
    ----------
    new, old : predictions in one numbering of classes.
    gains : of each labeled row; see ``gains_of``.
    plans : those that drew the rows, in the order in which they were made.

    Raises BadInput if a gate of these versions was begun with another margin.
    """
    apart = new.predictions != old.predictions
    begun = next(
        (one for one in plans if is_gate(one) and one.resolved.get(DIFFERING) == differing_digest(apart)), None
    )
    if begun is None:
        order = _first_in_order(plans, gains)
        order = tuple(row for row in order if apart[row])
        known = [gains[row] for row in gains if apart[row] and row not in order]
    else:
        before = Margin(begun.resolved[POINTS], begun.resolved[RISK])
        if before != margin:
            raise BadInput(
                f"This gate was started with {before.points:g} point{plural(before.points)} at a risk of {before.risk:g}, and "
                f"{margin.points:g} point{plural(margin.points)} at {margin.risk:g} were asked. Expected the same. "
                "A margin chosen by the labels is none."
            )
        order = tuple(begun.resolved[ORDER])
        known = [gains.get(row, np.nan) for row in np.flatnonzero(apart).tolist() if row not in frozenset(order)]
    reached = next((place for place, row in enumerate(order) if row not in gains), len(order))
    return MarginGate(
        margin,
        len(new),
        int(apart.sum()),
        np.array(known, dtype=np.float64),
        np.array([gains[row] for row in order[:reached]], dtype=np.float64),
        order,
        begun is not None,
    )


def _first_in_order(plans: Sequence[Plan], labeled: Collection[int]) -> tuple[int, ...]:
    """The labeled rows in random order, if one random sample drew all of them and none was passed over."""
    if len(plans) != 1 or not isinstance(plans[0].design, SimpleRandom) or plans[0].design.replacement:
        return ()
    first = [draw.row for draw in plans[0].draws[: len(labeled)]]
    return tuple(first) if set(first) == set(labeled) else ()


def is_gate(plan: Plan) -> bool:
    """Whether the plan asks until a gate is decided."""
    return plan.resolved.get(PURPOSE) == GATE


def gate_plan(gate: MarginGate, new: Inputs, old: Inputs, gains: Mapping[int, float], like: Plan, seed: int) -> Plan:
    """Return the plan that asks about all differing inputs without a label, in random order; label it from its first draw on.

    Parameters
    ----------
    like : a plan of the same inputs, which says how their table was read.
    seed : determines the order.

    Raises BadInput if the gate is decided, or was begun before.
    """
    if gate.begun or gate.outcome != "undecided":
        so_far = "has already started" if gate.begun else f"is decided: {gate.outcome}"
        raise BadInput(
            f"The gate {so_far}. Expected one that has no answer and no plan yet. Leave --seed and --out out."
        )
    apart = new.predictions != old.predictions
    labeled = np.zeros(len(new), dtype=bool)
    labeled[list(gains)] = True
    fresh = np.random.default_rng([seed, 0x6A7E]).permutation(np.flatnonzero(apart & ~labeled))
    known = np.flatnonzero(labeled)
    parts = [fresh.size, known.size, int((~apart & ~labeled).sum())]
    draws = [Draw(int(row), None, 0, "where the versions differ") for row in fresh]
    of_known = [Draw(int(row), None, 1, "known already") for row in known]
    return replace(
        like,
        request=Request(TopUp.name, int(fresh.size), seed),
        design=Stratified(tuple(size for size in parts if size), len(draws) + len(of_known)),
        draws=(*draws, *of_known),
        told=(),
        resolved={
            PURPOSE: GATE,
            KNOWN: known.tolist(),
            DIFFERING: differing_digest(apart),
            POINTS: gate.margin.points,
            RISK: gate.margin.risk,
            ORDER: [*gate.order, *fresh.tolist()],
        },
        names={} if old.names is None else {draw.row: old.name_of(draw.row) for draw in (*draws, *of_known)},
        known={},
    )


def gains_of(plans: Sequence[LabeledPlan], new: Inputs, old: Inputs) -> dict[int, float]:
    """Return what the votes of several plans say about each labeled row: as in ``decide``, nan if nobody could say.

    A row whose votes say "wrong" and not which class is left out where that does not settle it, and asked again.
    """
    gate = next((one for one in plans if is_gate(one.plan) and one.kind != "label"), None)
    if gate is not None:
        raise BadInput(f"The gate's votes have the column {gate.kind}. Expected label, the class of each. Give that.")
    pooled = PooledAnswers(plans, new, old)
    gains = pooled.judged(old) - pooled.judged(new)
    seen = sorted({row for one in plans for row in one.votes})
    again = [row for row in seen if np.isnan(gains[row]) and row in pooled.excluded]
    return {row: float(gains[row]) for row in seen if row not in frozenset(again)}
