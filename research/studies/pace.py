"""Writes docs/studies/pace.md: PACE's research questions on its authors' networks over MNIST, ours beside published."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.studies.pace_runs import (
    ALPHAS,
    ATTACKED,
    ATTACKS,
    BESIDE,
    BUDGETS,
    BY_K_MEANS,
    DIMENSIONS,
    EPSILON,
    FEATURES,
    FEW,
    KINDS,
    LARGE,
    LAST,
    NETWORKS,
    REPETITIONS,
    STARTS,
    STEPS,
    SURPRISED,
    TOP,
    VARIANTS,
    Line,
    all_lines,
    as_published,
    forced,
    results_of,
    subject,
    top_losses,
    variant_of,
)
from research.studies.pace_runs import make as make_subjects
from research.studies.page_text import MARKERS, plt, save, table, write_page
from testimate.charts.palette import hue

Found = Mapping[Line, Mapping[str, Any]]


class Page:
    """The results and the folder of the subjects, and the numbers that the sections take from them."""

    def __init__(self, found: Found, folder: Path) -> None:
        self.found, self.folder = found, folder

    def errors(self, line: Line, top: int = 1) -> NDArray[np.float64]:
        """Errors of the estimate in points, (repetitions, budgets)."""
        return np.asarray(100 * np.array(self.found[line]["errors"])[TOP.index(top)])

    def rms(self, line: Line, top: int = 1) -> NDArray[np.float64]:
        """Root of the mean squared error, which the paper calls MSE (eq. 6), (budgets,)."""
        return np.asarray(np.sqrt(np.square(self.errors(line, top)).mean(axis=0)))

    def mean(self, line: Line, top: int = 1) -> float:
        """Mean of that over the budgets."""
        return float(self.rms(line, top).mean())

    def losses(self, name: str, top: int = 1) -> NDArray[np.float64]:
        """Losses of a subject's inputs."""
        return top_losses(subject(self.folder, name), top)

    def clusters(self, line: Line) -> str:
        """How many clusters and how much minority space."""
        one = self.found[line]
        reduced = ", reduced" if one["reduced"] else ""
        reduced += ", k-means" if one["groups"] != "cluster" else ""
        return f"{one['clusters']}, {100 * one['noise']:.0f}%{reduced}"


def numbers(values: Iterable[float]) -> list[str]:
    """With two digits, and their mean."""
    listed = [float(value) for value in values]
    return [*(f"{value:.2f}" for value in listed), f"**{np.mean(listed):.2f}**"]


TABLE_2 = {
    "LeNet-1": {
        "srs": (2.423, 2.040, 1.679, 1.741, 1.827, 1.699, 1.739, 1.672, 1.595, 1.492, 1.509, 1.465, 1.440, 1.333),
        "ces": (2.540, 2.160, 1.913, 1.837, 1.880, 1.816, 1.742, 1.613, 1.529, 1.445, 1.326, 1.334, 1.289, 1.262),
        "css": (2.409, 2.308, 1.925, 1.916, 1.747, 2.222, 2.004, 1.847, 1.694, 1.579, 1.730, 1.652, 1.572, 1.502),
        "pace": (0.742, 0.222, 0.494, 1.110, 0.295, 0.190, 0.315, 0.181, 0.163, 0.574, 0.158, 0.202, 0.434, 0.385),
    },
    "LeNet-5": {
        "srs": (1.418, 1.310, 1.258, 1.154, 1.047, 1.043, 1.107, 1.034, 0.954, 0.919, 0.957, 0.896, 0.838, 0.821),
        "ces": (1.227, 1.120, 1.063, 0.985, 0.911, 0.934, 0.903, 0.902, 0.886, 0.825, 0.839, 0.755, 0.703, 0.709),
        "css": (0.764, 0.736, 0.627, 0.599, 0.549, 0.548, 0.542, 0.524, 0.526, 0.502, 0.475, 0.447, 0.449, 0.443),
        "pace": (0.603, 0.319, 0.088, 0.070, 0.245, 0.320, 0.419, 0.487, 0.551, 0.611, 0.653, 0.703, 0.732, 0.764),
    },
    "mutant1": {
        "srs": (4.514, 4.805, 4.491, 4.170, 3.494, 3.157, 3.312, 3.297, 3.219, 3.089, 2.941, 2.987, 2.795, 2.751),
        "ces": (3.784, 3.821, 3.612, 3.640, 3.496, 3.597, 3.444, 3.426, 3.282, 3.380, 3.433, 3.541, 3.586, 3.535),
        "css": (8.795, 8.173, 8.202, 7.778, 7.390, 7.128, 6.595, 6.009, 5.688, 5.750, 5.402, 5.168, 5.166, 4.590),
        "pace": (4.470, 3.803, 3.569, 2.748, 3.616, 2.470, 2.288, 2.823, 1.720, 1.899, 1.803, 1.095, 0.470, 0.580),
    },
}
"""Rows 1, 3 and 4 (the last is called LeNet-5-M1 there)."""

