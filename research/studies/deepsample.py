"""Writes docs/studies/deepsample.md: DeepSample's research questions on the available data, ours beside published."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from research.methods.tests_of_difference import dunn_holm, friedman
from research.studies.page_text import curves, offsets, points, scatter, table, write_page
from research.studies.runs import (
    BUDGETS,
    CLASSIFICATION,
    MANY,
    OFFSETS,
    ONE_BY_ONE,
    OURS_AND_THEIRS,
    PROGRAM_THRESHOLDS,
    PUBLISHED,
    SLOWER,
    Results,
    srs_error,
)
from research.studies.study_subjects import DEGREES, MODELS, TOLERANCE, data_folder, losses_of
from testimate.core.errors import BadInput
from testimate.studies.study_rows import StudyRow

COMBINATIONS = [(subject, auxiliary) for subject, names in CLASSIFICATION.items() for auxiliary in names]
REGRESSION = [("DO", "lsa"), ("DO", "VAE"), ("DO", "SAE")]
N = 200
Key = tuple[str, str, str, int]
Figures = dict[Key, dict[str, float]]


@dataclass(frozen=True)
class Convergence:
    """How an error changes with the budget.

    Attributes
    ----------
    best_budget : where the error is least; the largest of several.
    converges : whether that is the largest budget, which is what one expects (DeepSample, section 5.3.1).
    inversion : whether the error at the smallest budget is below that at the largest (DeepSample, tables 6 and 7).
    rises : from how many budgets to the next the error rises.
    slope : of log error against log budget by least squares; -1/2 for a mean of independent labels. None where an
        error is 0.
    """

    best_budget: int
    converges: bool
    inversion: bool
    rises: int
    slope: float | None


def convergence(budgets: ArrayLike, errors: ArrayLike) -> Convergence:
    """The convergence of errors (k,) of at least 0 at two or more rising budgets (k,).

    >>> convergence([50, 200, 800], [0.06, 0.03, 0.015])
    Convergence(best_budget=800, converges=True, inversion=False, rises=0, slope=-0.5)
    """
    labels, values = np.asarray(budgets), np.asarray(errors, dtype=np.float64)
    fits = labels.ndim == 1 and labels.shape == values.shape and len(labels) >= 2 and (np.diff(labels) > 0).all()
    if not (fits and np.isfinite(values).all() and (values >= 0).all()):
        raise BadInput(
            f"The budgets {budgets!r:.60} and errors {errors!r:.60} do not fit together. Expected two or more rising "
            "budgets with an error of at least 0 each. Sort them, or add a budget."
        )
    best = int(labels[np.flatnonzero(values == values.min())[-1]])
    slope = np.polyfit(np.log(labels), np.log(values), 1)[0] if values.min() > 0 else None
    return Convergence(
        best_budget=best,
        converges=best == int(labels[-1]),
        inversion=bool(values[0] < values[-1]),
        rises=int((np.diff(values) > 0).sum()),
        slope=None if slope is None else float(np.round(slope, 12)),
    )


def convergence_by_technique(rows: Sequence[StudyRow]) -> dict[tuple[str, str | None, str | None], Convergence]:
    """(technique, auxiliary, variant) to the convergence of its RMSE, from rows at two or more budgets each."""
    lines: dict[tuple[str, str | None, str | None], dict[int, float]] = {}
    for row in rows:
        lines.setdefault((row.technique, row.auxiliary, row.variant), {})[row.budget] = row.rmse
    return {name: convergence(sorted(line), [line[budget] for budget in sorted(line)]) for name, line in lines.items()}


def lines_of(subject: str, auxiliary: str, results: Results) -> list[tuple[str, str | None]]:
    """Techniques and variants that were run."""
    both = [(name, variant) for name in OURS_AND_THEIRS for variant in (None, "as published")]
    return [(name, variant) for name, variant in both if results.cell(subject, name, auxiliary, N, variant)]


def published_figure(figures: Figures, subject: str, name: str, auxiliary: str, budget: int) -> dict[str, float] | None:
    """The authors' figure, or None."""
    return figures.get((subject, name, "" if name in ("srs", "ces") else auxiliary, budget))


def srs_failures(subject: str) -> float:
    """Mean failures of simple random sampling at n = 200, exactly."""
    return float(N * (losses_of(subject) > 0).mean())


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
        "different techniques are independent), and the pairs that differ by Dunn's test with Holm's adjustment at 5%. "
        "Techniques by their own definitions, not as published:\n\n"
        + table(["subject", "blocks", "Friedman p", "Iman-Davenport p", "pairs that differ"], rows)
    )


