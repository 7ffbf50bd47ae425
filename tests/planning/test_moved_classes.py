"""Accuracy by predicted class under two versions: from labels of all inputs exactly, from a sample as often as promised."""

import numpy as np
import pytest

from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.changed_sets import FEWEST, moved_classes
from testimate.planning.plan import Plan
from testimate.planning.reused_labels import LabeledPlan
from testimate.studies.campaign import label
from testimate.tasks.classification import Classification

SIZE, CLASSES = 3000, ("a", "b", "c")
TRUTH = np.random.default_rng(1).choice(3, SIZE, p=[0.5, 0.3, 0.2])


def version(seed: int, wrong: tuple[float, float, float]) -> Inputs:
    """A model that takes so large a share of each class for the next one, and is less sure there."""
    rng = np.random.default_rng(seed)
    failed = rng.random(SIZE) < np.array(wrong)[TRUTH]
    sure = np.where(failed, rng.uniform(0.4, 0.9, SIZE), rng.uniform(0.6, 1, SIZE))
    return Inputs(
        f"{seed}",
        Classification(CLASSES),
        np.where(failed, (TRUTH + 1) % 3, TRUTH),
        sure,
        scores={"confidence": 1 - sure},
    )


OLD, NEW = version(1, (0.05, 0.05, 0.05)), version(2, (0.05, 0.05, 0.45))


def labeled(technique: str, budget: int, seed: int) -> LabeledPlan:
    losses, request = (OLD.predictions != TRUTH).astype(float), Request(technique, budget, seed)
    made = label(OLD, request, losses)
    draws = tuple(one.draw for one in made.verdicts)
    votes = {draw.row: CLASSES[TRUTH[draw.row]] for draw in draws}
    return LabeledPlan(Plan(request, OLD.fingerprint, 1.0, made.design, draws), "label", votes)


def right(inputs: Inputs, place: int) -> float:
    there = inputs.predictions == place
    return float((TRUTH[there] == place).mean())


def test_labels_of_every_input_give_each_class_s_accuracy_and_change_exactly():
    found = {one.name: one for one in moved_classes(OLD, NEW, [labeled("srs", SIZE, 1)])}
    for place, name in enumerate(CLASSES):
        assert found[name].before.estimate.accuracy == pytest.approx(right(OLD, place))
        assert found[name].now.estimate.accuracy == pytest.approx(right(NEW, place))
        assert found[name].change == pytest.approx(right(NEW, place) - right(OLD, place))
        assert found[name].before.inputs == (OLD.predictions == place).sum()


def test_the_class_that_got_worse_is_found_first_and_every_range_holds_the_true_change():
    found = moved_classes(OLD, NEW, [labeled("rrs", 400, 3)])
    # what was c is now taken for a, so that of what is called a less is right
    assert (found[0].name, found[0].moved) == ("a", True)
    assert found[0].range.high < 0
    for one in found:
        place = CLASSES.index(one.name)
        assert one.range.low < right(NEW, place) - right(OLD, place) < one.range.high


def test_a_class_with_few_labels_has_its_count_and_no_number():
    found = {one.name: one for one in moved_classes(OLD, NEW, [labeled("srs", 30, 2)])}
    few = [one for one in found.values() if min(one.before.labeled, one.now.labeled) < FEWEST]
    assert few
    assert all(one.change is None and not one.moved for one in few)
    assert all(one.before.labeled > 0 for one in few)


def test_a_small_top_up_that_drew_none_of_a_class_leaves_its_number():
    first, second = labeled("rrs", 300, 1), labeled("srs", 2, 5)
    missing = set(range(3)) - {int(OLD.predictions[row]) for row in second.votes}
    found = {one.name: one for one in moved_classes(OLD, NEW, [first, second])}
    alone = {one.name: one for one in moved_classes(OLD, NEW, [first])}
    assert missing
    assert all(found[CLASSES[place]].before == alone[CLASSES[place]].before for place in missing)


@pytest.mark.parametrize("technique", ["rrs", "rra"])
def test_intervals_of_classes_hold_and_a_class_that_did_not_move_is_seldom_said_to(technique):
    held, said, same = [], 0, version(3, (0.05, 0.05, 0.05))
    for seed in range(15):
        for one in moved_classes(OLD, same, [labeled(technique, 200, seed)]):
            place = CLASSES.index(one.name)
            for inputs, found in ((OLD, one.before), (same, one.now)):
                if found.estimate is not None:
                    held.append(found.estimate.low <= right(inputs, place) <= found.estimate.high)
            said += one.moved
    assert len(held) > 80
    assert np.mean(held) > 0.93
    assert said <= 2