PUBLISHED_ATTACKS = {
    "BIM": {
        "srs": (8.067, 7.652, 6.993, 6.876, 6.244, 5.700, 5.179, 4.810, 4.801, 4.423, 4.112, 4.074, 3.832, 3.589),
        "ces": (7.426, 6.008, 5.914, 5.099, 4.579, 4.727, 4.467, 4.197, 3.961, 3.665, 3.566, 3.402, 3.280, 3.232),
        "css": (13.815, 12.785, 11.538, 10.262, 9.640, 8.657, 8.055, 7.325, 7.015, 6.567, 6.720, 6.380, 6.177, 6.089),
        "pace": (1.979, 3.079, 2.594, 1.728, 0.115, 1.148, 3.380, 3.545, 4.141, 3.171, 3.033, 2.882, 3.629, 2.608),
    },
    "FGSM": {
        "srs": (6.362, 5.300, 5.000, 4.508, 4.853, 4.285, 3.972, 4.338, 4.327, 4.118, 3.660, 3.588, 3.732, 3.498),
        "ces": (6.656, 6.122, 5.432, 5.292, 5.273, 4.866, 4.956, 5.049, 4.891, 4.695, 4.540, 4.560, 4.409, 4.191),
        "css": (12.193, 11.577, 10.722, 10.330, 10.062, 9.147, 8.603, 8.709, 8.116, 8.338, 7.703, 7.421, 7.552, 7.844),
        "pace": (5.585, 7.840, 6.220, 4.090, 2.840, 1.426, 0.113, 0.493, 0.532, 0.697, 0.493, 1.259, 1.278, 1.604),
    },
}
"""BIM: row 18 of Table 3, LeNet-5. FGSM: Table 11, which is of another network, ResNet-20 over CIFAR-10."""

CARLINI_WAGNER = {
    "srs": (7.533, 6.722, 5.748, 5.498, 5.083, 4.834, 5.118, 5.076, 4.677, 4.647, 4.685, 4.448, 4.250, 4.353),
    "ces": (6.881, 6.425, 5.804, 5.440, 5.028, 4.641, 4.696, 4.923, 4.423, 4.224, 3.984, 3.784, 3.537, 3.350),
    "css": (12.953, 11.762, 11.165, 9.922, 9.171, 8.813, 8.486, 7.431, 7.455, 7.148, 6.067, 5.664, 5.129, 5.100),
    "pace": (7.160, 3.827, 1.446, 2.160, 1.604, 1.160, 0.113, 1.173, 0.237, 1.411, 1.507, 1.590, 1.664, 1.173),
}
"""The other half of Table 11, ResNet-20 over CIFAR-10."""

TABLE_12 = {
    "LeNet-5": (3.063, 2.586, 2.256, 2.359, 2.353, 2.125, 1.996, 1.840, 1.714, 1.611, 1.527, 1.455, 1.388, 1.336),
    "mutant1": (8.437, 7.617, 7.033, 6.377, 6.025, 5.973, 5.877, 5.749, 5.480, 5.244, 4.759, 4.785, 4.747, 4.842),
}
"""CSS by surprise, called CSS-COV there."""

