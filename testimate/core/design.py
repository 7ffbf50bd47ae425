"""Designs: frozen records that say what the chances of the draws mean, and so which estimator is honest.

A design is found by its type. Every design has ``stratum_sizes`` (sums to N; ``(N,)`` where there are no strata) and
``planned`` (draws the plan holds, 1..). They are tuples, not arrays, so that two designs compare equal when they are.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput
from testimate.core.stored_record import Finite, Whole64, WrongRecord, WrongValue, read_record

IntervalVersion = Literal[1, 2, 3]
"""How intervals are computed: from 2 on that of pass or fail is right at few labels, and where a network is sure and wrong.

From 3 on that of a difference of two versions is (``estimators.version_difference``); the one of pass or fail is that of 2.
"""

AT_FEW_LABELS: IntervalVersion = 2

Share = Annotated[float, Meta(ge=0, le=1 + 1e-9, description="a number from 0 to 1")]
"""Shares that sum to 1 may be a rounding above it."""


@dataclass(frozen=True)
class Design:
    """What every design has: ``stratum_sizes`` (H whole numbers above 0, summing to N) and ``planned`` draws.

    Attributes
    ----------
    kind : its name in files.
    at_random : whether its inputs are drawn by known chances, so that an estimate speaks for the whole set.
    unequal_chances : whether one draw can count for many more inputs than another does.
    part : what ``stratum_sizes`` are the sizes of, for people: "stratum" or "cluster".
    first_number_needs : what must be labeled before there is an estimate, after "needs".
    aimed_at : the number of draws at which the always-valid interval is to be narrow, known before the first of them; it is
        right whatever it is. None where its bets aim at no number, as in sessions and plans made before there was one.
    """

    kind: ClassVar[str] = ""
    at_random: ClassVar[bool] = True
    unequal_chances: ClassVar[bool] = False
    part: ClassVar[str] = "stratum"
    first_number_needs: ClassVar[str] = "one label"
    stratum_sizes: tuple[Whole64, ...]
    planned: Whole64
    aimed_at: Whole64 | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not self.stratum_sizes or min(self.stratum_sizes) < 1:
            raise BadInput(
                f"Stratum sizes {self.stratum_sizes} contain an empty stratum; each needs an input. Drop empty ones."
            )
        if self.planned < 1:
            raise BadInput(f"The design plans {self.planned} draws; it needs at least 1. Raise the budget.")
        aim = self.aimed_at
        if aim is not None and not is_whole(aim, 1):
            raise BadInput(
                f"The bets of the stop-safe interval aim at {aim!r:.40} labels. Expected a whole number of at least 1, or "
                "none. Make the plan again."
            )

    @property
    def size(self) -> int:
        """N, the number of inputs the estimate speaks about."""
        return sum(self.stratum_sizes)

    @property
    def replacement(self) -> bool:
        """Whether an input may be drawn again."""
        return False

    @property
    def always_valid(self) -> bool:
        """Whether an interval exists that is right whenever one stops; ``estimators.always_valid`` computes it."""
        return False


@dataclass(frozen=True)
class SimpleRandom(Design):
    """Every input has the same chance; every prefix is itself a simple random sample."""

    kind: ClassVar[str] = "simple random"
    replacement: bool = False

    @property
    def always_valid(self) -> bool:
        """Always: every draw has the same mean given those before it."""
        return True


@dataclass(frozen=True)
class Stratified(Design):
    """Simple random samples inside strata; the sample sizes do not depend on the outcomes, or only on an earlier phase.

    ``prior_failure`` (H numbers in [0, 0.5], or None) is the smaller root p0 of p (1 - p) = prior variance of a
    stratum: the guess that smooths a stratum's failure rate. None means 1/2 everywhere.
    ``in_rounds``: each round visits every stratum that is not exhausted once (rrs), so the always-valid sequence holds.
    ``replacement``: inputs inside a stratum may be drawn again.
    ``interval_version``: see ``IntervalVersion``; 1 in sessions and plans made before there was another.
    """

    kind: ClassVar[str] = "stratified"
    first_number_needs: ClassVar[str] = "a label in every stratum"
    prior_failure: tuple[Share, ...] | None = None
    in_rounds: bool = False
    replacement: bool = False
    interval_version: IntervalVersion = 1

    @property
    def always_valid(self) -> bool:
        """Only in rounds: otherwise a stratum may have to wait, and the bets with it."""
        return self.in_rounds


@dataclass(frozen=True)
class PerDraw(Design):
    """Independent draws with replacement, each with the probability it carries; these sum to 1 over the inputs.

    ``smallest_probability`` is the smallest of them over all inputs, which bounds what a draw can weigh, so that the
    always-valid sequence holds; None where it is not known or some inputs cannot be drawn.
    """

    kind: ClassVar[str] = "per draw"
    unequal_chances: ClassVar[bool] = True
    replacement: ClassVar[bool] = True
    smallest_probability: Finite | None = None

    @property
    def always_valid(self) -> bool:
        """Where the smallest probability is known, which bounds what a draw can weigh."""
        return self.smallest_probability is not None

    def __post_init__(self) -> None:
        Design.__post_init__(self)
        smallest = self.smallest_probability
        if smallest is not None and not 0 < smallest * self.size <= 1 + 1e-9:
            raise BadInput(
                f"The smallest probability of a draw is {smallest}. Expected one above 0 and at most "
                f"1 / {self.size}, because they sum to 1. Make the plan again."
            )


@dataclass(frozen=True)
class Round:
    """One round of a technique that learns: what was predicted at its start, before any of its inputs was drawn.

    Parameters
    ----------
    zones : B, random draws: one from each zone of the inputs not drawn before.
    exploit : further inputs picked because they are thought to fail.
    guessed : sum of the guesses mu over all inputs not drawn before.
    smallest, largest : least and greatest (z - mu) B / (p N) that an input not drawn before could give with a loss z of 0
        or 1, p its chance in its zone.
    variance : predicted variance of (z - mu) B / (p N), over a zone and an input of it drawn at random.
    """

    zones: Whole64
    exploit: Whole64
    guessed: Finite
    smallest: Finite
    largest: Finite
    variance: Finite

    def __post_init__(self) -> None:
        finite = all(-1e300 < number < 1e300 for number in (self.guessed, self.smallest, self.largest, self.variance))
        if not (self.zones >= 1 and self.exploit >= 0 and self.variance >= 0 and finite):
            raise BadInput(
                f"A round has the numbers {self}. Expected a zone, no negative variance, and finite numbers. "
                "Make the plan again."
            )


@dataclass(frozen=True)
class Rounds(Design):
    """Rounds of random draws, each with chances learned from earlier labels and an exact correction for them (rra).

    ``rounds``: those drawn so far; it grows as labels come. The draws are RoundDraws and say which round they are of.
    ``interval_version``: see ``IntervalVersion``; 1 in sessions and plans made before there was another.
    """

    kind: ClassVar[str] = "adaptive rounds"
    first_number_needs: ClassVar[str] = "the whole first round"
    rounds: tuple[Round, ...] = ()
    interval_version: IntervalVersion = 1

    @property
    def always_valid(self) -> bool:
        """Always: a round's chances depend only on the rounds before it."""
        return True


