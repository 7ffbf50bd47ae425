"""How wide a plan's interval will be, and how many labels it needs, with a range for seven networks of eight."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtri

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import commas, counted, points
from testimate.estimators.expected_rounds import HIGHEST, LOWEST, ChanceClasses, adaptive_half_widths, chance_classes
from testimate.estimators.expected_width import check_budgets, simple_random_half_width
from testimate.estimators.labels_needed import LabelsAhead, check_half_width, labels_needed
from testimate.planning.forecast import QUICK, Curve, chances_of, curves_of, helped_by_others, round_settings
from testimate.planning.votes import losses_of_known

Array = NDArray[np.float64]

LINES = 6
"""Beliefs as a power of two: 64 lines, which a net in base 2 spreads evenly (Niederreiter 1992)."""

AT_FAULTS, OFF_FAULTS = (-0.1, 0.6), 1.5
"""True log-odds of failing where the confidence says that the faults are: the line in those that it says, and the deviation."""

SLOPE = (1.9, 1.2)
"""Mean and deviation of how far they rise for a standard deviation of those that it says. Networks differ in how sure they are
far more than in how well their confidence tells inputs apart, so its spread is taken for a habit (decision 145)."""

SUREST, LEAST_SPREAD = 1e-6, 0.5
"""The chance of failing that a confidence says at least, and the spread of log-odds that is taken at least."""

AT_ONCE = 200_000
"""Inputs up to which a forecast takes no time."""

QUANTILES = (0.1, 0.5, 0.9)
"""Of what the lines say."""

FURTHER = 1.08
"""Factor by which both ends of a range of widths lie further out than what the lines say: so it held for seven of eight of
every second network set aside, in each of eight rows of technique and labels; the others judged it (decision 145)."""

FACTORS = np.array([1 / FURTHER, 1.0, FURTHER])

GRID = 64
"""Budgets at which each line is asked how many labels it takes; between two of them widths fall evenly in the logarithms."""

BELIEVED_LABELS = 30
"""Labels known before that count at most: they may have been collected where the network is right."""

LUCK = 1.1
"""Factor by which the labels of one campaign may lie beyond those that a line expects: a line has no luck of the draw."""

OWN_BELIEVED = 0.1
"""How much a label of a session counts when it weighs lines: networks are no lines. At 10 to 30 labels the range held in 62% of
looks at five networks when they counted in full, and in 86% with a tenth (decision 165)."""


class ExpectedRange(NamedTuple):
    """Half-widths (K,): as often above ``middle`` as below, and between ``low`` and ``high`` for seven networks of eight.

    All three are the same where nothing is known about how far off the forecast is.
    """

    low: Array
    middle: Array
    high: Array


class LabelsRange(NamedTuple):
    """Labels that a half-width needs, by the same three; None where not even all N are enough."""

    low: int | None
    middle: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class WidthRatio:
    """Width that came over the one expected: between ``low`` and ``high`` on nine of ten networks, ``middle`` in the middle."""

    low: float
    middle: float
    high: float


FOUND: Mapping[tuple[str, bool], WidthRatio] = MappingProxyType(
    {
        ("rrs", True): WidthRatio(0.51, 0.75, 1.09),
        ("rrs", False): WidthRatio(0.50, 0.71, 1.04),
        ("srs", True): WidthRatio(0.66, 0.86, 1.19),
        ("srs", False): WidthRatio(0.51, 0.76, 1.19),
    }
)
"""Of lists that take other models at their word, by technique and whether of the stop-safe interval (decision 145)."""


def expected_range(
    inputs: Inputs,
    budgets: ArrayLike,
    technique: str,
    *,
    chosen: Request | None = None,
    stop_safe: bool = False,
    level: float = 0.95,
    failing: float | None = None,
) -> ExpectedRange | None:
    """The expected half-width of an interval at each of K budgets, and how far off it may be; None where there is no forecast.

    The confidence is not taken at its word: networks are believed to fail with log-odds a + b times those that it says, for 64
    lines (a, b) as those of networks measured, which fail more alike than they say. Each line gives a width of adaptive rounds,
    and these give the middle and the range. A list, and a stop-safe interval, is off by the same factor. Labels known before
    say which lines are likelier.

    Parameters
    ----------
    budgets : (K,) whole numbers; nan below the least one that gives an interval.
    chosen : the plan whose options and auxiliary variable count.
    failing : share of failures that is supposed where there is no confidence, 0..1.
    """
    found = _ranged(inputs, technique, chosen, stop_safe, level, failing)
    if found is None:
        return None
    counts = check_budgets(budgets, 1, len(inputs))
    enough = counts >= found.curve.least
    widths = np.full((len(QUANTILES), len(counts)), np.nan)
    if enough.any():
        widths[:, enough] = found.widths(counts[enough])
    return ExpectedRange(*widths)


def labels_range(
    inputs: Inputs,
    half_width: float,
    technique: str,
    *,
    chosen: Request | None = None,
    stop_safe: bool = False,
    level: float = 0.95,
    failing: float | None = None,
) -> LabelsRange | None:
    """The labels by which an interval is expected to reach the half-width, with their range; None where there is no forecast.

    Arguments as of ``expected_range``; BadInput where the half-width is not above 0.
    """
    check_half_width(half_width)
    found = _ranged(inputs, technique, chosen, stop_safe, level, failing)
    if found is None:
        return None

    def needed(place: int) -> int | None:
        """The labels at which one of the three widths is the one wanted."""
        return labels_needed(
            half_width, lambda counts: found.widths(counts)[place], least=found.curve.least, most=len(inputs)
        )

    return LabelsRange(*map(needed, range(len(QUANTILES))))


def budget_for(inputs: Inputs, half_width: float, request: Request) -> int:
    """The labels by which the request's technique is expected to reach the half-width; BadInput if nothing can be predicted."""
    found = labels_range(inputs, half_width, request.technique, chosen=request)
    if found is None:
        raise BadInput(
            f"There is no forecast for {request.technique} on these inputs. Expected a confidence, and srs, rrs, rra or sups. "
            "Give a budget."
        )
    if found.middle is None:
        raise BadInput(
            f"Not even all {commas(len(inputs))} labels reach ±{points(half_width)}. Give a larger half-width."
        )
    return found.middle


