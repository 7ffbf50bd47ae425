"""What a sample of the references changes: DSA's and LSA's order, the error of a plan by them, and MMD-critic's objective."""

import time

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from testimate.auxiliary.nearest import drawn_references
from testimate.auxiliary.surprise import dsa, lsa
from testimate.core.inputs import Inputs
from testimate.structure.prototypes import discrepancies_of, prototypes
from testimate.structure.rbf_kernel import l2_normalized, mean_kernel, sampled_mean_kernel
from testimate.studies.study import study
from testimate.tasks.classification import Classification

INPUTS, REFERENCES, WIDTH, CLASSES = 10_000, 60_000, 84, 10

SAMPLES = (60_000, 20_000, 5_000, 1_000)

CAMPAIGNS = 300


def main() -> None:
    """Prints both tables."""
    rng = np.random.default_rng(29)
    centers = rng.normal(size=(CLASSES, WIDTH))
    training, _, learned = drawn(rng, centers, REFERENCES)
    known, truth, predicted = drawn(rng, centers, INPUTS)
    losses = (truth != predicted).astype(float)
    print("## A sample of references\n")
    print(
        f"{INPUTS:,} inputs against {REFERENCES:,} references of {WIDTH} features; accuracy {1 - losses.mean():.4f}. Processor "
        f"seconds, Spearman's rank correlation with the score of all references, and the root mean squared error of "
        f"{CAMPAIGNS} campaigns of rrs with 200 labels.\n"
    )
    print("| score | references | seconds | rank correlation | error |\n|---|---:|---:|---:|---:|")
    for name, score in (("dsa", dsa), ("lsa", lsa)):
        whole = None
        for most in SAMPLES:
            before = time.process_time()
            rows = drawn_references(learned, most, seed=0)
            values = score(known, predicted, training, learned, references=rows)
            seconds = time.process_time() - before
            whole = values if whole is None else whole
            count = len(training) if rows is None else len(rows)
            print(
                f"| {name} | {count:,} | {seconds:.1f} | {spearmanr(whole, values).statistic:.4f} "
                f"| {error(predicted, truth, losses, name, values):.4f} |"
            )
    print("\nMMD-critic, 50 prototypes of 20,000 inputs, the kernel's means from all or from a sample:\n")
    print("| inputs in the means | seconds | MMD^2 of the prototypes | prototypes that stay |\n|---:|---:|---:|---:|")
    space = l2_normalized(training[:20_000])
    exact = mean_kernel(space, gamma=0.026)
    first = None
    for count in (20_000, 5_000, 1_000):
        before = time.process_time()
        means = sampled_mean_kernel(space, count, gamma=0.026, seed=1)
        chosen = prototypes(space, 50, gamma=0.026, means=means)
        seconds = time.process_time() - before
        first = chosen if first is None else first
        left = discrepancies_of(space, chosen, gamma=0.026, means=exact)[-1]
        print(f"| {count:,} | {seconds:.1f} | {left:.3e} | {np.isin(first, chosen).mean():.2f} |")


def drawn(
    rng: np.random.Generator, centers: NDArray[np.float64], size: int
) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.intp]]:
    """Features (size, WIDTH) around the centers of their true classes, those classes, and the nearest center's as predicted."""
    truth = rng.integers(0, CLASSES, size)
    points = centers[truth] + rng.normal(scale=2.2, size=(size, WIDTH))
    gaps = np.einsum("ij,ij->i", points, points)[:, None] - 2 * points @ centers.T + (centers**2).sum(axis=1)
    return points.astype(np.float32), truth, gaps.argmin(axis=1)


def error(
    predicted: NDArray[np.intp],
    truth: NDArray[np.intp],
    losses: NDArray[np.float64],
    name: str,
    values: NDArray[np.float64],
) -> float:
    """Of rrs with this score: the root mean squared error of the accuracy."""
    classes = tuple(str(place) for place in range(CLASSES))
    inputs = Inputs("f" * 32, Classification(classes), predicted, scores={name: values}, truth=truth, losses=losses)
    (row,) = study(
        inputs, techniques=["rrs"], budgets=[200], repetitions=CAMPAIGNS, seed=1, auxiliaries=[name], workers=1
    )
    return row.rmse


if __name__ == "__main__":
    main()
