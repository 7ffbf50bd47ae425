"""Gradient-based sampling: a label each, then one at a time where the variance falls most."""

import itertools

import numpy as np
import pytest

from testimate.core.design import Stratified, StratifiedAsPublished
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import UnknownRow
from testimate.selectors.gradient_based_sampling import GradientBasedSampling
from tests.each import each

SCORES = np.repeat([0.0, 0.5, 1.0], [600, 300, 100])
SHARES = np.array([0.6, 0.3, 0.1])


def strata_drawn(losses_of, budget, **settings):
    """The stratum of each draw, the verdicts given one at a time by (stratum, how many of it before)."""
    selector, order = GradientBasedSampling(SCORES, budget=budget, seed=1, replacement=False, **settings), []
    while selector.remaining:
        for draw in (asked := selector.ask(1)):
            loss = losses_of(draw.stratum, order.count(draw.stratum))
            order.append(draw.stratum)
            selector.tell([Verdict(draw, loss)])
        assert asked
    return order


def naive(losses_of, budget, start, variance, more=0):
    """The strata in order by the textbook: the largest W^2 v / n^2, whatever the ties."""
    seen, order = [[], [], []], list(start)
    for stratum in start:
        seen[stratum].append(losses_of(stratum, len(seen[stratum])))
    while len(order) < budget:
        falls = [
            share**2 * v / (len(known) + more) ** 2
            for share, v, known in zip(SHARES, variance(seen), seen, strict=True)
        ]
        order.append(int(np.argmax(falls)))
        seen[order[-1]].append(losses_of(order[-1], len(seen[order[-1]])))
    return order


def smoothed(seen):
    chances = [(sum(known) + 1) / (len(known) + 2) for known in seen]
    return [chance * (1 - chance) for chance in chances]


def pooled(seen):
    squares = [sum((loss - np.mean(known)) ** 2 for loss in known) for known in seen]
    common = sum(squares) / max(sum(len(known) - 1 for known in seen), 1)
    return [(square + 2 * common) / (len(known) + 1) for square, known in zip(squares, seen, strict=True)]


def published(seen):
    chances = [sum(known) / (len(known) + 1) if sum(known) else 1 / (len(known) + 2) for known in seen]
    return [chance * (1 - chance) for chance in chances]


def summed(seen):
    return [sum(known) * (1 - sum(known)) for known in seen]


def failing(stratum, before):
    return float((7 * before + stratum) % (2, 3, 11)[stratum] == 0)


def squared(stratum, before):
    return (0.01, 0.2, 3.0)[stratum] * (1 + (7 * before) % 5)


@each(
    ("losses_of", "variance", "settings"),
    [
        (failing, smoothed, {}),
        (squared, pooled, {}),
        (failing, published, {"variant": "as published"}),
        (squared, summed, {"variant": "as published"}),
    ],
)
def test_each_label_comes_from_where_the_variance_falls_most(losses_of, variance, settings):
    order = strata_drawn(losses_of, 60, **settings)
    assert sorted(order[:3]) == [0, 1, 2]
    start = order[:4]  # with one squared error each no spread is known, and the fourth draw is from anywhere
    assert order == naive(losses_of, 60, start, variance, more=1 if settings else 0)


def test_the_next_draw_waits_for_every_verdict():
    selector = GradientBasedSampling(SCORES, budget=20, seed=1)
    first = selector.ask(20)
    assert sorted(draw.stratum for draw in first) == [0, 1, 2]
    selector.tell([Verdict(draw, 0.0) for draw in first[1:]])
    assert selector.ask(20) == []
    selector.tell([Verdict(first[0], None)])
    assert len(selector.ask(20)) == 1
    assert selector.remaining == 16


def test_an_input_drawn_again_needs_no_second_verdict():
    lengths = []
    for seed in range(20):
        selector, labeled = GradientBasedSampling(np.zeros(4), budget=4, seed=seed), set()
        while selector.remaining:
            asked = selector.ask(4)
            lengths.append(len(asked))
            selector.tell([Verdict(draw, 0.0) for draw in asked if draw.row not in labeled])
            labeled |= {draw.row for draw in asked}
    assert sum(lengths) == 20 * 4
    assert set(lengths) >= {1, 2}  # one at a time, but for an input drawn again, which comes with the next one


