"""DSA and LSA on a Ray cluster of two machines beside one: a head that only leads, and machines of one core each.

`python -m benchmarks two_nodes` needs Ray and two cores that nobody else uses; about three minutes.
"""

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sampled_references import drawn
from testimate.auxiliary.surprise import dsa, lsa
from testimate.core.progress import silent
from testimate.engines.crew import OnCluster
from tests.engines.nodes import Nodes

INPUTS, REFERENCES, WIDTH, CLASSES = 100_000, 60_000, 84, 10
RUNS, TARGET = 3, 1.6
SCORES: dict[str, Callable[..., NDArray[np.float64]]] = {"dsa": dsa, "lsa": lsa}

PLAIN, STORE = {"RAY_worker_niceness": "0"}, 500_000_000
"""Ray lets its work give way to all else on a machine, which would measure that; and the bytes of an object store."""


def main() -> None:
    """Prints the table."""
    print("## Two machines beside one\n")
    print(
        f"{INPUTS:,} inputs against {REFERENCES:,} references of {WIDTH} features, on machines of one core and one thread "
        f"each, at work before, as after a model's run. Wall seconds, medians of {RUNS} runs with one machine, then with two; "
        "the processor seconds that follow one another, here and on the machine with most to do, which other work on the "
        "computer does not change; and those of the same on this computer alone.\n"
    )
    print(
        "| score | alone, processor s | one, s | two, s | ratio | one, processor s | two, processor s | ratio "
        f"(target {TARGET}) | same bytes |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as name:
        nodes = Nodes(Path(name))
        try:
            nodes.start("head", cpus=0, more=PLAIN, store=STORE)
            found = []
            for number in range(2):
                nodes.start(f"machine {number}", more=PLAIN, store=STORE)
                there = {**nodes.environment(), "RAY_ADDRESS": nodes.address}
                found.append([run("there", there) for _ in range(RUNS)])
            here = run("here", {})
        finally:
            nodes.close()
    for score in SCORES:
        one, two = (statistics.median(each[score]["wall"] for each in runs) for runs in found)
        busy = [statistics.median(longest(each[score]) for each in runs) for runs in found]
        digests = {here[score]["digest"], *(each[score]["digest"] for runs in found for each in runs)}
        print(
            f"| {score} | {here[score]['processor']:.1f} | {one:.1f} | {two:.1f} | {one / two:.2f} | {busy[0]:.1f} | "
            f"{busy[1]:.1f} | {busy[0] / busy[1]:.2f} | {'yes' if len(digests) == 1 else 'no'} |"
        )


def longest(said: dict[str, Any]) -> float:
    """Processor seconds that follow one another: those here, and those of the machine that had most to do."""
    return float(said["processor"] + max(said["machines"]))


def run(where: str, environment: dict[str, str]) -> dict[str, Any]:
    """Both scores in a process of its own, which is connected before the clock starts."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", "benchmarks.two_nodes", where]
    done = subprocess.run(
        command, env={**os.environ, **environment, **one}, stdout=subprocess.PIPE, text=True, check=True
    )
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def actors() -> dict[int, float]:
    """Processor seconds of those who work for the cluster's machines, by process; all of them are on this computer."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                if (entry / "cmdline").read_bytes().startswith(b"ray::Host"):
                    ticks = (entry / "stat").read_text().rpartition(")")[2].split()[11:13]
                    found[int(entry.name)] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return found


def work(where: str) -> None:
    """Says what each score took, and a digest of it."""
    rng = np.random.default_rng(29)
    centers = rng.normal(size=(CLASSES, WIDTH))
    training, _, learned = drawn(rng, centers, REFERENCES)
    known, _, predicted = drawn(rng, centers, INPUTS)
    said = {}
    cluster = OnCluster() if where == "there" else None
    with nullcontext() if cluster is None else cluster.connection.kept():
        if cluster is not None:
            list(
                cluster(abs, [1], silent, "")
            )  # connects, and starts the machines' part, as the model's run has before
        for name, score in SCORES.items():
            given = {} if cluster is None else {"on_blocks": cluster}
            begun, before, had = time.perf_counter(), time.process_time(), actors()
            values = score(known, predicted, training, learned, **given)
            said[name] = {
                "wall": time.perf_counter() - begun,
                "processor": time.process_time() - before,
                "machines": [seconds - had.get(process, 0.0) for process, seconds in actors().items()],
                "digest": hashlib.sha256(values.tobytes()).hexdigest(),
            }
    print(json.dumps(said))


if __name__ == "__main__":
    if sys.argv[1:]:
        work(sys.argv[1])
    else:
        main()
