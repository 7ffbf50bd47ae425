"""Runs the shards on the machines of a Ray cluster: one actor per accelerator, or per machine, each with its own model."""

import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from testimate.core.cores import cores
from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.extras import missing_extra
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Model
from testimate.feature_cache.engines import Work
from testimate.feature_cache.node_proof import Proof, proof_of
from testimate.feature_cache.shards import CacheEntry, Finished, Shard, run_shards
from testimate.feature_cache.storing import storing

POLL_SECONDS = 0.5
"""Seconds between two looks at who is ready, and so until a run that is stopped stops."""

MOST_LOSSES = 8
"""Machines that may be lost without a shard finished in between."""

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Ray reports nothing to anybody, and does not warn of what a later version will do."""

ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""A Ray that is started here listens on 127.0.0.1 alone."""


class RayEngine:
    """Shards on Ray actors that write into the cache's row ranges themselves, and say only the digests.

    The cluster is the one that is connected, else the one RAY_ADDRESS names, else one started on this computer alone,
    which reports nothing to anybody and listens on 127.0.0.1 only. Every machine has to see the project's folder, the model
    and the data under the same paths. A machine that is lost only costs the shards it was at.
    One whose ``Proof`` is not this computer's is left out, and ``tell`` hears its name and how it differs; BadInput where no
    other is left.

    On the CPU every model takes as many threads as one would here: matrix products are cut up by thread, so another
    number of threads may give other last bits. With it, on the same kind of processor, the values are those of a local run.
    """

    def __init__(self, tell: Callable[[str], object] = warnings.warn) -> None:
        self._tell = tell

    def run(self, work: Work, shards: Sequence[Shard], progress: Progress) -> Iterator[Finished]:
        """Each shard once it is on disk; raises what the model or the disk says on any machine."""
        total = len(work.dataset)
        waiting = list(reversed(shards))
        done = total - sum(len(shard.rows) for shard in waiting)
        if not waiting:
            return
        with _connected() as ray:
            layers = tuple(dict.fromkeys(layer for shard in shards for layer in shard.layers.values()))
            crew = _Crew(ray, work, layers, self._tell)
            try:
                while waiting or crew.busy:
                    crew.give(waiting)
                    progress(done, total, "running the model" if crew.works else "waiting for a machine of the cluster")
                    finished = crew.finished(waiting)
                    if finished:
                        done += len(finished.shard.rows)
                        yield finished
            finally:
                crew.dismiss()


class Extractor:
    """What runs on a machine of the cluster: the model, opened there, and the shards it is given."""

    def __init__(self, open_model: Callable[[], Model], dataset: Dataset, entry: CacheEntry, fingerprint: str) -> None:
        self._open, self._dataset, self._entry, self._fingerprint = open_model, dataset, entry, fingerprint

    def ready(self, threads: str, layers: Sequence[str]) -> Proof:
        """Opens the model and proves what this machine is.

        BadInput where it has another model, or does not see the cache's folder.
        """
        os.environ["OMP_NUM_THREADS"] = threads  # before the framework is imported, which reads it once
        if not self._entry.folder.is_dir():
            raise BadInput(
                f"A machine of the cluster does not see the folder {self._entry.folder}; expected a project folder that "
                "all of them share under one path. Put the project on a shared disk, or leave --engine out."
            )
        self._model = self._open()
        if self._model.fingerprint != self._fingerprint:
            raise BadInput(
                "A machine of the cluster has another model under the same path; expected the same file everywhere. Copy "
                "it there, or leave --engine out."
            )
        return proof_of(self._model, self._dataset, layers, self._entry.batch_size)

    def run(self, shard: Shard) -> Mapping[str, str]:
        """Puts a shard on disk, for this machine may be gone before the run ends; the digests of its rows by role."""
        (finished,) = run_shards(self._model, self._dataset, self._entry, [shard], silent)
        with storing(self._entry.folder):
            for role in finished.digests:
                self._entry.files[role].flush()
        return finished.digests


