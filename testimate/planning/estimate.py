"""What the votes on a plan's inputs say about the whole set: the estimate, which interval counts, and notes on it.

Which of an estimate's intervals counts now: the one for a size fixed in advance, or the one that holds whenever you stop.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from testimate.core.checks import check_level
from testimate.core.draw import Estimate, Trail, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.reading import Tell
from testimate.core.task import Measure, Task, measure_of
from testimate.core.words import commas, counted, level_words, percent
from testimate.estimators import estimator_of
from testimate.estimators.difference import Interval
from testimate.estimators.failure_codes import FailureCodes
from testimate.estimators.right_above import RightAbove
from testimate.estimators.second_look import Corrected
from testimate.planning.assisted import Model, assisted_estimate
from testimate.planning.build import computed_anew, faults_hide_words
from testimate.planning.criteria import ALL_RIGHT, check_one_answer, losses_of_grades, of_criterion, votes_of_criteria
from testimate.planning.failure_codes import codes_of_votes
from testimate.planning.known_labels import KnownCounts, known_counts, with_known_labels
from testimate.planning.parts import (
    PartLabels,
    Slice,
    check_size,
    grouping,
    slices_of,
    traits_of_columns,
    traits_of_inputs,
)
from testimate.planning.plan import Plan
from testimate.planning.right_above import certified
from testimate.planning.second_look import corrected, corrected_words, read_looks
from testimate.planning.task_estimates import (
    BoxEstimate,
    ErrorEstimate,
    VerdictEstimate,
    bias_words,
    box_estimate,
    error_estimate,
    outcomes_of,
    prices_of,
    verdict_estimate,
)
from testimate.planning.votes import Votes, answers_of_labels, losses_of_known
from testimate.planning.weak_spots import WeakSpots, weak_spots
from testimate.selectors import with_honest_interval
from testimate.tasks.regression import regression
from testimate.tasks.verdict import Criterion, Judgment

Headline = Literal["fixed", "always"]

KNOWN = "known"
"""In what a top-up's plan resolved: the rows that earlier plans know."""


EXTENDED = "extended"
"""In what a session's plan resolved, where it went on beyond its planned end: what was seen may have decided that."""


def is_complete(plan: Plan, answered: Collection[int]) -> bool:
    """Whether each draw that was planned is among the rows that were answered, "cannot tell" included, and no more were.

    A plan that was extended is never complete as it was made.
    """
    if plan.resolved.get(EXTENDED):
        return False
    known = {*plan.resolved.get(KNOWN, ()), *plan.known}
    planned = len(plan.draws) >= plan.design.planned
    return planned and all(draw.row in answered or draw.row in known for draw in plan.draws)


# Pages, reports, files and gates all ask here which interval counts: decision 20.
def headline_of(complete: bool, low: float | None, always_low: float | None) -> Headline | None:
    """The interval that counts: "fixed" once the plan is complete, else "always"; None where that does not exist.

    A plan may have been left because of what it showed, and then only the second one holds.
    """
    if complete and low is not None:
        return "fixed"
    return None if always_low is None else "always"


def counting_ends(estimate: Estimate, counts: Headline | None) -> tuple[float, float] | None:
    """The ends of the interval that counts; None where there is none."""
    ends = (estimate.low, estimate.high) if counts == "fixed" else (estimate.always_low, estimate.always_high)
    return None if counts is None or ends[0] is None or ends[1] is None else (ends[0], ends[1])


def interval_words(estimate: Estimate, counts: Headline | None, measure: Measure) -> str:
    """The interval that counts, with its level and kind in brackets, as every headline has it; "" where there is none."""
    ends = counting_ends(estimate, counts)
    if ends is None:
        return ""
    stop_safe = ", stop-safe" if counts == "always" else ""
    return f"({measure.interval(level_words(estimate.level))} {measure.range(*ends)}{stop_safe})"


def value_words(estimate: Estimate, measure: Measure) -> str:
    """An estimate with its fixed-size interval and the level of that in brackets; without one, the estimate alone."""
    return f"{measure.value(estimate.accuracy)} {interval_words(estimate, 'fixed', measure)}".rstrip()


POINTS = 60
"""The most points of the chart of the running estimate."""


