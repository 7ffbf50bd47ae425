"""PACE's RQ2 to RQ5: features, alpha, reduction, and what each part adds."""

from collections.abc import Mapping, Sequence

import numpy as np

from research.studies.pace_numbers import Page
from research.studies.pace_runs import (
    ALPHAS,
    BUDGETS,
    BY_K_MEANS,
    DIMENSIONS,
    FEATURES,
    FEW,
    KINDS,
    REPETITIONS,
    VARIANTS,
    Line,
    forced,
    variant_of,
)
from research.studies.pace_subjects import NETWORKS
from research.studies.page_text import table


def mean_table(page: Page, lines: Mapping[str, Sequence[Line]], what: str) -> str:
    """Mean error over the budgets and the clusters, for each setting and network."""
    rows = []
    for words, each in lines.items():
        cells = [f"{page.mean(line):.2f} ({page.clusters(line)})" for line in each]
        rows.append([words, *cells, f"{np.mean([page.mean(line) for line in each]):.2f}"])
    return table([what, *NETWORKS, "mean"], rows)


def settings(page: Page) -> str:
    """RQ2 to RQ4."""
    features = {roles: [Line(name, "pace", features=roles) for name in NETWORKS] for roles in FEATURES}
    alphas = {f"{alpha}": [Line(name, "pace", options=(("alpha", alpha),)) for name in NETWORKS] for alpha in ALPHAS}
    dimensions = {"none": [Line(name, "pace", options=(("reduction", "none"),)) for name in NETWORKS]}
    dimensions |= {f"{d}": [Line(name, "pace", options=forced("fastica", d)) for name in NETWORKS] for d in DIMENSIONS}
    dimensions["the rule"] = [Line(name, "pace") for name in NETWORKS]
    kinds = {kind: [Line(name, "pace", options=forced(kind)) for name in NETWORKS] for kind in KINDS}
    found = {"features": features, "alpha": alphas, "dimensions": dimensions, "kinds": kinds}
    best = {what: best_of(page, lines) for what, lines in found.items()}
    return f"""## RQ2 to RQ4: features, alpha, reduction

Mean error over n = {BUDGETS[0]} to {BUDGETS[-1]} in points, in brackets the clusters and the minority space's share.

### RQ2 Features

{mean_table(page, features, "features")}
Features, least here: {best["features"]}. The paper: CON worst, ORI and LHL better than FL, LHL+ORI better than LHL by 14 %.

### RQ3 Alpha

{mean_table(page, alphas, "alpha")}
Alpha, least here: {best["alpha"]}. The paper: 0.5 worst, 0.7 and 0.8 best.

### RQ4 Dimensions and kinds of reduction

FastICA to that many dimensions whatever the rule says:

{mean_table(page, dimensions, "dimensions")}
Dimensions, least here: {best["dimensions"]}. The paper: the fewer the better, none worst.

To 2 dimensions by other means:

{mean_table(page, kinds, "reduction")}
Reductions, least here: {best["kinds"]}. The paper: FastICA best, NMF near it.
"""


def best_of(page: Page, lines: Mapping[str, Sequence[Line]]) -> str:
    """The setting of the least error on each network."""
    names = []
    for place, name in enumerate(NETWORKS):
        words = min(lines, key=lambda one: page.mean(lines[one][place]))
        names.append(f"{words} on {name}")
    return ", ".join(names)


def variants(page: Page) -> str:
    """RQ5."""
    rows = []
    for technique in VARIANTS:
        lines = [variant_of(technique, name) for name in NETWORKS]
        cells = [page.mean(line) for line in lines]
        counts = sorted({line.repetitions for line in lines}, reverse=True)
        times = " or ".join(map(str, counts)) + (" run" if counts == [1] else " runs")
        rows.append([f"{technique} ({times})", *(f"{cell:.2f}" for cell in cells), f"{np.mean(cells):.2f}"])
    cells = [page.mean(Line(name, "srs", repetitions=REPETITIONS)) for name in NETWORKS]
    rows.append([f"srs ({REPETITIONS} runs)", *(f"{cell:.2f}" for cell in cells), f"{np.mean(cells):.2f}"])
    bias = []
    for name in NETWORKS:
        share = float(page.errors(Line(name, "pace-art", repetitions=REPETITIONS)).mean())
        bias.append(f"{share:+.1f} on {name}")
    return f"""## RQ5: what each part adds

Mean error over n = {BUDGETS[0]} to {BUDGETS[-1]} in points (of one run where the choice is always the same, of {FEW} on
{BY_K_MEANS} where each has a k-means of its own):

{table(["variant", *NETWORKS, "mean"], rows)}
The mean estimate of pace-art is off by {", ".join(bias)} points: inputs far from all others fail more often than most,
and no number of them makes up for it. The paper: PACE best; rand-m better than rand-g, art better than mmd.
"""
