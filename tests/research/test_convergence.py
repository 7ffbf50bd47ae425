"""Convergence with the budget, by its definition and on DeepSample's published figures."""

import csv

import numpy as np
import pytest

from research.studies.deepsample import convergence, convergence_by_technique
from testimate.core.errors import BadInput
from testimate.studies.study import study
from tests.each import each


def test_an_error_that_falls_with_the_root_of_the_budget_converges():
    budgets = np.array([50, 100, 200, 400, 800])
    found = convergence(budgets, 0.4 / np.sqrt(budgets))
    assert (found.best_budget, found.converges, found.inversion, found.rises) == (800, True, False, 0)
    assert found.slope == pytest.approx(-0.5)


def test_the_minimum_before_the_end_does_not_converge_and_an_inversion_is_worse():
    early = convergence([50, 100, 200], [0.3, 0.1, 0.2])
    assert (early.best_budget, early.converges, early.inversion, early.rises) == (100, False, False, 1)
    assert convergence([50, 100, 200], [0.1, 0.3, 0.2]).inversion


def test_the_published_figures_of_subject_g_have_the_inversions_the_paper_counts(real_data):
    lines: dict[tuple[str, str], dict[int, float]] = {}
    with (real_data / "deepsample" / "published.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["model"] == "G":
                lines.setdefault((row["technique"], row["aux"]), {})[int(row["budget"])] = float(row["rmse"])
    found = {name: convergence(list(line), list(line.values())) for name, line in lines.items()}
    inverted = {name for name, one in found.items() if one.inversion}
    # Table 6, CIFAR100: SUPS with confidence inverts in 1 of 3 models, 2-UPS with dsa and CES in 1 each, of other models.
    assert inverted == {("SUPS", "confidence")}
    assert not found["SUPS", "confidence"].converges


def test_rows_of_a_study_are_gathered_by_technique(inputs):
    rows = study(inputs, techniques=["srs", "rrs"], budgets=[40, 640], repetitions=20, seed=1, workers=1)
    found = convergence_by_technique(rows)
    assert set(found) == {("srs", None, None), ("rrs", "confidence", None)}
    assert all(one.converges and not one.inversion for one in found.values())


@each(("budgets", "errors"), [([50], [0.1]), ([100, 50], [0.1, 0.2]), ([1, 2], [0.1, np.nan])])
def test_what_is_no_line_is_refused(budgets, errors):
    with pytest.raises(BadInput, match="rising budgets"):
        convergence(budgets, errors)


def test_an_error_of_0_has_no_slope():
    assert convergence([1, 2], [0.1, 0.0]).slope is None
