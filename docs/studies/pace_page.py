"""Writes docs/studies/pace.md: PACE's research questions on its authors' networks over MNIST, ours beside published."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pace_published import ATTACKS as PUBLISHED_ATTACKS
from pace_published import BIM_ACCURACY, GAINS, TABLE_2, TABLE_12
from pace_runs import (
    ALPHAS,
    BESIDE,
    BUDGETS,
    BY_K_MEANS,
    DIMENSIONS,
    FEATURES,
    FEW,
    KINDS,
    LARGE,
    REPETITIONS,
    STARTS,
    TOP,
    VARIANTS,
    Line,
    all_lines,
    as_published,
    forced,
    results_of,
    variant_of,
)
from pace_subjects import ATTACKED, ATTACKS, EPSILON, LAST, NETWORKS, STEPS, SURPRISED, subject, top_losses
from pace_subjects import make as make_subjects
from parts import MARKERS, plt, save, table

from testimate.charts.palette import hue

SAID = {"srs": "SRS", "ces": "CES", "css": "CSS"}
Found = Mapping[Line, Mapping[str, Any]]


class Page:
    """The results and the folder of the subjects, and the numbers that the sections take from them."""

    def __init__(self, found: Found, folder: Path) -> None:
        self.found, self.folder = found, folder

    def errors(self, line: Line, top: int = 1) -> NDArray[np.float64]:
        """Errors of the estimate in points, (repetitions, budgets)."""
        return 100 * np.array(self.found[line]["errors"])[TOP.index(top)]

    def rms(self, line: Line, top: int = 1) -> NDArray[np.float64]:
        """Root of the mean squared error, which the paper calls MSE (eq. 6), (budgets,)."""
        return np.sqrt(np.square(self.errors(line, top)).mean(axis=0))

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
        return f"{one['clusters']}, {100 * one['noise']:.0f} %{reduced}"


def make(data: Path, folder: Path, target: Path) -> None:
    """Runs what is not in the folder yet, and writes the page and its plot."""
    make_subjects(data, folder)
    page = Page(results_of(all_lines(), folder), folder)
    plot(page, target / "pace.svg")
    sections = (opening, first_question, lists, settings, variants, top_classes, larger, surprise, attacks, agreement)
    (target / "pace.md").write_text("\n".join(section(page) for section in sections))


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
                f"{100 * own['largest']:.0f} %",
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

Made by `make study`; no number measured here is typed by hand. The subjects are the networks of the PACE authors over the
10,000 MNIST test images: LeNet-1, LeNet-5 and mutant1 (LeNet-5 trained with "8" and "0" exchanged), and LeNet-5 under two
attacks. Features are those of the last hidden layer (LHL, `layers[-3]`) unless said.

- Errors are in points of accuracy. What the paper calls MSE is its root (eq. 6): over {REPETITIONS} repetitions for
  techniques that draw, one run for PACE, which always chooses the same. An RMSE of {REPETITIONS} repetitions carries 10 % of
  random error.
- **pace** is PACE as its paper defines it: the rule of section 4.4 decides whether FastICA comes first, the minority space
  gives the farthest input, the list is n long. Where more than 80 % are minority space, as on LeNet-1, k-means groups
  stand in, and alpha has no say.
- **as published** is what the authors' program does: it reduces by a list of models (LeNet-1 to 8 dimensions, the others
  not), takes from the minority space, after two, the *last* input apart from those chosen, and rounds cluster by cluster,
  so that the list is some inputs longer or shorter than n.
- FastICA is seeded here. The authors' program leaves it unseeded, so LeNet-1 is shown from {STARTS} starts.

{table(head, rows)}"""


def numbers(values: Iterable[float]) -> list[str]:
    """With two digits, and their mean."""
    listed = [float(value) for value in values]
    return [*(f"{value:.2f}" for value in listed), f"**{np.mean(listed):.2f}**"]


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

PACE is one run, and its errors at the 14 budgets go together, for most inputs are the same. Against single runs of simple
random sampling, each followed through the same budgets (an error of typical size is 0.8 of the RMSE, so the RMSE flatters the
single run):

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
    rows, told = [], []
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
        told.append(f"at {failed} of {len(BUDGETS)} budgets on {name}, and the length as well at {same}")
    return f"""### What the published errors were made of

An error of one run tells how many of how many inputs failed. Failed inputs agree {"; ".join(told)}.
Elsewhere a cluster's share falls on the other side of a rounding, or a few inputs belong to another cluster: features by
another version of TensorFlow, HDBSCAN by another of its package. What "as published" took over from the hdbscan 0.8.22 of the
authors: above 60 dimensions its `min_samples` counted the input itself.

{table(["subject", "failed, by the published error", "failed here, as published"], rows)}"""


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
Least here: {best["features"]}. The paper: CON worst, ORI and LHL better than FL, LHL+ORI better than LHL by 14 %.

### RQ3 Alpha

{mean_table(page, alphas, "alpha")}
Least here: {best["alpha"]}. The paper: 0.5 worst, 0.7 and 0.8 best.

### RQ4 Dimensions and kinds of reduction

FastICA to so many dimensions whatever the rule says:

{mean_table(page, dimensions, "dimensions")}
Least here: {best["dimensions"]}. The paper: the fewer the better, none worst.

To 2 dimensions by other means:

{mean_table(page, kinds, "reduction")}
Least here: {best["kinds"]}. The paper: FastICA best, NMF near it.
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

Mean error over n = {BUDGETS[0]} to {BUDGETS[-1]} in points (of one run where the choice is always the same,
of {FEW} on {BY_K_MEANS} where each has a k-means of its own):

