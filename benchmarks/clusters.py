"""HDBSCAN and FastICA beside the hdbscan package's and scikit-learn's, on simulated features after a ReLU.

`python -m benchmarks clusters`; takes about eight minutes, half of them the other sides'.
"""

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import Measured, measured

SEED, CLASSES, LATENT = 0, 10, 24
SIZES = ((10_000, 84), (10_000, 512), (26_000, 84))
TARGETS = {(10_000, 84): (6.0, 6.0), (10_000, 512): (18.0, 2.5), (26_000, 84): (7.0,)}
"""At least so many times faster than the hdbscan package and scikit-learn's brute force."""
BRUTE_UP_TO = 10_000
"""Inputs of which the matrix of all distances is small enough to be safe; at 26,000 brute force takes 10 GB."""
LARGE = (50_000, 2048)
GROWING = (25_000, 50_000, 100_000, 200_000)
"""Inputs of which our own growth is measured, at each of the widths."""
GROWING_WIDTHS = (84, 512)
PERMUTED = (10_000, 84)
"""Size at which the package is compared with itself on permuted rows; it takes as long as the package once more."""
MOST_SECONDS, MOST_MEGABYTES, THREADS_TARGET, FASTICA_TARGET = 130.0, 800.0, 1.7, 4.0


def main() -> None:
    """Prints the tables."""
    print("## Clusters: HDBSCAN (80, 4) of simulated features after a ReLU\n")
    print(
        f"{CLASSES} classes of {LATENT} latent dimensions through a random layer with noise, float32, min-max scaled, seed"
    )
    print(
        f"{SEED}; processor seconds on one core, megabytes above the data. ARI: agreement of labels with the package's,"
    )
    print("beside the package's with itself on permuted rows.\n")
    print("| inputs | hdbscan | scikit-learn brute | Testimate | ratios | targets | weights apart by | ARI | its own |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for size, width in SIZES:
            _row(folder, size, width)
        size, width = LARGE
        make_features(folder, size, width)
        ours = measured(testimate, folder)
        print(f"| {size:,} x {width} | | | {_cell(ours)} | | {MOST_SECONDS:g} s, {MOST_MEGABYTES:g} MB | | | |\n")
        _threads(folder)
        theirs, ours = measured(scikit_fastica, folder), measured(our_fastica, folder)
        print("| FastICA to 2, 50,000 x 2048 | scikit-learn's default | Testimate | ratio | target |")
        print("|---|---:|---:|---:|---:|")
        print(f"| | {_cell(theirs)} | {_cell(ours)} | {theirs.seconds / ours.seconds:.1f} | {FASTICA_TARGET:g} |\n")
        _in_the_plane(folder)
        _growth(folder)


def testimate(folder: str) -> Callable[[], None]:
    """Our side, from scaled features to labels."""
    from testimate.structure.density_clusters import density_clusters

    space = np.load(Path(folder, "space.npy"))
    density_clusters(space[:1_000], 80, 4, threads=1)  # what is imported the first time is no part of it

    def work() -> None:
        found = density_clusters(space, 80, 4, threads=1)
        np.save(Path(folder, "ours.npy"), found.labels)

    return work


def package(folder: str, order: str = "") -> Callable[[], None]:
    """The hdbscan package as it comes; on permuted rows where ``order`` says so."""
    from hdbscan import HDBSCAN

    space = np.load(Path(folder, "space.npy"))
    rows = np.random.default_rng(1).permutation(len(space)) if order else np.arange(len(space))
    space = space[rows]

    def work() -> None:
        model = HDBSCAN(min_cluster_size=80, min_samples=4, core_dist_n_jobs=1, gen_min_span_tree=True).fit(space)
        np.save(Path(folder, "weights.npy"), np.sort(model.minimum_spanning_tree_.to_numpy()[:, 2]))
        labels = np.empty(len(rows), dtype=np.intp)
        labels[rows] = model.labels_
        np.save(Path(folder, f"package{order}.npy"), labels)

    return work


def scikit(folder: str) -> Callable[[], None]:
    """scikit-learn's brute force, whose ``min_samples`` counts the input itself."""
    from sklearn.cluster import HDBSCAN

    space = np.load(Path(folder, "space.npy"))
    model = HDBSCAN(min_cluster_size=80, min_samples=5, algorithm="brute", copy=True, n_jobs=1)
    return lambda: [model.fit(space), None][1]


def weights_apart(folder: str) -> Callable[[], float]:
    """Largest relative difference between the weights of our tree and of the package's, exact above 60 dimensions."""
    from testimate.structure.spanning_tree import spanning_tree

    space, theirs = np.load(Path(folder, "space.npy")), np.load(Path(folder, "weights.npy"))

    def work() -> float:
        ours = np.sort(spanning_tree(space, 4, threads=1).edges[:, 2])
        return float(np.abs(ours / np.maximum(theirs, 1e-9 * theirs.max()) - 1).max())

    return work


def our_fastica(folder: str) -> Callable[[], None]:
    """FastICA to two components, whitened by the eigenvectors of the covariance."""
    from testimate.structure.reduction import independent_components

    space = np.load(Path(folder, "space.npy"))
    independent_components(space[:5_000], 2, seed=SEED)  # what is imported the first time is no part of it
    return lambda: [independent_components(space, 2, seed=SEED), None][1]


def scikit_fastica(folder: str) -> Callable[[], None]:
    """scikit-learn's FastICA as it comes."""
    from sklearn.decomposition import FastICA

    space = np.load(Path(folder, "space.npy"))
    return lambda: [FastICA(2, random_state=SEED).fit_transform(space), None][1]


def _in_the_plane(folder: str) -> None:
    """Clusters of the two components, where the package's default is approximate."""
    from testimate.structure.reduction import independent_components

    place = Path(folder, "space.npy")
    np.save(place, independent_components(np.load(place), 2, seed=SEED)[0])
    theirs, ours = measured(package, folder, repeat=3), measured(testimate, folder, repeat=3)
    noise = {name: 100 * float((np.load(Path(folder, f"{name}.npy")) < 0).mean()) for name in ("package", "ours")}
    print("| clusters of these two components | hdbscan's default, approximate | Testimate, exact | ratio |")
    print("|---|---:|---:|---:|")
    print(f"| | {_cell(theirs)} | {_cell(ours)} | {theirs.seconds / ours.seconds:.1f} |")
    print(f"| inputs in no cluster | {noise['package']:.1f}% | {noise['ours']:.1f}% | |")


def _row(folder: str, size: int, width: int) -> None:
    from sklearn.metrics import adjusted_rand_score

    make_features(folder, size, width)
    ours, theirs = measured(testimate, folder, repeat=3), measured(package, folder)
    brute = measured(scikit, folder) if size <= BRUTE_UP_TO else None
    apart = measured(weights_apart, folder).answer
    labels = {name: np.load(Path(folder, f"{name}.npy")) for name in ("ours", "package")}
    agreement = adjusted_rand_score(labels["package"], labels["ours"])
    own = ""
    if (size, width) == PERMUTED:
        measured(package, folder, "permuted")
        own = f"{adjusted_rand_score(labels['package'], np.load(Path(folder, 'packagepermuted.npy'))):.4f}"
    ratios = ", ".join(f"{side.seconds / ours.seconds:.1f}" for side in (theirs, brute) if side)
    targets = ", ".join(f"{target:g}" for target in TARGETS[size, width])
    sides = " | ".join(_cell(side) if side else "not run" for side in (theirs, brute, ours))
    print(f"| {size:,} x {width} | {sides} | {ratios} | {targets} | {apart:.0e} | {agreement:.4f} | {own} |")


def _growth(folder: str) -> None:
    """Prints what large datasets take, and the power of the number of inputs from one size to the next."""
    print("\n### Up to 200,000 inputs\n")
    print(
        "Processor seconds, the power of growth since the size before in brackets, megabytes above the data, and those of the"
    )
    print("whole process with Python, its libraries and the data: what a machine must have.\n")
    print(f"| width | {' | '.join(f'{size:,}' for size in GROWING)} |\n|---|{'---:|' * len(GROWING)}")
    for width in GROWING_WIDTHS:
        cells: list[str] = []
        before: tuple[int, float] | None = None
        for size in GROWING:
            make_features(folder, size, width)
            ours = measured(testimate, folder)
            power = f" ({math.log(ours.seconds / before[1]) / math.log(size / before[0]):.2f})" if before else ""
            cells.append(f"{ours.seconds:.1f} s{power}, {ours.megabytes:.0f} MB, in all {ours.whole:,.0f}")
            before = size, ours.seconds
        print(f"| {width} | {' | '.join(cells)} |", flush=True)


def _threads(folder: str) -> None:
    """Prints what a second core gains, from the share of the work that only one thread can do."""
    from testimate.structure.spanning_tree import spanning_tree

    print(
        "What two threads gain where both cores are free: all work, and the share of it that one thread does alone.\n"
    )
    print("| tree of | processor s | alone | ratio | wall s with 1 and 2 | target |")
    print("|---|---:|---:|---:|---:|---:|")
    for size, width in ((26_000, 84), LARGE):
        space = np.load(Path(folder, "space.npy")) if (size, width) == LARGE else _features(size, width)
        walls = []
        for threads in (1, 2):
            wall, busy, alone = time.perf_counter(), time.process_time(), time.thread_time()
            spanning_tree(space, 4, threads=threads)
            wall, busy, alone = time.perf_counter() - wall, time.process_time() - busy, time.thread_time() - alone
            walls.append(wall)
        ratio = busy / (alone + (busy - alone) / 2)
        print(
            f"| {size:,} x {width} | {busy:.2f} | {alone:.2f} | {ratio:.2f} | {walls[0]:.1f}, {walls[1]:.1f} "
            f"| {THREADS_TARGET:g} |"
        )
    print()


def make_features(folder: str, size: int, width: int) -> None:
    """Writes the features of a size to ``space.npy`` in the folder."""
    np.save(Path(folder, "space.npy"), _features(size, width))


def _features(size: int, width: int) -> NDArray[np.float32]:
    """Clustered inputs through a random layer with noise and a ReLU, min-max scaled, (size, width)."""
    from testimate.structure.reduction import min_max_scaled

    rng = np.random.default_rng(SEED)
    label = rng.integers(CLASSES, size=size)
    spread = rng.uniform(0.4, 1.0, size=CLASSES)
    latent = 1.6 * rng.normal(size=(CLASSES, LATENT))[label] + spread[label, None] * rng.normal(size=(size, LATENT))
    layer = rng.normal(size=(LATENT, width)) / np.sqrt(LATENT)
    features = np.empty((size, width), dtype=np.float32)
    for top in range(0, size, 4096):
        block = latent[top : top + 4096] @ layer
        features[top : top + 4096] = np.maximum(block + 0.15 * rng.normal(size=block.shape) - 0.1, 0)
    scaled: NDArray[Any] = min_max_scaled(features)
    return scaled


def _cell(side: Measured) -> str:
    return f"{side.seconds:.2f} s, {side.megabytes:.0f} MB"
