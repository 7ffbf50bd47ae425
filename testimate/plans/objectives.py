"""What a tester wants, in three words, and the technique that serves it, with the reason."""

from dataclasses import dataclass
from typing import Literal

from testimate.core.inputs import Inputs
from testimate.plans.build import default_auxiliary

Objective = Literal["tight interval", "balance", "many failures"]

OBJECTIVES: dict[Objective, str] = {
    "tight interval": "Know the accuracy as exactly as the labels allow",
    "balance": "Know the accuracy well, and see more failures on the way",
    "many failures": "See as many failures as possible, with a rougher accuracy",
}


@dataclass(frozen=True)
class Advice:
    """The technique advised, the auxiliary variable to give it (empty where it needs none), and why."""

    technique: str
    auxiliary: str
    why: str


def advise(inputs: Inputs, objective: Objective) -> Advice:
    """The technique for an objective on these inputs (DeepSample, Tables 10 and 11, and the project's own studies)."""
    auxiliary = default_auxiliary(inputs)
    if auxiliary is None:
        return Advice(
            "srs",
            "",
            "Nothing is known of the inputs that foretells a failure, so each gets the same chance: simple random "
            "sampling. A column with the network's confidence would save labels.",
        )
    if objective == "tight interval":
        why = (
            f"Ten strata by {auxiliary}, one input from each per round, in an order fixed before the first label: "
            "unbiased once every stratum has a label, and its stop-safe interval is right whenever you stop."
        )
        return Advice("rrs", auxiliary, why)
    if objective == "balance":
        why = (
            f"Ten clusters by {auxiliary}, more labels where it varies most. DeepSample found it among the best three in "
            "22 of 24 comparisons for exact estimates (section 6, Table 10), and it meets more failures than simple random "
            "sampling does."
        )
        return Advice("ssrs", auxiliary, why)
    why = (
        f"Each input's chance grows with {auxiliary}. DeepSample found it first for exposing failures in 10 of 12 "
        "comparisons (section 6, Table 10). The accuracy then rests on few inputs of small chance, so expect a wide interval."
    )
    return Advice("sups", auxiliary, why)
