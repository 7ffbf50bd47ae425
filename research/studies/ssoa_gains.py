"""SSOA's RQ1 and RQ2: gains over the baselines, and what optimum allocation adds to css's strata."""

import numpy as np

from research.methods import exact_variance
from research.studies.jobs import CLASSIFICATION, SSOA, SSOA_BUDGETS
from research.studies.lenets import MODELS
from research.studies.page_text import table
from research.studies.results import Results
from research.studies.ssoa_errors import (
    TRAINED,
    WORDS,
    base,
    exact,
    gain,
    oracle,
    phase_biases,
    phase_errors,
    rule_or_clusters,
)
from research.studies.ssoa_published import PUBLISHED_GAINS, PUBLISHED_OVER_CSS
from research.studies.study_subjects import losses_of
from testimate.structure.strata import neyman

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
