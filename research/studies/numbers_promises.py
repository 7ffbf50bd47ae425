"""The summary of our own numbers: what was asked, what was measured, whether it holds."""

import numpy as np

from research.studies.jobs import COVERAGE, LOOKS, WATCHED
from research.studies.numbers_as_published import biases, failure_distances
from research.studies.numbers_measured import TABLES, N, best_of_papers, ratios, watched_numbers
from research.studies.page_text import table
from research.studies.results import Results

CHANCE = "no; the file's 30 campaigns may do so"


def summary(results: Results) -> str:
    """Each number asked for, what was measured, and whether it holds."""
    rrs, rra = ratios(results, "rrs"), ratios(results, "rra")
    over_best = {key: value / best_of_papers(results, *key)[0] for key, value in rrs.items()}
    rows = [
        promise(
            "rrs's error over srs's, largest of 15 cells", "≤ 0.90", max(rrs.values()), 0, max(rrs.values()) <= 0.9
        ),
        promise(
            "rrs's error over the best unbiased technique's of the papers, largest",
            "≤ 1.05",
            max(over_best.values()),
            0,
            max(over_best.values()) <= 1.05,
        ),
    ]
    mean_rra, mean_rrs = float(np.mean(list(rra.values()))), float(np.mean(list(rrs.values())))
    off = mean_rra / np.sqrt(2 * (COVERAGE + WATCHED)) / np.sqrt(len(TABLES))  # budgets of a subject go together
    rows += [
        promise("rra's error over srs's, mean", "≤ 0.83", mean_rra, off, mean_rra <= 0.83),
        promise("the same, rra less rrs", "< 0", mean_rra - mean_rrs, off, mean_rra < mean_rrs),
    ]
    for (subject, technique), watched in sorted(results.watched.items()):
        missed, width, ordinary_width = watched_numbers(watched)
        rows.append(
            [
                f"always-valid interval, {technique} on {subject}: ever misses in 1,000 labels",
                "≤ 5 %",
                f"{100 * missed:.1f} %",
                f"{100 * np.sqrt(max(missed, 0.01) * (1 - missed) / WATCHED):.1f}",
                said(missed <= 0.05),
            ]
        )
        ratio = width / ordinary_width
        rows.append(
            [
                f"its width over Wilson's at n = {N} of {max(LOOKS):,} planned",
                "≤ 1.6",
                f"{ratio:.2f}",
                "0.01",
                said(ratio <= 1.6),
            ]
        )
    distances = failure_distances(results)
    far = max(distances)
    rows.append(
        [
            f"as published, mean failures at n = {N} on D and G: largest distance from the authors' file",
            "≤ 5",
            f"{far[0]:.1f} ({far[1]})",
            "1 to 3",
            said(far[0] <= 5),
        ]
    )
    for line in biases(results):
        rows.append(
            [
                f"as published, bias of {line['technique']} on {line['subject']} (file: {line['theirs']:+.3f})",
                "same sign, within 40 %",
                f"{line['ours']:+.3f} ({100 * abs(line['ours'] / line['theirs'] - 1):.0f} % off)",
                f"{line['noise']:.3f} (file)",
                said(line["near"]) if line["near"] or not line["low"] <= line["theirs"] <= line["high"] else CHANCE,
            ]
        )
    head = ["number", "asked", "measured", "random error", "holds"]
    return f"""## Each number

{table(head, rows)}
The unbiasedness of rrs and rra is exact, by enumeration of small populations (`tests/estimators`), and so is their
agreement with R's survey package to 1e-9.
"""


def promise(what: str, asked: str, value: float, noise: float, holds: bool) -> list[str]:
    """A row of the summary."""
    return [what, asked, f"{value:.3f}", f"{noise:.3f}" if noise else "exact", said(holds)]


def said(holds: bool, perhaps: bool = False) -> str:
    """Whether a number holds; ``perhaps`` where two standard errors would make it hold."""
    return "yes" if holds else "not told apart" if perhaps else "**no**"
