"""Writes docs/studies/ssoa.md: SSOA's research questions on the data at hand, ours beside published."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from parts import Results, points, srs_error, table
from runs import CLASSIFICATION, CLUSTER_REPETITIONS, REPETITIONS, SSOA, SSOA_BUDGETS, SSOA_REPETITIONS, inputs_of
from scipy import stats

from testimate.core.selector import Request
from testimate.structure.allocation import neyman
from testimate.structure.strata import by_clusters, by_rule
from testimate.studies import exact_error, exact_variance

PUBLISHED_GAINS = {"ssoa-r-t": 16.10, "ssoa-c-t": 13.87, "ssoa-r-p": 28.71, "ssoa-c-p": 11.06}
"""SSOA, tables 2 and 3: S1 (CN-12 on CIFAR-10), mean improvement over SRS at budgets from 50 to 200, percent."""

PUBLISHED_OVER = {"css": {"ssoa-r-p": 47.78, "ssoa-c-p": 35.50}, "deepest": {"ssoa-r-p": 14.14, "ssoa-c-p": -5.72}}
"""The same over CSS and DeepEST, S1, table 3."""

PUBLISHED_DO = {
    "srs": (2.894, 3.215, 2.812, 2.136, 3.941, 2.011, 0.834, 0.822, 1.440, 0.820, 1.384, 1.746, 1.563, 1.353),
    "ssoa-c-p": (1.066, 1.656, 0.864, 1.140, 0.672, 0.607, 0.702, 0.749, 0.852, 0.663, 0.756, 0.357, 0.726, 0.653),
}
"""SSOA, table 5: Dave-orig, 50 to 180 inputs in steps of 10."""

SHARED = (50, 100, 200)  # budgets that DeepSample's jobs have too


def write(results: Results, folder: Path) -> None:
    """The page."""
    parts = [
        opening(),
        gains(results),
        allocation(results),
        variances(),
        left_open(),
        clusters(results),
        regression(results),
        agreement(results),
    ]
    (folder / "ssoa.md").write_text("\n".join(parts))


def opening() -> str:
    """What the page is."""
    deepest = REPETITIONS["confidence"]
    return f"""# SSOA's questions again

