from testimate.ui.components.labeling_surface.class_keys import class_keys
from tests.each import each


@each("count", [1, 2, 9, 10, 11, 15, 32, 33, 100])
def test_no_key_answers_two_classes_nor_takes_a_key_that_does_something_else(count):
    keys = [key for key in class_keys([f"class {place}" for place in range(count)]) if key]
    assert len(set(keys)) == len(keys) == min(count, 32)  # ten digits, and 26 letters without c, r, s and f
    assert not set(keys) & set("crsf")


def test_ten_digits_are_answered_with_their_own_keys():
    assert class_keys([str(digit) for digit in (3, 1, 4, 0, 5, 9, 2, 6, 8, 7)]) == tuple("3140592687")


def test_fifteen_classes_take_the_digits_in_the_order_of_the_keyboard_and_then_letters():
    assert class_keys([f"kind {place}" for place in range(15)]) == tuple("1234567890abdeg")


def test_letters_keep_their_own_keys_but_for_those_taken():
    keys = dict(zip("abcdefghijklmnopqrstuvwxyz", class_keys("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), strict=True))
    assert {letter: key for letter, key in keys.items() if letter != key} == {"c": "1", "f": "2", "r": "3", "s": "4"}


def test_two_names_alike_but_for_case_do_not_share_a_key():
    assert class_keys(["a", "A"]) == ("a", "1")
