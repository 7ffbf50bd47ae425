"""What labels say about the versions of a model, in words and as rows of a table."""

from collections.abc import Sequence

from testimate.core.draw import Estimate
from testimate.core.words import DOWN, UP, counted, percent, percent_range, percentage, spaced
from testimate.estimators.reused import Difference
from testimate.planning.changed_sets import MovedClass
from testimate.planning.estimate import Headline
from testimate.project.version_history import History, JudgedVersion


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
    if reused is None:
        return row
    ends = ends_of(reused.estimate, reused.headline)
    interval = "no interval that counts" if ends is None else percent_range(*ends) + _kind(reused.headline)
    row["Accuracy"] = f"{percent(reused.estimate.accuracy)}; {interval}"
    if one.before:
        row |= {"Got worse": spaced(len(one.worse)), "Got better": spaced(len(one.better))}
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
        return f"No predicted class changed beyond chance; {spaced(compared)} can be compared."
    parts = [
        f"{way} where it predicts {', '.join(names)}" for way, names in (("worse", worse), ("better", better)) if names
    ]
    return f"{name} is {' and '.join(parts)}."


def _kind(headline: Headline | None) -> str:
    return " (stop-safe)" if headline == "always" else ""


def verdict(one: JudgedVersion) -> str:
    """Whether the version is better than the one before, in a sentence; "" where there is none before it."""
    if one.reused is None or one.reused.difference is None:
        return ""
    gap, ends = one.reused.difference, ends_of(one.reused.difference, one.reused.difference_headline)
    name, before, by = one.version.name, one.before, f"{abs(100 * gap.value):.1f} points"
    if ends is None:
        return f"{name} was not told apart from {before}: a plan was stopped before its end. Label the rest of it."
    if ends[0] > 0:
        return f"{name} is better than {before}, by about {by} ({points_range(*ends)})."
    if ends[1] < 0:
        return f"{name} is worse than {before}, by about {by} ({points_range(*ends)})."
    return f"Whether {name} is better or worse than {before} is not known yet ({points_range(*ends)})."


def labels_of_plans(history: History) -> str:
    """How many labels of how many plans judge the versions."""
    drawn = sum(one.answer is not None and one.source == "drawn" for one in history.labels.values())
    return f"{counted(drawn, 'label')} of {counted(len(history.plans), 'plan')}"


def summary(history: History, count: int) -> str:
    """How many of the ``count`` versions were judged, and by which labels, in a sentence."""
    judged = len(history.versions)
    of = counted(count, "version") if judged == count else f"The latest {spaced(judged)} of {counted(count, 'version')}"
    said = f"{of} on the same inputs, judged by {labels_of_plans(history)}."
    if history.imported:
        said += (
            f" {spaced(history.agreeing)} of {counted(history.imported, 'imported label')} on inputs that were labeled here, "
            "too, say the same; imported labels enter no estimate, because their inputs were not drawn."
        )
    return said
