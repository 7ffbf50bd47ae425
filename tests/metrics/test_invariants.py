"""What holds for every order: bounds, the ideal order, and agreement with the definitions spelled out."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from testimate.metrics import atrc, fdro, rauc, sfdr, wfdr

outcomes = st.lists(st.booleans(), min_size=2, max_size=30).filter(lambda order: any(order) and not all(order))
judged = st.lists(st.tuples(st.booleans(), st.integers(0, 100)), min_size=2, max_size=25).filter(
    lambda order: any(failed for failed, _ in order)
)


def level_of(hundredths: int) -> int:
    """The severity level in whole numbers, where nothing rounds."""
    return min(hundredths // 10 + 1, 10)


def sfdr_by_multisets(order: list[tuple[bool, int]]) -> Fraction:
    """Eq. 7 with counters, one step at a time, in fractions."""
    shown = [level_of(hundredths) if failed else 0 for failed, hundredths in order]
    ideal = sorted((level for level in shown if level), reverse=True)
    total = Fraction(0)
    for i in range(1, len(ideal) + 1):
        shared = sum((Counter(ideal[:i]) & Counter(shown[:i])).values())
        total += Fraction(shared, i) * (Fraction(1, 2) if shown[i - 1] == 0 else 1)
    return total / len(ideal)


def wfdr_by_steps(order: list[bool]) -> Fraction:
    """Eq. 4-6, one step at a time, in fractions."""
    n, m, found = len(order), sum(order), 0
    actual = ideal = Fraction(0)
    for i in range(1, m + 1):
        if order[i - 1]:
            actual += 1 - Fraction(m - found, n - (i - 1))
            found += 1
        ideal += Fraction(n - m, n - i + 1)
    return actual / ideal


@given(judged)
def test_sfdr_is_the_mean_of_multiset_intersections(order):
    failed, probability = [f for f, _ in order], [hundredths / 100 for _, hundredths in order]
    assert sfdr(failed, probability) == pytest.approx(float(sfdr_by_multisets(order)), abs=1e-12)


@given(outcomes)
def test_wfdr_is_its_definition_step_by_step(order):
    assert wfdr(order) == pytest.approx(float(wfdr_by_steps(order)), abs=1e-12)


@given(outcomes, st.data())
def test_every_metric_lies_between_0_and_1_at_every_budget(order, data):
    budget = data.draw(st.integers(1, len(order)))
    for metric in (fdro, rauc, atrc, wfdr):
        assert 0 <= metric(order, budget=budget) <= 1


@given(judged, st.data())
def test_sfdr_lies_between_0_and_1_at_every_budget(order, data):
    budget = data.draw(st.integers(1, len(order)))
    assert 0 <= sfdr([f for f, _ in order], [h / 100 for _, h in order], budget=budget) <= 1


@given(outcomes, st.data())
def test_an_order_with_all_faults_first_is_worth_1_at_every_budget(order, data):
    budget = data.draw(st.integers(1, len(order)))
    ideal = sorted(order, reverse=True)
    for metric in (fdro, rauc, atrc, wfdr):
        assert metric(ideal, budget=budget) == 1


@given(judged)
def test_faults_by_falling_severity_are_worth_an_sfdr_of_1_and_no_other_order_more(order):
    best = sorted(order, key=lambda input_: (input_[0], input_[1]), reverse=True)
    assert sfdr([f for f, _ in best], [h / 100 for _, h in best]) == 1


@given(outcomes)
def test_moving_a_fault_ahead_of_a_correct_input_never_lowers_wfdr(order):
    for place in range(1, len(order)):
        if order[place] and not order[place - 1]:
            better = [*order[: place - 1], True, False, *order[place + 1 :]]
            assert wfdr(better) >= wfdr(order) - 1e-12
