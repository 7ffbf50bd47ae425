"""Everything that the panel beside the labeling surface shows, read from a session in one go."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, PerDraw, Rounds, Stratified
from testimate.core.draw import Estimate, RoundDraw, Trail, Verdict, is_exploit
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import PredictsFailures
from testimate.estimators.adaptive_rounds import inputs_stood_for
from testimate.estimators.sample import round_sample_of
from testimate.metrics import (
    LiveMetrics,
    SeverityCounts,
    fault_severity,
    live_metrics,
    severity_counts,
    severity_level,
    sfdr,
    wfdr,
)
from testimate.planning.estimate import Headline
from testimate.planning.task_estimates import BoxEstimate, ErrorEstimate, box_estimate, error_estimate, in_unit
from testimate.reports.words import may_stop_words, standing_words
from testimate.session.session import Counts, Session, headline

POINTS = 128
"""The most points a trail holds, apart from the newest; more than a chart can show apart."""


class RunningTrail:
    """The trail of one session, updated at each look.

    An estimate is of the first k verdicts in draw order, with the votes as they stand now: a changed vote changes the
    estimates after it. k runs over the multiples of a step that doubles whenever there would be more than ``POINTS``.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._verdicts: tuple[Verdict, ...] = ()
        self._estimates: dict[int, Estimate | None] = {}  # verdicts counted -> estimate; None where there is none
        self._why = ""

    def look(self, session: Session) -> tuple[Trail, Estimate | str]:
        """The trail so far, and the estimate at its end, or the sentence that says why there is none yet."""
        with self._lock:
            verdicts = session.verdicts()
            count = len(verdicts)
            same = _same_until(self._verdicts, verdicts)
            step = _step(count)
            kept = {k: found for k, found in self._estimates.items() if k <= same and (k % step == 0 or k == count)}
            for k in (*range(step, count, step), count):
                if k not in kept:
                    kept[k] = self._estimate(session, verdicts[:k])
            self._verdicts, self._estimates = verdicts, dict(sorted(kept.items()))
            return Trail.of([one for one in self._estimates.values() if one is not None]), self._estimates[
                count
            ] or self._why

    def _estimate(self, session: Session, verdicts: Sequence[Verdict]) -> Estimate | None:
        try:
            return session.estimate_of(verdicts)
        except NotEnoughLabels as error:
            self._why = str(error)  # the last one asked for is that of all verdicts
            return None


def _same_until(before: Sequence[Verdict], now: Sequence[Verdict]) -> int:
    """How many verdicts from the first one on are the same."""
    pairs = zip(before, now, strict=False)
    shorter = min(len(before), len(now))
    return next((place for place, (old, new) in enumerate(pairs) if old is not new and old != new), shorter)


def _step(count: int) -> int:
    """The least power of two that leaves at most ``POINTS`` multiples up to ``count``.

    >>> [_step(count) for count in (0, 128, 129, 2000)]
    [1, 1, 2, 16]
    """
    step = 1
    while count // step > POINTS:
        step *= 2
    return step


ROUNDS = 8
"""Rounds the panel shows: the last ones."""

PACE_VOTES = 20
"""Votes the pace is measured on: the last ones."""


@dataclass(frozen=True)
class StratumFilled:
    """A stratum: draws with a loss so far, draws planned (None while the technique still decides), inputs in it."""

    labeled: int
    planned: int | None
    size: int


@dataclass(frozen=True)
class RoundFilled:
    """A round of a technique that draws in rounds it learns from: its number from 1, draws with a loss, draws in it."""

    number: int
    labeled: int
    planned: int


@dataclass(frozen=True)
class ExactMetrics:
    """WFDR and SFDR of the inputs labeled so far, 0..1, by the known answers; ``faults`` are those of the whole set.

    ``wfdr`` is None where every input is a fault.
    """

    faults: int
    wfdr: float | None
    sfdr: float


