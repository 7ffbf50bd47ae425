"""How often the defaults' intervals hold the truth, at a fixed number of labels and while watching."""

import numpy as np

from research.studies.jobs import BUDGETS, COVERAGE_MANY, LOOKS, WATCHED
from research.studies.lenets import MODELS
from research.studies.numbers_measured import TABLES, N, ever_missed, watched_numbers
from research.studies.page_text import points, table
from research.studies.results import Results
from research.studies.study_subjects import losses_of


def coverage(results: Results) -> str:
    """How often the intervals hold the truth."""
    rows = []
    for subject in TABLES:
        for budget in BUDGETS:
            cells = [subject, str(budget)]
            for technique in ("rrs", "rra"):
                cell = results.need(subject, technique, "confidence", budget)
                for share in (cell.held, cell.held_korn_graubard):
                    cells.append("–" if share is None else f"{100 * share:.1f} %")
            rows.append(cells)
    more = [
        f"{100 * held:.1f} % on {model} at n = {budget}"
        for model in MODELS
        for budget in (100, 800)
        if (held := results.need(model, "rrs", "confidence", budget).held) is not None
    ]
    now = results.need("CN12", "rrs", "confidence", 800).held
    assert now is not None
    head = ["subject", "n", "rrs: Wilson", "Korn-Graubard", "rra: Wilson", "Korn-Graubard"]
    return f"""## Coverage of the 95 % intervals

These are of the interval that decision 21 replaced, on networks that are not saturated; the present one is wider (its
widths stand in decision 21) and is measured on a suite of networks in [intervals](../intervals.md).

{table(head, rows)}
Where nearly nothing fails, an interval must be wider than it need be: rrs's Wilson interval holds {"; ".join(more)}
(accuracies {", ".join(f"{1 - losses_of(model).mean():.4f}" for model in MODELS)}).

An earlier run of 500 campaigns had 97.6 % for rrs on CN12 at n = 800. That was chance: {COVERAGE_MANY:,} campaigns give
{100 * now:.1f} %, {(0.976 - now) / np.sqrt(now * (1 - now) / 500):.1f} standard errors of 500 below it, in one of
thirty such cells.
"""


def always_valid(results: Results) -> str:
    """Misses and widths of the two kinds of interval."""
    rows = []
    for (subject, technique), watched in sorted(results.watched.items()):
        missed, width, ordinary_width = watched_numbers(watched)
        ordinary = ever_missed(np.array(watched["ordinary"]), watched["truth"])
        rows.append(
            [
                f"{technique} on {subject}",
                f"{100 * missed:.1f} %",
                f"{100 * ordinary:.1f} %",
                points(width),
                points(ordinary_width),
                f"{width / ordinary_width:.2f}",
            ]
        )
    head = ["technique", "always-valid ever misses", "ordinary ever misses", f"width, n = {N}", "Wilson's", "ratio"]
    looks = ", ".join(map(str, LOOKS))
    return f"""## Watching and stopping

{WATCHED} campaigns of {max(LOOKS):,} labels; widths in points. The always-valid interval is nested, so a miss at any
label is a miss at the last. The ordinary one was looked at {len(LOOKS)} times only ({looks} labels), and misses more
often the more one looks.

{table(head, rows)}"""
