"""How wide the intervals of a plan are expected to be, before any label: against the budget, in words, and for groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.estimates import forecast
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import commas, counted
from testimate.core.words import points as rounded_points
from testimate.planning.build import titled
from testimate.planning.expected_range import ExpectedRange, LabelsRange, expected_range, expected_words, labels_range
from testimate.planning.forecast import (
    GROUPED,
    QUICK,
    budget_for_groups,
    by_history,
    group_half_widths,
    has_group_forecast,
)
from testimate.planning.needs import COMBINED, HISTORY
from testimate.planning.other_models import expected_saving
from testimate.selectors import SELECTORS
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown

GROUPS_HEIGHT, POINTS = 360, 9


@dataclass(frozen=True)
class Forecast:
    """What to expect of a plan: ``words``, a sentence or two, and the ``assumption`` behind them; "" for none."""

    words: str
    assumption: str = ""


def reached_words(widths: ExpectedRange, budget: int, needed: str, half_width: float) -> str:
    """What a plan is expected to reach, with its range, and the labels that a width takes.

    >>> widths = ExpectedRange(*np.array([[0.038], [0.047], [0.062]]))
    >>> reached_words(widths, 200, "about 182 labels", 0.05).replace("\u00a0", " ")
    'Expect about ±4.7 points (likely 3.8 to 6.2) after 200 labels. ±5.0 points takes about 182 labels.'
    """
    return f"{expected_words(widths, budget)} ±{points(half_width)} takes {needed}."


def groups_width(inputs: Inputs, request: Request, half_width: float, last: int) -> Forecast:
    """The expected half-width against the budget, up to ``last`` labels, and the labels that the wanted one needs."""
    alike = st.number_input(
        "Suppose inputs of one group fail alike (%)",
        0,
        100,
        30,
        5,
        key="supposed alike",
        help="0: each fails independently. 100: of a group's equally doubtful inputs all fail, or none does. Nothing "
        "shows this before there are labels. The more alike they are, the less another input of the same group tells "
        "you.",
    )
    budgets = np.unique(
        np.append(np.geomspace(min(40, len(inputs)), last, POINTS).astype(int), request.budget)
    ).tolist()
    chosen = replace(request, budget=1, seed=0)
    widths = {
        name: _widths(inputs, tuple(budgets), chosen if name == request.technique else Request(name, 1, 0), alike / 100)
        for name in GROUPED
    }
    figure = forecast(
        np.array(budgets),
        {titled(name): found for name, found in widths.items()},
        chosen_budget=request.budget,
        chosen_technique=titled(request.technique),
        target=half_width,
        dark=dark(),
    )
    figure.update_layout(height=GROUPS_HEIGHT)
    st.plotly_chart(
        figure, theme=None, key="expected width", alt="Expected half-width of the 95% interval against the budget"
    )
    own = widths[request.technique]
    st.markdown(escape_markdown(words(budgets, own, request.budget, half_width)))
    assumed = (
        "A forecast of half the fixed-size 95% interval. It assumes that the model's confidence is about right and that "
        "groups are as alike as you suppose."
    )
    st.caption(assumed)
    at = float(own[budgets.index(request.budget)])
    if np.isnan(at):
        return Forecast(f"No forecast for {counted(request.budget, 'label')} yet. Plan more.", assumed)
    alone, needed = ExpectedRange(*[np.array([at])] * 3), groups_needed(budgets, own, half_width)
    return Forecast(reached_words(alone, request.budget, needed, half_width), assumed)


def words(budgets: list[int], widths: NDArray[np.float64], budget: int, half_width: float) -> str:
    """How wide the chosen budget leaves the interval, and how many labels the wanted width needs."""
    at = float(widths[budgets.index(budget)])
    labels = groups_needed(budgets, widths, half_width)
    now = "no number yet" if np.isnan(at) else f"±{100 * at:.1f} points"
    return f"{now} with {counted(budget, 'label')}; ±{100 * half_width:.1f} points needs {labels}."


def groups_needed(budgets: list[int], widths: NDArray[np.float64], half_width: float) -> str:
    """How many labels the wanted width takes."""
    wanted = budget_for_groups(budgets, widths, half_width)
    return f"more than {counted(budgets[-1], 'label')}" if wanted is None else f"about {counted(wanted, 'label')}"


@st.cache_data(
    show_spinner="Playing campaigns …", max_entries=64, hash_funcs={Inputs: lambda one: one.fingerprint, Request: repr}
)
def _widths(inputs: Inputs, budgets: tuple[int, ...], chosen: Request, alike: float) -> NDArray[np.float64]:
    if not has_group_forecast(inputs, chosen.technique):
        return np.full(len(budgets), np.nan)
    return group_half_widths(inputs, budgets, chosen, alike=alike)


LOOKED_AT = 200_000
"""Inputs in the sample that larger sets are forecast from; half-widths differ from those of all inputs in the third digit."""

FORECAST_TO = 600  # labels, or three times the budget
HEIGHT = 360
WATCHED = ("rra", "rrs", "srs")
"""Techniques whose stop-safe interval is narrow enough to be used for stopping."""


def expected_width(inputs: Inputs, request: Request, half_width: float) -> Forecast:
    """Draws the intervals' expected half-width against the budget, and says what to expect of the plan."""
    size = len(inputs)
    last = min(size, max(3 * request.budget, FORECAST_TO))
    if has_group_forecast(inputs, request.technique):
        return groups_width(inputs, request, half_width, last)
    budgets = np.unique(np.geomspace(min(20, size), max(last, 2), 24).astype(int)).tolist()
    failing = supposed_failing(inputs)
    if half_widths(inputs, budgets, "srs", request, stop_safe=False, failing=failing) is None:
        why = (
            "Without a tolerance nothing is right or wrong, so there is no forecast."
            if inputs.task.numeric
            else "With several criteria there is no forecast yet."
            if inputs.task.criteria
            else "Without confidence there is nothing to forecast from."
            if inputs.confidence is None
            else "There are too few inputs to forecast from."
        )
        none = f"{why} You will see the interval as you label."
        st.info(none, icon=":material/show_chart:")
        return Forecast(none)
    stop_safe = st.segmented_control(
        "Interval",
        [True, False],
        format_func=lambda watched: "stop-safe" if watched else "fixed-size",
        default=request.technique in WATCHED,
        required=True,
        key="stop-safe forecast",
        help=f"{explained('stop-safe interval')}\n\n{explained('ordinary interval')}",
    )
    widths = curves(inputs, budgets, request, stop_safe=stop_safe, failing=failing)
    seen = request if failing is None else replace(request, technique="srs", options={}, variant=None)
    figure = forecast(
        np.array(budgets),
        {titled(name): found for name, found in widths.items()},
        chosen_budget=request.budget,
        chosen_technique=titled(seen.technique),
        target=half_width,
        dark=dark(),
    )
    figure.update_layout(height=HEIGHT)
    figure.update_yaxes(range=[0, 100 * highest(widths.get(seen.technique), half_width)])
    kind = "stop-safe 95% interval" if stop_safe else "95% interval"
    st.plotly_chart(
        figure, theme=None, key="expected width", alt=f"Expected half-width of the {kind} against the budget"
    )
    needed_words(inputs, seen, half_width, failing)
    assumed = assumption(inputs, request, widths, kind, stop_safe=stop_safe, supposed=failing is not None)
    st.caption(assumed)
    return forecast_of(inputs, seen, half_width, failing, assumed, stop_safe=stop_safe)


