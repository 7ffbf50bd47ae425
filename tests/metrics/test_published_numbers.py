"""Every number that Al-Qadasi, Falcone and Bensalem print (AITest 2023, sections II and III), to the digit."""

import pytest

from testimate.metrics import apfd, atrc, fdro, rauc, sfdr, sfdr_curve, wfdr, wfdr_curve
from tests.each import each

EXAMPLE_3_A = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
EXAMPLE_3_B = [1, 0, 0, 1, 1, 1, 1, 1, 1, 1]
PROPERTY_2_A = [1, 1, 1, 1, 1, 1, 1, 0, 0, 0]
PROPERTY_2_B = [1, 0, 0, 0, 1, 1, 1, 1, 1, 1]
TABLE_2_IDEAL = [0.99, 0.90, 0.88, 0.81, 0.75, 0.70, 0.69, 0.62]


def percent(share: float) -> float:
    return round(100 * share, 2)


def test_example_1_gives_apfd_of_085_to_an_order_that_finds_nothing_within_the_budget():
    order = [0] * 100 + [1] * 100 + [0] * 800
    assert round(apfd(order), 2) == 0.85
    assert fdro(order) == 0


def test_example_2_gives_the_two_rauc_values_of_figure_1():
    # The orders are read off the sums 78 and 60 of 105: ten faults, a budget of 15.
    first = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    second = [1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert percent(rauc(first, size=100, faults=10, budget=15)) == 74.29
    assert percent(rauc(second, size=100, faults=10, budget=15)) == 57.14


@pytest.mark.parametrize(
    ("order", "by_rauc", "by_atrc", "by_fdro", "by_wfdr"),
    [(EXAMPLE_3_A, 81.82, 88.74, 60.0, 58.73), (EXAMPLE_3_B, 69.09, 66.42, 80.0, 79.05)],
)
def test_examples_3_and_5_agree_in_all_four_metrics(order, by_rauc, by_atrc, by_fdro, by_wfdr):
    known = {"size": 100, "faults": 10}
    assert percent(rauc(order, **known)) == by_rauc
    assert percent(atrc(order, **known)) == by_atrc
    assert percent(fdro(order, **known)) == by_fdro
    assert percent(wfdr(order, **known)) == by_wfdr


def test_example_5_prints_the_two_sums_of_wfdr():
    curve = wfdr_curve(EXAMPLE_3_A, size=100, faults=10)
    assert round(curve.actual[-1], 2) == 5.54
    assert round(curve.ideal[-1], 3) == 9.433
    assert round(wfdr_curve(EXAMPLE_3_B, size=100, faults=10).actual[-1], 3) == 7.456


@pytest.mark.parametrize("size", [14, 1000])
def test_example_4_is_blind_to_the_size_of_the_set(size):
    order = [1, 1, 1, 1, 0, 0, 0, 0]
    # The paper prints 77.22, a slip: the sums are 1 + 2 + 3 + 4 * 5 = 26 and 1 + ... + 8 = 36.
    assert rauc(order, size=size, faults=8) == pytest.approx(26 / 36)
    assert percent(rauc(order, size=size, faults=8)) == 72.22
    assert percent(atrc(order, size=size, faults=8)) == 81.73


def test_property_2_example_of_13_inputs_agrees_in_both_sums():
    ahead, behind = (wfdr_curve(order, size=13, faults=10) for order in (PROPERTY_2_A, PROPERTY_2_B))
    assert round(ahead.actual[-1], 2) == 2.19
    assert round(ahead.ideal[-1], 2) == 4.04
    assert round(behind.actual[-1], 3) == 0.231
    assert percent(wfdr(PROPERTY_2_A, size=13, faults=10)) == 54.21
    assert percent(wfdr(PROPERTY_2_B, size=13, faults=10)) == 5.71  # the paper divides rounded sums and prints 5.72


def test_example_5_has_the_weights_printed_in_property_2():
    weights = wfdr_curve(PROPERTY_2_B, size=13, faults=10).weights
    assert weights[:3] == pytest.approx([1 - 10 / 13, 1 - 9 / 12, 1 - 9 / 11])
    assert weights[4:] == pytest.approx([0.0] * 6)  # only faults are left: no difficulty


def test_table_1_agrees_step_by_step():
    steps = sfdr_curve(
        [1, 0, 1, 1, 1, 0],
        [0.99, 0.0, 0.91, 0.83, 0.64, 0.0],
        size=10,
        all_faults=[0.99, 0.91, 0.85, 0.83, 0.64, 0.24],
    )
    assert [round(step, 2) for step in steps] == [1.00, 0.25, 0.67, 0.75, 0.80, 0.33]


@each(
    ("order", "printed"),
    [
        ([0.90, 0.88, 0.81, 0.75, 0.70, 0.69, 0.62, 0.99], 80.09),
        ([0.99, 0.90, 0.88, 0.81, 0, 0, 0, 0], 65.86),
        ([0.75, 0.70, 0.69, 0.62, 0.99, 0.90, 0.88, 0.81], 36.55),
        ([0, 0, 0, 0, 0.99, 0.90, 0.88, 0.81], 18.27),
    ],
)
def test_table_2_agrees(order, printed):
    failed = [int(probability > 0) for probability in order]
    assert percent(sfdr(failed, order, size=100, all_faults=TABLE_2_IDEAL)) == printed


def test_property_1_wfdr_approaches_fdro_as_the_set_grows():
    for order in (EXAMPLE_3_A, EXAMPLE_3_B):
        goal = fdro(order, size=200, faults=10)
        gaps = [abs(goal - wfdr(order, size=size, faults=10)) for size in (14, 20, 50, 100, 200, 10_000)]
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[-1] < 1e-3


def test_property_2_of_two_orders_with_one_fdro_the_quicker_has_the_greater_wfdr_and_less_so_in_large_sets():
    leads = [
        wfdr(PROPERTY_2_A, size=size, faults=10) - wfdr(PROPERTY_2_B, size=size, faults=10)
        for size in (13, 20, 40, 100, 1000)
    ]
    assert all(lead > 0 for lead in leads)
    assert leads == sorted(leads, reverse=True)
