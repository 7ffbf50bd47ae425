"""What labels of one version say about another: its interval, the difference of the two, and one sample for several models.

``python -m research.studies.version_campaigns shares SUBJECTS TECHNIQUE [CAMPAIGNS] [LABELS] [EVERY] [FIRST]`` judges the
same samples by the interval at each of EVEN (how much of every additional failure may lie anywhere: the table of decision
74), for each ordered pair of versions, or each EVERY-th from the FIRST on; SUBJECTS as of ``reused_labels``. It prints how
often each held the truth, how often that lay above it and below it, and its mean width: for each pair of made networks, and
pooled.

``python -m research.studies.version_campaigns differences SUBJECTS TECHNIQUE CAMPAIGNS LABELS [EVERY] [FIRST]`` prints a row
of the table of docs/studies/reused-labels.md for each ordered pair of versions, or each EVERY-th: on how many inputs the two
differ, how often the 95% interval held the true difference, the error of the value and its bias, the interval's mean width, the
widest, and the largest width that the predictions allow, in percentage points; then how often the value held with 1.96 of its
standard errors on both sides, which was the interval before, and the mean width of that. Last come the widths of both on
the pairs where the one before held in 93% of campaigns or more. SUBJECTS may also be "sparse": pairs
of made versions of 3,000 inputs that differ on 145, or on 40.

``python -m research.studies.version_campaigns shared [CAMPAIGNS] [LABELS]`` prints for triples of the letters' nine models
(one sample for several models against one for each: the numbers of decision 87) the error of each model's accuracy from one
shared sample, over its error from a sample of as many labels drawn for it alone by the same rule, with the other two as other
models in both. The error is that of the correction by a stratified sample, worked out from all inputs, for guesses that nine
tenths of the labels taught; it is averaged over CAMPAIGNS samples, so that chance has a far smaller part in the ratio than in
one of errors found by drawing. How often the shared intervals held is drawn.
"""

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from research.studies.reused_labels import Version, letters, versions
from testimate.core.design import Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.learned_guesses import estimate_with_learned_guesses
from testimate.estimators.stratified import stratified_variance
from testimate.planning.assisted import VersionGuesses
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, as_other, reuse_labels
from testimate.planning.top_up import drawn_where_they_may_fail, outvoted, strata_where_they_may_fail
from testimate.studies.campaign import label
from testimate.tasks.classification import Classification

Z = 1.96

EVEN = (None, 0.5, 0.3, 0.15, 0.0)
"""None: as if there were no other version."""


def measure_shares(old: Version, new: Version, technique: str, campaigns: int, labels: int) -> np.ndarray:
    """(campaigns, EVEN, 2): the failure rate's ends less the true one."""
    old_losses, new_losses = ((one.inputs.predictions != one.truth).astype(float) for one in (old, new))
    guesses = VersionGuesses(new.inputs, [as_other(old.inputs)])
    found = np.empty((campaigns, len(EVEN), 2))
    for seed in range(campaigns):
        made = label(old.inputs, Request(technique, labels, seed), old_losses)
        verdicts = [Verdict(one.draw, float(new_losses[one.draw.row])) for one in made.verdicts]
        kept: dict[bytes, np.ndarray] = {}

        def learn(rows: np.ndarray, losses: np.ndarray, kept: dict[bytes, np.ndarray] = kept) -> np.ndarray:
            """The guesses, taught once for all of EVEN."""
            if (key := rows.tobytes()) not in kept:
                kept[key] = guesses.learn(rows, losses)
            return kept[key]

        for place, even in enumerate(EVEN):
            one = estimate_with_learned_guesses(made.design, verdicts, learn, even=even)
            assert one.low is not None
            assert one.high is not None
            found[seed, place] = np.array([1 - one.high, 1 - one.low]) - new_losses.mean()
    return found


def shares_row(name: str, found: np.ndarray) -> str:
    """One row of the table."""
    low, high = found[..., 0], found[..., 1]
    cells = [
        f"{100 * held:.1f} ({100 * over:.1f}, {100 * under:.1f}), {100 * width:.2f}"
        for held, over, under, width in zip(
            ((low <= 0) & (high >= 0)).mean(axis=0),
            (high < 0).mean(axis=0),
            (low > 0).mean(axis=0),
            (high - low).mean(axis=0),
            strict=True,
        )
    ]
    return f"| {name} | {len(found)} | {' | '.join(cells)} |"


def shares_of_failures(
    subjects: str, technique: str, campaigns: int = 10, labels: int = 200, every: int = 1, first: int = 0
) -> None:
    """Prints the table; each cell: held (failure rate above the interval, below it), width in points."""
    print(f"| judged | campaigns | {' | '.join('as alone' if one is None else str(one) for one in EVEN)} |")
    print((len(EVEN) + 2) * "|---" + "|")
    pooled = []
    for old, new in list(versions(subjects))[first::every]:
        pooled.append(measure_shares(old, new, technique, campaigns, labels))
        if subjects == "made":
            print(shares_row(new.name, pooled[-1]), flush=True)
    print(shares_row(f"{subjects}, {technique}", np.concatenate(pooled)), flush=True)


COVERED = 0.93

SIZE, CLASSES = 3000, 5


