"""Maps on which neighbors are neighbors: what each way of making one keeps and costs, and ours for larger sets.

`python -m benchmarks neighbor_maps`; minutes. The table of ways needs LeNet-5 and MNIST in TESTIMATE_DATA, and installs UMAP
and PaCMAP into a temporary folder. MAP_SIZES=10000,50000 measures these sizes alone and leaves the table of ways out.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clusters import make_features
from benchmarks.measured import Measured, measured, others

SEED = 0
KEPT_TARGET = 0.42
SIZES = {10_000: 20.0, 50_000: 60.0, 200_000: 240.0}
"""Inputs, and the seconds that a map of them may take on two cores."""

ASKED = 2_000
"""Inputs by which trustworthiness is computed: it takes a matrix of all pairs."""


def main() -> None:
    """Prints both tables."""
    sizes = [int(size) for size in os.environ.get("MAP_SIZES", "").split(",") if size] or list(SIZES)
    with tempfile.TemporaryDirectory() as folder:
        if not os.environ.get("MAP_SIZES") and lenet_features(folder):
            print("## Maps of LeNet-5's last hidden layer, MNIST's 10,000 test images (10,000 x 84)\n")
            print(
                "Processor seconds on one core, from the import on; megabytes above the data; the share of an input's 15"
            )
            print(
                f"nearest that are its 15 nearest on the map (target of ours {KEPT_TARGET:g}); trustworthiness of {ASKED:,}.\n"
            )
            print("| map | neighbors kept | trustworthiness | seconds | MB |\n|---|---:|---:|---:|---:|")
            with others("map_requirements.txt") as packages:
                for name, prepare in WAYS.items():
                    print(_row(name, measured(prepare, folder, extra=packages), folder), flush=True)
        print("\n## The neighbor map of simulated features (width 84), after the clusters\n")
        print("Processor seconds on one core; the targets are seconds on two.\n")
        print("| inputs | seconds | target | MB | neighbors kept |\n|---:|---:|---:|---:|---:|")
        for size in sizes:
            make_features(folder, size, 84)
            one = measured(our_map, folder)
            cells = f"{one.seconds:.0f} | {SIZES.get(size, 0):g} | {one.megabytes:.0f} | {100 * worth(folder)[0]:.1f}%"
            print(f"| {size:,} | {cells} |", flush=True)


def lenet_features(folder: str) -> bool:
    """Writes the features to ``space.npy``; False where the data is not there."""
    data = Path(os.environ.get("TESTIMATE_DATA", ""))
    model, pictures = data / "pace" / "LeNet-5.h5", data / "mnist" / "mnist.npz"
    if not (model.is_file() and pictures.is_file()):
        return False
    command = [sys.executable, "-m", "testimate.cli", "features", model, pictures, "--scale", "1/255", "--quiet"]
    rest = ["--out-features", f"{folder}/raw.npy", "--project", f"{folder}/project"]
    subprocess.run([*map(str, command), *rest], check=True, capture_output=True)
    from testimate.structure.reduction import min_max_scaled

    np.save(Path(folder, "space.npy"), min_max_scaled(np.load(f"{folder}/raw.npy")))
    return True


def our_map(folder: str) -> Callable[[], None]:
    """Ours."""
    space = np.load(Path(folder, "space.npy"))

    def work() -> None:
        from testimate.structure.maps import neighbor_map

        keep(folder, neighbor_map(space, seed=SEED, threads=1).points)

    return work


def our_map_longer(folder: str) -> Callable[[], None]:
    """Ours with 100 + 250 rounds."""
    return _with_rounds(folder, 100, 250)


def our_map_longest(folder: str) -> Callable[[], None]:
    """Ours with 250 + 500 rounds, as openTSNE has them by default."""
    return _with_rounds(folder, 250, 500)


def _with_rounds(folder: str, early: int, later: int) -> Callable[[], None]:
    from testimate.structure import maps as module

    module.EARLY, module.LATER = early, later  # in this process, which does nothing else
    return our_map(folder)


def linear(method: Any) -> Callable[[str], Callable[[], None]]:
    """A linear map."""

    def prepare(folder: str) -> Callable[[], None]:
        space = np.load(Path(folder, "space.npy"))

        def work() -> None:
            from testimate.structure.maps import planar_map

            keep(folder, planar_map(space, seed=SEED, method=method).points)

        return work

    return prepare


def fastica(folder: str) -> Callable[[], None]:
    """The map that was the first one before."""
    return linear("fastica")(folder)


def pca(folder: str) -> Callable[[], None]:
    """The map that ours starts from."""
    return linear("pca")(folder)


def scikit(folder: str) -> Callable[[], None]:
    """scikit-learn's t-SNE (Barnes-Hut) as it comes, from PCA."""
    space = np.load(Path(folder, "space.npy"))

    def work() -> None:
        from sklearn.manifold import TSNE

        keep(folder, TSNE(2, init="pca", random_state=SEED, n_jobs=1).fit_transform(space))

    return work


def umap(folder: str) -> Callable[[], None]:
    """UMAP as it comes."""
    space = np.load(Path(folder, "space.npy"))

    def work() -> None:
        made = import_module("umap").UMAP
        keep(folder, made(random_state=SEED, n_jobs=1).fit_transform(space))

    return work


def pacmap(folder: str) -> Callable[[], None]:
    """PaCMAP as it comes."""
    space = np.load(Path(folder, "space.npy"))

    def work() -> None:
        made = import_module("pacmap").PaCMAP
        keep(folder, made(random_state=SEED).fit_transform(space, init="pca"))

    return work


WAYS: dict[str, Callable[[str], Callable[[], None]]] = {
    "FastICA": fastica,
    "PCA": pca,
    "ours: openTSNE, 60 + 150 rounds": our_map,
    "the same, 100 + 250 rounds": our_map_longer,
    "the same, 250 + 500 rounds": our_map_longest,
    "scikit-learn's t-SNE": scikit,
    "UMAP as it comes": umap,
    "PaCMAP as it comes": pacmap,
}


def keep(folder: str, points: NDArray[Any]) -> None:
    """Writes a map beside its features; what it is worth is computed afterwards, so that it costs the map nothing."""
    np.save(Path(folder, "points.npy"), points)


def worth(folder: str) -> tuple[float, float]:
    """The share of neighbors kept, and trustworthiness, of the map in the folder."""
    from sklearn.manifold import trustworthiness

    from testimate.structure.maps import neighbors_kept

    space, points = np.load(Path(folder, "space.npy")), np.load(Path(folder, "points.npy"))
    kept = neighbors_kept(
        space, np.asarray(points, dtype=np.float64), seed=SEED, asked=len(space) if len(space) < 20_000 else ASKED
    )
    rows = np.arange(0, len(space), max(len(space) // ASKED, 1))[:ASKED]
    return kept or 0.0, float(trustworthiness(space[rows], points[rows], n_neighbors=15))


def _row(name: str, one: Measured, folder: str) -> str:
    kept, trusted = worth(folder)
    return f"| {name} | {100 * kept:.1f}% | {trusted:.3f} | {one.seconds:.1f} | {one.megabytes:.0f} |"


if __name__ == "__main__":
    main()
