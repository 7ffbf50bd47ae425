"""How wide the stop-safe interval is beside the ordinary one, with aimed bets and without: the table of decision 66.

``python -m research.studies.stop_safe_width [CAMPAIGNS] [TECHNIQUE ...]`` prints it; 400 campaigns a row take about twenty
minutes on one core.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.study_subjects import inputs_of
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import always_valid_trail
from testimate.planning.build import build, resolve
from testimate.planning.draws import verdicts_to_the_end
from testimate.studies.campaign import known_losses

SUBJECTS = ("D", "G", "CN12")
TECHNIQUES = ("rra", "rrs", "srs", "sups")
PLANNED = 200
LOOKS = (50, 100, 200, 400)
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Widths:
    """Of campaigns planned for 200 labels that went on to 400.

    Attributes
    ----------
    ordinary : mean width of the ordinary interval at 200 labels.
    constant, aimed : mean width of the stop-safe interval at the ``LOOKS`` over that of the ordinary one there, (4,).
    constant_outside, aimed_outside : share of campaigns in which it was ever wrong.
    """

    ordinary: float
    constant: NDArray[np.float64]
    aimed: NDArray[np.float64]
    constant_outside: float
    aimed_outside: float


def campaign(
    inputs: Inputs,
    technique: str,
    seed: int,
    options: Mapping[str, Any] = MappingProxyType({}),
    changed: Mapping[str, Any] = MappingProxyType({}),
    *,
    aims: tuple[int | None, ...] = (PLANNED,),
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """One campaign of 400 labels planned for 200, with A aims.

    Returns the ordinary widths (4,) and the stop-safe ones (A, 4) at the ``LOOKS``, and whether these were ever wrong (A,).
    """
    losses = known_losses(inputs)
    truth = 1 - float(losses.mean())
    request = Request(technique, LOOKS[-1], seed, options=options)
    selector = build(inputs, request, {**resolve(inputs, request), "aimed_at": PLANNED, **changed})
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, losses))]
    estimator = estimator_of(selector.design)
    found = [estimator.estimate(selector.design, verdicts[:n], always_valid=False) for n in LOOKS]
    trails = np.array([always_valid_trail(replace(selector.design, aimed_at=aim), verdicts) for aim in aims])
    low, high = trails[..., 0], trails[..., 1]
    wrong = np.asarray(np.any((low > truth + ROUNDING) | (high < truth - ROUNDING), axis=1))
    ordinary = np.array([float(one.high or 0) - float(one.low or 0) for one in found])
    return ordinary, (high - low)[:, np.array(LOOKS) - 1], wrong


def measure(
    inputs: Inputs,
    technique: str,
    campaigns: int,
    options: Mapping[str, Any] = MappingProxyType({}),
    changed: Mapping[str, Any] = MappingProxyType({}),
) -> Widths:
    """Seeded campaigns of one technique with these options; ``changed``: other settings that differ from those resolved."""
    found = [campaign(inputs, technique, seed, options, changed, aims=(None, PLANNED)) for seed in range(campaigns)]
    ordinary, stop_safe, outside = ([one[part] for one in found] for part in range(3))
    widths, shares = np.mean(ordinary, axis=0), np.mean(outside, axis=0)
    constant, aimed = np.mean(stop_safe, axis=0) / widths
    return Widths(float(widths[LOOKS.index(PLANNED)]), constant, aimed, float(shares[0]), float(shares[1]))


def main(campaigns: int, techniques: tuple[str, ...]) -> None:
    """Prints a row for each technique and subject, and the mean over the subjects at the number planned."""
    at = LOOKS.index(PLANNED)
    print(f"| technique | subject | ordinary at {PLANNED} | {' | '.join(map(str, LOOKS))} | ever outside |")
    print(7 * "|---" + "|---|")
    for technique in techniques:
        found = []
        for subject in SUBJECTS:
            one = measure(inputs_of(subject), technique, campaigns)
            found.append(one)
            pairs = [f"{before:.2f} -> {now:.2f}" for before, now in zip(one.constant, one.aimed, strict=True)]
            missed = f"{100 * one.constant_outside:.1f} -> {100 * one.aimed_outside:.1f}%"
            cells = [technique, subject, f"{100 * one.ordinary:.1f} points", *pairs, missed]
            print(f"| {' | '.join(cells)} |", flush=True)
        total = sum(one.ordinary for one in found)
        before, now = (
            sum(one.ordinary * ratio[at] for one, ratio in zip(found, ratios, strict=True)) / total
            for ratios in ([one.constant for one in found], [one.aimed for one in found])
        )
        print(
            f"| {technique} | all: ratio of mean widths at {PLANNED} | | | | {before:.2f} -> {now:.2f} | | |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, tuple(sys.argv[2:]) or TECHNIQUES)
