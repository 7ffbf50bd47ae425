"""Round-robin stratification: its strata, its rounds and what they guarantee."""

import math

import numpy as np
import pytest

from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build, resolve
from testimate.selectors.round_robin import RoundRobinStratification, defensive_weights
from testimate.tasks.verdict import Judgment
from tests.each import each


def strata_of(scores, chances=True, **settings):
    """The stratum of every input, from a list that draws them all, and the selector."""
    selector = RoundRobinStratification(scores, chances, budget=len(scores), seed=1, **settings)
    strata = np.empty(len(scores), dtype=int)
    for draw in (draws := selector.ask(len(scores))):
        strata[draw.row] = draw.stratum
    return strata, selector, draws


def test_strata_hold_equal_weight_in_the_order_of_the_score(population):
    chances = population.scores
    spread = np.sqrt(chances * (1 - chances))
    weights = 0.5 * spread / spread.mean() + 0.5  # mean 1
    strata, _, _ = strata_of(chances)
    totals = np.bincount(strata, weights)
    assert len(totals) == 10
    assert np.abs(totals - population.size / 10).max() <= weights.max()
    order = np.argsort(chances, kind="stable")
    assert (np.diff(chances[order]) >= 0).all()
    for lower in range(9):
        assert chances[strata == lower].max() <= chances[strata == lower + 1].min()


def test_scores_that_are_not_chances_are_weighted_by_their_size():
    scores = np.linspace(-3, 5, 200)
    strata, selector, _ = strata_of(scores, chances=False)
    weights = 0.5 * (scores + 3) / 4.0 + 0.5  # shifted by 3, their mean is 4
    assert np.abs(np.bincount(strata, weights) - 20).max() <= weights.max()
    assert selector.design.prior_failure is None


def test_every_round_visits_each_stratum_that_is_not_exhausted_once(population):
    _, selector, draws = strata_of(population.scores)
    sizes, position, rounds = np.array(selector.design.stratum_sizes), 0, 0
    while position < len(draws):
        live = np.flatnonzero(sizes > rounds)
        visited = [draw.stratum for draw in draws[position : position + len(live)]]
        assert sorted(visited) == live.tolist()
        assert all(draw.reason.startswith(f"round {rounds + 1}, ") for draw in draws[position : position + len(live)])
        position, rounds = position + len(live), rounds + 1
    assert rounds == sizes.max()
    assert selector.design.in_rounds


def test_rounds_come_in_a_fresh_random_order(population):
    order = [
        [draw.stratum for draw in RoundRobinStratification(population.scores, True, budget=20, seed=seed).ask(20)]
        for seed in range(400)
    ]
    first, second = np.array(order)[:, :10], np.array(order)[:, 10:]
    counts = np.bincount(first[:, 0], minlength=10)
    assert ((counts - 40) ** 2 / 40).sum() < 27.9  # chi-square, 9 degrees of freedom, 0.1%
    assert 4 < (first == second).sum(axis=1).mean() * 10 < 16  # two independent orders agree at 1 of 10 places


def test_every_input_of_a_stratum_has_the_same_chance_to_come_first():
    scores = np.repeat([0.1, 0.5], [30, 10])
    first = np.zeros(40)
    for seed in range(2000):
        draws = RoundRobinStratification(scores, True, budget=2, seed=seed, strata=2).ask(2)
        first[[draw.row for draw in draws]] += 1
    # where the border cuts through tied scores, which of them lie above it changes with the seed
    tied = [np.flatnonzero(scores == value) for value in (0.1, 0.5)]
    statistic = sum(((first[rows] - first[rows].mean()) ** 2 / first[rows].mean()).sum() for rows in tied)
    assert statistic < 70.7  # chi-square, 38 degrees of freedom, 0.1%
    assert first.sum() == 4000


@each(("chance", "prior"), [(0.2, 0.2), (0.7, 0.3), (0.5, 0.5)])
def test_the_prior_failure_is_the_chance_itself_where_all_chances_are_equal(chance, prior):
    selector = RoundRobinStratification(np.full(100, chance), True, budget=10, seed=1)
    assert selector.design.prior_failure == pytest.approx([prior] * 10)


def test_the_prior_failure_solves_its_equation(population):
    strata, selector, _ = strata_of(population.scores)
    spread = np.sqrt(population.scores * (1 - population.scores))
    prior = np.array(selector.design.prior_failure)
    for stratum in range(len(prior)):
        variance = (0.5 * spread[strata == stratum] + 0.5 * spread.mean()).mean() ** 2
        assert prior[stratum] * (1 - prior[stratum]) == pytest.approx(variance)
    assert (prior <= 0.5).all()


def test_scores_that_are_all_0_or_1_predict_nothing():
    for chance in (0.0, 1.0):
        assert RoundRobinStratification(np.full(50, chance), True, budget=10, seed=1).design.prior_failure is None


