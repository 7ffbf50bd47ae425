"""Outputs judged on a scale: grades become losses, and what is not on the scale is refused in a sentence."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.tasks.question import checked_rubric, reason_needed
from testimate.tasks.verdict import Judgment, preferred, read_judge, scale_of
from tests.each import each


def test_partly_right_counts_half_and_each_grade_of_five_a_quarter():
    assert Judgment().losses([0, 0, 0], [0, 1, 2]).tolist() == [0.0, 0.5, 1.0]
    assert Judgment("1-5").losses([4] * 5, [4, 3, 2, 1, 0]).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_a_fault_is_partly_right_or_a_grade_of_three_or_less():
    assert Judgment().failed([0.0, 0.5, 1.0]).tolist() == [False, True, True]
    assert Judgment("1-5").failed([0.0, 0.25, 0.5]).tolist() == [False, False, True]


def test_of_two_systems_the_loss_says_who_won_whichever_side_stood_left():
    sides = Judgment("sides")
    for a_stands, left, tie, right in ((0, 0.0, 0.5, 1.0), (2, 1.0, 0.5, 0.0)):
        assert sides.losses([a_stands] * 3, [0, 1, 2]).tolist() == [left, tie, right]


@each("answer", [3, -1, True, 0.5, "right", None])
def test_a_grade_outside_the_scale_is_refused(answer):
    with pytest.raises(BadInput, match="not on the scale right, partly, wrong"):
        Judgment().check_answer(answer)


@each(("scale", "word"), [("right-partly-wrong", "maybe"), ("1-5", "6"), ("1-5", "0"), ("1-5", "4.5")])
def test_a_word_outside_the_scale_is_refused(scale, word):
    with pytest.raises(BadInput, match="is not on the scale"):
        Judgment(scale).place_of(word)


def test_there_is_no_other_scale():
    for scale in ("1-50", "5-1", "3-3", "0-10/9", "stars"):
        with pytest.raises(BadInput, match="right-partly-wrong, right-wrong, 1-5, sides, or numbers such as 0-10"):
            Judgment(scale)


@each(
    ("scale", "grades", "losses"),
    [
        ("1-3", [1, 2, 3], [1, 0.5, 0]),
        ("0-10", [0, 5, 10], [1, 0.5, 0]),
        ("1-4", [1, 4], [1, 0]),
        ("1-5/3", [1, 3.67, 5], [1, 1 / 3, 0]),
        ("0-1/2", [0, 0.5, 1], [1, 0.5, 0]),
    ],
)
def test_other_scales_of_numbers_are_kept_as_they_are(scale, grades, losses):
    task = Judgment(scale)
    places = [task.place_of(str(grade)) for grade in grades]
    np.testing.assert_allclose(task.losses([task.best] * len(places), places), losses, rtol=0, atol=1e-12)


@each(
    ("numbers", "scale"),
    [
        ([1, 2, 3], "1-3"),
        ([1, 4], "1-4"),
        ([0, 3, 9], "0-10"),
        ([1, 6], "1-7"),
        ([2, 3.67, 5], "1-5/3"),
        ([1.5, 4], "1-4/2"),
        ([0.25, 1], "0-1/4"),
        ([0.123, 0.9], None),
        ([-1, 1], None),
        ([1, 100], None),
    ],
)
def test_known_grades_say_on_which_scale_they_lie(numbers, scale):
    assert scale_of(numbers) == scale


@each(
    ("grade", "words"),
    [
        ("right", ["C", "yes", "Pass", "accept", "TRUE", "correct", "1", "1.0"]),
        ("partly", ["P", "Partial", "partially correct"]),
        ("wrong", ["I", "no", "FAIL", "reject", "False", "incorrect", "N", "0"]),
    ],
)
def test_grades_in_the_words_of_other_tools_are_understood(grade, words):
    assert {Judgment().answer_text(Judgment().place_of(word)) for word in words} == {grade}


@each(
    ("better", "words"),
    [
        (0, ["model_a", "A>B", "A>>B", "[[A]]", "a", "1", "1.0", "1.03", "Model A", "output_1", "response_A"]),
        (1, ["tie", "[[C]]", "A=B", "both bad", "tie (bothbad)", "both_bad", "1.5"]),
        (2, ["model_b", "B>A", "[[B]]", "2", "1.97", "output_2"]),
        (None, ["maybe", "3", ""]),
    ],
)
def test_preferences_in_the_words_of_other_tools_are_understood(better, words):
    assert {preferred(word) for word in words} == {better}


def test_a_reason_asked_for_where_a_fault_is_would_say_which_side_is_whose_so_it_is_asked_always():
    assert not reason_needed("faults", Judgment(), 0.0)
    assert reason_needed("faults", Judgment("sides"), 0.0)
    assert not reason_needed("never", Judgment("sides"), 1.0)


def test_the_question_fits_the_scale():
    assert [Judgment(scale).usual_question for scale in ("right-partly-wrong", "1-5", "sides")] == [
        "Is this output right?",
        "How good is this output?",
        "Which output is better?",
    ]


def test_a_rubric_too_long_to_stay_in_view_is_refused():
    assert checked_rubric("  right: true \n") == "right: true"
    with pytest.raises(BadInput, match=r"4,001 characters\. Expected at most 4,000"):
        checked_rubric("r" * 4001)


NONE = float("nan")


@each(
    ("given", "scale", "scores", "remark"),
    [
        ([1, 2, 5], "1-5", [0, 0.25, 1], None),
        ([0, 0.5, 1], "1-5", [0, 0.5, 1], "go from 0 to 1. They are read as 1 to 5."),
        ([1, 2, 5], "right-partly-wrong", [0, 0.25, 1], "go from 1 to 5. They are read as 0 to 1."),
        ([10, 20, 90], "right-partly-wrong", [0.1, 0.2, 0.9], "go from 0 to 100. They are read as 0 to 1."),
        ([2, 2, 2], "1-5", [0.25] * 3, "gives every output the same grade, so it saves no labels."),
        ([1, NONE, 5], "1-5", [0, NONE, 1], "graded 2 of 3 outputs."),
        ([1, 5] * 20 + [7], "1-5", [0, 1] * 20 + [NONE], "1 of the grades of 'judge' lies off the scale, such as 7."),
        ([0, 1, 1], "0-10", [0, 0.1, 0.1], None),
        ([0, 0.3, 1], "0-10", [0, 0.3, 1], "go from 0 to 1. They are read as 0 to 10."),
    ],
)
def test_a_judges_grades_are_read_by_the_peoples_scale_or_its_own_which_is_said(given, scale, scores, remark):
    found = read_judge("judge", np.array(given, dtype=float), scale)
    assert found.scores == pytest.approx(np.array(scores, dtype=float), nan_ok=True)
    assert (remark or "") in " ".join(found.remarks)
    assert bool(found.remarks) == bool(remark)


@each("given", [[-3, 2, 9], [120, 4000, 7], [NONE, NONE, NONE]])
def test_numbers_that_lie_on_no_scale_are_no_judges_grades(given):
    assert read_judge("judge", np.array(given, dtype=float), "1-5") is None
