"""Writes docs/studies/deepsample.md: DeepSample's research questions on the available data, ours beside published."""

from pathlib import Path

import numpy as np

from research.studies.deepsample_accuracy import first_question
from research.studies.deepsample_agreement import agreement
from research.studies.deepsample_budgets import third_question
from research.studies.deepsample_failures import second_question
from research.studies.deepsample_figures import N, srs_failures
from research.studies.deepsample_published import published
from research.studies.deepsample_trade_off import trade_off
from research.studies.jobs import BUDGETS, CLASSIFICATION, MANY, ONE_BY_ONE, OURS_AND_THEIRS, SLOWER
from research.studies.lenets import MODELS
from research.studies.page_plots import curves, offsets, scatter
from research.studies.page_text import write_page
from research.studies.results import Results, srs_error
from research.studies.runs import OFFSETS
from research.studies.study_subjects import losses_of


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
  carries {100 / np.sqrt(2 * ONE_BY_ONE):.0f} % of random error, of {MANY:,} {100 / np.sqrt(2 * MANY):.0f} %, published
  ones of 30 carry 13 %; long tails carry more. RMedSE, bias and failures are of campaigns throughout: {MANY:,} where
  their distribution allows all to be drawn at once (srs, css, ssrs, gbs, sups, 2-ups, rrs on pass or fail),
  {min(SLOWER.values())}
  to {ONE_BY_ONE} for the rest.
- Errors are in points of accuracy (of 1 - MSE for DO). "as published" is the variant that does as the authors' program.
- The techniques are unbiased or nearly so unless they say "as published"; sups, rhc-s, 2-ups and deepest have 5 % of
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
