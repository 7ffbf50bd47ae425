"""How study pages are written: Markdown tables, plots as SVG files, paragraphs folded; and what takes long is measured once.

The same numbers make the same SVG file, and a run that was stopped finds again what it had measured.
"""

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

from research.studies.runs import BUDGETS
from testimate.charts.palette import hue

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

__all__ = ["MARKERS", "curves", "measured_once", "offsets", "plt", "points", "save", "scatter", "table", "write_page"]

MARKERS = "osD^v<>pXP*"
OURS = ("rrs", "rra")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is words, the others numbers. Without spaces, which half of a page would be."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"|{'|'.join(line)}|" for line in lines) + "\n"


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


def measured_once(file: Path, measure: Callable[[], Any]) -> Any:
    """What the file holds; if there is none, what ``measure`` returns is written to it first, whole or not at all."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(measure()), encoding="utf-8")
        part.rename(file)
        print(file.stem, flush=True)
    return json.loads(file.read_text(encoding="utf-8"))
