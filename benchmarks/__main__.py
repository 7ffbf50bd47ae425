"""Runs every benchmark of this folder and writes RESULTS.md: `python -m benchmarks`, or some by name.

A benchmark is a module with a function ``main()`` that prints a section of Markdown; each runs in a process of its own. Those
that count processor seconds run two at a time, each on a core of its own; those that look at the clock run alone.
"""

import os
import platform
import queue
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.claims import claims
from testimate.core.words import counted

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent

IN_PROCESSOR_SECONDS = (
    "growth",
    "neighbor_maps",
    "forecasts",
    "large_tables",
    "feature_stores",
    "surprise",
    "network_references",
    "sampled_prototypes",
    "sampled_references",
    "comparison",
    "prototypes",
    "prioritizers",
    "billion",
    "cross_entropy",
    "slices",
)
"""What runs two at a time, the longest first. The endurance of labels runs beside them: most of it is waiting."""
BESIDE = "endurance"

RUN = """
import importlib, os, sys
name, core = sys.argv[1:]
if core and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {int(core)})
importlib.import_module(f"benchmarks.{name}").main()
"""


def main(names: list[str]) -> int:
    """Runs the named benchmarks, or all, and writes their sections; others keep the section they had.

    One that fails is named in the end, and the rest runs all the same. Returns how many failed.
    """
    known = sorted(path.stem for path in FOLDER.glob("[!_]*.py") if "\ndef main(" in path.read_text(encoding="utf-8"))
    wanted, begun = names or known, time.monotonic()
    kept, failed = sections_of_results(), []

    def keep(name: str, section: str | None) -> None:
        if section is None:
            failed.append(name)
            return
        kept[name] = section
        opening = (
            f"# Benchmarks\n\n`make bench` writes this file. What each section shows, beside what:\n\n{claims(kept)}"
        )
        parts = [opening, *(kept[one] for one in known if one in kept)]
        (FOLDER / "RESULTS.md").write_text("\n\n".join(parts) + "\n")

    together = [name for name in IN_PROCESSOR_SECONDS if name in wanted]
    free: queue.SimpleQueue[str] = queue.SimpleQueue()
    for core in _cores()[:2] or ("",):
        free.put(core)

    def on_a_core(name: str) -> str | None:
        core = free.get()
        try:
            return _section(name, core)
        finally:
            free.put(core)

    with ThreadPoolExecutor(1) as waiting, ThreadPoolExecutor(free.qsize()) as two:
        beside = [waiting.submit(_section, BESIDE)] if BESIDE in wanted else []
        for name, section in zip(together, two.map(on_a_core, together), strict=True):
            keep(name, section)
        for job in beside:
            keep(BESIDE, job.result())
    for name in wanted:
        if name not in (*together, BESIDE):
            keep(name, _section(name))
    print(
        f"{counted(len(wanted), 'benchmark')} in {_minutes(begun)}; failed: {', '.join(failed) or 'none'}.",
        file=sys.stderr,
    )
    return len(failed)


def _section(name: str, core: str = "") -> str | None:
    """What a benchmark prints, in a process of its own and on one core where one is named; None where it failed."""
    started = time.monotonic()
    print(f"{name} …", file=sys.stderr, flush=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", RUN, name, core]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{name} failed after {_minutes(started)}.", file=sys.stderr, flush=True)
        return None
    section = f"<!-- {name} -->\n{done.stdout.strip()}\n\n{date.today()}, {_machine()}, {_minutes(started)}"
    print(section, flush=True)
    return section


def _minutes(since: float) -> str:
    return f"{(time.monotonic() - since) / 60:.1f} min"


def sections_of_results() -> dict[str, str]:
    """The sections of RESULTS.md by benchmark."""
    results = FOLDER / "RESULTS.md"
    parts = results.read_text().split("<!-- ")[1:] if results.exists() else []
    return {part.split(" -->")[0]: "<!-- " + part.strip() for part in parts}


def _cores() -> list[str]:
    return [str(core) for core in sorted(os.sched_getaffinity(0))] if hasattr(os, "sched_getaffinity") else []


def _machine() -> str:
    cores = len(_cores()) or os.cpu_count()
    return f"{platform.machine()}, {cores} cores, Python {platform.python_version()}, numpy {np.__version__}"


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
