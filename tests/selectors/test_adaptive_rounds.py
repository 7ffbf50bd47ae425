"""Adaptive rounds: what each round is drawn from, when, and that nothing else changes the draws."""

import itertools
import math

import numpy as np
import pytest

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, UnknownRow
from testimate.selectors import adaptive_rounds, prioritizers, round_guesses
from testimate.selectors.adaptive_rounds import AdaptiveRounds, cut_zones
from testimate.selectors.logistic_regression import Line, Prior, most_likely_line
from testimate.structure import orders
from tests.each import each
from tests.sampling import rotating

PRIOR = Prior(Line(0.6, 0.9), Line(0.5, 0.25))


def technique(population, budget=60, seed=1, **options):
    return AdaptiveRounds(population.scores, True, budget=budget, seed=seed, **options)


def tell(selector, draws, losses):
    selector.tell([Verdict(draw, None if losses is None else float(losses[draw.row])) for draw in draws])


def in_rounds(draws):
    return [list(group) for _, group in itertools.groupby(draws, key=lambda draw: draw.round)]


def guesses_of(scores, line):
    c = np.clip(scores, 1e-4, 1 - 1e-4)
    return np.clip(1 / (1 + np.exp(-(line.intercept + line.slope * np.log(c / (1 - c))))), 1e-6, 0.98)


def test_two_rounds_are_open_and_the_next_comes_when_the_older_one_is_settled(population):
    selector = technique(population)
    first, second = in_rounds(selector.ask(1000))
    assert (len(first), len(second), selector.remaining) == (10, 10, 40)
    tell(selector, second, population.failures)
    assert selector.ask(1000) == []
    tell(selector, first[:-1], population.failures)
    assert selector.ask(1000) == []
    tell(selector, first[-1:], population.failures)
    assert [draw.round for draw in selector.ask(1000)] == [2] * 10 + [3] * 10


def test_a_round_learns_from_the_labels_up_to_the_last_but_one_before_it(population, run):
    selector = technique(population)
    draws = in_rounds(run(selector, population.failures))
    x = np.log(np.clip(population.scores, 1e-4, 1 - 1e-4) / (1 - np.clip(population.scores, 1e-4, 1 - 1e-4)))
    for number, inside in enumerate(draws):
        rows = [draw.row for earlier in draws[: max(number - 1, 0)] for draw in earlier]
        line = most_likely_line(x[rows], population.failures[rows], PRIOR, PRIOR.mean)
        expected = guesses_of(population.scores, line)
        assert [draw.guess for draw in inside] == pytest.approx(expected[[draw.row for draw in inside]], rel=1e-6)
        left = np.ones(population.size, dtype=bool)
        left[[draw.row for earlier in draws[:number] for draw in earlier]] = False
        assert selector.design.rounds[number].guessed == pytest.approx(expected[left].sum(), rel=1e-6)


def test_the_verdicts_may_come_in_any_order(population):
    one, other = technique(population), technique(population)
    rng = np.random.default_rng(3)
    drawn = list(one.ask(1000)), list(other.ask(1000))
    while one.remaining:
        tell(one, drawn[0][-20:], population.failures)
        for place in rng.permutation(20):
            tell(other, [drawn[1][-20:][place]], population.failures)
        drawn[0].extend(one.ask(1000))
        drawn[1].extend(other.ask(1000))
    assert drawn[0] == drawn[1]
    assert one.design == other.design


def test_zones_hold_equal_weight_and_their_chances_sum_to_one():
    rng = np.random.default_rng(5)
    guesses = np.sort(rng.beta(0.3, 2, 500))
    zones = cut_zones(guesses, 10, 0.3)
    spread = np.sqrt(guesses * (1 - guesses))
    weights = 0.7 * spread + 0.3 * spread.mean()
    inside = np.searchsorted(zones.starts, np.arange(500), side="right") - 1
    assert zones.starts.size == 10
    assert np.bincount(inside, zones.chances) == pytest.approx(np.ones(10))
    totals = np.bincount(inside, weights)
    assert np.abs(totals - weights.sum() / 10).max() <= weights.max()
    assert zones.chances == pytest.approx(weights / totals[inside])


