"""What is known about a session, in plain sentences, and which of its intervals counts now.

The screens, the report and the terminal ask here. Of judged outputs there is more to say than the score: shares of the
grades, the judge, where it errs, and which system won.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

from testimate.core.draw import Estimate, Verdict
from testimate.core.session_record import REASON
from testimate.core.task import Measure, Task
from testimate.core.words import commas, counted, has_or_have, level_words, percent
from testimate.estimators.labels_needed import LabelsAhead, stop_safe_labels_needed
from testimate.metrics import SeverityCounts
from testimate.metrics.severity import GRADES, HIGH_FROM, HIGH_TIMES, MODERATE_TIMES, Band
from testimate.planning.build import computed_anew, in_a_sentence
from testimate.planning.estimate import counting_ends, interval_words, value_words
from testimate.planning.expected_range import AT_ONCE, LineLabels, line_labels
from testimate.planning.right_above import certified
from testimate.planning.task_estimates import VerdictEstimate, calls_right, outcomes_of, verdict_estimate
from testimate.reports.parts import part_labels
from testimate.selectors import LADDER
from testimate.session.session import Counts, Session, ballots_of, headline, settling_vote

FEWEST, SHARE = 5, 0.05
"""Labels after which the forecast is made again: this many, or this share of those it was made from."""

STEADY_FROM = 40
"""Labels from which a forecast is held steady, and rests on the bets alone."""


@dataclass(frozen=True, slots=True)
class _Forecast:
    """Made at ``at`` labels: the labels still needed then, None where that could not be predicted, and the range of all."""

    at: int
    count: int | None
    low: int = 0
    high: int = 0


_kept: WeakKeyDictionary[Session, _Forecast] = WeakKeyDictionary()
_lines: WeakKeyDictionary[Session, LineLabels | None] = WeakKeyDictionary()


def standing_words(
    session: Session,
    estimate: Estimate | None,
    no_number: str,
    failures: int,
    severity: SeverityCounts | None,
    exploit: int = 0,
) -> str:
    """What the labels say so far: the accuracy with its interval, how many were labeled, and what was found.

    Why there is no interval, or why it stands at an earlier label, is ``estimate.why``.
    """
    counts = f"From {counted(session.labeled, 'label')}: {commas(failures)} {session.inputs.task.fault_words}"
    if failures and severity is not None:
        severe = commas(severity.high) if severity.high else "none"
        counts += f", {severe} severe ({severe_words(session.inputs.task)})"
    counts += "."
    left_out = _without_answer_words(session.counts())
    if left_out:
        counts += f" No answer: {left_out}."
    if exploit:
        counts += f" {commas(exploit)} were picked to find faults and stand only for themselves."
    return f"{no_number if estimate is None else f'{_accuracy_words(session, estimate)}.'} {counts}"


def severe_words(task: Task) -> str:
    """The phrase after "fault" that says from where on it is severe.

    >>> from testimate.tasks.regression import Regression
    >>> severe_words(Regression(6.0, "degrees")), severe_words(Regression(0.1, relative=True))
    ('off by at least 15.6 degrees', 'off by at least 26%')
    """
    return task.severe_words(task.severity_from(HIGH_TIMES, percent(HIGH_FROM, 0)))


def severity_bands(task: Task) -> dict[Band, str]:
    """What each band of severity is, where it begins and ends.

    >>> from testimate.tasks.regression import Regression
    >>> list(severity_bands(Regression(6.0, "degrees")).values())
    ['severe (15.6 degrees and more)', 'moderate (12 to 15.6 degrees)', 'low (below 12 degrees)']
    """
    middle, high = task.severity_from(MODERATE_TIMES, "50%"), task.severity_from(HIGH_TIMES, "80%")
    unit = f" {task.unit}" if task.unit else "%"
    where: Mapping[Band, str] = {
        "high": f"{high} and more",
        "moderate": f"{middle.removesuffix(unit)} to {high}",
        "low": f"below {middle}",
    }
    return {band: f"{grade} ({where[band]})" for band, grade in GRADES.items()}


def part_words(estimate: Estimate, measure: Measure, size: int) -> str:
    """The estimate of a part of the inputs from draws within it: "Accuracy 85.0% (95% interval 64.0 to 94.8%) ..."."""
    title = f"{measure.title[:1].upper()}{measure.title[1:]}"
    drawn = f"from {counted(estimate.labeled, 'label')}, drawn at random from its {counted(size, 'input')}"
    return f"{title} {value_words(estimate, measure)} {drawn}."


def counts_words(counts: Counts) -> str:
    """The counts of a plan's draws, in the terms that every screen and file uses; they add up to the draws.

    >>> counts_words(Counts(answered=54, cannot_tell=6, skipped=0, not_settled=0, to_do=0))
    "60 drawn: 54 answered, 6 can't tell, 0 skipped, 0 to do"
    """
    parts = [
        f"{commas(counts.answered)} answered",
        f"{commas(counts.cannot_tell)} can't tell",
        f"{commas(counts.skipped)} skipped",
        *([f"{commas(counts.not_settled)} not settled"] if counts.not_settled else []),
        f"{commas(counts.to_do)} to do",
    ]
    return f"{commas(counts.drawn)} drawn: {', '.join(parts)}"


def _without_answer_words(counts: Counts) -> str:
    """Those of the draws begun that have no answer; empty where there are none."""
    named = {"can't tell": counts.cannot_tell, "skipped": counts.skipped, "not settled": counts.not_settled}
    return ", ".join(f"{commas(count)} {name}" for name, count in named.items() if count)


def done_words(counts: Counts) -> str:
    """What the tester reads once nothing is left to label."""
    without = _without_answer_words(counts)
    answered = f"{commas(counts.answered)} answered{f', {without}' if without else ''}"
    return f"All planned inputs are done ({answered}). Backspace undoes the last answer."


def earlier_interval_words(session: Session, estimate: Estimate | None) -> str:
    """That the interval is another than the one shown before, or than that of a new session, and why; else empty."""
    record = session.session_record
    return computed_anew(
        record.interval_method,
        session.inputs.task,
        estimate,
        "session",
        session.selector.design,
        record.request.technique,
    )


def extended_words(session: Session) -> str:
    """That the plan was extended, and which interval allows for it, as a sentence; empty where it was not."""
    if not session.extensions:
        return ""
    sizes = [session.extensions[0][0], *(after for _, after in session.extensions)]
    safe = session.selector.design.always_valid
    rest = (
        "The stop-safe interval stays valid." if safe else "Read it with care if the first results led you to extend."
    )
    return (
        f"You extended the plan from {' to '.join(commas(size) for size in sizes)} labels. The fixed-size interval assumes "
        f"that you had not. {rest}"
    )


def _accuracy_words(session: Session, estimate: Estimate) -> str:
    """The accuracy by the interval that counts now; of a ladder, what it certifies."""
    if (request := session.session_record.request).technique == LADDER:
        return certified(request, part_labels(session), session.inputs).words
    size, measure, task = commas(len(session.inputs)), session.inputs.task.measure, session.inputs.task
    judged = task.judged
    counts = headline(session, estimate)
    ends = counting_ends(estimate, counts)
    if ends is not None:
        if ends[0] == ends[1]:
            exact = measure.value(ends[0])
            if measure.is_share:
                return f"Exactly {exact} of the {size} {judged} are {measure.right}"
            return f"{measure.noun} over the {size} inputs is exactly {exact}"
        interval = interval_words(estimate, counts, measure)
        if measure.is_share:
            return f"About {measure.value(estimate.accuracy)} of the {size} {judged} are {measure.right} {interval}"
        return f"{measure.noun} over the {size} inputs is about {measure.value(estimate.accuracy)} {interval}"
    accuracy, nothing = measure.value(estimate.accuracy), f"without a guarantee for all {size}"
    if not session.selector.design.at_random:
        if measure.is_share:
            return f"Of the {judged} chosen {accuracy} are {measure.right}, {nothing}"
        return f"Over the inputs chosen {measure.noun} is {accuracy}, {nothing}"
    if measure.is_share:
        return f"About {accuracy} are {measure.right}, {nothing}"
    return f"{measure.noun} is about {accuracy}, {nothing}"


def other_interval_words(session: Session, estimate: Estimate | None) -> str:
    """The interval that is not the headline, and when it would be, as a sentence; empty where there is nothing to say."""
    if estimate is None:
        return ""
    measure, counts = session.inputs.task.measure, headline(session, estimate)
    sure = level_words(estimate.level)
    kind = measure.interval(sure)
    fixed, safe = counting_ends(estimate, "fixed"), counting_ends(estimate, "always")
    if counts == "fixed":
        if safe is None or safe[0] == safe[1]:
            return ""
        return f"Stop-safe {sure} interval: {measure.range(*safe)}."
    if fixed is None:
        return ""
    ends = measure.range(*fixed)
    if session.extensions:
        return f"Fixed-size {kind}: {ends}. Not valid here, because the plan was extended."
    if counts is None:
        return (
            f"This technique has no stop-safe interval. One for the number planned comes when all {commas(session.planned)} "
            "planned inputs are labeled."
        )
    return (
        f"Fixed-size {kind}: {ends} so far. Valid only when all {commas(session.planned)} planned inputs are labeled."
    )


def measured_words(session: Session, estimate: Estimate | None) -> tuple[str, str, str]:
    """How a result was measured, in three lines: the draw, what the interval promises, and what was tested."""
    record, counts, here = session.session_record, session.counts(), headline(session, estimate)
    drawn = f"{commas(counts.answered)} of {counted(counts.drawn, 'input')} answered"
    how = f"{drawn}, picked by {in_a_sentence(record.request.technique)}, seed {record.request.seed}."
    interval = session.inputs.task.measure.interval(level_words(record.level))
    if here == "always":
        promise = f"The stop-safe {interval} is valid at every stop."
    elif here == "fixed":
        promise = f"The fixed-size {interval} is valid because all planned labels are in."
    elif not session.selector.design.at_random:
        promise = "The inputs were chosen, not drawn, so there is no interval for the whole set."
    else:
        promise = "No interval is valid yet."
    hidden = "shown before" if record.show_prediction else "hidden until"
    what = f"{record.subject_name}, fingerprint {record.fingerprint[:12]}. Predictions were {hidden} each answer."
    return how, promise, what


def widened_words(estimate: Estimate | None, measure: Measure) -> str:
    """What the inputs without an answer cost in width, as a sentence; empty where they leave the interval as it is."""
    if estimate is None or estimate.settled_half_width is None or estimate.half_width is None:
        return ""
    for digits in (1, 2, 3):
        before, after = (
            measure.half_width(half, digits) for half in (estimate.settled_half_width, estimate.half_width)
        )
        if before != after:
            break
    verb = "widens" if estimate.skipped == 1 else "widen"
    return (
        f"{counted(estimate.skipped, 'unanswered input')} {verb} the fixed-size interval from "
        f"±{before.removesuffix(' points')} to ±{after}. Its low end counts them all as wrong, its high end as right."
    )


def skipped_words(estimate: Estimate | None, measure: Measure, disputed: int = 0) -> str:
    """What the inputs reached and not settled change and could change, as sentences; empty where there are none.

    ``disputed`` : how many of them are disputed; where all are, both ends stand beside the result already (``open_disputes``).
    """
    if estimate is None or estimate.skipped_high is None:
        return ""
    if disputed == estimate.skipped:
        return widened_words(estimate, measure)
    count = f"{counted(estimate.skipped, 'input')} {has_or_have(estimate.skipped)}"
    if disputed:
        those = "the disputed one" if disputed == 1 else f"the {commas(disputed)} disputed ones"
        others = "1 other" if estimate.skipped - disputed == 1 else f"{commas(estimate.skipped - disputed)} others"
        count = f"With {those} and {others}, {count}"
    bounds = f"{measure.value(estimate.skipped_high)} if all were right"
    if estimate.skipped_low is not None:
        wrong = "wrong" if measure.is_share else "as wrong as can be"
        bounds += f", {measure.value(estimate.skipped_low)} if all were {wrong}"
    could = f"{count} no answer yet. With all labels so far, the estimate would be {bounds}."
    return f"{widened_words(estimate, measure)} {could}".strip()


def may_stop_words(session: Session, estimate: Estimate | None) -> tuple[bool, str]:
    """Whether the interval that counts is as narrow as was asked when the session was planned, and a sentence on it."""
    measure = session.inputs.task.measure
    asked = measure.half_width(session.session_record.half_width)
    if estimate is None:
        return False, f"Keep going. You can stop when the stop-safe interval is within ±{asked}."
    if headline(session, estimate) == "fixed" and estimate.half_width is not None:
        reached = measure.half_width(estimate.half_width).removesuffix(" points")
        if estimate.half_width <= session.session_record.half_width:
            return True, f"Done: ±{reached}, within your goal of ±{asked}."
        ended = measure.half_width(estimate.half_width)
        return False, f"Plan complete at ±{ended}. Your goal was ±{asked}. Extend the plan to get closer."
    half_width = estimate.always_half_width
    if half_width is None:
        return False, (
            "This technique has no stop-safe interval. "
            f"Label all {commas(session.planned)} planned inputs before you rely on the result."
        )
    return goal_words(half_width, session.session_record.half_width, measure)


def goal_words(half: float, goal: float, measure: Measure) -> tuple[bool, str]:
    """Whether half an interval that is valid at every stop is within the goal, and a sentence on it.

    >>> from testimate.core.task import SHARE_RIGHT
    >>> goal_words(0.107, 0.05, SHARE_RIGHT)
    (False, 'Keep going: ±10.7 now, goal ±5.0 points.')
    """
    reached, asked = measure.half_width(half).removesuffix(" points"), measure.half_width(goal)
    if half <= goal:
        return True, f"You can stop: ±{reached}, within your goal of ±{asked}."
    return False, f"Keep going: ±{reached} now, goal ±{asked}."


def still_needed(session: Session, estimate: Estimate | None) -> LabelsAhead | None:
    """Labels still needed until the stop-safe interval is as narrow as was asked; None where that cannot be predicted.

    A forecast "about so many": between two computations it counts down with the labels, and a new one moves it as
    ``steadied`` says. The range is that of the last computation. Under ``STEADY_FROM`` labels the bets have seen little, and
    Plan's forecast, its lines weighed by the labels so far, is asked as well.
    """
    bound = session.inputs.task.outcome_bound
    if estimate is None or estimate.always_half_width is None or bound is None:
        return None
    labeled, last = estimate.labeled, _kept.get(session, _Forecast(estimate.labeled + 1, None))
    step = max(FEWEST, SHARE * last.at)
    if not last.at <= labeled < last.at + step:
        wanted, design = session.session_record.half_width, session.selector.design
        watched = last.count is not None and last.at >= STEADY_FROM and abs(labeled - last.at) < 2 * step
        before = max(last.count - (labeled - last.at), 1) if watched and last.count is not None else None
        counted_losses = outcomes_of(session.inputs.task, session.verdicts())
        fresh = stop_safe_labels_needed(estimate, design, counted_losses, wanted, loss_bound=bound)
        if labeled < STEADY_FROM:
            fresh = _with_lines(session, fresh, counted_losses)
        count = steadied(before, None if fresh is None else fresh.middle)
        low, high = (0, 0) if fresh is None else (labeled + fresh.low, labeled + fresh.high)
        last = _kept[session] = _Forecast(labeled, count, low, high)
    if last.count is None:
        return None
    middle = max(last.count - (labeled - last.at), 1)
    return LabelsAhead(middle, max(min(middle, last.low - labeled), 1), max(middle, last.high - labeled))


def _with_lines(session: Session, bets: LabelsAhead | None, verdicts: Sequence[Verdict]) -> LabelsAhead | None:
    """The forecast by the bets and by Plan's lines in one: the middle between the two, and the range of both."""
    if bets is not None and not bets.middle:
        return bets
    record, inputs = session.session_record, session.inputs
    if session not in _lines:
        asked = len(inputs) <= AT_ONCE
        _lines[session] = line_labels(inputs, record.half_width, record.request) if asked else None
    lines = _lines[session]
    if lines is None:
        return bets
    labeled = {one.draw.row: one.loss for one in verdicts if one.loss is not None}
    return lines.ahead(bets, [*labeled], [*labeled.values()])


