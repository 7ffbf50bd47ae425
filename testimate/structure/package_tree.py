"""The hdbscan package's spanning tree, in a process of its own if it takes long, because it blocks the interpreter.

Only `package_edges` starts that process: points come in through one unnamed file, edges go out through another.
"""

import os
import subprocess
import sys
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import TestimateError
from testimate.core.machine import apart
from testimate.core.progress import Progress, silent
from testimate.core.words import spaced

ENGINES = ("boruvka", "approximate boruvka", "prim")
"""The package's algorithms: exact over a tree of the space, the same with its default approximation, and all pairs."""

ALONE_FROM = 80_000
"""Numbers (inputs times columns) from which it pays to start a process: about 0.3 s of work."""

_LOOK = 0.2  # seconds between two checks whether to stop
_START = "import sys; sys.path[:] = sys.argv[2:]; from testimate.structure.package_tree import main; main(sys.argv[1])"


def package_edges(
    space: NDArray[Any], neighbour: int, engine: str, *, alone_from: int = ALONE_FROM, progress: Progress = silent
) -> NDArray[np.float64]:
    """The package's edges, the shortest first, (N - 1, 3); the same from either process.

    Parameters
    ----------
    space : (N, d) finite. neighbour : the neighbour whose distance is the core distance, the input itself not counted.
    engine : one of ``ENGINES``.
    alone_from : numbers in ``space`` from which the work has a process of its own.
    progress : called several times a second if it has; an exception from it ends that process.

    Raises
    ------
    TestimateError : the process ended early, for example because memory ran out.
    """
    points = np.ascontiguousarray(space, dtype=np.float64)
    if points.size < alone_from:
        return _edges(points, neighbour, engine)
    with TemporaryFile() as given, TemporaryFile() as edges:
        np.save(given, points, allow_pickle=False)
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-c", _START, f"{ENGINES.index(engine)} {neighbour}", *sys.path],
            stdin=given,
            stdout=edges,
            stderr=subprocess.DEVNULL,
            **apart(),
        )
        try:
            _wait_for(process, len(points), progress)
        finally:
            process.kill()  # nothing where it has ended
            process.wait()
        if process.returncode != 0:
            raise TestimateError(
                f"The process that searched for the clusters of {spaced(len(points))} inputs ended early (status "
                f"{process.returncode}); it may have run out of memory. Close other programs, or cluster fewer inputs."
            )
        edges.seek(0)
        found: NDArray[np.float64] = np.load(edges, allow_pickle=False)
        return found


def _wait_for(process: "subprocess.Popen[bytes]", size: int, progress: Progress) -> None:
    """Waits for its end; asks ``progress`` meanwhile whether to go on."""
    while True:
        try:
            process.wait(_LOOK)
            return
        except subprocess.TimeoutExpired:
            progress(0, size, "comparing all inputs")


def _edges(points: NDArray[np.float64], neighbour: int, engine: str) -> NDArray[np.float64]:
    from hdbscan.hdbscan_ import _hdbscan_boruvka_kdtree, _hdbscan_prims_kdtree

    options: dict[str, Any] = {"min_samples": neighbour, "metric": "euclidean", "p": None, "gen_min_span_tree": True}
    if engine == "prim":
        return np.asarray(_hdbscan_prims_kdtree(points, **options)[1], dtype=np.float64)
    options |= {"approx_min_span_tree": engine == "approximate boruvka", "core_dist_n_jobs": 1}
    return np.asarray(_hdbscan_boruvka_kdtree(points, **options)[1], dtype=np.float64)


def main(task: str) -> None:
    """Reads points from standard input and writes their edges to standard output; what a library prints goes to neither.

    ``task`` : the place of the engine, and the neighbour.
    """
    engine, neighbour = map(int, task.split())
    with os.fdopen(os.dup(1), "wb") as edges:
        os.dup2(2, 1)
        np.save(
            edges, _edges(np.load(sys.stdin.buffer, allow_pickle=False), neighbour, ENGINES[engine]), allow_pickle=False
        )
