"""MMD-critic beside its definition written out: the whole kernel matrix, 180 prototypes and 50 criticisms of 20,000 inputs.

`python -m benchmarks.prototypes 5000` compares on 5,000 inputs. The matrix of 20,000 takes 3.2 GB.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import measured

SEED, WIDTH, CLASSES = 0, 84, 10
PROTOTYPES, CRITICISMS = 180, 50
GAMMAS = {"0.026, as PACE": 0.026, "1 (of the order of the median heuristic)": 1.0}
TARGET, MEGABYTES = 7, 50
LARGE, LARGE_SECONDS = 100_000, 20
FARTHEST, MINORITY = 36, 2_585
"""Picks, and inputs in the minority space they are picked from."""


def main(inputs: int = 20_000) -> None:
    """Prints the table."""
    print(f"## MMD-critic: {PROTOTYPES} prototypes and {CRITICISMS} criticisms of {inputs:,} inputs of width {WIDTH}\n")
    print(
        f"Simulated features after a ReLU, {CLASSES} classes, rows of length 1, seed {SEED}; processor seconds on one core, "
        "peak memory above the features. The other side is the paper's definition as its authors evaluate it: the kernel "
        "matrix (scikit-learn's), for each pick the sums over its rows, for criticisms the inverse of their kernel.\n"
    )
    print(f"| gamma | the whole matrix | Testimate | ratio (target {TARGET}) | same picks in the same order |")
    print("|---|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        make_features(Path(folder), inputs)
        for name, gamma in GAMMAS.items():
            ours = measured(testimate, folder, str(gamma), repeat=3)
            dense = measured(definition, folder, str(gamma))
            same = "yes" if ours.answer == dense.answer else "no"
            print(
                f"| {name} | {dense.seconds:.2f} s, {dense.megabytes:,.0f} MB | {ours.seconds:.2f} s, "
                f"{ours.megabytes:.0f} MB (target below {MEGABYTES}) | {dense.seconds / ours.seconds:.1f} | {same} |"
            )
        _large(folder)
    farthest_section()


def _large(folder: str) -> None:
    """Prints what as many inputs take as no matrix holds."""
    make_features(Path(folder), LARGE)
    print(f"\n| gamma, {LARGE:,} inputs | Testimate | target |\n|---|---:|---:|")
    for name, gamma in GAMMAS.items():
        ours = measured(testimate, folder, str(gamma))
        print(f"| {name} | {ours.seconds:.1f} s, {ours.megabytes:.0f} MB | {LARGE_SECONDS} s |", flush=True)


def farthest_section() -> None:
    """PACE's picks of the minority space: as far apart as can be."""
    print(f"\n### Farthest first: {FARTHEST} of {MINORITY:,} inputs of width {WIDTH}\n")
    print(
        "The other side does as the authors' program: for each pick, one by one, each input's distance to each pick.\n"
    )
    print("| a loop over pairs | Testimate | ratio | same picks in the same order |\n|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        make_features(Path(folder), MINORITY)
        ours, loop = measured(farthest, folder, repeat=3), measured(farthest_by_pairs, folder)
    same = "yes" if ours.answer == loop.answer else "no"
    print(f"| {loop.seconds:.2f} s | {1000 * ours.seconds:.1f} ms | {loop.seconds / ours.seconds:.0f} | {same} |")


def farthest(folder: str) -> Callable[[], list[int]]:
    """Our side."""
    from testimate.selectors.pace import farthest_first

    features = np.load(Path(folder, "features.npy"))
    return lambda: list(map(int, farthest_first(features, FARTHEST, start=0)))


def farthest_by_pairs(folder: str) -> Callable[[], list[int]]:
    """Their side."""
    features = np.load(Path(folder, "features.npy"))

    def work() -> list[int]:
        chosen = [0]
        while len(chosen) < FARTHEST:
            best, place = -1.0, -1
            for row in range(len(features)):
                if row in chosen:
                    continue
                nearest = min(float(np.linalg.norm(features[row] - features[pick])) for pick in chosen)
                if nearest > best:
                    best, place = nearest, row
            chosen.append(place)
        return chosen

    return work


def testimate(folder: str, gamma: str) -> Callable[[], list[list[int]]]:
    """Our side; the work returns the picks."""
    from testimate.structure.prototypes import criticisms, prototypes
    from testimate.structure.rbf_kernel import mean_kernel

    features, number = np.load(Path(folder, "features.npy")), float(gamma)

    def work() -> list[list[int]]:
        means = mean_kernel(features, gamma=number)
        chosen = prototypes(features, PROTOTYPES, gamma=number, means=means)
        critics = criticisms(features, chosen, CRITICISMS, gamma=number, means=means)
        return [chosen.tolist(), critics.tolist()]

    return work


def definition(folder: str, gamma: str) -> Callable[[], list[list[int]]]:
    """Their side."""
    from sklearn.metrics.pairwise import rbf_kernel

    features, number = np.load(Path(folder, "features.npy")), float(gamma)

    def work() -> list[list[int]]:
        kernel = rbf_kernel(features, gamma=number)
        chosen = dense_prototypes(kernel, PROTOTYPES)
        return [chosen, dense_criticisms(kernel, chosen, CRITICISMS)]

    return work


def dense_prototypes(kernel: NDArray[np.float64], count: int) -> list[int]:
    """Greedy maximization of J_b (Kim, Khanna and Koyejo 2016, section 3) from the whole kernel matrix."""
    twice_means = 2 * kernel.sum(axis=0) / len(kernel)
    chosen: list[int] = []
    for _ in range(count):
        left = np.setdiff1d(np.arange(len(kernel)), chosen)
        inside = kernel[chosen][:, left].sum(axis=0) if chosen else np.zeros(len(left))
        gain = twice_means[left] - (2 * inside + kernel[left, left]) / (len(chosen) + 1)
        chosen.append(int(left[np.argmax(gain)]))
    return chosen


def dense_criticisms(kernel: NDArray[np.float64], prototypes: list[int], count: int) -> list[int]:
    """Greedy maximization of L(C) + log det (section 3) from the whole kernel matrix and the inverse of its chosen part."""
    means = kernel.sum(axis=0) / len(kernel)
    chosen: list[int] = []
    for _ in range(count):
        left = np.setdiff1d(np.arange(len(kernel)), [*prototypes, *chosen])
        gap = np.abs(means[left] - kernel[prototypes][:, left].sum(axis=0) / len(prototypes))
        residual = kernel[left, left]
        if chosen:
            across = kernel[chosen][:, left]  # (c, left)
            coefficients = np.linalg.inv(kernel[np.ix_(chosen, chosen)]) @ across
            residual = residual - (coefficients * across).sum(axis=0)
        chosen.append(int(left[np.argmax(gap + np.log(np.abs(residual)))]))
    return chosen


def make_features(folder: Path, inputs: int) -> None:
    """Writes ``features.npy``: classes that overlap, through a random layer with a ReLU, rows of length 1."""
    rng = np.random.default_rng(SEED)
    centers, layer = rng.normal(size=(CLASSES, 20)), rng.normal(size=(20, WIDTH))
    codes = centers[rng.integers(0, CLASSES, inputs)] + rng.normal(size=(inputs, 20))
    features = np.maximum(codes @ layer, 0)
    np.save(folder / "features.npy", features / np.linalg.norm(features, axis=1, keepdims=True))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
