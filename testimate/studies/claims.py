"""What the papers claim, each beside the place where our studies measured it, and what a study just run says about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from testimate.advice.evidence import evidence
from testimate.studies.judged_orders import OrderScore
from testimate.studies.study_row import StudyRow

NOT_RUN = "not run yet"

Verdict = Literal["holds", "holds in part", "not found here"]
"""Of a claim as a whole: in part where it holds of some of the techniques, subjects or measures that it names."""


@dataclass(frozen=True)
class JustMeasured:
    """What was measured on this subject: the rows of a study, and orders of priority judged."""

    rows: Sequence[StudyRow]
    orders: Sequence[OrderScore]


@dataclass(frozen=True)
class PaperClaim:
    """One claim of a paper.

    Attributes
    ----------
    source : paper and table. says : the claim, in short.
    finding : what our study says about it, by its name in ``evidence().findings``.
    here : what was measured on this subject, in words; empty where nothing that was run concerns it.
    verdict : whether our studies found the same.
    """

    source: str
    says: str
    finding: str
    here: Callable[[JustMeasured], str]
    verdict: Verdict

    def studied(self) -> str:
        """What our study found, in its own words."""
        return evidence().findings[self.finding]


def _techniques(
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


def _error_over_srs(measured: JustMeasured) -> str:
    said = _techniques(measured, lambda row: row.rmse_ratio_to_srs, ".2f")
    return f"Mean RMSE over srs's: {said}." if said else ""


def _failures(measured: JustMeasured) -> str:
    said = _techniques(measured, lambda row: 100 * row.failures_mean / row.budget, ".0f", largest_first=True)
    return f"Failures in 100 labels: {said}." if said else ""


def _trade_off(measured: JustMeasured) -> str:
    """Error over failures, both beside simple random sampling's, as our page on DeepSample defines the ratio."""

    def ratio(row: StudyRow) -> float | None:
        at_random = row.budget * (1 - row.truth)
        if row.rmse_ratio_to_srs is None or not row.failures_mean or not at_random:
            return None
        return row.rmse_ratio_to_srs / (row.failures_mean / at_random)

    said = _techniques(measured, ratio, ".2f")
    return f"RMSE over failures, both beside srs's (less is better): {said}." if said else ""


def _auxiliaries(measured: JustMeasured) -> str:
    values: dict[str, list[float]] = {}
    for row in measured.rows:
        if row.auxiliary is not None and row.rmse_ratio_to_srs is not None:
            values.setdefault(row.auxiliary, []).append(row.rmse_ratio_to_srs)
    if len(values) < 2:
        return ""
    order = sorted(values, key=lambda name: float(np.mean(values[name])))
    return f"Mean RMSE over srs's: {', '.join(f'{name} {np.mean(values[name]):.2f}' for name in order)}."


def _gain_of(prefix: str) -> Callable[[JustMeasured], str]:
    """How much less error than simple random sampling's the techniques of a family have, in percent."""

    def said(measured: JustMeasured) -> str:
        own = JustMeasured([row for row in measured.rows if row.technique.startswith(prefix)], ())
        gains = _techniques(
            own,
            lambda row: None if row.rmse_ratio_to_srs is None else 100 * (1 - row.rmse_ratio_to_srs),
            "+.0f",
            largest_first=True,
        )
        return f"Less error than srs, %: {gains}." if gains else ""

    return said


def _of_orders(name: str, measure: Callable[[OrderScore], float | None]) -> Callable[[JustMeasured], str]:
    def said(measured: JustMeasured) -> str:
        found = {order.technique: value for order in measured.orders if (value := measure(order)) is not None}
        order = sorted(found, key=lambda one: -found[one])
        return f"{name}, %: {', '.join(f'{one} {100 * found[one]:.0f}' for one in order)}." if order else ""

    return said


def _flatters(measured: JustMeasured) -> str:
    gaps = [
        one.metrics.apfd - one.metrics.wfdr
        for one in measured.orders
        if one.metrics.apfd is not None and one.metrics.wfdr is not None
    ]
    return f"APFD less WFDR: {100 * min(gaps):.0f} to {100 * max(gaps):.0f} points." if gaps else ""


def _without_labels(_: JustMeasured) -> str:
    return "See the Compare models page, with several models on the same data."


DEEPSAMPLE = "DeepSample (Guerriero et al. 2024)"
METRICS = "WFDR and SFDR (Al-Qadasi et al. 2023)"

CLAIMS: tuple[PaperClaim, ...] = (
    PaperClaim(
        f"{DEEPSAMPLE}, Table 10a",
        "Least error (RMSE), classification: GBS, then SSRS, then SUPS most often among the best three.",
        "least error",
        _error_over_srs,
        "holds in part",
    ),
    PaperClaim(
        f"{DEEPSAMPLE}, Table 10a",
        "Most failures exposed, classification: DeepEST, then SUPS, then RHC-S.",
        "most failures",
        _failures,
        "holds in part",
    ),
    PaperClaim(
        f"{DEEPSAMPLE}, Table 10a",
        "Best trade-off of error and failures: SUPS, then RHC-S, then DeepEST.",
        "trade-off",
        _trade_off,
        "holds in part",
    ),
    PaperClaim(
        f"{DEEPSAMPLE}, Table 11",
        "Least RMSE in 270 configurations: 112 times with DSA, 85 with LSA, 73 with confidence; most failures: 243 times "
        "with confidence.",
        "auxiliary variables",
        _auxiliaries,
        "holds in part",
    ),
    PaperClaim(
        "SSOA (Wu et al. 2023), abstract and Tables 2 and 3",
        "26 % less error than SRS on average over five subjects.",
        "ssoa",
        _gain_of("ssoa"),
        "not found here",
    ),
    PaperClaim(
        "PACE (Chen et al. 2020), Table 3",
        "51 % less error than SRS on average over 24 subjects.",
        "pace",
        _gain_of("pace"),
        "holds in part",
    ),
    PaperClaim(
        f"{METRICS}, figure 6",
        "By WFDR DeepAbstraction is best, DeepGini next, neuron patterns last; none reaches 70 %.",
        "order by WFDR",
        _of_orders("WFDR", lambda order: order.metrics.wfdr),
        "holds in part",
    ),
    PaperClaim(
        f"{METRICS}, figure 6 and answer to RQ2",
        "Severe faults come late in every order: SFDR at most 30.5 %.",
        "order by SFDR",
        _of_orders("SFDR", lambda order: order.metrics.sfdr),
        "holds",
    ),
    PaperClaim(
        f"{METRICS}, figure 5",
        "APFD, RAUC and ATRC flatter an order; WFDR does not.",
        "flattering metrics",
        _flatters,
        "holds",
    ),
    PaperClaim(
        "LaF (Guo et al.), figure 3",
        "Ranks models without a label better than rankings from up to 180 labels.",
        "ranking without labels",
        _without_labels,
        "holds in part",
    ),
)
