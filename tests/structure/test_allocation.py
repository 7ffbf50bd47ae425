from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from testimate.core.errors import BadInput
from testimate.structure.strata import _soonest_due_first, interleave, neyman, proportional
from tests.each import each


def variance(allocation, sizes, spreads):
    """Of the stratified total: sum N_h^2 s_h^2 / n_h (Cochran 1977, eq. 5.6 without its constant part)."""
    return sum((size * spread) ** 2 / n for n, size, spread in zip(allocation, sizes, spreads, strict=True) if spread)


def every_allocation(sizes, budget, minimum):
    ranges = [range(min(minimum, size), size + 1) for size in sizes]
    return [draws for draws in product(*ranges) if sum(draws) == budget]


def deviation(order, allocation):
    """The largest distance of any prefix from its exact share."""
    shares = np.asarray(allocation) / sum(allocation)
    given_out = np.cumsum(np.eye(len(shares))[np.asarray(order)], axis=0)
    return np.abs(given_out - np.outer(np.arange(1, len(order) + 1), shares)).max()


def test_neymans_formula_holds_where_no_bound_applies():
    sizes, spreads = np.array([5000, 3000, 1500, 500]), np.array([0.1, 0.2, 0.4, 0.5])
    exact = 195 * sizes * spreads / (sizes * spreads).sum()  # 50, 60, 60, 25
    assert neyman(sizes, spreads, 195).tolist() == exact.round(9).tolist()


@each("seed", range(12))
def test_the_variance_is_within_rounding_of_the_least_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    sizes, spreads = rng.integers(2, 15, size=4), rng.choice([0.05, 0.3, 1.0, 3.0], size=4)
    budget = int(rng.integers(8, sizes.sum() + 1))
    found = neyman(sizes, spreads, budget)
    allocations = every_allocation(sizes.tolist(), budget, 2)
    assert tuple(found.tolist()) in allocations
    best = min(variance(draws, sizes, spreads) for draws in allocations)
    assert variance(found, sizes, spreads) <= 1.05 * best


