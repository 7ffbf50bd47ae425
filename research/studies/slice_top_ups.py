"""How often the interval of a slice holds once 20 labels more were drawn inside it: campaigns on subjects with known truth.

`python -m research.studies.slice_top_ups` runs what is not kept yet, in blocks of 100 campaigns, and prints a line for each
subject, technique and number of labels. In each campaign a predicted class is topped up that chance chose, and the one
that looked worst by at least 10 labels of the plan: of either, how often the estimate by all labels holds the true accuracy,
and the one by the fresh labels alone.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from research.studies.class_campaigns import Sums, labeled, run_campaigns, true_accuracies
from testimate.core.design import SimpleRandom
from testimate.core.draw import Draw, Verdict
from testimate.core.inputs import Inputs
from testimate.estimators.combined import Part
from testimate.estimators.parts import slice_estimates, spread_of_slices
from testimate.estimators.weights import FEWEST
from testimate.project.selections import estimate_with_known, predicted_variance, with_plan

MORE = 20
CHOSEN = ("by chance", "the worst")


def main() -> None:
    """Runs the blocks that are lacking, then prints the lines."""
    run_campaigns("slice_top_ups", str(__doc__), block, line)


def block(inputs: Inputs, technique: str, budget: int, seeds: Iterable[int]) -> Sums:
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


def line(blocks: Sequence[Sums]) -> str:
    """One cell in words."""
    said = []
    for name in CHOSEN:
        count, every, alone, width, error, fresh = np.sum([one[name] for one in blocks], axis=0).tolist()
        said.append(
            f"{name}: {int(count)} campaigns, all labels hold {every / count:.4f}, width {width / count:.3f}, mean error "
            f"{error / count:+.4f}; the fresh alone {alone / count:.4f}, {fresh / count:+.4f}"
        )
    return "; ".join(said)


if __name__ == "__main__":
    main()
