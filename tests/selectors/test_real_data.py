"""The techniques on DeepSample's real subject D (CIFAR-10, accuracy 0.7151), confidence, 200 labels."""

import csv
import gzip
import math
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.each import each

PLACE = os.environ.get("TESTIMATE_DATA", Path(__file__).parents[2].parent / "shared" / "data")
FILE = Path(PLACE) / "deepsample" / "modelD_final.csv.gz"
BUDGET, CAMPAIGNS = 200, 60


@pytest.fixture(scope="module")
def subject():
    if not FILE.exists():
        pytest.skip(
            f"DeepSample's subject D is not available; set TESTIMATE_DATA to the folder of {FILE.parent.name}/."
        )
    with gzip.open(FILE, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = 1 - np.array([float(row["confidence"]) for row in rows])
    losses = np.array([float(row["outcome"] == "Fail") for row in rows])
    return SimpleNamespace(size=len(rows), scores=scores, features=None, losses=losses)


def campaigns(name, subject, build, run):
    """Every campaign's draws and the design, seeds 0 on."""
    for seed in range(CAMPAIGNS):
        selector = build(name, subject, BUDGET, seed)
        yield run(selector, subject.losses), selector.design


@each(
    ("name", "published", "tolerance"),
    # DeepSample's replication package, subject D, confidence, n = 200, mean of 30 repetitions: SUPS 100.67, SSRS 73.37;
    # SRS: 200 * (1 - 0.715134) = 56.97. The standard errors of 60 campaigns are 0.9 (SUPS), 0.8 and 0.8.
    [("sups", 100.67, 4), ("ssrs", 73.37, 4), ("srs", 56.97, 2.8)],
)
def test_as_many_failures_are_exposed_as_published(name, published, tolerance, subject, build, run):
    exposed = [sum(subject.losses[draw.row] for draw in draws) for draws, _ in campaigns(name, subject, build, run)]
    assert abs(np.mean(exposed) - published) < tolerance


def test_round_robin_is_unbiased_and_beats_simple_random_sampling(subject, build, run):
    errors = []
    for draws, design in campaigns("rrs", subject, build, run):
        strata = np.array([draw.stratum for draw in draws])
        losses = np.array([subject.losses[draw.row] for draw in draws])
        sizes = np.array(design.stratum_sizes)
        means = np.bincount(strata, losses) / np.bincount(strata)
        errors.append((sizes / subject.size * means).sum() - subject.losses.mean())
    variance = subject.losses.var(ddof=1) * (1 / BUDGET - 1 / subject.size)  # of SRS, Cochran 1977, theorem 2.2
    assert abs(np.mean(errors)) < 3.5 * np.std(errors, ddof=1) / math.sqrt(CAMPAIGNS)
    assert math.sqrt(np.mean(np.square(errors)) / variance) <= 0.90  # 0.83 over 300 campaigns
