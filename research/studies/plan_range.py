"""How far off Plan's forecast of a width is, by network, and the range that holds on others: the table of decision 106.

``python -m research.studies.plan_range [CAMPAIGNS] [TECHNIQUE ...]`` prints the ratios of found to expected
widths and what the range held.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import t

from research.studies.other_models_page import lenet, letters
from research.studies.study_subjects import inputs_of
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.demos.comparison_models import NINE, glyph_outputs
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.forecast import expected_always_half_widths, expected_half_widths
from testimate.planning.resolved import resolve
from testimate.studies.campaign import known_losses

LABELS = 200
TECHNIQUES = ("rra", "rrs", "srs")
NINE_OF_TEN = 0.9


@dataclass(frozen=True)
class Ratio:
    """Found over expected width of one network and technique, and of which data the network is."""

    network: str
    data: str
    technique: str
    stop_safe: float
    ordinary: float


def networks() -> Iterator[tuple[str, str, Inputs]]:
    """A name, what data it is of, and the inputs with their truth."""
    for name, data in (("D", "CIFAR-10 of DeepSample"), ("G", "CIFAR-100"), ("CN12", "CIFAR-10 of DeepEST")):
        yield name, data, inputs_of(name)
    for name in ("LeNet-1", "LeNet-5", "mutant1"):
        yield name, "MNIST", lenet(name)
    for model in NINE:
        yield f"letters, {model.name}", "letters", as_model(letters(), *glyph_outputs(model.name), model.name)


def as_model(inputs: Inputs, predictions: object, confidence: object, name: str) -> Inputs:
    """The same inputs with another model's predictions (N,) and confidence (N,), and nothing else."""
    said, sure = np.asarray(predictions), np.asarray(confidence, dtype=np.float64)
    assert inputs.truth is not None
    return replace(
        inputs,
        fingerprint=name,
        predictions=said,
        confidence=sure,
        probabilities=None,
        scores={"confidence": 1 - sure},
        features={},
        losses=inputs.task.losses(said, inputs.truth),
    )


def ratio_of(name: str, data: str, inputs: Inputs, technique: str, campaigns: int) -> Ratio:
    """Means over seeded campaigns of 200 labels."""
    losses, found = known_losses(inputs), []
    for seed in range(campaigns):
        request = Request(technique, LABELS, seed)
        selector = build(inputs, request, resolve(inputs, request))
        verdicts: list[Verdict] = []
        while selector.remaining:
            told = [Verdict(draw, float(losses[draw.row])) for draw in selector.ask(selector.remaining)]
            selector.tell(told)
            verdicts += told
        one = estimator_of(selector.design).estimate(selector.design, verdicts)
        found.append([one.always_half_width or np.nan, one.half_width or np.nan])
    safe, ordinary = np.mean(found, axis=0)
    chosen = Request(technique, LABELS, 0)
    told_safe, told_ordinary = (
        float(expected(inputs, [LABELS], techniques=(technique,), chosen=chosen)[technique][0])
        for expected in (expected_always_half_widths, expected_half_widths)
    )
    return Ratio(name, data, technique, safe / told_safe, ordinary / told_ordinary)


def held(ratios: list[Ratio], attribute: str) -> tuple[float, float, float, int]:
    """Least and greatest factor of the range fitted on all, and of the networks how many lie in that fitted without their data.

    The range is that of a normal law of the logarithms whose mean and spread are estimated: mean +- t sd sqrt(1 + 1 / k).
    """
    logs = np.log([getattr(one, attribute) for one in ratios])
    data = np.array([one.data for one in ratios])
    inside = 0
    for one, kind in zip(logs, data, strict=True):
        low, high = fitted(logs[data != kind])
        inside += bool(low <= one <= high)
    low, high = fitted(logs)
    return float(np.exp(low)), float(np.exp(high)), inside / len(logs), inside


def fitted(logs: np.ndarray) -> tuple[float, float]:
    """Ends of the range that is to hold nine of ten further ones."""
    count = len(logs)
    reach = float(t.ppf((1 + NINE_OF_TEN) / 2, count - 1)) * logs.std(ddof=1) * np.sqrt(1 + 1 / count)
    return float(logs.mean() - reach), float(logs.mean() + reach)


def main(campaigns: int, techniques: tuple[str, ...]) -> None:
    """Prints a row for each network, then for each technique the range and what it held."""
    print("| network | " + " | ".join(f"{name} stop-safe, ordinary" for name in techniques) + " |")
    print((1 + len(techniques)) * "|---" + "|")
    found: dict[str, list[Ratio]] = {name: [] for name in techniques}
    for name, data, inputs in networks():
        cells = []
        for technique in techniques:
            one = ratio_of(name, data, inputs, technique, campaigns)
            found[technique].append(one)
            cells.append(f"{one.stop_safe:.2f}, {one.ordinary:.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print("\n| technique | interval | range | networks held |\n|---|---|---|---|")
    for technique, ratios in found.items():
        for attribute in ("stop_safe", "ordinary"):
            low, high, _, inside = held(ratios, attribute)
            print(f"| {technique} | {attribute} | {low:.2f} to {high:.2f} | {inside} of {len(ratios)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6, tuple(sys.argv[2:]) or TECHNIQUES)
