"""Tables of numbers and lines of JSON, opened: beside pandas and PyArrow, and the commit that read columns by their names."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.measured import ONE_THREAD, ROOT

ROWS, LINES, RUNS = 1_000_000, 200_000, 5

BEFORE = "fa399b2c"
"""The last commit that read a table by the names of its columns alone."""

OPENED = """
import sys, time
from pathlib import Path
from testimate.subjects.prediction_table import read_table
path = Path(sys.argv[1])
work = time.process_time()
read_table(path, name=path.name)
print(time.process_time() - work)
"""


READ = """
import sys, time
work = time.process_time()
import {library} as library
library.read_{form}(sys.argv[1]{options})
print(time.process_time() - work)
"""

BY_PANDAS = {".csv": READ.format(library="pandas", form="csv", options="")}
BY_PANDAS[".jsonl"] = READ.format(library="pandas", form="json", options=", lines=True")
BY_PYARROW = {
    ".csv": READ.format(library="pyarrow.csv", form="csv", options=""),
    ".jsonl": READ.format(library="pyarrow.json", form="json", options=""),
}
"""What one would run to have the cells alone: no role of a column, no task and no question."""


def main() -> None:
    """Prints the table."""
    print("## Opened tables\n")
    print(
        f"`read_table` in a process of its own, the libraries' imports included; medians of {RUNS} runs, all sides in turn. "
        f"Before is the commit {BEFORE}, which read columns by their names alone, and no JSON. pandas and PyArrow read the "
        "cells and nothing else.\n"
    )
    print("| what | processor s | before | ratio | pandas | PyArrow | target |\n|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = folder / "before"
        before.mkdir()
        archive = subprocess.run(["git", "archive", BEFORE, "testimate"], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", str(before)], input=archive.stdout, check=True)
        table, lines = folder / "numbers.csv", folder / "lines.jsonl"
        table.write_text("".join(numbers()))
        lines.write_text("".join(samples()))
        now, then, *libraries = medians(table, [(ROOT, OPENED), (before, OPENED)])
        read = " | ".join(f"{one:.2f}" for one in libraries)
        print(f"| {ROWS:,} rows of numbers, CSV | {now:.2f} | {then:.2f} | {then / now:.2f} | {read} | |")
        seconds, *libraries = medians(lines, [(ROOT, OPENED)])
        read = " | ".join(f"{one:.2f}" for one in libraries)
        print(f"| {LINES:,} lines of JSON | {seconds:.2f} | | | {read} | 3 |")


def medians(table: Path, sides: Sequence[tuple[Path, str]]) -> list[float]:
    """Processor seconds of each side, and of pandas and PyArrow, in turn."""
    ways = [*sides, (ROOT, BY_PANDAS[table.suffix]), (ROOT, BY_PYARROW[table.suffix])]
    runs = [[opened(root, table, program) for root, program in ways] for _ in range(RUNS)]
    return [statistics.median(times) for times in zip(*runs, strict=True)]


def opened(root: Path, table: Path, program: str) -> float:
    """Processor seconds in which a program with the code of a folder opens a table."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", program, str(table)]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def numbers() -> Iterator[str]:
    """The lines of a table of predicted and true digits, a confidence and two scores."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, ROWS)
    said = np.where(rng.random(ROWS) < 0.9, truth, rng.integers(0, 10, ROWS))
    sure, dsa, lsa = rng.uniform(0.3, 1, ROWS).round(4), rng.random(ROWS).round(5), rng.normal(size=ROWS).round(4)
    yield "prediction,confidence,dsa,lsa,label\n"
    for row in zip(said.tolist(), sure.tolist(), dsa.tolist(), lsa.tolist(), truth.tolist(), strict=True):
        yield ",".join(map(str, row)) + "\n"


def samples() -> Iterator[str]:
    """The lines of a log of samples as lm-evaluation-harness writes them."""
    for row in range(LINES):
        asked = {"gen_args_0": {"arg_0": f"Q: What is {row} plus {row}?\nA:", "arg_1": {"until": ["\n"]}}}
        said = [f"It is {2 * row if row % 5 else row}."]
        yield json.dumps({"doc_id": row, "target": str(2 * row), "arguments": asked, "filtered_resps": said}) + "\n"