def forecast_of(
    inputs: Inputs, request: Request, half_width: float, failing: float | None, assumed: str, *, stop_safe: bool
) -> Forecast:
    """What to expect of one of the plan's intervals, of the other one where this one has no forecast."""
    name = request.technique
    for kind in (stop_safe, not stop_safe):
        widths = width_range(inputs, [request.budget], name, request, stop_safe=kind, failing=failing)
        if widths is None or not np.isfinite(widths.middle[0]):
            continue
        needed = labels_needed(inputs, half_width, name, request, stop_safe=kind, failing=failing)
        return Forecast(reached_words(widths, request.budget, _labels(needed.middle), half_width), assumed)
    return Forecast(f"There is no forecast for {titled(name)} with {counted(request.budget, 'label')}.")


def assumption(
    inputs: Inputs,
    request: Request,
    widths: Mapping[str, NDArray[np.float64]],
    kind: str,
    *,
    stop_safe: bool,
    supposed: bool,
) -> str:
    """What the forecast assumes. ``supposed`` : the share of failures is the tester's; ``kind`` : the interval's."""
    if supposed:
        return (
            f"A forecast of half the {kind} of a simple random sample (srs). It assumes that this share is right, because "
            "nothing shows how far off a number is before there are labels. Between 30 and 70%, other shares change it little."
        )
    if request.auxiliary == COMBINED:
        return (
            f"A forecast of half the {kind}. For lists it assumes that the model's confidence and the other models' "
            "predictions together are about right. For adaptive rounds (rra) it takes the confidence alone, less what such "
            f"models were found to save.{why_not_the_list(widths)}{sampled_words(inputs)}"
        )
    if by_history(inputs, request):
        return (
            f"A forecast of half the {kind}. It takes what earlier models got wrong as the chance of failing. If this model "
            "fails where they did not, the interval will be wider."
        )
    by_other = " and as auxiliary variable" if request.auxiliary != "confidence" and request.technique in widths else ""
    return (
        f"A forecast of half the {kind}. It takes the model's confidence as the chance of being right{by_other}. If the "
        f"model is overconfident, the interval will be wider.{nothing_to_learn(widths) if stop_safe else ''}"
        f"{sampled_words(inputs)}"
    )


