"""Commands on tables of ten and fifty million rows, each in a process of its own, beside the goals and their former costs."""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

ROWS, MOST_ROWS, PART = 10_000_000, 50_000_000, 1_000_000

RUNS = 3
"""Of each command; the median of its seconds and of its megabytes counts."""

LABELS = 200

GOALS = {
    "select srs": (4, 450, 6.7, 1_812),
    "select rrs": (8, 800, 15, 2_040),
    "select rra": (8, 800, 15, 2_040),
    "select ssrs": (15, 1_000, 103, 2_419),
    "estimate": (3, 400, 5.7, 1_812),
    "prioritize by confidence": (30, 1_200, 144, 5_824),
}
"""Processor seconds and peak megabytes that were asked for, and those before columns were read one by one."""

MEASURED = """
import json, os, resource, sys
from testimate.cli import main
try:
    main(sys.argv[1:])
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    sys.stdout.flush()
    os.write(1, (chr(10) + json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]) + chr(10)).encode())
"""


def main() -> None:
    """Prints the table."""
    print("## Large tables\n")
    print(
        f"{ROWS:,} rows of prediction, confidence and two auxiliary variables as Parquet; processor seconds of the whole "
        f"command, its start included, and memory at its peak, medians of {RUNS} runs. In brackets what it took before "
        "decision 169.\n"
    )
    print("| command | seconds | goal | before | megabytes | goal | before |\n|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "t.parquet"
        write_table(table, ROWS)
        for technique in ("srs", "rrs", "rra", "ssrs"):
            line(f"select {technique}", run(*selected(table, technique, folder)))
        write_votes(folder / "rrs.json", folder / "votes.csv")
        line("estimate", run("estimate", str(folder / "rrs.json"), str(folder / "votes.csv")))
        order = ("--technique", "confidence", "--seed", "1", "--out", str(folder / "order.csv"))
        line("prioritize by confidence", run("prioritize", str(table), *order))
        (folder / "order.csv").unlink()
        write_table(table, MOST_ROWS)
        seconds, megabytes = run_once(*selected(table, "rrs", folder))
        print(f"| select rrs, {MOST_ROWS:,} rows, one run | {seconds:.1f} | 45 | | {megabytes:.0f} | 3500 | |")
        table.unlink()
        write_table(table, ROWS // 10)
        order = ("--technique", "severity-first", "--seed", "1", "--out", str(folder / "order.csv"))
        seconds, megabytes = run("prioritize", str(table), *order)
        print(
            f"| prioritize by severity-first, {ROWS // 10:,} rows | {seconds:.1f} | 20 | (78) | {megabytes:.0f} | | |"
        )


def selected(table: Path, technique: str, folder: Path) -> tuple[str, ...]:
    """The command that selects by a technique."""
    out = str(folder / f"{technique}.json")
    return ("select", str(table), "--technique", technique, "--budget", str(LABELS), "--seed", "1", "--out", out)


def line(what: str, took: tuple[float, float]) -> None:
    """A line of the table."""
    seconds, megabytes, before, had = GOALS[what]
    print(f"| {what} | {took[0]:.1f} | {seconds} | ({before}) | {took[1]:.0f} | {megabytes} | ({had}) |")


def run(*arguments: str) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a command, the medians of several runs."""
    seconds, megabytes = zip(*(run_once(*arguments) for _ in range(RUNS)), strict=True)
    return statistics.median(seconds), statistics.median(megabytes)


def run_once(*arguments: str) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a command, in a process with one numeric thread."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments],
        env={**os.environ, **one},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes


def write_table(path: Path, size: int) -> None:
    """A table of ``size`` rows, made a part at a time."""
    names = np.array([f"class {place:02}" for place in range(20)])
    writer = None
    for start in range(0, size, PART):
        rng = np.random.default_rng(start)
        part = pa.table(
            {
                "prediction": names[rng.integers(0, 20, PART)],
                "confidence": rng.beta(8, 2, PART),
                "blur": rng.beta(2, 8, PART),
                "noise": rng.normal(size=PART),
            }
        )
        writer = writer or pyarrow.parquet.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()


def write_votes(plan: Path, votes: Path) -> None:
    """Every tenth input of a plan failed."""
    with votes.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("row", "failed"))
        lines.writerows((draw["row"], int(draw["row"] % 10 == 0)) for draw in json.loads(plan.read_text())["draws"])