@pytest.mark.parametrize(("variant", "strata"), [(None, {0, 1}), ("as published", {0})])
def test_ties_are_broken_at_random_but_in_the_published_program(variant, strata):
    third = set()
    for seed in range(30):
        selector = GradientBasedSampling(np.repeat([0.0, 1.0], 50), budget=3, seed=seed, variant=variant)
        selector.tell([Verdict(draw, 0.0) for draw in selector.ask(2)])
        third |= {draw.stratum for draw in selector.ask(1)}
    assert third == strata


def test_without_replacement_no_input_comes_twice_and_all_come_in_the_end(build, run, population):
    draws = run(build("gbs", population, 300, 5, replacement=False), population.failures)
    assert sorted(draw.row for draw in draws) == list(range(300))


def test_the_design_says_how_it_is_to_be_judged():
    assert GradientBasedSampling(SCORES, budget=9, seed=1).design == Stratified((600, 300, 100), 9, replacement=True)
    assert GradientBasedSampling(SCORES, budget=9, seed=1, variant="as published").design == StratifiedAsPublished(
        (600, 300, 100), 9, program="gbs", replacement=True
    )


def test_its_bias_is_what_enumeration_says():
    # Two strata of 4 inputs, 1 and 2 of them failing; five draws with replacement, one in each first.
    scores, losses = np.repeat([0.0, 1.0], 4), np.array([1, 0, 0, 0, 1, 1, 0, 0], dtype=float)
    expected = 0.0
    for outcomes in itertools.product([0, 1], repeat=5):  # of the draws
        for tie in itertools.product([0, 1], repeat=3):  # which way a tie would go
            seen, chance = [[outcomes[0]], [outcomes[1]]], 1 / 8
            for outcome, side in zip(outcomes[2:], tie, strict=True):
                falls = [v / len(known) ** 2 for v, known in zip(smoothed(seen), seen, strict=True)]
                seen[side if falls[0] == falls[1] else int(np.argmax(falls))].append(outcome)
            rates = [np.mean([1, 0, 0, 0]), np.mean([1, 1, 0, 0])]
            for known, rate in zip(seen, rates, strict=True):
                chance *= np.prod([rate if outcome else 1 - rate for outcome in known])
            expected += chance * (np.mean(seen[0]) + np.mean(seen[1])) / 2
    estimates = []
    for seed in range(3000):
        selector, labels = GradientBasedSampling(scores, budget=5, seed=seed), [[], []]
        while selector.remaining:
            for draw in selector.ask(5):
                labels[draw.stratum].append(losses[draw.row])
                selector.tell([Verdict(draw, losses[draw.row])])
        estimates.append((np.mean(labels[0]) + np.mean(labels[1])) / 2)
    assert abs(np.mean(estimates) - expected) < 3.5 * np.std(estimates, ddof=1) / np.sqrt(3000)
    assert abs(expected - losses.mean()) > 0.001


def test_a_verdict_for_a_row_never_drawn_is_refused():
    selector = GradientBasedSampling(SCORES, budget=40, seed=1)
    rows = {draw.row for draw in selector.ask(40)}
    stranger = next(row for row in range(1000) if row not in rows)
    with pytest.raises(UnknownRow, match=str(stranger)):
        selector.tell([Verdict(Draw(stranger), 0.0)])


def test_draws_ahead_come_from_the_labels_so_far_and_count_as_drawn():
    selector = GradientBasedSampling(SCORES, budget=40, seed=1, replacement=False)
    first = selector.ask(3)
    selector.tell([Verdict(draw, 1.0 if draw.stratum == 1 else 0.0) for draw in first])
    known, drawn = [[0.0], [1.0], [0.0]], [1, 1, 1]
    for _ in range(20):  # nobody has answered any of them
        selector.draw_more()
    ahead = selector.ask(40)
    for draw in ahead:
        falls = [share**2 * v / count**2 for share, v, count in zip(SHARES, smoothed(known), drawn, strict=True)]
        assert falls[draw.stratum] == pytest.approx(max(falls))
        drawn[draw.stratum] += 1
    assert len({draw.row for draw in [*first, *ahead]}) == 24
    selector.tell([Verdict(draw, 0.0) for draw in reversed(ahead)])
    assert len(selector.ask(40)) == 1, "all labels are known, so the next draw is"


def test_sessions_made_before_wait_for_every_label():
    selector = GradientBasedSampling(SCORES, budget=40, seed=1, draws_ahead=False)
    selector.draw_more()
    assert len(selector.ask(40)) == 3
