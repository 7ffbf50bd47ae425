"""Whether a server goes on answering while clusters are found and a map settles: how long another thread gets no turn.

`python -m benchmarks turns`; about a minute. A turn is timed by the processor seconds of this process, so that what other
programs do does not count.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

GROUPS = 10
TARGET = 0.5
LOOK = 0.002


def main() -> None:
    """Prints the table."""
    import hdbscan.hdbscan_  # noqa: F401  # what is loaded the first time is no part of it
    import openTSNE  # noqa: F401

    from testimate.core.inputs import Inputs
    from testimate.project.cluster_settings import ClusterSettings
    from testimate.project.clusters import view_clusters
    from testimate.structure.density_clusters import find_clusters
    from testimate.structure.maps import neighbor_map
    from testimate.tasks.classification import Classification

    print("## Turns of other threads while clusters are found\n")
    print(
        "Ten groups, simulated. Processor seconds of the process in all, and the most of them between two turns of a thread"
    )
    print(
        f"that answers somebody else; what a process of its own works is not among them. Target at most {TARGET:g}.\n"
    )
    print("| what | inputs x columns | seconds | longest without a turn |\n|---|---:|---:|---:|")
    for size, width in ((50_000, 16), (50_000, 3), (200_000, 3)):
        space = simulated(size, width)
        tell("clusters", space, lambda space=space: find_clusters(space, seed=0))
    space = simulated(50_000, 84)
    task = Classification(tuple(map(str, range(GROUPS))))
    inputs = Inputs("f" * 32, task, np.zeros(len(space), dtype=int), features={"LHL": space})
    tell(
        "clusters with prototypes, as the page asks",
        space,
        lambda: view_clusters(inputs, ClusterSettings(features="LHL")),
    )
    tell("neighbor map", space, lambda: neighbor_map(space, seed=0))


def simulated(size: int, width: int) -> NDArray[np.float32]:
    """Features of ten groups."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, GROUPS, size)
    return (3 * rng.normal(size=(GROUPS, width))[group] + rng.normal(size=(size, width))).astype(np.float32)


def tell(what: str, space: NDArray[np.float32], work: Callable[[], Any]) -> None:
    """Does the work beside a thread that wants a turn every two milliseconds; prints a row."""
    longest, over = [0.0], threading.Event()

    def others() -> None:
        before = time.process_time()
        while not over.wait(LOOK):
            now = time.process_time()
            longest[0] = max(longest[0], now - before)
            before = now

    thread = threading.Thread(target=others)
    thread.start()
    begun = time.process_time()
    work()
    spent = time.process_time() - begun
    over.set()
    thread.join()
    print(f"| {what} | {len(space):,} x {space.shape[1]} | {spent:.1f} | {longest[0]:.2f} |", flush=True)
