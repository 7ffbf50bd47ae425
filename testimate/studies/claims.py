"""The papers' claims: where our studies measured them, and what a study just run says about each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.advice.evidence import evidence
from testimate.auxiliary import SLOW
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.metrics import OrderMetrics, order_metrics, severity_level
from testimate.planning.needs import possible
from testimate.planning.priority import priority
from testimate.selectors import SELECTORS
from testimate.studies.campaign import known_losses
from testimate.studies.study_rows import StudyRow

ORDERS = (
    "severity-first",
    "deepgini",
    "entropy",
    "margin",
    "confidence",
    *(name for name in SLOW if name in SELECTORS),
    "neuron-pattern",
    "deepabstraction",
    "srs",
)
"""The prioritizers, and simple random sampling as the order without any information."""

SEVERE_LEVEL = 9
"""The lowest of the severity levels 1..10 that is severe: a confidence of 80% and more."""


@dataclass(frozen=True, eq=False)
class OrderScore:
    """One order of all inputs, judged with m, the number of faults, as the labeling budget.

    ``found``, ``severe`` : (N,) faults, and severe faults, among its first 1..N inputs.
    """

    technique: str
    metrics: OrderMetrics
    found: NDArray[np.intp]
    severe: NDArray[np.intp]


def judged_order(inputs: Inputs, technique: str, *, seed: int, progress: Progress = silent) -> OrderScore:
    """The technique's order of all inputs by the known truth, as a labeling budget of m inputs would have it.

    Raises BadInput where the truth or the confidence is not known, there is no fault, or the technique cannot run.
    """
    if why := cannot_be_judged(inputs):
        raise BadInput(why)
    assert inputs.confidence is not None
    failed = inputs.task.failed(known_losses(inputs))  # (N,)
    order = priority(inputs, Request(technique, int(failed.sum()), seed), progress=progress)
    hit, confidence = failed[order.rows], inputs.confidence[order.rows]
    is_severe = hit & (severity_level(confidence) >= SEVERE_LEVEL)
    return OrderScore(technique, order_metrics(hit, confidence), np.cumsum(hit), np.cumsum(is_severe))


def cannot_be_judged(inputs: Inputs) -> str:
    """Why no order of these inputs can be judged, and what to do; empty if one can."""
    if inputs.task.numeric or inputs.confidence is None:
        return (
            "These inputs have no confidence; an order is judged by how sure the network was of each fault. Open a "
            "classification with a column confidence."
        )
    if not inputs.task.failed(known_losses(inputs)).any():
        return "Not one of these inputs fails; an order is judged by the faults it finds. Open another test set."
    return ""


def possible_orders(inputs: Inputs) -> list[str]:
    """The techniques that can order these inputs."""
    return [name for name in ORDERS if not possible(inputs, SELECTORS[name])]


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
    return "See Models, Compare, with several models on the same data."


def bands(measured: JustMeasured) -> str:
    """How many of the faults are severe."""
    for one in measured.orders:  # of any order: each holds all inputs
        return f"Severe faults: {100 * one.severe[-1] / one.found[-1]:.0f}% of all."
    return ""


def nothing_here(_: JustMeasured) -> str:
    """Nothing: this page cannot test the claim."""
    return ""


NOT_RUN = "not run yet"

Verdict = Literal["holds", "holds in part", "not found here", "cannot be tried"]
"""Verdict on a claim as a whole; "in part" if it holds for some of the techniques, subjects or measures it names."""


@dataclass(frozen=True)
class PaperClaim:
    """One claim of a paper.

    Attributes
    ----------
    paper : its name and year. place : the section, table or figure. says : the claim, in short.
    verdict : whether our studies found the same.
    finding : what our study says about it, by its name in ``evidence().findings``; "" where it cannot be tried.
    here : what was measured on this subject, in words; empty where nothing that was run concerns it.
    why_not : why it cannot be tried.
    """

    paper: str
    place: str
    says: str
    verdict: Verdict
    finding: str
    here: Callable[[JustMeasured], str] = nothing_here
    why_not: str = ""

    def studied(self) -> str:
        """What our study found, in its own words, or why there is no finding."""
        return evidence().findings[self.finding] if self.finding else self.why_not


PACE = "PACE (Chen et al. 2020)"
SSOA = "SSOA (Wu et al. 2023)"
DEEPSAMPLE = "DeepSample (Guerriero et al. 2024)"
METRICS = "WFDR and SFDR (Al-Qadasi et al. 2023)"
LAF = "LaF (Guo et al. 2022)"
PAPERS = (DEEPSAMPLE, SSOA, PACE, METRICS, LAF)

CLAIMS: tuple[PaperClaim, ...] = (
    PaperClaim(
        DEEPSAMPLE,
        "Table 10a",
        "Least error (RMSE), classification: GBS, then SSRS, then SUPS most often among the best three.",
        "holds in part",
        "least error",
        error_over_srs,
    ),
    PaperClaim(
        DEEPSAMPLE,
        "Table 10a",
        "Most failures exposed, classification: DeepEST, then SUPS, then RHC-S.",
        "holds in part",
        "most failures",
        failures,
    ),
    PaperClaim(
        DEEPSAMPLE,
        "Table 10a",
        "Best trade-off of error and failures: SUPS, then RHC-S, then DeepEST.",
        "holds in part",
        "trade-off",
        trade_off,
    ),
    PaperClaim(
        DEEPSAMPLE,
        "Table 11",
        "Least RMSE in 270 configurations: 112 times with DSA, 85 with LSA, 73 with confidence; most failures: 243 times "
        "with confidence.",
        "holds in part",
        "auxiliary variables",
        auxiliaries,
    ),
    PaperClaim(
        DEEPSAMPLE,
        "RQ1",
        "2-UPS has many outliers, because it depends on how well the auxiliary variable represents failures.",
        "not found here",
        "outliers of 2-ups",
    ),
    PaperClaim(
        DEEPSAMPLE,
        "RQ3.1, Table 6",
        "In some cases the error is least below 800 labels, so techniques do not always converge.",
        "not found here",
        "inversions",
    ),
    PaperClaim(
        DEEPSAMPLE,
        "RQ3.2, Tables 8 and 9",
        "Failures about double with each doubling of the budget.",
        "holds",
        "failures by budget",
    ),
    PaperClaim(
        SSOA,
        "abstract, Tables 2 and 3",
        "26% less error than SRS on average over five test sets.",
        "not found here",
        "ssoa",
        gain_of("ssoa"),
    ),
    PaperClaim(SSOA, "section 4.4", "SSOA is unbiased.", "not found here", "bias of ssoa"),
    PaperClaim(
        SSOA,
        "RQ2",
        "Optimum allocation is better than CSS's fixed shares on the same strata, at every budget.",
        "holds in part",
        "optimum allocation",
    ),
    PaperClaim(
        SSOA,
        "RQ3, Table 4",
        "Spreads from training data or a pre-sample do not differ from the true ones (Wilcoxon's test over three strata).",
        "cannot be tried",
        "spreads",
    ),
    PaperClaim(
        SSOA,
        "RQ4, figure 3",
        "Sampling's error falls steadily to 4,000 labels; PACE's does not.",
        "holds",
        "stability",
    ),
    PaperClaim(
        SSOA,
        "RQ5, figure 4",
        "It also works on inputs unlike the training set; clusters are the proper choice there.",
        "holds in part",
        "shifted inputs",
    ),
    PaperClaim(SSOA, "RQ6, figure 5", "Three clusters are the best choice in general.", "not found here", "clusters"),
    PaperClaim(
        PACE,
        "RQ1, Table 3",
        "51% less error than SRS on average over 24 test sets.",
        "holds in part",
        "pace",
        gain_of("pace"),
    ),
    PaperClaim(
        PACE,
        "RQ2, figure 4",
        "Of the features CON is worst; ORI and LHL are better than FL.",
        "holds in part",
        "features of pace",
    ),
    PaperClaim(PACE, "RQ3, figure 5", "alpha = 0.5 is worst, 0.7 and 0.8 are best.", "holds in part", "alpha of pace"),
    PaperClaim(
        PACE,
        "RQ4, figure 6",
        "The fewer dimensions FastICA leaves, the better; none left out is worst.",
        "not found here",
        "dimensions of pace",
    ),
    PaperClaim(
        PACE,
        "RQ4, figure 7",
        "FastICA is the best of four reductions, NMF near it.",
        "not found here",
        "reductions of pace",
    ),
    PaperClaim(
        PACE,
        "RQ5, figure 8",
        "Each part adds something; of the variants without clusters adaptive random exploration is better than MMD-critic.",
        "holds in part",
        "parts of pace",
    ),
    PaperClaim(
        PACE,
        "Table 11",
        "On inputs attacked by FGSM and by Carlini and Wagner PACE has 49 and 67% less error than SRS.",
        "not found here",
        "attacked inputs",
    ),
    PaperClaim(
        PACE,
        "Tables 9 and 10, ImageNet",
        "29 to 68% less error than SRS on two ImageNet models, top 5 and to 1,000 labels.",
        "cannot be tried",
        "",
        why_not="Neither ImageNet nor the models are available; docs/studies/pace.md has the same tables of three LeNets.",
    ),
    PaperClaim(
        METRICS,
        "figure 6",
        "By WFDR DeepAbstraction is best, DeepGini next, neuron patterns last; none reaches 70%.",
        "holds in part",
        "order by WFDR",
        of_orders("WFDR", lambda order: order.metrics.wfdr),
    ),
    PaperClaim(
        METRICS,
        "figure 6 and answer to RQ2",
        "Severe faults come late in every order: SFDR at most 30.5%.",
        "holds",
        "order by SFDR",
        of_orders("SFDR", lambda order: order.metrics.sfdr),
    ),
    PaperClaim(
        METRICS,
        "figure 5",
        "APFD, RAUC and ATRC flatter an order; WFDR does not.",
        "holds",
        "flattering metrics",
        flatters,
    ),
    PaperClaim(
        METRICS,
        "Table V",
        "Within as many labels as faults DeepGini finds no severe fault.",
        "holds in part",
        "severe faults of DeepGini",
    ),
    PaperClaim(
        METRICS,
        "Table V",
        "DeepAbstraction finds 40 to 79% of the severe faults.",
        "not found here",
        "severe faults of DeepAbstraction",
    ),
    PaperClaim(
        METRICS,
        "RQ3, figure 7",
        "More than 20% of the faults are severe in every benchmark.",
        "holds",
        "share of severe faults",
        bands,
    ),
    PaperClaim(
        LAF,
        "RQ1, figure 3",
        "Ranks models without a label better than rankings from up to 180 labels.",
        "holds in part",
        "ranking without labels",
        without_labels,
    ),
    PaperClaim(
        LAF,
        "RQ2, Tables 4 and 5",
        "Under corruptions it ranks better than SDS, CES and random sampling in 97% of the cases.",
        "holds in part",
        "ranking under shift",
    ),
    PaperClaim(
        LAF,
        "RQ3, figure 7",
        "Rankings are good where the models' mean accuracy is above 50% and its standard deviation above 18 points.",
        "holds in part",
        "quality and diversity",
    ),
    PaperClaim(
        LAF,
        "section 5.3",
        "On source code Spearman's correlation is 0.96 and 0.95 without a label; SDS with 20 labels has 0.82 and 0.79.",
        "holds in part",
        "texts and code",
    ),
    PaperClaim(
        LAF,
        "RQ2, figure 6 and Table 6",
        "Under natural shift, of camera traps and of reviews, it ranks better than SDS, CES and random sampling.",
        "not found here",
        "natural shift",
    ),
)
