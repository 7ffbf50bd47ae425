"""Writes docs/studies/ssoa.md: SSOA's research questions on the available data, ours beside published."""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from research.methods import exact as exact_variance
from research.methods.exact import exact_error, strata_of_all
from research.studies.page_text import curves, points, table, write_page
from research.studies.runs import (
    CLASSIFICATION,
    CLUSTERS,
    FEWER_BUDGETS,
    ONE_BY_ONE,
    REDUCED,
    SHIFTED,
    SSOA,
    SSOA_BUDGETS,
    STABILITY,
    Results,
    srs_error,
    ssoa_strata,
)
from research.studies.study_subjects import MODELS, inputs_of, losses_of
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.structure.strata import neyman

TRAINED = ("ssoa-r-t", "ssoa-c-t")
WORDS = {"r": "rule", "c": "clusters"}


def training_losses(model: str) -> NDArray[np.float64]:
    """The losses of the training images."""
    training = inputs_of(model).training
    assert training is not None
    assert training.losses is not None
    return training.losses


@cache
def rule_or_clusters(subject: str, kind: str, count: int = 3) -> NDArray[np.intp]:
    """SSOA's strata, (N,)."""
    return ssoa_strata(subject, f"ssoa-{kind}", count)


@cache
def oracle(subject: str, kind: str, budget: int, count: int = 3) -> float:
    """The exact error with Neyman allocation on the true spreads."""
    losses, strata = losses_of(subject), rule_or_clusters(subject, kind, count)
    spreads = np.array([losses[strata == stratum].std() for stratum in range(strata.max() + 1)])
    allocation = neyman(np.bincount(strata), spreads, budget)
    return float(np.sqrt(exact_variance.of_stratified(losses, strata, allocation)))


@cache
def strata_in(subject: str, name: str, clusters: int | None) -> NDArray[np.intp]:
    """The strata of a technique of fixed strata, (N,)."""
    inputs = inputs_of(subject)
    options = {} if clusters is None else {"clusters": clusters}
    return strata_of_all(build(inputs, Request(name, len(inputs), 1, options=options)), len(inputs))


@cache
def exact(subject: str, name: str, budget: int, clusters: int | None = None) -> float:
    """The exact error of css, rrs or a T variant."""
    losses, strata = losses_of(subject), strata_in(subject, name, clusters)
    if name == "rrs":
        return float(np.sqrt(exact_variance.of_rounds(losses, strata, budget)))
    options = {} if clusters is None else {"clusters": clusters}
    selector = build(inputs_of(subject), Request(name, budget, 1, options=options))
    allocation = np.bincount([draw.stratum for draw in selector.ask(budget)], minlength=strata.max() + 1)
    return float(np.sqrt(exact_variance.of_stratified(losses, strata, allocation)))


def gain(errors: list[float], baseline: list[float]) -> float:
    """Mean relative improvement over the baseline, percent; SSOA, section 6.1."""
    return float(100 * np.mean(1 - np.array(errors) / np.array(baseline)))


def phase_errors(
    results: Results, subject: str, name: str, variant: str | None = None, budgets: tuple[int, ...] = SSOA_BUDGETS
) -> list[float]:
    """Exact errors of a P variant."""
    return [results.phases[subject, name, variant, budget, ()]["rmse"] for budget in budgets]


def phase_biases(results: Results, subject: str, name: str, variant: str | None = None) -> list[float]:
    """Exact biases of a P variant, points."""
    return [100 * results.phases[subject, name, variant, budget, ()]["bias"] for budget in SSOA_BUDGETS]


def base(subject: str, budgets: tuple[int, ...] = SSOA_BUDGETS) -> list[float]:
    """Errors of simple random sampling."""
    return [srs_error(subject, budget) for budget in budgets]


def pace_error(results: Results, model: str, budget: int, variant: str | None) -> float:
    """PACE's error: it chooses the same with every seed, so one is all there is."""
    cell = results.cell(model, "pace", "confidence", budget, variant, REDUCED[model])
    assert cell is not None
    return cell.rmse


