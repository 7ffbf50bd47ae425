"""Designs: frozen records that say what the chances of the draws mean, and so which estimator is honest.

A design is found by its type. Every design has ``stratum_sizes`` (sums to N; ``(N,)`` where there are no strata) and
``planned`` (draws the plan holds, 1..). They are tuples, not arrays, so that two designs compare equal when they are.
"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from testimate.core.errors import BadInput


@dataclass(frozen=True)
class Design:
    """What every design has: ``stratum_sizes`` (H whole numbers above 0, summing to N) and ``planned`` draws."""

    kind: ClassVar[str] = ""
    stratum_sizes: tuple[int, ...]
    planned: int

    def __post_init__(self) -> None:
        if not self.stratum_sizes or min(self.stratum_sizes) < 1:
            raise BadInput(
                f"Stratum sizes {self.stratum_sizes} hold an empty stratum; each needs an input. Drop empty ones."
            )
        if self.planned < 1:
            raise BadInput(f"The design plans {self.planned} draws; it needs at least 1. Raise the budget.")

    @property
    def size(self) -> int:
        """N, the number of inputs the estimate speaks about."""
        return sum(self.stratum_sizes)


@dataclass(frozen=True)
class SimpleRandom(Design):
    """Every input has the same chance; every prefix is itself a simple random sample."""

    kind: ClassVar[str] = "simple random"
    replacement: bool = False


@dataclass(frozen=True)
class Stratified(Design):
    """Simple random samples inside strata; the sample sizes do not depend on the outcomes, or only on an earlier phase.

    ``prior_failure`` (H numbers in [0, 0.5], or None) is the smaller root p0 of p (1 - p) = prior variance of a
    stratum: the guess that smooths a stratum's failure rate. None means 1/2 everywhere.
    ``in_rounds``: each round visits every stratum that is not exhausted once (rrs), so the always-valid sequence holds.
    ``replacement``: inputs inside a stratum may be drawn again.
    """

    kind: ClassVar[str] = "stratified"
    prior_failure: tuple[float, ...] | None = None
    in_rounds: bool = False
    replacement: bool = False


@dataclass(frozen=True)
class PerDraw(Design):
    """Independent draws with replacement, each with the probability it carries; these sum to 1 over the inputs."""

    kind: ClassVar[str] = "per draw"


@dataclass(frozen=True)
class Purposive(Design):
    """Chosen, not drawn: there are no chances, so an estimate is a point without any guarantee."""

    kind: ClassVar[str] = "purposive"


DESIGNS: dict[str, type[Design]] = {design.kind: design for design in (SimpleRandom, Stratified, PerDraw, Purposive)}


def design_to_json(design: Design) -> dict[str, Any]:
    """The design as plain JSON values, its ``kind`` first."""
    return {"kind": design.kind, **asdict(design)}


def design_from_json(record: dict[str, Any]) -> Design:
    """The design that ``design_to_json`` wrote; BadInput where it names no known kind or lacks a field."""
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    kind = fields.pop("kind", None)
    if kind not in DESIGNS:
        raise BadInput(f"The design is of kind {kind!r:.60}; known are {', '.join(DESIGNS)}. Make the plan again.")
    try:
        return DESIGNS[str(kind)](**fields)
    except TypeError as error:
        raise BadInput(f"The {kind} design does not have the fields it needs ({error}). Make the plan again.") from None
