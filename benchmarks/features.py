"""LeNet-5 over 60,000 MNIST images: through the feature cache, beside Keras alone; and the memory extraction takes."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TESTIMATE_DATA", ROOT.parent / "shared" / "data"))
BATCH, REPEAT, TARGET = 256, 15, 1.3
SAYS = "benchmark says "
SIZES = (5_000, 20_000, 80_000, 160_000)
"""Inputs of the made-up datasets whose extraction is measured for memory."""


@dataclass(frozen=True)
class Took:
    """What one repetition of a loop over the images took.

    ``processor`` : seconds of all its processes and threads. ``wall`` : seconds on the clock. ``accuracy`` : as a witness
    that both sides computed the same.
    """

    processor: float
    wall: float
    accuracy: float


OURS = "Testimate, into the cache"
LOOPS = {
    "call": "Keras alone, model(batch)",
    "predict_on_batch": "Keras alone, model.predict_on_batch(batch)",
    "compiled": "Keras alone, a tf.function of the wanted layers",
}
"""The loops a user would write, the usual ones first and the fastest last."""


def main() -> None:
    """Prints the tables."""
    if not (DATA / "pace" / "LeNet-5.h5").exists():
        print(f"## Features\n\nThe model and images are not at {DATA}; set TESTIMATE_DATA.")
        return
    print(f"## Features of 60,000 images by LeNet-5, batches of {BATCH}\n")
    print(
        "Last hidden layer, logits and probabilities; opening model and data not counted, compiling neither. Testimate's\n"
        "model runs in a process of its own, confined, and what it says is on disk with checksums at the end; Keras alone\n"
        f"keeps it in memory. Medians of {REPEAT} rounds in which every side took its turn; a ratio is the median of those\n"
        f"within a round, at most {TARGET}.\n"
    )
    print("| loop | processor s | wall s | Testimate's processor s over it | its wall s over it | accuracy |")
    print("|---|---:|---:|---:|---:|---:|")
    rounds = _in_turn()
    for loop, name in LOOPS.items():
        ratios = (
            median(getattr(one["ours"], kind) / getattr(one[loop], kind) for one in rounds)
            for kind in ("processor", "wall")
        )
        print(f"{_row(name, [one[loop] for one in rounds])} {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |", end="")
        print(f" {rounds[0][loop].accuracy:.4f} |")
    print(f"{_row(OURS, [one['ours'] for one in rounds])} | | {rounds[0]['ours'].accuracy:.4f} |\n")
    _memory()


def _row(name: str, some: Sequence[Took]) -> str:
    return f"| {name} | {median(took.processor for took in some):.2f} | {median(took.wall for took in some):.2f} |"


def _in_turn() -> list[dict[str, Took]]:
    """What every side took in each round, each in a process of its own that waits for its turn."""
    settings = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    with ExitStack() as opened:
        sides = {side: opened.enter_context(_started("loop", side, settings=settings)) for side in ("ours", *LOOPS)}
        return [{side: Took(**_next(process)) for side, process in sides.items()} for _ in range(REPEAT)]


def _started(*arguments: str, settings: Mapping[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.features", *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env={**os.environ, **settings}, cwd=ROOT, text=True, **pipes)


def _next(process: "subprocess.Popen[str]") -> Any:
    """What the process says when it is its turn."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith(SAYS):
            return json.loads(line.removeprefix(SAYS))
    raise RuntimeError(f"{' '.join(map(str, process.args))} failed")


def _said(*arguments: str) -> Any:
    with _started(*arguments, settings={}) as process:
        return _next(process)