GAINS = {"large": (68.33, 68.08), "top-5": (48.29, 29.28), "all subjects": (51.06,)}
"""Mean improvement of PACE over SRS in percent: Table 10 and Table 9 (VGG-19 and ResNet-50 over ImageNet), Tables 2 and 3."""

BIM_ACCURACY = 0.4935


SAID = {"srs": "SRS", "ces": "CES", "css": "CSS"}


def error_table(page: Page, name: str, figures: Mapping[str, Sequence[float]]) -> str:
    """One subject's errors, the paper's below each."""
    published = as_published(name)
    rows = [["pace, as published", *numbers(page.rms(published))]]
    if published.repetitions > 1:
        runs = page.errors(published)
        rows[0][0] += f" ({STARTS} starts)"
        for word, where in (("least", np.abs(runs).min(axis=0)), ("most", np.abs(runs).max(axis=0))):
            rows.append([f"– {word} of these", *numbers(where)])
    rows.append(["PACE, paper", *numbers(figures["pace"])])
    rows.append(["pace", *numbers(page.rms(Line(name, "pace")))])
    for technique in BESIDE:
        rows.append([technique, *numbers(page.rms(Line(name, technique, repetitions=REPETITIONS)))])
        rows.append([f"{SAID[technique]}, paper", *numbers(figures[technique])])
    return f"**{name}**\n\n{table(['error at n =', *map(str, BUDGETS), 'mean'], rows)}"


def luck(page: Page, name: str, line: Line) -> int:
    """How many of the runs of simple random sampling came nearer, on average over the budgets, than a line's first run."""
    runs = np.abs(page.errors(Line(name, "srs", repetitions=REPETITIONS))).mean(axis=1)
    return int((runs < np.abs(page.errors(line)[0]).mean()).sum())


def first_question(page: Page) -> str:
    """RQ1."""
    tables = "\n".join(error_table(page, name, TABLE_2[name]) for name in NETWORKS)
    rows = []
    for name in NETWORKS:
        for words, line in (("pace", Line(name, "pace")), ("pace, as published", as_published(name))):
            single = float(np.abs(page.errors(line)[0]).mean())
            rows.append([f"{name}: {words}", f"{single:.2f}", f"{luck(page, name, line)} of {REPETITIONS}"])
    single_head = ["one run", "mean size of the error", "runs of srs that came nearer"]
    return f"""## RQ1: how well is the accuracy estimated?

{tables}
![errors over n](pace.svg)

PACE is one run, and its errors at the 14 budgets go together, because most inputs are the same. Against single runs of
simple random sampling, each followed through the same budgets (an error of typical size is 0.8 of the RMSE, so the RMSE
flatters the single run):

{table(single_head, rows)}"""


def implied(error: float, budget: int, accuracy: float) -> str:
    """The failures and the length of the list, near n, that a published error of one run came from; "" where several fit."""
    fits = []
    for size in range(budget - 6, budget + 7):
        for failures in range(size + 1):
            if abs(abs(1 - failures / size - accuracy) - error / 100) < 6e-6:
                fits.append(f"{failures} of {size}")
    return " or ".join(fits)


def lists(page: Page) -> str:
    """What lists the published errors came from."""
    rows, agreements = [], []
    for name in ("LeNet-5", "mutant1"):
        accuracy = 1 - float(page.losses(name).mean())
        line = as_published(name)
        sizes, errors = page.found[line]["chosen"], page.errors(line)[0] / 100
        same = failed = 0
        for place, budget in enumerate(BUDGETS):
            said = implied(TABLE_2[name]["pace"][place], budget, accuracy)
            failures = round((1 - accuracy - errors[place]) * sizes[place])
            failed += any(one.startswith(f"{failures} of") for one in said.split(" or "))
            same += f"{failures} of {sizes[place]}" in said.split(" or ")
            rows.append([f"{name}, n = {budget}", said or "–", f"{failures} of {sizes[place]}"])
        agreements.append(f"at {failed} of {len(BUDGETS)} budgets on {name}, and the length as well at {same}")
    return f"""### What the published errors were made of

The error of one run shows how many of how many inputs failed. Failed inputs agree {"; ".join(agreements)}. Elsewhere a
cluster's share falls on the other side of a rounding, or a few inputs belong to another cluster: features by another
version of TensorFlow, HDBSCAN by another of its package. What "as published" took over from the hdbscan 0.8.22 of the
authors: above 60 dimensions its `min_samples` counted the input itself.

{table(["subject", "failed, by the published error", "failed here, as published"], rows)}"""


