"""Runs the shards on the machines of a Ray cluster: one actor per accelerator, or per machine, each with its own model."""

import pickle
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_array, of_bytes
from testimate.core.progress import OnBlocks, Progress, silent
from testimate.core.subject import Dataset, Model
from testimate.engines.crew import LEAST_PATIENCE, Crew, OnCluster, SaidOnce, Steps, not_sent
from testimate.engines.ray_cluster import Connection, Proof, Ready
from testimate.feature_cache.filling import Work, where_it_ran
from testimate.feature_cache.shards import (
    DEVICE,
    CacheEntry,
    Finished,
    SentBatch,
    Shard,
    device_of,
    run_shards,
    shard_in_steps,
    storing,
)

VALUES = "the values for the first inputs"

MOST_SENT = 64_000_000
"""Bytes of a dataset that is in this computer's memory, up to which it is sent to every machine as a whole."""

DATA, FOLDER, BOTH = "data", "folder", "data and folder"
"""What a machine may lack."""

LACKING = {
    DATA: "does not see the data. Its inputs are sent to it batch by batch, one at a time, and what the model says about them "
    "comes back and is written here.",
    FOLDER: "does not see the project's folder. What the model says there comes back batch by batch, one at a time, and is "
    "written here.",
}
LACKING[BOTH] = LACKING[DATA].replace("the data", "the data and the project's folder", 1)


class RayEngine:
    """Shards on Ray actors that write into the cache's row ranges themselves, and say only the digests.

    Every machine has to see the model. One that sees the project's folder and the data, under the same paths, works alone; to
    another the inputs are sent batch by batch, and this computer writes what comes back, so that no more than a batch for each
    machine is in memory. A machine that is lost only costs the shards it was at. One whose ``Proof`` is not this computer's,
    that cannot write, or that falls silent, is left out. ``tell`` hears the name and why; BadInput where nobody is left.

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
        self._connection = Connection()
        self.blocks: OnBlocks | None = OnCluster(self._tell, connection=self._connection, least_patience=least_patience)

    def kept_ready(self) -> AbstractContextManager[None]:
        """Machines that have worked stay ready for the next run."""
        return self._connection.kept()

    def run(self, work: Work, shards: Sequence[Shard], progress: Progress) -> Iterator[Finished]:
        """Each shard once it is on disk; raises what the model or the disk says on any machine."""
        total = len(work.dataset)
        done = total - sum(len(shard.rows) for shard in shards)
        if not shards:
            return
        layers = tuple(dict.fromkeys(layer for shard in shards for layer in shard.layers.values()))
        first = work.dataset.batch(np.arange(min(work.entry.batch_size, total)))
        here = proof_of(work.model, first, layers)

        def look(what: str) -> None:
            progress(done, total, what or "running the model")

        with self._connection.opened() as ray, _mark(work.entry.folder) as mark:
            data = _pickled(ray, work.dataset)
            seen = InThisView(work.open_model, ray.put(first), None if data is None else ray.put(data), mark)
            extractor = Extractor(seen, work.entry, work.model.fingerprint, layers)
            steps = BatchSteps(work.dataset, work.entry)
            crew = Crew(ray, extractor, here, self._tell, in_steps=steps, least_patience=self._least_patience)
            self.where = crew.where
            for one in crew.run(shards, look):
                done += len(shards[one.place].rows)
                yield Finished(shards[one.place], one.answer, one.machine)


@contextmanager
def _mark(folder: Path) -> Iterator[Path]:
    """A file in the folder by which a machine knows that it sees this folder, not one of its own under the same path."""
    mark = folder / f"{secrets.token_hex(8)}.part"
    with storing(folder):
        mark.touch()
    try:
        yield mark
    finally:
        with storing(folder):
            mark.unlink(missing_ok=True)


def _pickled(ray: Any, dataset: Dataset) -> bytes | None:
    """The dataset as it is sent, its files by their paths; None where it holds more than ``MOST_SENT`` in memory.

    BadInput where it cannot be sent at all.
    """
    kept = _Limited(MOST_SENT)
    try:
        ray.cloudpickle.Pickler(kept).dump(dataset)
    except _TooMuch:
        return None
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise not_sent(error) from error
    return b"".join(kept.pieces)


class _TooMuch(Exception):
    """More was written than there is room for."""


class _Limited:
    """A file in memory of a limited number of bytes."""

    def __init__(self, most: int) -> None:
        self._left = most
        self.pieces: list[bytes] = []

    def write(self, piece: Any) -> int:
        """Keeps the piece; _TooMuch where there is no room for it."""
        size = memoryview(piece).nbytes
        self._left -= size
        if self._left < 0:
            raise _TooMuch
        self.pieces.append(bytes(piece))
        return size


@dataclass(frozen=True)
class BatchSteps:
    """The steps of a shard for a machine that lacks the data or the folder; see ``crew.InSteps``."""

    dataset: Dataset
    entry: CacheEntry

    def of(self, piece: Shard, lacks: str) -> Steps:
        """Its batches."""
        return shard_in_steps(self.dataset, self.entry, piece, inputs=lacks != FOLDER)

    def words(self, lacks: str) -> str:
        """What is sent."""
        return LACKING[lacks]


@dataclass(frozen=True)
class InThisView:
    """What a machine may see or not.

    ``open_model`` : how the model is opened there. ``first`` : a reference to the first inputs. ``data`` : one to the dataset;
    None where it is in the memory of the computer that started the run, and too large to send. ``mark`` : a file in the folder.
    """

    open_model: Callable[[], Model]
    first: Any
    data: Any
    mark: Path

    def dataset(self, ray: Any) -> Dataset | None:
        """The dataset as this machine sees it; None where it does not. SubjectChanged where it sees another one."""
        if self.data is None:
            return None
        try:
            found: Dataset = pickle.loads(ray.get(self.data))
            found.batch(np.arange(1))
        except Exception as error:
            if _is_missing(error):
                return None
            raise
        return found


def _is_missing(error: BaseException | None) -> bool:
    """Whether an error says that a file is not there, rather than that it is another one."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


