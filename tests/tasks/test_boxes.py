"""A detector's task: what an answer says of the boxes in a picture, and what is refused."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.tasks.boxes import MOST_MISSED, Boxes
from tests.each import each

HARBOR = Boxes(("ship", "light ship, red", "buoy"))


@each("answer", [[], [0], [-1], [-3, -3, -1, 0, 12], [-2, 4], [-1] * 40])
def test_an_answer_is_read_from_its_own_words(answer):
    task = Boxes(("ship", "boat 2", "buoy"))
    assert task.answer_of(task.answer_text(answer)) == task.check_answer(answer) == answer


def test_an_answer_may_come_in_any_order_and_case_and_one_class_needs_no_name():
    assert HARBOR.check_answer((2, -1, 0, -3)) == [-3, -1, 0, 2]
    assert HARBOR.answer_of("Missed BUOY 1; wrong 2") == [-3, 1]
    assert Boxes(("ship",)).answer_of("missed 2") == [-1, -1]


@each(
    ("answer", "found"),
    [
        (3, "cannot be used"),
        ("0", "cannot be used"),
        ([0, 0], "cannot be used"),
        ([-4], "cannot be used"),
        ([1.5], "cannot be used"),
        ([True], "cannot be used"),
        (None, "cannot be used"),
        ([-1] * (MOST_MISSED + 1), "1001 objects are said to be missed"),
    ],
)
def test_what_is_no_answer_is_refused_in_a_sentence(answer, found):
    with pytest.raises(BadInput, match=found):
        HARBOR.check_answer(answer)


@each("text", ["wrong 0", "wrong x", "missed whale 1", "missed ship", "wrong 301", "fine", "missed buoy 99999"])
def test_words_that_are_no_answer_say_where_they_cannot_be_read(text):
    with pytest.raises(BadInput, match="cannot be read at"):
        HARBOR.answer_of(text)


def test_a_box_that_the_picture_does_not_have_cannot_be_wrong():
    inputs = Inputs("f" * 32, HARBOR, np.array([[0, 2, -1], [-1, -1, -1]]))
    assert [inputs.loss(0, []), inputs.loss(0, [1]), inputs.loss(1, [-1])] == [0.0, 1.0, 1.0]
    for row, box in ((0, 2), (1, 0)):
        with pytest.raises(BadInput, match=f"box {box + 1} is wrong, and the picture has"):
            inputs.loss(row, [box])


def test_right_boxes_boxes_and_objects_are_counted_class_by_class():
    counts = HARBOR.counts([[0, 0, 2], [-1, -1, -1], [2, -1, -1]], {0: [-3, 1], 1: [-1, -1], 2: []})
    assert counts.boxes.tolist() == [[2, 0, 1], [0, 0, 0], [0, 0, 1]]
    assert counts.right.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 1]]
    assert counts.objects.tolist() == [[1, 0, 2], [2, 0, 0], [0, 0, 1]]
