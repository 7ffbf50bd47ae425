"""How often the intervals of slices by predicted class hold: campaigns on subjects whose truth is known.

`python -m research.studies.slice_coverage` runs what is not kept yet, in blocks of 100 campaigns, and prints a line for each
subject, technique and number of labels: of the classes with at least 20 labels, pooled, how many intervals hold the true
accuracy, the least of a single class that was shown in at least 100 campaigns, and the mean width.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from research.studies.study_subjects import inputs_of, kept_folder
from testimate.core.draw import Verdict
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.estimators.slices import slice_estimates
from testimate.planning.build import build

CELLS = (("D", 200), ("D", 400), ("CN12", 200), ("CN12", 400), ("G", 1000))
FEWEST_SHOWN, LEAST_LABELS, BLOCK = 100, 20, 100


def main() -> None:
    """Runs the blocks that are lacking, then prints the lines."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--campaigns", type=int, default=2000)
    asked.add_argument("--techniques", nargs="+", default=["srs", "rrs"])
    asked.add_argument("--subjects", nargs="+", default=[name for name, _ in CELLS])
    said = asked.parse_args()
    for subject, budget in CELLS:
        if subject in said.subjects:
            for technique in said.techniques:
                for first in range(0, said.campaigns, BLOCK):
                    kept_block(subject, technique, budget, first)
                print(line(subject, technique, budget, said.campaigns), flush=True)


def kept_block(subject: str, technique: str, budget: int, first: int) -> Path:
    """The file of the campaigns with the seeds ``first`` to ``first`` + 99; they are run where it is not there yet."""
    folder = kept_folder() / "slice_coverage"
    folder.mkdir(exist_ok=True)
    path = folder / f"{subject}-{technique}-{budget}-{first}.json"
    if not path.exists():
        path.write_text(json.dumps(block(inputs_of(subject), technique, budget, first)))
    return path


def block(inputs: Inputs, technique: str, budget: int, first: int) -> dict[str, list[float]]:
    """By class, (C,) each: campaigns that showed it, those whose interval held its accuracy, and the sum of the widths."""
    groups = inputs.predictions.astype(np.intp)
    count, truth = int(groups.max()) + 1, true_accuracies(inputs)
    shown, held, widths = np.zeros(count), np.zeros(count), np.zeros(count)
    for seed in range(first, first + BLOCK):
        selector = build(inputs, Request(technique, budget, seed))
        verdicts: list[Verdict] = []
        while draws := selector.ask(selector.remaining):
            new = [Verdict(draw, float(inputs.losses[draw.row])) for draw in draws]  # type: ignore[index] # known here
            selector.tell(new)
            verdicts += new
        for place, one in enumerate(slice_estimates(selector.design, verdicts, groups, count)):
            if one.labeled >= LEAST_LABELS and one.low is not None and one.high is not None:
                shown[place] += 1
                held[place] += one.low <= truth[place] <= one.high
                widths[place] += one.high - one.low
    return {"shown": shown.tolist(), "held": held.tolist(), "widths": widths.tolist()}


def true_accuracies(inputs: Inputs) -> NDArray[np.float64]:
    """Of the inputs that are predicted as each class, (C,); 0 where there is none."""
    if inputs.losses is None:
        raise ValueError("The truth of the subject is not known.")
    groups = inputs.predictions.astype(np.intp)
    sizes = np.bincount(groups)
    return np.asarray(1 - np.bincount(groups, inputs.losses) / np.maximum(sizes, 1), dtype=np.float64)


def line(subject: str, technique: str, budget: int, campaigns: int) -> str:
    """One cell in words, of the blocks that are kept."""
    blocks = [
        json.loads(kept_block(subject, technique, budget, first).read_text()) for first in range(0, campaigns, BLOCK)
    ]
    shown, held, widths = (
        np.sum([one[name] for one in blocks], axis=0, dtype=np.float64) for name in ("shown", "held", "widths")
    )
    often = shown >= FEWEST_SHOWN
    least = "no class shown so often"
    if often.any():
        shares = np.where(often, held / np.maximum(shown, 1), 1.0)
        place = int(np.argmin(shares))
        least = f"least class {place}: {shares[place]:.3f} of {int(shown[place])}"
    return (
        f"{subject} {technique} {budget}: {len(blocks) * BLOCK} campaigns, {int(shown.sum())} slices, "
        f"held {held.sum() / shown.sum():.4f}, {least}, width {widths.sum() / shown.sum():.3f}"
    )


if __name__ == "__main__":
    main()
