"""What other models save beside what is known of them before any label: the table and the numbers of decision 166.

``python -m research.studies.others_saving measure SECONDS`` measures further pairs of networks and keeps them in
``.studies``; begun again it goes on where it was. ``python -m research.studies.others_saving`` prints each pair as it is
predicted from those of other data, and the numbers of ``testimate.planning.other_models``.
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from research.methods.rounds_error import rounds_variance
from research.studies.other_models_page import LABELS, lenet, other_of
from research.studies.plan_range import reading_letters
from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.demos.comparison_models import NINE, glyph_outputs
from testimate.planning.needs import COMBINED
from testimate.planning.other_models import WIDEST_GAP, confidence_gap, with_others

CAMPAIGNS = 4
NETWORKS = ("LeNet-1", "LeNet-5", "mutant1")
BROKEN = "mutant1"
"""Made wrong and sure on purpose: no confidence tells it from a good network, so its pairs do not set the range."""

EVERY = 3
"""Of the pairs of letters every third is measured."""

FILE = kept_folder() / "others_saving.json"


@dataclass(frozen=True)
class Pair:
    """A network over a data set, and another one beside it."""

    name: str
    data: str
    alone: Callable[[], Inputs]
    other: Callable[[], OtherModel]


def pairs() -> Iterator[Pair]:
    """E beside D and H beside G, networks of MNIST beside each other, and readers of letters."""
    yield Pair("D with E", "CIFAR-10", partial(inputs_of, "D"), partial(other_of, "D"))
    yield Pair("G with H", "CIFAR-100", partial(inputs_of, "G"), partial(other_of, "G"))
    for one in NETWORKS:
        for other in NETWORKS:
            if one != other:
                yield Pair(f"{one} with {other}", "MNIST", partial(lenet, one), partial(_said_by, other))
    for place in range(0, len(NINE) ** 2, EVERY):
        model, other = NINE[place // len(NINE)].name, NINE[place % len(NINE)].name
        if model != other:
            yield Pair(
                f"letters, {model} with {other}", "letters", partial(reading_letters, model), partial(_reader, other)
            )


def _said_by(name: str) -> OtherModel:
    said = lenet(name)
    return OtherModel(name, said.predictions, said.confidence)


def _reader(name: str) -> OtherModel:
    return OtherModel(name, *glyph_outputs(name))


@cache
def _mean_variance(alone: Callable[[], Inputs]) -> float:
    return float(np.mean([rounds_variance(alone(), Request("rra", LABELS, seed)) for seed in range(CAMPAIGNS)]))


def measured(pair: Pair) -> list[float]:
    """How much more confident the other one is, and the log of the labels needed with it over those without, by rra."""
    inputs = with_others(pair.alone(), [pair.other()])
    seeds = range(CAMPAIGNS)
    helped = np.mean([rounds_variance(inputs, Request("rra", LABELS, seed, COMBINED)) for seed in seeds])
    gap = confidence_gap(inputs)
    assert gap is not None
    return [gap, float(np.log(helped / _mean_variance(pair.alone)))]


def kept() -> dict[str, list[float]]:
    """What was measured, by the pair's name."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


def measure(seconds: float) -> None:
    """Pairs that are not kept yet, until the time is up."""
    until = monotonic() + seconds
    for pair in pairs():
        found = kept()
        if pair.name not in found:
            FILE.write_text(json.dumps({**found, pair.name: measured(pair)}, indent=1), encoding="utf-8")
        if monotonic() > until:
            return


def line_of(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intercept and slope of the logs in the gap, by least squares."""
    design = np.column_stack([np.ones(len(table)), table[:, 0].clip(-WIDEST_GAP, WIDEST_GAP)])
    return np.asarray(np.linalg.lstsq(design, table[:, 1], rcond=None)[0], dtype=np.float64)


def show() -> None:
    """Prints each pair as predicted without its family, and what is taken from all."""
    found = kept()
    chosen = [pair for pair in pairs() if pair.name in found]
    table = np.array([found[pair.name] for pair in chosen])
    data = np.array([pair.data for pair in chosen])
    sound = np.array([BROKEN not in pair.name for pair in chosen])
    off, by_middle = np.zeros(len(chosen)), np.zeros(len(chosen))
    print("| network | gap | expected | saved |\n|---|---|---|---|")
    for place, pair in enumerate(chosen):
        line = line_of(table[data != pair.data])
        expected = line @ [1, np.clip(table[place, 0], -WIDEST_GAP, WIDEST_GAP)]
        off[place] = table[place, 1] - expected
        by_middle[place] = table[place, 1] - np.median(table[data != pair.data, 1])
        told, came = (100 * (1 - np.exp(one)) for one in (expected, table[place, 1]))
        print(f"| {pair.name} | {table[place, 0]:+.2f} | {told:.0f} % | {came:.0f} % |")
    low, high = np.quantile(off[sound], [0.05, 0.95])
    print(
        f"\nmedian distance of the logs {np.median(np.abs(off[sound])):.3f}, by the middle of the others alone "
        f"{np.median(np.abs(by_middle[sound])):.3f}; {((off >= low) & (off <= high)).sum()} of {len(off)} in the range"
    )
    intercept, slope = line_of(table)
    print(f"SAVING = ({intercept:.2f}, {slope:.2f}, {low:.2f}, {high:.2f})")


if __name__ == "__main__":
    measure(float(sys.argv[2])) if sys.argv[1:2] == ["measure"] else show()
