"""Writes docs/studies/numbers.md: what the defaults promise, each number beside what was measured and its random error."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from research.methods.exact import bias_of_average_over_strata
from research.methods.many import many_stratified
from research.studies.deepsample import published
from research.studies.page_text import curves, points, table, write_page
from research.studies.runs import (
    BUDGETS,
    COVERAGE,
    LOOKS,
    PROGRAM_THRESHOLDS,
    SPEED,
    WATCHED,
    JobResult,
    Results,
    srs_error,
)
from research.studies.study_subjects import inputs_of, losses_of
from testimate.core.selector import Request
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths
from testimate.selectors.unequal_probability import draw_chances
from testimate.structure.strata import by_clusters

TABLES = ("D", "G", "CN12")

PAPERS = ("srs", "css", "ssrs", "sups", "rhc-s", "2-ups", "deepest")
"""The unbiased techniques of the papers."""

N = 200


def ratios(results: Results, technique: str) -> dict[tuple[str, int], float]:
    """Error over that of simple random sampling, by subject and budget."""
    return {
        (subject, budget): results.need(subject, technique, "confidence", budget).rmse / srs_error(subject, budget)
        for subject in TABLES
        for budget in BUDGETS
    }


def best_of_papers(results: Results, subject: str, budget: int) -> tuple[float, str]:
    """The least ratio among the papers' unbiased techniques, and whose it is."""
    found = [(results.need(subject, name, "confidence", budget).rmse, name) for name in PAPERS]
    rmse, name = min(found)
    return rmse / srs_error(subject, budget), name


def watched_numbers(watched: Mapping[str, Any], labels: int = N) -> tuple[float, float, float]:
    """Share of campaigns in which the always-valid interval ever missed; its width and Wilson's at some of ``LOOKS``."""
    truth, place = watched["truth"], LOOKS.index(labels)
    always, ordinary = np.array(watched["always"]), np.array(watched["ordinary"])
    return (
        ever_missed(always, truth),
        float(np.diff(always[:, place]).mean()),
        float(np.diff(ordinary[:, place]).mean()),
    )


def ever_missed(ends: np.ndarray, truth: float) -> float:
    """Share of campaigns (R, k, 2) in which the interval missed at a look at least."""
    return float(((ends[:, :, 0] > truth + 1e-12) | (ends[:, :, 1] < truth - 1e-12)).any(axis=1).mean())


AS_PUBLISHED = ("sups", "rhc-s", "ssrs", "gbs", "2-ups", "deepest")
OF_30 = 30


def as_the_program(results: Results, subject: str, name: str, auxiliary: str, variant: str | None) -> JobResult:
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
        "95% of means of 30",
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


SHOWN = 200  # campaigns beside the forecast


def forecast(results: Results) -> str:
    """The Plan page's forecast beside campaigns."""
    rows = []
    for subject in TABLES:
        inputs = inputs_of(subject)
        ordinary = expected_half_widths(inputs, BUDGETS, techniques=("rrs", "rra"))
        always = expected_always_half_widths(inputs, BUDGETS)
        for place, budget in enumerate(BUDGETS):
            line = [subject, str(budget)]
            for technique in ("rrs", "rra"):
                watched = results.watched[subject, technique]
                for predicted, kind in ((ordinary, "ordinary"), (always, "always")):
                    found = np.diff(np.array(watched[kind])[:SHOWN, LOOKS.index(budget)]).ravel() / 2
                    line += [points(float(predicted[technique][place])), points(float(found.mean()))]
            rows.append(line)
    head = ["subject", "n"]
    for technique in ("rrs", "rra"):
        head += [f"{technique}: predicted", "found", "always valid: predicted", "found"]
    calibrated = [calibrated_row(subject) for subject in TABLES]
    columns = ["failing as the confidence says", *(f"n = {n}: predicted, found" for n in BUDGETS)]
    return f"""## The forecast before any label

Half the width of the 95% interval in points, as the Plan page predicts it from the confidence alone, and the mean of
{SHOWN} simulated campaigns:

{table(head, rows)}
The forecast takes a network to fail as often as its confidence says. These three fail more often than that
({overconfident()}), so their intervals come out wider; the Plan page says so. Where failures are drawn again by the
confidence itself, rrs's forecast is what campaigns find:

{table(columns, calibrated)}"""


def overconfident() -> str:
    """What the networks' confidences say, and how often they fail."""
    said_so = []
    for subject in TABLES:
        predicted, true = inputs_of(subject).score("confidence").mean(), losses_of(subject).mean()
        said_so.append(f"{subject}: {100 * predicted:.0f}% predicted, {100 * true:.0f}% true")
    return "; ".join(said_so)


def calibrated_row(subject: str) -> list[str]:
    """The forecast of rrs beside campaigns on truth drawn by the confidence."""
    inputs = inputs_of(subject)
    score = inputs.score("confidence")
    redrawn = replace(inputs, losses=(np.random.default_rng(1).random(len(score)) < score).astype(np.float64))
    predicted = expected_half_widths(inputs, BUDGETS, techniques=("rrs",))["rrs"]
    found = [
        float(np.diff(many_stratified(redrawn, Request("rrs", budget, 3), campaigns=SHOWN).score).mean() / 2)
        for budget in BUDGETS
    ]
    return [subject, *(f"{points(float(one))}, {points(other)}" for one, other in zip(predicted, found, strict=True))]


