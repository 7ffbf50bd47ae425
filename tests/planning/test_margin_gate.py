"""A gate that asks until it is decided: what counts first, in which order it asks, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.design import SimpleRandom
from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.estimate import is_complete
from testimate.planning.margin_gate import Margin, gains_of, gate_plan, margin_gate
from testimate.planning.plan import Plan, plan_of_json
from testimate.planning.reused_labels import LabeledPlan, reuse_labels
from testimate.tasks.classification import Classification
from tests.each import each

SIZE = 400
TASK = Classification(("a", "b", "c"))


@pytest.fixture(scope="module")
def versions():
    """True classes, and two versions that differ on 60 inputs: the new one gains 36 of them and loses 18."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, SIZE)
    old, new = truth.copy(), truth.copy()
    old[:36], new[36:54] = (truth[:36] + 1) % 3, (truth[36:54] + 1) % 3
    old[54:60], new[54:60] = (truth[54:60] + 1) % 3, (truth[54:60] + 2) % 3
    order = rng.permutation(SIZE)
    return truth[order], *(Inputs("f" * 32, TASK, said[order]) for said in (old, new))


def random_plan(count, seed=1):
    draws = tuple(Draw(int(row)) for row in np.random.default_rng(seed).permutation(SIZE)[:count])
    return Plan(Request("srs", count, seed), "f" * 32, 1.0, SimpleRandom((SIZE,), count), draws)


def labeled(plan, truth, count=None):
    rows = [draw.row for draw in plan.draws][: count or plan.request.budget]
    return LabeledPlan(plan, "label", {row: TASK.classes[truth[row]] for row in rows})


def gate_of(versions, plans, margin):
    _, old, new = versions
    return margin_gate(new, old, gains_of(plans, new, old), [one.plan for one in plans], margin)


def begun(versions, plans, margin, seed=1):
    _, old, new = versions
    made = gate_plan(gate_of(versions, plans, margin), new, old, gains_of(plans, new, old), random_plan(1), seed)
    return plan_of_json(made.to_json(), "the gate")


def test_a_gate_asks_all_differing_inputs_without_a_label_once_in_random_order(versions):
    truth, old, new = versions
    first = labeled(random_plan(100), truth)
    made, again, other = (begun(versions, [first], Margin(1), seed) for seed in (1, 1, 2))
    apart = set(np.flatnonzero(old.predictions != new.predictions).tolist())
    asked = [draw.row for draw in made.draws[: made.request.budget]]
    assert set(asked) == apart - set(first.votes)
    assert len(set(asked)) == len(asked)
    assert made.draws == again.draws != other.draws
    assert sum(made.design.stratum_sizes) == SIZE


def test_labels_of_a_random_sample_count_in_the_order_in_which_they_were_drawn(versions):
    truth, old, new = versions
    first = labeled(random_plan(100), truth)
    apart = [row for row in (draw.row for draw in first.plan.draws) if old.predictions[row] != new.predictions[row]]
    gate = gate_of(versions, [first], Margin(1))
    assert gate.order == tuple(apart)
    assert not len(gate.known)
    started = begun(versions, [first], Margin(1))
    continued = gate_of(versions, [first, labeled(started, truth, 5)], Margin(1))
    assert continued.order[: len(apart)] == tuple(apart)
    assert len(continued.gains) == len(apart) + 5


def test_labels_that_were_chosen_otherwise_are_known_and_leave_fewer_to_ask(versions):
    truth, _old, _new = versions
    chosen = replace(random_plan(100), request=Request("rrs", 100, 1), design=SimpleRandom((SIZE,), 100, True))
    gate = gate_of(versions, [labeled(chosen, truth)], Margin(1))
    assert len(gate.known)
    assert not len(gate.gains)
    assert gate.labeled + gate.left == 60
    passed_over = labeled(random_plan(100), truth)
    some = replace(passed_over, votes=dict(list(passed_over.votes.items())[1:]))
    assert not len(gate_of(versions, [some], Margin(1)).gains)


@each("points", [0.0, 1.0, 4.5])
def test_a_gate_labeled_to_its_end_says_what_is_true(versions, points):
    """Gained 36, lost 18: never worse. And the other way round it is worse by 18 inputs, exactly 4.5 points."""
    truth, old, new = versions
    for swapped, outcome in ((False, "pass"), (True, "pass" if points == 4.5 else "fail")):
        both = (truth, new, old) if swapped else versions
        plan = begun(both, [], Margin(points, 1e-6))
        assert gate_of(both, [labeled(plan, truth)], Margin(points, 1e-6)).outcome == outcome


def test_versions_that_predict_the_same_pass_without_a_label(versions):
    truth, old, _ = versions
    gate = gate_of((truth, old, old), [], Margin(0))
    assert gate.passed
    assert "No label is needed" in gate.why


def test_a_margin_above_the_share_that_differs_passes_at_once_and_says_why(versions):
    gate = gate_of(versions, [], Margin(15))
    assert gate.passed
    assert "cannot be worse" in gate.why
    assert not gate_of(versions, [], Margin(14.9)).passed


def test_a_margin_changed_after_the_first_label_is_refused(versions):
    truth, *_ = versions
    plan = begun(versions, [], Margin(2))
    with pytest.raises(BadInput, match="started with 2 points"):
        gate_of(versions, [labeled(plan, truth, 5)], Margin(1))


def test_an_early_end_of_a_gate_enters_no_interval_for_a_fixed_size(versions):
    truth, old, new = versions
    first = labeled(random_plan(100), truth)
    plan = begun(versions, [first], Margin(1))
    gate = labeled(plan, truth, 6)
    assert not is_complete(gate.plan, gate.votes)
    with_it, without = (reuse_labels(new, plans, old=old) for plans in ([first, gate], [first]))
    assert (with_it.headline, with_it.difference_headline) == (without.headline, without.difference_headline)
    assert with_it.estimate.low == without.estimate.low


def test_a_gate_that_is_begun_or_decided_has_no_second_plan(versions):
    truth, old, new = versions
    plan = labeled(begun(versions, [], Margin(2)), truth, 5)
    for gate in (gate_of(versions, [plan], Margin(2)), gate_of(versions, [], Margin(50))):
        with pytest.raises(BadInput, match="The gate"):
            gate_plan(gate, new, old, {}, random_plan(1), 1)


def test_votes_that_name_no_class_are_refused(versions):
    _, old, new = versions
    plan = begun(versions, [], Margin(2))
    votes = LabeledPlan(plan, "failed", {plan.draws[0].row: "1"})
    with pytest.raises(BadInput, match="label"):
        gains_of([votes], new, old)


def test_more_labels_are_expected_the_nearer_the_difference_is_to_the_margin(versions):
    better, same, half, worse = (one.labels for one in gate_of(versions, [], Margin(4)).expect())
    assert better.median < same.median < half.median
    assert (better.passed, worse.passed) == (1.0, 0.0)
    assert [one.points for one in gate_of(versions, [], Margin(0)).expect()] == [0.0]


@each("points, risk", [(-1, 0.05), (101, 0.05), (float("nan"), 0.05), (1, 0.5)])
def test_a_margin_or_risk_that_is_none_is_refused(points, risk):
    with pytest.raises(BadInput):
        Margin(points, risk)
