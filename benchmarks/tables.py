"""A prediction table: opening a million rows, and from a table with 5,000 pictures to the first of them."""

import csv
import io
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

ROWS, PICTURES, SIDE = 1_000_000, 5_000, 64


def main() -> None:
    """Prints the table."""
    print("## Prediction tables\n")
    print("Each in a process of its own, wall seconds, memory at its peak; both columns of words, with confidence.\n")
    print("| what | seconds | target | megabytes | target |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        table, pictures = Path(folder, "million.csv"), Path(folder, "pictures.csv")
        write_table(table, ROWS)
        write_table(pictures, PICTURES)
        write_pictures(Path(folder, "pictures.zip"))
        seconds, megabytes = in_a_process("rows", str(table))
        print(f"| {ROWS:,} rows opened | {seconds:.1f} | 20 | {megabytes:.0f} | 500 |")
        seconds, megabytes = in_a_process("first_picture", str(pictures), str(Path(folder, "pictures.zip")), folder)
        print(
            f"| {PICTURES:,} rows with a zip of pictures, kept, planned, first input | {seconds:.1f} | 10 | {megabytes:.0f} | |"
        )


def write_table(path: Path, size: int) -> None:
    """A table of ``size`` rows that name pictures."""
    rng = np.random.default_rng(0)
    kinds = np.array([f"kind {place}" for place in range(50)])
    said, confidence = kinds[rng.integers(0, 50, size)], rng.random(size).round(4)
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("image", "prediction", "confidence"))
        lines.writerows((f"{row:07}.png", said[row], confidence[row]) for row in range(size))


def write_pictures(path: Path) -> None:
    """A zip of PNG pictures of noise."""
    rng = np.random.default_rng(1)
    with zipfile.ZipFile(path, "w") as archive:
        for row in range(PICTURES):
            file = io.BytesIO()
            Image.fromarray(rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)).save(file, "PNG")
            archive.writestr(f"pictures/{row:07}.png", file.getvalue())


def in_a_process(work: str, *arguments: str) -> tuple[float, float]:
    """Seconds and peak megabytes of one of the functions below."""
    command = [sys.executable, "-m", "benchmarks.tables", work, *arguments]
    seconds, megabytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
    return float(seconds), float(megabytes)


def rows(table: str) -> None:
    """Opens the table."""
    from testimate.subjects.prediction_table import read_table

    assert len(read_table(Path(table), name="million.csv").dataset) == ROWS


def first_picture(table: str, pictures: str, folder: str) -> None:
    """Keeps the table with its pictures in a project, plans a session, and shows its first input."""
    from testimate.core.selector import Request
    from testimate.project.project import Project
    from testimate.subjects.prediction_table import TableChoices

    project = Project(Path(folder, "project"))
    kept = project.add_file("dataset", "pictures.zip", Path(pictures).read_bytes())
    subject = project.add_table("t.csv", Path(table).read_bytes(), choices=TableChoices(inputs=kept.path))
    session = project.start_session(subject.key, Request("rrs", budget=200, seed=1))
    assert session.show(session.upcoming(1)[0].row).image is not None


if __name__ == "__main__":
    begun = time.perf_counter()
    {"rows": rows, "first_picture": first_picture}[sys.argv[1]](*sys.argv[2:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - begun, peak)