def always_valid(results: Results) -> str:
    """Misses and widths of the always-valid interval."""
    rows = []
    for (subject, technique), watched in sorted(results.watched.items()):
        missed, width, ordinary_width = watched_numbers(watched)
        _, width_in_the_end, ordinary_in_the_end = watched_numbers(watched, max(LOOKS))
        rows.append(
            [
                f"{technique} on {subject}",
                f"{100 * missed:.1f}%",
                points(width),
                points(ordinary_width),
                f"{width / ordinary_width:.2f}",
                f"{width_in_the_end / ordinary_in_the_end:.2f}",
            ]
        )
    planned = f"ratio, n = {max(LOOKS):,}"
    head = ["technique", "always-valid ever misses", f"width, n = {N}", "Wilson's", f"ratio, n = {N}", planned]
    return f"""## Watching and stopping

{WATCHED} campaigns of {max(LOOKS):,} labels; widths in points. The always-valid interval is nested, so a miss at any
label is a miss at the last. Its bets aim at the number of labels planned (decision 66), here {max(LOOKS):,}: at {N} of them
it is wider than where {N} are planned ([fewer labels](fewer-labels.md)). Wilson's, with the effective n, is the measure
of the goal; the ordinary interval of today is wider by 3 to 8% (decision 21). How often the ordinary and the
conservative interval hold the truth at a number of labels fixed in advance is measured on a suite of networks:
[intervals](../intervals.md).

{table(head, rows)}"""


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
                "≤ 5%",
                f"{100 * missed:.1f}%",
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
                "same sign, within 40%",
                f"{line['ours']:+.3f} ({100 * abs(line['ours'] / line['theirs'] - 1):.0f}% off)",
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


def write(results: Results, folder: Path) -> None:
    """The page and its plots."""
    ratio = {
        f"{subject}, confidence": {
            name: [results.need(subject, name, "confidence", n).rmse / srs_error(subject, n) for n in BUDGETS]
            for name in ("rrs", "rra", "css", "ssrs", "gbs", "deepest")
        }
        for subject in TABLES
    }
    curves(folder / "ratio.svg", ratio, "RMSE / RMSE of simple random sampling", log=False, one=True)
    parts = [
        opening(),
        summary(results),
        errors(results),
        always_valid(results),
        as_published(results),
        forecast(results),
        speed(results),
    ]
    write_page(folder / "numbers.md", parts)


def opening() -> str:
    """What the page is."""
    return f"""# What the defaults promise, measured

Made by `make study`; no number measured here is typed by hand. The subjects are D (CIFAR-10, 33,500 inputs) and G
(CIFAR-100, 15,000) of DeepSample and CN12 (CIFAR-10, 10,000) of DeepEST, with confidence.

- **exact**: from a formula and the whole truth; no random error.
- **{COVERAGE + WATCHED:,} campaigns** for rra, one by one: an RMSE carries
  {100 / np.sqrt(2 * (COVERAGE + WATCHED)):.1f}%.
- Random errors are one standard error.
"""


def errors(results: Results) -> str:
    """The ratio of every cell."""
    rows = []
    for subject in TABLES:
        for budget in BUDGETS:
            base = srs_error(subject, budget)
            gbs = results.need(subject, "gbs", "confidence", budget)
            best, name = best_of_papers(results, subject, budget)
            rows.append(
                [
                    subject,
                    str(budget),
                    f"{results.need(subject, 'rrs', 'confidence', budget).rmse / base:.3f}",
                    f"{results.need(subject, 'rra', 'confidence', budget).rmse / base:.3f}",
                    f"{best:.3f} ({name})",
                    f"{gbs.rmse / base:.3f}",
                    f"{100 * gbs.bias:+.2f}",
                ]
            )
    head = ["subject", "n", "rrs, exact", "rra", "best unbiased of the papers", "gbs", "its bias, points"]
    return f"""## Error against simple random sampling

RMSE over that of simple random sampling without replacement. gbs, by its definition, has the best error of the papers;
it is biased, and its interval is not honest, so it is no rival as a default.

{table(head, rows)}
![error over that of simple random sampling](ratio.svg)
"""


def speed(results: Results) -> str:
    """What a study takes."""
    times = 300
    rows = [[name, f"{1000 * each:.1f}", f"{times * each:.1f}"] for name, each in results.speed.items()]
    total = times * sum(results.speed.values())
    return f"""## What a study takes

CPU seconds on subject D (33,500 inputs) at budgets {", ".join(map(str, BUDGETS))}, from {SPEED.repetitions}
repetitions, scaled to {times}. A technique whose larger budgets continue the smaller ones runs one campaign for all
five.

{table(["technique", "ms per repetition, five budgets", f"s for {times} repetitions"], rows)}
All {len(results.speed)} techniques that this table allows: {total:.0f} CPU seconds, {total / 2:.0f} s on two cores. The
numbers behind the study pages took {results.cpu / 60:.0f} minutes of one core.
"""


Numbers = Mapping[str, float]

CAMPAIGN_NUMBERS = Path(__file__).resolve().parents[2] / "docs" / "studies" / "numbers" / "campaigns.json"


def campaign_numbers() -> Mapping[str, Numbers]:
    """By the name of the row, how many campaigns there were and the numbers they come to."""
    found: Mapping[str, Numbers] = json.loads(CAMPAIGN_NUMBERS.read_text(encoding="utf-8"))
    return found