PUBLISHED_GAINS = {"ssoa-r-t": 16.10, "ssoa-c-t": 13.87, "ssoa-r-p": 28.71, "ssoa-c-p": 11.06}
"""SSOA, tables 2 and 3: S1 (CN-12 on CIFAR-10), mean improvement over SRS at budgets from 50 to 200, percent."""

PUBLISHED_OVER_CSS = {"ssoa-r-t": 38.73, "ssoa-c-t": 37.69, "ssoa-r-p": 47.78, "ssoa-c-p": 35.50}
"""The same over CSS, S1."""

S2 = {"ssoa-r-t": 45.91, "ssoa-r-p": 58.20}
"""SSOA, section 6.1: mean improvement over SRS on S2, percent."""

S2_SHARES, S2_SPREADS = (0.1, 0.1, 0.8), (0.49, 0.34, 0.09)
"""The same section: shares of S2's strata by rule, and their "true variances" (above 1/4, so standard deviations)."""

PUBLISHED_DO = {
    "srs": (2.894, 3.215, 2.812, 2.136, 3.941, 2.011, 0.834, 0.822, 1.440, 0.820, 1.384, 1.746, 1.563, 1.353),
    "ces": (1.599, 1.344, 1.220, 1.195, 1.101, 1.013, 1.066, 1.082, 1.022, 0.975, 1.011, 1.022, 0.949, 0.879),
    "ssoa-c-p": (1.066, 1.656, 0.864, 1.140, 0.672, 0.607, 0.702, 0.749, 0.852, 0.663, 0.756, 0.357, 0.726, 0.653),
}
"""SSOA, table 5: Dave-orig, 50 to 180 inputs in steps of 10."""


def beyond(published: float, limit: float) -> float:
    """Standard errors by which a published gain exceeds a limit, both percent, where two RMSEs carry 10% each."""
    return float(np.log((1 - limit / 100) / (1 - published / 100)) / np.hypot(0.1, 0.1))


def oracle_of_s2() -> float:
    """The gain of the best allocation on the paper's own strata of S2, percent."""
    shares, spreads = np.array(S2_SHARES), np.array(S2_SPREADS)
    failures = shares @ (0.5 - np.sqrt(0.25 - spreads**2))  # the smaller root of p (1 - p) = spread^2
    return float(100 * (1 - shares @ spreads / np.sqrt(failures * (1 - failures))))