@each("worst", ["anywhere", "in one stratum", "where the score is smallest"])
def test_a_worthless_score_costs_at_most_the_root_of_two(worst, population):
    strata, selector, _ = strata_of(population.scores)
    rng, sizes = np.random.default_rng(0), np.array(selector.design.stratum_sizes)
    for _ in range(50):
        losses = (rng.random(population.size) < 0.3).astype(float)
        if worst == "in one stratum":
            losses *= strata == rng.integers(10)
        if worst == "where the score is smallest":
            losses = (rng.random(population.size) < 0.5) * (strata < 2).astype(float)
        variances = np.array([losses[strata == stratum].var() for stratum in range(10)])
        stratified = ((sizes / population.size) ** 2 * variances).sum()  # one draw per stratum, Cochran 1977, eq. 5.6
        assert stratified <= 2 * losses.var() / 10 * (1 + 1e-9)


def test_a_weight_is_at_least_half_the_mean():
    weights = defensive_weights(np.array([0.0, 0.0, 1.0, 5.0]))
    assert weights.mean() == pytest.approx(1)
    assert weights.min() == 0.5
    assert defensive_weights(np.zeros(3)).tolist() == [1, 1, 1]


def test_the_list_does_not_depend_on_the_verdicts(population):
    informed, uninformed = (RoundRobinStratification(population.scores, True, budget=60, seed=4) for _ in range(2))
    draws = []
    while informed.remaining:
        asked = informed.ask(10)
        informed.tell([Verdict(draw, 1.0) for draw in asked])
        draws += asked
    assert draws == uninformed.ask(60)


def test_the_reason_names_round_stratum_and_confidence():
    scores = np.linspace(0, 1, 101)
    draw = RoundRobinStratification(scores, True, budget=1, seed=1, strata=1).ask(1)[0]
    assert draw.reason == "round 1, stratum 1 of 1 (confidence 0 to 1)"


def test_chances_outside_0_to_1_are_refused():
    with pytest.raises(BadInput, match=r"-0\.5"):
        RoundRobinStratification([0.2, -0.5, 0.4], True, budget=1, seed=1)


def test_single_inputs_are_merged_with_a_neighbor():
    scores = np.r_[np.full(50, 1e-6), 0.5]
    sizes = RoundRobinStratification(scores, True, budget=5, seed=1).design.stratum_sizes
    assert min(sizes) >= 2
    assert math.fsum(sizes) == 51


def test_a_score_that_is_not_believed_leaves_strata_of_equal_size():
    chances = np.random.default_rng(0).random(400)
    design = RoundRobinStratification(chances, True, budget=40, seed=1, trust=0.0).design
    assert design.stratum_sizes == (40,) * 10


def test_two_thirds_of_trust_draw_as_the_chances_they_leave_do():
    chances = np.random.default_rng(0).choice([0.0, 0.25, 0.5, 1.0], 400)
    believed = RoundRobinStratification(chances, True, budget=40, seed=1, trust=2 / 3)
    drawn_by = RoundRobinStratification((2 * chances + 0.5) / 3, True, budget=40, seed=1)
    assert believed.design.prior_failure == pytest.approx(drawn_by.design.prior_failure)
    assert [draw.row for draw in believed.ask(40)] == [draw.row for draw in drawn_by.ask(40)]


def test_a_judge_that_knows_nothing_costs_a_new_plan_of_verdicts_no_labels():
    random = np.random.default_rng(2)
    losses = random.choice([0.0, 0.25, 0.5, 0.75, 1.0], 1200, p=[0.45, 0.25, 0.15, 0.1, 0.05])
    kind = 1 - random.choice([1.0, 0.75, 0.5], 1200, p=[0.8, 0.15, 0.05])  # mostly full marks, whatever the output

    inputs = Inputs("f", Judgment("1-5"), np.zeros(1200, np.intp), scores={"confidence": kind}, losses=losses)

    def standard_error(**options):
        """Neyman's formula where a stratum is like any other, beside that of simple random sampling."""
        strata = build(inputs, Request("rrs", 100, 3, options=options))
        drawn = np.bincount([draw.stratum for draw in strata.ask(100)])
        return math.sqrt((np.square(strata.design.stratum_sizes) / drawn).sum()) / 1200 * 10

    assert standard_error() < 1.02
    assert standard_error(trust=1.0) > 1.15


def test_a_plan_of_verdicts_stored_before_the_option_draws_as_it_did():
    random = np.random.default_rng(2)
    inputs = Inputs("f", Judgment(), np.zeros(200, np.intp), scores={"confidence": random.random(200)})
    request = Request("rrs", 30, 3)
    assert resolve(inputs, request)["options"]["trust"] == pytest.approx(2 / 3)
    stored = {"options": {"strata": 10, "even_share": 0.5}}
    before = RoundRobinStratification(inputs.scores["confidence"], True, budget=30, seed=3)
    assert [d.row for d in build(inputs, request, stored).ask(30)] == [d.row for d in before.ask(30)]
    assert [d.row for d in build(inputs, request).ask(30)] != [d.row for d in before.ask(30)]
