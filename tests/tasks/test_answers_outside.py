"""Answers that are none of the classes: what they mean, how they are stored, written and compared."""

import unicodedata

import numpy as np
import pytest

from testimate.core.class_index import UNKNOWN
from testimate.core.errors import BadInput
from testimate.tasks.classification import Classification, MultiLabel
from tests.each import each
from tests.sentences import three_parts

ANIMALS = Classification(("cat", "dog", "Café"))
SETS = MultiLabel(("cat", "dog"))


@each(
    ("typed", "stored"),
    [
        ("fox", "fox"),
        ("  Gray \t fox ", "Gray fox"),
        ("", ""),
        ("CAT", 0),
        (" dog ", 1),
        (unicodedata.normalize("NFD", "café"), 2),
        ("unknown", ""),  # a votes file takes this word for a label that lacks
        ("None of these", ""),
    ],
)
def test_a_name_equal_to_a_class_is_the_class_and_any_other_stays(typed, stored):
    assert ANIMALS.stored_answer(typed) == stored


@each("name", ["a" * 101, "two\nli\x00nes", "a\u202egnp"])
def test_a_name_that_is_too_long_or_does_not_show_is_refused(name):
    with pytest.raises(BadInput) as refused:
        ANIMALS.stored_answer(name)
    assert three_parts(str(refused.value))


def test_none_of_these_is_wrong_whatever_is_predicted_first_or_among_several():
    answers = [ANIMALS.check_answer("fox"), ANIMALS.check_answer("")]
    assert answers == [UNKNOWN, UNKNOWN]
    assert ANIMALS.losses([0, 2], answers).tolist() == [1.0, 1.0]
    two = Classification(ANIMALS.classes, top_k=2)
    assert two.losses([[0, 1]], [UNKNOWN]).tolist() == [1.0]
    assert ANIMALS.losses([-1], [UNKNOWN]).tolist() == [1.0]  # a model's class that the task lacks is no better


def test_a_set_with_something_else_in_it_is_wrong_even_if_its_classes_are_right():
    predicted = np.array([[1, 0], [1, 0], [0, 0]])
    checked = [SETS.check_answer(answer) for answer in ([0], [0, "fox"], [""])]
    assert SETS.losses(predicted, checked).tolist() == [0.0, 1.0, 1.0]
    assert SETS.losses(predicted, np.array([[1, 0], [1, 0], [0, 0]])).tolist() == [0.0, 0.0, 0.0]


def test_a_set_keeps_its_classes_in_order_then_names_without_an_empty_one():
    assert SETS.stored_answer([1, "", "owl, Cat; fox"]) == [0, 1, "fox", "owl"]
    assert SETS.stored_answer([""]) == [""]
    assert SETS.stored_answer([]) == []


@each(
    ("task", "answer"),
    [(ANIMALS, "fox"), (ANIMALS, ""), (ANIMALS, 1), (SETS, [0, "fox", "owl"]), (SETS, [""]), (SETS, [0]), (SETS, [])],
)
def test_an_answer_outside_comes_back_from_what_is_written_in_full(task, answer):
    assert task.written_answer(task.answer_text(answer, in_full=True), 1) == answer
    if answer != []:
        assert task.answer_named(task.answer_names(answer)) == answer


def test_the_words_for_none_of_these_are_never_the_name_of_a_class():
    assert Classification(("None of these",)).answer_text("") == "none of the classes"
    assert MultiLabel(("something else",)).answer_text([""]) == "something unknown"


def test_testers_who_say_none_of_these_agree_and_the_commonest_name_stands():
    answers = [0, "owl", "fox", "", "fox"]
    agreeing = ANIMALS.agreeing(answers)
    assert agreeing == [1, 2, 3, 4]
    assert ANIMALS.settled([answers[place] for place in agreeing]) == "fox"
    assert ANIMALS.same_answer("fox", "")
    sets = [[0, ""], [0, "fox"], [0]]
    assert SETS.agreeing(sets) == [0, 1]
    assert SETS.settled(sets[:2]) == [0, "fox"]