def sparse() -> Iterator[tuple[Version, Version]]:
    """Versions that nearly agree: where they differ, one is right, mostly the new one, and no confidence says which."""
    rng = np.random.default_rng(53)
    truth = rng.integers(0, CLASSES, SIZE)
    doubt = np.clip(rng.beta(0.5, 4, SIZE), 1e-4, 0.9)
    said = np.where(rng.random(SIZE) < doubt, (truth + 1) % CLASSES, truth)
    for differing, wrong_first in ((145, True), (145, False), (40, True), (40, False)):
        order = np.argsort(said == truth if wrong_first else rng.random(SIZE), kind="stable")
        apart = order[:differing]
        new = said.copy()
        new[apart] = np.where(said[apart] == truth[apart], (truth[apart] + 2) % CLASSES, truth[apart])
        yield _version(f"{differing} differ", said, doubt, truth), _version("next", new, doubt, truth)


def _version(name: str, said: np.ndarray, doubt: np.ndarray, truth: np.ndarray) -> Version:
    task = Classification(tuple(str(place) for place in range(CLASSES)))
    losses = (said != truth).astype(float)
    return Version(name, Inputs(name, task, said, 1 - doubt, scores={"confidence": doubt}, losses=losses), truth)


def measure_difference(old: Version, new: Version, technique: str, campaigns: int, labels: int) -> np.ndarray:
    """(campaigns, 5): value, low and high less the true difference, and the ends before."""
    truth, classes = old.truth, old.inputs.task.classes
    losses = (old.inputs.predictions != truth).astype(float)
    true = (losses - (new.inputs.predictions != truth)).mean()
    found = np.empty((campaigns, 5))
    for seed in range(campaigns):
        request = Request(technique, labels, seed)
        made = label(old.inputs, request, losses)
        draws = tuple(one.draw for one in made.verdicts)
        plan = Plan(request, old.inputs.fingerprint, 1.0, made.design, draws)
        votes = {draw.row: classes[truth[draw.row]] for draw in draws}
        gap = reuse_labels(new.inputs, [LabeledPlan(plan, "label", votes)], old=old.inputs).difference
        assert gap is not None
        before = (gap.value + side * Z * gap.standard_error for side in (-1, 1))
        found[seed] = np.array([gap.value, gap.low, gap.high, *before]) - true
    return found


def holding(ends: np.ndarray) -> tuple[float, np.ndarray]:
    """How often the ends (campaigns, 2), less the truth, lie on both sides of it, and their widths (campaigns,)."""
    return float(((ends[:, 0] <= 1e-9) & (ends[:, 1] >= -1e-9)).mean()), ends[:, 1] - ends[:, 0]


def difference_row(old: Version, new: Version, found: np.ndarray) -> str:
    """One row of the table."""
    apart = int((old.inputs.predictions != new.inputs.predictions).sum())
    held, widths = holding(found[:, 1:3])
    before, width_before = holding(found[:, 3:])
    error = np.sqrt((found[:, 0] ** 2).mean())
    bias = found[:, 0].mean()
    numbers = (
        100 * held,
        100 * error,
        100 * bias,
        100 * widths.mean(),
        100 * widths.max(),
        200 * apart / len(old.truth),
        100 * before,
        100 * width_before.mean(),
    )
    return f"| {old.name} | {new.name} | {apart} | {' | '.join(f'{one:.2f}' for one in numbers)} |"


def differences(subjects: str, technique: str, campaigns: int, labels: int, every: int = 1, first: int = 0) -> None:
    """Prints the table."""
    columns = (
        "labels of",
        "judge",
        "differ",
        "held, %",
        "error",
        "bias",
        "width",
        "widest",
        "possible",
        "before",
        "width",
    )
    print(f"| {' | '.join(columns)} |\n{len(columns) * '|---'}|")
    pairs = sparse() if subjects == "sparse" else versions(subjects)
    pooled = []
    for old, new in list(pairs)[first::every]:
        pooled.append(measure_difference(old, new, technique, campaigns, labels))
        print(difference_row(old, new, pooled[-1]), flush=True)
    for when, place in (("now", slice(1, 3)), ("before", slice(3, 5))):
        held, widths = zip(*(holding(one[:, place]) for one in pooled), strict=True)
        print(
            f"{technique}, {labels}, {when}: held {100 * np.mean(held):.1f}, lowest {100 * np.min(held):.1f}, ", end=""
        )
        print(f"width {100 * np.mean(widths):.2f}, {len(pooled)} pairs of {campaigns} campaigns", flush=True)
    covered = [one for one in pooled if holding(one[:, 3:])[0] >= COVERED]
    if covered:
        now, before = (
            100 * np.mean([holding(one[:, place])[1] for one in covered]) for place in (slice(1, 3), slice(3, 5))
        )
        print(
            f"where the one before held in {COVERED:.0%} or more, {len(covered)} pairs: width {now:.2f}, before {before:.2f}"
        )


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


def shared_sample(campaigns: int = 60, labels: int = 200) -> None:
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


TABLES = {"shares": shares_of_failures, "differences": differences}
"""By the first word of the command line, what takes subjects, a technique and numbers."""


def main(which: str, *given: str) -> None:
    """Prints a table."""
    if which == "shared":
        shared_sample(*map(int, given))
    else:
        TABLES[which](given[0], given[1], *map(int, given[2:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