def agreement(results: Results, figures: Figures) -> str:
    """What agrees, what does not, and why."""

    def both(subject: str, name: str, what: str = "bias") -> str:
        """One figure by definition, as published here, and published."""
        own = results.need(subject, name, "confidence", N)
        variant = results.need(subject, name, "confidence", N, "as published")
        theirs = figures[subject, name, "confidence", N]
        values = (
            (own.bias, variant.bias, theirs["bias"]) if what == "bias" else (own.rmse, variant.rmse, theirs["rmse"])
        )
        form = "{:+.1f}" if what == "bias" else "{:.1f}"
        own_said, variant_said, theirs_said = (form.format(100 * value) for value in values)
        return f"{own_said} by definition, {variant_said} as published, {theirs_said} in the paper"

    unseen = [
        f"{100 * results.need(subject, 'sups', 'confidence', N).rmse:.1f} on {subject}" for subject in CLASSIFICATION
    ]
    by_dsa = [
        f"{100 * results.need(subject, 'sups', 'dsa', N).rmse:.1f} on {subject}"
        for subject, names in CLASSIFICATION.items()
        if "dsa" in names
    ]
    median = [
        f"{100 * results.need(subject, 'sups', 'confidence', N).rmedse:.1f} on {subject}" for subject in CLASSIFICATION
    ]
    best = rank(results)
    return f"""## What agrees, what does not, and why

- **2-UPS's estimator.** The paper's equation 15 is unbiased; the authors' program averages over the clusters reached,
  whatever the number of draws each had. Bias at n = {N} with confidence, points: D {both("D", "2-ups")}; G
  {both("G", "2-ups")}. RMSE: D {both("D", "2-ups", "rmse")}; G {both("G", "2-ups", "rmse")}. A cluster of very low
  score is rarely drawn and weighs much, so a bias from few campaigns is itself uncertain.
- **GBS's count.** The program counts a label too many in each cluster, so the accuracy comes out too high. Bias,
  points: D {both("D", "gbs")}; G {both("G", "gbs")}.
- **SUPS's unseen tail.** A failure among inputs of confidence near 1 is hardly ever drawn and then weighs thousands.
  With 5% of the draws spread evenly the exact RMSE at n = {N} with confidence is {", ".join(unseen)} points, with DSA
  {", ".join(by_dsa)}; half the campaigns with confidence are within {", ".join(median)}. An RMSE of 30 repetitions says
  little about such a tail: published on G, n = 50 to 800: {published_line(figures, "G", "sups")}; as published here:
  {own_line(results, "G", "sups")}.
- **Which technique estimates best.** Mean RMSE over that of srs, all subjects and auxiliary variables, n = {N}: {best}.
- **DeepEST's thresholds.** The authors' scripts take others for LSA than the paper says. Failures at n = {N}:
  {thresholds(results, figures)}.
- **Who exposes most failures.** {exposes(results, figures)}
{ces_line(results)}
{model_i(figures)}
"""


def ces_line(results: Results) -> str:
    """CES on the LeNets."""
    by_model = []
    for model in MODELS:
        cells = [(budget, results.need(model, "ces", "confidence", budget)) for budget in BUDGETS]
        ratios = ", ".join(f"{cell.rmse / srs_error(model, budget):.2f}" for budget, cell in cells)
        biases = ", ".join(f"{100 * cell.bias:+.2f}" for _, cell in cells)
        by_model.append(f"{model} {ratios} (bias {biases} points, {cells[0][1].repetitions} campaigns)")
    return f"""- **CES** ran on the LeNets, by its definition. Its RMSE over that of srs at n =
  {", ".join(map(str, BUDGETS))}: {"; ".join(by_model)}. Its authors treat it as a simple random sample. It is not one, and
  its error need not fall as that of one does: the paper counts an inversion of it on CIFAR-100 and a least error at 100
  to 200
  labels in two of three models."""


def model_i(figures: Figures) -> str:
    """What the text allows to be said about model I's columns."""
    own, mean_of_three, n = figures["G", "srs", "", N]["mean_failures"], 78.0, N  # table 3, srs on CIFAR-100
    others = 3 * mean_of_three - own
    expected = {"own": n * (1 - 0.574 + 1 - 0.588), "repeated": n * 2 * (1 - 0.574)}  # table 2
    spread = np.sqrt(n * (0.574 * 0.426 + 0.588 * 0.412) / 30)
    off = {key: abs(others - value) / spread for key, value in expected.items()}
    return f"""- **The columns of model I that repeat H's.** Figures by model are available for D, G and DO, so
  the columns themselves cannot be compared here. What the text gives: srs exposes {mean_of_three} failures on CIFAR-100
  on average over three models (table 3), and {own:.1f} on G, so {others:.1f} on H and I together. With the accuracies of
  table 2 one expects {expected["own"]:.1f} where I is itself and {expected["repeated"]:.1f} where it is H again, with a
  standard error of {spread:.1f}: {off["own"]:.1f} and {off["repeated"]:.1f} standard errors away. Where H's numbers do
  occur twice, a mean over the three models of CIFAR-100 counts H twice and I not at all."""


