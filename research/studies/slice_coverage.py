"""How often the intervals of slices by predicted class hold: campaigns on subjects with known truth, kept in blocks of 100.

`python -m research.studies.slice_coverage` runs what is not kept yet, in blocks of 100 campaigns, and prints a line for each
subject, technique and number of labels: of the classes with at least 20 labels, pooled, how many intervals hold the true
accuracy, the least of a single class that was shown in at least 100 campaigns, and the mean width.

With `slice_top_ups` 20 labels more are drawn inside a slice: in each campaign in a predicted class that chance chose, and in
the one that looked worst by at least 10 labels of the plan; of either, how often the estimate by all labels holds the true
accuracy, and the one by the fresh labels alone.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.design import Design, SimpleRandom
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.combined import Part
from testimate.estimators.parts import slice_estimates, spread_of_slices
from testimate.estimators.weights import FEWEST
from testimate.planning.build import build
from testimate.planning.draws import verdicts_to_the_end
from testimate.project.selections import estimate_with_known, predicted_variance, with_plan

CELLS = (("D", 200), ("D", 400), ("CN12", 200), ("CN12", 400), ("G", 1000))
"""Subjects and labels of a plan."""

BLOCK = 100
"""Campaigns of one file."""

Sums = dict[str, list[float]]
"""What a block found: by name, sums over its campaigns."""


def labeled(inputs: Inputs, technique: str, budget: int, seed: int) -> tuple[Design, list[Verdict]]:
    """One campaign: its design, and the verdicts that the truth gives."""
    assert inputs.losses is not None, "subjects of studies have a truth"
    selector = build(inputs, Request(technique, budget, seed))
    verdicts = [*chain.from_iterable(verdicts_to_the_end(selector, inputs.losses))]
    return selector.design, verdicts


def true_accuracies(inputs: Inputs) -> NDArray[np.float64]:
    """Of the inputs that are predicted as each class, (C,); 0 where there is none."""
    assert inputs.losses is not None, "subjects of studies have a truth"
    groups = inputs.predictions.astype(np.intp)
    sizes = np.bincount(groups)
    return np.asarray(1 - np.bincount(groups, inputs.losses) / np.maximum(sizes, 1), dtype=np.float64)


FEWEST_SHOWN, LEAST_LABELS = 100, 20


def coverage_block(inputs: Inputs, technique: str, budget: int, seeds: Iterable[int]) -> Sums:
    """By class, (C,) each: campaigns that showed it, those whose interval held its accuracy, and the sum of the widths."""
    groups = inputs.predictions.astype(np.intp)
    count, truth = int(groups.max()) + 1, true_accuracies(inputs)
    shown, held, widths = np.zeros(count), np.zeros(count), np.zeros(count)
    for seed in seeds:
        design, verdicts = labeled(inputs, technique, budget, seed)
        for place, one in enumerate(slice_estimates(design, verdicts, groups, count)):
            if one.labeled >= LEAST_LABELS and one.low is not None and one.high is not None:
                shown[place] += 1
                held[place] += one.low <= truth[place] <= one.high
                widths[place] += one.high - one.low
    return {"shown": shown.tolist(), "held": held.tolist(), "widths": widths.tolist()}


def coverage_line(blocks: Sequence[Sums]) -> str:
    """One cell in words."""
    shown, held, widths = (
        np.asarray(np.sum([one[name] for one in blocks], axis=0), dtype=np.float64)
        for name in ("shown", "held", "widths")
    )
    often = shown >= FEWEST_SHOWN
    least = "no class shown so often"
    if often.any():
        shares = np.where(often, held / np.maximum(shown, 1), 1.0)
        place = int(np.argmin(shares))
        least = f"least class {place}: {shares[place]:.3f} of {int(shown[place])}"
    return (
        f"{len(blocks) * BLOCK} campaigns, {int(shown.sum())} slices, held {held.sum() / shown.sum():.4f}, {least}, width "
        f"{widths.sum() / shown.sum():.3f}"
    )


MORE = 20
CHOSEN = ("by chance", "the worst")


def top_up_block(inputs: Inputs, technique: str, budget: int, seeds: Iterable[int]) -> Sums:
    """By how the class was chosen: campaigns, those in which all labels and the fresh ones held, widths, signed errors."""
    assert inputs.losses is not None
    groups, truth = inputs.predictions.astype(np.intp), true_accuracies(inputs)
    found = {name: np.zeros(6) for name in CHOSEN}
    for seed in seeds:
        plan, verdicts = labeled(inputs, technique, budget, seed)
        slices = slice_estimates(plan, verdicts, groups, len(truth))
        spreads = spread_of_slices(plan, verdicts, groups, len(truth))
        drawn = {one.draw.row for one in verdicts}
        rng = np.random.default_rng([seed, 18])
        valued = [place for place, one in enumerate(slices) if one.labeled >= FEWEST and one.value is not None]
        if not valued:
            continue
        worst = min(valued, key=lambda place: slices[place].value or 0.0)
        for name, place in zip(CHOSEN, (int(rng.choice(valued)), worst), strict=True):
            members = np.flatnonzero(groups == place)
            left = np.array([row for row in members.tolist() if row not in drawn], dtype=np.intp)
            if len(left) <= MORE:
                continue
            known = [float(inputs.losses[row]) for row in members.tolist() if row in drawn]
            fresh = drawn_inside(inputs.losses[left], rng)
            design = SimpleRandom((len(left),), MORE, aimed_at=MORE)
            alone = estimate_with_known(design, fresh, known, level=0.95, loss_bound=1.0)
            part = Part(alone, predicted_variance(len(members), len(left), MORE))
            every = with_plan(slices[place], float(spreads[place]), [part], 0.95)
            assert every.low is not None
            assert every.high is not None
            assert alone.low is not None
            assert alone.high is not None
            found[name] += (
                1,
                every.low <= truth[place] <= every.high,
                alone.low <= truth[place] <= alone.high,
                every.high - every.low,
                every.accuracy - truth[place],
                alone.accuracy - truth[place],
            )
    return {name: sums.tolist() for name, sums in found.items()}


def drawn_inside(losses: NDArray[np.float64], rng: np.random.Generator) -> list[Verdict]:
    """``MORE`` of the inputs with these losses (R,), by chance."""
    return [Verdict(Draw(int(row)), float(losses[row])) for row in rng.choice(len(losses), MORE, replace=False)]


def top_up_line(blocks: Sequence[Sums]) -> str:
    """One cell in words."""
    said = []
    for name in CHOSEN:
        count, every, alone, width, error, fresh = np.sum([one[name] for one in blocks], axis=0).tolist()
        said.append(
            f"{name}: {int(count)} campaigns, all labels hold {every / count:.4f}, width {width / count:.3f}, mean error "
            f"{error / count:+.4f}; the fresh alone {alone / count:.4f}, {fresh / count:+.4f}"
        )
    return "; ".join(said)


STUDIES: dict[str, tuple[Callable[[Inputs, str, int, Iterable[int]], Sums], Callable[[Sequence[Sums]], str]]] = {
    "slice_coverage": (coverage_block, coverage_line),
    "slice_top_ups": (top_up_block, top_up_line),
}
"""By folder: what a block of inputs, technique, labels and seeds finds, and what the blocks of a cell say in words."""


def main() -> None:
    """Runs the blocks that are lacking, then prints a line for each cell."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("study", nargs="?", choices=list(STUDIES), default="slice_coverage")
    asked.add_argument("--campaigns", type=int, default=2000)
    asked.add_argument("--techniques", nargs="+", default=["srs", "rrs"])
    asked.add_argument("--subjects", nargs="+", default=[name for name, _ in CELLS])
    said = asked.parse_args()
    block, line = STUDIES[said.study]
    folder = kept_folder() / said.study
    folder.mkdir(exist_ok=True)
    for subject, budget in CELLS:
        if subject not in said.subjects:
            continue
        for technique in said.techniques:
            blocks = []
            for first in range(0, said.campaigns, BLOCK):
                path = folder / f"{subject}-{technique}-{budget}-{first}.json"
                if not path.exists():
                    seeds = range(first, first + BLOCK)
                    path.write_text(json.dumps(block(inputs_of(subject), technique, budget, seeds)))
                blocks.append(json.loads(path.read_text()))
            print(f"{subject} {technique} {budget}: {line(blocks)}", flush=True)


if __name__ == "__main__":
    main()
