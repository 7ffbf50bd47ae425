"""Static orders of 50,000 inputs by features of width 2,048, and a learning step of severity-first at 1,000 labels."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measured import measured

SEED, SIZE, TRAINING, WIDTH, CLASSES, LABELS = 0, 50_000, 50_000, 2048, 10, 1_000
STATIC = ("deepgini", "confidence", "severity-first", "neuron-pattern", "deepabstraction")


def main() -> None:
    """Prints both tables."""
    print(f"## Prioritizers: {SIZE:,} inputs and {TRAINING:,} training inputs of width {WIDTH:,}, {CLASSES} classes\n")
    print(
        f"Simulated features after a ReLU, float32, seed {SEED}; processor seconds on one core, beyond DSA and LSA.\n"
    )
    print("| static order of all inputs | processor s (target 10) | MB |")
    print("|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        _make(Path(folder))
        for technique in STATIC:
            side = measured(order, technique, folder)
            print(f"| {technique} | {side.seconds:.2f} | {side.megabytes:.0f} |")
        print(f"\n| learning step of severity-first at {LABELS:,} labels | processor ms (target 100) |")
        print("|---|---:|")
        for size in (10_000, SIZE):
            side = measured(step, str(size), folder)
            print(f"| {size:,} inputs | {1000 * side.answer:.1f} |")


def order(technique: str, folder: str) -> Callable[[], int]:
    """The first row of the whole order."""
    from testimate.selectors import SELECTORS

    known = _known(folder)
    cls: Any = SELECTORS[technique]
    wanted = (*cls.needs, *(name for name in getattr(cls, "uses", ()) if name in known))  # no other models here
    settings = {"variant": "static"} if technique == "severity-first" else {}
    arguments = {name: known[name] for name in wanted}
    return lambda: int(cls(**arguments, budget=SIZE, seed=SEED, **settings).ask(SIZE)[0].row)


def step(size: str, folder: str) -> Callable[[], float]:
    """The longest step around the thousandth label, in processor seconds."""
    import time

    from testimate.core.draw import Verdict
    from testimate.selectors.severity_first import SeverityFirst

    known = _known(folder)
    count = int(size)
    names = ("confidence", "dsa", "lsa", "classes")
    arguments = {name: known[name][:count] for name in names}

    def work() -> float:
        selector, longest, labeled = SeverityFirst(**arguments, budget=4_000, seed=SEED), 0.0, 0
        while labeled < LABELS + 100:
            draws = selector.ask(4_000)
            verdicts = [Verdict(draw, float(known["failed"][draw.row])) for draw in draws]
            start = time.process_time()
            selector.tell(verdicts)
            labeled += len(draws)
            if labeled >= LABELS:
                longest = max(longest, time.process_time() - start)
        return longest

    return work


def _known(folder: str) -> dict[str, NDArray[Any]]:
    known = dict(np.load(Path(folder, "known.npz")))
    for name in ("features", "training_features"):
        known[name] = np.load(Path(folder, f"{name}.npy"), mmap_mode="r")
    return known


def _make(folder: Path) -> None:
    """Features of classes that overlap, and scores that predict failures."""
    rng = np.random.default_rng(SEED)
    layer, centers = rng.normal(size=(30, WIDTH)).astype(np.float32), rng.normal(size=(CLASSES, 30)).astype(np.float32)
    classes = {}
    for name, count in (("features", SIZE), ("training_features", TRAINING)):
        classes[name] = rng.integers(CLASSES, size=count)
        codes = centers[classes[name]] + rng.normal(size=(count, 30)).astype(np.float32)
        np.save(folder / f"{name}.npy", np.maximum(codes @ layer, 0))
    doubt = rng.beta(0.4, 2.5, SIZE)
    failed = rng.random(SIZE) < doubt
    np.savez(
        folder / "known.npz",
        confidence=1 - doubt,
        doubt=doubt,
        gini=1 - (1 - doubt) ** 2,
        dsa=rng.normal(size=SIZE) + failed,
        lsa=rng.normal(size=SIZE) + 0.5 * failed,
        failed=failed,
        classes=classes["features"],
        training_classes=classes["training_features"],
        training_losses=(rng.random(TRAINING) < 0.05).astype(float),
    )


if __name__ == "__main__":
    main()