def thresholds(results: Results, figures: Figures) -> str:
    """DeepEST's failures with the threshold of the paper and of the scripts."""
    said = []
    for subject, deviations in PROGRAM_THRESHOLDS.items():
        paper = results.need(subject, "deepest", "lsa", N, "as published")
        program = results.cell(subject, "deepest", "lsa", N, "as published", (("deviations", deviations),))
        assert program is not None
        theirs = figures[subject, "deepest", "lsa", N]["mean_failures"]
        said.append(
            f"{subject} {paper.failures:.1f} by the paper's threshold, {program.failures:.1f} by the scripts', published "
            f"{theirs:.1f}"
        )
    return "; ".join(said)


def exposes(results: Results, figures: Figures) -> str:
    """Who has the highest mean failures on each subject, ours and published."""
    said = []
    for subject, auxiliary in COMBINATIONS:
        cells = {name: results.cell(subject, name, auxiliary, N) for name in OURS_AND_THEIRS}
        ours = max((cell.failures, name) for name, cell in cells.items() if cell is not None)
        theirs = [
            (figure["mean_failures"], name)
            for name in OURS_AND_THEIRS
            if (figure := published_figure(figures, subject, name, auxiliary, N))
        ]
        beside = f", published {max(theirs)[1]} {max(theirs)[0]:.0f}" if theirs else ""
        said.append(f"{subject} with {auxiliary}: {ours[1]} {ours[0]:.0f}{beside}")
    return "; ".join(said) + f" (means at n = {N})."


def rank(results: Results) -> str:
    """Techniques by their mean ratio to simple random sampling."""
    means = {
        name: np.mean(
            [
                results.need(subject, name, auxiliary, N).rmse / srs_error(subject, N)
                for subject, auxiliary in COMBINATIONS
            ]
        )
        for name in OURS_AND_THEIRS[1:]
        if name != "ces"
    }
    return ", ".join(f"{name} {value:.2f}" for name, value in sorted(means.items(), key=lambda item: item[1]))


def published_line(figures: Figures, subject: str, name: str) -> str:
    """The published RMSE at each budget, points."""
    return ", ".join(points(figures[subject, name, "confidence", budget]["rmse"]) for budget in BUDGETS)


def own_line(results: Results, subject: str, name: str) -> str:
    """Ours, as published, at each budget, points."""
    cells = (results.need(subject, name, "confidence", budget, "as published") for budget in BUDGETS)
    return ", ".join(points(cell.rmse) for cell in cells)


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
repetitions each, the RMSE at 400 comes out below that at 800 in {100 * chance:.1f}% of cases by chance alone where the
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


def second_question(results: Results, figures: Figures) -> str:
    """RQ2: how many failures come with the estimate."""
    rows, near = [], []
    for name in OURS_AND_THEIRS:
        row = [name]
        for subject, auxiliary in COMBINATIONS + REGRESSION:
            variant = "as published" if results.cell(subject, name, auxiliary, N, "as published") else None
            cell = results.cell(subject, name, auxiliary, N, variant)
            theirs = published_figure(figures, subject, name, auxiliary, N)
            if cell is None:
                row.append("–" + (f" ({theirs['mean_failures']:.1f})" if theirs else ""))
                continue
            row.append(f"{cell.failures:.1f}" + (f" ({theirs['mean_failures']:.1f})" if theirs else ""))
            if theirs and subject != "DO" and name not in ("srs", "ces"):
                near.append((abs(cell.failures - theirs["mean_failures"]), f"{name} on {subject} with {auxiliary}"))
        rows.append(row)
    head = ["technique", *(f"{subject}, {auxiliary}" for subject, auxiliary in COMBINATIONS + REGRESSION)]
    within = sum(distance <= 5 for distance, _ in near)
    far = ", ".join(f"{what} ({distance:.1f})" for distance, what in sorted(near, reverse=True) if distance > 5)
    return f"""## RQ2: how many failures come with it?

Mean failures among {N} labels, published in brackets; as published where there is such a variant. For DO a failure is
an error beyond {TOLERANCE * DEGREES:g} degrees.

{table(head, rows)}
On D and G {within} of {len(near)} means are within 5 of the published ones{f"; farther off: {far}" if far else ""}.

### Regression, by the size of the error

Mean inputs among {N} labels whose error is at least that many degrees (subject DO, LSA; the techniques' own definitions).
The paper says that differences above 25 degrees never occurred; the file goes on to {largest_offset():.1f} degrees.

{offset_table(results)}
![errors by size](offsets.svg)
"""