def steadied(before: int | None, fresh: int | None) -> int | None:
    """Labels still needed: the geometric mean of the forecast so far and a fresh one, at most a quarter off the one so far.

    The width moves in steps, so a fresh forecast scatters; one that leapt would not be believed. Where either cannot be
    had, and where the goal is reached (0), the fresh one stands.

    >>> steadied(100, 120), steadied(100, 300), steadied(100, 20), steadied(None, 300), steadied(100, 0)
    (110, 125, 75, 300, 0)
    """
    if before is None or not fresh:
        return fresh
    return round(min(max(math.sqrt(before * fresh), 0.75 * before), 1.25 * before))


def still_needed_words(session: Session, estimate: Estimate | None) -> str:
    """``still_needed`` as a sentence, which also says if the plan holds fewer inputs; empty where nothing can be predicted."""
    more, left = still_needed(session, estimate), session.remaining
    if more is None:
        return ""
    held = f". Your plan has {commas(left)} left" if more.middle > left else ""
    between = f" (likely {commas(more.low)} to {commas(more.high)})" if more.low < more.high else ""
    return f"About {counted(more.middle, 'more label')}{between}{held}."


DECIDED = "Decided"
"""How the sentence begins that says which of two systems is preferred."""


@dataclass(frozen=True)
class JudgeError:
    """An output on which judge and people differ: ``score`` 0..1 is the judge's, ``answer`` what people say."""

    row: int
    score: float
    answer: str
    kind: Literal["called right", "called wrong"]


