"""How much of a test set a ladder certifies, and how often too much, beside the same labels drawn from the whole set.

``python -m research.studies.confidence_ladder [CAMPAIGNS]`` prints the table of docs/studies/questions.md; 500 campaigns a row
take about ten minutes on one core.
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from research.studies.study_subjects import inputs_of
from testimate.core.inputs import Inputs
from testimate.core.progress import silent
from testimate.core.selector import Request
from testimate.demos.catalog import DEMOS, Demo
from testimate.feature_cache import FeatureCache
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.known_inputs import known_inputs
from testimate.planning.parts import PartLabels
from testimate.planning.right_above import certified
from testimate.selectors import LADDER
from testimate.structure.confidence_ladder import RIGHT, rungs_of
from testimate.tasks.classification import Classification

Floats = NDArray[np.float64]

ASKED = ((0.9, 200), (0.95, 400))
"""Shares that are to be right, and labels."""

PLANS = (LADDER, "srs", "rrs", "rra")
SIZE = 5000


@dataclass(frozen=True)
class Found:
    """Of campaigns: the mean share of the inputs certified, how often none is, how often too many are, and labels used."""

    certified: float
    nothing: float
    wrong: float
    labels: float


def subjects() -> Iterator[tuple[str, Inputs]]:
    """Yield the inputs of the data, of the demos, and of confidences that say little or the opposite."""
    for name in ("D", "G", "CN12"):
        yield name, inputs_of(name)
    for demo in (next(iter(DEMOS)), "digits"):
        yield DEMOS[demo].title, of_demo(DEMOS[demo])
    random = np.random.default_rng(54)
    sure = random.beta(5, 1, SIZE)
    for name, confidence, chance in (
        ("no signal, 89.9% right", sure, np.full(SIZE, 0.899)),
        ("no signal, 94.9% right", sure, np.full(SIZE, 0.949)),
        ("the surest a little worse", sure, np.where(sure > np.quantile(sure, 0.9), 0.89, 0.93)),
        ("five confidences", np.round(sure * 5) / 5, np.sqrt(sure)),
    ):
        yield name, of_chances(confidence, chance, random)


def of_chances(confidence: Floats, chance: Floats, random: np.random.Generator) -> Inputs:
    """Return inputs that are right with these chances, as many as expected among equal ones."""
    wrong = np.zeros(SIZE)
    for one in np.unique(chance):
        there = np.flatnonzero(chance == one)
        wrong[random.permutation(there)[: round((1 - one) * len(there) + random.random() - 0.5)]] = 1
    return Inputs(
        fingerprint="simulated",
        task=Classification(("a", "b")),
        predictions=np.zeros(SIZE, dtype=np.intp),
        confidence=confidence,
        scores={"confidence": 1 - confidence},
        losses=wrong,
    )


def of_demo(demo: Demo) -> Inputs:
    """Return what a demo's network says, with its truth."""
    with tempfile.TemporaryDirectory() as folder:
        subject = demo.open(Path(folder), silent)
        return known_inputs(subject, FeatureCache(Path(folder) / "cache"), roles=(), auxiliary=())


def campaigns(inputs: Inputs, share: float, labels: int, technique: str, count: int) -> Found:
    """Run so many of a technique, labeled by the truth."""
    losses, confidence = inputs.losses, inputs.confidence
    assert losses is not None
    assert confidence is not None
    hidden, found = replace(inputs, losses=None), []
    for seed in range(count):
        request = Request(technique, labels, seed, options={RIGHT: share} if technique == LADDER else {})
        selector = build(hidden, request)
        verdicts = [one for batch in verdicts_to_the_end(selector, losses) for one in batch]
        one = certified(request, PartLabels(selector.design, verdicts, technique), hidden, share)
        wrong = one.least is not None and 1 - losses[confidence >= one.least].mean() < share
        found.append((one.inputs / len(losses), one.least is None, wrong, len(verdicts)))
    return Found(*np.mean(found, axis=0).tolist())


def most(inputs: Inputs, share: float) -> float:
    """Return the share of the inputs in the largest rung of which enough are right: what an oracle certifies."""
    assert inputs.losses is not None
    assert inputs.confidence is not None
    rungs = rungs_of(inputs.confidence)
    faults = np.cumsum(np.bincount(rungs.ring, weights=inputs.losses, minlength=len(rungs.sizes)))
    enough = rungs.sizes[1 - faults / rungs.sizes >= share]
    return float(enough.max() / len(inputs)) if enough.size else 0.0


def main(count: int = 500) -> None:
    """Print the table."""
    others = " | ".join(f"{one} | wrong" for one in PLANS[1:])
    print(f"| data | right | labels | an oracle | ladder | nothing | wrong | labels used | {others} |")
    print("|---" * (6 + 2 * len(PLANS)) + "|")
    for name, inputs in subjects():
        for share, labels in ASKED:
            ladder, *beside = (campaigns(inputs, share, min(labels, len(inputs)), one, count) for one in PLANS)
            print(
                f"| {name} | {share:.0%} | {labels} | {most(inputs, share):.2f} "
                f"| {ladder.certified:.2f} | {ladder.nothing:.1%} | {ladder.wrong:.1%} | {ladder.labels:.0f} "
                + "".join(f"| {one.certified:.2f} | {one.wrong:.1%} " for one in beside)
                + "|",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
