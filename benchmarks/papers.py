"""The commands of docs/papers.md, run as they stand there: of each demonstration the number that says whether it did something.

Beside it stands what the number would be if the technique did nothing; one that is the same fails.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tests.docs.pages import DOCS, ROOT, blocks

PAGE = DOCS / "papers.md"
RUN = "from testimate.cli import main; main()"
IN_A_BROWSER = "In the browser"
"""The demonstration that has no command; tests/browser/test_the_whole_way.py walks it."""


@dataclass(frozen=True)
class Shown:
    """What the commands below a heading printed, in order, and the folder with what they wrote."""

    printed: list[str]
    folder: Path

    def rows(self, command: int = -1) -> pd.DataFrame:
        """The lines of the first table that a command printed, as text."""
        lines = self.printed[command].split("\n\n")[0].splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
        return pd.DataFrame([row for row in cells[1:] if set(row[0]) != {"-"}], columns=cells[0])

    def of(self, column: str, command: int = -1, **wanted: object) -> float:
        """A number of the row with these cells."""
        rows = self.rows(command)
        for name, value in wanted.items():
            rows = rows[rows[name] == str(value)]
        return float(rows[column].iloc[0])

    def gain(self, technique: str, budget: int, subjects: str = "–") -> float:
        """The gain over srs, in percent."""
        start = f"| {technique} |"
        for line in self.printed[-1].splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith(start) and len(cells) == 9 and cells[2:4] == [str(budget), subjects]:
                return float(cells[5].removesuffix("%").replace("\N{MINUS SIGN}", "-"))
        raise LookupError(f"No gain of {technique} at {budget} was printed.")

    def metric(self, name: str, command: int) -> float:
        """A line of ``testimate metrics``."""
        [line] = [line for line in self.printed[command].splitlines() if line.split()[:1] == [name]]
        return float(line.split()[1])

    def drawn(self, plan: str) -> set[int]:
        """The rows of a plan."""
        return {draw["row"] for draw in json.loads((self.folder / plan).read_text())["draws"]}


Demonstration = tuple[str, Callable[[Shown], tuple[float, float]]]
"""What the number is; and from what was shown the number if the technique did nothing, and the number here."""


def share_of_faults(shown: Shown) -> float:
    """Of all inputs of the table."""
    table = pd.read_csv(shown.folder / "table.csv")
    return float((table["label"] != table["prediction"]).mean())


def written(shown: Shown, technique: str) -> float:
    """The failures in a sample of 200, in the table that the study wrote."""
    rows = pd.read_csv(shown.folder / "study.csv")
    return float(rows.loc[(rows["technique"] == technique) & (rows["budget"] == 200), "failures_mean"].iloc[0])


DEMONSTRATIONS: dict[str, Demonstration] = {
    "Four kinds of features": (
        "inputs that the lists by LHL and ORI share",
        lambda shown: (100, len(shown.drawn("pace.json") & shown.drawn("pace-ori.json"))),
    ),
    "Clusters, prototypes, criticisms": (
        "clusters",
        lambda shown: (1, float(shown.printed[0].split()[0])),
    ),
    "PACE and its rivals": ("gain of pace over srs, 180 labels, %", lambda shown: (0, shown.gain("pace", 180))),
    "Several subjects": ("gain of rrs, 100 labels, all subjects, %", lambda shown: (0, shown.gain("rrs", 100, "all"))),
    "What each part of PACE adds": (
        "different errors of the variants",
        lambda shown: (1, shown.rows()["rmse"].nunique()),
    ),
    "Top-n accuracy": ("accuracy of the first two", lambda shown: (1 - share_of_faults(shown), shown.of("truth"))),
    "Strata of surprise": (
        "error of css by lsa over that of srs",
        lambda shown: (1, shown.of("rmse_ratio_to_srs", auxiliary="lsa")),
    ),
    "Shifted inputs": (
        "pictures that fog changes",
        lambda shown: (
            0,
            int((np.load(shown.folder / "fog.npy") != np.load(shown.folder / "letters.npy")).any(axis=(1, 2)).sum()),
        ),
    ),
    "SSOA and its rivals": (
        "gain of ssoa-c-t over srs, 1,000 labels, %",
        lambda shown: (0, shown.gain("ssoa-c-t", 1000)),
    ),
    "SSOA's settings": (
        "failures in a sample, beside those with the settings as they come",
        lambda shown: (shown.of("failures_mean", 1), shown.of("failures_mean", 0)),
    ),
    "Are training and operation alike?": (
        "p-value of confidence",
        lambda shown: (1, float(shown.printed[0].split("p-value ")[2].split(",")[0])),
    ),
    "The sampling techniques": (
        "failures in a sample of 200 by sups, beside those by srs",
        lambda shown: (written(shown, "srs"), written(shown, "sups")),
    ),
    "As published": (
        "error with replacement over that of srs without",
        lambda shown: (1, shown.of("rmse_ratio_to_srs", 1)),
    ),
    "Regression": (
        "error of sups by lsa over that of srs, 200 labels",
        lambda shown: (1, shown.of("rmse_ratio_to_srs", technique="sups", auxiliary="lsa", budget=200)),
    ),
    "The papers' own examples": (
        "WFDR of list B, beside that of list A, %",
        lambda shown: (100 * shown.metric("wfdr", 1), 100 * shown.metric("wfdr", 2)),
    ),
    "Orders of priority": (
        "share of the faults in DeepGini's first inputs (FDRO), beside that in the set",
        lambda shown: (share_of_faults(shown), shown.metric("fdro", 4)),
    ),
    "Ranking models": (
        "Spearman's correlation over 50 rankings",
        lambda shown: (0, float(shown.printed[-2].split("rankings: spearman ")[1].split()[0])),
    ),
}
"""By heading of the page."""


def shown_by_the_page(folder: Path) -> dict[str, Shown]:
    """Runs every file and command of the page in a folder; what each heading's commands printed."""
    lines, found = PAGE.read_text(encoding="utf-8").splitlines(), {}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    for block in blocks(PAGE):
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
            continue
        heading = next(line for line in reversed(lines[: block.line]) if line.startswith("##")).lstrip("# ")
        printed = found.setdefault(heading, Shown([], folder)).printed
        for command in filter(None, block.text.splitlines()):
            program, *arguments = shlex.split(command)
            run = [sys.executable, *([] if program == "python" else ["-c", RUN]), *arguments]
            done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{command}\n{done.stderr[-2_000:]}")
            printed.append(done.stdout)
    return found


def main() -> None:
    """Prints the section."""
    with tempfile.TemporaryDirectory() as folder:
        print_section(shown_by_the_page(Path(folder)))


def print_section(shown: dict[str, Shown]) -> None:
    """The numbers of what the page's commands printed; a demonstration that shows nothing ends it with 1."""
    numbers = {heading: number(shown[heading]) for heading, (_, number) in DEMONSTRATIONS.items()}
    print("## The papers' demonstrations\n")
    print(
        "Every command of [the papers](../docs/papers.md), run as it stands there: a number of each demonstration, and"
    )
    print("what it would be if the technique did nothing.\n")
    print("| demonstration | number | if it did nothing | here |\n|---|---|---:|---:|")
    for heading, (nothing, here) in numbers.items():
        print(f"| {heading} | {DEMONSTRATIONS[heading][0]} | {nothing:.4g} | {here:.4g} |")
    hollow = [heading for heading, (nothing, here) in numbers.items() if f"{nothing:.4g}" == f"{here:.4g}"]
    if hollow:
        raise SystemExit(f"These demonstrate nothing: {', '.join(hollow)}.")