def expected_of_plan(inputs: Inputs, request: Request) -> str:
    """``expected_words`` of a plan; empty where there is no forecast, or none that is there at once."""
    if len(inputs) > AT_ONCE or not 1 <= request.budget <= len(inputs) or request.technique not in QUICK:
        return ""
    widths = expected_range(inputs, [request.budget], request.technique, chosen=request)
    return "" if widths is None else expected_words(widths, request.budget)


def expected_words(widths: ExpectedRange, budget: int) -> str:
    """What to expect of a budget, the only one of ``widths``; empty if there is no number yet.

    >>> expected_words(ExpectedRange(*np.array([[0.038], [0.047], [0.062]])), 200)
    'Expect about ±4.7 points (likely 3.8 to 6.2) after 200 labels.'
    """
    low, middle, high = (float(one[0]) for one in widths)
    if not np.isfinite(middle):
        return ""
    likely = f" (likely {_number(low)} to {_number(min(high, 0.5))})" if low < high else ""
    return f"Expect about ±{points(middle, outwards=True)}{likely} after {counted(budget, 'label')}."


def _number(half_width: float) -> str:
    return points(half_width, outwards=True).removesuffix(" points")


class Lines(NamedTuple):
    """From the log-odds of failing that a confidence says to the true ones: intercepts and slopes, each (64,); none falls."""

    intercept: Array
    slope: Array

    def at(self, said: Array) -> Array:
        """The chances of failing (64, k) where the confidence says these chances (k,)."""
        odds = logit(np.clip(said, LOWEST, HIGHEST))
        return np.asarray(np.clip(expit(self.intercept[:, None] + self.slope[:, None] * odds), LOWEST, HIGHEST))

    def likely(self, said: Array, outcomes: Array, believed: float = 1.0) -> Array:
        """How likely outcomes (k,) of inputs that the confidence says to fail with these chances make each line, (64,)."""
        chance = self.at(said)
        fit = believed * (outcomes * np.log(chance) + (1 - outcomes) * np.log1p(-chance)).sum(axis=1)
        weights = np.exp(fit - fit.max())
        return np.asarray(weights / weights.sum())


