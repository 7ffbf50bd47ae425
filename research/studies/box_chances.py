"""Which number of a picture's boxes should decide how soon it is judged: errors of precision and recall by each, against srs.

Run as ``python -m research.studies.box_chances [CAMPAIGNS]``; prints a line for each simulated detector and rule: the mean
squared error at 200 labels by rrs, as a share of that of srs, of precision, recall and the share of pictures right.
"""

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from research.studies.boxes import WORLDS, Detected, detected
from testimate.core.draw import Verdict
from testimate.core.selector import Request
from testimate.estimators.weights import draw_weights
from testimate.planning.build import build

BUDGET = 200
Numbers = NDArray[np.float64]


def _order(found: Numbers, world: Detected, empty: float | None) -> Numbers:
    """The numbers, those of pictures without any box at this share of the others' order; as they are where it is None."""
    if empty is not None:
        seen = np.bincount(world.pictures, minlength=len(found)) > 0
        found = np.where(seen, found, np.quantile(found[seen], empty))
    return np.asarray(found / found.max(), dtype=np.float64)


def _product(world: Detected) -> Numbers:
    """One minus the chance that every box is right and no other one is an object that was missed."""
    logs = np.log(np.where(world.kept, world.scores, 1 - world.scores))
    return 1 - np.exp(np.bincount(world.pictures, logs, minlength=len(world.inputs)))


def _mean(world: Detected) -> Numbers:
    """One minus the mean score of the boxes judged."""
    size = len(world.inputs)
    counts = np.bincount(world.pictures[world.kept], minlength=size)
    return np.bincount(world.pictures[world.kept], 1 - world.scores[world.kept], minlength=size) / np.maximum(counts, 1)


def _errors(world: Detected) -> Numbers:
    """The number of errors expected."""
    errors = np.where(world.kept, 1 - world.scores, world.scores)
    return np.asarray(np.bincount(world.pictures, errors, minlength=len(world.inputs)), dtype=np.float64)


def _spread(world: Detected) -> Numbers:
    """The deviation of the number of errors if the scores were chances and boxes went wrong independently."""
    return np.sqrt(np.bincount(world.pictures, world.scores * (1 - world.scores), minlength=len(world.inputs)))


def _number(world: Detected) -> Numbers:
    """How many boxes are judged."""
    return np.bincount(world.pictures[world.kept], minlength=len(world.inputs)).astype(np.float64)


RULES: dict[str, Callable[[Detected], Numbers]] = {
    "expected errors, empty last": lambda world: _order(_errors(world), world, None),
    "expected errors, empty in the middle": lambda world: _order(_errors(world), world, 0.5),
    "expected errors, empty first": lambda world: _order(_errors(world), world, 1.0),
    "chance of an error, empty last": lambda world: _order(_product(world), world, None),
    "mean score, empty first": lambda world: _order(_mean(world), world, 1.0),
    "spread, empty last": lambda world: _order(_spread(world), world, None),
    "number of boxes": lambda world: _order(_number(world), world, None),
}


def errors_by(world: Detected, rule: Callable[[Detected], Numbers] | None, campaigns: int) -> Numbers:
    """Mean squared errors of precision, recall and the share of pictures right, (3,); by srs where there is no rule."""
    inputs = world.inputs
    if rule is not None:
        score = rule(world)
        inputs = replace(inputs, confidence=1 - score, scores={"confidence": score})
    inputs, counts, losses = inputs.without_truth, world.counts, world.inputs.losses
    assert losses is not None
    right, boxes, objects = (each.sum(axis=1) for each in (counts.right, counts.boxes, counts.objects))
    truth = np.array([right.sum() / boxes.sum(), right.sum() / objects.sum(), 1 - losses.mean()])
    off = np.empty((campaigns, 3))
    for seed in range(campaigns):
        selector = build(inputs, Request("srs" if rule is None else "rrs", BUDGET, seed))
        verdicts = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(BUDGET)]
        weights = draw_weights(selector.design, verdicts)
        rows = [verdicts[place].draw.row for place in weights.positions.tolist()]
        total = weights.weights @ np.column_stack([right, boxes, objects, 1 - losses, np.ones(len(losses))])[rows]
        off[seed] = np.array([total[0] / total[1], total[0] / total[2], total[3] / total[4]]) - truth
    return np.asarray((off**2).mean(axis=0))


def main() -> None:
    """Prints the table."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"Mean squared error at {BUDGET} labels as a share of srs's; {campaigns} campaigns")
    for low in (True, False):
        print(f"\nboxes below the least score are {'known' if low else 'not known'}\n")
        print("| detector | rule | precision | recall | pictures right |\n| --- | --- | ---: | ---: | ---: |")
        means: dict[str, list[Numbers]] = {}
        for number, world in enumerate(WORLDS):
            made = detected(world, seed=number, low_boxes=low)
            plain = errors_by(made, None, 2 * campaigns)
            for name, rule in RULES.items():
                share = errors_by(made, rule, campaigns) / plain
                means.setdefault(name, []).append(np.log(share))
                print(f"| {world.name} | {name} | " + " | ".join(f"{one:.2f}" for one in share) + " |", flush=True)
        for name, logs in means.items():
            print(
                f"| mean | {name} | " + " | ".join(f"{one:.2f}" for one in np.exp(np.mean(logs, axis=0))) + " |",
                flush=True,
            )


if __name__ == "__main__":
    main()
