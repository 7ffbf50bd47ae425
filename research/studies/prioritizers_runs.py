"""The orders behind the page on prioritizers: every technique on every subject that has what it needs, and their metrics."""

from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from research.studies.measured_once import measured_once
from research.studies.runs import SEED
from research.studies.study_subjects import data_folder, inputs_of
from testimate.core.draw import RoundDraw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.feature_cache import FeatureCache
from testimate.metrics import found_by_severity, order_metrics, severity_counts
from testimate.models.description import ModelDescription
from testimate.planning.build import build
from testimate.planning.known_inputs import known_inputs
from testimate.planning.needs import possible
from testimate.planning.priority import priority
from testimate.selectors import SELECTORS
from testimate.studies.claims import ORDERS
from testimate.studies.study_rows import spread_of_srs
from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

TABLES = ("D", "G", "CN12")
NETWORKS = ("LeNet-5", "LeNet-1", "mutant1")
SUBJECTS = (*NETWORKS, *TABLES)
LEAKS = {"CN12": "lsa"}
"""Columns that tell the true label."""

KNOWN = tuple(name for name in ORDERS if name not in ("severity-first", "srs"))
"""The prioritizers of others."""

FORMS: tuple[tuple[str, str, str | None, dict[str, Any]], ...] = (
    *((name, name, None, {}) for name in KNOWN),
    ("deepabstraction, like wrong ones accepted", "deepabstraction", None, {"in_wrong_boxes": "accepted"}),
    ("severity-first, static", "severity-first", "static", {}),
    ("severity-first, most failures (g = 0)", "severity-first", None, {"severity": 0.0}),
    ("severity-first, severer (g = 1)", "severity-first", None, {"severity": 1.0}),
    ("severity-first, m not known", "severity-first", None, {"budget": 0}),
    ("severity-first", "severity-first", None, {}),
)
"""What the page calls it, technique, variant, options; a budget of 0 orders all inputs without telling m."""

FIRST = 60  # labels of the demonstration

STREAMS = ((20, 0), (16, 4), (12, 8), (10, 10))  # random draws and exploit picks in a round
EXPLOIT_ORDERS = ("failure chance", "severity first")
STREAM_LABELS, STREAM_REPETITIONS = 200, 60


@dataclass(frozen=True)
class Findings:
    """Everything the page needs: orders[subject][form], severity[subject] and streams[subject]["12+8 severity first"]."""

    orders: dict[str, dict[str, dict[str, Any]]]
    severity: dict[str, dict[str, int]]
    streams: dict[str, dict[str, dict[str, float]]]


def findings(folder: Path) -> Findings:
    """All of it; what is kept in the folder is not run again."""
    orders, severity, streams = {}, {}, {}
    for subject in SUBJECTS:
        orders[subject] = measured_once(folder / f"orders_{subject}.json", partial(_orders, subject, folder))
        severity[subject] = orders[subject].pop("severity")
    for subject in TABLES:
        streams[subject] = measured_once(folder / f"streams_{subject}.json", partial(_streams, subject, folder))
    return Findings(orders, severity, streams)


@cache
def subject_inputs(subject: str, folder: Path) -> Inputs:
    """The subject with its truth; a network's features and surprise scores are kept in the folder."""
    if subject in TABLES:
        inputs = inputs_of(subject)
        scores = {name: score for name, score in inputs.scores.items() if name != LEAKS.get(subject)}
        return replace(inputs, scores=scores)
    model = ModelDescription(data_folder() / "pace" / f"{subject}.h5")
    own = open_uploaded_subject(SubjectDescription(model, data_folder() / "mnist" / "mnist.npz"))
    return known_inputs(own.subject, FeatureCache(folder / "features"), roles=("LHL",), auxiliary=("dsa", "lsa"))


def _orders(subject: str, folder: Path) -> dict[str, Any]:
    """Metrics of every form that the subject can have, and the severity of its faults."""
    inputs = subject_inputs(subject, folder)
    assert inputs.losses is not None
    assert inputs.confidence is not None
    failed = inputs.task.failed(inputs.losses)
    found: dict[str, Any] = {"severity": severity_counts(failed, inputs.confidence).to_json()}
    for form, technique, variant, options in FORMS:
        if possible(inputs, SELECTORS[technique]):
            continue
        budget = len(inputs) if "budget" in options else int(failed.sum())
        settings = {name: value for name, value in options.items() if name != "budget"}
        order = priority(inputs, Request(technique, budget, SEED, variant=variant, options=settings))
        in_order, sure = failed[order.rows], inputs.confidence[order.rows]
        metrics = order_metrics(in_order, sure)
        first = order
        if "budget" not in options:  # as a tester who plans 60 labels has them
            first = priority(inputs, Request(technique, FIRST, SEED, variant=variant, options=settings))
        shown = first.rows[:FIRST]
        curves = found_by_severity(in_order, sure)
        found[form] = {
            **metrics.to_json(),
            "first": severity_counts(failed[shown], inputs.confidence[shown]).to_json(),
            "severe_curve": curves["high"][_places(metrics.faults)].tolist(),
        }
    return found


def _places(faults: int) -> np.ndarray:
    """Two hundred places of the labels within m."""
    return np.unique(np.linspace(0, faults - 1, 200).astype(int))


def _streams(subject: str, folder: Path) -> dict[str, dict[str, float]]:
    """Error, failures and severe failures of rra by the share of its exploit picks and what orders them."""
    inputs = subject_inputs(subject, folder)
    found = {}
    for zones, exploit in STREAMS:
        for order in EXPLOIT_ORDERS[: 1 if exploit == 0 else 2]:
            options = {"zones": zones, "exploit": exploit, "exploit_order": order, "eps_start": 0.3, "eps_end": 0.05}
            found[f"{zones}+{exploit} {order}"] = _stream(inputs, options)
    return found


def _stream(inputs: Inputs, options: dict[str, Any]) -> dict[str, float]:
    assert inputs.losses is not None
    assert inputs.confidence is not None
    truth, errors, widths, failures, severe, picked = 1 - float(inputs.losses.mean()), [], [], [], [], []
    for repetition in range(STREAM_REPETITIONS):
        selector = build(inputs, Request("rra", STREAM_LABELS, SEED + repetition, options=options))
        verdicts: list[Verdict] = []
        while selector.remaining:
            asked = selector.ask(STREAM_LABELS)
            batch = [Verdict(draw, float(inputs.losses[draw.row])) for draw in asked]
            selector.tell(batch)
            verdicts += batch
        estimate = estimator_of(selector.design).estimate(selector.design, verdicts, loss_bound=1.0)
        assert estimate.low is not None
        assert estimate.high is not None
        wrong = [verdict.draw for verdict in verdicts if verdict.loss]
        high = [draw for draw in wrong if inputs.confidence[draw.row] >= 0.8]
        errors.append(estimate.accuracy - truth)
        widths.append(estimate.high - estimate.low)
        failures.append(len(wrong))
        severe.append(len(high))
        picked.append(sum(isinstance(draw, RoundDraw) and draw.exploit for draw in high))
    return {
        "ratio": float(np.sqrt(np.mean(np.square(errors)))) / spread_of_srs(inputs.losses, STREAM_LABELS),
        "width": float(np.mean(widths)),
        "failures": float(np.mean(failures)),
        "severe": float(np.mean(severe)),
        "severe_picked": float(np.mean(picked)),
    }
