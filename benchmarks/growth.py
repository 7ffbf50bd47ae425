"""How cost grows with the number of inputs, their width and the number of models, with plots and what follows beyond them.

`python -m benchmarks growth` takes about six minutes and draws `benchmarks/growth.svg`.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clusters import make_features, package, scikit
from benchmarks.clusters import testimate as clusters_of
from benchmarks.measured import Measured, measured
from benchmarks.prototypes import make_features as make_normalized
from benchmarks.prototypes import testimate as prototypes_of

SEED = 0
INPUTS = (2_500, 5_000, 10_000, 20_000, 40_000)
WIDTHS = (32, 64, 128, 256, 512)
MODELS = (5, 10, 20, 40, 80)
LABELS = (250, 500, 1_000, 2_000, 4_000)
OTHERS_UP_TO = 10_000
"""Inputs of which the other side is run; beyond it takes minutes, or more memory than small machines have."""


@dataclass(frozen=True)
class Curve:
    """Cost at several sizes: ``sizes`` (K,), what was ``measured`` (K,), and the power of the size it grows with."""

    name: str
    sizes: Sequence[int]
    measured: Sequence[Measured]

    @property
    def power(self) -> float:
        """Slope of log seconds over log size, over the last three sizes, where fixed costs no longer count."""
        seconds = np.log([one.seconds for one in self.measured[-3:]])
        return float(np.polyfit(np.log(self.sizes[-3:]), seconds, 1)[0])

    def at(self, size: int, power: float) -> float:
        """Seconds predicted at a size beyond the last one, by a power."""
        return self.measured[-1].seconds * (size / self.sizes[-1]) ** power


def main() -> None:
    """Prints the tables and draws the plots."""
    print("## How cost grows\n")
    print(
        f"Simulated features after a ReLU, 10 classes, float32, seed {SEED}; processor seconds on one core, megabytes"
    )
    print("above the data. The power is the slope of log seconds over log size over the last three sizes.\n")
    panels = {
        "inputs of width 84": inputs_section(),
        "width of 10,000 inputs": width_section(),
        "models over 10,000 inputs": models_section(),
        "labels of 50,000 inputs": labels_section(),
    }
    _draw(panels, Path(__file__).parent / "growth.svg")
    print("\n![cost against size, both on logarithmic axes](growth.svg)")
    beyond(panels["inputs of width 84"])


def inputs_section() -> list[Curve]:
    """Clusters, prototypes, surprise and planning as N grows."""
    with tempfile.TemporaryDirectory() as folder:
        ours = [_on_features(clusters_of, folder, size, 84) for size in INPUTS]
        few = [size for size in INPUTS if size <= OTHERS_UP_TO]
        theirs = [_on_features(package, folder, size, 84) for size in few]
        brute = [_on_features(scikit, folder, size, 84) for size in few]
        critic = []
        for size in INPUTS:
            make_normalized(Path(folder), size)
            critic.append(measured(prototypes_of, folder, "0.026"))
    curves = [
        Curve("clusters", INPUTS, ours),
        Curve("hdbscan's clusters", few, theirs),
        Curve("scikit-learn's clusters", few, brute),
        Curve("180 prototypes, 50 criticisms", INPUTS, critic),
        Curve("DSA, as many training inputs", INPUTS, [measured(surprise, str(size)) for size in INPUTS]),
        Curve("plan of 200 by rrs", INPUTS, [measured(plan, "rrs", str(size), repeat=3) for size in INPUTS]),
    ]
    _table("inputs", curves)
    return curves


def width_section() -> list[Curve]:
    """Clusters and DSA as d grows."""
    with tempfile.TemporaryDirectory() as folder:
        ours = [_on_features(clusters_of, folder, 10_000, width) for width in WIDTHS]
        theirs = [_on_features(package, folder, 10_000, width) for width in WIDTHS[:3]]
    dsa = [measured(surprise, "10000", str(width)) for width in WIDTHS]
    curves = [
        Curve("clusters", WIDTHS, ours),
        Curve("hdbscan's clusters", WIDTHS[:3], theirs),
        Curve("DSA, as many training inputs", WIDTHS, dsa),
    ]
    _table("width", curves)
    return curves


def models_section() -> list[Curve]:
    """LaF as M grows."""
    curves = [Curve("LaF", MODELS, [measured(laf, str(count), repeat=2) for count in MODELS])]
    _table("models", curves)
    return curves


def labels_section() -> list[Curve]:
    """The panel beside the labeling surface after one more label, as n grows."""
    curves = []
    with tempfile.TemporaryDirectory() as folder:
        for technique in ("srs", "rrs", "rra"):
            took = [measured(panel, folder, technique, str(count)) for count in LABELS]
            seconds = [Measured(float(one.answer), one.megabytes, None, one.whole) for one in took]
            curves.append(Curve(f"live panel, {technique}", LABELS, seconds))
    _table("labels", curves)
    return curves


# One side each, as benchmarks.measured runs them


def surprise(size: str, width: str = "84") -> Callable[[], Any]:
    """DSA of as many test inputs as training inputs."""
    from testimate.auxiliary.surprise import SURPRISES

    rng = np.random.default_rng(SEED)
    count, wide = int(size), int(width)
    kinds, known = rng.integers(10, size=count), rng.integers(10, size=count)
    centers = rng.normal(size=(10, wide))
    asked = np.maximum(centers[kinds] + rng.normal(size=(count, wide)), 0).astype(np.float32)
    training = np.maximum(centers[known] + rng.normal(size=(count, wide)), 0).astype(np.float32)
    return lambda: [SURPRISES["dsa"](asked, kinds, training, known), None][1]


def plan(technique: str, size: str) -> Callable[[], Any]:
    """From scores to the first 200 draws."""
    from testimate.core.inputs import Inputs
    from testimate.core.selector import Request
    from testimate.planning.build import build
    from testimate.tasks.classification import Classification

    rng = np.random.default_rng(SEED)
    confidence = 1 - rng.beta(0.5, 4.0, int(size))
    predictions = rng.integers(4, size=int(size))
    inputs = Inputs(
        "f" * 32, Classification(tuple("0123")), predictions, confidence, None, {"confidence": 1 - confidence}
    )

    def work() -> None:
        build(inputs, Request(technique, 200, SEED)).ask(200)

    work()  # what is imported the first time is no part of it
    return work


def laf(count: str) -> Callable[[], Any]:
    """LaF of that many models over 10,000 inputs of 10 classes."""
    from benchmarks.comparison import testimate as ranking

    return ranking(f"{count} x 10,000 x 10")


def panel(folder: str, technique: str, labels: str) -> Callable[[], float]:
    """Seconds of the panel's computing after one more label, at so many labels of 50,000 inputs; the median of 10."""
    import time

    from benchmarks.labeling import say_next
    from benchmarks.labeling_page.session import new_session
    from testimate.reports.live import live

    session = new_session(f"sqlite:///{folder}/{technique}{labels}.sqlite", technique, int(labels) + 50)
    say_next(session, int(labels))
    live(session)

    def work() -> float:
        times = []
        for _ in range(10):
            say_next(session, 1)
            begun = time.process_time()
            live(session)
            times.append(time.process_time() - begun)
        return float(np.median(times))

    return work


