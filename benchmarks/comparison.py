"""LaF's speed and memory, beside its authors' program and crowd-kit's GLAD, and the labels that tell two models apart.

The authors' program is no package: ``LAF_AUTHORS`` names a checkout of github.com/testing-cs/LaF-model-selection (measured at
cd90fd5); without it that table is left out. crowd-kit needs pandas and tqdm; its other dependencies are not needed for GLAD.
Where it cannot be installed, its line is left out.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import measured

SEED = 0
SIZES = {"30 x 10,000 x 10": (1.0, None), "20 x 100,000 x 1,000": (15.0, 1000.0)}
TARGET_RATIO = 120
AUTHORS = os.environ.get("LAF_AUTHORS", "")
CROWD_KIT = ("crowd-kit==1.4.2", "tqdm==4.70.1", "attrs==26.1.0")
CAMPAIGNS = 40


def main() -> None:
    """Prints the tables."""
    print("## Ranking models without labels: LaF\n")
    print(f"Simulated predictions, models x inputs x classes, seed {SEED}; processor seconds on one core.\n")
    print("| size | seconds | target | memory (MB) | target |\n|---|---:|---:|---:|---:|")
    for size, (seconds, megabytes) in SIZES.items():
        ours = measured(testimate, size, repeat=2)
        limit = "–" if megabytes is None else f"{megabytes:,.0f}"
        print(f"| {size} | {ours.seconds:.2f} | {seconds:g} | {ours.megabytes:,.0f} | {limit} |")
    if AUTHORS:
        beside_the_authors("30 x 10,000 x 10")
    beside_crowd_kit("30 x 1,000 x 10")
    labels_needed()


def beside_the_authors(size: str) -> None:
    """The EM program that LaF's authors published against ours, on the same predictions; neither sees unanimous inputs."""
    ours, theirs = measured(testimate, size, repeat=3), measured(authors, size, extra=AUTHORS)
    print(f"\n### Beside the authors' program, {size}\n")
    print("| | authors | Testimate | ratio | target |\n|---|---:|---:|---:|---:|")
    ratio = theirs.seconds / ours.seconds
    print(f"| seconds | {theirs.seconds:.1f} | {ours.seconds:.3f} | {ratio:.0f} | {TARGET_RATIO} |")
    print(f"| memory (MB) | {theirs.megabytes:.0f} | {ours.megabytes:.0f} | | |")
    print(f"| Spearman with the true abilities | {theirs.answer:.3f} | {ours.answer:.3f} | | |")


def beside_crowd_kit(size: str) -> None:
    """GLAD's program for crowds against ours, on the same predictions."""
    print(f"\n### Beside crowd-kit's GLAD, {size}\n")
    ours = measured(testimate, size, repeat=3)
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, *CROWD_KIT]
        installed = subprocess.run(pip, check=False, capture_output=True).returncode == 0
        if not installed:
            print("crowd-kit could not be installed here.")
            return
        theirs = measured(crowd_kit, size, extra=folder)
    print("| | crowd-kit 1.4.2 | Testimate | ratio | target |\n|---|---:|---:|---:|---:|")
    ratio = theirs.seconds / ours.seconds
    print(f"| seconds | {theirs.seconds:.1f} | {ours.seconds:.3f} | {ratio:.0f} | {TARGET_RATIO} |")
    print(f"| Spearman with the true abilities | {theirs.answer:.2f} | {ours.answer:.2f} | | |")


def labels_needed() -> None:
    """Labels until two models 2 points apart that disagree on 10% of 10,000 inputs are distinguished."""
    ours, paired = np.array([_both_designs(np.random.default_rng(seed), seed) for seed in range(CAMPAIGNS)]).T
    print("\n### Labels to tell two models apart\n")
    print(f"2 points apart, disagreeing on 10% of 10,000 inputs; {CAMPAIGNS} campaigns, level 95%.\n")
    print("| | mean | median | most |\n|---|---:|---:|---:|")
    for name, labels in (("where they disagree", ours), ("paired simple random sampling", paired)):
        print(f"| {name} | {labels.mean():.0f} | {np.median(labels):.0f} | {labels.max()} |")
    print(f"\nShare of the mean: {ours.mean() / paired.mean():.3f} (target at most 0.2).")