@dataclass(frozen=True, eq=False, repr=False)
class PlanEstimate:
    """The accuracy of the whole set by the votes on a plan's inputs; shown as a sentence, in a notebook with its intervals.

    Attributes
    ----------
    plan : whose inputs were voted on.
    verdicts : what was voted on, in drawing order, with the losses as the estimate counts them.
    loss_bound : the greatest loss there is; None where there is none.
    estimate : the accuracy with its intervals.
    measure : what the accuracy is, and how it is written.
    headline : which interval counts: "fixed" once the plan is complete as it was made, else "always"; None where neither does.
    remarks : what else is to be said, one sentence each.
    of_numbers : whether predictions are numbers, judged by their errors.
    computed_anew : where an earlier version showed another interval, that and why; else empty.
    errors : of a regression, the mean errors in its unit.
    recheck : the estimate as second looks at the answers correct it.
    verdicts_say : of judged outputs, the shares of the grades, how far a judge agrees, and the judge-assisted score.
    boxes_say : of a detector's boxes, precision and recall, class by class; None where the votes do not say which box is wrong.
    inputs : those the plan was made for; None where they were not available.
    known : how many draws were known before, and where votes contradict what was known.
    votes : on the plan's inputs. failed : of each verdict, whether it is a failure.
    criteria : of a plan with several, what the votes say about each; the estimate is then of outputs without a fault in any.
    """

    plan: Plan
    verdicts: tuple[Verdict, ...]
    loss_bound: float | None
    estimate: Estimate
    measure: Measure
    headline: Headline | None
    remarks: tuple[str, ...] = ()
    of_numbers: bool = False
    computed_anew: str = ""
    errors: ErrorEstimate | None = None
    recheck: Corrected | None = None
    verdicts_say: VerdictEstimate | None = None
    boxes_say: BoxEstimate | None = None
    inputs: Inputs | None = None
    known: KnownCounts = field(default_factory=KnownCounts)
    votes: Votes = field(default_factory=lambda: Votes("failed", {}))
    failed: tuple[bool, ...] = ()
    criteria: tuple["CriterionEstimate", ...] = ()

    @property
    def accuracy(self) -> float:
        """The estimate itself, a share 0..1 (1 - mean squared error of a regression without a tolerance)."""
        return self.estimate.accuracy

    @property
    def low(self) -> float | None:
        """The low end of the interval that counts now; None where none does."""
        ends = counting_ends(self.estimate, self.headline)
        return None if ends is None else ends[0]

    @property
    def high(self) -> float | None:
        """The high end of the interval that counts now; None where none does."""
        ends = counting_ends(self.estimate, self.headline)
        return None if ends is None else ends[1]

    def __repr__(self) -> str:
        return " ".join(self.sentences())

    def _repr_html_(self) -> str:
        from testimate.charts.html import interval_lines, paragraphs

        found, intervals = self.estimate, []
        if found.always_low is not None and found.always_high is not None:
            intervals.append(("stop-safe", found.always_low, found.always_high))
        if found.low is not None and found.high is not None:
            intervals.insert(0 if self.headline == "fixed" else 1, ("fixed-size", found.low, found.high))
        return paragraphs(self.sentences()) + interval_lines(found.accuracy, intervals, self.measure)

    def sentences(self) -> tuple[str, ...]:
        """The estimate with the interval that counts, what is to be said beside it, and what second looks make of it."""
        said = self._in_words(self.estimate, self.headline)
        if self.criteria:
            return (*(one.words() for one in self.criteria), f"{ALL_RIGHT.capitalize()}: {said}", *self.remarks)
        if self.recheck is None:
            return (said, *self.remarks)
        again = self._in_words(self.recheck.estimate, "fixed" if self.headline == "fixed" else None)
        return (said, *self.remarks, corrected_words(self.recheck), f"Corrected: {again}")

    def _in_words(self, found: Estimate, headline: Headline | None) -> str:
        measure = self.measure
        labels = counted(found.labeled, "label")
        skipped = f" ({commas(found.skipped)} more without an answer)" if found.skipped else ""
        said = f"{measure.title} {measure.value(found.accuracy)} from {labels}{skipped}"
        if interval := interval_words(found, headline, measure):
            return f"{said} {interval}."
        if found.low is not None and found.high is not None:
            interval = f"{measure.interval(level_words(found.level))} {measure.range(found.low, found.high)}"
            return f"{said} ({interval} so far, valid only when the plan is complete)."
        return f"{said}, without an honest interval. {found.why}".strip()

    def slices(self, columns: Mapping[str, Sequence[Any]], *, simultaneous: bool = False) -> tuple[Slice, ...]:
        """The accuracy of parts of the set, by what is known of every input before any label.

        Parameters
        ----------
        columns : name -> N values, words or numbers, such as ``{"light": frame["light"]}``; many different numbers are cut
            into bands.
        simultaneous : whether all intervals together hold as often as a single one otherwise does (Bonferroni).

        Returns
        -------
        A slice for each value, with its size, its labels and, from 10 of these on, accuracy and interval.
        """
        groupings = [grouping(name, values, self.plan.design.size) for name, values in columns.items()]
        return slices_of(groupings, self.labels, simultaneous=simultaneous)

    @property
    def labels(self) -> PartLabels:
        """What parts of the set are judged by."""
        plan = self.plan
        return PartLabels(plan.design, self.verdicts, plan.request.technique, self.estimate.level, self.loss_bound)

    def right_above(self, share: float | None = None) -> RightAbove:
        """Above which confidence at least this share of the inputs is right; it prints as a sentence.

        ``share`` : from 0.5 on and below 1; None for that of a ladder's plan, else 0.95. BadInput if the inputs have no
        confidence or are not available, and for another share than the labels of a ladder were drawn for.
        """
        if self.inputs is None:
            raise BadInput(
                f"The plan's table {self.plan.table} was not found, and its confidence is needed. Expected it. Restore it."
            )
        return certified(self.plan.request, self.labels, self.inputs, share)

    def weak_spots(self, columns: Mapping[str, Sequence[Any]] | None = None, *, noun: str = "inputs") -> WeakSpots:
        """Parts of the set that fail more often than the rest: found on one half of the labels, measured on the other.

        Looked for in what the network says, and in ``columns``: name -> N values, words or numbers, known without a label,
        such as ``{"light": frame["light"]}``. A part is named only where chance alone would name any in at most one campaign of
        twenty. ``noun`` : what the inputs are, such as "pictures". BadInput where nothing is right or wrong.
        """
        if not self.measure.is_share:
            raise BadInput(
                f"Weak spots are parts where more is wrong, and this is {self.measure.title}. Expected right or wrong. Give a "
                "tolerance, by which numbers are right or wrong."
            )
        size, given = self.plan.design.size, columns or {}
        for name, values in given.items():
            check_size(name, len(values), size)
        traits = [*(() if self.inputs is None else traits_of_inputs(self.inputs)), *traits_of_columns(given)]
        return weak_spots(
            traits,
            self.plan.design,
            self.verdicts,
            technique=self.plan.request.technique,
            noun=noun,
            level=self.estimate.level,
            loss_bound=self.loss_bound,
            measure=self.measure,
            known=self._known_outcomes(),
        )

    def codes(self, merge: Mapping[str, str] | None = None) -> FailureCodes:
        """Why inputs failed, by the votes' column ``codes``: each code's share of all inputs, and how much is still unseen.

        ``merge`` : old name -> new name, one after the other; names that become one are merged. BadInput without codes,
        where an input that did not fail has one, where nothing is right or wrong, and where a criterion was added midway.
        """
        added = next((one for one in self.plan.criteria if one.after), None)
        if added is not None:
            raise BadInput(
                f"The criterion {added.name!r:.60} was added after {counted(added.after, 'draw')}, so it is open whether those "
                "before failed. Expected criteria asked from the first draw on. Leave the codes out."
            )
        if not self.measure.is_share:
            raise BadInput(
                f"Failure codes say why something is wrong, and this is {self.measure.title}. Expected right or wrong. Give a "
                "tolerance, by which numbers are right or wrong."
            )
        return codes_of_votes(
            self.votes,
            self.plan.design,
            self.verdicts,
            self.failed,
            technique=self.plan.request.technique,
            merge=merge,
            level=self.estimate.level,
        )

    def _known_outcomes(self) -> dict[int, float]:
        """What the known labels say, by row; empty where the inputs are not available to compare them with."""
        if self.inputs is None:
            return {}
        losses = losses_of_known(self.plan.known, self.inputs)
        outcomes = self.inputs.task.outcomes(np.array([*losses.values()], dtype=np.float64))
        return dict(zip(losses, outcomes.tolist(), strict=True))

    def plot(self, *, dark: bool = False) -> Any:
        """How the estimate came about, label by label, as a Plotly figure: a line with both intervals as bands."""
        from testimate.charts.estimates import running_estimate

        found = []
        step = max(1, len(self.verdicts) // POINTS)
        for end in sorted({*range(step, len(self.verdicts), step), len(self.verdicts)}):
            try:
                found.append(self._first(end))
            except NotEnoughLabels:
                continue
        return running_estimate(
            Trail.of(found),
            dark=dark,
            level=self.estimate.level,
            measure=self.measure,
            chosen=not self.plan.design.at_random,
        )

    def _first(self, count: int) -> Estimate:
        """The plain estimate of the first verdicts."""
        design = self.plan.design
        plain = estimator_of(design).estimate(
            design, self.verdicts[:count], level=self.estimate.level, loss_bound=self.loss_bound
        )
        return with_honest_interval(plain, self.plan.request.technique)


@dataclass(frozen=True, eq=False)
class CriterionEstimate:
    """What the votes say about one of several criteria: its estimate, or ``why`` there is none yet."""

    criterion: Criterion
    found: PlanEstimate | None
    why: str = ""

    def words(self) -> str:
        """The criterion with its estimate, in sentences."""
        said = self.why if self.found is None else " ".join(self.found.sentences())
        return f"{self.criterion.name}: {said}"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values: the criterion, and its estimate with the interval that counts or why there is none."""
        one, found = self.criterion, self.found
        said = {"name": one.name, "scale": one.scale, "judge": one.judge, "after": one.after}
        if found is None:
            return {**said, "why": self.why}
        of_grades = {} if found.verdicts_say is None else {"verdicts": found.verdicts_say.to_json()}
        return {**said, **found.estimate.to_json(), "headline": found.headline, **of_grades}


def cost_sentences(found: PlanEstimate, typed: str | None) -> list[str]:
    """Return what people and judges cost for the score, or for each criterion by its name, at prices typed LABEL,JUDGE.

    BadInput where these are no prices, or no judge assists. None without prices.
    """
    if typed is None:
        return []
    prices = prices_of(typed)
    named = [(f"{one.criterion.name}: ", one.found) for one in found.criteria if one.found is not None]
    said = [
        f"{name}{one.verdicts_say.assisted.cost_words(prices, found.plan.design.size)}"
        for name, one in (named or [("", found)])
        if one.verdicts_say is not None and one.verdicts_say.assisted is not None
    ]
    if not said:
        raise BadInput(
            "--prices compares labels with a judge's grades, and no judge assists here. Expected judges' grades of the plan's "
            "outputs. Name their column in select with --column judge=NAME, or leave --prices out."
        )
    return said


def estimate_plan(
    plan: Plan,
    votes: Votes,
    inputs: Inputs | None,
    *,
    level: float = 0.95,
    interval: Interval = "ordinary",
    assisted: Model | None = None,
    auxiliary: str | None = None,
    tolerance: str | None = None,
    recheck: Path | None = None,
    tell: Tell,
) -> PlanEstimate:
    """The estimate of a plan by its votes; see ``testimate.estimate`` for what each setting is.

    Parameters
    ----------
    inputs : those the plan was made for, checked by ``check_fingerprint``; None if not available, which only verdicts
        and losses can do without.
    recheck : the CHECK.csv with the second looks. ``tell`` : called with what it was taken for.

    Raises
    ------
    BadInput : an invalid vote, or a setting that does not fit the task or the votes.
    UnknownRow : a vote on a row that was not drawn.
    NotEnoughLabels : there is no honest number yet.
    """
    check_level(level)
    if plan.criteria:
        for name, given in (("--assisted", assisted), ("--tolerance", tolerance), ("--recheck", recheck)):
            check_one_answer(plan.criteria if given is not None else (), name)
        return _of_criteria(plan, votes, inputs, level, interval, tell)
    if auxiliary is not None and assisted is None:
        raise BadInput(
            f"--auxiliary is {auxiliary!r:.60} and nothing uses it. Expected --assisted, whose model uses it. Add "
            "that, or leave --auxiliary out."
        )
    task = inputs.task if inputs is not None else Judgment(plan.grades) if plan.grades else plan.numbers
    if tolerance is not None:
        task = with_tolerance(task, tolerance, votes.kind)
        inputs = None if inputs is None else replace(inputs, task=task)
    kind, voted = votes.kind, votes.verdicts(plan.draws, inputs, plan.known)
    known = known_counts(plan, votes, len(voted), inputs)
    verdicts, measure, bound = voted, measure_of(kind == "failed" or plan.loss_bound == 1), plan.loss_bound
    if kind == "failed":
        bound = 1.0
    elif task is not None and task.numeric:
        verdicts, bound = outcomes_of(task, voted), task.outcome_bound
    if task is not None and (not task.numeric or kind != "failed" or task.tolerance):
        measure = task.measure
    result = estimator_of(plan.design, interval).estimate(plan.design, verdicts, level=level, loss_bound=bound)
    result, more = with_honest_interval(result, plan.request.technique), ""
    if assisted is not None:
        if inputs is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and the guesses come from it. Restore the table."
            )
        helped = assisted_estimate(
            inputs,
            plan.design,
            verdicts,
            result,
            model=assisted,
            auxiliary=auxiliary,
            interval=interval,
            loss_bound=bound,
        )
        result, more = with_honest_interval(helped.estimate, plan.request.technique), helped.words
    again = computed_anew(plan.interval_method, task, result, "plan", plan.design, plan.request.technique)
    errors = None
    if task is not None and task.numeric and assisted is None and kind != "failed":
        squared = _squared_errors(voted, votes, plan, inputs, task)
        if squared is not None:
            errors = error_estimate(task, plan.design, squared, technique=plan.request.technique, level=level)
    second = None
    if recheck is not None:
        if assisted is not None:
            raise BadInput("--recheck corrects the plain estimate, not that of --assisted. Leave one of them out.")
        looks = read_looks(recheck, plan.draws, inputs, task is not None and task.tolerance > 0, tell)
        second = corrected(inputs, plan.design, verdicts, result, looks)
    shares = None
    if task is not None and assisted is None and kind != "failed":
        shares = verdict_estimate(inputs, task, plan.design, verdicts, technique=plan.request.technique, level=level)
    boxes = None
    if task is not None and inputs is not None and assisted is None and kind == "label" and task.boxed:
        answers = answers_of_labels(with_known_labels(plan, votes).cells, inputs)
        boxes = box_estimate(
            inputs, task, plan.design, verdicts, answers, technique=plan.request.technique, level=level
        )
    judges = None if shares is None else shares.assisted
    beside = (one.words() for one in (errors, shares, judges, boxes) if one is not None)
    hiding = "" if inputs is None or assisted is not None else faults_hide_words(inputs, plan.design, verdicts)
    said = (*known.sentences(), more, again, hiding, *beside)
    return PlanEstimate(
        plan,
        verdicts,
        bound,
        result,
        measure,
        headline_of(is_complete(plan, votes.cells), result.low, result.always_low),
        tuple(one for one in said if one),
        task is not None and task.numeric,
        again,
        errors,
        second,
        shares,
        boxes,
        inputs,
        known,
        votes,
        _failures(verdicts, task if kind != "failed" else None),
    )


def _failures(verdicts: Sequence[Verdict], task: Task | None) -> tuple[bool, ...]:
    """Of each verdict whether it is a failure; of a task without numbers by its own rule, else where its loss is above 0."""
    losses = [one.loss or 0.0 for one in verdicts]
    if task is None or task.numeric:
        return tuple(loss > 0 for loss in losses)
    return tuple(task.failed(losses).tolist())


def _of_criteria(
    plan: Plan, votes: Votes, inputs: Inputs | None, level: float, interval: Interval, tell: Tell
) -> PlanEstimate:
    """The share of outputs without a fault in any criterion, and what the votes say about each."""
    if not votes.criteria:
        raise BadInput(
            f"The plan has {len(plan.criteria)} criteria and the votes one answer. Expected a column for each criterion. Give "
            "these votes."
        )

    def of(one: Criterion, cells: Mapping[int, str]) -> PlanEstimate:
        later = replace(plan, criteria=(), grades=one.scale, draws=plan.draws[one.after :])
        if one.after:
            later = replace(later, design=replace(plan.design, planned=plan.design.planned - one.after))
            rows = {draw.row for draw in later.draws}
            cells = {row: cell for row, cell in cells.items() if row in rows}
        asked = None if inputs is None else of_criterion(inputs, one)
        said = Votes("label", cells) if asked is not None else Votes("loss", losses_of_grades(one, cells))
        found = estimate_plan(later, said, asked, level=level, interval=interval, tell=tell)
        return _helped_by_judges(replace(found, plan=plan), one)

    criteria = []
    for one in plan.criteria:
        try:
            criteria.append(CriterionEstimate(one, of(one, votes.criteria[one.name])))
        except NotEnoughLabels as error:
            criteria.append(CriterionEstimate(one, None, str(error)))
    known = [one.criterion for one in criteria if one.found is not None] or plan.criteria
    cells = votes_of_criteria({one.name: votes.criteria[one.name] for one in known}, known).cells
    said = of(Criterion(ALL_RIGHT, after=max(one.after for one in known)), cells)
    open_ = ", ".join(one.criterion.name for one in criteria if one.found is None)
    left_out = [f"{ALL_RIGHT.capitalize()} leaves out {open_}, which nobody has answered."] if open_ else []
    coded = replace(said.votes, codes=votes.codes)
    return replace(said, criteria=tuple(criteria), votes=coded, remarks=(*said.remarks, *left_out))


def _helped_by_judges(found: PlanEstimate, one: Criterion) -> PlanEstimate:
    """The estimate with the help of every judge, where they help; the interval for any stop stays that without them."""
    assisted = None if found.verdicts_say is None else found.verdicts_say.assisted
    plain = found.estimate
    if one.after:
        plain = replace(plain, always_low=None, always_high=None)
    if assisted is None:
        return replace(found, estimate=plain, remarks=())
    if assisted.found.why:
        return replace(found, estimate=plain, remarks=(f"Without judges: {assisted.found.why}",))
    saved = assisted.found.saved
    helped = replace(assisted.found.estimate, always_low=plain.always_low, always_high=plain.always_high)
    own = (f"{bias.name!r:.60} {bias_words(bias)}" for bias in assisted.found.judges if bias.name == one.judge)
    after = f"Asked from the draw {commas(one.after + 1)} on." if one.after else ""
    saves = f"The judges save {percent(saved, 0)} of random labels." if saved else "The judges save no labels."
    return replace(found, estimate=helped, remarks=(saves, *own, *filter(None, [after])))


def with_tolerance(task: Task | None, tolerance: str, kind: str) -> Task:
    """The task with another tolerance; BadInput where the votes cannot be judged by it."""
    if kind == "failed":
        raise BadInput(
            "The votes say failed, which no --tolerance changes. Expected votes with the column label or loss. Give these, "
            "or leave --tolerance out."
        )
    if task is None or not task.numeric:
        what = "was not found" if task is None else "is of classes, which are right or wrong"
        raise BadInput(f"The plan's table {what}; --tolerance needs that of a regression. Leave it out.")
    said = regression(tolerance)
    if kind == "loss" and said.relative != task.relative:
        raise BadInput(
            f"The votes contain losses of errors {'relative to the true numbers' if task.relative else 'in the unit'}, "
            f"which say nothing about a tolerance of {tolerance}. Give votes with the column label, or a tolerance of "
            "the same kind."
        )
    return task.within(said.tolerance, relative=said.relative)


def _squared_errors(
    voted: Sequence[Verdict], votes: Votes, plan: Plan, inputs: Inputs | None, task: Task
) -> tuple[Verdict, ...] | None:
    """The verdicts with squared errors in the unit; None where the votes hold relative errors alone."""
    if not task.relative:
        return tuple(voted)
    if votes.kind == "loss" or inputs is None:
        return None
    return votes.verdicts(plan.draws, replace(inputs, task=task.in_unit()), plan.known)
