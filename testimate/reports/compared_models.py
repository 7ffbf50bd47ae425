"""What labels say about several models or versions of one, in words and as rows of a table.

A winner is named only when the intervals say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.comparison import compared_predictions
from testimate.comparison.differences import (
    UNSETTLED,
    DrawnAnswers,
    ModelDifference,
    PlannedAnswers,
    TellingApart,
    difference,
    ruled_out,
)
from testimate.core.draw import Estimate
from testimate.core.selector import Selector
from testimate.core.task import SHARE_RIGHT
from testimate.core.words import (
    DOWN,
    UP,
    better_or_worse,
    commas,
    counted,
    level_words,
    percent,
    percent_range,
    percentage,
    points_either_way,
)
from testimate.estimators.version_difference import Difference
from testimate.planning.build import PAIRS_AIM
from testimate.planning.changed_sets import MovedClass
from testimate.planning.estimate import Headline, interval_words
from testimate.planning.reused_labels import Reused
from testimate.project.version_history import History, JudgedVersion
from testimate.selectors.random_sampling import SimpleRandomSampling
from testimate.session.session import Session


def ends_of(found: Estimate | Difference | None, headline: Headline | None) -> tuple[float, float] | None:
    """The ends of the interval that counts; None where there is none."""
    if found is None or headline is None:
        return None
    fixed = headline == "fixed"
    low, high = (found.low, found.high) if fixed else (found.always_low, found.always_high)
    return None if low is None or high is None else (low, high)


def points(difference: float) -> str:
    """A difference in percentage points with its sign; none has none.

    >>> points(0.0123), points(-0.0004), points(-0.051)
    ('+1.2', '0.0', '-5.1')
    """
    rounded = percentage(difference, 1)
    return f"{rounded:+.1f}" if rounded else "0.0"


def points_range(low: float, high: float) -> str:
    """An interval of differences in percentage points, rounded outwards, each end with its sign.

    >>> points_range(-0.01234, 0.05)
    '-1.3 to +5.0 points'
    """
    return f"{percentage(low, 1, DOWN):+.1f} to {percentage(high, 1, UP):+.1f} points"


def row_of(one: JudgedVersion) -> dict[str, str]:
    """A version by the table's headings, each cell in words; a dash where nothing is known."""
    reused, none = one.reused, "–"
    row = {
        "Version": one.version.name,
        "Accuracy": none,
        "Against the one before": none,
        "Got worse": none,
        "Got better": none,
    }
    if reused is None or one.estimate is None:
        return row
    ends = ends_of(one.estimate, one.headline)
    interval = "no interval that counts" if ends is None else percent_range(*ends) + _kind(one.headline)
    row["Accuracy"] = f"{percent(one.estimate.accuracy)}; {interval}"
    if one.before:
        row |= {"Got worse": commas(len(one.worse)), "Got better": commas(len(one.better))}
    if reused.difference is not None:
        apart = ends_of(reused.difference, reused.difference_headline)
        interval = (
            "no interval that counts" if apart is None else points_range(*apart) + _kind(reused.difference_headline)
        )
        row["Against the one before"] = f"{points(reused.difference.value)}; {interval}"
    return row


def row_of_class(one: MovedClass) -> dict[str, str]:
    """A predicted class as a row by the table's headings: its accuracy under both versions, and the change with its range."""
    row = {"Predicted": one.name}
    for called, found in (("Before", one.before), ("Now", one.now)):
        estimate = found.estimate
        few = f"{counted(found.labeled, 'label')} of {counted(found.inputs, 'input')}, too few"
        row[called] = few if found.inputs else "never predicted"
        if estimate is not None and estimate.low is not None and estimate.high is not None:
            row[called] = f"{percent(estimate.accuracy)}; {percent_range(estimate.low, estimate.high)}"
    row["Change"] = "–" if one.range is None else f"{points(one.change or 0.0)}; {points_range(*one.range)}"
    row["Moved"] = ("worse" if (one.change or 0.0) < 0 else "better") if one.moved else ""
    return row


def classes_in_words(moved: Sequence[MovedClass], name: str, before: str) -> str:
    """In a sentence, which predicted classes got worse or better beyond chance from ``before`` to ``name``, or that
    none did."""
    worse = [one.name for one in moved if one.moved and (one.change or 0.0) < 0]
    better = [one.name for one in moved if one.moved and (one.change or 0.0) > 0]
    compared = sum(one.change is not None for one in moved)
    if not compared:
        return f"No class has enough labels under both {before} and {name}."
    if not worse and not better:
        return f"No class changed by more than chance ({commas(compared)} compared)."
    parts = [
        f"{way} where it predicts {', '.join(names)}" for way, names in (("worse", worse), ("better", better)) if names
    ]
    return f"{name} is {' and '.join(parts)}."


def _kind(headline: Headline | None) -> str:
    return " (stop-safe)" if headline == "always" else ""


