"""How often the intervals of sets that grew or drifted hold: the table of decision 80.

``python -m research.studies.other_sets [CAMPAIGNS] [LABELS]`` prints a row for each design. The drifted sets have other shares
of predicted classes, or of strata of confidence, drawn for each campaign from the distribution of Dirichlet; in them each
kind of input fails just as often as in the labeled set, so that the assumption is true. The grown sets are the letters with
every fifth one new.
"""

import sys

import numpy as np

from research.studies.reused_labels import Version, letters
from testimate.core.draw import Estimate
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.changed_sets import By, added_rows, judge_grown, reweight
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan
from testimate.studies.campaign import label

MODELS = 3
"""Of the nine models of the letters, the first so many."""


def main(campaigns: int = 700, labels: int = 200) -> None:
    """Prints the table; each row pools ``campaigns`` of each model."""
    models = letters()[:MODELS]
    print("| set | labels drawn by | campaigns | held | stop-safe held | mean width |")
    print(6 * "|---" + "|")
    for technique in ("srs", "rrs", "rra"):
        bys: tuple[By, ...] = ("class", "confidence")
        for by in bys:
            found = [_drifted(one, technique, labels, by, seed) for one in models for seed in range(campaigns)]
            _print(f"drifted, by {by}", technique, np.array(found))
        found = [_grown(one, technique, labels, seed) for one in models for seed in range(campaigns)]
        _print("grown", technique, np.array(found))


def _print(called: str, technique: str, table: np.ndarray) -> None:
    held, always, width = table.mean(axis=0)
    said = "–" if np.isnan(always) else f"{100 * always:.1f}"
    print(f"| {called} | {technique} | {len(table)} | {100 * held:.1f} | {said} | {100 * width:.1f} |", flush=True)


def _labeled(inputs: Inputs, truth: np.ndarray, technique: str, labels: int, seed: int) -> LabeledPlan:
    losses = (inputs.predictions != truth).astype(float)
    request = Request(technique, labels, seed)
    made = label(inputs, request, losses)
    draws = tuple(one.draw for one in made.verdicts)
    plan = Plan(request, inputs.fingerprint, 1.0, made.design, draws)
    return LabeledPlan(plan, "label", {draw.row: inputs.task.classes[truth[draw.row]] for draw in draws})


def _drifted(one: Version, technique: str, labels: int, by: By, seed: int) -> tuple[float, float, float]:
    """One campaign: labels of the whole set, weighted to a set that holds some inputs of each kind again and again."""
    rng = np.random.default_rng([seed, 80])
    sure = one.inputs.confidence
    assert sure is not None
    kind = (
        one.inputs.predictions
        if by == "class"
        else np.searchsorted(np.quantile(sure, np.arange(1, 10) / 10), sure, "right")
    )
    counts = rng.multinomial(20_000, rng.dirichlet(np.full(int(kind.max()) + 1, 3.0)))
    rows = np.concatenate(
        [np.resize(rng.permutation(np.flatnonzero(kind == place)), count) for place, count in enumerate(counts)]
    )
    losses = (one.inputs.predictions != one.truth).astype(float)
    shares = counts / counts.sum()
    right = 1 - sum(share * losses[kind == place].mean() for place, share in enumerate(shares) if share)
    plan = _labeled(one.inputs, one.truth, technique, labels, seed)
    return _row(reweight(one.inputs, [plan], one.inputs.part(rows), by=by).estimate, float(right))


def _grown(one: Version, technique: str, labels: int, seed: int) -> tuple[float, float, float]:
    """One campaign: the labels on four fifths of the set, a quarter as many on the rest."""
    size = len(one.inputs)
    places = np.flatnonzero(np.arange(size) % 5 > 0)
    came = added_rows(places, size)
    old = one.inputs.part(places)
    plans = _labeled(old, one.truth[places], technique, labels, seed)
    added = _labeled(one.inputs.part(came), one.truth[came], "srs", labels // 4, seed)
    whole = judge_grown(one.inputs, places, [plans], [added], old=old).all
    assert whole is not None
    return _row(whole, float((one.inputs.predictions == one.truth).mean()))


def _row(found: Estimate, right: float) -> tuple[float, float, float]:
    """Whether the interval and the stop-safe one (nan where there is none) hold the truth, and the width."""
    assert found.low is not None
    assert found.high is not None
    always = np.nan
    if found.always_low is not None and found.always_high is not None:
        always = float(found.always_low <= right <= found.always_high)
    return float(found.low <= right <= found.high), always, found.high - found.low


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