@dataclass(frozen=True)
class TwoStage(Design):
    """A stratum drawn by its chance, again and again, and each time an input of it that it has not given yet.

    ``stratum_chances`` (H numbers of at least 0, summing to 1) are those of the first stage. A draw carries the chance of
    its input, its stratum's over the stratum's size. A stratum that has given all its inputs starts again.
    ``averaged_over_strata``: to be judged as DeepSample's program does, by the average over the strata met: biased.
    """

    kind: ClassVar[str] = "two stage"
    unequal_chances: ClassVar[bool] = True
    replacement: ClassVar[bool] = True
    stratum_chances: tuple[Share, ...] = ()
    averaged_over_strata: bool = False


@dataclass(frozen=True)
class Groups(Design):
    """All inputs dealt at random into as many groups as draws, and one input drawn from each by its chance inside.

    ``stratum_sizes`` are the groups' sizes in labeling order, ``group_chances`` (n numbers, summing to 1) the total
    chances of the groups' inputs; a draw carries its chance inside its group. Every prefix is such a sample of a simple
    random part of the inputs.
    """

    kind: ClassVar[str] = "groups"
    unequal_chances: ClassVar[bool] = True
    group_chances: tuple[Share, ...] = ()


@dataclass(frozen=True)
class WholeGroups(Design):
    """Groups drawn at random inside strata, such as patients, and all or some of the inputs of each at random.

    ``stratum_groups`` (H whole numbers) are the groups of each stratum, ``group_sizes`` the inputs of each group of the plan,
    in labeling order; a draw is a GroupDraw and says which of these it is from. In each round every stratum that is not
    exhausted gives one group, so every prefix is such a sample, the group being labeled with a part of its inputs.
    """

    kind: ClassVar[str] = "whole groups"
    first_number_needs: ClassVar[str] = "two groups in every stratum"
    stratum_groups: tuple[Whole64, ...] = ()
    group_sizes: tuple[Whole64, ...] = ()

    def __post_init__(self) -> None:
        Design.__post_init__(self)
        fits = len(self.stratum_groups) == len(self.stratum_sizes) and all(
            1 <= groups <= size for groups, size in zip(self.stratum_groups, self.stratum_sizes, strict=False)
        )
        sound = fits and self.group_sizes and min(self.group_sizes) >= 1 and sum(self.group_sizes) <= self.size
        if not sound and (self.stratum_groups or self.group_sizes):
            raise BadInput(
                f"The strata contain {self.stratum_groups!s:.100} groups and {len(self.group_sizes)} groups are planned. "
                "Expected a number of groups for each stratum and an input in each group. Make the plan again."
            )


