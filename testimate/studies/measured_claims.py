"""What a study just run on a subject says about a claim of the papers, in a line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from testimate.studies.judged_orders import OrderScore
from testimate.studies.study_row import StudyRow


@dataclass(frozen=True)
class JustMeasured:
    """What was measured on this subject: the rows of a study, and orders of priority judged."""

    rows: Sequence[StudyRow]
    orders: Sequence[OrderScore]


def by_technique(
    measured: JustMeasured, measure: Callable[[StudyRow], float | None], form: str, *, largest_first: bool = False
) -> str:
    """Each technique's mean over its rows, the best first."""
    values: dict[str, list[float]] = {}
    for row in measured.rows:
        if (value := measure(row)) is not None:
            values.setdefault(row.technique, []).append(value)
    means = {name: float(np.mean(found)) for name, found in values.items()}
    order = sorted(means, key=lambda name: means[name], reverse=largest_first)
    return ", ".join(f"{name} {means[name]:{form}}" for name in order)


def error_over_srs(measured: JustMeasured) -> str:
    """Each technique's mean error relative to simple random sampling's."""
    said = by_technique(measured, lambda row: row.rmse_ratio_to_srs, ".2f")
    return f"Mean RMSE over srs's: {said}." if said else ""


def failures(measured: JustMeasured) -> str:
    """Failures among 100 labels of each technique."""
    said = by_technique(measured, lambda row: 100 * row.failures_mean / row.budget, ".0f", largest_first=True)
    return f"Failures in 100 labels: {said}." if said else ""


def trade_off(measured: JustMeasured) -> str:
    """Error over failures, both relative to simple random sampling's, as our page on DeepSample defines the ratio."""

    def ratio(row: StudyRow) -> float | None:
        at_random = row.budget * (1 - row.truth)
        if row.rmse_ratio_to_srs is None or not row.failures_mean or not at_random:
            return None
        return row.rmse_ratio_to_srs / (row.failures_mean / at_random)

    said = by_technique(measured, ratio, ".2f")
    return f"RMSE over failures, both relative to srs's (less is better): {said}." if said else ""


def auxiliaries(measured: JustMeasured) -> str:
    """The mean error with each auxiliary variable; nothing where only one was run."""
    values: dict[str, list[float]] = {}
    for row in measured.rows:
        if row.auxiliary is not None and row.rmse_ratio_to_srs is not None:
            values.setdefault(row.auxiliary, []).append(row.rmse_ratio_to_srs)
    if len(values) < 2:
        return ""
    order = sorted(values, key=lambda name: float(np.mean(values[name])))
    return f"Mean RMSE over srs's: {', '.join(f'{name} {np.mean(values[name]):.2f}' for name in order)}."


def gain_of(prefix: str) -> Callable[[JustMeasured], str]:
    """How much smaller the error of a family's techniques is than simple random sampling's, in percent."""

    def said(measured: JustMeasured) -> str:
        own = JustMeasured([row for row in measured.rows if row.technique.startswith(prefix)], ())
        gains = by_technique(
            own,
            lambda row: None if row.rmse_ratio_to_srs is None else 100 * (1 - row.rmse_ratio_to_srs),
            "+.0f",
            largest_first=True,
        )
        return f"Less error than srs, %: {gains}." if gains else ""

    return said


def of_orders(name: str, measure: Callable[[OrderScore], float | None]) -> Callable[[JustMeasured], str]:
    """A metric of each order that was judged, the best first."""

    def said(measured: JustMeasured) -> str:
        found = {order.technique: value for order in measured.orders if (value := measure(order)) is not None}
        order = sorted(found, key=lambda one: -found[one])
        return f"{name}, %: {', '.join(f'{one} {100 * found[one]:.0f}' for one in order)}." if order else ""

    return said


def flatters(measured: JustMeasured) -> str:
    """By how much APFD exceeds WFDR."""
    gaps = [
        one.metrics.apfd - one.metrics.wfdr
        for one in measured.orders
        if one.metrics.apfd is not None and one.metrics.wfdr is not None
    ]
    return f"APFD less WFDR: {100 * min(gaps):.0f} to {100 * max(gaps):.0f} points." if gaps else ""


def without_labels(_: JustMeasured) -> str:
    """Where the claim can be tested."""
    return "See the Compare models page, with several models on the same data."


def bands(measured: JustMeasured) -> str:
    """How many of the faults are severe."""
    for one in measured.orders:  # of any order: each holds all inputs
        return f"Severe faults: {100 * one.severe[-1] / one.found[-1]:.0f} % of all."
    return ""


def nothing_here(_: JustMeasured) -> str:
    """Nothing: this page cannot test the claim."""
    return ""
