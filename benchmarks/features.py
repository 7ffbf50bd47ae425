"""LeNet-5 over 60,000 MNIST images: through the feature cache, beside Keras alone; and the memory extraction takes."""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))
BATCH, REPEAT, TARGET = 256, 3, 1.3
SIZES = (5_000, 20_000, 80_000)
"""Inputs of the made-up datasets whose extraction is measured for memory."""


@dataclass(frozen=True)
class Took:
    """What a loop over the images took, the least of the repetitions.

    ``processor`` : seconds of all its processes and threads. ``wall`` : seconds on the clock. ``accuracy`` : as a witness
    that both sides computed the same.
    """

    processor: float
    wall: float
    accuracy: float


def main() -> None:
    """Prints the tables."""
    if not (DATA / "pace" / "LeNet-5.h5").exists():
        print(f"## Features\n\nThe model and images are not at {DATA}; set TESTIMATE_DATA.")
        return
    print(f"## Features of 60,000 images by LeNet-5, batches of {BATCH}\n")
    print(
        "Last hidden layer, logits and probabilities; opening model and data not counted. Testimate's model runs in a"
    )
    print(
        "process of its own, and what it says is on disk with checksums at the end; Keras alone keeps it in memory.\n"
    )
    print(
        f"| loop | processor s | wall s | Testimate's wall over it (target {TARGET}) | over its processor s | accuracy |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    ours = _run("ours")
    sides = {
        "Keras alone, model(batch)": _run("bare", "call"),
        "Keras alone, predict_on_batch": _run("bare", "predict_on_batch"),
        "Keras alone, predict_on_batch, set like Testimate's process": _run("bare", "predict_on_batch", "alike"),
    }
    for name, bare in sides.items():
        ratios = f"{ours.wall / bare.wall:.2f} | {ours.processor / bare.processor:.2f}"
        print(f"| {name} | {bare.processor:.2f} | {bare.wall:.2f} | {ratios} | {bare.accuracy:.4f} |")
    print(f"| Testimate, into the cache | {ours.processor:.2f} | {ours.wall:.2f} | | | {ours.accuracy:.4f} |\n")
    _memory()


def _run(side: str, *arguments: str) -> Took:
    """One side in a process of its own."""
    settings = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    if "alike" in arguments:
        from testimate.subjects.models.worker_process import SETTINGS

        settings |= SETTINGS
    return Took(**_said(side, *arguments, settings=settings))


def _said(*arguments: str, settings: Mapping[str, str]) -> Any:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.features", *arguments]
    done = subprocess.run(
        command, env={**os.environ, **settings}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _bare(how: str) -> Took:
    """Keras alone: batch after batch, the outputs kept."""
    import keras

    model = keras.models.load_model(DATA / "pace" / "LeNet-5.h5", compile=False)
    layers = [model.get_layer(name).output for name in ("fc2", "before_softmax", "predictions")]
    parts = keras.Model(model.inputs[0], layers)
    images, digits = _training()

    def call(batch: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return [np.asarray(said) for said in parts(batch, training=False)]

    run: Callable[..., Any] = {"call": call, "predict_on_batch": parts.predict_on_batch}[how]

    def work() -> NDArray[np.float32]:
        kept: list[Any] = []
        for start in range(0, len(images), BATCH):
            kept.append(run((images[start : start + BATCH] / np.float32(255))[..., None]))
        outputs: list[NDArray[np.float32]] = [np.concatenate(said) for said in zip(*kept, strict=True)]
        return outputs[2]

    return _best(work, digits, time.process_time)


def _ours() -> Took:
    """The same through the cache, anew each time."""
    from testimate.feature_cache import FeatureCache
    from testimate.subjects.datasets.preprocessing import Preprocessing
    from testimate.subjects.own_subject import open_own_subject

    own = open_own_subject(
        DATA / "pace" / "LeNet-5.h5",
        DATA / "mnist" / "mnist.npz",
        split="train",
        preprocessing=Preprocessing(scale=1 / 255),
    )
    assert own.subject.open_model is not None
    model: Any = own.subject.open_model()
    ticks = os.sysconf("SC_CLK_TCK")

    def processor() -> float:
        worker = Path(f"/proc/{model.process_id}/stat").read_text().rsplit(")", 1)[1].split()
        return time.process_time() + (int(worker[11]) + int(worker[12])) / ticks

    def work() -> NDArray[np.float32]:
        with tempfile.TemporaryDirectory() as folder:
            roles = ("LHL", "logits", "CON")
            return np.array(FeatureCache(Path(folder)).outputs(own.subject, roles=roles, batch_size=BATCH)["CON"])

    return _best(work, _training()[1], processor)


def _best(work: Callable[[], NDArray[np.float32]], digits: NDArray[Any], processor: Callable[[], float]) -> Took:
    work()  # whatever is compiled at the first time
    took = []
    for _ in range(REPEAT):
        busy, clock = processor(), time.perf_counter()
        probabilities = work()
        took.append((processor() - busy, time.perf_counter() - clock))
    accuracy = float((probabilities.argmax(axis=1) == digits).mean())
    return Took(min(part[0] for part in took), min(part[1] for part in took), accuracy)


def _training() -> tuple[NDArray[np.uint8], NDArray[Any]]:
    with np.load(DATA / "mnist" / "mnist.npz") as data:
        return data["x_train"], data["y_train"]


class _MadeUp:
    """Rows of 3,072 numbers that are made when they are asked for, so that no dataset is in memory."""

    modality = "tabular"

    def __init__(self, size: int) -> None:
        self._size, self.fingerprint = size, f"made up {size}"

    def __len__(self) -> int:
        return self._size

    def batch(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.repeat((rows[:, None] % 251).astype(np.float32), 3_072, axis=1)


class _Wide:
    """A model of 20 MB whose hidden layer is 2,048 wide."""

    fingerprint, layers, roles = "wide", ("hidden",), {"LHL": "hidden"}  # never changed

    def __init__(self) -> None:
        self._weights = np.ones((3_072, 2_048), dtype=np.float32)

    def run(self, batch: NDArray[np.float32], layers: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        return dict.fromkeys(layers, batch @ self._weights)


def _extraction(size: int) -> Iterator[int]:
    """Bytes of resident memory at their peak: with the model alone, run once; and after the extraction."""
    from testimate.core.subject import Subject
    from testimate.core.task import Classification
    from testimate.feature_cache import FeatureCache

    model: Any = _Wide()
    data: Any = _MadeUp(size)
    subject = Subject("made-up", "Made up", Classification(("a",)), data, "both", "wide", lambda: model)
    model.run(data.batch(np.arange(BATCH)), model.layers)
    yield _peak()
    with tempfile.TemporaryDirectory() as folder:
        FeatureCache(Path(folder)).outputs(subject, roles=("LHL",), batch_size=BATCH)
        yield _peak()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024


def _memory() -> None:
    """Prints the table of memory."""
    from testimate.feature_cache.filling import MOST_RANGES

    print(
        "Peak resident memory of extraction from inputs of 3,072 numbers into a hidden layer of 2,048. A chunk is a range"
    )
    print(
        "of rows that is resumed as a whole, with what is said of it; never more than three batches of it are in memory.\n"
    )
    print("| inputs | values on disk | chunk | model and one batch | extraction | more |")
    print("|---:|---:|---:|---:|---:|---:|")
    for size in SIZES:
        before, after = _said("memory", str(size), settings={})
        rows = BATCH * math.ceil(math.ceil(size / BATCH) / MOST_RANGES)
        chunk, values = rows * (3_072 + 2_048) * 4, size * 2_048 * 4
        told = (f"{count / 1e6:,.1f} MB" for count in (values, chunk, before, after, after - before))
        print(f"| {size:,} | {' | '.join(told)} |")


def _child(side: str, *arguments: str) -> Any:
    if side == "memory":
        return list(_extraction(int(arguments[0])))
    return vars(_ours() if side == "ours" else _bare(arguments[0]))


if __name__ == "__main__":
    print("\n" + json.dumps(_child(*sys.argv[1:])))
