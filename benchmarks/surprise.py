"""DSA and LSA beside dnn-tip's, on 50,000 training and 10,000 test traces of width 84.

dnn-tip's DSA takes minutes on all; `python -m benchmarks.surprise 500` compares on 500 test traces.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import Measured, measured, others

SEED, CLASSES, WIDTH, TRAINING = 0, 10, 84, 50_000
TARGETS = {"dsa": 200.0, "lsa": 1.5}


def main(test: int = 10_000) -> None:
    """Prints the table."""
    print(f"## Surprise adequacy: {TRAINING:,} training and {test:,} test traces of width {WIDTH}\n")
    print(f"Simulated traces after a ReLU, {CLASSES} classes, float32, seed {SEED}; processor seconds on one core.\n")
    print("| score | dnn-tip 0.1.1 | Testimate | ratio | target | largest relative difference |")
    print("|---|---:|---:|---:|---:|---:|")
    with others() as extra, tempfile.TemporaryDirectory() as folder:
        _make(Path(folder), test)
        for score, target in TARGETS.items():
            ours = measured(testimate, score, folder, repeat=3)
            theirs = measured(dnn_tip, score, folder, repeat=1 if score == "dsa" else 3, extra=extra)
            ratio = theirs.seconds / ours.seconds
            print(
                f"| {score.upper()} | {_cell(theirs)} | {_cell(ours)} | {ratio:.1f} | {target:g} | {_apart(score, folder)} |"
            )


def testimate(score: str, folder: str) -> Callable[[], int]:
    """Our side; the work returns how many values are not finite."""
    from testimate.auxiliary.surprise import SURPRISES

    data = np.load(Path(folder, "traces.npz"))
    arguments = [data[name] for name in ("traces", "predictions", "training", "training_predictions")]
    return lambda: _kept(SURPRISES[score](*arguments), folder, f"testimate-{score}")


def dnn_tip(score: str, folder: str) -> Callable[[], int]:
    """Their side: DSA in all pairs; LSA per class with the same variance threshold."""
    from dnn_tip.surprise import DSA, LSA, MultiModalSA

    data = np.load(Path(folder, "traces.npz"))
    traces, predictions = data["traces"], data["predictions"]
    training, training_predictions = data["training"], data["training_predictions"]

    def work() -> int:
        if score == "dsa":
            found = DSA(training, training_predictions)(traces, predictions)
        else:
            fitted = MultiModalSA.build_by_class(
                training, training_predictions, lambda x, _: LSA(x, var_threshold=1e-5, max_features=None)
            )
            found = fitted(traces, predictions)
        return _kept(found, folder, f"dnn-tip-{score}")

    return work


def _make(folder: Path, test: int) -> None:
    """Traces of classes that overlap, through a random layer with a ReLU; predicted is the nearest center."""
    rng = np.random.default_rng(SEED)
    centers, layer = rng.normal(size=(CLASSES, 20)), rng.normal(size=(20, WIDTH))
    count = TRAINING + test
    codes = centers[rng.integers(0, CLASSES, count)] + rng.normal(size=(count, 20))
    traces = np.maximum(codes @ layer + 0.5 * rng.normal(size=(count, WIDTH)), 0).astype(np.float32)
    predictions = np.array(
        [((block[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1) for block in np.split(codes, 20)]
    )
    np.savez(
        folder / "traces.npz",
        training=traces[:TRAINING],
        traces=traces[TRAINING:],
        training_predictions=predictions.ravel()[:TRAINING],
        predictions=predictions.ravel()[TRAINING:],
    )


def _kept(found: NDArray[np.float64], folder: str, name: str) -> int:
    np.save(Path(folder, f"{name}.npy"), found)
    return int((~np.isfinite(found)).sum())


def _apart(score: str, folder: str) -> str:
    ours, theirs = (np.load(Path(folder, f"{side}-{score}.npy")) for side in ("testimate", "dnn-tip"))
    both = np.isfinite(ours) & np.isfinite(theirs)
    return f"{np.max(np.abs(ours[both] - theirs[both]) / np.abs(theirs[both])):.0e}"


def _cell(side: Measured) -> str:
    lost = f", {side.answer} values not finite" if side.answer else ""
    return f"{side.seconds:.2f} s, {side.megabytes:.0f} MB{lost}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
