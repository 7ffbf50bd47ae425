"""A wrong order of classes is found, and a model that is merely bad is not taken for one, by seeded simulation."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from testimate.subjects.class_order import find_exchanged_classes
from tests.each import each


def names(count):
    return [f"c{place}" for place in range(count)]


def said_by(confusion, truth, rng):
    """A prediction for each true class, drawn from its row of the confusion matrix."""
    chance = rng.random(len(truth))[:, None]
    return np.minimum((chance > np.cumsum(confusion, axis=1)[truth]).sum(axis=1), len(confusion) - 1)


def model(classes, accuracy, rng):
    """The confusion matrix of a model that is right so often, its errors spread unevenly."""
    spread = rng.dirichlet(np.ones(classes), size=classes) * 0.5 + 0.5 / classes
    confusion = accuracy * np.eye(classes) + (1 - accuracy) * spread
    return confusion / confusion.sum(axis=1, keepdims=True)


def false_alarms(make, classes, times):
    """How many of that many sets of labels and predictions are said to be in another order."""
    rng = np.random.default_rng(classes)
    return sum(find_exchanged_classes(*make(rng), names(classes)) is not None for _ in range(times))


@each(("classes", "count", "times"), [(2, 60, 200), (3, 300, 200), (10, 300, 100), (100, 1_000, 20)])
def test_a_network_that_guesses_is_never_said_to_be_in_another_order(classes, count, times):
    def even(rng):
        return rng.integers(0, classes, count), rng.integers(0, classes, count)

    def uneven(rng):
        return rng.integers(0, classes, count), rng.choice(classes, count, p=rng.dirichlet(np.ones(classes)))

    assert false_alarms(even, classes, times) == 0
    assert false_alarms(uneven, classes, times) == 0


def test_the_best_order_of_guesses_among_many_classes_looks_far_better_and_is_not_reported():
    rng = np.random.default_rng(4)
    truth, said = rng.integers(0, 1_000, 1_000), rng.integers(0, 1_000, 1_000)
    counts = np.zeros((1_000, 1_000))
    np.add.at(counts, (truth, said), 1)
    best = counts[linear_sum_assignment(counts, maximize=True)].sum() / 1_000
    assert best > 0.4, "on the inputs it was found on, the assignment fits the guesses"
    assert find_exchanged_classes(truth, said, names(1_000)) is None


def test_of_two_classes_the_mirror_image_is_shown_where_it_is_right_more_often():
    truth, said = np.repeat([0, 1], [43, 157]), np.zeros(200, dtype=np.intp)
    found = find_exchanged_classes(truth, said, ("no", "yes"))
    assert found is not None
    assert (found.right, found.right_then, found.names) == (43 / 200, 157 / 200, ("yes", "no"))
    assert find_exchanged_classes(1 - truth, said, ("no", "yes")) is None


@each("classes", [3, 5, 10])
def test_a_network_that_says_one_or_few_of_its_outputs_is_bad_and_not_in_another_order(classes):
    def one(rng):
        prior = rng.dirichlet(np.ones(classes))
        return rng.choice(classes, 300, p=prior), np.full(300, rng.integers(classes))

    def few(rng):
        common = 0.7 * rng.dirichlet(np.full(classes, 0.3)) + 0.3 * rng.dirichlet(np.full(classes, 0.3), size=classes)
        truth = rng.choice(classes, 300, p=rng.dirichlet(np.full(classes, 3.0)))
        return truth, said_by(0.9 * common + 0.1 * np.eye(classes), truth, rng)

    assert false_alarms(one, classes, 100) == 0
    assert false_alarms(few, classes, 200) <= 4


@each("accuracy", [0.3, 0.5, 0.7])
@each("classes", [3, 10, 50])
def test_a_poor_model_in_the_right_order_stays_in_it(classes, accuracy):
    def poor(rng):
        truth = rng.integers(0, classes, 500)
        return truth, said_by(model(classes, accuracy, rng), truth, rng)

    assert false_alarms(poor, classes, 50) == 0


def test_two_classes_that_are_mistaken_for_each_other_are_not_exchanged_unless_they_are():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 10, 1_000)
    confusion = 0.9 * np.eye(10) + 0.01
    confusion[4, [4, 9]], confusion[9, [4, 9]] = (0.4, 0.51), (0.51, 0.4)
    assert find_exchanged_classes(truth, said_by(confusion, truth, rng), names(10)) is None
    confusion[4, [4, 9]], confusion[9, [4, 9]] = (0.01, 0.9), (0.9, 0.01)
    found = find_exchanged_classes(truth, said_by(confusion, truth, rng), names(10))
    assert found.pairs == (("c4", "c9"),)
    assert "with c4 and c9 exchanged" in found.sentence


@each(
    ("classes", "accuracy", "count"),
    [(2, 0.785, 60), (2, 0.785, 1_000), (3, 0.6, 300), (10, 0.45, 300), (10, 0.98, 60), (100, 0.6, 1_000)],
)
def test_a_wrong_order_is_found_and_is_the_right_one(classes, accuracy, count):
    rng, found = np.random.default_rng(classes), 0
    for _ in range(20):
        truth = rng.integers(0, classes, count)
        said = said_by(model(classes, accuracy, rng), truth, rng)
        order = np.roll(np.arange(classes), 1) if classes < 4 else rng.permutation(classes)
        exchanged = find_exchanged_classes(order[truth], said, names(classes))
        if exchanged is None:
            continue
        found += 1
        listed = np.array([exchanged.names.index(f"c{place}") for place in range(classes)])
        assert exchanged.right_then == pytest.approx(np.mean(listed[order[truth]] == said))
        assert exchanged.right_then >= np.mean(truth == said) - 0.12  # a small cycle may stay
    assert found >= 18


def test_the_preprocessing_with_which_it_is_so_is_named():
    truth = np.arange(200) % 2
    exchanged = find_exchanged_classes(
        truth, 1 - truth, ("a", "b"), now=np.zeros(200, np.intp), tests=6, prepared="0 to 1"
    )
    assert exchanged.sentence == (
        "50.0% right; with a and b exchanged and the inputs prepared as '0 to 1' 100.0% (of 200 labeled inputs)"
    )
