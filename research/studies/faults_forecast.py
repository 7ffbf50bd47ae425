"""How far off the forecast of faults is: what Plan says before any label against what came, network by network.

``python -m research.studies.faults_forecast SECONDS`` measures networks that are not kept in ``.studies`` yet, then prints for
each technique how many networks came within a factor 1.35 of the middle and how many within the range: of those by which the
lines were chosen, and of those set aside.
"""

import json
import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any

import numpy as np

from research.studies.study_subjects import kept_folder
from research.studies.width_forecast import WITHIN, every, judges
from testimate.advice.advice import BALANCE
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.metrics.severity import HIGH_FROM
from testimate.planning.build import build
from testimate.planning.expected_faults import ASKED, expected_faults

LABELS, CAMPAIGNS = 200, 4
SIXTEEN_PICKS = {**BALANCE, "zones": 4, "exploit": 16}
TECHNIQUES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "sups": ("sups", {}),
    "rra, 16 picks of 20": ("rra", SIXTEEN_PICKS),
    "most doubtful": ("confidence", {}),
}


def request_of(name: str, seed: int) -> Request:
    """The plan of one of ``TECHNIQUES``."""
    technique, options = TECHNIQUES[name]
    return Request(technique, LABELS, seed, "confidence", options=options)


def found(inputs: Inputs, request: Request) -> tuple[int, int]:
    """Faults, and severe ones, that a campaign finds."""
    assert inputs.losses is not None
    assert inputs.confidence is not None
    selector, rows = build(inputs.without_truth, request), set[int]()
    while draws := selector.ask(ASKED):
        rows.update(draw.row for draw in draws)
        selector.tell([Verdict(draw, float(inputs.losses[draw.row] > 0)) for draw in draws])
    labeled = np.array(sorted(rows), dtype=np.intp)
    fails = inputs.losses[labeled] > 0
    return int(fails.sum()), int((fails & (inputs.confidence[labeled] >= HIGH_FROM)).sum())


def measured(inputs: Inputs) -> dict[str, list[float]]:
    """By technique, faults and severe ones: the mean that came, then the low, middle and high number predicted."""
    numbers = {}
    for name in TECHNIQUES:
        came = np.mean([found(inputs, request_of(name, seed)) for seed in range(CAMPAIGNS)], axis=0)
        for severe in (False, True):
            said = expected_faults(inputs.without_truth, request_of(name, 0), severe=severe)
            assert said is not None
            numbers[f"{name}, {'severe' if severe else 'all'}"] = [float(came[int(severe)]), *map(float, said)]
    return numbers


def main(seconds: float) -> None:
    """Measures and prints."""
    until, file = monotonic() + seconds, kept_folder() / "faults_forecast.json"
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for network in sorted(every(), key=lambda one: not judges(one.name)):
        if network.name not in kept and monotonic() < until:
            kept[network.name] = measured(network.inputs())
            file.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(f"| networks | technique, faults | within {WITHIN} | in the range | of | came / middle |\n{6 * '|---'}|")
    for aside in (False, True):
        group = [one for name, one in kept.items() if judges(name) == aside]
        for key in group[0] if group else ():
            came, low, middle, high = np.array([one[key] for one in group]).T
            near = np.abs(np.log(np.maximum(came, 1) / np.maximum(middle, 1))) <= np.log(WITHIN)
            inside = (low <= came) & (came <= high)
            ratios = ", ".join(f"{one:.2f}" for one in np.maximum(came, 1) / np.maximum(middle, 1))
            who = "set aside" if aside else "chosen by"
            print(f"| {who} | {key} | {near.sum()} | {inside.sum()} | {len(group)} | {ratios} |")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0)
