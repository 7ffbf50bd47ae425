"""DeepSample's own results on its subjects D and G, n = 200, 30 repetitions each: whether the techniques come to the same.

Their replication package holds one row per technique and auxiliary variable; read from the data folder's
deepsample/published.csv beside the subjects' tables.
"""

import csv
import gzip
import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.estimators import estimator_of

BUDGET = 200
NAMES = {"sups": "SUPS", "rhc-s": "RHC", "ssrs": "SSRS", "gbs": "GBS", "2-ups": "2-UPS", "deepest": "DeepEST"}
CELLS = [(model, auxiliary) for model in "DG" for auxiliary in ("confidence", "dsa", "lsa")]
THREE = [one if place % 2 else pytest.param(*one, marks=pytest.mark.slow) for place, one in enumerate(CELLS)]
"""Every auxiliary variable once, and both networks."""


@pytest.fixture(scope="module")
def published(real_data):
    with (real_data / "deepsample" / "published.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (row["model"], row["technique"], row["aux"]): SimpleNamespace(
            rmse=float(row["rmse"]), bias=float(row["bias"]), failures=float(row["mean_failures"])
        )
        for row in rows
        if int(row["budget"]) == BUDGET
    }


@pytest.fixture(scope="module")
def subjects(real_data):
    made = {}
    for model in "DG":
        with gzip.open(real_data / "deepsample" / f"model{model}_final.csv.gz", "rt", newline="") as file:
            rows = list(csv.DictReader(file))
        losses = np.array([float(row["outcome"] == "Fail") for row in rows])
        for auxiliary in ("confidence", "dsa", "lsa"):
            column = np.array([float(row[auxiliary]) for row in rows])
            chances = auxiliary == "confidence"
            made[model, auxiliary] = SimpleNamespace(
                size=len(rows),
                scores=1 - column if chances else column,
                scores_are_chances=chances,
                features=None,
                losses=losses,
            )
    return made


def campaigns(name, inputs, count, build, run, **settings):
    """The design and the verdicts of each of ``count`` campaigns as published."""
    for seed in range(count):
        selector = build(name, inputs, BUDGET, seed, variant=None if name == "ssrs" else "as published", **settings)
        draws = run(selector, inputs.losses)
        yield selector.design, [Verdict(draw, float(inputs.losses[draw.row])) for draw in draws]


def failures_exposed(*campaign, **settings):
    """The failures among the draws, in the mean of the campaigns."""
    return np.mean([sum(one.loss for one in verdicts) for _, verdicts in campaigns(*campaign, **settings)])


EXPOSED = list(product(NAMES, CELLS))
HALF = [cell for place, cell in enumerate(EXPOSED) if (place // len(CELLS) + place) % 2]
"""Every technique with every auxiliary variable, and each of the two with both networks."""


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(HALF, id="half"),
        pytest.param([cell for cell in EXPOSED if cell not in HALF], id="other half", marks=pytest.mark.slow),
    ],
)
def test_as_many_failures_are_exposed_as_published(cells, published, subjects, build, run, subtests):
    for name, (model, auxiliary) in cells:
        with subtests.test(name=name, model=model, auxiliary=auxiliary):
            inputs, settings = subjects[model, auxiliary], {}
            if (name, auxiliary) == ("deepest", "lsa"):  # their script's threshold is the mean and the variance
                settings["deviations"] = float(inputs.scores.std())
            failures = failures_exposed(name, inputs, 20, build, run, **settings)
            assert abs(failures - published[model, NAMES[name], auxiliary].failures) < 5


def test_two_standard_deviations_would_expose_more_with_lsa_than_published(published, subjects, build, run):
    failures = failures_exposed("deepest", subjects["D", "lsa"], 40, build, run)
    assert failures > published["D", "DeepEST", "lsa"].failures + 5


def agrees(bias, standard_error, figures):
    """Whether a bias is within 40% of the published one, or within 2.5 standard errors of it: that of 30 repetitions."""
    theirs = math.sqrt((figures.rmse**2 - figures.bias**2) / 30)
    return abs(bias - figures.bias) < max(0.4 * abs(figures.bias), 2.5 * math.hypot(theirs, standard_error))


@pytest.mark.parametrize(("model", "auxiliary"), THREE)
def test_the_published_gbs_is_as_biased_as_published(model, auxiliary, published, subjects, build, run):
    inputs = subjects[model, auxiliary]
    accuracies = [
        estimator_of(design).estimate(design, verdicts, loss_bound=None).accuracy
        for design, verdicts in campaigns("gbs", inputs, 100, build, run)
    ]
    errors = np.array(accuracies) - (1 - inputs.losses.mean())
    standard_error = errors.std(ddof=1) / 10
    assert errors.mean() > 2 * standard_error
    assert agrees(errors.mean(), standard_error, published[model, "GBS", auxiliary])


@pytest.mark.parametrize(("model", "auxiliary"), THREE)
def test_the_published_two_ups_is_as_biased_as_published(model, auxiliary, published, subjects, build):
    inputs = subjects[model, auxiliary]
    design = build("2-ups", inputs, BUDGET, 0, variant="as published").design
    draws = build("2-ups", inputs, inputs.size, 0, variant="as published").ask(inputs.size)
    sizes, psi = np.array(design.stratum_sizes), np.array(design.stratum_chances)
    strata = np.empty(inputs.size, dtype=int)
    strata[[draw.row for draw in draws]] = [draw.stratum for draw in draws]
    rates = np.bincount(strata, inputs.losses) / sizes
    # E of the average over the strata met, exactly: P(met = S) by inclusion and exclusion
    count = len(sizes)
    member = (np.arange(2**count)[:, None] >> np.arange(count)) & 1  # (2^H, H)
    chances = (member @ psi) ** BUDGET  # all draws inside S
    for stratum in range(count):
        inside = member[:, stratum] == 1
        chances[inside] -= chances[~inside]
    terms = rates * sizes / psi / inputs.size  # of each stratum
    expected = (chances[1:] * (member[1:] @ terms) / member[1:].sum(axis=1)).sum()
    bias = inputs.losses.mean() - expected
    figures = published[model, "2-UPS", auxiliary]
    assert agrees(bias, 0.0, figures)
    assert (rates * sizes).sum() == pytest.approx(inputs.losses.sum())


def test_by_equation_fifteen_two_ups_is_no_outlier(subjects, build, run):
    inputs, errors = subjects["D", "confidence"], []
    for seed in range(100):
        selector = build("2-ups", inputs, BUDGET, seed, uniform_share=0.0)
        draws = run(selector, inputs.losses)
        terms = [inputs.losses[draw.row] / (inputs.size * draw.probability) for draw in draws]
        errors.append(inputs.losses.mean() - np.mean(terms))
    assert np.sqrt(np.mean(np.square(errors))) < 0.08  # 0.31 published
    assert abs(np.mean(errors)) < 3.5 * np.std(errors, ddof=1) / 10
