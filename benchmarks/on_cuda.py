"""Clusters and a network on CUDA beside one core of the same machine: `python -m benchmarks on_cuda`.

Where there is no CUDA it prints what RESULTS.md holds of the last machine that had one.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clusters import make_features
from benchmarks.earlier_results import earlier
from benchmarks.measured import ONE_THREAD, ROOT
from testimate.models.confinement import DeviceName

SIZES = ((100_000, 84), (200_000, 84), (200_000, 512))
SHAPELESS = (100_000, 84)
PICTURES = 20_000
HEADING = "## On CUDA"
ONE_CORE = {**ONE_THREAD, "CUDA_VISIBLE_DEVICES": ""}


def main() -> None:
    """Prints the table."""
    import torch

    if not torch.cuda.is_available():
        print(earlier(HEADING))
        return
    print(f"{HEADING}\n")
    print(
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {date.today().isoformat()}. Seconds by the clock,"
    )
    print("one run each; the other side is NumPy, or PyTorch, on another core of the same machine at the same time.\n")
    print("| what | CUDA | one core | ratio | megabytes on the card | same result |\n|---|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size, width in SIZES:
            make_features(folder, size, width)
            row(f"clusters of {size:,} x {width}", clusters, folder)
        size, width = SHAPELESS
        np.save(Path(folder, "space.npy"), np.random.default_rng(0).random((size, width), dtype=np.float32))
        row(f"clusters of {size:,} x {width} without structure", clusters, folder)
        row(f"the last hidden layer of a network for {PICTURES:,} pictures of 32 x 32", layers, folder)
        row("the same of an uploaded file, in its own process with every limit", uploaded_layers, folder)


def row(what: str, work: Callable[[str], dict[str, Any]], folder: str) -> None:
    """Prints one line of the table."""
    with ThreadPoolExecutor(2) as both:  # each has a core of its own
        card, core = both.map(lambda side: in_a_process(work, folder, side), ({}, ONE_CORE))
    same = "yes, to the bit" if card["digest"] == core["digest"] else apart(folder)
    cells = (f"{card['seconds']:.1f}", f"{core['seconds']:.1f}", f"{core['seconds'] / card['seconds']:.1f}")
    held = f"{card['megabytes']:.0f}" if card["megabytes"] else "in its process"
    print(f"| {what} | {' | '.join(cells)} | {held} | {same} |", flush=True)


def apart(folder: str) -> str:
    """How far the two sides' numbers are from each other."""
    card, core = (np.load(Path(folder, f"{side}.npy")) for side in ("card", "core"))
    return f"apart by {np.abs(card - core).max():.1g} at most, of {np.abs(core).max():.2g}"


def in_a_process(work: Callable[[str], dict[str, Any]], folder: str, environment: dict[str, str]) -> dict[str, Any]:
    """What one side took, in a fresh process."""
    code = (
        f"import json; from benchmarks.on_cuda import {work.__name__}; print(json.dumps({work.__name__}({folder!r})))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **ONE_THREAD, **environment},
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    result: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return result


def clusters(folder: str) -> dict[str, Any]:
    """The tree that HDBSCAN with density by 4 neighbors cuts into clusters; the rest takes no time beside it."""
    from testimate.structure.spanning_tree import spanning_tree

    space = np.load(Path(folder, "space.npy"))
    spanning_tree(space[:25_000], 4, threads=1)  # what is loaded the first time is no part of it
    begun = time.perf_counter()
    tree = spanning_tree(space, 4, threads=1)
    return measurement(time.perf_counter() - begun, tree.edges, folder)


def layers(folder: str) -> dict[str, Any]:
    """The last hidden layer of a small convolutional network for random pictures, in batches of 256."""
    from testimate.models.torch_graph import TorchModel

    network, pictures = network_and_pictures()
    return last_layer(TorchModel(network, example=pictures[:2], fingerprint="made up"), pictures, folder)


def uploaded_layers(folder: str) -> dict[str, Any]:
    """The same of that network in a file, which a process of its own opens."""
    import torch

    from testimate.models import open_model_file
    from testimate.models.description import ModelDescription

    network, pictures = network_and_pictures()
    path = Path(folder, f"{side()}.pt")
    torch.save(network, path)
    device: DeviceName = "cuda" if torch.cuda.is_available() else "cpu"  # refused where it does not start
    with closing(
        open_model_file(ModelDescription(path), trust=True, example=pictures[:2], device=device).model
    ) as model:
        return last_layer(model, pictures, folder)


def network_and_pictures() -> tuple[Any, np.ndarray]:
    """A small convolutional network and random pictures, the same in every process."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    convolutions = [
        nn.Sequential(nn.Conv2d(one, other, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        for one, other in ((3, 64), (64, 128), (128, 256))
    ]
    network = nn.Sequential(*convolutions, nn.Flatten(), nn.Linear(4096, 128), nn.ReLU(), nn.Linear(128, 10))
    pictures = np.random.default_rng(0).random((PICTURES, 3, 32, 32), dtype=np.float32)
    return network, pictures


def last_layer(model: Any, pictures: np.ndarray, folder: str) -> dict[str, Any]:
    """The network's last hidden layer for all pictures, in batches of 256."""
    last = model.roles["LHL"]
    model.run(pictures[:256], [last])
    begun = time.perf_counter()
    values = [model.run(pictures[top : top + 256], [last])[last] for top in range(0, PICTURES, 256)]
    return measurement(time.perf_counter() - begun, np.concatenate(values), folder)


def side() -> str:
    """The side that this process is."""
    import torch

    return "card" if torch.cuda.is_available() else "core"


def measurement(seconds: float, result: Any, folder: str) -> dict[str, Any]:
    """What one side took; its result is kept in the folder under the side's name."""
    import torch

    on_card = torch.cuda.is_available()
    np.save(Path(folder, f"{side()}.npy"), result)
    return {
        "seconds": seconds,
        "megabytes": torch.cuda.max_memory_allocated() / 1e6 if on_card else 0.0,
        "digest": hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest(),
    }