@dataclass
class Extractor:
    """What is sent to a machine of the cluster: what it needs to see, and where the values go."""

    view: InThisView
    entry: CacheEntry
    fingerprint: str
    layers: Sequence[str]
    _model: list[Model] = field(default_factory=list)  # opened on the machine
    _dataset: list[Dataset] = field(default_factory=list)  # opened on the machine, where it sees it

    def ready(self) -> Ready:
        """Opens the model and the data, and proves what the model says about the first inputs.

        BadInput where the machine has another model.
        """
        import ray

        model = self.view.open_model()
        if model.fingerprint != self.fingerprint:
            raise BadInput(
                "A machine of the cluster has another model under the same path. Expected the same file everywhere. Copy "
                "it there, or leave --engine out."
            )
        self._model.append(model)
        dataset = self.view.dataset(ray)
        if dataset is None:
            first = ray.get(self.view.first)
        else:
            self._dataset.append(dataset)
            first = dataset.batch(np.arange(min(self.entry.batch_size, len(dataset))))
        blind = not self.view.mark.is_file()
        lacks = (BOTH if blind else DATA) if dataset is None else FOLDER if blind else ""
        return Ready(proof_of(model, first, self.layers), where_it_ran(model), lacks)

    def run(self, piece: Shard | SentBatch) -> Mapping[str, Any]:
        """Puts a shard on disk, for this machine may be gone before the run ends: the digests of its rows by role; or what the
        layers say about a batch, by their names."""
        if isinstance(piece, SentBatch):
            rows = np.arange(piece.rows.start, piece.rows.stop)
            inputs = self._dataset[0].batch(rows) if piece.inputs is None else piece.inputs
            return {name: np.asarray(said) for name, said in self._model[0].run(inputs, list(piece.layers)).items()}
        (finished,) = run_shards(self._model[0], self._dataset[0], self.entry, [piece], silent)
        with storing(self.entry.folder):
            for role in finished.digests:
                self.entry.files[role].flush()
        return finished.digests


def proof_of(model: Model, first: NDArray[Any], layers: Sequence[str]) -> Proof:
    """The device, and what the model says about the first batch of the data, run in the size in which it will be run.

    ``layers`` : those that are asked for. Raises what the model raises.
    """
    said = model.run(first, list(layers))
    values = of_bytes(*(of_array(np.asarray(said[layer], dtype=np.float32)).encode() for layer in layers))
    return Proof({DEVICE: device_of(model), VALUES: values[:12]})
