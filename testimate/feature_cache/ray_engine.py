"""Runs the shards on the machines of a Ray cluster: one actor per accelerator, or per machine, each with its own model."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from testimate.core.blocks import OnBlocks
from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_array, of_bytes
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Model
from testimate.engines.crew import LEAST_PATIENCE, Crew, SaidOnce
from testimate.engines.on_cluster import OnCluster
from testimate.engines.proof import Proof, Ready
from testimate.engines.ray_cluster import connected
from testimate.feature_cache.device_words import where_it_ran
from testimate.feature_cache.engines import Work
from testimate.feature_cache.shards import CacheEntry, Finished, Shard, run_shards
from testimate.feature_cache.storing import storing
from testimate.feature_cache.writers import DEVICE, device_of

VALUES = "the values for the first inputs"


class RayEngine:
    """Shards on Ray actors that write into the cache's row ranges themselves, and say only the digests.

    Every machine has to see the project's folder, the model and the data under the same paths. A machine that is lost only
    costs the shards it was at. One whose ``Proof`` is not this computer's, that cannot write, or that falls silent, is left
    out, and ``tell`` hears its name and why; BadInput where no other is left.

    On the CPU every model takes as many threads as one would here: matrix products are cut up by thread, so another
    number of threads may give other last bits. With it, on the same kind of processor, the values are those of a local run.

    Attributes
    ----------
    where : of the last run, by the name of a machine, on what device the model ran there and behind which walls.
    """

    def __init__(
        self, tell: Callable[[str], object] = warnings.warn, *, least_patience: float = LEAST_PATIENCE
    ) -> None:
        self._tell, self._least_patience = SaidOnce(tell), least_patience
        self.where: Mapping[str, str] = {}
        self.blocks: OnBlocks | None = OnCluster(self._tell, least_patience=least_patience)

    def run(self, work: Work, shards: Sequence[Shard], progress: Progress) -> Iterator[Finished]:
        """Each shard once it is on disk; raises what the model or the disk says on any machine."""
        total = len(work.dataset)
        done = total - sum(len(shard.rows) for shard in shards)
        if not shards:
            return
        layers = tuple(dict.fromkeys(layer for shard in shards for layer in shard.layers.values()))
        here = proof_of(work.model, work.dataset, layers, work.entry.batch_size)
        extractor = Extractor(work.open_model, work.dataset, work.entry, work.model.fingerprint, layers)

        def look(what: str) -> None:
            progress(done, total, what or "running the model")

        with connected() as ray:
            crew = Crew(ray, extractor, here, self._tell, least_patience=self._least_patience)
            self.where = crew.where
            for one in crew.run(shards, look):
                done += len(shards[one.place].rows)
                yield Finished(shards[one.place], one.answer, one.machine)


@dataclass
class Extractor:
    """What is sent to a machine of the cluster: how the model is opened there, the data, and where the values go."""

    open_model: Callable[[], Model]
    dataset: Dataset
    entry: CacheEntry
    fingerprint: str
    layers: Sequence[str]
    _model: list[Model] = field(default_factory=list)  # opened on the machine

    def ready(self) -> Ready:
        """Opens the model and proves what it says about the first inputs.

        BadInput where the machine has another model, or does not see the cache's folder.
        """
        if not self.entry.folder.is_dir():
            raise BadInput(
                f"A machine of the cluster does not see the folder {self.entry.folder}; expected a project folder that "
                "all of them share under one path. Put the project on a shared disk, or leave --engine out."
            )
        model = self.open_model()
        if model.fingerprint != self.fingerprint:
            raise BadInput(
                "A machine of the cluster has another model under the same path; expected the same file everywhere. Copy "
                "it there, or leave --engine out."
            )
        self._model.append(model)
        return Ready(proof_of(model, self.dataset, self.layers, self.entry.batch_size), where_it_ran(model))

    def run(self, shard: Shard) -> Mapping[str, str]:
        """Puts a shard on disk, for this machine may be gone before the run ends; the digests of its rows by role."""
        (finished,) = run_shards(self._model[0], self.dataset, self.entry, [shard], silent)
        with storing(self.entry.folder):
            for role in finished.digests:
                self.entry.files[role].flush()
        return finished.digests


def proof_of(model: Model, dataset: Dataset, layers: Sequence[str], batch_size: int) -> Proof:
    """The device, and what the model says about the first batch of the data, run in the size in which it will be run.

    ``layers`` : those that are asked for. Raises what the model or the data raise.
    """
    rows = np.arange(min(batch_size, len(dataset)))
    said = model.run(dataset.batch(rows), list(layers))
    values = of_bytes(*(of_array(np.asarray(said[layer], dtype=np.float32)).encode() for layer in layers))
    return Proof({DEVICE: device_of(model), VALUES: values[:12]})