def supposed_failing(inputs: Inputs) -> float | None:
    """The share of failures that the tester assumes for numbers with a tolerance; None for anything else."""
    task = inputs.task
    if not task.tolerance or len(inputs) < 2:
        return None
    said = st.number_input(f"Suppose this share is {task.within_words} (%)", 1, 99, 90, key="supposed share")
    return 1 - said / 100


def nothing_to_learn(widths: Mapping[str, NDArray[np.float64]]) -> str:
    """Why the line of rra is above that of rrs where it is, although the advice says it ends below; empty elsewhere."""
    if not {"rra", "rrs"} <= widths.keys() or (widths["rra"] > widths["rrs"]).mean() <= 0.5:
        return ""
    return (
        " Adaptive rounds (rra) are drawn above round-robin (rrs), because this forecast leaves them nothing to learn. On "
        "the three real networks in our studies they learned, and ended below."
    )


def why_not_the_list(widths: Mapping[str, NDArray[np.float64]]) -> str:
    """With other models, why rra is advised although the line of rrs is below its own; empty elsewhere."""
    if not {"rra", "rrs"} <= widths.keys() or (widths["rra"] > widths["rrs"]).mean() <= 0.5:
        return ""
    return (
        " The line of the list (rrs) lies lower because it takes the other models at their word. The advice does not: where "
        "they knew less than they said, a list's error rose by 10 to 34%, and that of adaptive rounds (rra), which learn "
        "it from the labels, changed by -2 to +5%."
    )


def highest(chosen: NDArray[np.float64] | None, half_width: float) -> float:
    """The top of the chart of half-widths: showing values far from the wanted and the chosen one would flatten these two."""
    seen = [] if chosen is None else chosen[np.isfinite(chosen)].tolist()
    return float(min(0.52, max(3 * half_width, 1.1 * max(seen, default=0.0))))


def needed_words(inputs: Inputs, request: Request, half_width: float, failing: float | None = None) -> None:
    """How wide the chosen budget is expected to leave each interval, and how many labels the wanted width needs."""
    name, lines = request.technique, []
    for stop_safe, condition in (
        (True, "Stop-safe"),
        (False, "Fixed-size"),
    ):
        widths = width_range(inputs, [request.budget], name, request, stop_safe=stop_safe, failing=failing)
        if widths is None or not np.isfinite(widths.middle[0]):
            continue
        needed = labels_needed(inputs, half_width, name, request, stop_safe=stop_safe, failing=failing)
        labels = needed_range_words(needed)
        helped = (name, request.auxiliary) == ("rra", COMBINED)
        if needed.middle is not None and helped and expected_saving(inputs, stop_safe=stop_safe) is not None:
            by_itself = replace(request, auxiliary="confidence")
            alone = labels_needed(inputs, half_width, name, by_itself, stop_safe=stop_safe, failing=failing)
            labels += f", or {_labels(alone.middle)} without the other models"
        lines.append(
            f"{condition}: about ±{points(widths.middle[0])} after {counted(request.budget, 'label')}. "
            f"±{points(half_width)} takes {labels}.{came_true_words(widths)}"
        )
    if not lines:
        lines.append(
            f"There is no forecast for {titled(name)} with {counted(request.budget, 'label')}; the lines are of "
            "other techniques."
        )
    for line in lines:
        st.markdown(escape_markdown(line))


def came_true_words(widths: ExpectedRange) -> str:
    """Between which half-widths it will be on networks that such confidences can belong to; empty if that isn't known.

    >>> came_true_words(ExpectedRange(*np.array([[0.03], [0.04], [0.08]]))).replace("\u00a0", " ")
    ' On networks like yours: between ±3.0 and ±8.0 points.'
    """
    low, high = float(widths.low[0]), float(min(widths.high[0], 0.5))
    if low == high:
        return ""
    return f" On networks like yours: between ±{points(low).partition(NARROW)[0]} and ±{points(high)}."


NARROW = "\u00a0"
"""The space before a unit."""


def needed_range_words(needed: LabelsRange) -> str:
    """How many labels a width needs, and between which numbers for seven networks of eight.

    >>> needed_range_words(LabelsRange(120, 220, 460)).replace("\u00a0", " ")
    'about 220 labels (120 to 460)'
    """
    if needed.middle is None or needed.low == needed.high:
        return _labels(needed.middle)
    most = "all" if needed.high is None else commas(needed.high)
    return f"{_labels(needed.middle)} ({commas(needed.low or 0)} to {most})"


