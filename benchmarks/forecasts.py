"""How far off the forecast of long work is: what each part was said to take, after a second of it, beside what it took.

`python -m benchmarks forecasts` takes about two minutes. Both are processor seconds on one core, so that what else runs does
not count; people read the same forecast by the clock.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.clusters import _features
from benchmarks.measured import measured
from testimate.core.progress import LOOKED, WorkPace

LEAST = 3.0
"""Processor seconds of a part from which it is in the table; people see the forecast of those of ten by the clock."""


@dataclass
class Watched:
    """A ``Progress`` that keeps, by part, the seconds said first and those that the part took."""

    pace: WorkPace = field(default_factory=lambda: WorkPace(time.process_time))
    said: dict[str, float] = field(default_factory=dict)
    begun: dict[str, float] = field(default_factory=dict)
    again: dict[str, str] = field(default_factory=dict)

    def __call__(self, done: int, total: int, what: str = "", all_of: str = "") -> None:
        """As ``Progress``; ``all_of`` : the work whose steps are counted, where its parts have names of their own."""
        now = time.process_time()
        if what == self.pace.what and done < self.pace.done:  # the same work begins again, with its own forecast
            self.again[what] = self.again.get(what, "") + " again"
        self.pace.step(done, total, what)
        ahead, part = self.pace.ahead(), all_of or what + self.again.get(what, "")
        self.begun.setdefault(part, now)
        if part not in self.said and ahead is not None and now - self.begun[part] >= LOOKED:
            self.said[part] = now - self.begun[part] + ahead.left


def watched(job: str) -> Callable[[], list[tuple[str, float, float]]]:
    """The job's work, which returns what was said and taken of each part that took more than three seconds."""
    work, progress = JOBS[job](), Watched()

    def run() -> list[tuple[str, float, float]]:
        work(progress)
        end = time.process_time()
        parts = list(progress.begun)
        until = dict(zip(parts, [*(progress.begun[part] for part in parts[1:]), end], strict=True))
        took = {part: until[part] - progress.begun[part] for part in parts}
        return [
            (part, progress.said[part], took[part]) for part in parts if part in progress.said and took[part] >= LEAST
        ]

    return run


def _clusters(features: Callable[[], Any]) -> Callable[[], Callable[[Watched], Any]]:
    def prepared() -> Callable[[Watched], Any]:
        from testimate.structure.density_clusters import density_clusters

        space = features()
        density_clusters(space[:1_000], 80, 4, threads=1)
        return lambda progress: density_clusters(space, 80, 4, threads=1, progress=progress)

    return prepared


def _map() -> Callable[[Watched], Any]:
    from testimate.structure.maps import neighbor_map

    space = _features(40_000, 84)
    return lambda progress: neighbor_map(space, seed=1, threads=1, progress=progress)


def _prototypes() -> Callable[[Watched], Any]:
    from testimate.structure.rbf_kernel import mean_kernel

    space = _features(70_000, 84)
    return lambda progress: mean_kernel(space, gamma=1 / 84, progress=progress)


def _surprise() -> Callable[[Watched], Any]:
    from testimate.auxiliary.surprise import dsa

    space, classes = _features(60_000, 84), np.arange(60_000) % 10
    return lambda progress: dsa(space, classes, space, classes, progress=progress)


def _groups() -> Callable[[Watched], Any]:
    from testimate.selectors.pace import k_means_groups

    space = _features(300_000, 84)
    return lambda progress: k_means_groups(space, seed=1, progress=progress)


def _known(size: int) -> Any:
    """Inputs of four classes with scores that predict some of the failures, of which all are known."""
    from testimate.core.inputs import Inputs
    from testimate.tasks.classification import Classification

    rng = np.random.default_rng(1)
    doubt = rng.beta(0.5, 4.0, size)
    losses = (rng.random(size) < doubt).astype(np.float64)
    scores = {"confidence": doubt, "dsa": rng.normal(size=size) + losses, "lsa": rng.normal(size=size) + losses}
    classes = rng.integers(4, size=size)
    return Inputs("f" * 32, Classification(tuple("0123")), classes, 1 - doubt, None, scores, losses=losses)


def _priority(technique: str, size: int) -> Callable[[], Callable[[Watched], Any]]:
    def prepared() -> Callable[[Watched], Any]:
        from testimate.core.selector import Request
        from testimate.planning.priority import priority

        inputs = _known(size)
        return lambda progress: priority(inputs, Request(technique, 1_000, 1), progress=progress)

    return prepared


def _study(techniques: tuple[str, ...], repetitions: int) -> Callable[[], Callable[[Watched], Any]]:
    """Campaigns have one total: the forecast after any of them is about all that are left."""

    def prepared() -> Callable[[Watched], Any]:
        from testimate.studies.study import study

        inputs = _known(10_000)

        def work(progress: Watched) -> None:
            def campaigns(done: int, total: int, what: str = "") -> None:
                progress(done, total, what, all_of="all campaigns")

            study(
                inputs,
                techniques=techniques,
                budgets=(200,),
                repetitions=repetitions,
                seed=1,
                workers=1,
                progress=campaigns,
            )

        return work

    return prepared


def _noise() -> Any:
    return np.random.default_rng(1).random((40_000, 84), dtype=np.float32)


JOBS: dict[str, Callable[[], Callable[[Watched], Any]]] = {
    "clusters of 100,000 x 84": _clusters(lambda: _features(100_000, 84)),
    "clusters of 40,000 x 84 without structure": _clusters(_noise),
    "neighbor map of 40,000 x 84": _map,
    "MMD-critic's kernel means of 70,000 x 84": _prototypes,
    "dsa of 60,000 against 60,000 x 84": _surprise,
    "k-means groups of 300,000 x 84": _groups,
    "order of 100,000 by severity-first": _priority("severity-first", 100_000),
    "study of rrs": _study(("rrs",), 3_000),
    "study of srs, rrs and rra": _study(("srs", "rrs", "rra"), 100),
}


def main() -> None:
    """Prints the table."""
    print("## Forecasts of long work\n")
    print(
        f"Processor seconds of each part of at least {LEAST:g}: forecast after its first step and {LOOKED:g} s, and taken.\n"
    )
    print("| job | part | said | taken | said / taken |\n|---|---|---:|---:|---:|")
    for job in JOBS:
        for part, said, took in measured(watched, job).answer or [("none as long", 0.0, 0.0)]:
            numbers = f"{said:.1f} | {took:.1f} | {said / took:.2f}" if took else "| |"
            print(f"| {job} | {part} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
