"""What of DeepSample agrees with its paper, what does not, and why."""

import numpy as np

from research.studies.deepsample_figures import COMBINATIONS, Figures, N, published_figure
from research.studies.jobs import BUDGETS, CLASSIFICATION, OURS_AND_THEIRS, PROGRAM_THRESHOLDS
from research.studies.lenets import MODELS
from research.studies.page_text import points
from research.studies.results import Results, srs_error


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
  With 5 % of the draws spread evenly the exact RMSE at n = {N} with confidence is {", ".join(unseen)} points, with DSA
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
