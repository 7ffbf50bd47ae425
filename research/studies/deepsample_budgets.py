"""DeepSample's RQ3: what a larger budget brings."""

import numpy as np
from scipy import stats

from research.methods.convergence import Convergence, convergence
from research.studies.deepsample_figures import COMBINATIONS, REGRESSION, Figures, lines_of, published_figure
from research.studies.jobs import BUDGETS, PUBLISHED
from research.studies.page_text import table
from research.studies.results import Results


def third_question(results: Results, figures: Figures) -> str:
    """RQ3: how error and failures change with the budget."""
    rows, growth = [], []
    exact_lines = falling = 0
    for subject, auxiliary in COMBINATIONS + REGRESSION:
        for name, variant in lines_of(subject, auxiliary, results):
            cells = [results.need(subject, name, auxiliary, budget, variant) for budget in BUDGETS]
            ours = convergence(BUDGETS, [cell.rmse for cell in cells])
            theirs = [published_figure(figures, subject, name, auxiliary, budget) for budget in BUDGETS]
            known = [one for one in theirs if one is not None]
            shown = len(known) == len(BUDGETS) and (variant is not None or name not in PUBLISHED)
            said = convergence(BUDGETS, [one["rmse"] for one in known]) if shown else None
            label = f"{subject}, {auxiliary}: {name}{', as published' if variant else ''}"
            exact_lines += cells[0].exact
            falling += cells[0].exact and ours.rises == 0
            if not ours.converges or (said and not said.converges):
                exact = "exact" if cells[0].exact else f"{cells[0].repetitions} campaigns"
                rows.append([label, exact, where(ours), where(said) if said else "–"])
            if cells[0].failures > 0 and auxiliary in ("confidence", "lsa"):
                growth.append((cells[-1].failures / cells[0].failures, label, variant and name))
    chance = float(stats.f.sf(2, 30, 30))
    factors = sorted(one[:2] for one in growth if one[2] != "gbs")
    gbs = sorted(one[:2] for one in growth if one[2] == "gbs")
    middle = float(np.median([factor for factor, _ in factors]))
    least, most = (f"{factor:.1f} ({label})" for factor, label in (factors[0], factors[-1]))
    return f"""## RQ3: what does a larger budget bring?

### RQ3.1 The error

Where the least RMSE is not at n = 800 ("converges" in the paper's sense), in ours or in the published figures; an
inversion is an RMSE at n = 50 below that at 800:

{table(["technique", "ours from", "ours", "published"], rows)}
{exact_lines} lines are exact, and in {falling} of them the error falls with each doubling of the budget. With 30
repetitions each, the RMSE at 400 comes out below that at 800 in {100 * chance:.1f} % of cases by chance alone where the
true ratio is the root of 2 and errors are normal (an F ratio above 2 with 30 and 30 degrees of freedom); where errors
have long tails it happens more often.

![error against budget on subject D](error.svg)

### RQ3.2 The failures

From n = 50 to n = 800, 16 times the labels, failures grow {middle:.1f} times in the median (confidence and LSA, all
subjects), the least {least}, the most {most}; gbs as published {gbs[0][0]:.1f} to {gbs[-1][0]:.1f}. Published (tables 8
and 9, means over the models of a dataset): 11.3 to 20.9, and gbs 3.0 to 34.1.
"""


def where(found: Convergence) -> str:
    """Where the least error lies."""
    return f"least at {found.best_budget}" + (", inversion" if found.inversion else "")