@dataclass(frozen=True)
class Sequential(Design):
    """One input after another without replacement; each draw carries its chance given the draws before it."""

    kind: ClassVar[str] = "sequential"
    unequal_chances: ClassVar[bool] = True


@dataclass(frozen=True)
class StratifiedAsPublished(Design):
    """Strata, to be judged by the arithmetic of a published program, which is biased: there is no honest interval.

    ``program`` is "gbs" (DeepSample's: counts a label too many in each stratum) or "ssoa" (SSOA's: a stratum without
    labels counts as right).
    """

    kind: ClassVar[str] = "stratified, as published"
    program: str = "gbs"
    replacement: bool = False


@dataclass(frozen=True)
class Purposive(Design):
    """Chosen, not drawn: there are no chances, so an estimate is a point without any guarantee."""

    kind: ClassVar[str] = "purposive"
    at_random: ClassVar[bool] = False
    part: ClassVar[str] = "cluster"


DESIGNS: dict[str, type[Design]] = {
    design.kind: design
    for design in (
        SimpleRandom,
        Stratified,
        PerDraw,
        Rounds,
        Purposive,
        TwoStage,
        Groups,
        WholeGroups,
        Sequential,
        StratifiedAsPublished,
    )
}


def design_to_json(design: Design) -> dict[str, Any]:
    """The design as plain JSON values, its ``kind`` first."""
    return {"kind": design.kind, **asdict(design)}


def design_from_json(record: Mapping[str, Any]) -> Design:
    """The design that ``design_to_json`` wrote; BadInput if it is of no known kind, lacks a field or has a wrong value."""
    fields = {name: value for name, value in record.items() if name != "kind"}
    kind = record.get("kind")
    if kind not in DESIGNS:
        raise BadInput(
            f"The design is of kind {kind!r:.60}. Expected one of {', '.join(DESIGNS)}. Make the plan again."
        )
    try:
        if kind == Rounds.kind and "rounds" not in fields:
            raise WrongRecord("rounds is missing")
        return read_record(DESIGNS[kind], fields)
    except WrongValue as error:
        raise BadInput(
            f"The design has {error.field} = {error.found!r:.60}. Expected {error.expected}. Make the plan again."
        ) from None
    except WrongRecord as error:
        raise BadInput(f"The {kind} design does not have the fields it needs ({error}). Make the plan again.") from None
