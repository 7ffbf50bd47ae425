"""A race: a technique whose labels come from the known truth, and what a tester would have seen after each label.

What goes on in a race, in two sentences a class can follow: where the labels go, and why the estimate moves.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Groups, PerDraw, Rounds, Sequential, SimpleRandom, Stratified, TwoStage
from testimate.core.draw import Draw, Estimate, RoundDraw, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.core.task import Measure
from testimate.core.words import commas, counted, number, percent
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.draws import AskedDraws
from testimate.selectors import with_honest_interval
from testimate.structure.cores import one_thread
from testimate.studies.campaign import known_losses

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Course:
    """One technique's way through its whole budget, n draws; place k - 1 of every column is after k labels.

    Attributes
    ----------
    request, design : what was asked for, and its design at the end.
    size, truth : N inputs, and the accuracy of all of them; ``measure`` says what that is.
    failing, spread : share of all inputs that fail, and the standard deviation of their losses.
    draws : (n,) in labeling order. losses : (n,) of these inputs. failed : (n,) whether that input fails.
    failures : (n,) distinct inputs found to fail so far.
    accuracy, low, high, always_low, always_high : (n,) as a session would show them; nan where there is no number.
    warning : what the technique itself warns of; else empty.
    """

    request: Request
    design: Design
    size: int
    truth: float
    measure: Measure
    failing: float
    spread: float
    draws: tuple[Draw, ...]
    losses: NDArray[np.float64]
    failed: NDArray[np.bool_]
    failures: NDArray[np.intp]
    accuracy: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    always_low: NDArray[np.float64]
    always_high: NDArray[np.float64]
    warning: str = ""

    def __len__(self) -> int:
        return len(self.draws)

    @property
    def chosen(self) -> bool:
        """Whether its inputs are chosen, not drawn, so that their mean is not an estimate."""
        return not self.design.at_random

    @property
    def revealed(self) -> bool:
        """Whether the truth may be shown; of a course ``without_truth`` it may not."""
        return bool(np.isfinite(self.truth))

    def verdicts(self, count: int) -> list[Verdict]:
        """The draws of the first ``count`` labels with their losses."""
        return [
            Verdict(draw, loss) for draw, loss in zip(self.draws[:count], self.losses[:count].tolist(), strict=True)
        ]


def without_truth(course: Course) -> Course:
    """The course as somebody sees it who does not know the truth: what it says follows from the labels alone."""
    return replace(course, truth=math.nan, failing=0.0, spread=0.0)


def run_course(inputs: Inputs, request: Request, *, progress: Progress = silent) -> Course:
    """The whole course of the request, labeled by the truth of ``inputs`` as a session would be by a tester who is right.

    Draws, verdicts and estimates follow one another as in a session. BadInput where the truth is not known or
    the technique cannot run.
    """
    truth = known_losses(inputs)
    with one_thread():
        selector = build(inputs, request)
        asked = AskedDraws(selector)
        for row in asked.rows():  # one verdict may release the next draws
            asked.tell(row, float(truth[row]))
        draws = tuple(asked.draws)
        losses = truth[[draw.row for draw in draws]]  # (n,)
        outcomes = inputs.task.outcomes(losses).tolist()
        verdicts = [Verdict(draw, outcome) for draw, outcome in zip(draws, outcomes, strict=True)]
        estimates = _estimates(selector.design, verdicts, inputs.task.outcome_bound, request.technique, progress)
    failed, of_all = inputs.task.failed(losses), inputs.task.outcomes(truth)
    first = _first_times(draws)

    def column(name: str) -> NDArray[np.float64]:
        return np.array([getattr(one, name, None) for one in estimates], dtype=np.float64)  # None becomes nan

    return Course(
        request=request,
        design=selector.design,
        size=len(inputs),
        truth=1 - float(of_all.mean()),
        measure=inputs.task.measure,
        failing=float(inputs.task.failed(truth).mean()),
        spread=float(of_all.std(ddof=1)) if len(inputs) > 1 else 0.0,
        draws=draws,
        losses=losses,
        failed=failed,
        failures=np.cumsum(failed & first),
        accuracy=column("accuracy"),
        low=column("low"),
        high=column("high"),
        always_low=column("always_low"),
        always_high=column("always_high"),
        warning=str(getattr(selector, "warning", "")),
    )


def _estimates(
    design: Design, verdicts: list[Verdict], bound: float | None, technique: str, progress: Progress
) -> list[Estimate | None]:
    """The estimate after 1, 2 ... n labels; None where there is none yet."""
    estimator, found = estimator_of(design), []
    for count in range(1, len(verdicts) + 1):
        progress(count - 1, len(verdicts), technique)
        one: Estimate | None = None
        with suppress(NotEnoughLabels):
            one = estimator.estimate(design, verdicts[:count], level=LEVEL, loss_bound=bound)
            one = with_honest_interval(one, technique)
        found.append(one)
    return found


def _first_times(draws: tuple[Draw, ...]) -> NDArray[np.bool_]:
    """Whether a draw is the first one of its row, (n,)."""
    rows = np.array([draw.row for draw in draws], dtype=np.intp)
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(rows, return_index=True)[1]] = True
    return first


RECENT = 20
"""Number of labels over which a rise or a fall is reported."""

SETTLED = 10
"""Number of labels from which a jump of the estimate is worth reporting."""

CHOSEN = "Nothing was drawn at random, so nobody can say how far off it is."

WATCH_THE_MEAN = (
    "Watch the mean move: it follows whichever inputs are labeled next, typical or unlike the others. No band shows "
    "how far off it is."
)
WATCH_THE_BANDS = (
    "Watch the bands close in on the dashed line, the truth. The dark one should contain it 19 times in 20."
)
WATCH_THEM_NARROW = "Watch the bands get narrower. Reveal the truth at the end, and see whether they contain it."

MINORITY = "minority space"
PROTOTYPE = "prototype"


def _simple_random(course: Course, count: int) -> str:
    of_all = f" Of all inputs {percent(course.failing)} do." if course.revealed else ""
    return (
        "Every input has the same chance, so labels fail about as often as all inputs do: "
        f"{_failed(course, count)}.{of_all}"
    )


def _stratified(course: Course, count: int) -> str:
    how = "one after another" if course.request.technique == "rrs" else "apart"
    strata = len(course.design.stratum_sizes)
    return f"It draws from {strata} strata of rising doubt {how}, and counts each by its size: {_found(course, count)}."


def _rounds(course: Course, count: int) -> str:
    draw = course.draws[count - 1]
    number = draw.round + 1 if isinstance(draw, RoundDraw) else 1
    learned = (
        "it begins where the network is in doubt"
        if number == 1
        else "it has learned from the labels before where failures are likely, and draws there more often"
    )
    return f"Round {number}: {learned}; each draw counts by its chance. {_found(course, count)}."


def _after(lead: str) -> Callable[[Course, int], str]:
    return lambda course, count: f"{lead}: {_found(course, count)}."


LEADS: dict[type[Design], Callable[[Course, int], str]] = {
    SimpleRandom: _simple_random,
    Stratified: _stratified,
    Rounds: _rounds,
    PerDraw: _after("Doubtful inputs have a larger chance and count for less"),
    Groups: _after("It draws one input from each of many random groups, a doubtful one more likely"),
    TwoStage: _after("It draws a stratum by its share of doubt, then any input of it"),
    Sequential: _after("It goes after doubtful inputs most of the time, and counts each draw by its chance"),
}


def what_goes_on(course: Course, count: int) -> str:
    """What the technique has done in its first ``count`` labels, 0..n, and what that did to the number.

    Before the first label it says what to watch for, after the last one how it ended. For a technique whose inputs are chosen
    it says that there is no guarantee.
    """
    if not count:
        if course.chosen:
            return WATCH_THE_MEAN
        return WATCH_THE_BANDS if course.revealed else WATCH_THEM_NARROW
    if course.chosen:
        return _chosen(course, count)
    lead_of = next((words for kind, words in LEADS.items() if isinstance(course.design, kind)), None)
    lead = f"{_failed(course, count)}." if lead_of is None else lead_of(course, count)
    return " ".join(part for part in (lead, _interval(course, count), _in_the_end(course, count)) if part)


def _chosen(course: Course, count: int) -> str:
    draws, failed = course.draws[:count], course.failed[:count]
    apart = np.array([draw.reason.startswith(MINORITY) for draw in draws], dtype=bool)
    if not apart.any() and not draws[0].reason.startswith(PROTOTYPE):
        parts = [f"Chosen, not drawn: {_found(course, count)}.", _moved(course, count), _how_far_off(course, count)]
        return " ".join(part for part in parts if part)
    typical = ~apart
    clusters = len({draw.stratum for draw, is_apart in zip(draws, apart, strict=True) if not is_apart})
    parts = [
        f"{counted(int(typical.sum()), 'typical input')} of {counted(clusters, 'cluster')}, "
        f"of which {int(failed[typical].sum())} failed"
    ]
    if apart.any():
        parts.append(
            f"{counted(int(apart.sum()), 'input')} of the minority space, unlike the others, of which "
            f"{int(failed[apart].sum())} failed"
        )
    said = [f"So far {', and '.join(parts)}.", _moved(course, count), _how_far_off(course, count)]
    return " ".join(part for part in said if part)


def _moved(course: Course, count: int) -> str:
    """How the mean moved lately, and by what."""
    before = count - RECENT
    if before < SETTLED:
        return ""
    change = float(course.accuracy[count - 1] - course.accuracy[before - 1])
    recent = int(course.failed[before:count].sum())
    way = "stays" if abs(change) < 0.0005 else f"{'rose' if change > 0 else 'fell'} by {_amount(course, abs(change))}"
    if not course.measure.is_share:  # here the size of an error counts, too
        return f"Over the last {RECENT} labels, with {counted(recent, 'failure')}, the mean {way}."
    earlier = int(course.failed[:before].sum())
    return f"Of the last {RECENT} labels {recent} failed, of the {before} before {earlier}: so the mean {way}."


def _how_far_off(course: Course, count: int) -> str:
    """That nobody can know the error; at the end, once the truth is shown, how far off the mean was."""
    if count < len(course) or not course.revealed:
        return CHOSEN
    off = float(course.accuracy[count - 1] - course.truth)
    where = "above" if off > 0 else "below"
    return f"It ended {_amount(course, abs(off))} {where} the truth; without the truth nobody could tell."


def _in_the_end(course: Course, count: int) -> str:
    """Whether the last interval holds the truth."""
    low, high = course.low[count - 1], course.high[count - 1]
    if count < len(course) or not np.isfinite(low) or not course.revealed:
        return ""
    held = low <= course.truth <= high
    return (
        "In the end it contains the truth."
        if held
        else "In the end it misses the truth, as 1 in 20 may. Try other seeds."
    )


def _interval(course: Course, count: int) -> str:
    """How wide the interval is, compared with simple random sampling with as many labels."""
    low, high = course.low[count - 1], course.high[count - 1]
    if not np.isfinite(course.accuracy[count - 1]):
        return f"No number yet: it needs {course.design.first_number_needs} first."
    if not np.isfinite(low):
        return ""
    at_random = 1.96 * float(np.sqrt((1 - count / course.size) / count)) * course.spread  # Cochran 1977, eq. 2.20
    said = f"Its interval is ±{_amount(course, float(high - low) / 2)}"
    if isinstance(course.design, SimpleRandom):
        return f"{said}; four times the labels halve it."
    beside = f"; a random sample of {commas(count)} has about ±{_amount(course, at_random)}" if at_random else ""
    return f"{said}{beside}.{_jump(course, count)}"


def _jump(course: Course, count: int) -> str:
    """The largest jump of an estimate by unequal chances, which one surprising failure brings."""
    if not course.design.unequal_chances or count <= SETTLED + 1:
        return ""
    jumps = np.abs(np.diff(course.accuracy[SETTLED - 1 : count]))
    if not np.isfinite(jumps).any():
        return ""
    place = int(np.nanargmax(jumps))
    moved = _amount(course, float(jumps[place]))
    return f" Label {SETTLED + place + 1} moved it by {moved}: a rare draw counts for many inputs."


def _failed(course: Course, count: int) -> str:
    return f"{int(course.failed[:count].sum())} of {counted(count, 'label')} failed"


def _found(course: Course, count: int) -> str:
    """Failures among the labels and, once that is informative, compared with as many random labels."""
    expected = course.failing * count
    if count < RECENT or expected <= 0:
        return _failed(course, count)
    times = float(course.failed[:count].sum()) / expected
    return f"{_failed(course, count)}, {times:.1f} times as many as at random"


def _amount(course: Course, value: float) -> str:
    """A difference of accuracies."""
    return course.measure.difference(value) if course.measure.is_share else number(value, 2)
