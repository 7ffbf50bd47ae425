"""DeepSample's RQ1: how well the accuracy is estimated."""

import numpy as np

from research.methods.tests_of_difference import dunn_holm, friedman
from research.studies.deepsample_figures import COMBINATIONS, REGRESSION, Figures, N, lines_of, published_figure
from research.studies.jobs import BUDGETS, OURS_AND_THEIRS, PUBLISHED
from research.studies.page_text import points, table
from research.studies.results import Results


def error_table(subject: str, auxiliary: str, results: Results, figures: Figures) -> str:
    """RMSE and, at n = 200, RMedSE and bias, with the published figures in brackets."""
    rows = []
    for name, variant in lines_of(subject, auxiliary, results):
        shown = variant is not None or name not in PUBLISHED
        row = [f"{name}, as published" if variant else name]
        for budget in BUDGETS:
            cell = results.need(subject, name, auxiliary, budget, variant)
            theirs = published_figure(figures, subject, name, auxiliary, budget) if shown else None
            row.append(points(cell.rmse) + (f" ({points(theirs['rmse'])})" if theirs else ""))
        cell = results.need(subject, name, auxiliary, N, variant)
        theirs = published_figure(figures, subject, name, auxiliary, N) if shown else None
        row.append(points(cell.rmedse) + (f" ({points(theirs['rmedse'])})" if theirs else ""))
        sign = 1 if subject != "DO" else -1  # the published bias of DO is that of the MSE
        row.append(f"{100 * cell.bias:+.2f}" + (f" ({100 * sign * theirs['bias']:+.2f})" if theirs else ""))
        row.append("exact" if cell.exact else str(cell.repetitions))
        rows.append(row)
    head = ["technique", *(f"n = {budget}" for budget in BUDGETS), f"RMedSE, {N}", f"bias, {N}", "RMSE from"]
    return f"**{subject}, {auxiliary}** (RMSE, points; published in brackets)\n\n{table(head, rows)}"


def first_question(results: Results, figures: Figures) -> str:
    """RQ1: how well the accuracy is estimated."""
    tables = "\n".join(error_table(*one, results, figures) for one in COMBINATIONS)
    regression = "\n".join(error_table(*one, results, figures) for one in REGRESSION)
    return f"""## RQ1: how well is the accuracy estimated?

### RQ1.1 Classification

{tables}
{differences(COMBINATIONS, results)}
### RQ1.2 Regression

{regression}
{differences(REGRESSION, results)}"""


def differences(combinations: list[tuple[str, str]], results: Results) -> str:
    """Friedman and Dunn with Holm on the squared errors at n = 200."""
    rows = []
    for subject, auxiliary in combinations:
        names = [name for name in OURS_AND_THEIRS if results.cell(subject, name, auxiliary, N)]
        least = min(len(results.need(subject, name, auxiliary, N).errors) for name in names)
        squares = {name: np.square(results.need(subject, name, auxiliary, N).errors[:least]) for name in names}
        found = friedman(squares)
        pairs = [pair for pair in dunn_holm(squares) if pair.p < 0.05]
        worse: dict[str, list[str]] = {}
        for pair in pairs:
            loser, winner = (pair.second, pair.first) if pair.z < 0 else (pair.first, pair.second)
            worse.setdefault(loser, []).append(winner)
        said = "; ".join(f"{loser} worse than {', '.join(winners)}" for loser, winners in worse.items()) or "none"
        rows.append([f"{subject}, {auxiliary}", str(least), f"{found.p:.2g}", f"{found.iman_davenport_p:.2g}", said])
    return (
        f"Friedman's test on the squared errors at n = {N} (repetitions as blocks, as they are numbered; the campaigns of "
        "different techniques are independent), and the pairs that differ by Dunn's test with Holm's adjustment at 5 %. "
        "Techniques by their own definitions, not as published:\n\n"
        + table(["subject", "blocks", "Friedman p", "Iman-Davenport p", "pairs that differ"], rows)
    )
