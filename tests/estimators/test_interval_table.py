"""The table of intervals, held against what the estimators do, against its page, and against measured coverage."""

import json
import math

import numpy as np
import pytest

from research.studies import interval_campaigns, interval_suite, intervals_page
from research.studies import measure_coverage as study
from testimate.core.design import (
    DESIGNS,
    Groups,
    PerDraw,
    Purposive,
    Rounds,
    Sequential,
    SimpleRandom,
    Stratified,
    StratifiedAsPublished,
    TwoStage,
    WholeGroups,
)
from testimate.core.draw import Draw, GroupDraw, Verdict
from testimate.core.errors import BadInput
from testimate.estimators import estimator_of
from testimate.estimators.difference import estimate_difference
from testimate.estimators.interval_table import ASSISTED_INTERVALS, INTERVALS, setting_of
from testimate.selectors import SELECTORS
from testimate.selectors.adaptive_rounds import AdaptiveRounds
from tests.each import each

EXAMPLES = {
    SimpleRandom: SimpleRandom((90,), 20),
    Stratified: Stratified((60, 30), 20, in_rounds=True),
    PerDraw: PerDraw((90,), 20, 0.005),
    TwoStage: TwoStage((60, 30), 20, (0.5, 0.5)),
    Groups: Groups((5, 4) * 10, 20, (0.05,) * 20),
    WholeGroups: WholeGroups((90,), 20, stratum_groups=(18,), group_sizes=(5,) * 4),
    Sequential: Sequential((90,), 20),
    StratifiedAsPublished: StratifiedAsPublished((60, 30), 20),
    Purposive: Purposive((90,), 20),
}


@pytest.fixture(scope="module")
def numbers():
    """The measured shares, by technique, population, size and labels."""
    return json.loads(study.NUMBERS.read_text())


