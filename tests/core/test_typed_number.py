"""The numbers that testers type: the same table is read by the browser."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from testimate.core.errors import BadInput
from testimate.core.words import number_in_full, read_number
from testimate.tasks.regression import Regression
from tests.each import each

CASES = json.loads((Path(__file__).parents[1] / "ui" / "typed_numbers.json").read_text(encoding="utf-8"))


@each("typed", CASES)
def test_a_number_is_read_or_refused_as_the_table_says(typed):
    expected = CASES[typed]
    if not isinstance(expected, str):
        assert read_number(typed) == expected
        return
    with pytest.raises(BadInput) as refusal:
        read_number(typed)
    assert expected in str(refusal.value)
    assert str(refusal.value).count(". ") >= 1  # what was found, and what to do


def test_four_hundred_digits_are_refused_in_a_sentence_of_ordinary_length():
    with pytest.raises(BadInput) as refusal:
        read_number("9" * 400)
    assert str(refusal.value) == "400 characters are typed; a number has at most 40. Type it shorter."


@given(st.floats(-(2.0**53) + 1, 2.0**53 - 1))
def test_what_is_shown_in_full_is_read_as_the_same_number(number):
    assert read_number(number_in_full(number)) == number


@given(st.text(alphabet="0123456789.,-+eE \u202f\u2212xf", max_size=12))
def test_whatever_is_typed_is_a_number_the_task_takes_or_a_refusal(typed):
    try:
        number = read_number(typed)
    except BadInput:
        return
    assert Regression(tolerance=0.1).check_answer(number) == number


@each(
    ("number", "words"),
    [
        (0, "0"),
        (-0.0, "0"),
        (999, "999"),
        (1234, "1\u202f234"),
        (-1234567.25, "-1\u202f234\u202f567.25"),
        (1e-7, "1e-7"),
    ],
)
def test_a_number_is_shown_with_all_its_digits(number, words):
    assert number_in_full(number) == words
    assert number_in_full(number, "USD") == f"{words} USD"
