"""The table of intervals, held against what the estimators do, against its page, and against measured coverage."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

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
)
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import has_always_valid
from testimate.estimators.difference import estimate_difference
from testimate.estimators.interval_table import ASSISTED_INTERVALS, INTERVALS, setting_of
from testimate.selectors.adaptive_rounds import AdaptiveRounds

STUDIES = Path(__file__).parents[2] / "docs" / "studies"
EXAMPLES = {
    SimpleRandom: SimpleRandom((90,), 20),
    Stratified: Stratified((60, 30), 20, in_rounds=True),
    PerDraw: PerDraw((90,), 20, 0.005),
    TwoStage: TwoStage((60, 30), 20, (0.5, 0.5)),
    Groups: Groups((5, 4) * 10, 20, (0.05,) * 20),
    Sequential: Sequential((90,), 20),
    StratifiedAsPublished: StratifiedAsPublished((60, 30), 20),
    Purposive: Purposive((90,), 20),
}


@pytest.fixture(scope="module")
def study():
    """The script that measures the coverage and writes the page."""
    spec = importlib.util.spec_from_file_location("measure_coverage", STUDIES / "measure_coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sample_of(kind, losses, verdicts_of):
    """A design of the kind and 20 verdicts of it."""
    rng = np.random.default_rng(8)
    values = np.arange(20) % 4 == 1 if losses == "pass or fail" else rng.random(20)
    if kind is Rounds:
        selector = AdaptiveRounds(rng.random(90), True, budget=20, seed=1)
        draws = selector.ask(20)
        return selector.design, [Verdict(draw, float(loss)) for draw, loss in zip(draws, values, strict=True)]
    strata = {Stratified: [0, 1] * 10, TwoStage: [0, 1] * 10, Groups: range(20), StratifiedAsPublished: [0, 1] * 10}
    return EXAMPLES[kind], verdicts_of(
        values, strata.get(kind), (0.2 if kind is Groups else 0.01) + np.arange(20) / 1000
    )


def test_each_kind_of_design_has_its_two_lines():
    assert {(line.design, line.losses) for line in INTERVALS} == {
        (design, losses) for design in DESIGNS.values() for losses in ("pass or fail", "other losses")
    }
    assert len(INTERVALS) == 2 * len(DESIGNS)


@pytest.mark.parametrize("line", INTERVALS, ids=lambda line: f"{line.design.kind}, {line.losses}")
def test_an_estimator_gives_the_intervals_the_table_says(line, verdicts_of):
    design, labels = sample_of(line.design, line.losses, verdicts_of)
    found = estimator_of(design).estimate(design, labels)
    assert (found.low is not None) == bool(line.ordinary)
    if line.ordinary:
        assert f"{line.ordinary} interval" in found.method
    else:
        assert found.why
    assert (found.always_low is not None) == line.always_valid
    assert has_always_valid(design) == line.always_valid
    if line.conservative:
        careful = estimator_of(design, "conservative").estimate(design, labels)
        assert f"{line.conservative} interval" in careful.method
        assert careful.accuracy == found.accuracy
        assert careful.low < found.low


@pytest.mark.parametrize("line", INTERVALS, ids=lambda line: f"{line.design.kind}, {line.losses}")
def test_a_line_without_an_always_valid_interval_says_why(line):
    assert line.always_valid or line.note


def test_a_conservative_interval_is_refused_where_there_is_none():
    for kind in (TwoStage, Groups, Sequential, StratifiedAsPublished, Purposive):
        with pytest.raises(
            BadInput, match="has no conservative interval; there is one for these designs: simple random"
        ):
            estimator_of(EXAMPLES[kind], "conservative")
    with pytest.raises(BadInput, match="known are ordinary and conservative"):
        estimator_of(EXAMPLES[SimpleRandom], "widest")
    assert setting_of(EXAMPLES[Purposive], "ordinary") is None


def test_losses_other_than_pass_or_fail_have_the_ordinary_interval_in_either_case(verdicts_of):
    design, labels = sample_of(Stratified, "other losses", verdicts_of)
    careful = estimator_of(design, "conservative").estimate(design, labels)
    assert careful == estimator_of(design).estimate(design, labels)


def test_the_page_is_the_table_with_the_numbers_measured(study):
    numbers = json.loads(study.NUMBERS.read_text())
    assert study.PAGE.read_text() == study.page(numbers), "run docs/studies/measure_coverage.py --page-only"
    for line in (*INTERVALS, *ASSISTED_INTERVALS):
        assert (study.key(line) in numbers) == bool(line.ordinary), "run docs/studies/measure_coverage.py --missing"
        measured = numbers.get(study.key(line), {})
        kinds = [kind for kind, named in (("ordinary", line.ordinary), ("conservative", line.conservative)) if named]
        wanted = {f"{kind} {budget}" for kind in kinds for budget in study.BUDGETS}
        wanted |= {"always"} if line.always_valid and not line.model else set()
        assert set(measured) == wanted


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


def test_the_numbers_measured_are_those_the_project_asks_for(study):
    noise = 3 * np.sqrt(0.05 * 0.95 / study.CAMPAIGNS)
    for name, shares in json.loads(study.NUMBERS.read_text()).items():
        for of, share in shares.items():
            if of == "always":
                assert share >= 0.95, name
            elif of.startswith("conservative"):
                assert share >= 0.94, name
            elif name.split(",")[0] in ("simple random", "stratified", "adaptive rounds"):
                assert 0.93 - noise / 2 <= share <= 0.97 + noise / 2, (name, of)


def test_a_measured_number_comes_out_again(study, monkeypatch):
    line = next(line for line in INTERVALS if line.design is Stratified and line.losses == "pass or fail")
    monkeypatch.setattr(study, "CAMPAIGNS", 60)
    monkeypatch.setattr(study, "BUDGETS", (100,))
    kept = json.loads(study.NUMBERS.read_text())[study.key(line)]["ordinary 100"]
    assert study.measured(line)["ordinary 100"] == pytest.approx(kept, abs=0.09)