class LineLabels(NamedTuple):
    """By each line: the labels (64,) that a half-width needs, more than ``most`` where not even all are enough."""

    labels: Array
    lines: Lines
    confidence_says: Array
    most: int

    def given(self, rows: Sequence[int], losses: Sequence[float]) -> LabelsRange:
        """The three, with the lines weighed by labels of inputs that were drawn without their outcome being known."""
        said = self.confidence_says[np.asarray(rows, dtype=np.intp)]
        found = _quantiles(self.labels[:, None], self.lines.likely(said, np.minimum(losses, 1.0), OWN_BELIEVED))[:, 0]
        return LabelsRange(*(None if one > self.most else max(1, round(one)) for one in found.tolist()))

    def ahead(self, bets: LabelsAhead | None, rows: Sequence[int], losses: Sequence[float]) -> LabelsAhead:
        """Labels still needed after these, by the lines and by ``bets`` in one: the middle of both, and the range of both."""
        low, middle, high = (one or self.most for one in self.given(rows, losses))
        ends = (round(low / LUCK), middle, min(round(high * LUCK), self.most))
        low, middle, high = (max(1, one - len(rows)) for one in ends)
        if bets is None:
            return LabelsAhead(middle, low, high)
        return LabelsAhead(round(math.sqrt(middle * bets.middle)), min(low, bets.low), max(high, bets.high))


def line_labels(inputs: Inputs, half_width: float, request: Request) -> LineLabels | None:
    """What ``labels_range`` asks each line about a stop-safe interval, so that labels to come only weigh the lines again.

    None where there is no forecast by lines.
    """
    found = _ranged(inputs, request.technique, request, True, 0.95, None)
    if found is None or found.by_line is None:
        return None
    size = len(inputs)
    counts = np.unique(np.geomspace(found.curve.least, size, GRID).round().astype(np.intp))
    widths = np.minimum.accumulate(found.by_line(counts), axis=1)
    logs = np.log(np.maximum(widths, 1e-12))
    needed = [np.interp(-np.log(half_width), -one, np.log(counts), right=np.inf) for one in logs]
    labels = np.exp(np.minimum(needed, np.log(size + 1.0)))
    said = inputs.scores["confidence"]
    return LineLabels(np.asarray(labels), lines_of(said), said, size)


class _Ranged(NamedTuple):
    """A technique's curve, and the half-widths (3, K) of K budgets with how far off it may be; those by each line, (64, K)."""

    curve: Curve
    widths: Callable[[NDArray[np.intp]], Array]
    by_line: Callable[[NDArray[np.intp]], Array] | None = None


