"""How often the interval of a difference of two versions holds, and how wide it is: the table of docs/studies/reused-labels.md.

``python -m research.studies.version_differences SUBJECTS TECHNIQUE CAMPAIGNS LABELS [EVERY]`` judges each ordered pair of
versions, or each EVERY-th, and prints a row for each: on how many inputs the two differ, how often the 95% interval held the
true difference, the error of the value and its bias, the interval's mean width, the widest, and the largest width that the
predictions allow, in percentage points. SUBJECTS
as of ``reused_labels``, or "sparse": pairs of made versions of 3,000 inputs that differ on 145, or on 40.
"""

import sys
from collections.abc import Iterator

import numpy as np

from research.studies.reused_labels import Version, versions
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan, reuse_labels
from testimate.studies.campaign import label
from testimate.tasks.classification import Classification

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


def measure(old: Version, new: Version, technique: str, campaigns: int, labels: int) -> np.ndarray:
    """(campaigns, 3): value, low and high less the true difference."""
    truth, classes = old.truth, old.inputs.task.classes
    losses = (old.inputs.predictions != truth).astype(float)
    true = (losses - (new.inputs.predictions != truth)).mean()
    found = np.empty((campaigns, 3))
    for seed in range(campaigns):
        request = Request(technique, labels, seed)
        made = label(old.inputs, request, losses)
        draws = tuple(one.draw for one in made.verdicts)
        plan = Plan(request, old.inputs.fingerprint, 1.0, made.design, draws)
        votes = {draw.row: classes[truth[draw.row]] for draw in draws}
        gap = reuse_labels(new.inputs, [LabeledPlan(plan, "label", votes)], old=old.inputs).difference
        assert gap is not None
        found[seed] = np.array([gap.value, gap.low, gap.high]) - true
    return found


def row(old: Version, new: Version, found: np.ndarray) -> str:
    """One row of the table."""
    apart = int((old.inputs.predictions != new.inputs.predictions).sum())
    held, widths = ((found[:, 1] <= 0) & (found[:, 2] >= 0)).mean(), found[:, 2] - found[:, 1]
    error = np.sqrt((found[:, 0] ** 2).mean())
    bias = found[:, 0].mean()
    numbers = (
        100 * held,
        100 * error,
        100 * bias,
        100 * widths.mean(),
        100 * widths.max(),
        200 * apart / len(old.truth),
    )
    return f"| {old.name} | {new.name} | {apart} | {' | '.join(f'{one:.2f}' for one in numbers)} |"


def main(subjects: str, technique: str, campaigns: int, labels: int, every: int = 1) -> None:
    """Prints the table."""
    print("| labels of | judge | differ | held, % | error | bias | width | widest | possible |\n" + 9 * "|---" + "|")
    pairs = sparse() if subjects == "sparse" else versions(subjects)
    pooled = []
    for old, new in list(pairs)[::every]:
        pooled.append(measure(old, new, technique, campaigns, labels))
        print(row(old, new, pooled[-1]), flush=True)
    held = [((one[:, 1] <= 0) & (one[:, 2] >= 0)).mean() for one in pooled]
    widths = [(one[:, 2] - one[:, 1]).mean() for one in pooled]
    print(f"{technique}, {labels}: held {100 * np.mean(held):.1f}, lowest {100 * np.min(held):.1f}, ", end="")
    print(f"width {100 * np.mean(widths):.2f}, {len(pooled)} pairs of {campaigns} campaigns", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(one) for one in sys.argv[3:]))
