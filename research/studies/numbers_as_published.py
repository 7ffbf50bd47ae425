"""The variants as published beside the authors' file: failures, and bias with its chance error."""

from typing import Any

import numpy as np

from research.methods.exact_published import bias_of_average_over_strata
from research.studies.deepsample_published import published
from research.studies.jobs import PROGRAM_THRESHOLDS
from research.studies.numbers_measured import N
from research.studies.page_text import table
from research.studies.results import Cell, Results
from research.studies.study_subjects import inputs_of, losses_of
from testimate.selectors.unequal_probability import draw_chances
from testimate.structure.strata import by_clusters

AS_PUBLISHED = ("sups", "rhc-s", "ssrs", "gbs", "2-ups", "deepest")
OF_30 = 30


def as_the_program(results: Results, subject: str, name: str, auxiliary: str, variant: str | None) -> Cell:
    """The cell at n = 200; deepest with lsa by the threshold of the authors' scripts, which is not the paper's."""
    scripts = (name, auxiliary) == ("deepest", "lsa")
    options = (("deviations", PROGRAM_THRESHOLDS[subject]),) if scripts else ()
    cell = results.cell(subject, name, auxiliary, N, variant, options)
    assert cell is not None
    return cell


def failure_distances(results: Results) -> list[tuple[float, str]]:
    """How far each mean of failures as published lies from the authors' file."""
    figures, found = published(), []
    for subject in ("D", "G"):
        for auxiliary in ("confidence", "dsa", "lsa"):
            for name in AS_PUBLISHED:
                variant = None if name == "ssrs" else "as published"
                cell = as_the_program(results, subject, name, auxiliary, variant)
                theirs = figures[subject, name, auxiliary, N]["mean_failures"]
                found.append((abs(cell.failures - theirs), f"{name} on {subject} with {auxiliary}"))
    return found


def biases(results: Results) -> list[dict[str, Any]]:
    """The bias of 2-UPS and GBS as published, with confidence at n = 200, and the file's."""
    figures, lines = published(), []
    for technique in ("2-ups", "gbs"):
        for subject in ("D", "G"):
            cell = results.need(subject, technique, "confidence", N, "as published")
            assert cell.bias_se is not None
            spread = cell.bias_se * np.sqrt(cell.repetitions)
            ours = exact_bias_of_two_ups(subject) if technique == "2-ups" else cell.bias
            theirs = figures[subject, technique, "confidence", N]["bias"]
            means = means_of_30(cell.errors)
            lines.append(
                {
                    "technique": technique,
                    "subject": subject,
                    "ours": ours,
                    "own_noise": 0.0 if technique == "2-ups" else cell.bias_se,
                    "theirs": theirs,
                    "noise": float(spread / np.sqrt(OF_30)),
                    "low": float(np.quantile(means, 0.025)),
                    "high": float(np.quantile(means, 0.975)),
                    "near": bool(ours * theirs > 0 and abs(ours / theirs - 1) <= 0.4),
                }
            )
    return lines


def means_of_30(errors: list[float]) -> np.ndarray:
    """What the mean of 30 such campaigns may be, (20,000,)."""
    rng = np.random.default_rng(1)
    return np.asarray(rng.choice(errors, size=(20_000, OF_30)).mean(axis=1))


def exact_bias_of_two_ups(subject: str) -> float:
    """Of the program's average over the strata met, with confidence at n = 200."""
    score = inputs_of(subject).score("confidence")
    strata = by_clusters(score, 10)
    chances = np.bincount(strata, draw_chances(score, uniform_share=0.0, negative="min-max")).astype(np.float64)
    return bias_of_average_over_strata(losses_of(subject), strata, chances, N)


def as_published(results: Results) -> str:
    """Failures and biases beside the authors' file."""
    figures = published()
    rows = []
    for name in AS_PUBLISHED:
        row = [name]
        for subject in ("D", "G"):
            for auxiliary in ("confidence", "dsa", "lsa"):
                variant = None if name == "ssrs" else "as published"
                cell = as_the_program(results, subject, name, auxiliary, variant)
                row.append(f"{cell.failures:.1f} ({figures[subject, name, auxiliary, N]['mean_failures']:.1f})")
        rows.append(row)
    head = ["technique", *(f"{subject}, {auxiliary}" for subject in "DG" for auxiliary in ("confidence", "dsa", "lsa"))]
    lines = [
        [
            f"{line['technique']} on {line['subject']}",
            f"{line['ours']:+.4f}",
            "exact" if not line["own_noise"] else f"{line['own_noise']:.4f}",
            f"{line['theirs']:+.4f}",
            f"{line['low']:+.3f} to {line['high']:+.3f}",
            "yes" if line["low"] <= line["theirs"] <= line["high"] else "no",
        ]
        for line in biases(results)
    ]
    columns = [
        "bias at n = 200, confidence",
        "expected",
        "random error",
        "published, mean of 30",
        "95 % of means of 30",
        "inside",
    ]
    return f"""## As published

Mean failures among {N} labels, the authors' in brackets (30 repetitions):

{table(head, rows)}
deepest with lsa takes the threshold of the authors' scripts, the mean plus the variance, not the paper's
(deepsample.md).

{table(columns, lines)}
2-UPS's expectation is exact: a draw falls inside a set of clusters with the sum of their chances, so the chance that
just these clusters are reached follows by inclusion and exclusion. Its errors are so skewed, a few campaigns far below the
rest, that thirty of them say little: on G the authors' mean is well above the expectation, which thirty campaigns do
in about one case of twenty.
"""