Made by `make study`; no number measured here is typed by hand. The subjects are CN12 (CIFAR-10, 10,000
inputs, accuracy 0.8066; SSOA's S1 is a CN-12 of accuracy 0.8064, so close, but not the same network), D and G of DeepSample,
and DO for regression. Confidence is the auxiliary variable (LSA for DO). The T variants need the network's training set,
which these tables do not hold; for them there is the **oracle**: the same strata with the allocation that is best when the true
spread of every stratum is known, and its exact error. No estimate of the spreads can do better in the long run. Errors of srs,
css, rrs and the oracle are exact; SSOA's come from {SSOA_REPETITIONS} campaigns and carry {carries(SSOA_REPETITIONS)}
(a mean over four budgets half of that), deepest's from {deepest} and carry {carries(deepest)}, rra's from 500.
"""


def carries(campaigns: int) -> str:
    """The random error of an RMSE from so many campaigns."""
    return f"{100 / np.sqrt(2 * campaigns):.0f} %"


def strata_of(subject: str, kind: str, count: int = 3) -> NDArray[np.intp]:
    """SSOA's strata, (N,), by rule or clusters of the confidence."""
    scores = inputs_of(subject).score("confidence")
    return by_rule(scores, seed=1) if kind == "r" else by_clusters(scores, count)


def losses_of(subject: str) -> NDArray[np.float64]:
    """The true losses, (N,)."""
    losses = inputs_of(subject).losses
    assert losses is not None
    return losses


def oracle(subject: str, kind: str, budget: int, count: int = 3) -> float:
    """The exact error with Neyman allocation on the true spreads."""
    losses, strata = losses_of(subject), strata_of(subject, kind, count)
    spreads = np.array([losses[strata == stratum].std() for stratum in range(strata.max() + 1)])
    allocation = neyman(np.bincount(strata), spreads, budget)
    return float(np.sqrt(exact_variance.of_stratified(losses, strata, allocation)))


def error_of(results: Results, subject: str, name: str, budget: int) -> float:
    """RMSE, exact where there is a formula."""
    exact = exact_error(inputs_of(subject), Request(name, budget, 1))
    return exact if exact is not None else results.need(subject, name, "confidence", budget).rmse


def gain(errors: list[float], baseline: list[float]) -> float:
    """Mean relative improvement over the baseline, percent; SSOA, section 6.1."""
    return float(100 * np.mean(1 - np.array(errors) / np.array(baseline)))


def gains(results: Results) -> str:
    """RQ1: improvement over SRS, beside the oracle and ours."""
    rows = []
    for subject in CLASSIFICATION:
        base = [srs_error(subject, budget) for budget in SSOA_BUDGETS]
        for name in SSOA:
            for variant in (None, "as published"):
                cells = [results.need(subject, name, "confidence", budget, variant) for budget in SSOA_BUDGETS]
                said = f"{PUBLISHED_GAINS[name]:.1f}" if subject == "CN12" and variant else "–"
                bias = ", ".join(f"{100 * cell.bias:+.2f}" for cell in cells)
                label = f"{subject}: {name}{', as published' if variant else ''}"
                rows.append([label, f"{gain([cell.rmse for cell in cells], base):.1f}", said, bias])
        for kind, word in (("r", "rule"), ("c", "clusters")):
            best = [oracle(subject, kind, budget) for budget in SSOA_BUDGETS]
            said = f"{PUBLISHED_GAINS[f'ssoa-{kind}-t']:.1f} (T)" if subject == "CN12" else "–"
            rows.append([f"{subject}: oracle, {word}", f"{gain(best, base):.1f}", said, "0"])
        css = [error_of(results, subject, "css", budget) for budget in SSOA_BUDGETS]
        rrs = [error_of(results, subject, "rrs", budget) for budget in SSOA_BUDGETS]
        shared = [srs_error(subject, budget) for budget in SHARED]
        deepest = [results.need(subject, "deepest", "confidence", budget).rmse for budget in SHARED]
        rra = [results.need(subject, "rra", "confidence", budget).rmse for budget in SHARED]
        rows.append([f"{subject}: css", f"{gain(css, base):.1f}", "–", "0"])
        rows.append([f"{subject}: deepest (50, 100, 200)", f"{gain(deepest, shared):.1f}", "–", "0"])
        rows.append([f"{subject}: rrs", f"{gain(rrs, base):.1f}", "–", "0"])
        rows.append([f"{subject}: rra (50, 100, 200)", f"{gain(rra, shared):.1f}", "–", "0"])
    head = [
        "technique",
        "gain over srs, %",
        "published, S1",
        f"bias at {', '.join(map(str, SSOA_BUDGETS))}, points",
    ]
    return f"""## RQ1: gains over the baselines

Mean over budgets of (RMSE of srs - RMSE) / RMSE of srs, the paper's measure; budgets {", ".join(map(str, SSOA_BUDGETS))}
(the paper: 50 to 200 by tens, 50 repetitions).

{table(head, rows)}"""


def allocation(results: Results) -> str:
    """RQ2: optimum allocation against CSS's, on the same strata."""
    rows = []
    for subject in CLASSIFICATION:
        css = [error_of(results, subject, "css", budget) for budget in SSOA_BUDGETS]
        for name in SSOA:
            own = [results.need(subject, name, "confidence", budget).rmse for budget in SSOA_BUDGETS]
            said = PUBLISHED_OVER["css"][name] if subject == "CN12" else None
            rows.append([f"{subject}: {name}", f"{gain(own, css):.1f}", "–" if said is None else f"{said:.1f}"])
        best = [oracle(subject, "r", budget) for budget in SSOA_BUDGETS]
        rows.append([f"{subject}: oracle, rule", f"{gain(best, css):.1f}", "–"])
    return f"""## RQ2: does optimum allocation help?

Gain over css, whose strata ssoa-r-p has:

{table(["technique", "gain over css, %", "published, S1"], rows)}"""


def variances() -> str:
    """RQ3: the test cannot fail."""
    values = {
        round(float(stats.wilcoxon(signs * np.array([1.0, 2, 3]), correction=True, method="approx").pvalue), 3)
        for signs in np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    }
    exact = min(
        float(stats.wilcoxon(signs * np.array([1.0, 2, 3]), method="exact").pvalue)
        for signs in np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    )
    possible = ", ".join(f"{value:.3f}" for value in sorted(values))
    rows = []
    for subject in CLASSIFICATION:
        for kind, word in (("r", "rule"), ("c", "clusters")):
            losses, strata = losses_of(subject), strata_of(subject, kind)
            piles = [losses[strata == stratum] for stratum in range(strata.max() + 1)]
            spreads = [float(pile.std()) for pile in piles]
            nothing = [
                float(stats.hypergeom(len(pile), int(pile.sum()), 10).pmf(0)) for pile in piles
            ]  # no failure in a pre-sample of 10
            rows.append(
                [
                    f"{subject}, {word}",
                    ", ".join(str(len(pile)) for pile in piles),
                    ", ".join(f"{spread:.3f}" for spread in spreads),
                    ", ".join(f"{100 * chance:.1f} %" for chance in nothing),
                ]
            )
    head = ["strata", "sizes", "true spread of the loss", "chance that 10 pre-sampled show no failure"]
    return f"""## RQ3: are the spreads estimated well?

The paper compares estimated and true variances by Wilcoxon's signed-rank test over the strata and finds no difference. With
three strata that test cannot find one: its smallest exact p-value is {exact:g}, and with the normal approximation and
continuity correction it takes the values {possible} only. These are the values of the
paper's table 4. What a pre-sample of 10 can tell:

{table(head, rows)}
Where it shows no failure the plain standard deviation is 0 and "as published" gives the stratum no label beyond the pre-sample;
the default smooths with (z + 1) / (h + 2).
"""


def left_open() -> str:
    """RQ4 and RQ5."""
    rows = []
    for subject in CLASSIFICATION:
        for budget in (50, 200, 1000, 4000):
            rrs = error_of_rrs(subject, budget)
            rows.append(
                [
                    f"{subject}, n = {budget}",
                    points(srs_error(subject, budget)),
                    points(oracle(subject, "r", budget)),
                    points(oracle(subject, "c", budget)),
                    points(rrs),
                ]
            )
    return f"""## RQ4 and RQ5: stability, shifted inputs

Exact errors to n = 4,000, in points. Every one falls with the budget, as the paper finds for sampling:

{table(["", "srs", "oracle, rule", "oracle, clusters", "rrs"], rows)}
PACE beside them, which RQ4 is about, and inputs changed by an attack or a shift, which RQ5 is about, need a network, its
training set and its hidden features; prediction tables hold none. They are left to the study of PACE on the LeNets.
"""


def error_of_rrs(subject: str, budget: int) -> float:
    """Exact."""
    found = exact_error(inputs_of(subject), Request("rrs", budget, 1))
    assert found is not None
    return found


def clusters(results: Results) -> str:
    """RQ6: k from 2 to 6."""
    rows, most, rising = [], {}, []
    for subject in CLASSIFICATION:
        base = [srs_error(subject, budget) for budget in SSOA_BUDGETS]
        by_k, by_oracle = {}, []
        for k in (2, 3, 4, 5, 6):
            options = () if k == 3 else (("clusters", k),)
            cells = [results.cell(subject, "ssoa-c-p", "confidence", n, None, options) for n in SSOA_BUDGETS]
            own = [cell.rmse for cell in cells if cell is not None]
            best = [oracle(subject, "c", budget, k) for budget in SSOA_BUDGETS]
            by_k[k] = gain(own, base)
            by_oracle.append(gain(best, base))
            rows.append([f"{subject}, k = {k}", f"{by_k[k]:.1f}", f"{by_oracle[-1]:.1f}"])
        most[subject] = max(by_k, key=lambda k: by_k[k])
        rising.append(bool((np.diff(by_oracle) > 0).all()))
    largest = ", ".join(f"k = {k} on {subject}" for subject, k in most.items())
    oracle_says = "gains with every cluster more" if all(rising) else "does not gain with every cluster more"
    half = 50 / np.sqrt(2 * CLUSTER_REPETITIONS)
    return f"""## RQ6: how many clusters?

Gain of ssoa-c-p over srs in percent, mean over the same budgets (k = 3 from {SSOA_REPETITIONS} campaigns, the others from
{CLUSTER_REPETITIONS}; a mean over four budgets carries about {half:.1f} points), and the oracle's with as many clusters:

{table(["clusters", "ssoa-c-p", "oracle, exact"], rows)}
The oracle {oracle_says}, on each subject. ssoa-c-p's gain is largest at {largest}; the paper takes 3.
"""


def regression(results: Results) -> str:
    """The paper's table 5."""
    rows = []
    inputs = inputs_of("DO")
    for budget in (50, 100, 150, 200):
        cell = results.need("DO", "ssoa-c-p", "lsa", budget)
        place = (budget - 50) // 10
        said = [f"{PUBLISHED_DO[name][place]:.2f}" if budget <= 180 else "–" for name in ("srs", "ssoa-c-p")]
        rrs = exact_error(inputs, Request("rrs", budget, 1, auxiliary="lsa"))
        rows.append([str(budget), points(srs_error("DO", budget)), said[0], points(cell.rmse), said[1], points(rrs)])
    swing = PUBLISHED_DO["srs"]
    head = ["n", "srs, exact", "srs, published", "ssoa-c-p", "ssoa-c-p, published", "rrs, exact"]
    return f"""## Regression (section 7.2)

Dave-orig, RMSE of 1 - MSE in points. The paper's table 5 says "average MSE values (%)" and means its square root or something
near it; its figures for srs swing from {min(swing):.2f} to {max(swing):.2f} and do not fall as 1 / sqrt(n):
{swing[4]:.2f} at n = 90 beside {swing[6]:.2f} at 110, where the exact error goes from {points(srs_error("DO", 90))} to
{points(srs_error("DO", 110))}.
With 50 repetitions an RMSE carries 10 % (more with long tails), so that swing is not the error of simple random sampling.

{table(head, rows)}"""


def agreement(results: Results) -> str:
    """What agrees, what does not, and why."""
    base = [srs_error("CN12", budget) for budget in SSOA_BUDGETS]
    limits = {kind: gain([oracle("CN12", kind, budget) for budget in SSOA_BUDGETS], base) for kind in "rc"}
    own = {
        name: gain([results.need("CN12", name, "confidence", budget).rmse for budget in SSOA_BUDGETS], base)
        for name in SSOA
    }
    beyond = PUBLISHED_GAINS["ssoa-r-p"] > limits["r"]
    verdict = "more than" if beyond else "within"
    css = {
        subject: gain(
            [error_of(results, subject, "css", budget) for budget in SSOA_BUDGETS],
            [srs_error(subject, budget) for budget in SSOA_BUDGETS],
        )
        for subject in CLASSIFICATION
    }
    biases = {
        variant: f"{100 * min(found):+.1f} to {100 * max(found):+.1f}"
        for variant in (None, "as published")
        if (
            found := [
                results.need(subject, name, "confidence", budget, variant).bias
                for subject in CLASSIFICATION
                for name in SSOA
                for budget in SSOA_BUDGETS
            ]
        )
    }
    css_gains = ", ".join(f"{value:.1f} % on {subject}" for subject, value in css.items())
    return f"""## What agrees, what does not, and why

- **Gains beyond the oracle.** On CN12 the strata by rule can gain {limits["r"]:.1f} % over srs at most, those by clusters
  {limits["c"]:.1f} %, when every spread is known. Published for S1, a network of nearly the same accuracy: ssoa-r-p
  {PUBLISHED_GAINS["ssoa-r-p"]:.1f} %, which is {verdict} that; ssoa-c-p {PUBLISHED_GAINS["ssoa-c-p"]:.1f} %. Measured here:
  {own["ssoa-r-p"]:.1f} % and {own["ssoa-c-p"]:.1f} %. Each published RMSE is of 50 repetitions and carries 10 %, the
  mean over 16 budgets 2.5 % where they are independent.
- **CSS against srs.** Published, CSS is worse than srs on S1 (ssoa-r-t gains 38.7 % over the one and 16.1 % over the
  other); here the exact gain of css over srs is {css_gains}.
- **The variance test** could not have found a difference (RQ3).
- **Bias.** An allocation that follows the labels biases the plain stratified mean. Over the subjects and
  budgets of RQ1 the bias as published is {biases["as published"]} points, by the default, which smooths the
  spreads, {biases[None]} (a bias of
  {SSOA_REPETITIONS} campaigns carries 0.3 to 0.8 points).
"""