def test_what_the_design_keeps_of_a_round_is_what_its_inputs_could_give():
    guesses = np.array([0.01, 0.02, 0.2, 0.3, 0.9])
    zones = cut_zones(guesses, 2, 0.4)
    chances = zones.chances
    kept = zones.round_of(guesses, 50, exploit=3)
    off = {(i, z): (z - guesses[i]) * 2 / (chances[i] * 50) for i in range(5) for z in (0, 1)}
    assert (kept.zones, kept.exploit) == (2, 3)
    assert (kept.smallest, kept.largest) == pytest.approx((min(off.values()), max(off.values())))
    assert kept.guessed == pytest.approx(1.43)
    second_moment = sum(
        chances[i] / 2 * (guesses[i] * off[i, 1] ** 2 + (1 - guesses[i]) * off[i, 0] ** 2) for i in range(5)
    )
    assert kept.variance == pytest.approx(second_moment)


def test_the_draws_do_not_depend_on_how_many_inputs_are_worked_on_at_a_time(population, monkeypatch):
    classes = np.arange(300) % 3
    whole = technique(population, classes=classes)
    for module in (adaptive_rounds, round_guesses, prioritizers):
        monkeypatch.setattr(module, "AT_A_TIME", 7)
    for name in ("RANKED_AT_A_TIME", "ORDERED_AT_A_TIME"):
        monkeypatch.setattr(orders, name, 7)
    parts = technique(population, classes=classes)
    for _ in range(3):
        drawn = whole.ask(1000)
        assert parts.ask(1000) == drawn
        tell(whole, drawn, population.failures)
        tell(parts, drawn, population.failures)
    assert parts.design == whole.design


def test_inside_a_zone_an_input_is_drawn_by_its_chance(population):
    zones = cut_zones(np.sort(guesses_of(population.scores, PRIOR.mean)), 3, 0.5)
    order = np.sort(population.scores)
    drawn = np.zeros(300)
    for seed in range(3000):
        for draw in technique(population, 3, seed, zones=3).ask(3):
            drawn[np.searchsorted(order, population.scores[draw.row])] += 1  # tied scores count as their first
    expected = np.bincount(np.searchsorted(order, order), zones.chances * 3000, minlength=300)
    seen = expected > 0
    statistic = ((drawn[seen] - expected[seen]) ** 2 / expected[seen]).sum()
    assert statistic < seen.sum() + 3.1 * math.sqrt(2 * seen.sum())  # chi-square, 0.1%


def test_exploit_picks_are_the_likeliest_to_fail_that_were_not_drawn(population, run):
    selector = technique(population, 80, zones=12, exploit=8)
    drawn: set[int] = set()
    for inside in in_rounds(run(selector, population.failures)):
        picks = [draw for draw in inside if draw.exploit]
        drawn |= {draw.row for draw in inside if not draw.exploit}
        rest = np.sort(population.scores[[row for row in range(300) if row not in drawn]])[::-1]
        assert len(picks) == 8
        assert sorted(population.scores[[draw.row for draw in picks]], reverse=True) == pytest.approx(rest[:8])
        assert all(draw.reason.startswith("exploit: ") and draw.probability is None for draw in picks)
        assert not any(draw.reason.startswith("exploit") for draw in inside if not draw.exploit)
        drawn |= {draw.row for draw in picks}
    assert [(one.zones, one.exploit) for one in selector.design.rounds] == [(12, 8)] * 4


def test_another_order_may_choose_the_exploit_picks(population, run):
    class Mildest(AdaptiveRounds):
        def preference(self, guesses):
            return super().preference(guesses)[::-1]

    selector = Mildest(population.scores, True, budget=40, seed=1, exploit=10)
    picks = [draw for draw in run(selector, population.failures) if draw.exploit]
    assert max(population.scores[draw.row] for draw in picks) < np.quantile(population.scores, 0.2)