@dataclass(frozen=True, eq=False)
class LiveReport:
    """What is known of a session so far.

    Attributes
    ----------
    estimate : of the whole set's accuracy; None while there is no honest number.
    headline : which of its intervals counts now; None where neither does.
    errors : of a regression with a tolerance, the mean errors in its unit; None of other tasks.
    no_number : the sentence that says why there is none; else empty.
    words : what is known, in a sentence.
    may_stop, may_stop_words : whether the interval that counts is as narrow as was asked, and what to say about it.
    trail : the estimate against the number of labels.
    truth : the set's accuracy where every answer is known, else None.
    counts : the draws of the plan by what became of them. labeled : those with an answer. planned : all.
    failures : distinct inputs found to fail.
    exploit, exploit_failures : inputs labeled because they were thought to fail, which stand for no others, and those of
        them that did.
    severity : of these, by the confidence of the predicted class or the size of the error; None where neither is known.
    running : WFDR and SFDR so far, with what is not known estimated; None without a severity or a failure.
    exact : the same with the truth, where it is known.
    strata : each stratum of the design, in its order.
    rounds : the latest rounds, of a technique that draws in rounds it learns from; else empty.
    per_minute : labels a minute at the median pace of the last votes; None while no time is known.
    minutes_left : for the answers still to be given, at that pace by as many testers as are at work; 0 where what is left
        waits for a lead.
    """

    estimate: Estimate | None
    headline: Headline | None
    errors: ErrorEstimate | None
    no_number: str
    words: str
    may_stop: bool
    may_stop_words: str
    trail: Trail
    truth: float | None
    counts: Counts
    labeled: int
    planned: int
    failures: int
    exploit: int
    exploit_failures: int
    severity: SeverityCounts | None
    running: LiveMetrics | None
    exact: ExactMetrics | None
    strata: tuple[StratumFilled, ...]
    rounds: tuple[RoundFilled, ...]
    per_minute: float | None
    minutes_left: float | None

    @property
    def trail_that_counts(self) -> Trail:
        """The trail as it is drawn: without the ordinary interval while none counts, as of a plan that has no stop-safe one."""
        if self.headline is not None:
            return self.trail
        nothing = np.full(self.trail.accuracy.shape, np.nan)
        return replace(self.trail, low=nothing, high=nothing)


_trails: WeakKeyDictionary[Session, RunningTrail] = WeakKeyDictionary()
_trails_lock = threading.Lock()


def live(session: Session) -> LiveReport:
    """What is known about the session so far; after one more label it costs one estimate."""
    with _trails_lock:
        running_trail = _trails.setdefault(session, RunningTrail())
    trail, found = running_trail.look(session)
    estimate, no_number = (None, found) if isinstance(found, str) else (found, "")
    rows, losses = labeled_rows(session)
    inputs, errors = session.inputs, None
    if estimate is not None:
        technique, level = session.session_record.request.technique, session.session_record.level
        squared = in_unit(inputs, session.verdicts(), session.answers())
        errors = error_estimate(inputs.task, session.selector.design, squared, technique=technique, level=level)
    failed = inputs.task.failed(losses)
    how_severe = fault_severity(inputs, rows, losses)
    severity = None if how_severe is None else severity_counts(failed, how_severe)
    picked = np.isin(rows, [verdict.draw.row for verdict in session.verdicts() if is_exploit(verdict.draw)])
    may_stop, stop_words = may_stop_words(session, estimate)
    pace = _seconds_per_label(session)
    return LiveReport(
        estimate=estimate,
        headline=headline(session, estimate),
        errors=errors,
        no_number=no_number,
        words=standing_words(session, estimate, no_number, int(failed.sum()), severity, int(picked.sum())),
        may_stop=may_stop,
        may_stop_words=stop_words,
        trail=trail,
        truth=inputs.known_accuracy,
        counts=session.counts(),
        labeled=session.labeled,
        planned=session.planned,
        failures=int(failed.sum()),
        exploit=int(picked.sum()),
        exploit_failures=int((picked & failed).sum()),
        severity=severity,
        running=running_metrics(session, rows, losses, estimate),
        exact=exact_metrics(inputs, rows),
        strata=_strata(session),
        rounds=_rounds(session),
        per_minute=None if pace is None else 60 / pace,
        minutes_left=None if pace is None else session.votes_left() * pace / 60 / session.testers_present(),
    )


