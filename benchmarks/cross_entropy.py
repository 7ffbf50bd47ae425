"""Cross-entropy sampling beside the authors' way: 180 of 10,000 inputs, every candidate's histograms counted again.

`python -m benchmarks.cross_entropy 2000` compares on 2,000 inputs.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import measured

SEED, WIDTH, CLASSES = 0, 84, 10
BUDGET, SECTIONS, CANDIDATES, START, BATCH = 180, 30, 30, 30, 5
TARGET = 35


def main(inputs: int = 10_000) -> None:
    """Prints the table."""
    print(f"## Cross-entropy sampling: {BUDGET} of {inputs:,} inputs of width {WIDTH}\n")
    print(
        f"Simulated features after a ReLU, {CLASSES} classes, float32, seed {SEED}; processor seconds on one core. The other "
        f"side does as the authors' program: for each of {CANDIDATES} candidate batches of {BATCH} a histogram of every "
        "neuron over all inputs chosen so far. Both are offered the same candidates.\n"
    )
    print(f"| histograms counted again | Testimate | ratio (target {TARGET}) | same picks in the same order |")
    print("|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        _make(Path(folder), inputs)
        ours, theirs = measured(testimate, folder, repeat=5), measured(counted_anew, folder, repeat=2)
    same = "yes" if ours.answer == theirs.answer else "no"
    print(
        f"| {theirs.seconds:.2f} s, {theirs.megabytes:.0f} MB | {ours.seconds:.3f} s, {ours.megabytes:.0f} MB | "
        f"{theirs.seconds / ours.seconds:.0f} | {same} |"
    )


def testimate(folder: str) -> Callable[[], list[int]]:
    """Our side; the work returns the picks."""
    from testimate.selectors.cross_entropy_sampling import CrossEntropySampling

    features = np.load(Path(folder, "features.npy"))
    return lambda: [draw.row for draw in CrossEntropySampling(features, budget=BUDGET, seed=SEED).ask(BUDGET)]


def counted_anew(folder: str) -> Callable[[], list[int]]:
    """Their side."""
    features = np.load(Path(folder, "features.npy")).astype(np.float64)
    return lambda: chosen_by_counting(features)


def chosen_by_counting(values: NDArray[np.float64]) -> list[int]:
    """The rows chosen; the candidates are those that Testimate draws from the same seed."""
    rng = np.random.default_rng(SEED)
    edges = [np.linspace(column.min(), column.max(), SECTIONS + 1) for column in values.T]
    whole = _shares(values, edges)
    chosen = rng.permutation(len(values))[:START]
    rest = np.setdiff1d(np.arange(len(values)), chosen)
    while len(chosen) < BUDGET:
        size = min(BATCH, BUDGET - len(chosen))
        batches = [rest[rng.choice(len(rest), size, replace=False)] for _ in range(CANDIDATES)]
        costs = [_divergence(_shares(values[np.append(chosen, batch)], edges), whole) for batch in batches]
        best = batches[int(np.argmin(costs))]
        chosen, rest = np.append(chosen, best), np.setdiff1d(rest, best)
    return [int(row) for row in chosen]


def _shares(values: NDArray[np.float64], edges: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Share of the inputs in each section of each neuron, (width, sections)."""
    counts = [np.histogram(column, bins=one)[0] for column, one in zip(values.T, edges, strict=True)]
    return np.array(counts) / len(values)


def _divergence(sample: NDArray[np.float64], whole: NDArray[np.float64]) -> float:
    """Mean over neurons of KL(sample || whole)."""
    inside = sample > 0
    return float((sample[inside] * np.log(sample[inside] / whole[inside])).sum() / len(sample))


def _make(folder: Path, inputs: int) -> None:
    """Features of classes that overlap, through a random layer with a ReLU."""
    rng = np.random.default_rng(SEED)
    centers, layer = rng.normal(size=(CLASSES, 20)), rng.normal(size=(20, WIDTH))
    codes = centers[rng.integers(0, CLASSES, inputs)] + rng.normal(size=(inputs, 20))
    np.save(folder / "features.npy", np.maximum(codes @ layer, 0).astype(np.float32))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
