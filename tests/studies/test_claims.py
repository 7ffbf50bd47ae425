"""What the papers claim: our studies' findings are quoted, and what was just measured is reported as it is."""

import re

from testimate.studies.claims import CLAIMS, PAPERS, JustMeasured, judged_order
from testimate.studies.study import study
from tests.each import each


@each("claim", CLAIMS)
def test_what_our_studies_measured_is_a_sentence_with_its_numbers(claim):
    said = claim.studied()
    assert said.endswith(".")
    assert any(letter.isdigit() for letter in said) or (claim.verdict == "cannot be tried" and claim.why_not)
    assert bool(claim.finding) != bool(claim.why_not)


def test_every_paper_has_claims_and_every_claim_its_paper():
    assert {claim.paper for claim in CLAIMS} == set(PAPERS)
    assert all(sum(claim.paper == paper for claim in CLAIMS) >= 2 for paper in PAPERS)


def test_what_was_just_measured_is_listed_best_first(inputs):
    rows = study(inputs, techniques=["srs", "rrs"], budgets=[60], repetitions=30, seed=5, workers=1)
    measured = JustMeasured(rows, ())
    ratios = {row.technique: row.rmse_ratio_to_srs for row in rows}
    best = min(ratios, key=ratios.get)
    error, failures = CLAIMS[0].here(measured), CLAIMS[1].here(measured)
    assert error.startswith(f"Mean RMSE over srs's: {best} {ratios[best]:.2f}")
    found = {row.technique: 100 * row.failures_mean / 60 for row in rows}
    most = max(found, key=found.get)
    assert failures.startswith(f"Failures in 100 labels: {most} {found[most]:.0f}")


def test_nothing_measured_says_nothing(inputs):
    words = {claim.finding: claim.here(JustMeasured((), ())) for claim in CLAIMS}
    assert {name for name, said in words.items() if said} == {"ranking without labels"}  # says where it can be tried


def test_orders_are_listed_with_their_metrics(inputs):
    orders = [judged_order(inputs, name, seed=1) for name in ("confidence", "srs")]
    words = {claim.finding: claim.here(JustMeasured((), orders)) for claim in CLAIMS}
    wfdr = [100 * order.metrics.wfdr for order in orders]
    assert words["order by WFDR"] == f"WFDR, %: confidence {wfdr[0]:.0f}, srs {wfdr[1]:.0f}."
    failed = inputs.task.failed(inputs.losses)
    severe = 100 * (inputs.confidence[failed] >= 0.8).mean()
    assert words["share of severe faults"] == f"Severe faults: {severe:.0f}% of all."


def test_the_claim_that_is_not_found_here_promises_more_than_the_most_that_can_be_gained():
    [ssoa] = [claim for claim in CLAIMS if claim.finding == "ssoa"]
    assert ssoa.verdict == "not found here"
    promised = float(ssoa.says.split("%")[0])
    at_most = re.search(r"by rule can gain ([0-9.]+)% over srs at most, those by clusters ([0-9.]+)%", ssoa.studied())
    assert at_most is not None
    assert max(map(float, at_most.groups())) < promised