def labeled_rows(session: Session) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows with a loss, each once, in draw order, and their losses; both (k,)."""
    return rows_with_a_loss(session.verdicts())


def rows_with_a_loss(verdicts: Sequence[Verdict]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """As ``labeled_rows``, of any verdicts in draw order."""
    losses = {verdict.draw.row: verdict.loss for verdict in verdicts if verdict.loss is not None}
    return np.array(list(losses), dtype=np.intp), np.array(list(losses.values()), dtype=np.float64)


def _strata(session: Session) -> tuple[StratumFilled, ...]:
    sizes = session.selector.design.stratum_sizes
    labeled, planned = [0] * len(sizes), [0] * len(sizes)
    for verdict in session.verdicts():
        labeled[verdict.draw.stratum] += verdict.loss is not None
    for draw in session.draws:
        planned[draw.stratum] += 1
    known = not session.waiting
    return tuple(
        StratumFilled(labeled[stratum], planned[stratum] if known else None, size) for stratum, size in enumerate(sizes)
    )


def _rounds(session: Session) -> tuple[RoundFilled, ...]:
    """The last ``ROUNDS`` rounds drawn so far, in their order."""
    planned = Counter(draw.round for draw in session.draws if isinstance(draw, RoundDraw))
    labeled = Counter(
        verdict.draw.round
        for verdict in session.verdicts()
        if isinstance(verdict.draw, RoundDraw) and verdict.loss is not None
    )
    return tuple(RoundFilled(number + 1, labeled[number], planned[number]) for number in sorted(planned)[-ROUNDS:])


def _seconds_per_label(session: Session) -> float | None:
    """Median time of the last votes that have one, in seconds; None without any, or where it is 0."""
    taken = [vote.seconds for vote in session.recent(PACE_VOTES) if vote.seconds is not None]
    return (median(taken) or None) if taken else None


def running_metrics(
    session: Session, rows: NDArray[np.intp], losses: NDArray[np.float64], estimate: Estimate | None
) -> LiveMetrics | None:
    """WFDR and SFDR, 0..1, of the rows labeled (k,), in draw order; None while there is no estimate or no failure.

    Also None where the severity of faults is not known: without a confidence, and for a regression without a tolerance.
    """
    inputs = session.inputs
    if estimate is None:
        return None
    if isinstance(session.selector, PredictsFailures) and inputs.confidence is not None:
        return _by_what_was_learned(session.selector.predicted(), inputs.confidence, rows, inputs.task.failed(losses))
    return drawn_metrics(inputs, session.selector.design, session.verdicts(), estimate.accuracy)


def drawn_metrics(inputs: Inputs, design: Design, verdicts: Sequence[Verdict], accuracy: float) -> LiveMetrics | None:
    """WFDR and SFDR, 0..1, of drawn inputs so far, with the faults that are not known estimated by their ``accuracy``."""
    rows, losses = rows_with_a_loss(verdicts)
    severity = fault_severity(inputs, rows, losses)
    if severity is None or not np.isfinite(accuracy):
        return None
    try:
        return live_metrics(
            inputs.task.failed(losses),
            severity,
            size=len(inputs),
            failure_rate=float(np.clip(1 - accuracy, 0, 1)),
            weights=_inputs_stood_for(design, verdicts, rows, inputs.task.loss_bound),
        )
    except NotEnoughLabels:
        return None


def _by_what_was_learned(
    chances: NDArray[np.float64], confidence: NDArray[np.float64], rows: NDArray[np.intp], failed: NDArray[np.bool_]
) -> LiveMetrics | None:
    """The running metrics where the rows were chosen, not drawn: the unlabeled fail with the chances learned, (N,)."""
    unlabeled = np.delete(np.arange(chances.size), rows)
    expected = np.bincount(severity_level(confidence[unlabeled]), chances[unlabeled], minlength=11)
    rate = (int(failed.sum()) + float(chances[unlabeled].sum())) / chances.size
    try:
        return live_metrics(failed, confidence[rows], size=chances.size, failure_rate=min(rate, 1.0), expected=expected)
    except NotEnoughLabels:
        return None


def exact_metrics(inputs: Inputs, rows: NDArray[np.intp]) -> ExactMetrics | None:
    """WFDR and SFDR, 0..1, of the rows labeled (k,), in draw order, by the known truth; None where it is not known."""
    if inputs.losses is None or not rows.size:
        return None
    severity = fault_severity(inputs, np.arange(len(inputs)), inputs.losses)  # (N,)
    failed = inputs.task.failed(inputs.losses)  # (N,)
    faults = int(failed.sum())
    if severity is None or not faults:
        return None
    given = {"size": len(inputs), "faults": faults, "budget": min(len(rows), faults)}
    severe_first = sfdr(failed[rows], severity[rows], all_faults=severity[failed], **given)
    return ExactMetrics(faults, wfdr(failed[rows], **given) if faults < len(inputs) else None, severe_first)


def _inputs_stood_for(
    design: Design, verdicts: Sequence[Verdict], rows: NDArray[np.intp], bound: float | None
) -> NDArray[np.float64] | None:
    """Design weights: how many inputs of the whole set each labeled one stands for, (k,); None where all as many."""
    settled = [verdict.draw for verdict in verdicts if verdict.loss is not None]
    if isinstance(design, Stratified):
        labeled = np.bincount([draw.stratum for draw in settled], minlength=len(design.stratum_sizes))
        of_row = {draw.row: draw.stratum for draw in settled}
        strata = np.array([of_row[row] for row in rows.tolist()], dtype=np.intp)
        return np.asarray(design.stratum_sizes, dtype=np.float64)[strata] / labeled[strata]  # N_h / n_h
    if isinstance(design, Rounds):
        drawn = round_sample_of(design, verdicts, bound)
        return inputs_stood_for(drawn)[drawn.settled]  # no row is drawn twice
    if isinstance(design, PerDraw):
        weight = dict.fromkeys(rows.tolist(), 0.0)
        for draw in settled:
            if draw.probability is not None:
                weight[draw.row] += 1 / (len(settled) * draw.probability)  # Hansen and Hurwitz: 1 / (n p) each time
        return np.array(list(weight.values()))
    return None


def session_boxes(session: Session) -> BoxEstimate | None:
    """Precision and recall, each 0..1 with its interval; None for other tasks, and while nothing is labeled."""
    record = session.session_record
    return box_estimate(
        session.inputs,
        session.inputs.task,
        session.selector.design,
        session.verdicts(),
        session.answers(),
        technique=record.request.technique,
        level=record.level,
    )
