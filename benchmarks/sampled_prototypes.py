"""MMD-critic by a sample: what its prototypes leave unexplained beside those of the whole, and what a million inputs take.

`python -m benchmarks sampled_prototypes`; about three minutes.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measured import measured
from benchmarks.prototypes import GAMMAS, WIDTH, make_features

WHOLE, MANY, PROTOTYPES = 100_000, 1_000_000, 180
SAMPLES, SEEDS = (5_000, 20_000), (1, 2)
OF_MANY, OF_PACE = 5_000, 0.026


def main() -> None:
    """Prints the tables."""
    print("## MMD-critic by a sample\n")
    print(
        f"{PROTOTYPES} prototypes of {WHOLE:,} inputs of width {WIDTH}, made as for the section on prototypes. MMD^2 to all "
        "inputs with the kernel's means over all; said: the value estimated from the sample alone, with its standard error; "
        f"{len(SEEDS)} samples. By chance: as many inputs drawn at random. Processor seconds of the whole on one core.\n"
    )
    print("| gamma | inputs in the means | seconds | MMD^2 | over the whole's | said | by chance | same prototypes |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        make_features(Path(folder), WHOLE)
        for name, gamma in GAMMAS.items():
            whole = measured(chosen, folder, str(gamma), str(WHOLE), "1")
            best, random = whole.answer["exact"], whole.answer["by_chance"]
            print(f"| {name} | {WHOLE:,} | {whole.seconds:.1f} | {best:.3e} | 1 | | {random:.1e} | 1 |", flush=True)
            for count in SAMPLES:
                for seed in SEEDS:
                    one = measured(chosen, folder, str(gamma), str(count), str(seed))
                    same = np.isin(one.answer["rows"], whole.answer["rows"]).mean()
                    print(
                        f"| {name} | {count:,} | {one.seconds:.1f} | {one.answer['exact']:.3e} | "
                        f"{one.answer['exact'] / best:.2f} | {one.answer['found']:.3e} ± {one.answer['error']:.0e} | "
                        f"{one.answer['by_chance']:.1e} | {same:.2f} |",
                        flush=True,
                    )
    print(f"\n{MANY:,} inputs, the kernel's means over {OF_MANY:,} of them:\n")
    print(
        "| gamma | seconds | megabytes above the features | MMD^2, as it is said | by chance |\n|---|---:|---:|---:|---:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        make_features(Path(folder), MANY)
        one = measured(selected, folder, str(OF_PACE))
        said = f"{one.answer['found']:.3e} ± {one.answer['error']:.0e}"
        print(f"| {OF_PACE} | {one.seconds:.0f} | {one.megabytes:,.0f} | {said} | {one.answer['by_chance']:.1e} |")


def chosen(folder: str, gamma: str, count: str, seed: str) -> Callable[[], dict[str, Any]]:
    """Prototypes by that many inputs; the work returns them, their statement, and how good they are by the means of all."""
    from testimate.structure.prototypes import discrepancies_of, prototypes, sampled_objective
    from testimate.structure.rbf_kernel import sampled_mean_kernel

    features, number = np.load(Path(folder, "features.npy")), float(gamma)
    kept = Path(folder, f"means {gamma}.npy")

    def work() -> dict[str, Any]:
        means = sampled_mean_kernel(features, int(count), gamma=number, seed=int(seed))
        rows = prototypes(features, PROTOTYPES, gamma=number, means=means)
        said = sampled_objective(features, rows, means, int(count), gamma=number, seed=int(seed))
        exact = None
        if int(count) == len(features):
            np.save(kept, means)
        if kept.exists():
            exact = float(discrepancies_of(features, rows, gamma=number, means=np.load(kept))[-1])
        return {"rows": rows.tolist(), **vars(said), "exact": exact}

    return work


def selected(folder: str, gamma: str) -> Callable[[], dict[str, Any]]:
    """The technique itself on many inputs; the work returns what it says."""
    from testimate.selectors.pace import PaceWithoutClusters

    features = np.load(Path(folder, "features.npy"), mmap_mode="r")

    def work() -> dict[str, Any]:
        made = PaceWithoutClusters(features, budget=PROTOTYPES, seed=1, gamma=float(gamma), sample=OF_MANY)
        assert made.objective is not None
        return vars(made.objective)

    return work


if __name__ == "__main__":
    main()
