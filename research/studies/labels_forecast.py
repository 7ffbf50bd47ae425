"""How far Label's forecast of the labels to come is off: the table of decision 165.

``python -m research.studies.labels_forecast [CAMPAIGNS]`` prints it.
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import chain

import numpy as np

from research.studies.other_models_page import lenet, letters
from research.studies.study_subjects import inputs_of
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.estimators.labels_needed import stop_safe_labels_needed
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.reports.words import STEADY_FROM, steadied
from testimate.studies.campaign import known_losses

TECHNIQUES = ("rra", "rrs", "srs")
SUBJECTS = {
    **dict.fromkeys(("CN12", "G", "D"), (0.09, 0.07, 0.06)),
    **dict.fromkeys(("letters", "LeNet-1", "LeNet-5"), (0.05, 0.04)),
}
"""Half-widths that are waited for; on the last three networks nothing of the forecast was tried while it was made."""

LABELS, AIMED_AT, EVERY = 500, 200, 10


def looks(inputs: Inputs, technique: str, seed: int, half_width: float) -> list[tuple[float, float, bool]]:
    """Labels in all over those that came, by the fresh and by the steady forecast, and whether the range held them: at each
    look of one campaign."""
    losses, request = known_losses(inputs), Request(technique, LABELS, seed)
    selector = build(inputs, request, {**resolve(inputs, request), "aimed_at": AIMED_AT})
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    trail = always_valid_trail(selector.design, verdicts)
    narrow = np.flatnonzero(trail[:, 1] - trail[:, 0] <= 2 * half_width)
    found: list[tuple[float, float, bool]] = []
    steady: int | None = None
    for count in range(STEADY_FROM, int(narrow[0]) + 1 if narrow.size else 0, EVERY):
        estimate = estimator_of(selector.design).estimate(selector.design, verdicts[:count])
        fresh = stop_safe_labels_needed(estimate, selector.design, verdicts[:count], half_width)
        if fresh is None or not fresh.middle:
            break
        steady = steadied(None if steady is None else max(steady - EVERY, 1), fresh.middle) or fresh.middle
        came = int(narrow[0]) + 1
        held = count + fresh.low <= came <= count + fresh.high
        found.append(((count + fresh.middle) / came, (count + steady) / came, held))
    return found


def main(campaigns: int) -> None:
    """Prints a row for each technique, subject and width."""
    head = "technique | subject | half-width | looks | mean | mean distance, fresh -> steady | nine looks of ten | range held"
    print(f"| {head} |\n{8 * '|---'}|")
    for technique in TECHNIQUES:
        for subject, half_widths in SUBJECTS.items():
            made: dict[str, Callable[[], Inputs]] = {
                "letters": letters,
                "LeNet-1": partial(lenet, subject),
                "LeNet-5": partial(lenet, subject),
            }
            inputs = made.get(subject, partial(inputs_of, subject))()
            for half_width in half_widths:
                each = [looks(inputs, technique, seed, half_width) for seed in range(campaigns)]
                found = np.array([one for campaign in each for one in campaign]).reshape(-1, 3)
                off = 100 * np.abs(found[:, :2] - 1)
                fresh, steady = off.mean(axis=0)
                cells = [technique, subject, f"{half_width}", f"{len(found)}", f"{found[:, 1].mean():.2f}"]
                cells += [f"{fresh:.1f} -> {steady:.1f}%", f"{np.quantile(off[:, 1], 0.9):.0f}%"]
                cells.append(f"{100 * found[:, 2].mean():.0f}%")
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