def agreement(page: Page) -> str:
    """What agrees, what does not, and why."""
    parts = [agreement_of_lists(page), agreement_with_sampling(page), definition(page), answers(page)]
    return "## What agrees, what does not, and why\n\n" + "\n".join(parts)


def agreement_of_lists(page: Page) -> str:
    """How near the published errors come."""
    near = []
    for name in ("LeNet-5", "mutant1"):
        apart = np.abs(page.rms(as_published(name)) - TABLE_2[name]["pace"])
        correlation = float(np.corrcoef(page.rms(as_published(name)), TABLE_2[name]["pace"])[0, 1])
        near.append(f"{name} {apart.mean():.2f} points apart on average (correlation {correlation:.2f})")
    line = as_published("LeNet-1")
    runs = np.abs(page.errors(line))
    inside = int(
        ((runs.min(axis=0) <= TABLE_2["LeNet-1"]["pace"]) & (runs.max(axis=0) >= TABLE_2["LeNet-1"]["pace"])).sum()
    )
    return f"""- **The published errors of PACE.** As published: {"; ".join(near)}. On LeNet-1 the program's FastICA
  starts at random: {inside} of {len(BUDGETS)} published errors are inside the range of {STARTS} starts; the figures are
  one draw of it. PACE is deterministic only once FastICA is seeded, as here."""


def agreement_with_sampling(page: Page) -> str:
    """SRS, CES and CSS against their published errors."""
    by_technique = []
    for technique in BESIDE:
        ratios = [
            page.mean(Line(name, technique, repetitions=REPETITIONS)) / np.mean(TABLE_2[name][technique])
            for name in NETWORKS
        ]
        by_technique.append(
            f"{technique} " + ", ".join(f"{ratio:.2f} ({name})" for ratio, name in zip(ratios, NETWORKS, strict=True))
        )
    ideal = []
    for name in NETWORKS:
        spread = float(page.losses(name).std(ddof=1))
        size = len(page.losses(name))
        exact = [100 * spread * np.sqrt(1 / n - 1 / size) for n in BUDGETS]
        ideal.append(f"{np.mean(TABLE_2[name]['srs']) / np.mean(exact):.2f} ({name})")
    return f"""- **SRS, CES and CSS.** Our error over the published one, means over the budgets: {"; ".join(by_technique)}. The
  published errors of SRS are {", ".join(ideal)} times what simple random sampling has by its formula; errors at
  neighboring budgets go together, so 14 budgets do not average that out. CES repeats no input here and weighs no
  border wrongly. CSS is the stratum-weighted mean."""


def definition(page: Page) -> str:
    """As defined against as published."""
    means = []
    for name in NETWORKS:
        own, theirs = page.mean(Line(name, "pace")), page.mean(as_published(name))
        random = page.mean(Line(name, "srs", repetitions=REPETITIONS))
        means.append(f"{name} {own:.2f} against {theirs:.2f} as published and {random:.2f} of srs")
    found, leaning = [], []
    for name in NETWORKS:
        errors = page.errors(Line(name, "pace"))[0]
        leaning.append(f"{errors.mean():+.2f} on {name}")
        found.append(f"{int((np.abs(errors - 100 * page.losses(name).mean()) < 1e-9).sum())} on {name}")
    return f"""- **As defined.** Mean errors: {"; ".join(means)}. Budgets at which the list has no failure at all, so
  that the error is the whole failure rate: {", ".join(found)}. The mean estimate is off by {", ".join(leaning)}: chosen
  inputs have no chances, so nothing makes such a bias small, and nobody can know it without the truth."""


