"""How often each reason for failing occurs among all inputs, all reasons together, and how many failures are of a new kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from testimate.core.checks import check_level
from testimate.core.design import Design, PerDraw, Rounds, SimpleRandom, Stratified
from testimate.core.draw import RoundDraw, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.words import UP, commas, counted, level_words, percent, percent_range, percentage
from testimate.estimators.intervals import Ends
from testimate.estimators.skipped_draws import WORTH_SAYING, filled
from testimate.estimators.weights import (
    FEW_FAILURES,
    WEIGHED,
    PartEstimate,
    Ratios,
    draw_weights,
    part_estimates,
    ratios,
    together_ends,
)

USUAL_Z = float(ndtri(0.975))

NO_CODE = ""
"""The code of a failure for which nobody named a reason."""


@dataclass(frozen=True)
class CodeShare:
    """A code, the labeled inputs that have it in drawing order, and its share of all inputs."""

    code: str
    rows: tuple[int, ...]
    share: PartEstimate

    def words(self, labels: int) -> str:
        """How many of the labels have it, and its share of all inputs.

        >>> CodeShare("blur", (3, 8), PartEstimate(40, 0.05, 0.03, 0.0121, 0.1612)).words(40)
        'blur: 2 of 40 labels, 5.0% of all inputs (1.2 to 16.2%)'
        """
        said = f"{self.code or 'no code'}: {commas(len(self.rows))} of {counted(labels, 'label')}"
        return f"{said}, {share_words(self.share)}" if self.share.value is not None else said

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; numbers are null where ``why`` says what is missing."""
        return {"code": self.code or None, "count": len(self.rows), **_json(self.share)}