def agreement(results: Results) -> str:
    """What agrees, what does not, and why."""
    limits = {kind: gain([oracle("CN12", kind, budget) for budget in SSOA_BUDGETS], base("CN12")) for kind in "rc"}
    own = {name: gain(phase_errors(results, "CN12", name), base("CN12")) for name in SSOA}
    loose = {name: gain(phase_errors(results, "CN12", name, "as published"), base("CN12")) for name in SSOA}
    css = ", ".join(
        f"{gain([exact(subject, 'css', n) for n in SSOA_BUDGETS], base(subject)):.0f}% on {subject}"
        for subject in CLASSIFICATION
    )
    biases = {
        variant: [
            bias
            for subject in CLASSIFICATION
            for name in SSOA
            for bias in phase_biases(results, subject, name, variant)
        ]
        for variant in (None, "as published")
    }
    ranges = {variant: f"{min(found):+.2f} to {max(found):+.2f}" for variant, found in biases.items()}
    trained = ", ".join(
        f"{gain([exact(model, name, n) for n in SSOA_BUDGETS], base(model)):.1f}% {name} on {model}"
        for model in MODELS
        for name in TRAINED
    )
    return f"""## What agrees, what does not, and why

Agrees:

- Optimum allocation beats css's fixed shares on css's own strata of D, G and CN12 (RQ2).
- Sampling's errors fall with every label, pace's do not (RQ4).
- Half the inputs shifted, the strata of confidence still help (RQ5), and so do clusters of LSA in regression.
- With training images the T variants gain {trained}, as with a pre-sample.

Does not agree:

- **Gains beyond the oracle.** On CN12 the strata by rule can gain {limits["r"]:.1f}% over srs at most, those by
  clusters {limits["c"]:.1f}%, when every spread is known. Published for S1, a network of nearly the same accuracy:
  ssoa-r-p {PUBLISHED_GAINS["ssoa-r-p"]:.1f}%, ssoa-r-t {PUBLISHED_GAINS["ssoa-r-t"]:.1f}%, ssoa-c-t
  {PUBLISHED_GAINS["ssoa-c-t"]:.1f}%, ssoa-c-p {PUBLISHED_GAINS["ssoa-c-p"]:.1f}%. Exact here: ssoa-r-p
  {own["ssoa-r-p"]:.1f}%, ssoa-c-p {own["ssoa-c-p"]:.1f}%. S2 needs no other network: from the strata's spreads that
  the paper prints (0.49, 0.34, 0.09) the best allocation gains {oracle_of_s2():.0f}%; published are
  {S2["ssoa-r-t"]:.1f}% for ssoa-r-t and {S2["ssoa-r-p"]:.1f}% for ssoa-r-p. So the published gains are larger than
  SSOA can have on its own strata. Chance explains a part: an RMSE of 50 repetitions carries 10%, srs's as well, and
  where the 16 budgets share their draws the mean over them carries nearly as much. ssoa-r-p is then
  {beyond(PUBLISHED_GAINS["ssoa-r-p"], limits["r"]):.1f} standard errors above the limit on S1,
  {beyond(S2["ssoa-r-p"], oracle_of_s2()):.1f} on S2.
- **The plain standard deviation** of a pre-sample makes SSOA worse than srs on the tables: {loose["ssoa-r-p"]:.0f}%
  and {loose["ssoa-c-p"]:.0f}% on CN12 (ssoa-r-p, ssoa-c-p). A stratum of 80% of the inputs that shows no failure
  among 10 keeps its 10 labels. On the LeNets, where such a stratum nearly has none, it does well: better than with
  smoothed spreads, at the price of a bias. The default smooths, because no one knows in advance which case it is.
- **CSS against srs.** Published, CSS is worse than srs on S1 by the same measure. So it is on the tables, exactly; on
  the LeNets it is better: its gain is {css}.
- **Optimum allocation against css.** The paper finds ssoa-r better at all budgets; after a pre-sample it is worse on
  the LeNets (RQ2).
- **The variance test** could not have found a difference (RQ3).
- **Bias.** The paper calls SSOA unbiased. An allocation that follows the labels biases the plain stratified mean: as
  published by {ranges["as published"]} points over the subjects and budgets of RQ1; with the spreads smoothed by
  {ranges[None]}, all exact.
- **Few clusters.** The paper prefers 3; ssoa-c-p gains most with 4 to 6 here (RQ6).
"""


def clusters(results: Results) -> str:
    """RQ6: k from 2 to 6."""
    rows, most = [], {}
    for subject in CLASSIFICATION:
        by_k = {}
        for k in CLUSTERS:
            options = () if k == 3 else (("clusters", k),)
            own = [results.phases[subject, "ssoa-c-p", None, n, options]["rmse"] for n in FEWER_BUDGETS]
            best = [oracle(subject, "c", budget, k) for budget in FEWER_BUDGETS]
            by_k[k] = gain(own, base(subject, FEWER_BUDGETS))
            trained = "–"
            if subject in MODELS:
                errors = [exact(subject, "ssoa-c-t", budget, k) for budget in FEWER_BUDGETS]
                trained = f"{gain(errors, base(subject, FEWER_BUDGETS)):.1f}"
            oracle_gain = f"{gain(best, base(subject, FEWER_BUDGETS)):.1f}"
            rows.append([f"{subject}, k = {k}", f"{by_k[k]:.1f}", trained, oracle_gain])
        most[subject] = max(by_k, key=lambda k: by_k[k])
    largest = ", ".join(f"k = {k} on {subject}" for subject, k in most.items())
    return f"""## RQ6: how many clusters?

Gain over srs in percent, mean over budgets {", ".join(map(str, FEWER_BUDGETS))}; exact to k = 3, from 4 on ssoa-c-p's
over 3,000 pre-samples, each with its exact mean and variance (a gain carries about 0.5 points):

{table(["clusters", "ssoa-c-p", "ssoa-c-t", "oracle"], rows)}
ssoa-c-p's gain is largest at {largest}; the oracle and ssoa-c-t gain with every cluster more. The paper takes 3 and
finds fewer clusters better, as each costs a pre-sample of 10. That cost shows on D and G, where from 4 or 5 clusters on
nothing is gained; on the others more clusters still gain.
"""


