"""How often a gate on an interval answers wrong: ``--fail-under``, and ``--no-worse-than`` of a version that old labels judge.

``python -m research.studies.gates [CAMPAIGNS] [ROUNDS]`` prints the table of docs/studies/questions.md: CAMPAIGNS in each cell
of srs and rrs, ROUNDS of rra. The cells are the populations of docs/intervals.md, of 1,000 and 10,000 inputs; of versions each
twice, with a next version that differs on up to 5 and up to 20% of the inputs. A gate passes wrong where the limit is just
above the truth and the interval above the limit, and fails wrong where the limit is the truth and the interval below it: no
other limit makes it wrong more often.
"""

import sys
from collections.abc import Sequence
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from research.methods.exact import strata_of_all
from research.methods.many import judged, many_samples
from research.studies.interval_suite import POPULATIONS, SEED, inputs_of
from testimate.core.design import Rounds, SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import prior_failure_of
from testimate.estimators.version_difference import difference_ends, ends_of_gains, stood_for
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.studies.campaign import known_losses

SIZES, LABELS, SHARES = (1_000, 10_000), (60, 200, 400), (0.05, 0.2)
Sides = tuple[bool, bool]
Found = dict[tuple[str, int], list[Sides]]


def next_version(losses: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Right for wrong, 1, wrong for right, -1, or wrong in another way, 0, where the next version differs; nan elsewhere, (N,).

    Half of the inputs on which they differ are wrong ones of the old version; there are fewer where it has not so many.
    """
    rng, differing = np.random.default_rng([SEED, round(100 * share)]), round(share * len(losses))
    mixed = rng.permutation(len(losses))
    wrong, right = mixed[losses[mixed] > 0][: differing // 2], mixed[losses[mixed] == 0]
    gains = np.full(len(losses), np.nan)
    gains[wrong] = rng.random(len(wrong)) < 0.9
    gains[right[: len(wrong)]] = -1.0
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
        for share in SHARES:
            gains = next_version(losses, share)
            apart, true = ~np.isnan(gains), float(np.nansum(gains)) / len(losses)
            for rows, of in zip(samples.rows, samples.strata, strict=True):
                differs, total = apart[rows], int(apart.sum())
                gap = ends_of_gains(gains[rows][differs], *stood_for(of, differs, sizes, total), total, len(losses))
                found.setdefault((f"differ on up to {share:.0%}", labels), []).append(sides(*gap, true))
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
    """Of adaptive rounds, one by one; one campaign serves every number of labels."""
    losses, found = known_losses(inputs), dict[tuple[str, int], list[Sides]]()
    for seed in range(count):
        selector = build(inputs, Request("rra", LABELS[-1], seed))
        every = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
        assert isinstance(selector.design, Rounds)
        for labels in LABELS:
            one = estimator_of(selector.design).estimate(selector.design, every[:labels], always_valid=False)
            assert one.low is not None
            assert one.high is not None
            found.setdefault(("accuracy", labels), []).append(sides(one.low, one.high, 1 - float(losses.mean())))
            for share in SHARES:
                gains = next_version(losses, share)
                apart, true = ~np.isnan(gains), float(np.nansum(gains)) / len(losses)
                half = np.where(apart, (1 - gains) / 2, 0.5)
                drawn = [Verdict(one.draw, float(half[one.draw.row])) for one in every[:labels]]
                ends = difference_ends(selector.design, drawn, apart)
                found.setdefault((f"differ on up to {share:.0%}", labels), []).append(sides(*ends, true))
    return found


def sides(low: float, high: float, truth: float) -> Sides:
    """Whether a gate whose limit the truth hardly misses passes, and whether one whose limit it reaches fails."""
    return low > truth + 1e-9, high < truth - 1e-9


def main(count: int, rounds: int, names: Sequence[str], techniques: Sequence[str] = ("srs", "rrs", "rra")) -> None:
    """Prints the table: of each gate, technique and number of labels all cells together, and the worst one."""
    print(
        "| gate | technique | labels | campaigns | passes wrong | worst cell | fails wrong | worst cell |\n"
        + 8 * "|---"
        + "|"
    )
    for technique in techniques:
        cells: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
        for name in names:
            for size in SIZES:
                inputs = inputs_of(name, size)
                found = of_rounds(inputs, rounds) if technique == "rra" else of_lists(inputs, technique, count)
                for key, wrong in found.items():
                    cells.setdefault(key, []).append(100 * np.mean(wrong, axis=0))
        for (gate, labels), shares in cells.items():
            passed, failed = np.array(shares).T
            every = len(shares) * (rounds if technique == "rra" else count)
            numbers = " | ".join(f"{one:.1f}" for one in (passed.mean(), passed.max(), failed.mean(), failed.max()))
            print(f"| {gate} | {technique} | {labels} | {every:,} | {numbers} |", flush=True)


if __name__ == "__main__":
    given = dict(enumerate(map(int, sys.argv[1:3])))
    main(given.get(0, 400), given.get(1, 20), [one.name for one in POPULATIONS])
