"""What every technique promises of its draws, whatever they are for."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Selector, check_statements
from testimate.selectors import SELECTORS
from testimate.testing import check_draws, check_options, check_questions, check_replay
from tests.sampling import rotating, rotating_lists

EVERY = list(SELECTORS)
WITH_SCORES = [name for name in EVERY if "scores" in SELECTORS[name].needs]


def draws_again(selector: Selector, settings: dict[str, object]) -> bool:
    """Whether this technique may draw an input twice."""
    if selector.name == "2-ups":  # once a cluster has given all its inputs; the published program passes it over
        return not settings
    return selector.name == "sups" or bool(settings.get("replacement", selector.name == "gbs"))


def settings_of(name: str) -> list[dict[str, object]]:
    """The default and every variant, and srs with replacement."""
    settings: list[dict[str, object]] = [{}] + [{"variant": variant} for variant in SELECTORS[name].variants]
    return settings + {
        "srs": [{"replacement": True}],
        "gbs": [{"replacement": False}],
        "rra": [{"exploit": 5}, {"exploit": 5, "exploit_order": "severity first"}],
    }.get(name, [])


WITHOUT_CHANCE = ["pace", "pace-mmd", "deepgini", "entropy", "margin", "confidence", "dsa", "lsa"]
"""Techniques whose seed breaks ties alone, of which the population has none at the top."""


FORMS = [(name, settings) for name in EVERY for settings in settings_of(name)]
EVERY_FORM = [pytest.param(name, settings, id=f"{name} {settings}") for name, settings in FORMS]


@pytest.mark.parametrize("name", EVERY)
def test_a_technique_says_what_it_is(name):
    technique = SELECTORS[name]
    check_statements(name, technique)
    assert technique.claims.note or technique.claims.honest_interval


@pytest.mark.parametrize(("name", "settings"), EVERY_FORM)
def test_the_same_seed_and_verdicts_give_the_same_draws_however_many_are_asked_at_a_time(name, settings, population):
    check_draws(SELECTORS[name], population, settings)


@pytest.mark.parametrize("name", [name for name in EVERY if name not in WITHOUT_CHANCE])
def test_another_seed_gives_other_draws(name, population, build, run):
    first, second = (run(build(name, population, 60, seed), population.failures) for seed in (5, 6))
    assert first != second


@pytest.mark.parametrize("name", WITHOUT_CHANCE)
def test_what_draws_nothing_at_random_draws_the_same_whatever_the_seed(name, population, build, run):
    first, second = (run(build(name, population, 60, seed), population.failures) for seed in (5, 6))
    assert first == second


@pytest.mark.parametrize(("name", "settings"), EVERY_FORM)
def test_a_history_fed_to_a_fresh_instance_gives_the_same_draws(name, settings, population):
    check_replay(SELECTORS[name], population, settings)


@pytest.mark.parametrize(("form", "budgets"), rotating_lists(FORMS, [1, 60, 300, 2, 299], each=2), ids=str)
def test_the_whole_budget_is_drawn_from_a_design_that_fits(form, budgets, population, build, run):
    for budget in budgets:
        check_budget(*form, budget, population, build, run)


def check_budget(name, settings, budget, population, build, run):
    selector = build(name, population, budget, 5, **settings)
    planned = selector.design.planned
    assert selector.remaining == planned
    assert planned == budget or (name.startswith("pace") and settings)  # the authors' program rounds cluster by cluster
    draws = run(selector, population.failures)
    rows = [draw.row for draw in draws]
    assert len(draws) == planned
    assert selector.design.size == population.size
    assert all(0 <= row < population.size for row in rows)
    taken = np.bincount([draw.stratum for draw in draws], minlength=len(selector.design.stratum_sizes))
    assert len(taken) == len(selector.design.stratum_sizes)
    if not draws_again(selector, settings):
        assert len(set(rows)) == planned
        assert (taken <= selector.design.stratum_sizes).all()
    assert all(draw.reason for draw in draws)


@pytest.mark.parametrize(("name", "budget"), rotating(EVERY, [0, 301, -3, 2.0, "60", True]))
def test_a_budget_that_is_not_a_count_of_these_inputs_is_refused(name, budget, population, build):
    with pytest.raises(BadInput, match="budget"):
        build(name, population, budget, 5)


@pytest.mark.parametrize(("name", "settings"), rotating(EVERY, [{"variant": "of my own"}, {"seed": -1}, {"seed": 1.5}]))
def test_unknown_variants_and_invalid_seeds_are_refused(name, settings, population, build):
    with pytest.raises(BadInput, match=next(iter(settings))):
        build(name, population, **{"budget": 60, "seed": 5, **settings})


@pytest.mark.parametrize("name", EVERY)
def test_options_outside_their_bounds_and_negative_counts_are_refused(name, population):
    check_options(SELECTORS[name], population)
    check_questions(SELECTORS[name], population)


@pytest.mark.parametrize(("name", "wrong"), rotating(WITH_SCORES, [np.nan, np.inf, -np.inf]))
def test_scores_that_are_not_numbers_are_refused(name, wrong, population, build):
    scores = population.scores.copy()
    scores[17] = wrong
    with pytest.raises(BadInput, match="17"):
        build(name, SimpleNamespace(**{**vars(population), "scores": scores}), 60, 5)


STRANGE_SCORES = {
    "all zero": np.zeros(300),
    "all one": np.ones(300),
    "all the same": np.full(300, 0.4),
    "two values": np.repeat([0.0, 0.3], 150),
    "ties": np.repeat(np.linspace(0, 1, 6), 50),
    "one alone": np.r_[1.0, np.zeros(299)],
    "tiny": np.full(300, 1e-320),
}
STRANGE_SIZES = {
    "a huge outlier": np.r_[np.linspace(0, 1, 299), 1e308],
    "a huge negative one": np.r_[np.linspace(0, 1, 299), -1e308],
    "huge on both sides": 1.7e308 * np.linspace(-1, 1, 300),
    "all negative": -np.linspace(1, 2, 300),
}


@pytest.mark.parametrize(("name", "kinds"), rotating_lists(WITH_SCORES, [*STRANGE_SCORES, *STRANGE_SIZES], each=4))
def test_strange_scores_still_give_the_whole_budget(name, kinds, population, build, run):
    for kind in kinds:
        scores, chances = {**STRANGE_SCORES, **STRANGE_SIZES}[kind], kind in STRANGE_SCORES
        inputs = SimpleNamespace(**{**vars(population), "scores": scores, "scores_are_chances": chances})
        for budget in (1, 15, 60, 300):
            selector = build(name, inputs, budget, 5)
            draws = run(selector, population.failures)
            assert len(draws) == budget, kind
            assert selector.design.size == 300, kind
            assert draws_again(selector, {}) or len({draw.row for draw in draws}) == budget, kind


@pytest.mark.parametrize("name", EVERY)
def test_a_population_of_one_input_gives_it(name, build, run):
    inputs = SimpleNamespace(
        size=1,
        scores=np.array([0.3]),
        features=np.ones((1, 2), dtype=np.float32),
        training_scores=np.array([0.2]),
        training_losses=np.array([0.0]),
    )
    assert [draw.row for draw in run(build(name, inputs, 1, 5), np.zeros(1))] == [0]


@pytest.mark.parametrize("name", WITH_SCORES)
def test_tied_scores_are_not_ordered_by_their_place_in_the_file(name, population, build, run):
    inputs = SimpleNamespace(**{**vars(population), "scores": np.full(300, 0.2)})
    first_half = np.concatenate(
        [[draw.row < 150 for draw in run(build(name, inputs, 20, seed), population.failures)] for seed in range(100)]
    )
    assert abs(first_half.mean() - 0.5) < 4 * 0.5 / np.sqrt(first_half.size)  # binomial, 4 standard errors


@pytest.mark.parametrize("name", ["srs", "rrs", "sups", "css", "2-ups"])
def test_a_larger_budget_continues_the_list_of_a_smaller_one(name, population, build, run):
    long = run(build(name, population, 300, 5), population.failures)
    short = run(build(name, population, 37, 5), population.failures)
    assert [(draw.row, draw.stratum, draw.probability) for draw in long[:37]] == [
        (draw.row, draw.stratum, draw.probability) for draw in short
    ]


def test_naming_the_techniques_imports_none_of_them():
    code = (
        "import sys, testimate.selectors as s; list(s.SELECTORS); 'pace' in s.SELECTORS; len(s.SELECTORS);"
        "print([m for m in sys.modules if m.split('.')[0] in ('torch', 'hdbscan', 'sklearn', 'scipy')"
        " or m.startswith('testimate.selectors.')])"
    )
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == "[]"
