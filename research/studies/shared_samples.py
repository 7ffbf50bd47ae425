"""One sample for several models against one for each: the numbers of decision 87.

``python -m research.studies.shared_samples [CAMPAIGNS] [LABELS]`` prints for triples of the letters' nine models the error of
each model's accuracy from one shared sample, over its error from a sample of as many labels drawn for it alone by the same
rule, with the other two as other models in both.
"""

import sys

import numpy as np

from research.studies.reused_labels import Version, letters
from testimate.core.design import Stratified
from testimate.core.draw import Draw
from testimate.core.selector import Request
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, as_other, reuse_labels
from testimate.planning.shared_sample import drawn_where_they_may_fail, shared_sample
from testimate.planning.version_guesses import VersionGuesses

TRIPLES = ((0, 1, 2), (0, 3, 4), (2, 5, 7), (3, 6, 8))
"""Places among the nine: three good ones, three of different size, one that learned P as B, one labeled in a hurry."""


def labeled(version: Version, drawn: dict[str, list[int]], seed: int) -> LabeledPlan:
    """The plan of such a sample with the votes that the truth gives."""
    draws = tuple(Draw(row, None, h) for row, h in zip(drawn["rows"], drawn["strata"], strict=True))
    design = Stratified(tuple(drawn["sizes"]), len(draws), in_rounds=True)
    plan = Plan(Request("shared", len(draws), seed), version.inputs.fingerprint, 1.0, design, draws)
    classes = version.inputs.task.classes
    return LabeledPlan(plan, "label", {draw.row: classes[version.truth[draw.row]] for draw in draws})


def ratios(models: list[Version], campaigns: int, labels: int) -> list[tuple[float, float]]:
    """For each model its error from the shared sample over that from its own, and how often the shared interval held."""
    errors = np.empty((campaigns, len(models), 2))
    held = np.empty((campaigns, len(models)))
    for seed in range(campaigns):
        shared = labeled(models[0], shared_sample([one.inputs for one in models], labels, seed), seed)
        for place, one in enumerate(models):
            rest = [as_other(other.inputs) for other in models if other is not one]
            own = VersionGuesses(one.inputs, rest).chances[None]  # (1, N)
            alone = labeled(one, drawn_where_they_may_fail(own, labels, seed + campaigns), seed)
            right = float((one.inputs.predictions == one.truth).mean())
            for way, plan in enumerate((shared, alone)):
                found = reuse_labels(one.inputs, [plan], others=rest).estimate
                errors[seed, place, way] = found.accuracy - right
                if way == 0:
                    assert found.low is not None
                    assert found.high is not None
                    held[seed, place] = found.low <= right <= found.high
    off = np.sqrt((errors**2).mean(axis=0))  # (M, 2)
    return list(zip((off[:, 0] / off[:, 1]).tolist(), held.mean(axis=0).tolist(), strict=True))


def main(campaigns: int = 60, labels: int = 200) -> None:
    """Prints a row for each model of each triple, then the means."""
    nine, rows = letters(), []
    for triple in TRIPLES:
        models = [nine[place] for place in triple]
        for one, (ratio, held) in zip(models, ratios(models, campaigns, labels), strict=True):
            rows.append((ratio, held))
            print(f"| {one.name} | {ratio:.3f} | {100 * held:.1f} |", flush=True)
    print(f"mean {np.mean(rows, axis=0).round(3).tolist()} of {len(rows)}", flush=True)


if __name__ == "__main__":
    main(*[int(one) for one in sys.argv[1:]])
