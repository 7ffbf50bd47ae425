"""Fills caches by Ray in a process of its own: on a cluster of two nodes one of which is killed, or on one of its own."""

import atexit
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core.subject import Model, Subject
from testimate.demos.digits import open_digits
from testimate.feature_cache import FeatureCache
from testimate.feature_cache.engines import ENGINES

ROLES = ("ORI", "FL", "LHL", "CON", "logits")


class Unhurried:
    """A model that takes its time, so that there is a middle of a run, and leaves a trace of the process it ran in."""

    def __init__(self, model: Model, trace: Path) -> None:
        self._model, self._trace = model, trace
        self.fingerprint, self.layers, self.roles = model.fingerprint, model.layers, model.roles

    def run(self, batch: NDArray[np.float32], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        with self._trace.open("a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.05)  # so that there is a middle of a run
        return self._model.run(batch, layers)


def opened_unhurried(subject: Subject, trace: Path) -> Unhurried:
    assert subject.open_model is not None
    return Unhurried(subject.open_model(), trace)


def with_a_node_killed(folder: Path) -> None:
    """Two nodes of one processor each; the second is killed once a third of the rows are done."""
    os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    import ray
    from ray.cluster_utils import Cluster

    place = tempfile.mkdtemp(prefix="ray-")  # a short path: Ray's sockets lie in it
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    quiet = {"include_dashboard": False, "num_cpus": 1, "object_store_memory": 80_000_000, "temp_dir": place}
    Path("/tmp/ray").mkdir(exist_ok=True)  # wherever its own files lie, Ray notes the address of a cluster there
    cluster = Cluster(initialize_head=True, head_node_args=quiet)
    second = cluster.add_node(**quiet)
    ray.init(address=cluster.address, log_to_driver=False)
    trace = folder / "trace"
    before: list[str] = []

    def kill(done: int, total: int, what: str = "") -> None:
        if done > total / 3 and not before:
            before.extend(trace.read_text().split())
            cluster.remove_node(second, allow_graceful=False)

    subject = open_digits(folder)
    unhurried = replace(subject, open_model=partial(opened_unhurried, subject, trace))
    FeatureCache(folder / "ray").outputs(unhurried, roles=ROLES, engine=ENGINES["ray"](), progress=kill, batch_size=16)
    here = str(os.getpid())
    last = trace.read_text().split()[-20:]  # a killed node's actor lives on for a moment
    say("processes before", len({*before} - {here}), "and at the end", len({*last}))
    ray.shutdown()
    cluster.shutdown()
    FeatureCache(folder / "local").outputs(subject, roles=ROLES, batch_size=16)


def alone(folder: Path) -> None:
    """A cluster that the engine starts for itself; says the addresses that were listened on meanwhile."""
    before, during = listening(), set()

    def look(done: int, total: int, what: str = "") -> None:
        during.update(listening() - before)

    FeatureCache(folder / "ray").outputs(
        open_digits(folder), roles=("LHL",), engine=ENGINES["ray"](), progress=look, batch_size=64
    )
    say("listened on", *sorted({address for address, _ in during}))


def listening() -> set[tuple[str, str]]:
    """Addresses and ports that this machine listens on, as the kernel writes them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            if state == "0A":
                found.add((address.split(":")[0], address.split(":")[1]))
    return found


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    {"killed": with_a_node_killed, "alone": alone}[sys.argv[1]](Path(sys.argv[2]))
