"""SSOA's RQ3: whether the strata's spreads are estimated well, and why its test cannot tell."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from research.studies.jobs import CLASSIFICATION
from research.studies.lenets import MODELS
from research.studies.page_text import table
from research.studies.ssoa_errors import WORDS, rule_or_clusters, training_losses
from research.studies.study_subjects import inputs_of, losses_of


def variances() -> str:
    """RQ3: the test cannot fail; what training images and a pre-sample tell."""
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T * np.array([1.0, 2, 3])
    values = {round(float(stats.wilcoxon(one, correction=True, method="approx").pvalue), 3) for one in signs}
    least = min(float(stats.wilcoxon(one, method="exact").pvalue) for one in signs)
    rows = []
    for subject in CLASSIFICATION:
        for kind, word in WORDS.items():
            rows.append(spreads_row(subject, kind, word))
    head = [
        "strata",
        "sizes",
        "true spread of the loss",
        "spread among training images",
        "Wilcoxon p",
        "chance that 10 pre-sampled show no failure",
    ]
    return f"""## RQ3: are the spreads estimated well?

The paper compares estimated and true variances by Wilcoxon's signed-rank test over the strata and finds no difference.
With three strata that test cannot find one: its smallest exact p-value is {least:g}, and with the normal approximation
and continuity correction it takes the values {", ".join(f"{value:.3f}" for value in sorted(values))} only. These are
the values of the paper's table 4. The spreads themselves say more:

{table(head, rows)}
Where a pre-sample shows no failure the plain standard deviation is 0 and "as published" gives the stratum no label
beyond it; the default smooths with (z + 1) / (h + 2). Training images give the LeNets' spreads well, because these
networks do not fit their training set better than the test set; a network that does would be given too small ones.
"""


def spreads_row(subject: str, kind: str, word: str) -> list[str]:
    """True spreads, those of the training images, and what a pre-sample of 10 may show."""
    losses, strata = losses_of(subject), rule_or_clusters(subject, kind)
    piles = [losses[strata == stratum] for stratum in range(strata.max() + 1)]
    true = np.array([pile.std() for pile in piles])
    nothing = [float(stats.hypergeom(len(pile), int(pile.sum()), 10).pmf(0)) for pile in piles]
    trained, p = "–", "–"
    if subject in MODELS:
        spreads = training_spreads(subject, strata)
        trained = ", ".join(f"{spread:.3f}" for spread in spreads)
        p = f"{float(stats.wilcoxon(spreads**2, true**2).pvalue):.2f}"
    return [
        f"{subject}, {word}",
        ", ".join(str(len(pile)) for pile in piles),
        ", ".join(f"{spread:.3f}" for spread in true),
        trained,
        p,
        ", ".join(f"{100 * chance:.1f} %" for chance in nothing),
    ]


def training_spreads(model: str, strata: NDArray[np.intp]) -> NDArray[np.float64]:
    """Standard deviations of the training losses in the strata that the scores of the test images make, (H,)."""
    scores, training = inputs_of(model).score("confidence"), inputs_of(model).training
    assert training is not None
    centres = np.bincount(strata, scores) / np.bincount(strata)
    order = np.argsort(centres)
    tops = np.array([scores[strata == stratum].max() for stratum in order[:-1]])
    bottoms = np.array([scores[strata == stratum].min() for stratum in order[1:]])
    placed = order[np.searchsorted((tops + bottoms) / 2, training.score("confidence"))]
    losses = training_losses(model)
    return np.array([losses[placed == stratum].std() for stratum in range(len(order))])