{table(["variant", *NETWORKS, "mean"], rows)}
The mean estimate of pace-art is off by {", ".join(bias)} points: inputs far from all others fail more often than most, and no
number of them makes up for it. The paper: PACE best; rand-m better than rand-g, art better than mmd.
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
    said = " and ".join(f"{gain:.0f} %" for gain in GAINS["top-5"])
    return f"""## Top-n accuracy

The same inputs, right when the true class is among the n most probable; mean error over the budgets. The paper's Table 9, top 5
of ImageNet's 1,000 classes: PACE {said} better than SRS.

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
    said = " and ".join(f"{gain:.0f} %" for gain in GAINS["large"])
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

CSS with likelihood-based (lsa) or distance-based (dsa) surprise in confidence's place, from the 60,000 training images. The
paper does not say which of the two its CSS-COV takes.

{table(["error at n =", *map(str, BUDGETS), "mean"], rows)}"""


def attacks(page: Page) -> str:
    """FGSM and BIM."""
    bim, fgsm = (f"{100 * (1 - page.losses(name).mean()):.2f}" for name in ATTACKS)
    tables = "\n".join(error_table(page, name, PUBLISHED_ATTACKS[name]) for name in ATTACKS)
    return f"""## Adversarial inputs

5,000 test images as they are and 5,000 others moved up the gradient of {ATTACKED}'s loss, by at most
{EPSILON} of a pixel's range: FGSM in one step, BIM in {STEPS}. The accuracy is {bim} % under BIM (the paper's own
set: {100 * BIM_ACCURACY:.2f} %) and {fgsm} % under FGSM. The paper's figures for BIM are of another such set (row 18); those
for FGSM of ResNet-20 over CIFAR-10 (Table 11),
so only their order can be compared.

{tables}
{order(page)}"""


def order(page: Page) -> str:
    """How the program's slip makes the order of the file matter."""
    rows = []
    for words, name in (("in random order", "BIM"), ("attacked inputs last", LAST)):
        rows.append([f"pace, {words}", *numbers(page.rms(Line(name, "pace")))])
        rows.append([f"pace as published, {words}", *numbers(page.rms(as_published(name)))])
    return f"""As published, the inputs of the minority space are the last ones of the file, so its order decides: the same
inputs under BIM in random order, as above, and with the attacked ones at the end:

{table(["error at n =", *map(str, BUDGETS), "mean"], rows)}"""


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
    return f"""- **The published errors of PACE.** As published: {"; ".join(near)}. On LeNet-1 the program's FastICA starts at
  random: {inside} of {len(BUDGETS)} published errors lie inside the range of {STARTS} starts; the figures are one draw of it.
  PACE is deterministic only once FastICA is seeded, as here."""


def agreement_with_sampling(page: Page) -> str:
    """SRS, CES and CSS against their published errors."""
    told = []
    for technique in BESIDE:
        ratios = [
            page.mean(Line(name, technique, repetitions=REPETITIONS)) / np.mean(TABLE_2[name][technique])
            for name in NETWORKS
        ]
        told.append(
            f"{technique} " + ", ".join(f"{ratio:.2f} ({name})" for ratio, name in zip(ratios, NETWORKS, strict=True))
        )
    ideal = []
    for name in NETWORKS:
        spread = float(page.losses(name).std(ddof=1))
        size = len(page.losses(name))
        exact = [100 * spread * np.sqrt(1 / n - 1 / size) for n in BUDGETS]
        ideal.append(f"{np.mean(TABLE_2[name]['srs']) / np.mean(exact):.2f} ({name})")
    return f"""- **SRS, CES and CSS.** Our error over the published one, means over the budgets: {"; ".join(told)}.
  The published errors of SRS are {", ".join(ideal)} times what simple random sampling has by its
  formula; errors at neighbouring budgets go together, so 14 budgets do not average that out. CES repeats no input
  here and weighs no border wrongly. CSS is the stratum-weighted mean."""


def definition(page: Page) -> str:
    """As defined against as published."""
    told = []
    for name in NETWORKS:
        own, theirs = page.mean(Line(name, "pace")), page.mean(as_published(name))
        random = page.mean(Line(name, "srs", repetitions=REPETITIONS))
        told.append(f"{name} {own:.2f} against {theirs:.2f} as published and {random:.2f} of srs")
    found, leaning = [], []
    for name in NETWORKS:
        errors = page.errors(Line(name, "pace"))[0]
        leaning.append(f"{errors.mean():+.2f} on {name}")
        found.append(f"{int((np.abs(errors - 100 * page.losses(name).mean()) < 1e-9).sum())} on {name}")
    return f"""- **As defined.** Mean errors: {"; ".join(told)}. Budgets at which
  the list has no failure at all, so that the error is the whole failure rate: {", ".join(found)}. The mean
  estimate is off by {", ".join(leaning)}: chosen inputs have no chances, so nothing makes such a
  lean small, and nobody can know it without the truth."""


def answers(page: Page) -> str:
    """On the questions, in short."""
    wins = 0
    for name in NETWORKS:
        single = np.abs(page.errors(Line(name, "pace"))[0])
        wins += int((single < page.rms(Line(name, "srs", repetitions=REPETITIONS))).sum())
    cells, said = len(NETWORKS) * len(BUDGETS), GAINS["all subjects"]
    return f"""- **PACE against SRS.** As defined, its error is below SRS's RMSE in {wins} of {cells} cells; the paper finds
  {said:.0f} % less error over its 24 subjects. About two in three single runs of simple random sampling are below their own
  RMSE too, so such counts flatter any single run; the table of runs that came nearer (RQ1) does not.
- **RQ2 to RQ5.** With three networks and one run per setting, differences of some tenths of a point are those of a few labels:
  1 of 100 inputs is a point. The tables say what happened here, not which setting is better.
"""


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
