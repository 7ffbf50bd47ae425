"""How well second looks correct testers' errors: the table of decision 63.

``python -m research.studies.second_looks [CAMPAIGNS]`` prints it; 400 campaigns a row take about twenty minutes on one core.
"""

import sys
from dataclasses import dataclass, replace

import numpy as np

from research.studies import interval_suite, study_subjects
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.second_look import corrected, second_looks
from testimate.studies.campaign import known_losses, label

LABELS, LOOKS = 200, 40


@dataclass(frozen=True)
class Held:
    """What ``campaigns`` of one technique and share of wrong answers gave.

    Attributes
    ----------
    right, plain, corrected : root mean squared error with right answers, with wrong ones, and corrected, over the exact one of
        simple random sampling without replacement.
    plain_held, corrected_held : share of campaigns whose 95 % interval held the truth, 0 to 1.
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


def measure(inputs: Inputs, technique: str, errors: float, campaigns: int) -> Held:
    """Campaigns of 200 labels of which a share of ``errors`` (0 to 1) is wrong and 40 are looked at again, without error."""
    losses = known_losses(inputs)
    size, accuracy = len(losses), 1 - losses.mean()
    at_random = np.sqrt(losses.mean() * accuracy / LABELS * (size - LABELS) / (size - 1))
    found: list[list[float]] = []
    for seed in range(campaigns):
        rng = np.random.default_rng([17, seed])
        made = label(inputs, Request(technique, LABELS, seed), losses)
        said = [
            replace(one, loss=1 - float(one.loss or 0.0)) if rng.random() < errors else one for one in made.verdicts
        ]
        estimator = estimator_of(made.design)
        right = estimator.estimate(made.design, list(made.verdicts), always_valid=False)
        plain = estimator.estimate(made.design, said, always_valid=False)
        drawn = second_looks(inputs, made.design, said, LOOKS, seed)
        looks = tuple(replace(look, loss=float(losses[look.row])) for look in drawn.looks)
        better = corrected(inputs, made.design, said, plain, replace(drawn, looks=looks)).estimate
        ends = [end for one in (plain, better) for end in (one.low, one.high)]
        low, high, better_low, better_high = [float(end) for end in ends if end is not None]
        found.append(
            [
                right.accuracy - accuracy,
                plain.accuracy - accuracy,
                better.accuracy - accuracy,
                low <= accuracy <= high,
                better_low <= accuracy <= better_high,
                high - low,
                better_high - better_low,
            ]
        )
    table = np.array(found)
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
        "temperature 3, right on 94.9 %": interval_suite.inputs_of("temperature 3", 10_000),
    }


def main(campaigns: int) -> None:
    """Prints a row for each subject, technique and share of wrong answers."""
    print("| subject | technique | errors | right answers | plain | corrected | plain held | corrected held | width |")
    print(9 * "|---" + "|")
    for name, inputs in subjects().items():
        for technique in ("srs", "rrs", "rra"):
            for errors in (0.02, 0.05):
                found = measure(inputs, technique, errors, campaigns)
                shares = [f"{100 * share:.1f} %" for share in (found.plain_held, found.corrected_held)]
                parts = [f"{part:.2f}" for part in (found.right, found.plain, found.corrected)]
                cells = [name, technique, f"{100 * errors:.0f} %", *parts, *shares, f"x {found.width:.2f}"]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
