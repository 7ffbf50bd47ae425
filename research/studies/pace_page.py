"""Writes docs/studies/pace.md: PACE's research questions on its authors' networks over MNIST, ours beside published."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from research.studies.pace_accuracy import first_question, lists
from research.studies.pace_agreement import agreement
from research.studies.pace_further import attacks, larger, surprise, top_classes
from research.studies.pace_numbers import Page
from research.studies.pace_published import TABLE_2
from research.studies.pace_runs import BESIDE, BUDGETS, REPETITIONS, STARTS, Line, all_lines, as_published, results_of
from research.studies.pace_settings import settings, variants
from research.studies.pace_subjects import ATTACKS, NETWORKS
from research.studies.pace_subjects import make as make_subjects
from research.studies.page_plots import MARKERS, plt, save
from research.studies.page_text import table, write_page
from testimate.charts.palette import hue


def make(data: Path, folder: Path, target: Path) -> None:
    """Runs what is not in the folder yet, and writes the page and its plot."""
    make_subjects(data, folder)
    page = Page(results_of(all_lines(), folder), folder)
    plot(page, target / "pace.svg")
    sections = (opening, first_question, lists, settings, variants, top_classes, larger, surprise, attacks, agreement)
    write_page(target / "pace.md", [section(page) for section in sections])


def opening(page: Page) -> str:
    """What the page is, and the subjects."""
    rows = []
    for name in (*NETWORKS, *ATTACKS):
        own, theirs = page.found[Line(name, "pace")], page.found[as_published(name)]
        rows.append(
            [
                name,
                f"{100 * (1 - page.losses(name).mean()):.2f}",
                page.clusters(Line(name, "pace")),
                f"{100 * own['largest']:.0f} %",
                page.clusters(as_published(name)),
                f"{min(np.array(theirs['chosen']) - BUDGETS):+d} to {max(np.array(theirs['chosen']) - BUDGETS):+d}",
            ]
        )
    head = [
        "subject",
        "accuracy, %",
        "clusters, minority space: by the rule",
        "largest group",
        "as published",
        "inputs beyond n, as published",
    ]
    return f"""# PACE's questions again

Made by `make study`; no number measured here is typed by hand. The subjects are the networks of the PACE authors over
the 10,000 MNIST test images: LeNet-1, LeNet-5 and mutant1 (LeNet-5 trained with "8" and "0" exchanged), and LeNet-5
under two attacks. Features are those of the last hidden layer (LHL, `layers[-3]`) unless said.

- Errors are in points of accuracy. What the paper calls MSE is its root (eq. 6): over {REPETITIONS} repetitions for
  techniques that draw, one run for PACE, which always chooses the same. An RMSE of {REPETITIONS} repetitions carries 10
  % of random error.
- **pace** is PACE as its paper defines it: the rule of section 4.4 decides whether FastICA comes first, the minority
  space gives the farthest input, the list is n long. Where more than 80 % are minority space, as on LeNet-1, k-means
  groups are used instead, and alpha has no effect.
- **as published** is what the authors' program does: it reduces by a list of models (LeNet-1 to 8 dimensions, the
  others not), takes from the minority space, after two, the *last* input apart from those chosen, and rounds cluster by
  cluster, so that the list is some inputs longer or shorter than n.
- FastICA is seeded here. The authors' program leaves it unseeded, so LeNet-1 is shown from {STARTS} starts.

{table(head, rows)}"""


def plot(page: Page, file: Path) -> None:
    """Errors over n, a panel per network."""
    figure, axes = plt.subplots(1, len(NETWORKS), figsize=(3.6 * len(NETWORKS) + 1.2, 3.4), squeeze=False)
    for axis, name in zip(axes[0], NETWORKS, strict=True):
        lines: dict[str, Iterable[float]] = {
            "pace": page.rms(Line(name, "pace")),
            "pace, as published": page.rms(as_published(name)),
            "PACE, paper": TABLE_2[name]["pace"],
            **{one: page.rms(Line(name, one, repetitions=REPETITIONS)) for one in BESIDE},
        }
        for place, (words, values) in enumerate(lines.items()):
            style = "--" if words.endswith("paper") else "-"
            axis.plot(
                BUDGETS, values, style, marker=MARKERS[place], markersize=4, color=hue(place, dark=False), label=words
            )
        axis.set_title(name)
        axis.set_xlabel("inputs chosen")
        axis.set_ylim(bottom=0)
    axes[0, 0].set_ylabel("error, points")
    axes[0, -1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    save(figure, file)
