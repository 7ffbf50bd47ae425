"""What both study pages are made of: the numbers by name, Markdown tables, and plots as SVG."""

import csv
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from runs import BUDGETS, LOOKS, Job, data_folder, losses_of
from scipy.special import ndtri

from testimate.charts.palette import hue
from testimate.estimators.intervals import korn_graubard
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
OURS = ("rrs", "rra")


@dataclass(frozen=True)
class Cell:
    """What one technique came to at one budget on one subject; ``errors`` of the first campaigns."""

    rmse: float
    exact: bool
    rmedse: float
    bias: float
    bias_se: float | None
    failures: float
    repetitions: int
    held: float | None
    held_korn_graubard: float | None
    beyond: list[float] | None
    errors: list[float]

    @property
    def carries(self) -> float:
        """The share by which the RMSE may be off: one standard error, for errors without long tails."""
        return 0.0 if self.exact else float(1 / np.sqrt(2 * self.repetitions))


class Results:
    """The results of jobs, by subject, technique, auxiliary variable, variant and budget."""

    def __init__(self, found: Mapping[Job, Mapping[str, Any]]) -> None:
        self._cells: dict[tuple[Any, ...], Cell] = {}
        self.watched: dict[tuple[str, str], Mapping[str, Any]] = {}
        self.phases: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        self.speed: Mapping[str, float] = {}
        self.cpu = sum(float(one["cpu"]) for one in found.values())
        for job, one in found.items():
            numbers = one["found"]
            if job.kind == "watched":
                self.watched[job.subject, job.technique] = numbers
            elif job.kind == "speed":
                self.speed = numbers
            elif job.kind == "phases":
                for budget, said in numbers.items():
                    self.phases[job.subject, job.technique, job.variant, int(budget), job.options] = said
            else:
                for budget, said in numbers.items():
                    key = (job.subject, job.technique, job.auxiliary, job.variant, int(budget), job.options)
                    self._cells[key] = _cell(said)
        for (subject, technique), watched in self.watched.items():
            self._add_watched(subject, technique, watched)

    def _add_watched(self, subject: str, technique: str, watched: Mapping[str, Any]) -> None:
        """The watched campaigns, of other seeds, count too where there is no formula."""
        for place, budget in enumerate(LOOKS):
            key = (subject, technique, "confidence", None, budget, ())
            cell = self._cells.get(key)
            if cell is None or cell.exact or cell.held is None or cell.repetitions > len(cell.errors):
                continue
            more = np.array(watched["accuracy"])[:, place] - watched["truth"]
            errors = np.concatenate([cell.errors, more])
            own = cell.repetitions / len(errors)
            cautious = cell.held_korn_graubard
            if cautious is not None:
                cautious = own * cautious + (1 - own) * held_by_korn_graubard(watched, place)
            self._cells[key] = replace(
                cell,
                rmse=float(np.sqrt(np.mean(errors**2))),
                rmedse=float(np.sqrt(np.median(errors**2))),
                bias=float(errors.mean()),
                bias_se=float(errors.std(ddof=1) / np.sqrt(len(errors))),
                repetitions=len(errors),
                held=own * cell.held + (1 - own) * held_of(watched, place),
                held_korn_graubard=cautious,
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


def held_of(watched: Mapping[str, Any], place: int) -> float:
    """Share of watched campaigns whose ordinary interval held the truth at a look."""
    low, high = np.array(watched["ordinary"])[:, place].T
    return float(np.mean((low <= watched["truth"] + 1e-12) & (high >= watched["truth"] - 1e-12)))


def held_by_korn_graubard(watched: Mapping[str, Any], place: int) -> float:
    """The same for the Korn-Graubard interval, whose effective n follows from the width of Wilson's."""
    low, high = np.array(watched["ordinary"])[:, place].T
    rate, half = 1 - np.array(watched["accuracy"])[:, place], (high - low) / 2
    # Wilson's half-width solved for x = z^2 / n: (h^2 - 1/4) x^2 + (2 h^2 - p (1 - p)) x + h^2 = 0
    a, b, c = half**2 - 0.25, 2 * half**2 - rate * (1 - rate), half**2
    x = (-b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    ends = [korn_graubard(float(p), float(ndtri(0.975) ** 2 / one)) for p, one in zip(rate, x, strict=True)]
    truth = 1 - watched["truth"]
    return float(np.mean([one.low - 1e-12 <= truth <= one.high + 1e-12 for one in ends]))


def _cell(one: Mapping[str, Any]) -> Cell:
    exact = one["exact"]
    return Cell(
        rmse=float(exact if exact is not None else one["rmse"]),
        exact=exact is not None,
        rmedse=one["rmedse"],
        bias=one["bias"],
        bias_se=one["bias_se"],
        failures=one["failures"],
        repetitions=one["repetitions"],
        held=one["held"],
        held_korn_graubard=one.get("held_korn_graubard"),
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
    return spread_of_srs(losses_of(subject), budget)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is words, the others numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def write_page(file: Path, sections: Iterable[str]) -> None:
    """Writes Markdown sections, paragraphs and list items folded at 120; tables, headings and pictures as they are."""
    folded, words, hanging = [], "", ""

    def end() -> None:
        nonlocal words
        if words:
            folded.extend(
                textwrap.wrap(words, 120, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
            )
        words = ""

    for line in "\n".join(sections).splitlines():
        if not line.strip() or line.startswith(("|", "#", "![")):
            end()
            folded.append(line)
        elif line.startswith("- "):
            end()
            words, hanging = line, "  "
        elif words:
            words += " " + line.strip()
        else:
            words, hanging = line, ""
    end()
    file.write_text("\n".join(folded).rstrip() + "\n")


def points(value: float | None) -> str:
    """A share as percentage points, with two digits."""
    return "–" if value is None else f"{100 * value:.2f}"


def curves(
    file: Path,
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    y: str,
    *,
    log: bool,
    one: bool = False,
    budgets: Sequence[int] = BUDGETS,
) -> None:
    """A row of panels of lines over the budgets; ``one`` draws simple random sampling's line at 1."""
    figure, axes = plt.subplots(1, len(panels), figsize=(3.6 * len(panels) + 1.2, 3.4), sharey=True, squeeze=False)
    for axis, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for place, (name, values) in enumerate(lines.items()):
            axis.plot(
                budgets,
                values,
                marker=MARKERS[place % len(MARKERS)],
                markersize=4,
                linewidth=2.4 if name in OURS else 1.1,
                color=hue(place, dark=False),
                label=name,
            )
        if one:
            axis.axhline(1, color="#262730", linewidth=0.8, linestyle="--")
        axis.set_xscale("log")
        axis.set_xticks(budgets, [str(budget) for budget in budgets], rotation=45 if len(budgets) > 6 else 0)
        axis.minorticks_off()
        axis.set_yscale("log" if log else "linear")
        axis.set_xlabel("budget (labels)")
        axis.set_title(title, fontsize=10, loc="left")
    axes[0][0].set_ylabel(y)
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    save(figure, file)


def scatter(file: Path, spots: Mapping[str, tuple[float, float]], x: str, y: str) -> None:
    """Named spots."""
    figure, axis = plt.subplots(figsize=(5.6, 3.6))
    for place, (name, (across, up)) in enumerate(spots.items()):
        axis.scatter(across, up, color=hue(place, dark=False), marker=MARKERS[place % len(MARKERS)], s=36)
        axis.annotate(name, (across, up), textcoords="offset points", xytext=(6, 3), fontsize=8)
    axis.axhline(1, color="#262730", linewidth=0.8, linestyle="--")
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
