"""The figures that advice is given by are those of the paper and of the study pages."""

import re
from collections import Counter
from pathlib import Path

import pytest

from testimate.plans.measured_evidence import (
    ERROR_BY_LABELS,
    FAULTS_OF_200,
    SEVERE,
    STOP_SAFE,
    SUBJECTS,
    TEN_PICKS,
    TWO_STREAMS,
    measured,
    nearest_budget,
)
from testimate.plans.published_evidence import TABLE_10, TABLE_11

STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def lines(page: str, after: str) -> list[list[str]]:
    """The cells of the first table of a page after some words."""
    text = re.sub(r"(?<=[a-z,])\n(?=[a-z])", " ", (STUDIES / page).read_text()).split(after, 1)[1]
    rows = [row for row in text.split("\n\n", 2)[1].splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def top_three(rows: tuple[str, ...]) -> Counter[str]:
    """How often each technique is among the best three in these rows of table 10."""
    return Counter(name for found in TABLE_10.values() for row in rows for name in found[row])


def test_table_10_gives_the_counts_that_the_paper_counts_in_it():
    exact = top_three(("RMSE", "RMedSE"))  # section 6: of 24
    assert {name: exact[name] for name in ("ssrs", "sups", "rhc-s")} == {"ssrs": 22, "sups": 11, "rhc-s": 10}
    assert exact["srs"] == 12
    assert exact["gbs"] == 13  # the text says 12; the printed table has it 13 times
    failures = top_three(("failures",))  # of 12
    assert {name: failures[name] for name in ("sups", "deepest", "rhc-s")} == {"sups": 10, "deepest": 8, "rhc-s": 7}
    trade = top_three(("T RMSE", "T RMedSE"))  # of 24
    assert {name: trade[name] for name in ("sups", "rhc-s", "ssrs")} == {"sups": 23, "rhc-s": 22, "ssrs": 12}
    assert len(TABLE_10) == 12


@pytest.mark.parametrize(("task", "of"), [("classification", 270), ("regression", 60)])
def test_table_11_counts_each_configuration_once_by_every_measure(task, of):
    for measure in range(3):
        assert sum(one[measure] for one in TABLE_11[task].values()) == of


@pytest.mark.parametrize("case", ["confidence", "confidence, high accuracy", "dsa", "lsa"])
def test_our_figures_of_classification_are_those_of_the_page(case):
    head, _, *rows = lines("deepsample.md", "Best mean first:")
    auxiliary = case.split(",")[0]
    found = {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}
    for technique in found:
        for subject, one in measured(case, technique).items():
            error, failures = re.match(r"([\d.]+) / ([\d.]+)", found[technique][f"{subject}, {auxiliary}"]).groups()
            assert (one.error, one.failures) == (float(error), float(failures)), (technique, subject)
        if technique != "ces":
            assert len(measured(case, technique)) == len(SUBJECTS[case])


@pytest.mark.parametrize("auxiliary", ["lsa", "VAE", "SAE"])
def test_our_figures_of_regression_follow_from_the_page(auxiliary):
    errors = {row[0]: row[3] for row in lines("deepsample.md", f"**DO, {auxiliary}** (RMSE")[2:]}
    head, _, *rows = lines("deepsample.md", "an error beyond 12.5 degrees.")
    place = head.index(f"DO, {auxiliary}")
    failures = {row[0]: row[place] for row in rows}
    if auxiliary == "lsa":  # by the techniques' own definitions
        head, _, *rows = lines("deepsample.md", "### Regression, by the size of the error\n\n")
        failures = {row[0]: row[head.index("≥ 12.5")] for row in rows}

    def number(cell: str) -> float:
        return float(cell.split()[0])

    for technique in errors:
        for one in measured(f"regression, {auxiliary.lower()}", technique).values():
            assert one.error == pytest.approx(number(errors[technique]) / number(errors["srs"]), abs=0.0051)
            assert one.failures == pytest.approx(number(failures[technique]) / number(failures["srs"]), abs=0.0051)


def test_the_figures_by_budget_are_those_of_the_page():
    for row in lines("numbers.md", "it is biased, and its interval is not honest, so it is no rival as a default.")[2:]:
        subject, labels, rrs, rra = row[0], int(row[1]), float(row[2]), float(row[3])
        place = SUBJECTS["confidence"].index(subject)
        assert (ERROR_BY_LABELS[labels]["rrs"][place], ERROR_BY_LABELS[labels]["rra"][place]) == (rrs, rra)
    for row in lines("numbers.md", "200 simulated campaigns:")[2:]:
        place = SUBJECTS["confidence"].index(row[0])
        found = STOP_SAFE[int(row[1])]
        assert (found["rrs"][place], found["rra"][place]) == (float(row[5]), float(row[9]))


def test_the_figures_of_two_streams_are_those_of_the_page():
    rows = {row[0]: row for row in lines("prioritizers.md", "what a larger share costs is width.")[2:]}
    for picks, figures in (("12+8", TWO_STREAMS), ("10+10", TEN_PICKS)):
        for subject, (error, faults) in figures.items():
            row = rows[f"{subject}: {picks} failure chance"]
            assert (error, faults) == (float(row[1]), float(row[3]))


def test_the_faults_of_200_labels_are_those_of_the_page():
    head, _, *rows = lines("deepsample.md", "an error beyond 12.5 degrees.")
    for technique, faults in FAULTS_OF_200.items():
        [row] = [row for row in rows if row[0] == technique]
        shown = [float(row[head.index(f"{subject}, confidence")].split()[0]) for subject in SUBJECTS["confidence"]]
        assert tuple(shown) == faults


@pytest.mark.parametrize("case", SEVERE)
def test_the_rates_of_severe_faults_are_those_of_the_page(case):
    for technique, rates in SEVERE[case].items():
        for subject, rate in zip(SUBJECTS[case], rates, strict=True):
            head, _, *rows = lines("prioritizers.md", f"### {subject}: ")
            [row] = [row for row in rows if row[0].strip("*") == technique]
            assert float(row[head.index("SFDR")]) == rate, (technique, subject)


def test_the_nearest_budget_is_nearest_by_ratio():
    assert [nearest_budget(one) for one in (1, 50, 70, 71, 282, 283, 9999)] == [50, 50, 50, 100, 200, 400, 800]
