"""Votes whose labels are no class of the network."""

import numpy as np
import pytest

from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.planning.estimate import estimate_plan
from testimate.planning.labels_outside import with_labels_outside
from testimate.planning.parts import scores_of_classes, true_class
from testimate.planning.plan import Plan
from testimate.planning.votes import Votes
from testimate.tasks.classification import Classification, MultiLabel


def animals(size=200, classes=("bird", "cat", "dog")):
    """Inputs with a network's classes, and the truth: every fifth is a fox or an owl, every seventh another class."""
    predictions = np.arange(size) % len(classes)
    truth = [classes[(place + (row % 7 == 0)) % len(classes)] for row, place in enumerate(predictions)]
    truth = [("fox", "owl")[row % 2] if row % 5 == 0 else name for row, name in enumerate(truth)]
    return Inputs("f" * 32, Classification(classes), predictions, np.full(size, 0.8)), truth


def drawn(inputs):
    """A plan that draws every input at random."""
    selector = build(inputs, request := Request("srs", len(inputs), 1))
    return Plan(request, inputs.fingerprint, 1.0, selector.design, tuple(selector.ask(len(inputs))))


def read(votes, inputs, said=None, **answers):
    return with_labels_outside(votes, inputs, answers, "votes.csv", (said if said is not None else []).append)


def test_labels_of_all_inputs_give_the_accuracy_that_counts_unknown_classes_as_wrong():
    inputs, truth = animals()
    plan = drawn(inputs)
    votes = read(Votes("label", dict(enumerate(truth))), inputs)
    names = [inputs.task.classes[place] for place in inputs.predictions]
    assert estimate_plan(plan, votes, inputs, tell=print).estimate.accuracy == pytest.approx(
        np.mean(np.array(names) == truth)
    )


def test_labels_that_are_no_class_are_named_with_their_counts():
    inputs, said = animals()[0], []
    read(Votes("label", {0: "owl", 1: "cat", 2: "fox", 3: "owl", 4: "", 5: "dog"}), inputs, said)
    assert said == [
        "3 of 5 labels are no class of this network and count as wrong: owl 2, fox 1. To refuse such labels: --strict"
    ]


@pytest.mark.parametrize("label", ["Cat", "cat ", "ｃａｔ", "cats", "bidr", "brd"])
def test_label_that_is_nearly_a_class_is_asked_about_and_read_as_answered(label):
    inputs, votes = animals()[0], Votes("label", {0: label, 1: "cat", 2: "fox"})
    with pytest.raises(ReadingUnclear) as asked:
        read(votes, inputs)
    assert [way.option for way in asked.value.ways] == ["--read spelling=same", "--read spelling=different"]
    assert read(votes, inputs, spelling="same").cells[0] in inputs.task.classes
    assert read(votes, inputs, spelling="different").outside == {label, "fox"}


def test_labels_that_count_from_1_are_asked_about_and_lowered_by_one():
    inputs, votes = animals(classes=("0", "1", "2"))[0], Votes("label", {0: "3", 1: "1", 2: "2", 3: ""})
    with pytest.raises(ReadingUnclear):
        read(votes, inputs)
    assert read(votes, inputs, labels="from-1").cells == {0: "2", 1: "0", 2: "1", 3: ""}
    assert read(votes, inputs, labels="as-they-are").outside == {"3"}


def test_words_for_a_missing_label_are_refused_and_never_counted_as_wrong():
    inputs = animals()[0]
    votes = read(Votes("label", {0: "unknown", 1: "fox", 2: "cat"}), inputs)
    with pytest.raises(BadInput, match="unknown"):
        votes.verdicts(drawn(inputs).draws, inputs)


def test_votes_without_a_single_class_are_refused_as_those_of_something_else():
    inputs = animals()[0]
    with pytest.raises(BadInput, match="is a class of this network"):
        read(Votes("label", {row: f"animal {row}" for row in range(5000)}), inputs)


def test_set_with_a_member_that_is_no_class_counts_as_wrong():
    sets = Inputs("f" * 32, MultiLabel(("cat", "dog")), np.array([[1, 0], [0, 1], [1, 1]]), np.full(3, 0.8))
    plan = drawn(sets)
    votes = read(Votes("label", {0: "cat;owl", 1: "dog", 2: "dog|cat"}), sets)
    assert {one.draw.row: one.loss for one in votes.verdicts(plan.draws, sets)} == {0: 1.0, 1: 0.0, 2: 0.0}


def test_confusion_has_a_row_for_labels_outside_the_classes():
    inputs, truth = animals()
    plan = drawn(inputs)
    votes = read(Votes("label", dict(enumerate(truth))), inputs)
    scores = scores_of_classes(
        inputs.task,
        inputs.predictions,
        plan.design,
        votes.verdicts(plan.draws, inputs),
        votes.classes(inputs),
        technique="srs",
    )
    outside = [
        one.share.value for one in scores.confusion if true_class(one.true, inputs.task.classes) == "none of these"
    ]
    assert sum(outside) == pytest.approx(0.2)