def answers(page: Page) -> str:
    """On the questions, in short."""
    wins = 0
    for name in NETWORKS:
        single = np.abs(page.errors(Line(name, "pace"))[0])
        wins += int((single < page.rms(Line(name, "srs", repetitions=REPETITIONS))).sum())
    cells, said = len(NETWORKS) * len(BUDGETS), GAINS["all subjects"][0]
    return f"""- **PACE against SRS.** As defined, its error is below SRS's RMSE in {wins} of {cells} cells; the paper
  finds {said:.0f}% less error over its 24 subjects. About two in three single runs of simple random sampling are below
  their own RMSE too, so such counts flatter any single run; the table of runs that came nearer (RQ1) does not.
- **RQ2 to RQ5.** With three networks and one run per setting, differences of some tenths of a point are those of a few
  labels: 1 of 100 inputs is a point. The tables say what happened here, not which setting is better.
"""


def top_classes(page: Page) -> str:
    """Top-n accuracy."""
    rows = []
    for name in NETWORKS:
        for top in TOP:
            accuracy = 100 * (1 - page.losses(name, top).mean())
            lines = [Line(name, "pace"), as_published(name)]
            lines += [Line(name, technique, repetitions=REPETITIONS) for technique in BESIDE]
            rows.append([f"{name}, top {top}", f"{accuracy:.2f}", *(f"{page.mean(line, top):.2f}" for line in lines)])
    said = " and ".join(f"{gain:.0f}%" for gain in GAINS["top-5"])
    return f"""## Top-n accuracy

The same inputs, right when the true class is among the n most probable; mean error over the budgets. The paper's Table
9, top 5 of ImageNet's 1,000 classes: PACE {said} better than SRS.

{table(["subject", "accuracy, %", "pace", "pace, as published", *BESIDE], rows)}"""


def larger(page: Page) -> str:
    """To n = 1,000."""
    rows = []
    for name in NETWORKS:
        for words, line in (
            ("pace", Line(name, "pace", budgets=LARGE)),
            ("pace, as published", as_published(name, LARGE)),
            *((one, Line(name, one, repetitions=REPETITIONS, budgets=LARGE)) for one in BESIDE),
        ):
            rows.append([f"{name}: {words}", *numbers(page.rms(line))])
    said = " and ".join(f"{gain:.0f}%" for gain in GAINS["large"])
    return f"""## To 1,000 inputs

The paper's Table 10, ImageNet: PACE {said} better than SRS.

{table(["error at n =", *(f"{n:,}" for n in LARGE), "mean"], rows)}"""


def surprise(page: Page) -> str:
    """Table 12."""
    rows = []
    for name in SURPRISED:
        for score in ("lsa", "dsa", "confidence"):
            line = Line(name, "css", auxiliary=score, repetitions=REPETITIONS)
            rows.append([f"{name}: css by {score}", *numbers(page.rms(line))])
        rows.append([f"{name}: CSS-COV, paper", *numbers(TABLE_12[name])])
    return f"""## CSS by surprise (Table 12)

CSS with likelihood-based (lsa) or distance-based (dsa) surprise in confidence's place, from the 60,000 training images.
The paper does not say which of the two its CSS-COV takes.

{table(["error at n =", *map(str, BUDGETS), "mean"], rows)}"""


def attacks(page: Page) -> str:
    """FGSM and BIM."""
    bim, fgsm = (f"{100 * (1 - page.losses(name).mean()):.2f}" for name in ATTACKS)
    tables = "\n".join(error_table(page, name, PUBLISHED_ATTACKS[name]) for name in ATTACKS)
    return f"""## Adversarial inputs

5,000 test images as they are and 5,000 others moved up the gradient of {ATTACKED}'s loss, by at most {EPSILON} of a
pixel's range: FGSM in one step, BIM in {STEPS}. The accuracy is {bim}% under BIM (the paper's own set:
{100 * BIM_ACCURACY:.2f}%) and {fgsm}% under FGSM. The paper's figures for BIM are of another such set (row 18); those
for FGSM of ResNet-20 over CIFAR-10 (Table 11), so only their order can be compared.

{tables}
{order(page)}"""


