"""DeepSample's trade-off of error and failures, by two definitions."""

from collections import Counter

import numpy as np

from research.studies.deepsample_figures import COMBINATIONS, Figures, N, srs_failures
from research.studies.jobs import BUDGETS, CLASSIFICATION, OURS_AND_THEIRS, PUBLISHED
from research.studies.page_text import table
from research.studies.results import Results, srs_error


def trade_off(results: Results, figures: Figures) -> str:
    """Error against failures, by two definitions."""
    rows = []
    for name in OURS_AND_THEIRS[1:]:
        row, all_of = [name], []
        for subject, auxiliary in COMBINATIONS:
            cell = results.cell(subject, name, auxiliary, N)
            if cell is None:
                row.append("–")
                continue
            ratio, share = cell.rmse / srs_error(subject, N), cell.failures / srs_failures(subject)
            all_of.append(ratio / share)
            row.append(f"{ratio:.2f} / {share:.2f} = {ratio / share:.2f}")
        mean = float(np.mean(all_of)) if len(all_of) == len(COMBINATIONS) else np.inf
        rows.append((mean, [*row, f"{mean:.2f}" if np.isfinite(mean) else "–"]))
    head = ["technique", *(f"{subject}, {auxiliary}" for subject, auxiliary in COMBINATIONS), "mean"]
    top = {"published": top_three(figures), "as published here": top_three(own_figures(results))}
    ours = top_three(own_figures(results, with_ours=True))
    counts = [
        [who, *(", ".join(f"{name} {count}" for name, count in found[key]) for key in ("ratio", "scaled"))]
        for who, found in (*top.items(), ("own definitions, with rrs and rra", ours))
    ]
    return f"""## The trade-off

The paper's table 10 ranks techniques by a trade-off T (RMSE, nf) whose formula its text does not give. Two definitions:

**The ratio**: the error over the failures, both relative to simple random sampling at n = {N}: (RMSE / RMSE of srs) /
(failures / failures of srs); smaller is better, srs is 1. Best mean first:

{table(head, [row for _, row in sorted(rows)])}
![error against failures](trade_off.svg)

**The scaled distance**: both set to 0..1 between the best and the worst of the techniques compared, and the Euclidean
distance from (least error, most failures). How often a technique is among the first three, D and G with three auxiliary
variables and five budgets, 30 comparisons:

{table(["figures", "by the ratio", "by the scaled distance"], counts)}
The scaled distance gives the first three that the paper names for classification: SUPS, RHC-S, DeepEST. It owes much to
2-UPS: one technique with enormous errors sets the scale, and all others look equally precise, so failures alone decide.
By the ratio, which knows no worst technique, those that estimate well come first.
"""


def top_three(figures: Figures) -> dict[str, list[tuple[str, int]]]:
    """How often each technique is among the best three of D and G, by each definition; the five most frequent."""
    found: dict[str, Counter[str]] = {"ratio": Counter(), "scaled": Counter()}
    for subject in ("D", "G"):
        for auxiliary in CLASSIFICATION[subject]:
            for budget in BUDGETS:
                rows = {
                    name: (figure["rmse"], figure["mean_failures"])
                    for (own, name, variable, size), figure in figures.items()
                    if (own, size) == (subject, budget) and variable in ("", auxiliary)
                }
                error, failures = np.array(list(rows.values())).T
                scaled = np.hypot((error - error.min()) / np.ptp(error), (failures.max() - failures) / np.ptp(failures))
                for key, values in (("ratio", error / failures), ("scaled", scaled)):
                    found[key].update(np.array(list(rows))[np.argsort(values)[:3]].tolist())
    return {key: counts.most_common(5) for key, counts in found.items()}


def own_figures(results: Results, *, with_ours: bool = False) -> Figures:
    """Error and failures on D and G in the shape of the published ones: as published, or by the techniques' definitions."""
    figures: Figures = {}
    for subject in ("D", "G"):
        for auxiliary in CLASSIFICATION[subject]:
            for name in OURS_AND_THEIRS:
                for budget in BUDGETS:
                    variant = None if with_ours or name not in PUBLISHED else "as published"
                    cell = results.cell(subject, name, auxiliary, budget, variant)
                    if cell is None or name == "css" or (name in ("rrs", "rra") and not with_ours):
                        continue
                    key = (subject, name, "" if name == "srs" else auxiliary, budget)
                    figures[key] = {"rmse": cell.rmse, "mean_failures": cell.failures}
    return figures
