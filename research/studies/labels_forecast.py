"""How far Label's forecast of the labels to come is off: the table of decision 165.

``python -m research.studies.labels_forecast [CAMPAIGNS]`` prints it.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import numpy as np

from research.studies.interval_suite import HARD
from research.studies.interval_suite import inputs_of as inputs_of_population
from research.studies.other_models_page import lenet, letters
from research.studies.study_subjects import inputs_of
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.estimators.labels_needed import stop_safe_labels_needed
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.expected_range import line_labels
from testimate.reports.words import STEADY_FROM, steadied
from testimate.studies.campaign import known_losses

TECHNIQUES = ("rra", "rrs", "srs")
SUBJECTS = {
    **dict.fromkeys(("CN12", "G", "D"), (0.09, 0.07, 0.06)),
    **dict.fromkeys(("letters", "LeNet-1", "LeNet-5"), (0.05, 0.04)),
    **dict.fromkeys(("rot of 2.0%", "rot of 4.0%", "98% sure"), (0.06, 0.045)),
}
"""Half-widths that are waited for. Nothing of the bets' forecast was tried on the letters and the LeNets while it was made;
the last three are made networks with faults where they are sure, of docs/intervals.md."""

LABELS, AIMED_AT, EVERY = 500, 200, 10


Look = tuple[int, float, float, bool]
"""Labels so far; labels in all over those that came, by the fresh and by the steady forecast; whether the range held them."""


def looks(inputs: Inputs, technique: str, seed: int, half_width: float) -> list[Look]:
    """Each look of one campaign."""
    losses, request = known_losses(inputs), Request(technique, LABELS, seed)
    selector = build(inputs, request, {**resolve(inputs, request), "aimed_at": AIMED_AT})
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    trail = always_valid_trail(selector.design, verdicts)
    narrow = np.flatnonzero(trail[:, 1] - trail[:, 0] <= 2 * half_width)
    lines = line_labels(inputs, half_width, request)
    found: list[Look] = []
    steady: int | None = None
    for count in range(EVERY, int(narrow[0]) + 1 if narrow.size else 0, EVERY):
        estimate = estimator_of(selector.design).estimate(selector.design, verdicts[:count])
        fresh = stop_safe_labels_needed(estimate, selector.design, verdicts[:count], half_width)
        if count < STEADY_FROM and lines is not None:
            rows = [one.draw.row for one in verdicts[:count]]
            fresh = lines.ahead(fresh, rows, losses[rows].tolist())
        if fresh is None or not fresh.middle:
            break
        before = None if steady is None or count <= STEADY_FROM else max(steady - EVERY, 1)
        steady = steadied(before, fresh.middle) or fresh.middle
        came = int(narrow[0]) + 1
        held = count + fresh.low <= came <= count + fresh.high
        found.append((count, (count + fresh.middle) / came, (count + steady) / came, held))
    return found


def main(campaigns: int, techniques: Sequence[str]) -> None:
    """Prints a row for each technique, subject and width."""
    columns = (
        "technique",
        "subject",
        "half-width",
        "looks",
        "mean",
        "mean distance, fresh -> steady",
        "nine looks of ten",
    )
    print(f"| {' | '.join((*columns, 'range held', f'before {STEADY_FROM} labels'))} |\n{9 * '|---'}|")
    for technique in techniques:
        for subject, half_widths in SUBJECTS.items():
            inputs = opened(subject)
            for half_width in half_widths:
                each = [looks(inputs, technique, seed, half_width) for seed in range(campaigns)]
                found = np.array([one for campaign in each for one in campaign]).reshape(-1, 4)
                print(row(f"{technique} | {subject} | {half_width}", found), flush=True)


def opened(subject: str) -> Inputs:
    """The inputs of one of ``SUBJECTS``."""
    made: dict[str, Callable[[], Inputs]] = {
        "letters": letters,
        "LeNet-1": partial(lenet, subject),
        "LeNet-5": partial(lenet, subject),
        **{one.name: partial(inputs_of_population, one.name, 10_000) for one in HARD},
    }
    return made.get(subject, partial(inputs_of, subject))()


def row(name: str, looked: np.ndarray) -> str:
    """One row of the table, from its looks (L, 4)."""
    early, found = looked[looked[:, 0] < STEADY_FROM], looked[looked[:, 0] >= STEADY_FROM]
    before = f"{100 * early[:, 3].mean():.0f}% of {len(early)}" if len(early) else ""
    if not len(found):
        return f"| {name} | 0 | | | | | {before} |"
    off = 100 * np.abs(found[:, 1:3] - 1)
    fresh, steady = off.mean(axis=0)
    cells = [name, f"{len(found)}", f"{found[:, 2].mean():.2f}", f"{fresh:.1f} -> {steady:.1f}%"]
    cells += [f"{np.quantile(off[:, 1], 0.9):.0f}%", f"{100 * found[:, 3].mean():.0f}%", before]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, sys.argv[2:] or TECHNIQUES)
