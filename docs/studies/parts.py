"""What both study pages are made of: the numbers by name, Markdown tables, and plots as SVG."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from runs import BUDGETS, LOOKS, Job, data_folder, inputs_of

from testimate.charts.palette import hue
from testimate.studies import spread_of_srs

mpl.use("svg")
mpl.rcParams |= {
    "svg.hashsalt": "testimate",  # the same file from the same numbers
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E8EAED",
    "legend.frameon": False,
    "figure.facecolor": "white",
}
from matplotlib import pyplot as plt  # noqa: E402 - after the settings

MARKERS = "osD^v<>pXP*"


@dataclass(frozen=True)
class Cell:
    """What one technique came to at one budget on one subject."""

    rmse: float
    exact: bool
    rmedse: float
    bias: float
    failures: float
    repetitions: int
    held: float | None
    beyond: list[float] | None
    errors: list[float]


class Results:
    """The results of jobs, by subject, technique, auxiliary variable, variant and budget."""

    def __init__(self, found: Mapping[Job, Mapping[str, Any]]) -> None:
        self._cells: dict[tuple[Any, ...], Cell] = {}
        self.watched: dict[tuple[str, str], Mapping[str, Any]] = {}
        for job, numbers in found.items():
            if job.kind == "watched":
                self.watched[job.subject, job.technique] = numbers
                continue
            for budget, one in numbers.items():
                key = (job.subject, job.technique, job.auxiliary, job.variant, int(budget), job.options)
                self._cells[key] = _cell(one)
        for (subject, technique), watched in self.watched.items():
            self._take_errors_of_watched(subject, technique, watched)

    def _take_errors_of_watched(self, subject: str, technique: str, watched: Mapping[str, Any]) -> None:
        """The many watched campaigns give the errors where there is no formula."""
        for place, budget in enumerate(LOOKS):
            key = (subject, technique, "confidence", None, budget, ())
            cell = self._cells.get(key)
            if cell is not None and not cell.exact:
                errors = np.array(watched["accuracy"])[:, place] - watched["truth"]
                self._cells[key] = replace(
                    cell,
                    rmse=float(np.sqrt(np.mean(errors**2))),
                    rmedse=float(np.sqrt(np.median(errors**2))),
                    bias=float(errors.mean()),
                    repetitions=len(errors),
                    errors=errors.tolist(),
                )

    def cell(
        self,
        subject: str,
        technique: str,
        auxiliary: str,
        budget: int,
        variant: str | None = None,
        options: tuple[tuple[str, Any], ...] = (),
    ) -> Cell | None:
        """The cell, or None where it was not run."""
        return self._cells.get((subject, technique, auxiliary, variant, budget, options))

    def need(self, subject: str, technique: str, auxiliary: str, budget: int, variant: str | None = None) -> Cell:
        """The cell, which was run."""
        return self._cells[subject, technique, auxiliary, variant, budget, ()]


def _cell(one: Mapping[str, Any]) -> Cell:
    errors = np.array(one["errors"])
    exact = one["exact"]
    return Cell(
        rmse=float(exact if exact is not None else np.sqrt(np.mean(errors**2))),
        exact=exact is not None,
        rmedse=float(np.sqrt(np.median(errors**2))),
        bias=float(errors.mean()),
        failures=float(np.mean(one["failures"])),
        repetitions=len(errors),
        held=one["held"],
        beyond=one["beyond"],
        errors=one["errors"],
    )


NAMES = {"RHC": "rhc-s", "RHC-S": "rhc-s", "DeepEST": "deepest"}
AUXILIARIES = {"LSA": "lsa"}


def published() -> dict[tuple[str, str, str, int], dict[str, float]]:
    """The authors' own figures by subject, technique, auxiliary variable ("" where none) and budget."""
    figures = {}
    with (data_folder() / "deepsample" / "published.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            technique = NAMES.get(row["technique"], row["technique"].lower())
            auxiliary = AUXILIARIES.get(row["aux"], row["aux"])
            key = (row["model"], technique, auxiliary, int(row["budget"]))
            figures[key] = {name: float(row[name]) for name in ("rmse", "rmedse", "bias", "mean_failures")}
    return figures


def srs_error(subject: str, budget: int) -> float:
    """The exact error of simple random sampling without replacement."""
    losses = inputs_of(subject).losses
    assert losses is not None
    return spread_of_srs(losses, budget)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is words, the others numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def points(value: float | None) -> str:
    """A share as percentage points, with two digits."""
    return "–" if value is None else f"{100 * value:.2f}"


def curves(
    file: Path, panels: Mapping[str, Mapping[str, Sequence[float]]], y: str, *, log: bool, one: bool = False
) -> None:
    """A row of panels of lines over BUDGETS; ``one`` draws simple random sampling's line at 1."""
    figure, axes = plt.subplots(1, len(panels), figsize=(3.6 * len(panels) + 1.2, 3.4), sharey=True, squeeze=False)
    for axis, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for place, (name, values) in enumerate(lines.items()):
            axis.plot(
                BUDGETS,
                values,
                marker=MARKERS[place % len(MARKERS)],
                markersize=4,
                linewidth=2.4 if name in ("rrs", "rra") else 1.1,
                color=hue(place, dark=False),
                label=name,
            )
        if one:
            axis.axhline(1, color="#262730", linewidth=0.8, linestyle="--")
        axis.set_xscale("log")
        axis.set_xticks(BUDGETS, [str(budget) for budget in BUDGETS])
        axis.minorticks_off()
        axis.set_yscale("log" if log else "linear")
        axis.set_xlabel("budget (labels)")
        axis.set_title(title, fontsize=10, loc="left")
    axes[0][0].set_ylabel(y)
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    save(figure, file)


def scatter(file: Path, spots: Mapping[str, tuple[float, float]], x: str, y: str) -> None:
    """Named spots, the error's axis logarithmic."""
    figure, axis = plt.subplots(figsize=(5.6, 3.6))
    for place, (name, (across, up)) in enumerate(spots.items()):
        axis.scatter(across, up, color=hue(place, dark=False), marker=MARKERS[place % len(MARKERS)], s=36)
        axis.annotate(name, (across, up), textcoords="offset points", xytext=(6, 3), fontsize=8)
    axis.axhline(1, color="#262730", linewidth=0.8, linestyle="--")
    axis.set_yscale("log")
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    save(figure, file)


def offsets(file: Path, degrees: Sequence[float], lines: Mapping[str, Sequence[float]]) -> None:
    """Mean inputs drawn whose error is at least so many degrees."""
    figure, axis = plt.subplots(figsize=(6.4, 3.6))
    for place, (name, values) in enumerate(lines.items()):
        axis.plot(degrees, values, label=name, color=hue(place, dark=False), marker=MARKERS[place], markersize=3.5)
    axis.set_yscale("symlog", linthresh=1)
    axis.set_xlabel("error of the steering angle (degrees, at least)")
    axis.set_ylabel("inputs among 200 labels (mean)")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    save(figure, file)


def save(figure: Any, file: Path) -> None:
    """Writes the figure as SVG, without a date."""
    figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    file.write_text("\n".join(line.rstrip() for line in file.read_text().splitlines()) + "\n")
