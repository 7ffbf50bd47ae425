"""How often a gate on an interval answers wrong: ``--fail-under``, and ``--no-worse-than`` of a version that old labels judge.

``python -m research.studies.gates [CAMPAIGNS] [ROUNDS] [TECHNIQUE ...]`` prints the table of docs/studies/questions.md:
CAMPAIGNS in each cell of srs and rrs, ROUNDS of rra. The cells are the populations of docs/intervals.md, those of few labels
among them, of 1,000 and 10,000 inputs; of versions each with those of ``NEXT``. A gate passes wrong where the limit is just
above the truth and the interval above the limit, and fails wrong where the limit is the truth and the interval below it: no
other limit makes it wrong more often.
"""

import sys
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from research.methods.exact import strata_of_all
from research.methods.many import judged, many_rounds, many_samples
from research.studies.interval_suite import HARD, POPULATIONS, SEED, inputs_of
from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import inputs_spoken_for, proportion_of_rounds
from testimate.estimators.always_valid import prior_failure_of
from testimate.estimators.intervals import possible
from testimate.estimators.version_difference import MISSED, ends_of_gains, is_renewed, spoken_for, stood_for
from testimate.planning.build import build
from testimate.selectors.adaptive_rounds import ZONES
from testimate.selectors.base import INTERVAL_VERSION, rounds_open
from testimate.studies.campaign import known_losses

SIZES, LABELS = (1_000, 10_000), (60, 200, 400)
NEXT = {
    "differ on up to 5%": (0.05, 0.5),
    "differ on up to 20%": (0.2, 0.5),
    "differ on up to 5%, most broken": (0.05, 0.12),
    "differ on up to 20%, most broken": (0.2, 0.12),
    "differ on up to 5%, most fixed": (0.05, 0.88),
}
"""Of next versions: the share of the inputs on which they differ, and of these the share that the old version gets wrong."""

Sides = tuple[bool, bool]
Found = dict[tuple[str, int], list[Sides]]


def next_version(losses: NDArray[np.float64], gate: str) -> NDArray[np.float64]:
    """Right for wrong, 1, wrong for right, -1, or wrong in another way, 0, where the next version differs; nan elsewhere, (N,).

    A share of the inputs on which they differ are wrong ones of the old version, see ``NEXT``; there are fewer inputs in that
    proportion where it has not so many.
    """
    share, of_wrong = NEXT[gate]
    rng, differing = np.random.default_rng([SEED, round(100 * share)]), round(share * len(losses))
    mixed = rng.permutation(len(losses))
    wrong, right = mixed[losses[mixed] > 0][: round(of_wrong * differing)], mixed[losses[mixed] == 0]
    gains = np.full(len(losses), np.nan)
    gains[wrong] = rng.random(len(wrong)) < 0.9
    gains[right[: round(len(wrong) * (1 - of_wrong) / of_wrong)]] = -1.0
    return gains


def of_lists(inputs: Inputs, technique: str, count: int) -> Found:
    """Of simple random and of stratified lists, worked on at once."""
    losses, rng, found = known_losses(inputs), np.random.default_rng(SEED), dict[tuple[str, int], list[Sides]]()
    strata = np.zeros(len(inputs), np.intp)
    if technique == "rrs":
        strata = strata_of_all(build(inputs, Request("rrs", len(inputs), SEED, "confidence")), len(inputs))
    for labels in LABELS:
        design = build(inputs, Request(technique, labels, SEED, "confidence")).design
        assert isinstance(design, SimpleRandom | Stratified)
        sizes = np.asarray(design.stratum_sizes)
        samples = many_samples(strata, sizes, labels, count, rng)
        truth, failed = 1 - float(losses.mean()), losses[samples.rows]
        if isinstance(design, SimpleRandom):
            ends = np.array([_simple_ends(design, int(one), labels) for one in failed.sum(axis=1)])
        else:
            counts = [np.bincount(of, one, len(sizes)) for of, one in zip(samples.strata, failed, strict=True)]
            drawn, prior = np.array(counts, dtype=np.intp), prior_failure_of(design)
            ends = judged(drawn, samples.counts, sizes, prior, 0.95, version=design.interval_version)["score"]
        found["accuracy", labels] = [sides(low, high, truth) for low, high in ends]
        for gate in NEXT:
            gains = next_version(losses, gate)
            apart, true = ~np.isnan(gains), float(np.nansum(gains)) / len(losses)
            for rows, of in zip(samples.rows, samples.strata, strict=True):
                differs, total = apart[rows], int(apart.sum())
                beside, unseen = stood_for(of, differs, sizes, total)
                gap = ends_of_gains(
                    gains[rows][differs], beside, unseen, total, len(losses), renewed=is_renewed(design)
                )
                found.setdefault((gate, labels), []).append(sides(*gap, true))
    return found


