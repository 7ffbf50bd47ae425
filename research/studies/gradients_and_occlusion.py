"""Whether gradients say the same as occlusion of where a network looked, and how long both take: LeNet-5 on the letters.

`python -m research.studies.gradients_and_occlusion` takes the letters that the network misreads and explains each by occlusion,
as the program does, and by integrated gradients of the chance of the predicted class (Sundararajan, Taly and Yan 2017,
eq. 1, 32 steps from the mean of 64 inputs), summed over the squares that occlusion covers. It prints the rank correlation of
both maps, how often covering the strongest square of each changes the answer, and the seconds that each takes.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import spearmanr

from testimate.core.progress import silent
from testimate.demos.glyphs import SIDE, WEIGHTS, open_glyphs, weights_in
from testimate.feature_cache import FeatureCache
from testimate.models.torch_graph import build
from testimate.planning.known_inputs import known_inputs
from testimate.subjects.occlusion import explain

FAULTS, STEPS, SQUARE = 60, 32, 6
SAMPLE = 64


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        subject = open_glyphs(Path(folder))
        inputs = known_inputs(subject, FeatureCache(Path(folder)), silent)
    assert inputs.losses is not None
    rows = np.flatnonzero(inputs.losses)[:FAULTS]
    tensors = {name: torch.from_numpy(weight) for name, weight in weights_in(WEIGHTS).items()}
    module = build(tensors, "lenet-5", SIDE).module.eval()
    mean = subject.dataset.batch(np.linspace(0, len(inputs) - 1, SAMPLE).astype(np.intp)).mean(axis=0)
    explain(subject, int(rows[0]))  # what is loaded once is not counted
    ranks, seconds, changed = [], np.zeros(2), np.zeros(2)
    for row in rows.tolist():
        begun = time.perf_counter()
        occluded = explain(subject, row).effect
        middle = time.perf_counter()
        picture = subject.dataset.batch(np.array([row]))[0]
        graded = smoothed(integrated_gradients(module, picture, mean))
        seconds += (middle - begun, time.perf_counter() - middle)
        ranks.append(float(spearmanr(occluded.ravel(), graded.ravel()).statistic))
        changed += [answer_changes(module, picture, mean, one) for one in (occluded, graded)]
    print("| | occlusion | integrated gradients |\n|---|---:|---:|")
    print(f"| milliseconds a letter | {1000 * seconds[0] / len(rows):.0f} | {1000 * seconds[1] / len(rows):.0f} |")
    shares = 100 * changed / len(rows)
    print(f"| covering the strongest {SQUARE} x {SQUARE} changes the answer | {shares[0]:.0f}% | {shares[1]:.0f}% |")
    low, middle_rank, high = np.quantile(ranks, [0.1, 0.5, 0.9])
    print(
        f"\nRank correlation of the maps over {len(rows)} faults: median {middle_rank:.2f}, 10% {low:.2f}, 90% {high:.2f}"
    )


def integrated_gradients(
    module: torch.nn.Module, picture: NDArray[np.float32], mean: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Of the chance of the predicted class, (H, W): (x - x') times the mean gradient on the way from x' to x."""
    parts = torch.linspace(1 / (2 * STEPS), 1 - 1 / (2 * STEPS), STEPS)[:, None, None, None]
    here, there = torch.from_numpy(picture), torch.from_numpy(mean)
    way = (there + parts * (here - there)).requires_grad_(True)
    with torch.no_grad():
        said = int(module(here[None]).argmax())
    chances = torch.softmax(module(way), dim=1)[:, said].sum()
    (gradients,) = torch.autograd.grad(chances, way)
    return np.asarray((gradients.mean(dim=0) * (here - there))[0].numpy(), dtype=np.float64)


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums over squares of the side that occlusion covers, spread over their pixels as occlusion's are."""
    total, count = np.zeros(values.shape), np.zeros(values.shape)
    starts = sorted({*range(0, len(values) - SQUARE + 1, SQUARE // 2), len(values) - SQUARE})
    for top in starts:
        for left in starts:
            square = np.s_[top : top + SQUARE, left : left + SQUARE]
            total[square] += values[square].sum()
            count[square] += 1
    return total / count


def answer_changes(
    module: torch.nn.Module, picture: NDArray[np.float32], mean: NDArray[np.float32], effect: NDArray[np.float64]
) -> bool:
    """Whether the network says another class once the square about the strongest pixel is covered."""
    top, left = np.unravel_index(int(effect.argmax()), effect.shape)
    covered = picture.copy()
    rows = slice(max(0, int(top) - SQUARE // 2), int(top) + SQUARE // 2)
    columns = slice(max(0, int(left) - SQUARE // 2), int(left) + SQUARE // 2)
    covered[:, rows, columns] = mean.mean()
    with torch.no_grad():
        both = module(torch.from_numpy(np.stack([picture, covered]))).argmax(dim=1)
    return bool(both[0] != both[1])


if __name__ == "__main__":
    main()
