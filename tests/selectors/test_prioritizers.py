"""The orders known before any label: by a score, by neuron patterns, by boxes around the training features."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.selectors import SELECTORS
from testimate.selectors.deepabstraction import ACCEPTED, REJECTED, UNCERTAIN, grown_clusters, monitor_verdicts
from testimate.selectors.neuron_pattern import familiarity
from testimate.selectors.optimum_allocation import by_class
from tests.each import each

BY_SCORE = {
    "deepgini": "gini",
    "entropy": "entropy",
    "margin": "margin",
    "confidence": "doubt",
    "dsa": "dsa",
    "lsa": "lsa",
}


def order_of(name, *, budget, seed=1, **needs):
    return [draw.row for draw in SELECTORS[name](**needs, budget=budget, seed=seed).ask(budget)]


@each("name", BY_SCORE)
def test_inputs_come_by_falling_score(name):
    scores = np.random.default_rng(1).normal(size=50)
    expected = sorted(range(50), key=lambda row: -scores[row])
    assert order_of(name, budget=50, **{BY_SCORE[name]: scores}) == expected
    assert order_of(name, budget=7, **{BY_SCORE[name]: scores}) == expected[:7]


@each("name", BY_SCORE)
def test_equal_scores_come_in_any_order_with_the_same_chance(name):
    scores = np.repeat([0.2, 0.7], 30)
    firsts = [order_of(name, budget=1, seed=seed, **{BY_SCORE[name]: scores})[0] for seed in range(300)]
    assert min(firsts) >= 30
    assert abs(np.mean(firsts) - 44.5) < 4 * np.sqrt((30**2 - 1) / 12 / 300)  # uniform on 30..59, 4 standard errors


@each("name", BY_SCORE)
def test_a_reason_names_the_score_and_the_place(name):
    first = SELECTORS[name](**{BY_SCORE[name]: [0.25, 0.5]}, budget=2, seed=1).ask(1)[0]
    assert first.reason.endswith("0.5, place 1 of 2")


# Four neurons after a ReLU. Class 0 fires the first two, class 1 the last two; class 7 was never predicted in training.
TRAINING = np.array([[2, 1, 0, 0]] * 9 + [[2, 0, 0, 3]] + [[0, 0, 1, 2]] * 10, dtype=np.float32)
TRAINED_AS = np.repeat([0, 1], 10)
INPUTS = np.array([[5, 1, 0, 0], [5, 0, 0, 0], [0, 0, 1, 1], [0, 0, 3, 9], [1, 1, 0, 0]], dtype=np.float32)
PREDICTED = np.array([0, 0, 0, 1, 7])


def test_familiarity_is_the_share_of_the_pattern_that_an_input_conforms_to():
    # Class 0: neurons 0 and 1 fire on 10 and 9 of 10, 2 and 3 on 0 and 1 of 10: all four are typical at 0.8.
    found = familiarity(by_class(INPUTS, PREDICTED, TRAINING, TRAINED_AS, None), 0.8)
    assert found.tolist() == [1.0, 0.75, 0.0, 1.0, 0.0]
    # At 0.95 neurons 1 and 3 are no part of the pattern.
    assert familiarity(by_class(INPUTS, PREDICTED, TRAINING, TRAINED_AS, None), 0.95)[1] == 1.0


def test_training_inputs_the_network_gets_wrong_make_no_pattern():
    losses = np.r_[np.zeros(10), np.ones(10)]  # whatever is predicted as class 1 is wrong
    assert familiarity(by_class(INPUTS, PREDICTED, TRAINING, TRAINED_AS, losses), 0.8)[3] == 0.0


def test_a_neuron_that_is_never_0_fires_above_its_mean():
    shift = 4.0  # as of a sigmoid: nothing is 0 or below, and the pattern is the same
    known = by_class(INPUTS + shift, PREDICTED, TRAINING + shift, TRAINED_AS, None)
    # Means 5, 4.45, 4.5 and 5.15: input 2's neuron 3 is at 5, below its mean, and so does as class 0's pattern has it.
    assert familiarity(known, 0.8).tolist() == [1.0, 0.75, 0.25, 1.0, 0.0]


def test_the_least_familiar_come_first():
    order = order_of(
        "neuron-pattern",
        features=INPUTS,
        classes=PREDICTED,
        training_features=TRAINING,
        training_classes=TRAINED_AS,
        budget=5,
    )
    assert set(order[:2]) == {2, 4}
    assert order[2] == 1
    assert set(order[3:]) == {0, 3}


# Training inputs of class 0 on a line: right ones in [0, 4], wrong ones in [3, 6].
LINE = np.array([[0.0], [4.0], [3.0], [6.0]], dtype=np.float32)
LOSSES = np.array([0.0, 0.0, 1.0, 1.0])
PLACES = np.array([[-1.0], [2.0], [3.5], [5.0], [7.0], [2.0]], dtype=np.float32)
KINDS = np.array([0, 0, 0, 0, 0, 3])


def boxes_order(**settings):
    return order_of(
        "deepabstraction",
        features=PLACES,
        classes=KINDS,
        gini=[0.1, 0.9, 0.3, 0.05, 0.5, 0.2],
        training_features=LINE,
        training_classes=np.zeros(4, dtype=np.intp),
        training_losses=LOSSES,
        budget=6,
        **settings,
    )


def test_the_monitor_rejects_what_no_box_of_the_right_kind_holds():
    known = by_class(PLACES, KINDS, LINE, np.zeros(4), LOSSES)
    expected = [REJECTED, ACCEPTED, UNCERTAIN, REJECTED, REJECTED, REJECTED]  # of class 3 training shows nothing
    assert monitor_verdicts(known, 1, REJECTED).tolist() == expected
    assert monitor_verdicts(known, 1, ACCEPTED).tolist() == [*expected[:3], ACCEPTED, *expected[4:]]


def test_rejected_come_before_uncertain_before_accepted_and_gini_orders_each():
    order = SELECTORS["deepabstraction"](
        PLACES, KINDS, [0.1, 0.9, 0.3, 0.05, 0.5, 0.2], LINE, np.zeros(4), LOSSES, budget=6, seed=1, clusters=1
    ).ask(6)
    assert [draw.row for draw in order] == [4, 5, 0, 3, 2, 1]
    assert [draw.reason.split()[0] for draw in order] == ["rejected"] * 4 + ["uncertain", "accepted"]


def test_more_clusters_make_tighter_boxes():
    assert boxes_order().index(1) < 4  # 0 and 4 are boxes of their own: 2 lies in none of them


def test_a_margin_widens_each_box_by_a_share_of_its_own_width():
    known = by_class(PLACES, KINDS, LINE, np.zeros(4), LOSSES)  # boxes 0 to 4 and 3 to 6
    assert monitor_verdicts(known, 1, REJECTED, 0.24)[[0, 3]].tolist() == [REJECTED, REJECTED]
    assert monitor_verdicts(known, 1, REJECTED, 0.25)[[0, 3]].tolist() == [ACCEPTED, UNCERTAIN]  # -1 to 5, 2.25 to 6.75


def test_tau_adds_boxes_only_as_long_as_each_takes_its_share_of_the_distances():
    three = np.repeat([[0.0, 0], [10, 0], [5, 1]], 20, axis=0) + np.random.default_rng(5).normal(0, 0.05, (60, 2))
    counts = [grown_clusters(three, most, tau).max() + 1 for most, tau in ((9, 0.99), (9, 0.5), (2, 0.5), (1, 0.5))]
    assert counts == [1, 3, 2, 1]  # the second cluster takes half or more, the third nearly all that is left


def test_boxes_do_not_depend_on_the_seed():
    rng = np.random.default_rng(3)
    training, places = rng.normal(size=(400, 5)), rng.normal(size=(100, 5))
    losses, gini = (rng.random(400) < 0.2).astype(float), rng.random(100)
    arguments = (places, np.zeros(100), gini, training, np.zeros(400), losses)
    first, second = (
        [draw.row for draw in SELECTORS["deepabstraction"](*arguments, budget=100, seed=seed).ask(100)]
        for seed in (1, 2)
    )
    assert first == second


LEARNERS = {"neuron-pattern": {}, "deepabstraction": {"gini": np.zeros(5)}}


@each("name", LEARNERS)
@each(
    ("change", "sentence"),
    [
        ({"training_features": TRAINING[:, :2]}, "4 wide and the training features 2"),
        ({"training_classes": TRAINED_AS[:3]}, "3 predicted classes of training inputs"),
        ({"training_losses": np.zeros(3)}, "3 training losses"),
        ({"classes": PREDICTED[:4]}, "4 predicted classes and 5"),
        ({"training_features": np.full((20, 4), np.nan)}, "nan"),
    ],
)
def test_training_data_that_does_not_fit_is_refused(name, change, sentence):
    known = {
        "features": INPUTS,
        "classes": PREDICTED,
        "training_features": TRAINING,
        "training_classes": TRAINED_AS,
        "training_losses": np.zeros(20),
        **LEARNERS[name],
    }
    with pytest.raises(BadInput, match=sentence):
        SELECTORS[name](**(known | change), budget=5, seed=1)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_training_set_of_other_classes_leaves_everything_unknown(name):
    selector = SELECTORS[name](
        features=INPUTS,
        classes=PREDICTED,
        training_features=TRAINING,
        training_classes=TRAINED_AS + 40,
        training_losses=np.zeros(20),
        **LEARNERS[name],
        budget=5,
        seed=1,
    )
    draws = selector.ask(5)
    assert sorted(draw.row for draw in draws) == [0, 1, 2, 3, 4]
    assert all("rejected" in draw.reason or "unfamiliarity 1," in draw.reason for draw in draws)


def boxes_warning(gini, losses):
    """Of 300 inputs, those in the box of training, from 100 to 300, and those outside, below 100."""
    inputs, training = np.arange(300.0)[:, None], np.linspace(100, 300, 50)[:, None]
    arguments = (inputs, np.zeros(300), gini, training, np.zeros(50), losses)
    return SELECTORS["deepabstraction"](*arguments, budget=300, seed=1, clusters=1).warning


def test_boxes_that_change_nothing_of_deepgini_say_so():
    enough = np.r_[np.ones(20), np.zeros(30)]
    same, other = np.linspace(0.9, 0, 300), np.linspace(0, 0.9, 300)
    assert boxes_warning(same, enough).startswith("30 of the first 30 inputs are also DeepGini's first. Expected boxes")
    assert boxes_warning(other, enough) == ""
    assert "shows 0 mistakes in 50 inputs" in boxes_warning(other, np.zeros(50))
