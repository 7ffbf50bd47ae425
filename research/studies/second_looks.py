"""How well second looks correct testers' errors: the table of decision 63.

``python -m research.studies.second_looks [CAMPAIGNS]`` prints it; 400 campaigns a row take about twenty minutes on one core.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies import interval_suite, study_subjects
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.planning.second_look import corrected, second_looks
from testimate.studies.campaign import known_losses

LABELS, LOOKS = 200, 40


@dataclass(frozen=True)
class Held:
    """What ``campaigns`` of one technique and share of wrong answers gave.

    Attributes
    ----------
    right, plain, corrected : root mean squared error with right answers, with wrong ones, and corrected, over the exact one of
        simple random sampling without replacement.
    plain_held, corrected_held : share of campaigns whose 95% interval held the truth, 0 to 1.
    width : mean width of the corrected interval over that of the plain one.
    plain_bias, corrected_bias : mean error over its standard error.
    """

    right: float
    plain: float
    corrected: float
    plain_held: float
    corrected_held: float
    width: float
    plain_bias: float
    corrected_bias: float


def campaign(
    inputs: Inputs,
    technique: str,
    errors: float,
    seed: int,
    changed: Mapping[str, Any] = MappingProxyType({}),
) -> list[float]:
    """One campaign of 200 labels of which a share of ``errors`` (0 to 1) is wrong and 40 are looked at again, without error.

    ``changed``: resolved settings that differ, as ``rounds_ahead``. Returns the errors of the accuracy with right answers, with
    wrong ones and corrected, whether the plain and the corrected interval held, and their widths.
    """
    losses = known_losses(inputs)
    accuracy, rng = 1 - losses.mean(), np.random.default_rng([17, seed])
    request = Request(technique, LABELS, seed)
    selector = build(inputs, request, {**resolve(inputs, request), **changed} if changed else None)
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    design = selector.design
    said = [replace(one, loss=1 - float(one.loss or 0.0)) if rng.random() < errors else one for one in verdicts]
    estimator = estimator_of(design)
    right = estimator.estimate(design, verdicts, always_valid=False)
    plain = estimator.estimate(design, said, always_valid=False)
    drawn = second_looks(inputs, design, said, LOOKS, seed)
    looks = tuple(replace(look, loss=float(losses[look.row])) for look in drawn.looks)
    better = corrected(inputs, design, said, plain, replace(drawn, looks=looks)).estimate
    ends = [end for one in (plain, better) for end in (one.low, one.high)]
    low, high, better_low, better_high = [float(end) for end in ends if end is not None]
    return [
        right.accuracy - accuracy,
        plain.accuracy - accuracy,
        better.accuracy - accuracy,
        float(low <= accuracy <= high),
        float(better_low <= accuracy <= better_high),
        high - low,
        better_high - better_low,
    ]


def measure(inputs: Inputs, technique: str, errors: float, campaigns: int) -> Held:
    """Campaigns of 200 labels of which a share of ``errors`` (0 to 1) is wrong and 40 are looked at again, without error."""
    return summary(inputs, np.array([campaign(inputs, technique, errors, seed) for seed in range(campaigns)]))


def summary(inputs: Inputs, table: NDArray[np.float64]) -> Held:
    """What the rows (campaigns, 7) of ``campaign`` come to."""
    losses = known_losses(inputs)
    size, accuracy, campaigns = len(losses), 1 - losses.mean(), len(table)
    at_random = np.sqrt(losses.mean() * accuracy / LABELS * (size - LABELS) / (size - 1))
    right_error, plain_error, better_error = np.sqrt((table[:, :3] ** 2).mean(axis=0)) / at_random
    bias = table[:, :3].mean(axis=0) / (table[:, :3].std(axis=0) / np.sqrt(campaigns))
    return Held(
        *(right_error, plain_error, better_error, table[:, 3].mean(), table[:, 4].mean()),
        *(table[:, 6].mean() / table[:, 5].mean(), bias[1], bias[2]),
    )


def subjects() -> dict[str, Inputs]:
    """Inputs with their truth, by the words of the table."""
    return {
        "CN12": study_subjects.inputs_of("CN12"),
        "D": study_subjects.inputs_of("D"),
        "temperature 3, right on 94.9%": interval_suite.inputs_of("temperature 3", 10_000),
    }


def main(campaigns: int) -> None:
    """Prints a row for each subject, technique and share of wrong answers."""
    print("| subject | technique | errors | right answers | plain | corrected | plain held | corrected held | width |")
    print(9 * "|---" + "|")
    for name, inputs in subjects().items():
        for technique in ("srs", "rrs", "rra"):
            for errors in (0.02, 0.05):
                found = measure(inputs, technique, errors, campaigns)
                shares = [f"{100 * share:.1f}%" for share in (found.plain_held, found.corrected_held)]
                parts = [f"{part:.2f}" for part in (found.right, found.plain, found.corrected)]
                cells = [name, technique, f"{100 * errors:.0f}%", *parts, *shares, f"x {found.width:.2f}"]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
