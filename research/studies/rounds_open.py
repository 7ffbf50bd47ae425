"""What it costs that more rounds are open, with ten zones and with five: the table of decision 67.

``python -m research.studies.rounds_open [CAMPAIGNS]`` prints it, and with ``--coverage`` how often the intervals of rra hold
over the suite of docs/intervals.md with as many rounds open as sessions have.
"""

import argparse

from research.methods.exact import exact_error, rounds_error
from research.studies.interval_campaigns import measure_rounds
from research.studies.interval_suite import inputs_of as inputs_of_population
from research.studies.measure_coverage import plan
from research.studies.stop_safe_width import LOOKS, PLANNED, measure
from research.studies.study_subjects import inputs_of
from testimate.core.selector import Request
from testimate.selectors.base import rounds_open

SUBJECTS = ("D", "G", "CN12")
SETTINGS = ((10, 2), (10, rounds_open(10)), (5, 2), (5, rounds_open(5)))
"""Zones of a round, and rounds that are open."""

COLUMNS = (
    *("subject", "zones", "rounds open", "error at 100", "error at 200", "±", "width at 200"),
    *("stop-safe, at 50, 100, 200, 400", "outside"),
)
BUDGETS = (100, 200)
ERRORS = 12
"""Campaigns for an error: each gives the exact variances of its rounds."""


def main(campaigns: int) -> None:
    """Prints a row for each subject and setting: errors over simple random sampling's, stop-safe widths."""
    print(f"| {' | '.join(COLUMNS)} |")
    print(len(COLUMNS) * "|---" + "|")
    for subject in SUBJECTS:
        inputs = inputs_of(subject)
        simple = {budget: exact_error(inputs, Request("srs", budget, 1)) or 0.0 for budget in BUDGETS}
        for zones, ahead in SETTINGS:
            options, changed = {"zones": zones}, {"rounds_ahead": ahead}
            errors = {
                budget: rounds_error(
                    inputs, Request("rra", budget, 1, options=options), campaigns=ERRORS, changed=changed
                )
                for budget in BUDGETS
            }
            parts = [f"{errors[budget][0] / simple[budget]:.3f}" for budget in BUDGETS]
            scatter = f"{2 * errors[PLANNED][1] / simple[PLANNED]:.3f}"
            found = measure(inputs, "rra", campaigns, options, changed)
            ratios = ", ".join(f"{ratio:.2f}" for ratio in found.aimed[: len(LOOKS)])
            cells = [subject, str(zones), str(ahead), *parts, scatter, f"{100 * found.ordinary:.1f}", ratios]
            print(f"| {' | '.join(cells)} | {100 * found.aimed_outside:.1f}% |", flush=True)


LARGEST = 10_000
"""Inputs of the populations up to which the coverage is measured."""


def coverage(campaigns: int) -> None:
    """Prints a row for each cell of the suite: how often the ordinary and the conservative interval hold, and their widths."""
    print("| population | inputs | labels | ordinary | conservative | width | conservative width |")
    print(7 * "|---" + "|")
    for cell, _ in plan():
        if cell.technique != "rra" or cell.watched or cell.model or cell.size > LARGEST:
            continue
        found = measure_rounds(inputs_of_population(cell.population, cell.size), cell, campaigns, ahead=rounds_open(10))
        for labels, held in found.items():
            numbers = [held[name] for name in ("held", "careful_held", "width", "careful_width")]
            shown = " | ".join(f"{number:.4f}" for number in numbers)
            print(f"| {cell.population} | {cell.size} | {labels} | {shown} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaigns", type=int, nargs="?", default=100)
    parser.add_argument("--coverage", action="store_true")
    asked = parser.parse_args()
    (coverage if asked.coverage else main)(asked.campaigns)