@dataclass(frozen=True)
class NewKinds:
    """Failures of the second half of the labels whose code the first half does not have.

    Attributes
    ----------
    first, second : labels of either half.
    known : codes that the first half has.
    rows : inputs of the second half with another code.
    share : of all inputs that fail in a way which the first half has not shown.
    """

    first: int
    second: int
    known: int
    rows: tuple[int, ...]
    share: PartEstimate

    def words(self, level: float) -> str:
        """How many of the later labels fail in a new way, and what that says about all inputs."""
        count = len(self.rows)
        said = (
            f"New kinds: {commas(count)} of the later {counted(self.second, 'label')} {'fails' if count == 1 else 'fail'} in a "
            f"way that the first {commas(self.first)} have not shown"
        )
        if self.share.value is None:
            return f"{said}. No share of all inputs: {self.share.why}."
        return f"{said}, {share_words(self.share, f'{level_words(level)} interval ')}."

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; numbers are null where ``why`` says what is missing."""
        halves = {"first_half": self.first, "second_half": self.second, "codes_of_first_half": self.known}
        return {**halves, "count": len(self.rows), **_json(self.share)}


@dataclass(frozen=True, repr=False)
class FailureCodes:
    """Why inputs fail.

    Attributes
    ----------
    codes : the commonest among the labels first, NO_CODE last.
    unseen : any single code that no label has.
    new_kinds : how far the codes known after half of the labels cover what comes later.
    level : at which the intervals of all codes and of the unseen one hold together.
    labeled, failed : labels, and failures among them.
    """

    codes: tuple[CodeShare, ...]
    unseen: PartEstimate
    new_kinds: NewKinds
    level: float
    labeled: int
    failed: int

    def __repr__(self) -> str:
        return " ".join([self.heading, *(f"{one.words(self.labeled)}." for one in self.codes), *self.remarks])

    @property
    def heading(self) -> str:
        """What the lines are, and how their intervals hold."""
        return f"Why it failed, {counted(self.failed, 'failure')}. {self.basis}"

    @property
    def basis(self) -> str:
        """How the intervals hold, or why there are none."""
        if self.unseen.value is None:
            return f"No intervals: {self.unseen.why}."
        return f"The {level_words(self.level)} intervals hold all together, at a size fixed in advance."

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is not seen yet, in sentences."""
        new = self.new_kinds.words(self.level)
        if self.unseen.high is None:
            return (new,)
        return (
            f"Any single code not seen so far: at most {percentage(self.unseen.high, 1, UP):.1f}% of all inputs.",
            new,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; the code of failures without one is null."""
        return {
            "codes": [one.to_json() for one in self.codes],
            "unseen": _json(self.unseen),
            "new_kinds": self.new_kinds.to_json(),
            "level": self.level,
            "labeled": self.labeled,
            "failed": self.failed,
        }


def share_words(part: PartEstimate, before: str = "") -> str:
    """A share of all inputs with its interval, ``before`` standing before the interval."""
    said = f"{percent(part.value or 0.0)} of all inputs"
    if part.low is None or part.high is None:
        return said
    return f"{said} ({before}{percent_range(part.low, part.high)})"


def _json(part: PartEstimate) -> dict[str, Any]:
    return {"share": part.value, "low": part.low, "high": part.high, "why": part.why}


def failure_codes(
    design: Design,
    verdicts: Sequence[Verdict],
    codes: Mapping[int, Sequence[str]],
    *,
    level: float = 0.95,
    why: str = "",
) -> FailureCodes:
    """The share of all inputs with each code, by the labels of a plan that did not look at codes.

    A code is a loss of 0 or 1 of the same draws. S codes and one that was not seen have intervals at 1 - (1 - level) / (S + 1)
    each (Bonferroni), see ``together_ends``, so that all hold together. Whether an input that nobody could settle has a code
    is open, and each interval holds either way, as that of the accuracy does (``with_skips``).

    New kinds: the codes of the first half of the labels are fixed before the second half, which is a sample of the inputs left
    of the same kind of design. In it, having another code is a loss named before.

    Parameters
    ----------
    verdicts : in drawing order; a loss above 0 is a failure.
    codes : row -> names, of failures alone.
    why : why the technique's draws have no interval; then there are counts alone.

    >>> from testimate.core.draw import Draw
    >>> labels = [Verdict(Draw(row), float(row % 5 == 0)) for row in range(100)]
    >>> found = failure_codes(SimpleRandom((1000,), 100), labels, {row: ["blur"] for row in range(0, 100, 10)})
    >>> [(one.code, len(one.rows), round(one.share.value, 2)) for one in found.codes], round(found.unseen.high, 3)
    ([('blur', 10, 0.1), ('', 10, 0.1)], 0.049)
    """
    check_level(level)
    of_draws = [_codes_of(one, codes) for one in verdicts]
    rows: dict[str, dict[int, None]] = {}
    for one, names in zip(verdicts, of_draws, strict=True):
        for name in names:
            rows.setdefault(name, {})[one.draw.row] = None
    counts = Counter({name: len(of) for name, of in rows.items()})
    order = sorted(rows, key=lambda name: (name == NO_CODE, -counts[name]))
    has = np.array([[name in of for name in order] + [False] for of in of_draws], dtype=np.float64)
    has = has.reshape(len(verdicts), len(order) + 1)  # the last column is a code that nothing has
    each = 1 - (1 - level) / (len(order) + 1)
    shares = _shares(design, verdicts, has, each, why)
    settled = {one.draw.row: one.loss for one in verdicts if one.loss is not None}
    return FailureCodes(
        tuple(CodeShare(name, tuple(rows[name]), share) for name, share in zip(order, shares, strict=False)),
        shares[-1],
        _new_kinds(design, verdicts, of_draws, level, why),
        level,
        len(settled),
        sum(loss > 0 for loss in settled.values()),
    )


def _codes_of(one: Verdict, codes: Mapping[int, Sequence[str]]) -> tuple[str, ...]:
    """The codes of a draw; of a failure without any NO_CODE."""
    if not one.loss:
        return ()
    return tuple(codes.get(one.draw.row, ())) or (NO_CODE,)


def _shares(
    design: Design, verdicts: Sequence[Verdict], has: NDArray[np.float64], level: float, why: str
) -> list[PartEstimate]:
    """The share of all inputs that have each of K things, ``has`` (n, K) of each draw; the count alone without a number.

    Where a draw is not settled its line is open: the hull of nobody and everybody having it, as of ``with_skips``.
    """
    labeled = sum(one.loss is not None for one in verdicts)
    if not isinstance(design, WEIGHED):
        why = why or f"a {design.kind} design has no honest interval for codes"
    if why:
        return [PartEstimate(labeled, why=why)] * has.shape[1]

    def of(settled: Sequence[Verdict], numerators: NDArray[np.float64]) -> tuple[PartEstimate, ...]:
        weights = draw_weights(design, settled, None)
        inside = numerators[weights.positions]
        return part_estimates(ratios(weights, inside, np.ones_like(inside)), level=level, ends_of=_ends_of_codes)

    try:
        found = of(verdicts, has)
        if labeled == len(verdicts):
            return [*found]
        open_ = np.array([one.loss is None for one in verdicts])[:, None]
        nobody = of(filled(verdicts, 0.0), np.where(open_, 0.0, has))
        everybody = of(filled(verdicts, 0.0), np.where(open_, 1.0, has))
    except NotEnoughLabels as error:
        return [PartEstimate(labeled, why=str(error))] * has.shape[1]
    return [_joined(*three) for three in zip(found, nobody, everybody, strict=True)]


def _ends_of_codes(found: Ratios, level: float) -> Ends:
    """As ``together_ends``; what few is grows with z squared, as a score's skewness does beside a count.

    Codes have the highest levels. With as few as at 95%, those of a long tail with five to seven labels had their lower end
    too high, and all held together in 92% of campaigns (docs/studies/questions.md).
    """
    return together_ends(found, level, few=FEW_FAILURES * (float(ndtri((1 + level) / 2)) / USUAL_Z) ** 2)


def _joined(found: PartEstimate, least: PartEstimate, most: PartEstimate) -> PartEstimate:
    """The estimate with the ends of all three, if that widens its interval by more than ``WORTH_SAYING``."""
    if found.low is None or found.high is None or least.low is None or most.high is None:
        return found
    low, high = min(found.low, least.low), max(found.high, most.high)
    width = found.high - found.low
    return found if high - low - width <= WORTH_SAYING * width else replace(found, low=low, high=high)


def _new_kinds(
    design: Design, verdicts: Sequence[Verdict], codes: Sequence[Sequence[str]], level: float, why: str
) -> NewKinds:
    cut = _half(verdicts)
    known = {name for names in codes[:cut] for name in names}
    later = [not known.issuperset(names) for names in codes[cut:]]
    halves = [sum(one.loss is not None for one in half) for half in (verdicts[:cut], verdicts[cut:])]
    rows = dict.fromkeys(one.draw.row for one, new in zip(verdicts[cut:], later, strict=True) if new)
    if not why and not isinstance(design, SimpleRandom | Stratified | PerDraw | Rounds):
        why = f"half of a {design.kind} design has no honest interval for new kinds"
    if why:
        share = PartEstimate(halves[1], why=why)
    else:
        share = _share_of_later(design, verdicts, cut, np.array(later, dtype=np.float64)[:, None], level)
    return NewKinds(halves[0], halves[1], len(known - {NO_CODE}), tuple(rows), share)


def _half(verdicts: Sequence[Verdict]) -> int:
    """How many draws the first half has; of rounds it ends with a round."""
    cut = len(verdicts) // 2
    while 0 < cut < len(verdicts) and _round(verdicts[cut]) == _round(verdicts[cut - 1]) is not None:
        cut += 1
    return cut


def _round(one: Verdict) -> int | None:
    return one.draw.round if isinstance(one.draw, RoundDraw) else None


def _share_of_later(
    design: Design, verdicts: Sequence[Verdict], cut: int, new: NDArray[np.float64], level: float
) -> PartEstimate:
    """The share of all N inputs that fail as ``new`` (n, 1) has it for the later draws; none that the first half settled."""
    later = verdicts[cut:]
    if design.replacement:
        return _shares(design, later, new, level, "")[0]
    drawn = np.sort(np.array([one.draw.row for one in verdicts[:cut]], dtype=np.intp))
    sizes = np.array(design.stratum_sizes)
    sizes -= np.bincount([one.draw.stratum for one in verdicts[:cut]], minlength=len(sizes))
    left = int(sizes.sum())
    if not left:
        return PartEstimate(len(later), why="the first half of the labels has every input")
    places = np.cumsum(sizes > 0) - 1  # strata that the first half exhausted are gone
    first_round = (_round(later[0]) or 0) if later else 0
    rest = _rest(design, tuple(sizes[sizes > 0].tolist()), first_round)

    def moved(one: Verdict) -> Verdict:
        draw = one.draw
        row, stratum = draw.row - int(np.searchsorted(drawn, draw.row)), int(places[draw.stratum])
        if isinstance(draw, RoundDraw):
            return replace(one, draw=replace(draw, row=row, stratum=stratum, round=draw.round - first_round))
        return replace(one, draw=replace(draw, row=row, stratum=stratum))

    share = _shares(rest, [moved(one) for one in later], new, level, "")[0]
    if share.value is None or share.low is None or share.high is None:
        return share
    open_ = sum(one.loss is None for one in verdicts[:cut])
    part = left / design.size
    return replace(
        share,
        value=share.value * part,
        standard_error=None if share.standard_error is None else share.standard_error * part,
        low=share.low * part,
        high=share.high * part + open_ / design.size,
    )


def _rest(design: Design, sizes: tuple[int, ...], first_round: int) -> Design:
    """The design of the draws after the first half, among the inputs left."""
    if isinstance(design, Rounds):
        return replace(design, stratum_sizes=sizes, rounds=design.rounds[first_round:])
    if isinstance(design, Stratified):
        return replace(design, stratum_sizes=sizes, prior_failure=None)
    return replace(design, stratum_sizes=sizes)
