"""Writes docs/studies/ssoa.md: SSOA's research questions on the available data, ours beside published."""

from pathlib import Path

from research.studies.jobs import SHIFTED, STABILITY
from research.studies.lenets import MODELS
from research.studies.page_plots import curves
from research.studies.page_text import write_page
from research.studies.results import Results, srs_error
from research.studies.ssoa_agreement import agreement
from research.studies.ssoa_clusters import clusters
from research.studies.ssoa_errors import exact, pace_error, phase_errors, training_losses
from research.studies.ssoa_gains import allocation, gains
from research.studies.ssoa_regression import regression
from research.studies.ssoa_spreads import variances
from research.studies.ssoa_stability import shifted, stability
from research.studies.study_subjects import losses_of


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
        f"{model} ({100 * (1 - losses_of(model).mean()):.2f} % on the 10,000 test images, "
        f"{100 * (1 - training_losses(model).mean()):.2f} % on the 60,000 training images)"
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
50 to 200 by tens, as there. The paper has 50 repetitions, so each of its RMSEs carries 10 %, and a mean over 16 budgets
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
