"""Fills a cache in a process of its own, so that a test can kill it; also the stand-in model of all cache tests."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core.plug_ins import optional_module
from testimate.core.subject import Modality, Shown, Subject
from testimate.feature_cache import FeatureCache
from testimate.tasks.classification import Classification

INPUTS = np.random.default_rng(0).normal(size=(1_000, 6)).astype(np.float32)
KERNEL = np.random.default_rng(1).normal(size=(6, 9)).astype(np.float32)


class Rows:
    """A thousand rows of six numbers."""

    modality: Modality = "tabular"
    fingerprint = "rows"

    def __len__(self) -> int:
        return len(INPUTS)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return INPUTS[rows]

    def show(self, row: int) -> Shown:
        return Shown(modality="tabular", cells=(("row", str(row)),))


class Layers:
    """A model of three layers that counts the rows it is run on and may take its time."""

    fingerprint = "layers"
    layers = ("in", "dense", "out")

    def __init__(self, roles: Mapping[str, str] | None = None, seconds: float = 0.0) -> None:
        self.roles = roles or {"ORI": "in", "FL": "dense", "LHL": "dense", "CON": "out"}
        self.seconds = seconds
        self.rows_run = 0
        self.asked: set[str] = set()

    def run(self, batch: NDArray[np.float32], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        self.rows_run += len(batch)
        self.asked |= set(layers)
        time.sleep(self.seconds)  # long enough to be killed or canceled meanwhile
        said = expected(batch)
        return {layer: said[layer] for layer in layers}


def expected(inputs: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """What the layers say, one row at a time, so that batches cannot matter."""
    dense = np.maximum((inputs[:, :, None] * KERNEL).sum(axis=1), 0)
    return {"in": inputs, "dense": dense, "out": dense[:, :2] / (1 + dense[:, :2])}


def subject_of(open_model: Callable[[], Layers]) -> Subject:
    return Subject(
        key="rows",
        name="Rows",
        task=Classification(classes=("a", "b")),
        dataset=Rows(),
        fingerprint="both",
        model_fingerprint="layers",
        open_model=open_model,
    )


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Arguments: folder, seconds per batch, most bytes of a file (0: as many as there is room for)."""
    folder, seconds, most = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    if most:
        resource = optional_module("resource")
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    def tell(done: int, total: int, what: str = "") -> None:
        say(f"row {done}")

    model = Layers(seconds=seconds)
    roles = ("ORI", "FL", "LHL", "CON")
    FeatureCache(folder).outputs(subject_of(lambda: model), roles=roles, progress=tell, batch_size=20)
    say(f"rows run {model.rows_run}")


if __name__ == "__main__":
    main()