def _bare(how: str) -> Iterator[Took]:
    """Keras alone: batch after batch, the outputs kept."""
    import keras
    import tensorflow as tf

    model = keras.models.load_model(DATA / "pace" / "LeNet-5.h5", compile=False)
    layers = [model.get_layer(name).output for name in ("fc2", "before_softmax", "predictions")]
    parts = keras.Model(model.inputs[0], layers)
    images, digits = _training()

    def call(batch: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return [np.asarray(said) for said in parts(batch, training=False)]

    taken = tf.TensorSpec((None, *images.shape[1:], 1), tf.float32)
    function = tf.function(lambda batch: parts(batch, training=False), input_signature=[taken])

    def compiled(batch: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return [np.asarray(said) for said in function(tf.constant(batch))]

    run: Callable[..., Any] = {"call": call, "predict_on_batch": parts.predict_on_batch, "compiled": compiled}[how]

    def work() -> NDArray[np.float32]:
        kept: list[Any] = []
        for start in range(0, len(images), BATCH):
            kept.append(run((images[start : start + BATCH] / np.float32(255))[..., None]))
        outputs: list[NDArray[np.float32]] = [np.concatenate(said) for said in zip(*kept, strict=True)]
        return outputs[2]

    return _timed(work, digits, time.process_time)


def _ours() -> Iterator[Took]:
    """The same through the cache, again each time."""
    from testimate.datasets.preprocessing import Preprocessing
    from testimate.feature_cache import FeatureCache
    from testimate.models.description import ModelDescription
    from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

    own = open_uploaded_subject(
        SubjectDescription(
            ModelDescription(DATA / "pace" / "LeNet-5.h5"),
            DATA / "mnist" / "mnist.npz",
            split="train",
            preprocessing=Preprocessing(scale=1 / 255),
        )
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

    return _timed(work, _training()[1], processor)


def _timed(
    work: Callable[[], NDArray[np.float32]], digits: NDArray[Any], processor: Callable[[], float]
) -> Iterator[Took]:
    """One repetition after another."""
    work()  # whatever is compiled at the first time
    while True:
        busy, clock = processor(), time.perf_counter()
        probabilities = work()
        took = (processor() - busy, time.perf_counter() - clock)
        yield Took(*took, float((probabilities.argmax(axis=1) == digits).mean()))


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


def _wide(path: Path) -> Path:
    """The file of a model of 25 MB whose hidden layer is 2,048 wide."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes = [helper.make_node("MatMul", ["x", "w"], ["hidden"]), helper.make_node("Slice", ["hidden", *"abc"], ["y"])]
    ends = [helper.make_tensor_value_info(*end) for end in (("x", 1, ["n", 3_072]), ("y", TensorProto.FLOAT, ["n", 2]))]
    weights = {
        "w": np.ones((3_072, 2_048), dtype=np.float32),
        "a": np.array([0]),
        "b": np.array([2]),
        "c": np.array([1]),
    }
    tensors = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    graph = helper.make_graph(nodes, "wide", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def _extraction(path: str, size: int) -> Iterator[int]:
    """Bytes at their peak in this process and the model's together: running the model on one batch; in the extraction."""
    from testimate.core.subject import Subject
    from testimate.feature_cache import FeatureCache
    from testimate.models import open_model_file
    from testimate.models.description import ModelDescription
    from testimate.tasks.classification import Classification

    data: Any = _MadeUp(size)
    model = open_model_file(ModelDescription(Path(path))).model.with_roles({"LHL": "hidden"})
    subject = Subject("made-up", "Made up", Classification(("a", "b")), data, "both", model.fingerprint, lambda: model)
    processes = (os.getpid(), model.process_id)
    with tempfile.TemporaryDirectory() as folder:
        _forget_peaks(processes)
        model.run(data.batch(np.arange(BATCH)), ["hidden"])
        yield sum(_peak(process) for process in processes)
        _forget_peaks(processes)
        FeatureCache(Path(folder)).outputs(subject, roles=("LHL",), batch_size=BATCH)
        yield sum(_peak(process) for process in processes)
    model.close()


def _forget_peaks(processes: Sequence[int | None]) -> None:
    for process in processes:
        Path(f"/proc/{process}/clear_refs").write_text("5")


def _peak(process: int | None) -> int:
    """Bytes of resident memory of a process at their peak since it was forgotten."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1_024


def _memory() -> None:
    """Prints the table of memory."""
    from testimate.feature_cache.filling import LEAST_BATCHES, MOST_RANGES

    print(
        "Peak resident memory of extraction from inputs of 3,072 numbers into a hidden layer of 2,048, this process and the\n"
        "model's together. A chunk is a range of rows that is resumed as a whole, with what is said about it; never more than\n"
        "three batches of it are in memory, so the rest of a long run takes nothing.\n"
    )
    print("| inputs | values on disk | chunk | model, run on one batch | extraction | more |")
    print("|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        model = str(_wide(Path(folder) / "wide.onnx"))
        measured = {size: _said("memory", model, str(size)) for size in SIZES}
    for size, (before, after) in measured.items():
        rows = BATCH * max(LEAST_BATCHES, math.ceil(math.ceil(size / BATCH) / MOST_RANGES))
        chunk, values = rows * (3_072 + 2_048) * 4, size * 2_048 * 4
        cells = (f"{count / 1e6:,.1f} MB" for count in (values, chunk, before, after, after - before))
        print(f"| {size:,} | {' | '.join(cells)} |")


def _child(what: str, *arguments: str) -> None:
    """Says one thing whenever a line comes in."""
    if what == "memory":
        said: Iterator[Any] = iter([list(_extraction(arguments[0], int(arguments[1])))])
    else:
        said = map(vars, _ours() if arguments[0] == "ours" else _bare(arguments[0]))
    for _ in sys.stdin:
        print(f"\n{SAYS}{json.dumps(next(said))}", flush=True)


if __name__ == "__main__":
    _child(*sys.argv[1:])
