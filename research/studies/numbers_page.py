"""Writes docs/studies/numbers.md: what the defaults promise, each number beside what was measured and its random error."""

from pathlib import Path

import numpy as np

from research.studies.jobs import BUDGETS, COVERAGE, SPEED, WATCHED
from research.studies.numbers_as_published import as_published
from research.studies.numbers_forecast import forecast
from research.studies.numbers_intervals import always_valid
from research.studies.numbers_measured import TABLES, best_of_papers
from research.studies.numbers_promises import summary
from research.studies.page_plots import curves
from research.studies.page_text import table, write_page
from research.studies.results import Results, srs_error


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
  {100 / np.sqrt(2 * (COVERAGE + WATCHED)):.1f} %.
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