@cache
def _simple_ends(design: SimpleRandom, failures: int, labels: int) -> tuple[float, float]:
    """The interval of simple random sampling, which depends on the number of failures alone."""
    verdicts = [Verdict(Draw(row), float(row < failures)) for row in range(labels)]
    one = estimator_of(design).estimate(design, verdicts, always_valid=False)
    assert one.low is not None
    assert one.high is not None
    return one.low, one.high


def of_rounds(inputs: Inputs, count: int) -> Found:
    """Of adaptive rounds that learn from the confidence alone; one campaign serves every number of labels."""
    losses, (scores,), size = known_losses(inputs), inputs.scores.values(), len(inputs)
    found, ahead = dict[tuple[str, int], list[Sides]](), rounds_open(ZONES)
    nexts = {gate: next_version(losses, gate) for gate in NEXT}
    seeds = range(SEED * 1_000_000, SEED * 1_000_000 + count)
    for whole in many_rounds(scores, losses, scores_are_chances=True, budget=LABELS[-1], seeds=seeds, ahead=ahead):
        for labels in LABELS:
            sample = whole.first(labels)
            ends = proportion_of_rounds(sample, possible(sample.losses, size, 1.0), version=INTERVAL_VERSION).interval
            assert ends is not None
            truth = 1 - float(losses.mean())
            found.setdefault(("accuracy", labels), []).append(sides(1 - ends.high, 1 - ends.low, truth))
            for gate, gains in nexts.items():
                apart = ~np.isnan(gains)
                differs, total = apart[whole.rows[:labels]], int(apart.sum())
                beside, unseen = spoken_for(inputs_spoken_for(sample)[differs], total, MISSED)
                said = gains[whole.rows[:labels]][differs]
                gap = ends_of_gains(said, beside, unseen, total, size, renewed=True)
                found.setdefault((gate, labels), []).append(sides(*gap, float(np.nansum(gains)) / size))
    return found


def sides(low: float, high: float, truth: float) -> Sides:
    """Whether a gate whose limit the truth hardly misses passes, and whether one whose limit it reaches fails."""
    return low > truth + 1e-9, high < truth - 1e-9


def main(count: int, rounds: int, techniques: Sequence[str]) -> None:
    """Prints the table: of each gate, technique and number of labels all cells together, and the worst one."""
    titles = ("gate", "technique", "labels", "campaigns", "passes wrong", "worst cell", "fails wrong", "worst cell")
    print(f"| {' | '.join((*titles, 'wrong either way, worst cell'))} |\n{9 * '|---'}|")
    for technique in techniques:
        cells: dict[tuple[str, int], list[tuple[float, float, str]]] = {}
        for population in (*POPULATIONS, *HARD):
            for size in SIZES:
                inputs = inputs_of(population.name, size)
                found = of_rounds(inputs, rounds) if technique == "rra" else of_lists(inputs, technique, count)
                for key, wrong in found.items():
                    passed, failed = 100 * np.mean(wrong, axis=0)
                    cells.setdefault(key, []).append((passed, failed, f"{population.name}, of {size:,}"))
        for (gate, labels), shares in cells.items():
            passed, failed = np.array([one[:2] for one in shares]).T
            every = len(shares) * (rounds if technique == "rra" else count)
            numbers = " | ".join(f"{one:.1f}" for one in (passed.mean(), passed.max(), failed.mean(), failed.max()))
            most, where = max((one[0] + one[1], one[2]) for one in shares)
            print(f"| {gate} | {technique} | {labels} | {every:,} | {numbers} | {most:.1f} ({where}) |", flush=True)


if __name__ == "__main__":
    given = dict(enumerate(map(int, sys.argv[1:3])))
    main(given.get(0, 2000), given.get(1, 400), sys.argv[3:] or ("srs", "rrs", "rra"))