def _ranged(
    inputs: Inputs, technique: str, chosen: Request | None, stop_safe: bool, level: float, failing: float | None
) -> _Ranged | None:
    curve = curves_of(inputs, (technique,), chosen, level=level, failing=failing, stop_safe=stop_safe).get(technique)
    if curve is None:
        return None
    helped = helped_by_others(chosen)
    expected = chances_of(inputs, chosen)
    if expected is None or "confidence" not in inputs.scores or technique not in ("rra", "rrs", "srs"):
        return _Ranged(curve, lambda counts: np.tile(curve.widths(counts), (len(QUANTILES), 1)))
    if helped and technique != "rra":
        ratio = FOUND[technique, stop_safe]
        factors = np.array([ratio.low, ratio.middle, ratio.high])[:, None]
        return _Ranged(curve, lambda counts: factors * curve.widths(counts))
    said = inputs.scores["confidence"]
    expected = said if helped else expected  # the chances that the curve takes
    believed, weights = beliefs(said), _likely_known(inputs, lines_of(said))
    taken, settings = chance_classes(expected), round_settings(chosen)

    def off(counts: NDArray[np.intp]) -> Array:
        """The width (64, K) of adaptive rounds by each line, over the one that the chances taken give."""
        at = np.maximum(counts, min(settings.size, taken.size))
        found, said_so = (adaptive_half_widths(one, at, settings=settings, level=level) for one in (believed, taken))
        return found / np.where(said_so > 0, said_so, 1.0)

    def simple_off(counts: NDArray[np.intp]) -> Array:
        """The same of simple random sampling, whose width depends on the failure rate alone."""
        rates, size = np.minimum(believed.rate, 0.5).tolist(), len(expected)
        widths = np.array([simple_random_half_width(size, counts, rate, level=level) for rate in rates])
        said_so = simple_random_half_width(size, counts, float(expected.mean()), level=level)
        return widths / np.where(said_so > 0, said_so, 1.0)

    lines = simple_off if technique == "srs" else off
    return _Ranged(
        curve,
        lambda counts: _quantiles(lines(counts), weights) * FACTORS[:, None] * curve.widths(counts),
        lambda counts: lines(counts) * curve.widths(counts),
    )


def lines_of(said: Array) -> Lines:
    """The 64 lines of a network whose confidence says these chances of failing (N,): normal laws of the level and the slope."""
    count = 2**LINES
    place = np.arange(count)
    reversed_bits = sum((place >> bit & 1) << LINES - 1 - bit for bit in range(LINES))
    first, second = ndtri((place + 0.5) / count), ndtri((reversed_bits + 0.5) / count)
    spread = float(logit(np.clip(said, SUREST, HIGHEST)).std())
    slope = np.maximum(SLOPE[0] + SLOPE[1] * second, 0.0) / max(spread, LEAST_SPREAD)
    chance = np.clip(said, LOWEST, HIGHEST)
    at = float(np.average(logit(chance), weights=chance))  # where the confidence says that the faults are
    return Lines(AT_FAULTS[0] + AT_FAULTS[1] * at + OFF_FAULTS * first - slope * at, slope)


def beliefs(said: Array) -> ChanceClasses:
    """The chances of failing by each of the 64 lines, (64, K), of classes of inputs that a confidence says to fail alike."""
    classes = chance_classes(said)
    return ChanceClasses(lines_of(said).at(classes.chances), classes.counts)


def likely_chances(inputs: Inputs, count: int, among: NDArray[np.bool_]) -> Iterator[Array]:
    """The chances of failing (N,) by ``count`` of the lines, each as likely, from the fewest faults ``among`` inputs (N,)."""
    said = inputs.scores["confidence"]
    lines, counted_in = lines_of(said), chance_classes(said[among] if among.any() else said)
    order, weights = (lines.at(counted_in.chances) @ counted_in.counts).argsort(), _likely_known(inputs, lines)
    reached = np.cumsum(weights[order])
    for line in order[np.searchsorted(reached, (np.arange(count) + 0.5) / count * reached[-1])]:
        yield Lines(lines.intercept[[line]], lines.slope[[line]]).at(said)[0]


def _likely_known(inputs: Inputs, lines: Lines) -> Array:
    """How likely labels known before make each line, (64,), summing to 1; evenly where there are none."""
    losses = losses_of_known(inputs.known, inputs)
    rows, outcomes = np.array([*losses], dtype=np.intp), np.minimum([*losses.values()], 1.0)
    return lines.likely(inputs.scores["confidence"][rows], outcomes, min(1.0, BELIEVED_LABELS / max(len(rows), 1)))


def _quantiles(values: Array, weights: Array) -> Array:
    """The ``QUANTILES`` (3, K) of values (64, K) with weights (64,)."""
    order = values.argsort(axis=0)
    rising, own = np.take_along_axis(values, order, axis=0), weights[order]
    below = np.cumsum(own, axis=0) - own / 2
    columns = zip(below.T, rising.T, strict=True)
    return np.array([np.interp(QUANTILES, at, column) for at, column in columns]).T