def session_verdicts(session: Session) -> VerdictEstimate | None:
    """The shares of the grades, 0..1, with intervals, and the judge; None for other tasks, and without an honest estimate."""
    return verdict_estimate(
        session.inputs,
        session.inputs.task,
        session.selector.design,
        session.verdicts(),
        technique=session.session_record.request.technique,
        level=session.session_record.level,
    )


def judge_errors(session: Session) -> tuple[JudgeError, ...]:
    """The labeled outputs on which the judge's score and people differ, the surest of the judge's errors first."""
    inputs, task = session.inputs, session.inputs.task
    says = calls_right(inputs) if task.graded else None
    if says is None or inputs.confidence is None:
        return ()
    found = []
    for row, answer in session.answers().items():
        failed = bool(task.failed([inputs.loss(row, answer)])[0])
        if bool(says[row]) == failed:
            score = float(inputs.confidence[row])
            kind: Literal["called right", "called wrong"] = "called right" if failed else "called wrong"
            found.append(JudgeError(row, score, task.answer_text(answer), kind))
    return tuple(sorted(found, key=lambda one: (-abs(one.score - 0.5), one.row)))


def reasons_given(session: Session) -> Mapping[int, str]:
    """The reason that came with the vote that settled each row, by row; rows without one are absent."""
    needed, ballots = session.session_record.votes_per_input, ballots_of(session)
    votes = {
        row: settling_vote(ballots[row], session.inputs.task, needed) for row in session.answers() if row in ballots
    }
    return {
        row: str(vote.detail[REASON]) for row, vote in votes.items() if vote is not None and vote.detail.get(REASON)
    }


def decided_words(session: Session, estimate: Estimate | None) -> str:
    """Of two systems, whether the interval that counts tells which is better, as a sentence; empty of other tasks."""
    task = session.inputs.task
    if not task.compares:
        return ""
    ends = None if estimate is None else counting_ends(estimate, headline(session, estimate))
    if ends is None or ends[0] <= 0.5 <= ends[1]:
        return "Not decided yet: the interval still includes 50%, where both are equally good."
    better, reached = ("A", ends[0]) if ends[0] > 0.5 else ("B", ends[1])
    side = "above" if better == "A" else "below"
    nearest = percent(reached)
    return f"{DECIDED}: {better} is preferred. The whole interval lies {side} 50%, its nearest end at {nearest}."
