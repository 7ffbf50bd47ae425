"""Processor seconds and memory of one side of a comparison, in a process and on a core of its own."""

import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
STATUS = Path("/proc/self/status")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Measured:
    """What one side took.

    Attributes
    ----------
    seconds : of processor time, all threads together; the least of the repetitions.
    megabytes : peak of resident memory above what was held before the work began.
    answer : what the work returned, plain JSON values.
    whole : megabytes of the whole process at that peak, with Python, its libraries and the data: what a machine must have.
    """

    seconds: float
    megabytes: float
    answer: Any
    whole: float


def measured(prepare: Callable[..., Callable[[], Any]], *arguments: str, repeat: int = 1, extra: str = "") -> Measured:
    """Runs ``prepare(*arguments)`` and measures the call it returns, in a fresh process on one core with one thread.

    Parameters
    ----------
    prepare : a function at the top of a module of this folder; reads the data, imports the library, returns the work.
    repeat : how often the work is done.
    extra : a folder of packages to import from, besides.
    """
    environment = {
        **os.environ,
        **ONE_THREAD,
        "PYTHONPATH": os.pathsep.join([str(ROOT), extra]),
        "PYTHONWARNINGS": "ignore",
    }
    name = Path(prepare.__code__.co_filename).stem
    command = [sys.executable, "-m", "benchmarks.measured", name, prepare.__name__, str(repeat), *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}.{prepare.__name__} failed:\n{done.stderr[-2000:]}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def others(requirements: str = "requirements.txt") -> Iterator[str]:
    """A temporary folder holding the packages a benchmark compares with, as a file of this folder lists them."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        wanted = ["--target", folder, "-r", str(ROOT / "benchmarks" / requirements)]
        installed = subprocess.run([*pip, *wanted], check=False, capture_output=True, text=True)
        if installed.returncode:
            raise RuntimeError(installed.stderr[-2_000:])  # what else pip says would be printed into the results
        yield folder


def _run(name: str, function: str, repeat: str, *arguments: str) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    work = getattr(importlib.import_module(f"benchmarks.{name}"), function)(*arguments)
    before, times = _forget_peak(), []
    for _ in range(int(repeat)):
        start = time.process_time()
        answer = work()
        times.append(time.process_time() - start)
    peak = _peak()
    print("\n" + json.dumps({"seconds": min(times), "megabytes": peak - before, "answer": answer, "whole": peak}))


def _forget_peak() -> float:
    """Megabytes of resident memory now; where the system allows it, the peak so far is forgotten (Linux: clear_refs)."""
    if not STATUS.exists():
        return _peak()
    Path("/proc/self/clear_refs").write_text("5")
    return _of_status("VmRSS")


def _peak() -> float:
    """Megabytes of the largest resident memory so far."""
    if STATUS.exists():
        return _of_status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def _of_status(name: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return float(line.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    _run(*sys.argv[1:])