SHARED = (50, 100, 200)  # budgets that DeepSample's jobs have too


def gains(results: Results) -> str:
    """RQ1: improvement over the baselines, beside the oracle and ours."""
    rows = [row for subject in CLASSIFICATION for row in gains_on(results, subject)]
    head = [
        "technique",
        "over srs, %",
        "over css",
        "over deepest",
        "over ces",
        "published over srs, S1",
        "bias, points",
    ]
    return f"""## RQ1: gains over the baselines

Over deepest and ces, which are from campaigns, at budgets {", ".join(map(str, SHARED))} only; ces needs features, which
the LeNets have. rra is from campaigns and at these budgets too. The bias is the range over the budgets, exact.

{table(head, rows)}"""


def gains_on(results: Results, subject: str) -> list[list[str]]:
    """The rows of one subject."""
    css = [exact(subject, "css", budget) for budget in SSOA_BUDGETS]
    rows = []

    def row(label: str, own: list[float], said: str, bias: str) -> None:
        shared = [own[SSOA_BUDGETS.index(budget)] for budget in SHARED]
        over = []
        for name in ("deepest", "ces"):
            cells = [results.cell(subject, name, "confidence", budget) for budget in SHARED]
            errors = [cell.rmse for cell in cells if cell is not None]
            over.append(f"{gain(shared, errors):.1f}" if len(errors) == len(SHARED) else "–")
        rows.append(
            [f"{subject}: {label}", f"{gain(own, base(subject)):.1f}", f"{gain(own, css):.1f}", *over, said, bias]
        )

    for name in TRAINED if subject in MODELS else ():
        row(name, [exact(subject, name, budget) for budget in SSOA_BUDGETS], "–", "0")
    for name in SSOA:
        for variant in (None, "as published"):
            biases = phase_biases(results, subject, name, variant)
            said = f"{PUBLISHED_GAINS[name]:.1f}" if subject == "CN12" and variant else "–"
            row(
                f"{name}{', as published' if variant else ''}",
                phase_errors(results, subject, name, variant),
                said,
                f"{min(biases):+.2f} to {max(biases):+.2f}",
            )
    for kind, word in WORDS.items():
        said = f"{PUBLISHED_GAINS[f'ssoa-{kind}-t']:.1f} (T)" if subject == "CN12" else "–"
        row(f"oracle, {word}", [oracle(subject, kind, budget) for budget in SSOA_BUDGETS], said, "0")
    row("css", css, "–", "0")
    row("rrs", [exact(subject, "rrs", budget) for budget in SSOA_BUDGETS], "–", "0")
    rra = [results.need(subject, "rra", "confidence", budget).rmse for budget in SHARED]
    rows.append([f"{subject}: rra", f"{gain(rra, base(subject, SHARED)):.1f}", "–", "–", "–", "–", "0"])
    return rows