# Tables and plots


def _on_features(side: Callable[..., Callable[[], Any]], folder: str, size: int, width: int) -> Measured:
    make_features(folder, size, width)
    return measured(side, folder)


def _table(what: str, curves: list[Curve]) -> None:
    sizes = max((curve.sizes for curve in curves), key=len)
    print(f"| {what} | {' | '.join(f'{size:,}' for size in sizes)} | power |")
    print(f"|---|{'---:|' * (len(sizes) + 1)}")
    for curve in curves:
        cells = [_cell(one) for one in curve.measured] + [""] * (len(sizes) - len(curve.measured))
        print(f"| {curve.name} | {' | '.join(cells)} | {curve.power:.2f} |")
    print()


def _cell(one: Measured) -> str:
    seconds = f"{one.seconds:.2f} s" if one.seconds >= 0.1 else f"{1000 * one.seconds:.1f} ms"
    return f"{seconds}, {one.megabytes:.0f} MB"


def beyond(curves: list[Curve]) -> None:
    """What the powers say about sizes nobody wants to measure on a small machine."""
    print("\n### Beyond what was measured, on paper\n")
    print(
        "By the powers above, from the largest size measured; one core. The row blocks of clusters, prototypes and DSA are"
    )
    print(
        "independent, so k cores divide their time by nearly k (1.87 of 2 measured); their memory grows with N, never N x N.\n"
    )
    sizes = (100_000, 300_000, 1_000_000)
    print(f"| inputs of width 84 | {' | '.join(f'{size:,}' for size in sizes)} |\n|---|{'---:|' * len(sizes)}")
    for curve in curves:
        if "'s" not in curve.name:
            print(f"| {curve.name} | {' | '.join(_predicted(curve, size) for size in sizes)} |")


def _predicted(curve: Curve, size: int) -> str:
    least, most = curve.at(size, curve.power), curve.at(size, 2.0)
    return _long(least) if curve.power < 1 or most <= least else f"{_long(least)} to {_long(most)}"


def _long(seconds: float) -> str:
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


def _draw(panels: dict[str, list[Curve]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "testimate"
    from matplotlib import pyplot as plt
    from matplotlib.ticker import NullLocator

    colors = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")  # Okabe and Ito
    figure, axes = plt.subplots(2, 2, figsize=(10, 7), constrained_layout=True)
    for axis, (what, curves) in zip(axes.flat, panels.items(), strict=True):
        for curve, color, mark in zip(curves, colors, "osD^vP", strict=False):
            seconds = [one.seconds for one in curve.measured]
            axis.loglog(curve.sizes, seconds, color=color, marker=mark, label=f"{curve.name} ({curve.power:.1f})")
        sizes = max((curve.sizes for curve in curves), key=len)
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.set_xlabel(what)
        axis.set_ylabel("processor seconds")
        axis.grid(alpha=0.3)
        axis.margins(y=0.15)
        axis.legend(fontsize=7, framealpha=0.6)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