def verdict(one: JudgedVersion, level: float) -> str:
    """Whether the version is better than the one before, in a sentence; "" where there is none before it."""
    if one.reused is None or one.reused.difference is None:
        return ""
    found, kind = one.reused.difference, one.reused.difference_headline
    ends = ends_of(found, kind)
    name, before = one.version.name, one.before
    if ends is None:
        return f"Can't compare {name} with {before} yet, because a plan stopped early. Label the rest of it."
    interval, safe = f"{level_words(level)} interval", ", stop-safe" if kind == "always" else ""
    if too_close(one):
        return f"Too close to call: {name} is {better_or_worse(*ends)} than {before} ({interval}{safe})."
    way, by = "better" if ends[0] > 0 else "worse", SHARE_RIGHT.difference(abs(found.value))
    return f"{name} is {way} than {before} by about {by} ({interval} {points_either_way(*ends)}{safe})."


def too_close(one: JudgedVersion) -> bool:
    """Whether the labels leave open which of the version and the one before is better."""
    ends = None if one.reused is None else ends_of(one.reused.difference, one.reused.difference_headline)
    return ends is None or ends[0] <= 0 <= ends[1]


def subtracted(history: History, one: JudgedVersion) -> str:
    """Why the version's accuracy minus that of the one before is not their difference; "" where nothing seems to contradict."""
    earlier = next((each for each in history.versions if each.version.key == one.earlier), None)
    if earlier is None or earlier.estimate is None or one.estimate is None or one.reused is None:
        return ""
    names = one.version.name, one.before
    return subtracted_words(one.reused, one.estimate.accuracy, earlier.estimate.accuracy, *names)


def subtracted_words(found: Reused, accuracy: float, earlier: float, name: str, before: str) -> str:
    """Why the difference of two versions is not that of their accuracies, where these read as a contradiction.

    They do where the accuracies as shown rise and the difference falls, or the other way round, or where subtracting them
    gives a number outside the interval of the difference. "" elsewhere.
    """
    gap = found.difference
    if gap is None:
        return ""
    ends = ends_of(gap, found.difference_headline)
    tenths = round(10 * (percentage(accuracy, 1) - percentage(earlier, 1)))
    opposite = tenths * percentage(gap.value, 1) < 0
    outside = ends is not None and not percentage(ends[0], 1, DOWN) <= tenths / 10 <= percentage(ends[1], 1, UP)
    if not opposite and not outside:
        return ""
    return (
        f"The difference of {points(gap.value)} points is measured where {name} and {before} predict "
        "differently. Each accuracy is estimated by itself from all labels, so don't subtract them."
    )


def labels_of_plans(history: History) -> str:
    """How many labels of how many plans judge the versions."""
    drawn = sum(one.answer is not None and one.source == "drawn" for one in history.labels.values())
    return f"{counted(drawn, 'label')} of {counted(len(history.plans), 'plan')}"


def summary(history: History, count: int) -> str:
    """How many of the ``count`` versions were judged, and by which labels, in a sentence."""
    judged = len(history.versions)
    of = counted(count, "version") if judged == count else f"The latest {commas(judged)} of {counted(count, 'version')}"
    said = f"{of} on the same inputs, judged by {labels_of_plans(history)}."
    if history.imported:
        said += (
            f" {commas(history.agreeing)} of {counted(history.imported, 'imported label')} on inputs that were labeled here, "
            "too, say the same; imported labels enter no estimate, because their inputs were not drawn."
        )
    return said


def two_estimates(history: History) -> str:
    """Where Results shows another number for a version than the table does: both, with what each counts; else ""."""
    differing = [one for one in history.versions if one.latest is not None and one.estimate is not None]
    if not differing:
        return ""
    one = differing[-1]
    assert one.latest is not None
    assert one.estimate is not None
    alone, record = one.latest.estimate, one.latest.record
    session = f"session of {record.created[:10]}, from its own {counted(alone.labeled, 'label')} alone"
    results, here = (
        f"{SHARE_RIGHT.value(found.accuracy)} {interval_words(found, counts, SHARE_RIGHT)}".strip()
        for found, counts in ((alone, one.latest.headline), (one.estimate, one.headline))
    )
    return f"Results shows {results} for {one.version.name} in the {session}. Here {labels_of_plans(history)} count: {here}."


State = Literal["best", "in contention", "ruled out", "as good as the best"]


@dataclass(frozen=True)
class Contender:
    """One model by the labels so far.

    Attributes
    ----------
    model : its name, untrusted text.
    state : what is known of it; "as good as the best" where no label could make a difference.
    right, labeled : of the labeled inputs, those it predicted right, and how many there are.
    behind : accuracy of the front-runner minus this model's, over all inputs; None for the front-runner itself, and where
        the inputs were chosen, not drawn.
    beaten_by : the model that ruled it out, or None.
    """

    model: str
    state: State
    right: int
    labeled: int
    behind: ModelDifference | None
    beaten_by: str | None


@dataclass(frozen=True)
class Contest:
    """All models, the front-runner first, then by what they got right.

    Attributes
    ----------
    contenders : the models.
    winner : names that are best and equally good; empty while more than one is in contention.
    words : what is known, in a sentence; names in it are untrusted.
    level : chance with which the best model is never ruled out.
    """

    contenders: tuple[Contender, ...]
    winner: tuple[str, ...]
    words: str
    level: float


