"""What a tester wants, in a few words, and the technique that serves it, with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from testimate.core.inputs import Inputs
from testimate.plans.build import default_auxiliary, possible
from testimate.selectors import SELECTORS

Objective = Literal["tight interval", "balance", "many failures", "severe faults"]

OBJECTIVES: dict[Objective, str] = {
    "tight interval": "Know the accuracy as exactly as the labels allow",
    "balance": "Know the accuracy well, and see more failures on the way",
    "many failures": "See as many failures as possible, with a rougher accuracy",
    "severe faults": "See the faults that matter first, where the network is sure and wrong",
}

BALANCE: dict[str, Any] = {"zones": 12, "exploit": 8, "eps_start": 0.3, "eps_end": 0.05}
"""Options of rra for "balance": 12 random draws and 8 exploit picks in each round."""


@dataclass(frozen=True)
class Advice:
    """The technique advised with its options, the auxiliary variable to give it (empty where it needs none), and why."""

    technique: str
    auxiliary: str
    why: str
    options: Mapping[str, Any] = field(default_factory=dict)


def advise(inputs: Inputs, objective: Objective, *, live: bool = True) -> Advice:
    """The technique for an objective on these inputs (DeepSample, Tables 10 and 11, and the project's own studies).

    ``live``: the inputs are labeled in a session, where each round may depend on the labels before it; else the whole list
    must be known first, to be exported or shared out.
    """
    auxiliary = default_auxiliary(inputs)
    if auxiliary is None:
        return Advice(
            "srs",
            "",
            "Nothing is known of the inputs that foretells a failure, so each gets the same chance: simple random "
            "sampling. A column with the network's confidence would save labels.",
        )
    adaptive = live and not possible(inputs, SELECTORS["rra"])
    match objective:
        case "tight interval":
            return _tight_interval(auxiliary, adaptive)
        case "balance":
            return _balance(auxiliary, adaptive)
        case "severe faults" if not possible(inputs, SELECTORS["severity-first"]):
            return _severe_faults()
    return Advice(
        "sups",
        auxiliary,
        f"Each input's chance grows with {auxiliary}. DeepSample found it first for exposing failures in 10 of 12 "
        "comparisons (section 6, Table 10). The accuracy then rests on few inputs of small chance, so expect a wide "
        "interval.",
    )


def _severe_faults() -> Advice:
    why = (
        "It looks for faults the network is sure of and learns from each answer where to look next. On three real networks it "
        "has twice the severe fault detection rate of the best known order. No input is drawn at random, so these labels give "
        "no honest accuracy: choose the balance for both."
    )
    return Advice("severity-first", "", why)


def _tight_interval(auxiliary: str, adaptive: bool) -> Advice:
    if adaptive:
        why = (
            f"Each round is drawn where {auxiliary} and the labels so far leave most doubt, and corrected exactly for it: "
            "unbiased, with a stop-safe interval that is right whenever you stop. On three real networks, with 50 to 800 "
            "labels, its error is 0.79 of simple random sampling's (rrs: 0.82), and its stop-safe interval is 4 to 10 % "
            "narrower than that of rrs."
        )
        return Advice("rra", auxiliary, why)
    why = (
        f"Ten strata by {auxiliary}, one input from each per round, in an order fixed before the first label: "
        "unbiased once every stratum has a label, and its stop-safe interval is right whenever you stop."
    )
    return Advice("rrs", auxiliary, why)


def _balance(auxiliary: str, adaptive: bool) -> Advice:
    if adaptive:
        why = (
            "In each round 12 inputs are drawn at random and 8 more are picked because they are thought to fail; the picks "
            "are marked, and the estimate stays exactly unbiased. Of 200 labels on three real networks 1.3 to 1.5 times as "
            "many were failures as with rrs, and 1.7 to 2.5 times as many as with simple random sampling, at an error "
            "about as large as that of simple random sampling."
        )
        return Advice("rra", auxiliary, why, BALANCE)
    why = (
        f"Ten clusters by {auxiliary}, more labels where it varies most. DeepSample found it among the best three in "
        "22 of 24 comparisons for exact estimates (section 6, Table 10), and it meets more failures than simple random "
        "sampling does."
    )
    return Advice("ssrs", auxiliary, why)
