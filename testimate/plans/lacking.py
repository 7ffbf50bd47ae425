"""What is not known of a case: where neither the paper nor our studies have measured what is advised."""

from testimate.core.inputs import Inputs
from testimate.plans.case import USUAL_BUDGET, Case
from testimate.plans.measured_evidence import TEN_PICKS, TWO_STREAMS

FEWEST, MOST = 50, 800
"""Labels between which techniques were measured, in the paper and here."""


def lacking(inputs: Inputs, case: Case, objective: str, technique: str) -> tuple[str, ...]:
    """What is to be known besides the table, one sentence each: the case's own limits first."""
    said = [*_of_the_budget(case), *_of_the_task(case), *_of_the_variable(case)]
    if case.auxiliary is not None and objective == "balance" and technique == "rra" and case.figures != "confidence":
        said.append("Picks beside random draws were measured by confidence, at 66 to 81 % accuracy, only.")
    if technique == "sups" and case.figures == "confidence":
        said.append(_picks_instead())
    if technique == "deepest" and case.task == "regression":
        said.append(
            "The published figure for DeepEST (28.9 large errors of 200 on DO, sups 32.7) is of another threshold than the "
            "paper's own, with which it found 114 here: one subject, so take it as a hint."
        )
    if technique == "severity-first" and not {"dsa", "lsa"} & set(inputs.scores):
        said.append("It was measured with dsa or lsa at hand; what it loses without either was not.")
    return tuple(said)


def _of_the_budget(case: Case) -> list[str]:
    said = []
    if case.budget is not None and not FEWEST <= case.budget <= MOST:
        side = "below 50" if case.budget < FEWEST else "beyond 800"
        said.append(
            f"Nothing was measured {side} labels, in the paper or here; the nearest figures stand in the table."
        )
    if case.few_failures and case.expected is not None:
        budget = case.budget or USUAL_BUDGET
        said.append(
            f"If the confidence is about right, {100 * (1 - case.expected):.1f} % fail: about "
            f"{budget * (1 - case.expected):.0f} of {budget:,} labels drawn at random."
        )
    return said


def _of_the_task(case: Case) -> list[str]:
    if case.task == "multi-label":
        return ["Several labels an input were measured nowhere; the figures are of one class an input, right or wrong."]
    if case.top_k > 1:
        return [f"Top-{case.top_k} was measured nowhere; the figures are of the first class, right or wrong."]
    if case.task == "regression":
        return ["For numbers the paper has two networks and this project one of them (DO, steering)."]
    return []


def _of_the_variable(case: Case) -> list[str]:
    if case.auxiliary is None:
        return [
            "Without an auxiliary variable nothing can be saved; DeepSample's srs and ces are rarely among its best three."
        ]
    if case.task == "regression" and case.auxiliary in ("vae", "sae"):
        return [
            f"On DO no technique gained from {case.auxiliary}; lsa would serve better (52 of 60 for failures, table 11)."
        ]
    if not case.figures:
        return [f"No technique was measured with {case.auxiliary} on such a task; how much it helps is not known."]
    return []


def _picks_instead() -> str:
    """What rra with picks does in place of sups, by confidence."""
    faults = ", ".join(f"{found:.0f}" for _, found in TEN_PICKS.values())
    errors = ", ".join(f"{error:.2f}" for error, _ in TEN_PICKS.values())
    return (
        f"Where the interval matters: rra with 10 picks in 20 found {faults} failures of 200 on {', '.join(TWO_STREAMS)} "
        f"(sups 103, 144, 109) at an error of {errors}, with an interval that is right whenever you stop. "
        "Choose the balance for it."
    )
