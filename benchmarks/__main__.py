"""Runs every benchmark of this folder and writes RESULTS.md: `python -m benchmarks`, or some by name.

A benchmark is a module with a function ``main()`` that prints a section of Markdown.
"""

import importlib
import io
import os
import platform
import sys
import time
import traceback
from contextlib import redirect_stdout
from datetime import date
from pathlib import Path

import numpy as np

from testimate.core.plurals import counted

FOLDER = Path(__file__).parent


class _Both(io.StringIO):
    """Keeps what is printed, and shows it."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def main(names: list[str]) -> int:
    """Runs the named benchmarks, or all, and writes their sections; others keep the section they had.

    One that fails is named in the end, and the rest runs all the same. Returns how many failed.
    """
    kept = _sections()
    known = sorted(path.stem for path in FOLDER.glob("[!_]*.py") if "\ndef main(" in path.read_text(encoding="utf-8"))
    failed, begun = [], time.monotonic()
    for name in names or known:
        printed, started = _Both(), time.monotonic()
        try:
            with redirect_stdout(printed):
                print(f"<!-- {name} -->")
                importlib.import_module(f"benchmarks.{name}").main()
                print(f"\n{date.today()}, {_machine()}, {_minutes(started)}")
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        kept[name] = printed.getvalue().strip()
        parts = ["# Benchmarks", "`make bench` writes this file.", *(kept[name] for name in known if name in kept)]
        (FOLDER / "RESULTS.md").write_text("\n\n".join(parts) + "\n")
    print(
        f"{counted(len(names or known), 'benchmark')} in {_minutes(begun)}; failed: {', '.join(failed) or 'none'}.",
        file=sys.stderr,
    )
    return len(failed)


def _minutes(since: float) -> str:
    return f"{(time.monotonic() - since) / 60:.1f} min"


def _sections() -> dict[str, str]:
    """The sections of RESULTS.md by benchmark."""
    results = FOLDER / "RESULTS.md"
    parts = results.read_text().split("<!-- ")[1:] if results.exists() else []
    return {part.split(" -->")[0]: "<!-- " + part.strip() for part in parts}


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.machine()}, {cores} cores, Python {platform.python_version()}, numpy {np.__version__}"


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
