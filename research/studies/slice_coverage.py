"""How often the intervals of slices by predicted class hold: campaigns on subjects whose truth is known.

`python -m research.studies.slice_coverage` prints a line for each subject, technique and number of labels: of the classes
with at least 20 labels, pooled, how many intervals hold the class's true accuracy, the least of a single class that was
shown in at least 100 campaigns, and the mean width.
"""

import argparse

import numpy as np

from research.studies.study_subjects import inputs_of
from testimate.core.draw import Verdict
from testimate.core.selector import Request
from testimate.estimators.slices import slice_estimates
from testimate.planning.build import build

CELLS = (("D", 200), ("D", 400), ("CN12", 200), ("CN12", 400), ("G", 1000))
FEWEST_SHOWN, LEAST_LABELS = 100, 20


def main() -> None:
    """Prints the lines."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--campaigns", type=int, default=2000)
    asked.add_argument("--techniques", nargs="+", default=["srs", "rrs"])
    said = asked.parse_args()
    for subject, budget in CELLS:
        for technique in said.techniques:
            print(line(subject, technique, budget, said.campaigns), flush=True)


def line(subject: str, technique: str, budget: int, campaigns: int) -> str:
    """One cell in words; campaign i has the seed i."""
    inputs = inputs_of(subject)
    losses, groups = inputs.losses, inputs.predictions.astype(np.intp)
    if losses is None:
        raise ValueError(f"The truth of {subject} is not known.")
    count = int(groups.max()) + 1
    truth = [float(1 - losses[groups == place].mean()) if (groups == place).any() else 0.0 for place in range(count)]
    held, shown, widths = np.zeros(count), np.zeros(count), 0.0
    for seed in range(campaigns):
        selector = build(inputs, Request(technique, budget, seed))
        verdicts: list[Verdict] = []
        while draws := selector.ask(selector.remaining):
            new = [Verdict(draw, float(losses[draw.row])) for draw in draws]
            selector.tell(new)
            verdicts += new
        for place, one in enumerate(slice_estimates(selector.design, verdicts, groups, count)):
            if one.labeled >= LEAST_LABELS and one.low is not None and one.high is not None:
                shown[place] += 1
                held[place] += one.low <= truth[place] <= one.high
                widths += one.high - one.low
    often = shown >= FEWEST_SHOWN
    least = (held[often] / shown[often]).min() if often.any() else float("nan")
    return (
        f"{subject} {technique} {budget}: {campaigns} campaigns, {int(shown.sum())} slices, "
        f"held {held.sum() / shown.sum():.4f}, least class {least:.3f}, width {widths / shown.sum():.3f}"
    )


if __name__ == "__main__":
    main()