class _Crew:
    """The actors of one run: those that are not ready yet, those that wait for work, and those at a shard."""

    def __init__(self, ray: Any, work: Work, layers: Sequence[str], tell: Callable[[str], object]) -> None:
        self._ray, self._layers, self._tell = ray, layers, tell
        self._here = proof_of(work.model, work.dataset, layers, work.entry.batch_size)
        self._left_out: dict[str, str] = {}  # node -> how it differs
        self._node_of: dict[Any, tuple[str, str]] = {}  # promise of being ready -> node and its name
        self._make = ray.remote(Extractor)
        self._entry = work.entry
        try:
            self._shared = [ray.put(part) for part in (work.open_model, work.dataset)]
        except TypeError as error:
            raise BadInput(
                f"This subject cannot be sent to other machines ({error!s:.200}); expected a model and data that are read "
                "from files. Leave --engine out."
            ) from error
        self._fingerprint = work.model.fingerprint
        self._starting: dict[Any, Any] = {}  # promise of being ready -> actor
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Shard]] = {}  # promise of the digests -> actor and shard
        self._losses = 0
        self.works = False

    def give(self, waiting: list[Shard]) -> None:
        """Has idle actors run the last of the shards that wait, and hires where there is nobody."""
        if not (self._starting or self._idle or self._busy):
            self._hire()
        while waiting and self._idle:
            actor, shard = self._idle.pop(), waiting.pop()
            self._busy[actor.run.remote(shard)] = (actor, shard)

    def finished(self, waiting: list[Shard]) -> Finished | None:
        """A shard that was finished within some moments; one whose machine was lost goes back to those that wait."""
        promises = [*self._busy, *self._starting]
        ready, _ = self._ray.wait(promises, num_returns=1, timeout=POLL_SECONDS)
        for promise in ready:
            starts = promise in self._starting
            actor, shard = (self._starting.pop(promise), None) if starts else self._busy.pop(promise)
            try:
                digests = self._ray.get(promise)
            except self._ray.exceptions.RayTaskError as error:
                told = _told(error)
                if not starts or not isinstance(told, TestimateError | OSError):
                    raise told from None
                self._leave_out(promise, actor, str(told))  # it lacks the model or the data, or has others
                continue
            except self._ray.exceptions.RayError as error:  # the actor, its machine, or the way to it
                self._lost(error)
                waiting += [shard] if shard else []
                continue
            if starts and self._is_left_out(promise, actor, digests):
                continue
            self.works = True
            self._idle.append(actor)
            if shard:
                self._losses = 0
                return Finished(shard, digests)
        return None

    def _is_left_out(self, promise: Any, actor: Any, proof: Proof) -> bool:
        """Whether a machine differs from this one; it is named and let go then."""
        found = self._here.differences(proof)
        if found:
            self._leave_out(
                promise, actor, f"It would not write the same values ({found}). Install there what is here."
            )
        return bool(found)

    def _leave_out(self, promise: Any, actor: Any, why: str) -> None:
        """Lets a machine go and says its name and why."""
        node, name = self._node_of[promise]
        self._ray.kill(actor)
        if node not in self._left_out:
            self._left_out[node] = f"{name}: {why}"
            self._tell(f"The machine {name} of the cluster is left out: {why}")

    def dismiss(self) -> None:
        """Ends every actor; one that is at a shard leaves it unfinished."""
        for actor in [*self._starting.values(), *self._idle, *(actor for actor, _ in self._busy.values())]:
            self._ray.kill(actor)

    @property
    def busy(self) -> bool:
        """Whether some actor is at a shard."""
        return bool(self._busy)

    def _hire(self) -> None:
        """Starts actors on every machine of the cluster that is alive."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        for node in self._ray.nodes():
            if node["NodeID"] in self._left_out:
                continue
            name = str(node.get("NodeManagerHostname") or node.get("NodeManagerAddress") or node["NodeID"])
            processors, accelerators = (int(node["Resources"].get(kind, 0)) for kind in ("CPU", "GPU"))
            count = accelerators or 1
            for _ in range(count if node["Alive"] else 0):
                actor = self._make.options(
                    num_cpus=max(1, processors // count),
                    num_gpus=1 if accelerators else 0,
                    scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
                    max_restarts=0,
                ).remote(*self._shared, self._entry, self._fingerprint)
                promise = actor.ready.remote(_threads(), self._layers)
                self._starting[promise], self._node_of[promise] = actor, (node["NodeID"], name)
        if self._left_out and not self._starting:
            raise BadInput(
                f"No machine of the cluster can be used ({' '.join(self._left_out.values())!s:.500}) Mend one of them, or "
                "leave --engine out."
            )

    def _lost(self, error: Exception) -> None:
        """Counts a machine that was lost; StoreUnavailable where too many go without a shard finished in between."""
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise StoreUnavailable(
                f"The cluster lost {self._losses} machines in a row ({error!s:.300}); expected machines that hold the "
                "model in memory and know Testimate. Use a smaller batch or larger machines, or leave --engine out."
            ) from error


def _threads() -> str:
    """The threads that a model takes on this computer."""
    return os.environ.get("OMP_NUM_THREADS") or str(cores())


def _told(error: Any) -> Exception:
    """What a machine of the cluster raised, as if it had been raised here."""
    cause: Exception = error.cause
    return cause if isinstance(cause, Exception) else RuntimeError(str(error))


@contextmanager
def _connected() -> Iterator[Any]:
    """Ray, connected to the cluster; what was started here is stopped again, and leaves nothing behind."""
    alone = "RAY_ADDRESS" not in os.environ
    for name, value in (QUIET | ALONE if alone else QUIET).items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise missing_extra("ray", "The engine ray", "take the engine local") from None
    if ray.is_initialized():
        yield ray
        return
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        try:
            own: dict[str, Any] = {"address": "local", "include_dashboard": False, "_temp_dir": folder} if alone else {}
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **own)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise BadInput(
                f"The Ray cluster cannot be reached ({error!s:.200}); expected one that runs. Check RAY_ADDRESS, or leave "
                "--engine out."
            ) from error
        try:
            yield ray
        finally:
            ray.shutdown()
