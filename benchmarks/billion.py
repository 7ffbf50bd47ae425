"""A billion inputs that are not there: whether labels and interval stay what they are for ten thousand."""

import time

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom
from testimate.core.draw import Draw, Verdict
from testimate.estimators import estimator_of

CAMPAIGNS, LABELS, ACCURACY = 2_000, 1_000, 0.9


def main() -> None:
    """Prints the table."""
    print("## A billion inputs, simulated\n")
    print(
        f"Whether input i fails follows from a hash of i, so that no set has to be held: {CAMPAIGNS:,} campaigns of {LABELS:,} "
        f"simple random draws, accuracy {ACCURACY}. Half-width and coverage of the 95% interval, and the root "
        "mean squared error.\n"
    )
    print("| inputs | half-width, points | coverage | error, points | seconds a campaign |\n|---:|---:|---:|---:|---:|")
    for size in (10_000, 10_000_000, 1_000_000_000):
        rng = np.random.default_rng(29)
        design = SimpleRandom((size,), LABELS)
        truth = 1 - failed(np.arange(min(size, 10_000_000), dtype=np.uint64)).mean()
        widths, held, errors = [], 0, []
        before = time.process_time()
        for _ in range(CAMPAIGNS):
            rows = rng.choice(size, LABELS, replace=False)
            losses = failed(rows.astype(np.uint64))
            verdicts = [
                Verdict(Draw(int(row), LABELS / size), float(loss)) for row, loss in zip(rows, losses, strict=True)
            ]
            estimate = estimator_of(design).estimate(design, verdicts, level=0.95, loss_bound=1.0)
            assert estimate.low is not None
            assert estimate.high is not None
            widths.append((estimate.high - estimate.low) / 2)
            held += estimate.low <= truth <= estimate.high
            errors.append(estimate.accuracy - truth)
        seconds = (time.process_time() - before) / CAMPAIGNS
        print(
            f"| {size:,} | {100 * np.mean(widths):.2f} | {100 * held / CAMPAIGNS:.1f}% "
            f"| {100 * np.sqrt(np.mean(np.square(errors))):.2f} | {seconds:.3f} |"
        )


def failed(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether these inputs fail, by SplitMix64 of their numbers (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        mixed = (rows + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    found: NDArray[np.bool_] = mixed < np.uint64((1 - ACCURACY) * 2**64)
    return found


if __name__ == "__main__":
    main()