def sample_of(kind, losses, verdicts_of):
    """A design of the kind and 20 verdicts of it."""
    rng = np.random.default_rng(8)
    values = np.arange(20) % 4 == 1 if losses == "pass or fail" else rng.random(20)
    if kind is Rounds:
        selector = AdaptiveRounds(rng.random(90), True, budget=20, seed=1)
        draws = selector.ask(20)
        return selector.design, [Verdict(draw, float(loss)) for draw, loss in zip(draws, values, strict=True)]
    if kind is WholeGroups:
        draws = [GroupDraw(row, group=row // 5) for row in range(20)]
        return EXAMPLES[kind], [Verdict(draw, float(loss)) for draw, loss in zip(draws, values, strict=True)]
    strata = {Stratified: [0, 1] * 10, TwoStage: [0, 1] * 10, Groups: range(20), StratifiedAsPublished: [0, 1] * 10}
    return EXAMPLES[kind], verdicts_of(
        values, strata.get(kind), (0.2 if kind is Groups else 0.01) + np.arange(20) / 1000
    )


def test_each_kind_of_design_has_its_two_lines():
    assert {(line.design, line.losses) for line in INTERVALS} == {
        (design, losses) for design in DESIGNS.values() for losses in ("pass or fail", "other losses")
    }
    assert len(INTERVALS) == 2 * len(DESIGNS)


@each("line", INTERVALS)
def test_an_estimator_gives_the_intervals_the_table_says(line, verdicts_of):
    design, labels = sample_of(line.design, line.losses, verdicts_of)
    found = estimator_of(design).estimate(design, labels)
    assert (found.low is not None) == bool(line.ordinary)
    if line.ordinary:
        assert f"{line.ordinary} interval" in found.method
    else:
        assert found.why
    assert (found.always_low is not None) == line.always_valid
    assert design.always_valid == line.always_valid
    if line.conservative:
        careful = estimator_of(design, "conservative").estimate(design, labels)
        assert f"{line.conservative} interval" in careful.method
        assert careful.accuracy == found.accuracy
        assert careful.low <= found.low


@each("line", INTERVALS)
def test_a_line_without_an_always_valid_interval_says_why(line):
    assert line.always_valid or line.note


def test_a_conservative_interval_is_refused_where_there_is_none():
    for kind in (TwoStage, Groups, WholeGroups, Sequential, StratifiedAsPublished, Purposive):
        with pytest.raises(
            BadInput, match="has no conservative interval; there is one for these designs: simple random"
        ):
            estimator_of(EXAMPLES[kind], "conservative")
    with pytest.raises(BadInput, match="Expected ordinary or conservative"):
        estimator_of(EXAMPLES[SimpleRandom], "widest")
    assert setting_of(EXAMPLES[Purposive], "ordinary") is None


def test_losses_other_than_pass_or_fail_have_the_ordinary_interval_in_either_case(verdicts_of):
    design, labels = sample_of(Stratified, "other losses", verdicts_of)
    careful = estimator_of(design, "conservative").estimate(design, labels)
    assert careful == estimator_of(design).estimate(design, labels)


def test_the_page_is_made_from_the_table_and_from_every_number_of_the_suite(numbers):
    assert study.PAGE.read_text() == study.page(numbers), "run research/studies/measure_coverage.py --page-only"
    assert not study.missing(study.plan(), numbers), "run research/studies/measure_coverage.py"


@pytest.mark.parametrize(
    "line", ASSISTED_INTERVALS, ids=lambda line: f"{line.design.kind}, {line.losses}, {line.model}"
)
def test_a_model_assisted_estimate_has_the_intervals_the_table_says(line, verdicts_of):
    design, labels = sample_of(line.design, line.losses, verdicts_of)
    guesses = np.random.default_rng(9).random(90)
    found, careful = (
        estimate_difference(design, labels, guesses, model=line.model, interval=kind)
        for kind in ("ordinary", "conservative")
    )
    assert f"{line.ordinary} interval" in found.method
    assert f"{line.conservative or line.ordinary} interval" in careful.method
    own = estimator_of(design).estimate(design, labels)
    assert (found.always_low, found.always_high) == (own.always_low, own.always_high) != (None, None)


@each("technique", ["srs", "rrs", "rra", "css", "ssrs", "ssoa-r-t", "ssoa-c-t"])
def test_a_technique_claims_an_honest_interval_just_where_its_worst_cell_supports_it(numbers, technique):
    assert SELECTORS[technique].claims.honest_interval == intervals_page.keeps_its_claim(numbers, technique)


def test_every_technique_that_claims_an_honest_interval_is_measured():
    alone = {name for name in SELECTORS if "groups" not in SELECTORS[name].needs}  # the others: test_whole_groups.py
    assert {name for name in alone if SELECTORS[name].claims.honest_interval} <= set(intervals_page.CLAIMING)


@each("technique", ["srs", "rrs", "rra", "css", "ssrs", "ssoa-r-t", "ssoa-c-t"])
def test_the_conservative_interval_holds_as_often_as_it_says_in_every_cell(numbers, technique):
    assert [one.place for one in intervals_page.falling_short(numbers, technique)] == []


@each(
    "line",
    [line for line in ASSISTED_INTERVALS if line.losses == "pass or fail"],
)
def test_an_assisted_estimate_is_offered_as_its_interval_holds_in_the_worst_cell_too(numbers, line):
    cells = intervals_page.of_line(line, intervals_page.all_found(numbers))
    for one in cells:
        assert one.reaches(one.numbers["held"], intervals_page.WANTED[one.kind]), one.place
        assert one.reaches(one.numbers["careful_held"], 0.95), one.place
    assert len(cells) >= 3 * (len(interval_suite.POPULATIONS) - 1)


def test_the_always_valid_interval_holds_at_every_label_in_at_least_95_of_100_campaigns(numbers):
    watched = {}
    for one in intervals_page.all_found(numbers):
        if one.what.endswith(" watched"):
            watched.setdefault(one.what, []).append(one)
            assert one.reaches(one.numbers["held"], 0.95), one.place
    assert set(watched) == {"srs watched", "rrs watched", "rra watched", "sups watched"}
    for cells in watched.values():
        assert np.mean([one.numbers["held"] for one in cells]) >= 0.95


def test_numbers_of_lists_drawn_at_once_come_out_of_campaigns_run_one_by_one(numbers, monkeypatch):
    """The selectors and the estimators themselves, without the shortcut."""
    cell = study.Cell("rrs", "saturated at 1", 1000, (100, 200))
    monkeypatch.setattr(interval_campaigns, "FIXED_STRATA", ())
    for labels, found in study.measure(cell, 120).items():
        kept = numbers[cell.key(labels)]
        assert found["held"] == pytest.approx(kept["held"], abs=0.07)
        assert found["careful_held"] == pytest.approx(kept["careful_held"], abs=0.07)
        assert found["width"] == pytest.approx(kept["width"], rel=0.1)
        assert found["failures"] == pytest.approx(kept["failures"], rel=0.2)


def test_the_coverage_of_simple_random_sampling_is_a_sum_over_every_count_of_failures(numbers):
    losses = interval_suite.inputs_of("constant", 30).losses
    wrong, labels = int(losses.sum()), 15
    ways = [math.comb(wrong, k) * math.comb(30 - wrong, labels - k) for k in range(wrong + 1)]
    design, held = SimpleRandom((30,), labels), 0
    for failures, count in enumerate(ways):
        verdicts = [Verdict(Draw(row), float(row < failures)) for row in range(labels)]
        found = estimator_of(design).estimate(design, verdicts)
        held += count * (found.low - 1e-9 <= 1 - wrong / 30 <= found.high + 1e-9)
    key = study.Cell("srs", "constant", 30, (labels,)).key(labels)
    assert numbers[key]["held"] == pytest.approx(held / math.comb(30, labels), abs=1e-5)