def _labels(count: int | None) -> str:
    """A number of labels that are needed, in words; None if not even all are enough."""
    return "more labels than there are inputs" if count is None else f"about {counted(count, 'label')}"


def points(half_width: float) -> str:
    """A half-width in percentage points."""
    return rounded_points(half_width, outwards=True).replace(" ", "\u00a0")


KEPT = 512
BY_CONTENT: dict[str | type[Any], Callable[[Any], Any]] = {
    Inputs: lambda inputs: (inputs.fingerprint, len(inputs.known)),
    Request: repr,
}


def curves(
    inputs: Inputs, budgets: Sequence[int], chosen: Request, *, stop_safe: bool, failing: float | None = None
) -> dict[str, NDArray[np.float64]]:
    """Expected half-widths (K,) of the stop-safe or the ordinary interval at K budgets, by technique; nan if none."""
    found = {name: half_widths(inputs, budgets, name, chosen, stop_safe=stop_safe, failing=failing) for name in QUICK}
    return {name: widths for name, widths in found.items() if widths is not None}


def half_widths(
    inputs: Inputs,
    budgets: Sequence[int],
    technique: str,
    chosen: Request,
    *,
    stop_safe: bool,
    failing: float | None = None,
) -> NDArray[np.float64] | None:
    """The middle of ``width_range``, (K,)."""
    widths = width_range(inputs, budgets, technique, chosen, stop_safe=stop_safe, failing=failing)
    return None if widths is None else widths.middle


def width_range(
    inputs: Inputs,
    budgets: Sequence[int],
    technique: str,
    chosen: Request,
    *,
    stop_safe: bool,
    failing: float | None = None,
) -> ExpectedRange | None:
    """Those of one technique, (K,); None if it has none, no forecast, or none that can be computed while someone waits."""
    if technique not in QUICK or not (stop_safe or SELECTORS[technique].claims.honest_interval):
        return None
    return _width_range(inputs, tuple(budgets), technique, _what_counts(technique, chosen), stop_safe, failing)


def labels_needed(
    inputs: Inputs,
    half_width: float,
    technique: str,
    chosen: Request,
    *,
    stop_safe: bool,
    failing: float | None = None,
) -> LabelsRange:
    """Labels by which the technique, which has a forecast, is expected to reach the half-width."""
    return _labels_needed(inputs, half_width, technique, _what_counts(technique, chosen), stop_safe, failing)


def _what_counts(technique: str, chosen: Request) -> Request | None:
    """The choices that the technique's forecast depends on, so that lines beside each other rest on the same assumptions."""
    if chosen.technique == technique:
        return replace(chosen, budget=1, seed=0)
    return Request(technique, 1, 0, chosen.auxiliary) if chosen.auxiliary in (COMBINED, HISTORY) else None


def looked_at(inputs: Inputs, budget: int) -> Inputs:
    """The inputs that a forecast is made from: all, or a seeded sample of very many; see ``sampled_words``."""
    if len(inputs) <= LOOKED_AT or 2 * budget > LOOKED_AT:
        return inputs
    return _sample(inputs)


def sampled_words(inputs: Inputs) -> str:
    """A sentence that the forecasts are from a sample; empty if they are from all inputs."""
    if len(inputs) <= LOOKED_AT:
        return ""
    return f" The forecast is from {commas(LOOKED_AT)} of the {commas(len(inputs))} inputs, drawn at random."


@st.cache_resource(show_spinner=False, max_entries=2, hash_funcs=BY_CONTENT)
def _sample(inputs: Inputs) -> Inputs:
    rows = np.random.default_rng(0).choice(len(inputs), LOOKED_AT, replace=False, shuffle=False)
    return inputs.part(np.sort(rows))


@st.cache_data(show_spinner=False, max_entries=KEPT, hash_funcs=BY_CONTENT)
def _width_range(
    inputs: Inputs,
    budgets: tuple[int, ...],
    technique: str,
    chosen: Request | None,
    stop_safe: bool,
    failing: float | None,
) -> ExpectedRange | None:
    return expected_range(
        looked_at(inputs, max(budgets)), budgets, technique, chosen=chosen, stop_safe=stop_safe, failing=failing
    )


@st.cache_data(show_spinner=False, max_entries=KEPT, hash_funcs=BY_CONTENT)
def _labels_needed(
    inputs: Inputs,
    half_width: float,
    technique: str,
    chosen: Request | None,
    stop_safe: bool,
    failing: float | None,
) -> LabelsRange:
    found = labels_range(
        looked_at(inputs, 1), half_width, technique, chosen=chosen, stop_safe=stop_safe, failing=failing
    )
    return LabelsRange(None, None, None) if found is None else found