def largest_offset() -> float:
    """The largest error of the steering angle, degrees."""
    return float(np.sqrt(losses_of("DO").max()) * DEGREES)


def offset_table(results: Results) -> str:
    """Mean counts by offset."""
    rows = []
    for name in OURS_AND_THEIRS:
        cell = results.cell("DO", name, "lsa", N)
        if cell and cell.beyond:
            rows.append([name, *(f"{count:.1f}" for count in cell.beyond)])
    return table(["technique", *(f"≥ {degrees:g}" for degrees in OFFSETS)], rows)


NAMES = {"RHC": "rhc-s", "RHC-S": "rhc-s", "DeepEST": "deepest"}
AUXILIARIES = {"LSA": "lsa"}


def published() -> dict[tuple[str, str, str, int], dict[str, float]]:
    """The authors' own figures by subject, technique, auxiliary variable ("" where none) and budget."""
    figures = {}
    with (data_folder() / "deepsample" / "published.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            technique = NAMES.get(row["technique"], row["technique"].lower())
            auxiliary = AUXILIARIES.get(row["aux"], row["aux"])
            key = (row["model"], technique, auxiliary, int(row["budget"]))
            figures[key] = {name: float(row[name]) for name in ("rmse", "rmedse", "bias", "mean_failures")}
    return figures


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


def write(results: Results, folder: Path) -> None:
    """The page and its plots."""
    figures = published()
    plots(results, folder)
    parts = [
        opening(),
        first_question(results, figures),
        second_question(results, figures),
        third_question(results, figures),
        trade_off(results, figures),
        agreement(results, figures),
    ]
    write_page(folder / "deepsample.md", parts)


def opening() -> str:
    """What the page is and how its numbers come about."""
    lenets = ", ".join(f"{model} ({1 - losses_of(model).mean():.4f})" for model in MODELS)
    return f"""# DeepSample's questions again

Made by `make study`; no number measured here is typed by hand. The subjects are DeepSample's D (CIFAR-10, 33,500
inputs), G (CIFAR-100, 15,000) and DO (steering angles, 5,614), CN12 (CIFAR-10, 10,000 inputs) of DeepEST, whose LSA
column leaks the true label and is left out, and the PACE authors' LeNets on the 10,000 test images of MNIST with their
accuracies: {lenets}. The LeNets take the place of the paper's MNIST models; they alone have features, which ces needs.
Published figures are the authors' own, of 30 repetitions. What the defaults promise is on a page of its own,
[numbers.md](numbers.md).

- **exact**: the error follows from a formula and the whole truth (srs, css, ssrs, sups, rhc-s, 2-ups, rrs), so it has
  no random error. The other errors come from campaigns, whose number is given beside them: an RMSE of {ONE_BY_ONE}
  carries {100 / np.sqrt(2 * ONE_BY_ONE):.0f}% of random error, of {MANY:,} {100 / np.sqrt(2 * MANY):.0f}%, published
  ones of 30 carry 13%; long tails carry more. RMedSE, bias and failures are of campaigns throughout: {MANY:,} where
  their distribution allows all to be drawn at once (srs, css, ssrs, gbs, sups, 2-ups, rrs on pass or fail),
  {min(SLOWER.values())}
  to {ONE_BY_ONE} for the rest.
- Errors are in points of accuracy (of 1 - MSE for DO). "as published" is the variant that does as the authors' program.
- The techniques are unbiased or nearly so unless they say "as published"; sups, rhc-s, 2-ups and deepest have 5% of
  their draws spread evenly, so that no input is out of reach.
"""


def plots(results: Results, folder: Path) -> None:
    """The three plots."""
    error = {
        f"D, {auxiliary}": {
            name: [100 * results.need("D", name, auxiliary, n).rmse for n in BUDGETS]
            for name in OURS_AND_THEIRS
            if results.cell("D", name, auxiliary, N)
        }
        for auxiliary in CLASSIFICATION["D"]
    }
    curves(folder / "error.svg", error, "RMSE (points of accuracy)", log=True)
    spots = {}
    for name in OURS_AND_THEIRS:
        if name == "ces":
            continue
        cell = results.need("D", name, "confidence", N)
        spots[name] = (cell.failures / srs_failures("D"), cell.rmse / srs_error("D", N))
    scatter(
        folder / "trade_off.svg",
        spots,
        "failures / failures of simple random sampling (D, confidence, n = 200)",
        "RMSE / RMSE of simple random sampling",
    )
    counts = {}
    for name in OURS_AND_THEIRS:
        of_steering = results.cell("DO", name, "lsa", N)
        if of_steering and of_steering.beyond:
            counts[name] = of_steering.beyond
    offsets(folder / "offsets.svg", OFFSETS.tolist(), counts)
