"""How often the intervals of slices by predicted class hold: campaigns on subjects whose truth is known.

`python -m research.studies.slice_coverage` runs what is not kept yet, in blocks of 100 campaigns, and prints a line for each
subject, technique and number of labels: of the classes with at least 20 labels, pooled, how many intervals hold the true
accuracy, the least of a single class that was shown in at least 100 campaigns, and the mean width.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from research.studies.class_campaigns import BLOCK, Sums, labeled, run_campaigns, true_accuracies
from testimate.core.inputs import Inputs
from testimate.estimators.parts import slice_estimates

FEWEST_SHOWN, LEAST_LABELS = 100, 20


def main() -> None:
    """Runs the blocks that are lacking, then prints the lines."""
    run_campaigns("slice_coverage", str(__doc__), block, line)


def block(inputs: Inputs, technique: str, budget: int, seeds: Iterable[int]) -> Sums:
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


def line(blocks: Sequence[Sums]) -> str:
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


if __name__ == "__main__":
    main()
