"""What the papers claim: every quotation of our studies is there, and what was just measured is told as it is."""

from pathlib import Path

import pytest

from testimate.studies import study
from testimate.studies.claims import CLAIMS, Measured
from testimate.studies.judged_orders import judged_order
from testimate.studies.study_pages import passage

PAGES = Path(__file__).parents[2] / "docs" / "studies"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.start)
def test_what_our_studies_measured_stands_on_their_page(claim):
    said = claim.studied()
    assert said.endswith(".")
    assert any(letter.isdigit() for letter in said) or "RQ" in said
    page = " ".join((PAGES / f"{claim.page}.md").read_text().replace("**", "").split())
    assert said in page


def test_the_pages_that_are_quoted_come_with_the_package():
    built = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    for page in {claim.page for claim in CLAIMS}:
        assert f'"docs/studies/{page}.md" = "testimate/_app/docs/studies/{page}.md"' in built


def test_a_passage_that_is_not_there_is_told_from_an_empty_one():
    assert passage("deepsample", "No such sentence.") is None
    assert passage("no-such-page", "Mean") is None


def test_what_was_just_measured_is_told_best_first(inputs):
    rows = study(inputs, techniques=["srs", "rrs"], budgets=[60], repetitions=30, seed=5, workers=1)
    measured = Measured(rows, ())
    ratios = {row.technique: row.rmse_ratio_to_srs for row in rows}
    best = min(ratios, key=ratios.get)
    error, failures = CLAIMS[0].here(measured), CLAIMS[1].here(measured)
    assert error.startswith(f"Mean RMSE over srs's: {best} {ratios[best]:.2f}")
    found = {row.technique: 100 * row.failures_mean / 60 for row in rows}
    most = max(found, key=found.get)
    assert failures.startswith(f"Failures in 100 labels: {most} {found[most]:.0f}")


def test_nothing_measured_says_nothing(inputs):
    assert [claim.here(Measured((), ())) for claim in CLAIMS[:-1]] == [""] * (len(CLAIMS) - 1)


def test_orders_are_told_with_their_metrics(inputs):
    orders = [judged_order(inputs, name, seed=1) for name in ("confidence", "srs")]
    told = {claim.start: claim.here(Measured((), orders)) for claim in CLAIMS}
    wfdr = [100 * order.metrics.wfdr for order in orders]
    assert told["DeepAbstraction over DeepGini by WFDR"] == f"WFDR, %: confidence {wfdr[0]:.0f}, srs {wfdr[1]:.0f}."