def compares_models(session: Session) -> bool:
    """Whether the session's inputs are predicted by several models."""
    return session.inputs.compared_predictions is not None


def contest(session: Session) -> Contest:
    """The models by the session's labels so far; BadInput if the session is about a single model."""
    predictions = compared_predictions(session.inputs)
    labels, models = predictions.labels, predictions.models
    level = getattr(session.selector, "level", session.session_record.level)
    rows, classes = _answers(session)
    settled = classes != UNSETTLED
    right = (labels[rows[settled]] == classes[settled, None]).sum(axis=0)  # (M,)
    if not has_intervals(session.selector):
        return _by_chosen(models, right, int(settled.sum()), level)
    answers = DrawnAnswers(rows, classes, _contending(session.selector, len(rows), len(models)))
    aim = _aim(session)
    lost = ruled_out(labels, answers, np.ones(len(models), dtype=bool), level=level, aim=aim)
    order = sorted(range(len(models)), key=lambda place: (place in lost, -right[place], place))
    leader, alive = order[0], [place for place in order if place not in lost]
    equal = _same_everywhere(labels, alive, rows[settled])
    tied = equal and len(alive) > 1
    contenders = []
    for place in order:
        state: State = "in contention"
        if place in lost:
            state = "ruled out"
        elif len(alive) == 1 or (equal and right[place] == right[leader]):
            state = "as good as the best" if tied and place != leader else "best"
        behind = None if place == leader else difference(labels, answers, leader, place, level=level, aim=aim)
        beaten = models[lost[place]] if place in lost else None
        contenders.append(Contender(models[place], state, int(right[place]), int(settled.sum()), behind, beaten))
    winner = tuple(one.model for one in contenders if one.state in ("best", "as good as the best"))
    return Contest(tuple(contenders), winner, _words(contenders, winner, level, session), level)


def has_intervals(selector: Selector) -> bool:
    """Whether the technique's draws give differences an interval: random where models disagree, or random over all inputs."""
    return isinstance(selector, TellingApart) or (
        isinstance(selector, SimpleRandomSampling) and not selector.design.replacement
    )


def _aim(session: Session) -> PlannedAnswers | None:
    """What the bets aim at, as it was stored before the first label; None in sessions made before they aimed."""
    if isinstance(session.selector, TellingApart):
        return session.selector.aim
    if not session.session_record.resolved.get(PAIRS_AIM, False):
        return None
    return PlannedAnswers(int(session.session_record.resolved["aimed_at"]), len(session.inputs))


def _answers(session: Session) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows reached in draw order and the class answered to each, UNSETTLED where nobody could or has yet."""
    check, standing = session.inputs.task.check_answer, session.answers()
    rows = np.array([verdict.draw.row for verdict in session.verdicts()], dtype=np.intp)
    said = [check(standing[row]) if row in standing else UNSETTLED for row in rows.tolist()]
    classes = np.array(said, dtype=np.intp)
    return rows, classes


def _contending(selector: Selector, count: int, models: int) -> NDArray[np.bool_]:
    """The models in contention at each of the first draws, (count, M)."""
    if isinstance(selector, TellingApart):
        masks = [selector.contending_at(position) for position in range(count)]
        return np.array(masks, dtype=bool).reshape(count, models)
    return np.ones((count, models), dtype=bool)


def _same_everywhere(labels: NDArray[np.intp], alive: list[int], labeled: NDArray[np.intp]) -> bool:
    """Whether the models left agree on every input that has no label."""
    rest = np.ones(len(labels), dtype=bool)
    rest[labeled] = False
    left = labels[rest][:, alive]
    return bool((left == left[:, :1]).all())


def _by_chosen(models: tuple[str, ...], right: NDArray[np.intp], labeled: int, level: float) -> Contest:
    order = sorted(range(len(models)), key=lambda place: (-right[place], place))
    contenders = tuple(
        Contender(models[place], "in contention", int(right[place]), labeled, None, None) for place in order
    )
    words = (
        f"{models[order[0]]} is right most often on the {commas(labeled)} labeled inputs. Those were chosen, not random, so "
        "this is no proof."
        if labeled
        else "No label yet."
    )
    return Contest(contenders, (), words, level)


def _words(contenders: list[Contender], winner: tuple[str, ...], level: float, session: Session) -> str:
    sure, size = level_words(level), commas(len(session.inputs))
    if len(winner) > 1:
        return f"{', '.join(winner)} are equally good on these {size} inputs, and better than the others ({sure} confidence)."
    if winner:
        return (
            f"{winner[0]} is the best of {len(contenders)} models on these {size} inputs ({sure} confidence, "
            f"{counted(session.labeled, 'label')})."
        )
    left = sum(one.state == "in contention" for one in contenders)
    out = f" {len(contenders) - left} of {len(contenders)} are ruled out." if left < len(contenders) else ""
    if session.finished:
        return f"Still too close to call between {left} models.{out} More labels may separate them."
    return f"{left} models could still be the best.{out}"