def test_a_round_is_shown_in_random_order(population):
    places = np.zeros(20)
    for seed in range(500):
        draws = technique(population, 20, seed, zones=12, exploit=8).ask(20)
        places += [draw.exploit for draw in draws]
    assert ((places - 200) ** 2 / 120).sum() < 43.8  # 500 * 8 / 20 = 200 at each place; chi-square, 19 df, 0.1%


@each(
    ("budget", "options", "sizes"),
    [
        (25, {}, [(10, 0), (10, 0), (5, 0)]),
        (50, {"zones": 12, "exploit": 8}, [(12, 8), (12, 8), (6, 4)]),
        (1, {"zones": 12, "exploit": 8}, [(1, 0)]),
    ],
)
def test_the_last_round_of_a_budget_is_smaller(budget, options, sizes, population, run):
    selector = technique(population, budget, **options)
    run(selector, population.failures)
    assert [(one.zones, one.exploit) for one in selector.design.rounds] == sizes


@each(("size", "kind"), rotating(range(1, 21), ["spread", "all right for sure", "all the same", "one alone"]))
def test_a_small_set_is_drawn_to_its_end(size, kind, run):
    rng = np.random.default_rng(size)
    scores = {
        "spread": rng.random(size),
        "all right for sure": np.zeros(size),
        "all the same": np.full(size, 0.4),
        "one alone": np.r_[1.0, np.zeros(size - 1)],
    }[kind]
    losses = (rng.random(size) < 0.4).astype(float)
    for budget, exploit in itertools.product((1, size // 2 + 1, size), (0, 3)):
        selector = AdaptiveRounds(scores, True, budget=budget, seed=2, zones=4, exploit=exploit)
        draws = run(selector, losses)
        assert len({draw.row for draw in draws}) == budget
        for number, inside in enumerate(in_rounds(draws)):
            one = selector.design.rounds[number]
            assert (sum(not draw.exploit for draw in inside), sum(draw.exploit for draw in inside)) == (
                one.zones,
                one.exploit,
            )
    last = selector.design.rounds[-1]
    assert last.exploit == 0  # what is left at the end is taken whole
    assert all(draw.probability == 1 for draw in draws[-last.zones :])


def test_an_input_that_outweighs_a_zone_leaves_fewer_zones():
    zones = cut_zones(np.array([1e-6] * 6 + [0.5]), 5, 0.01)
    assert zones.starts.tolist() == [0, 6]
    assert zones.chances[-1] == 1


def test_a_verdict_that_nobody_could_give_settles_a_round_and_teaches_nothing(population):
    selector = technique(population)
    tell(selector, selector.ask(20), None)
    third = selector.ask(1000)
    assert [draw.guess for draw in third] == pytest.approx(
        guesses_of(population.scores[[draw.row for draw in third]], PRIOR.mean)
    )


def test_a_verdict_for_a_row_never_drawn_is_refused(population):
    selector = technique(population)
    drawn = {draw.row for draw in selector.ask(1000)}
    stranger = next(row for row in range(300) if row not in drawn)
    with pytest.raises(UnknownRow, match=str(stranger)):
        selector.tell([Verdict(Draw(stranger), 0.0)])


def test_scores_that_are_not_chances_count_by_their_rank(run):
    scores = np.linspace(-4, 9, 300)
    losses = (scores > 7.5).astype(float)  # 35 of 300

    def drawn(scores):
        selector = AdaptiveRounds(scores, False, budget=100, seed=3)
        return run(selector, losses)

    draws = drawn(scores)
    assert draws == drawn(np.exp(scores))
    learned = {draw.row: draw.guess for draw in draws[50:]}  # it learns that failures lie at the top
    assert min(guess for row, guess in learned.items() if scores[row] > 8) > 0.5
    assert max(guess for row, guess in learned.items() if scores[row] < 2) < 0.1


def test_chances_outside_0_to_1_are_refused():
    with pytest.raises(BadInput, match=r"-0\.5"):
        AdaptiveRounds([0.2, -0.5, 0.4], True, budget=1, seed=1)