@each("seed", range(10))
def test_the_bounds_are_met_as_in_scipys_convex_optimum(seed):
    rng = np.random.default_rng(seed)
    sizes, spreads = rng.integers(5, 200, size=5), rng.uniform(0.01, 1, size=5)
    budget = int(rng.integers(15, sizes.sum()))
    optimum = minimize(
        lambda n: variance(n, sizes, spreads) / 1e3,
        np.clip(budget * sizes / sizes.sum(), 2, sizes),
        bounds=[(2, size) for size in sizes],
        constraints={"type": "eq", "fun": lambda n: n.sum() - budget},
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    found = neyman(sizes, spreads, budget)
    assert variance(found, sizes, spreads) <= variance(optimum.x, sizes, spreads) * 1.03
    assert np.abs(found - optimum.x).max() < 1.5


@given(
    st.lists(st.tuples(st.integers(0, 60), st.one_of(st.just(0.0), st.floats(1e-300, 1e6))), min_size=1, max_size=12),
    st.floats(0, 1),
    st.integers(0, 5),
)
def test_every_allocation_spends_the_budget_and_keeps_its_bounds(strata, share, minimum):
    sizes, spreads = (np.array(column) for column in zip(*strata, strict=True))
    budget = int(share * sizes.sum())
    found = neyman(sizes, spreads, budget, minimum=minimum)
    assert found.sum() == budget
    assert (found >= 0).all()
    assert (found <= sizes).all()
    for level in range(minimum, -1, -1):  # the highest minimum the budget holds
        floor = np.minimum(level, sizes)
        if floor.sum() <= budget:
            assert (found >= floor).all()
            break


def test_strata_without_spread_get_the_minimum_and_the_rest_only_when_others_are_taken_whole():
    assert neyman([100, 100, 100], [0.0, 1.0, 0.0], 50).tolist() == [2, 46, 2]
    assert neyman([100, 10, 300], [0.0, 1.0, 0.0], 50).tolist() == [10, 10, 30]


def test_without_any_spread_the_allocation_is_proportional():
    np.testing.assert_array_equal(neyman([600, 300, 100], [0, 0, 0], 50), [30, 15, 5])
    np.testing.assert_array_equal(neyman([600, 300, 100], [0, 0, 0], 50), proportional([600, 300, 100], 50))


def test_the_minimum_gives_way_where_the_budget_is_short():
    sizes, spreads = [100, 100, 100, 100], [4.0, 3.0, 2.0, 1.0]
    assert neyman(sizes, spreads, 8).tolist() == [2, 2, 2, 2]
    assert neyman(sizes, spreads, 5).tolist() == [2, 1, 1, 1]
    assert neyman(sizes, spreads, 3).tolist() == [1, 1, 1, 0]
    assert neyman(sizes, spreads, 0).tolist() == [0, 0, 0, 0]


def test_each_stratum_may_have_a_minimum_of_its_own():
    assert neyman([100, 100], [1.0, 0.0], 50, minimum=[10, 10]).tolist() == [40, 10]
    assert neyman([100, 3, 100], [1.0, 1.0, 1.0], 60, minimum=[10, 10, 45]).tolist() == [12, 3, 45]


def test_the_largest_remainder_gets_the_odd_draw_and_ties_go_to_the_lowest_stratum():
    assert proportional([53, 24, 23], 10).tolist() == [5, 3, 2]  # 5.3, 2.4, 2.3
    assert proportional([10, 10, 10], 4).tolist() == [2, 1, 1]


@each(
    ("sizes", "spreads", "budget"),
    [
        ([10, 10], [1.0], 5),
        ([10, 10], [1.0, -1.0], 5),
        ([10, 10], [1.0, np.nan], 5),
        ([10, -1], [1.0, 1.0], 5),
        ([10.5, 2.0], [1.0, 1.0], 5),
        ([], [], 0),
        ([10, 10], [1.0, 1.0], 21),
        ([10, 10], [1.0, 1.0], -1),
        ([10, 10], [1.0, 1.0], 2.5),
    ],
)
def test_what_cannot_be_allocated_is_refused(sizes, spreads, budget):
    with pytest.raises(BadInput):
        neyman(sizes, spreads, budget)


def test_no_order_of_the_draws_keeps_its_prefixes_nearer_but_by_a_little():
    allocations = [a for a in product(range(5), repeat=3) if 1 <= sum(a) <= 7] + [(1, 1, 1, 4), (1, 2, 2, 2)]
    for allocation in allocations:
        draws = np.repeat(np.arange(len(allocation)), allocation)
        best = min(deviation(order, allocation) for order in set(permutations(draws.tolist())))
        found = interleave(allocation)
        assert sorted(found) == draws.tolist(), allocation
        strata = np.count_nonzero(allocation)
        promised = max(best, 1 - 1 / (2 * strata - 2) if strata > 1 else 0)
        assert deviation(found, allocation) <= min(promised, best + 0.1) + 1e-12, allocation


@given(st.lists(st.integers(0, 60), min_size=1, max_size=15))
def test_every_prefix_is_nearer_the_allocation_than_one_draw(allocation):
    order = interleave(allocation)
    np.testing.assert_array_equal(np.bincount(order, minlength=len(allocation)), allocation)
    strata = np.count_nonzero(allocation)
    if strata > 1:
        assert deviation(order, allocation) <= 1 - 1 / (2 * strata - 2) + 1e-9


def test_tijdemans_order_is_taken_where_the_stratum_farthest_behind_breaks_the_promise():
    rng = np.random.default_rng(0)
    taken = 0
    for _ in range(100):
        allocation = rng.integers(1, 20, size=10)
        order, fallback = interleave(allocation), _soonest_due_first(allocation)
        assert deviation(fallback, allocation) <= 1 - 1 / 18 + 1e-9
        taken += bool((order == fallback).all())
        assert deviation(order, allocation) <= 1 - 1 / 18 + 1e-9
    assert 0 < taken < 100


@each("allocation", [[], [-1, 2], [1.5], [[1]]])
def test_draws_that_are_not_counts_are_refused(allocation):
    with pytest.raises(BadInput):
        interleave(allocation)