def allocation(results: Results) -> str:
    """RQ2: optimum allocation against CSS's, on the same strata."""
    rows = []
    for subject in CLASSIFICATION:
        css = [exact(subject, "css", budget) for budget in SSOA_BUDGETS]
        own = phase_errors(results, subject, "ssoa-r-p")
        trained = [exact(subject, "ssoa-r-t", budget) for budget in SSOA_BUDGETS] if subject in MODELS else None
        best = [oracle(subject, "r", budget) for budget in SSOA_BUDGETS]
        even = [proportional_error(subject, budget) for budget in SSOA_BUDGETS]
        rows.append(
            [
                subject,
                f"{gain(own, css):.1f}",
                "–" if trained is None else f"{gain(trained, css):.1f}",
                f"{gain(best, css):.1f}",
                f"{gain(even, css):.1f}",
                f"{PUBLISHED_OVER_CSS['ssoa-r-p']:.1f}" if subject == "CN12" else "–",
            ]
        )
    head = [
        "gain over css, %",
        "ssoa-r-p",
        "ssoa-r-t",
        "oracle, rule",
        "in proportion to size",
        "ssoa-r-p, published, S1",
    ]
    return f"""## RQ2: does optimum allocation help?

All on css's strata. The last but one column shares the labels out in proportion to the strata's sizes, which needs no
estimate at all:

{table(head, rows)}
On D, G and CN12 optimum allocation beats css by much, but so do labels in proportion to size, by as much or nearly:
css's two fifths for each tenth of low confidence are far from the best there. On the LeNets, whose failures nearly all
lie in those tenths, css's shares are close to the best; the training images show that to ssoa-r-t, a pre-sample of 10
cannot show it to ssoa-r-p (RQ3), which css beats. The published gain over css on S1 is more than the best allocation
has on CN12.
"""


def proportional_error(subject: str, budget: int) -> float:
    """The exact error of css's strata with labels in proportion to their sizes."""
    losses, strata = losses_of(subject), rule_or_clusters(subject, "r")
    sizes = np.bincount(strata)
    allocation = neyman(sizes, np.ones(len(sizes)), budget)
    return float(np.sqrt(exact_variance.of_stratified(losses, strata, allocation)))


def regression(results: Results) -> str:
    """The paper's table 5."""
    rows = []
    inputs = inputs_of("DO")
    for budget in FEWER_BUDGETS:
        cell = results.need("DO", "ssoa-c-p", "lsa", budget)
        place = (budget - 50) // 10
        said = [f"{PUBLISHED_DO[name][place]:.2f}" if budget <= 180 else "–" for name in ("srs", "ces", "ssoa-c-p")]
        rrs = exact_error(inputs, Request("rrs", budget, 1, auxiliary="lsa"))
        own = f"{points(cell.rmse)} (bias {100 * cell.bias:+.2f})"
        rows.append([str(budget), points(srs_error("DO", budget)), said[0], said[1], own, said[2], points(rrs)])
    swing = PUBLISHED_DO["srs"]
    head = ["n", "srs, exact", "srs, published", "ces, published", "ssoa-c-p", "ssoa-c-p, published", "rrs, exact"]
    return f"""## Regression (section 7.2)

Dave-orig, RMSE of 1 - MSE in points, strata from LSA; ssoa-c-p from {ONE_BY_ONE} campaigns (an RMSE carries
{100 / np.sqrt(2 * ONE_BY_ONE):.0f}%, more with such tails). The table holds no features for ces.

{table(head, rows)}
The paper's table 5 says "average MSE values (%)" and means its square root or something near it. Its figures for srs
swing from {min(swing):.2f} to {max(swing):.2f} and do not fall as 1 / sqrt(n): {swing[4]:.2f} at n = 90 beside
{swing[6]:.2f} at 110, where the exact error goes from {points(srs_error("DO", 90))} to {points(srs_error("DO", 110))}.
With 50 repetitions an RMSE carries 10% (more with long tails), so that swing is not the error of simple random
sampling. That clusters of LSA help a regression agrees.
"""


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
        ", ".join(f"{100 * chance:.1f}%" for chance in nothing),
    ]