def order(page: Page) -> str:
    """How the program's slip makes the order of the file matter."""
    rows = []
    for words, name in (("in random order", "BIM"), ("attacked inputs last", LAST)):
        rows.append([f"pace, {words}", *numbers(page.rms(Line(name, "pace")))])
        rows.append([f"pace as published, {words}", *numbers(page.rms(as_published(name)))])
    return f"""As published, the inputs of the minority space are the last ones of the file, so its order decides: the
same inputs under BIM in random order, as above, and with the attacked ones at the end:

{table(["error at n =", *map(str, BUDGETS), "mean"], rows)}"""


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
Features, least here: {best["features"]}. The paper: CON worst, ORI and LHL better than FL, LHL+ORI better than LHL by 14%.

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


def make(data: Path, folder: Path, target: Path) -> None:
    """Runs what is not in the folder yet, and writes the page and its plot."""
    make_subjects(data, folder)
    page = Page(results_of(all_lines(), folder), folder)
    plot(page, target / "pace.svg")
    sections = (opening, first_question, lists, settings, variants, top_classes, larger, surprise, attacks, agreement)
    write_page(target / "pace.md", [section(page) for section in sections])


def opening(page: Page) -> str:
    """What the page is, and the subjects."""
    rows = []
    for name in (*NETWORKS, *ATTACKS):
        own, theirs = page.found[Line(name, "pace")], page.found[as_published(name)]
        rows.append(
            [
                name,
                f"{100 * (1 - page.losses(name).mean()):.2f}",
                page.clusters(Line(name, "pace")),
                f"{100 * own['largest']:.0f}%",
                page.clusters(as_published(name)),
                f"{min(np.array(theirs['chosen']) - BUDGETS):+d} to {max(np.array(theirs['chosen']) - BUDGETS):+d}",
            ]
        )
    head = [
        "subject",
        "accuracy, %",
        "clusters, minority space: by the rule",
        "largest group",
        "as published",
        "inputs beyond n, as published",
    ]
    return f"""# PACE's questions again

Made by `make study`; no number measured here is typed by hand. The subjects are the networks of the PACE authors over
the 10,000 MNIST test images: LeNet-1, LeNet-5 and mutant1 (LeNet-5 trained with "8" and "0" exchanged), and LeNet-5
under two attacks. Features are those of the last hidden layer (LHL, `layers[-3]`) unless said.

- Errors are in points of accuracy. What the paper calls MSE is its root (eq. 6): over {REPETITIONS} repetitions for
  techniques that draw, one run for PACE, which always chooses the same. An RMSE of {REPETITIONS} repetitions carries 10
  % of random error.
- **pace** is PACE as its paper defines it: the rule of section 4.4 decides whether FastICA comes first, the minority
  space gives the farthest input, the list is n long. Where more than 80% are minority space, as on LeNet-1, k-means
  groups are used instead, and alpha has no effect.
- **as published** is what the authors' program does: it reduces by a list of models (LeNet-1 to 8 dimensions, the
  others not), takes from the minority space, after two, the *last* input apart from those chosen, and rounds cluster by
  cluster, so that the list is some inputs longer or shorter than n.
- FastICA is seeded here. The authors' program leaves it unseeded, so LeNet-1 is shown from {STARTS} starts.

{table(head, rows)}"""


def plot(page: Page, file: Path) -> None:
    """Errors over n, a panel per network."""
    figure, axes = plt.subplots(1, len(NETWORKS), figsize=(3.6 * len(NETWORKS) + 1.2, 3.4), squeeze=False)
    for axis, name in zip(axes[0], NETWORKS, strict=True):
        lines: dict[str, Iterable[float]] = {
            "pace": page.rms(Line(name, "pace")),
            "pace, as published": page.rms(as_published(name)),
            "PACE, paper": TABLE_2[name]["pace"],
            **{one: page.rms(Line(name, one, repetitions=REPETITIONS)) for one in BESIDE},
        }
        for place, (words, values) in enumerate(lines.items()):
            style = "--" if words.endswith("paper") else "-"
            axis.plot(
                BUDGETS, values, style, marker=MARKERS[place], markersize=4, color=hue(place, dark=False), label=words
            )
        axis.set_title(name)
        axis.set_xlabel("inputs chosen")
        axis.set_ylim(bottom=0)
    axes[0, 0].set_ylabel("error, points")
    axes[0, -1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    save(figure, file)