def _both_designs(rng: np.random.Generator, seed: int) -> tuple[int, int]:
    """Labels of one campaign by each design, with the same always-valid sequence."""
    from testimate.comparison.differences import TellingApart
    from testimate.core.draw import Verdict
    from testimate.estimators.always_valid import simple_game
    from testimate.estimators.betting import capitals

    order = rng.permutation(10_000)
    first, second, truth = (np.zeros(10_000, dtype=np.intp) for _ in range(3))
    first[500:800] = 1  # the first model alone is right on 500, the second on 300, neither on 200
    first[800:1000] = 1
    second[:500] = 1
    second[800:1000] = 2
    labels, truth = np.column_stack([first, second])[order], truth[order]
    selector, count = TellingApart(labels, budget=1_000, seed=seed), 0
    while selector.remaining:
        for draw in selector.ask(1):
            count += 1
            selector.tell([Verdict(draw, 0.0, int(truth[draw.row]))])
    gained = ((labels[:, 0] == truth).astype(np.float64) - (labels[:, 1] == truth))[rng.permutation(10_000)]
    path = capitals(simple_game((gained + 1) / 2, 10_000), np.array([0.5]), 0.05)[0, :, 0]
    return count, 1 + int(np.argmax(path >= 2 / 0.05))


def testimate(size: str) -> Callable[[], float]:
    """Our side; the work returns how the abilities found agree with the true ones."""
    from scipy.stats import spearmanr

    from testimate.comparison.predictions import Predictions
    from testimate.comparison.ranking import labeling_free

    labels, ability, classes = _simulated(size)
    predictions = Predictions(tuple(map(str, range(labels.shape[1]))), labels, tuple(map(str, range(classes))))
    return lambda: float(spearmanr(labeling_free(predictions).ability, ability).statistic)


def authors(size: str) -> Callable[[], float]:
    """Their side: starts, priors and stopping as their ``load_data`` and ``em`` set them, without the file between."""
    import importlib

    from scipy.stats import spearmanr

    program = importlib.import_module("utils_laf")
    labels, ability, classes = _simulated(size)
    votes = labels[(labels != labels[:, :1]).any(axis=1)]
    agree = votes == np.array([[np.bincount(row).argmax()] for row in votes])
    tasks, labelers = votes.shape
    data = program.Dataset(votes + 1, votes.size, labelers, tasks, classes, priorZ=np.full(classes, 1 / classes))
    data.priorAlpha, data.priorBeta = agree.mean(axis=0), agree.mean(axis=1)
    data.probZ = np.empty((tasks, classes))

    def work() -> float:
        program.EM(data)
        return float(spearmanr(data.alpha, ability).statistic)

    return work


def crowd_kit(size: str) -> Callable[[], float]:
    """Their side, with its own number of rounds."""
    import importlib
    import types

    # The package's own __init__ imports transformers for other aggregations; GLAD's module does without.
    for name in ("crowdkit", "crowdkit.aggregation", "crowdkit.aggregation.classification"):
        package = types.ModuleType(name)
        package.__path__ = [str(Path(one, *name.split("."))) for one in sys.path if Path(one, "crowdkit").is_dir()]
        sys.modules[name] = package
    import pandas as pd
    from scipy.stats import spearmanr

    glad = importlib.import_module("crowdkit.aggregation.classification.glad").GLAD
    labels, ability, _ = _simulated(size)
    tasks, workers = np.indices(labels.shape)
    table = pd.DataFrame({"task": tasks.ravel(), "worker": workers.ravel(), "label": labels.ravel()})

    def work() -> float:
        fitted = glad().fit(table)
        return float(spearmanr(fitted.alphas_.sort_index(), ability).statistic)

    return work


def _simulated(size: str) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """Predictions (N, M) drawn from LaF's own model, the abilities (M,), and how many classes there are."""
    models, inputs, classes = (int(part.replace(",", "")) for part in size.split(" x "))
    rng = np.random.default_rng(SEED)
    truth, ability = rng.integers(classes, size=inputs), np.linspace(0.5, 3, models)
    right = 1 / (1 + np.exp(-ability * np.exp(rng.normal(0.3, 0.8, inputs))[:, None]))
    wrong = (truth[:, None] + rng.integers(1, classes, size=(inputs, models))) % classes
    labels = np.where(rng.random((inputs, models)) < right, truth[:, None], wrong)
    return labels.astype(np.intp), ability, classes


if __name__ == "__main__":
    main()