def training_spreads(model: str, strata: NDArray[np.intp]) -> NDArray[np.float64]:
    """Standard deviations of the training losses in the strata that the scores of the test images make, (H,)."""
    scores, training = inputs_of(model).score("confidence"), inputs_of(model).training
    assert training is not None
    centers = np.bincount(strata, scores) / np.bincount(strata)
    order = np.argsort(centers)
    tops = np.array([scores[strata == stratum].max() for stratum in order[:-1]])
    bottoms = np.array([scores[strata == stratum].min() for stratum in order[1:]])
    placed = order[np.searchsorted((tops + bottoms) / 2, training.score("confidence"))]
    losses = training_losses(model)
    return np.array([losses[placed == stratum].std() for stratum in range(len(order))])


def stability(results: Results) -> str:
    """RQ4: to 4,000 labels beside PACE."""
    rows, rises = [], {}
    for model in MODELS:
        for budget in STABILITY:
            paces = [pace_error(results, model, budget, variant) for variant in (None, "as published")]
            rows.append(
                [
                    f"{model}, n = {budget}",
                    points(srs_error(model, budget)),
                    points(exact(model, "ssoa-r-t", budget)),
                    points(exact(model, "ssoa-c-t", budget)),
                    points(exact(model, "rrs", budget)),
                    *map(points, paces),
                ]
            )
        for variant in (None, "as published"):
            line = [pace_error(results, model, budget, variant) for budget in STABILITY]
            rises[model, variant] = int((np.diff(line) > 0).sum())
    steps = "; ".join(
        f"{model}{', as published' if variant else ''}: {count} of {len(STABILITY) - 1} steps"
        for (model, variant), count in rises.items()
    )
    tables = [
        [subject, *(points(oracle(subject, kind, budget)) for kind in "rc" for budget in (200, 1000, 4000))]
        for subject in ("D", "G", "CN12")
    ]
    return f"""## RQ4: stability, to 4,000 labels

RMSE in points; exact but for pace, which chooses the same inputs with every seed, so that its error is one number
(LeNet-1's 588 hidden numbers reduced to 8, as PACE's authors do).

{table(["", "srs", "ssoa-r-t", "ssoa-c-t", "rrs", "pace", "pace, as published"], rows)}
![error to 4,000 labels](stability.svg)

As the paper finds: the errors of sampling fall with every step; pace's rises with more labels ({steps}). Its error can
be far below sampling's at one budget, and nothing shows at which. On the tables the oracles fall just so (points at n =
200, 1,000 and 4,000):

{table(["", *(f"{word}, {n}" for word in WORDS.values() for n in ("200", "1,000", "4,000"))], tables)}"""


def shifted(results: Results) -> str:
    """RQ5: half the test images changed."""
    rows = []
    for subject in SHIFTED:
        model = subject.split(" with ")[0]
        losses = losses_of(subject)
        line = [subject, f"{1 - losses.mean():.3f}"]
        worse = np.mean(np.array(base(subject)) / np.array(base(model)))
        line.append(f"{worse:.2f}")
        for name in SSOA:
            line.append(f"{gain(phase_errors(results, subject, name), base(subject)):.1f}")
        for name in (*TRAINED, "css", "rrs"):
            line.append(f"{gain([exact(subject, name, budget) for budget in SSOA_BUDGETS], base(subject)):.1f}")
        line.append(f"{gain([oracle(subject, 'c', budget) for budget in SSOA_BUDGETS], base(subject)):.1f}")
        rows.append(line)
    head = [
        "5,000 images of 10,000 changed",
        "accuracy",
        "srs's error, times unchanged",
        "ssoa-r-p",
        "ssoa-c-p",
        "ssoa-r-t",
        "ssoa-c-t",
        "css",
        "rrs",
        "oracle, clusters",
    ]
    clusters_better = sum(
        gain(phase_errors(results, subject, "ssoa-c-p"), base(subject))
        > gain(phase_errors(results, subject, "ssoa-r-p"), base(subject))
        for subject in SHIFTED
    )
    return f"""## RQ5: inputs that differ from the training set

The paper leaves 5,000 test inputs as they are and attacks the other 5,000. Here these are changed by noise (standard
deviation 90 of 255 gray levels), rotation (30 degrees), brightness (+120) or blur (1.7 pixels): what happens without an
attacker. Gains over srs on the same images, percent, exact; the T variants take the unchanged training images:

{table(head, rows)}
![error over that of srs on shifted images](shift.svg)

Errors are higher than on the unchanged images wherever the accuracy falls, as the paper finds. Strata by clusters are
better than by rule in {clusters_better} of {len(SHIFTED)}; the paper takes clusters to be the proper choice. The T
variants stay unbiased, however wrong the training images' spreads are: a wrong allocation costs precision only. The
confidence still orders the inputs, which is all that rrs needs.
"""


