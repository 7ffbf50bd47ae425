"""Record every case for one checkout: ``python -m equality.record --tree FOLDER --out FOLDER``.

Each case runs in a process forked from one that has the imports behind it, so that none depends on another.
"""

import argparse
import fnmatch
import importlib
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LONGEST = 300
"""Seconds after which a case is ended, on a machine that does other things as well."""

SETTINGS = {
    "COLUMNS": "120",
    "NO_COLOR": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TZ": "UTC",
}


def main() -> int:
    """Record; return how many cases did not come to their end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to record")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the recordings")
    parser.add_argument("--work", type=Path, default=ROOT / ".equal" / "work", help="where cases may write")
    parser.add_argument("--only", default="*", help="a pattern of the names of cases")
    parser.add_argument("--screens", action="store_true", help="the screens, instead of the others")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    chosen = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **SETTINGS})
    tree = chosen.tree.resolve()
    import_from(tree)
    catalog = importlib.import_module("equality.screens" if chosen.screens else "equality.catalog")
    names = [name for name in catalog.CASES if fnmatch.fnmatchcase(name, chosen.only)]
    work = chosen.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    return record(names, catalog.CASES, tree, chosen.out.resolve(), work, chosen.processes)


def import_from(tree: Path) -> None:
    """Import Testimate from the checkout, here and in the processes that it starts, and what its commands need."""
    sys.path[:] = [str(tree), *(place for place in sys.path if place and Path(place).resolve() not in (ROOT, tree))]
    os.environ["PYTHONPATH"] = str(tree)
    os.environ.pop("TESTIMATE_PROJECT", None)
    testimate: Any = importlib.import_module("testimate")
    assert Path(testimate.__file__).is_relative_to(tree), testimate.__file__
    for name in testimate.__all__:
        getattr(testimate, name)
    from equality.case import command_of, said_by

    for verb in ("select", "estimate", "study", "features", "sessions", "rank", "clusters", "project"):
        said_by(command_of(tree), [verb, "--help"])


def record(
    names: list[str], cases: dict[str, Callable[..., None]], tree: Path, out: Path, work: Path, processes: int
) -> int:
    """Run the cases side by side; return how many did not come to their end."""
    running: dict[str, tuple[BaseProcess, float]] = {}
    failed = 0
    waiting: Iterator[str] = iter(names)
    fork = multiprocessing.get_context("fork")
    while True:
        while len(running) < processes and (name := next(waiting, None)) is not None:
            process: BaseProcess = fork.Process(target=run_case, args=(name, cases[name], tree, out, work))
            process.start()
            running[name] = (process, time.monotonic())
        if not running:
            return failed
        wait([process.sentinel for process, _ in running.values()], timeout=5)
        for name, (process, begun) in list(running.items()):
            if process.is_alive() and time.monotonic() - begun > LONGEST:
                process.kill()
                process.join()
            if not process.is_alive():
                del running[name]
                if process.exitcode:
                    failed += 1
                    print(f"{name} ended with {process.exitcode}.", flush=True)
                elif (seconds := time.monotonic() - begun) > 15:
                    print(f"{name} took {seconds:.0f} s.", flush=True)


def run_case(name: str, function: Callable[..., None], tree: Path, out: Path, work: Path) -> None:
    """Run one case in its own folder and write its recording."""
    from equality.case import Case

    folder = work / name.replace("/", "_")
    folder.mkdir(parents=True)
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder) + ".temporary"
    Path(tempfile.tempdir).mkdir()
    case = Case(folder, tree, data_folder())
    case.recording.hide(tempfile.tempdir, "<temporary>")
    function(case)
    case.recording.write(out / f"{name}.json")
    os.chdir(work)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(tempfile.tempdir, ignore_errors=True)


def data_folder() -> Path:
    """Return the folder of other people's data: beside this checkout, or beside the one that its worktree belongs to."""
    if named := os.environ.get("TESTIMATE_DATA"):
        return Path(named).resolve()
    command = ["git", "-C", str(ROOT), "rev-parse", "--path-format=absolute", "--git-common-dir"]
    main = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    places = [ROOT.parent, *([Path(main).parents[1]] if main else [])]
    return next(
        (place / "shared" / "data" for place in places if (place / "shared" / "data").is_dir()), Path("missing")
    )


if __name__ == "__main__":
    sys.exit(min(main(), 1))
