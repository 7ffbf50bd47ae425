"""The case: what decides which technique is best, and which figures of the studies apply to it."""

from dataclasses import dataclass

import numpy as np

from testimate.core.inputs import Inputs
from testimate.planning.needs import CHANCES, default_auxiliary
from testimate.selectors import SELECTORS
from testimate.tasks.classification import Classification

HIGH = 0.95
"""Mean confidence from which few failures are expected. Networks are often more confident than accurate: one
measured here with a mean confidence of 91 % was right on 66 %, so the paper's border between two groups would be too low."""

SMALL = 300
"""Budgets below it belong with the paper's 50 to 200 labels, the others with its 400 and 800."""

USUAL_BUDGET = 200

WEIGHTED = 0.8
"""Share of DeepEST's draws that goes to inputs above its threshold."""


@dataclass(frozen=True)
class Case:
    """What is to be labeled, and how.

    Attributes
    ----------
    task : its kind. top_k : how many of the most probable classes count.
    auxiliary : the auxiliary variable to use; None where there is none.
    expected : accuracy expected before any label, 0..1, if the confidence is about right; None where there is none.
    budget : labels, or None where that is still open.
    live : the inputs are labeled in a session; else their whole list must be known first.
    rare_tail : inputs above DeepEST's threshold of the auxiliary variable are enough for its share of the budget.
    """

    task: str
    top_k: int
    auxiliary: str | None
    expected: float | None
    budget: int | None
    live: bool
    rare_tail: bool

    @property
    def few_failures(self) -> bool:
        """Whether the network is expected to be right nearly always."""
        return self.expected is not None and self.expected >= HIGH

    @property
    def figures(self) -> str:
        """The nearest kind of case that we measured, a key of ``evidence().subjects``; empty where none is near."""
        if self.task == "regression":
            return f"regression, {self.auxiliary}" if self.auxiliary in ("lsa", "vae", "sae") else ""
        if self.auxiliary == "confidence":
            return "confidence, high accuracy" if self.few_failures else "confidence"
        return self.auxiliary if self.auxiliary in ("dsa", "lsa") else ""

    @property
    def breakdowns(self) -> tuple[str, ...]:
        """The columns of DeepSample's table 10 that fit: task, budget, accuracy and auxiliary variable, those known."""
        regression = self.task == "regression"
        found = ["regression" if regression else "classification"]
        found.append("50 to 200 labels" if (self.budget or USUAL_BUDGET) < SMALL else "400 and 800 labels")
        if regression or self.expected is not None:
            found.append("high accuracy" if regression or self.few_failures else "low accuracy")
        if self.auxiliary == "lsa":
            found.append("lsa, regression" if regression else "lsa, classification")
        elif self.auxiliary in (("vae", "sae") if regression else ("confidence", "dsa")):
            found.append(str(self.auxiliary))
        return tuple(found)


def case_of(inputs: Inputs, *, budget: int | None = None, live: bool = True) -> Case:
    """The case of these inputs."""
    auxiliary = advised_auxiliary(inputs)
    return Case(
        task=inputs.task.kind,
        top_k=inputs.task.top_k if isinstance(inputs.task, Classification) else 1,
        auxiliary=auxiliary,
        expected=None if inputs.confidence is None else float(inputs.confidence.mean()),
        budget=budget,
        live=live,
        rare_tail=auxiliary is not None and _tail(inputs, auxiliary) >= WEIGHTED * (budget or USUAL_BUDGET),
    )


def advised_auxiliary(inputs: Inputs) -> str | None:
    """The auxiliary variable to use: confidence, else dsa for classes (DeepSample, table 11), else lsa, else the first."""
    if "confidence" not in inputs.scores and inputs.task.kind != "regression" and "dsa" in inputs.scores:
        return "dsa"
    return default_auxiliary(inputs)


def _tail(inputs: Inputs, auxiliary: str) -> int:
    """How many inputs are above DeepEST's default threshold."""
    defaults = {option.name: option.default for option in SELECTORS["deepest"].options}
    scores = inputs.score(auxiliary)
    threshold = defaults["chance"] if auxiliary in CHANCES else scores.mean() + defaults["deviations"] * scores.std()
    return int(np.count_nonzero(scores > threshold))