def write(results: Results, folder: Path) -> None:
    """The page and its plots."""
    plots(results, folder)
    parts = [
        opening(),
        gains(results),
        allocation(results),
        variances(),
        stability(results),
        shifted(results),
        clusters(results),
        regression(results),
        agreement(results),
    ]
    write_page(folder / "ssoa.md", parts)


def opening() -> str:
    """What the page is."""
    lenets = " and ".join(
        f"{model} ({100 * (1 - losses_of(model).mean()):.2f}% on the 10,000 test images, "
        f"{100 * (1 - training_losses(model).mean()):.2f}% on the 60,000 training images)"
        for model in MODELS
    )
    return f"""# SSOA's questions again

Made by `make study`; no number measured here is typed by hand.

**Subjects.** CN12 (CIFAR-10, 10,000 inputs, accuracy 0.8066; SSOA's S1 is a CN-12 of accuracy 0.8064: close, not the
same network), D and G of DeepSample, DO for regression, and the PACE authors' LeNets over MNIST: {lenets}. The LeNets
have their training split, so the T variants run on them; the tables hold none.

**No simulation where none is needed.** Given the failures of a pre-sample, SSOA's sample sizes are fixed, so its mean
and variance have formulas; every possible pre-sample is counted. So the errors and biases of all SSOA variants
here are exact, as are those of srs, css, rrs and of the **oracle**: the same strata with the allocation that is best
when the true spread of each is known. No unbiased estimate on these strata can do better. deepest, ces, gbs and rra
come from campaigns and say so.

**Gain** is the paper's measure: the mean over budgets of (RMSE of the baseline - RMSE) / RMSE of the baseline; budgets
50 to 200 by tens, as there. The paper has 50 repetitions, so each of its RMSEs carries 10%, and a mean over 16 budgets
2.5 points at best.
"""


def plots(results: Results, folder: Path) -> None:
    """Error to 4,000 labels, and gains on shifted images."""
    panels = {
        model: {
            "srs": [100 * srs_error(model, n) for n in STABILITY],
            "ssoa-r-t": [100 * exact(model, "ssoa-r-t", n) for n in STABILITY],
            "rrs": [100 * exact(model, "rrs", n) for n in STABILITY],
            "pace": [100 * pace_error(results, model, n, None) for n in STABILITY],
            "pace, as published": [100 * pace_error(results, model, n, "as published") for n in STABILITY],
        }
        for model in MODELS
    }
    curves(folder / "stability.svg", panels, "RMSE (points of accuracy)", log=True, budgets=STABILITY)
    some = (50, 100, 200)
    shifts = {
        subject.replace("LeNet-1 with ", ""): {
            name: [value / srs_error(subject, n) for value, n in zip(line, some, strict=True)]
            for name, line in {
                "ssoa-r-p": phase_errors(results, subject, "ssoa-r-p", None, some),
                "ssoa-c-p": phase_errors(results, subject, "ssoa-c-p", None, some),
                "ssoa-r-t": [exact(subject, "ssoa-r-t", n) for n in some],
                "rrs": [exact(subject, "rrs", n) for n in some],
            }.items()
        }
        for subject in SHIFTED
        if subject.startswith("LeNet-1")
    }
    curves(folder / "shift.svg", shifts, "RMSE / RMSE of srs (LeNet-1)", log=False, one=True, budgets=some)
