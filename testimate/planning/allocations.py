"""How techniques would spread a budget over given strata, for comparison in a chart."""

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.planning.needs import CHANCES
from testimate.selectors.round_robin import defensive_weights
from testimate.structure import strata
from testimate.structure.strata import neyman, proportional

SCHEMES = {
    "equal spread": "Ten strata of equal spread (rrs)",
    "rule": "Rule: 10 / 10 / 80 % (css, ssoa-r)",
    "clusters 3": "Three clusters (ssoa-c)",
    "clusters 10": "Ten clusters (ssrs)",
}


def strata_of(inputs: Inputs, auxiliary: str, scheme: str) -> NDArray[np.intp]:
    """The stratum of each input, (N,), by rising auxiliary variable, cut as the scheme of SCHEMES says."""
    scores = inputs.score(auxiliary)
    if scheme == "rule":
        by_rule = strata.by_rule(scores, seed=0)
        rising: NDArray[np.intp] = by_rule.max() - by_rule  # the rule counts from the most doubtful
        return rising
    if scheme == "equal spread":
        spread = np.sqrt(scores * (1 - scores)) if auxiliary in CHANCES else scores - min(scores.min(), 0.0)
        return strata.by_equal_size(defensive_weights(spread), scores, 10, seed=0)
    return strata.by_clusters(scores, int(scheme.split()[1]))


def allocations(
    inputs: Inputs, auxiliary: str, strata_of_rows: NDArray[np.intp], budget: int
) -> dict[str, NDArray[np.intp]]:
    """Labels per stratum by technique, each (H,): in proportion to size, by Neyman on the score's spread, in equal parts.

    Where the truth is known, Neyman on the true spread of the losses is shown beside them: the best that can be.
    """
    scores = inputs.score(auxiliary)
    sizes = strata.stratum_sizes(strata_of_rows)
    groups = [strata_of_rows == stratum for stratum in range(len(sizes))]
    spent = {
        "srs (on average)": proportional(sizes, budget, minimum=0),
        "ssrs (Neyman)": neyman(sizes, np.array([scores[group].std() for group in groups]), budget),
        "rrs (equal parts)": neyman(sizes, 1 / np.asarray(sizes, dtype=float), budget),
    }
    if inputs.losses is not None:
        true_spread = np.array([inputs.losses[group].std() for group in groups])
        spent["best (Neyman on the truth)"] = neyman(sizes, true_spread, budget)
    return spent
