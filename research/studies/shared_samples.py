"""One sample for several models against one for each: the numbers of decision 87.

``python -m research.studies.shared_samples [CAMPAIGNS] [LABELS]`` prints for triples of the letters' nine models the error of
each model's accuracy from one shared sample, over its error from a sample of as many labels drawn for it alone by the same
rule, with the other two as other models in both. The error is that of the correction by a stratified sample, worked out from
all inputs, for guesses that nine tenths of the labels taught; it is averaged over CAMPAIGNS samples, so that chance has a
far smaller part in the ratio than in one of errors found by drawing. How often the shared intervals held is drawn.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from research.studies.reused_labels import Version, letters
from testimate.core.design import Stratified
from testimate.core.draw import Draw
from testimate.core.selector import Request
from testimate.estimators.stratified import stratified_variance
from testimate.planning.assisted import VersionGuesses
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, as_other, reuse_labels
from testimate.planning.top_up import drawn_where_they_may_fail, outvoted, strata_where_they_may_fail

TRIPLES = ((0, 1, 2), (0, 3, 4), (2, 5, 7), (3, 6, 8))
"""Places among the nine: three good ones, three of different size, one that learned P as B, one labeled in a hurry."""


def labeled(version: Version, drawn: dict[str, list[int]], seed: int) -> LabeledPlan:
    """The plan of such a sample with the votes that the truth gives."""
    draws = tuple(Draw(row, None, h) for row, h in zip(drawn["rows"], drawn["strata"], strict=True))
    design = Stratified(tuple(drawn["sizes"]), len(draws), in_rounds=True)
    plan = Plan(Request("shared", len(draws), seed), version.inputs.fingerprint, 1.0, design, draws)
    classes = version.inputs.task.classes
    return LabeledPlan(plan, "label", {draw.row: classes[version.truth[draw.row]] for draw in draws})


def variance(plan: LabeledPlan, version: Version, guesses: VersionGuesses, strata: NDArray[np.intp]) -> float:
    """Of the failure rate by such a sample, exactly, for guesses that nine tenths of this one's labels taught."""
    losses = (version.inputs.predictions != version.truth).astype(float)
    rows = np.array([draw.row for position, draw in enumerate(plan.plan.draws) if position % 10])
    off = losses - guesses.learn(rows, losses[rows])
    sizes = np.bincount(strata)
    counts = np.bincount([draw.stratum for draw in plan.plan.draws], minlength=sizes.size)
    means = np.bincount(strata, off) / sizes
    spread = np.bincount(strata, (off - means[strata]) ** 2) / np.maximum(sizes - 1, 1)
    return stratified_variance(spread, counts, sizes, replacement=False)


def ratios(models: list[Version], campaigns: int, labels: int) -> list[tuple[float, float]]:
    """For each model its error from the shared sample over that from its own, and how often the shared interval held."""
    guessed = []
    for one in models:
        guessed.append(VersionGuesses(one.inputs, [as_other(other.inputs) for other in models if other is not one]))
    chances = np.array([one.chances for one in guessed])  # (M, N)
    groups = outvoted(np.array([one.inputs.predictions for one in models]))
    variances = np.empty((campaigns, len(models), 2))
    held = np.empty((campaigns, len(models)))
    for seed in range(campaigns):
        drawn = labeled(models[0], drawn_where_they_may_fail(chances, labels, seed, groups), seed)
        shared = strata_where_they_may_fail(chances, labels, seed, groups)
        for place, (one, guesses) in enumerate(zip(models, guessed, strict=True)):
            own = chances[place][None]  # (1, N)
            alone = labeled(one, drawn_where_they_may_fail(own, labels, seed), seed)
            strata = strata_where_they_may_fail(own, labels, seed)
            variances[seed, place] = variance(drawn, one, guesses, shared), variance(alone, one, guesses, strata)
            rest = [as_other(other.inputs) for other in models if other is not one]
            found = reuse_labels(one.inputs, [drawn], others=rest).estimate
            assert found.low is not None
            assert found.high is not None
            held[seed, place] = found.low <= (one.inputs.predictions == one.truth).mean() <= found.high
    off = np.sqrt(variances.mean(axis=0))  # (M, 2)
    return list(zip((off[:, 0] / off[:, 1]).tolist(), held.mean(axis=0).tolist(), strict=True))


def main(campaigns: int = 60, labels: int = 200) -> None:
    """Prints a row for each model of each triple, then the means."""
    nine, rows = letters(), []
    print("| model | error over that of its own sample | held |")
    print(3 * "|---" + "|")
    for triple in TRIPLES:
        models = [nine[place] for place in triple]
        for one, (ratio, held) in zip(models, ratios(models, campaigns, labels), strict=True):
            rows.append((ratio, held))
            print(f"| {one.name} | {ratio:.3f} | {100 * held:.1f} |", flush=True)
    table = np.array(rows)
    print(
        f"mean {table.mean(axis=0).round(3).tolist()}, worst ratio {table[:, 0].max():.3f}, of {len(rows)}", flush=True
    )


if __name__ == "__main__":
    main(*[int(one) for one in sys.argv[1:]])
