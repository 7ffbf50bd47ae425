import re
from pathlib import Path

import pytest

from testimate.core.words import class_order
from testimate.ui.components.labeling_surface.class_keys import ACTIONS, TABLE, action_keys, class_keys
from tests.each import each


@each("count", [1, 2, 9, 10, 11, 15, 31, 32])
def test_no_key_answers_two_classes_nor_takes_a_key_that_does_something_else(count):
    keys = [key for key in class_keys([f"class {place}" for place in range(count)]) if key]
    assert len(set(keys)) == len(keys) == count  # of ten digits, and 26 letters without c, r, s and f
    assert not set(keys) & set("crsf")


@each("count", [33, 200])
def test_of_more_classes_than_keys_none_has_one_and_no_letter_does_anything_else(count):
    keys = class_keys([f"class {place}" for place in range(count)])
    assert keys == ("",) * count
    assert not any(key.isalnum() and len(key) == 1 for key in action_keys(keys).values())


def test_ten_digits_are_answered_with_their_own_keys():
    assert class_keys([str(digit) for digit in (3, 1, 4, 0, 5, 9, 2, 6, 8, 7)]) == tuple("3140592687")


def test_fifteen_classes_take_the_digits_in_the_order_of_the_keyboard_and_then_letters():
    assert class_keys([f"kind {place}" for place in range(15)]) == tuple("1234567890abdeg")


@pytest.mark.parametrize("sounds", [False, True])
def test_every_letter_is_its_class_and_what_these_keys_did_moves_to_keys_of_its_own(sounds):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    keys = class_keys(letters, sounds=sounds)
    assert keys == tuple(letters.lower())
    moved = action_keys(keys)
    assert len({*keys, *moved.values()}) == len(keys) + len(moved)
    assert moved == {"cannot tell": " ", "skip": "ArrowRight", "flag": ",", "undo": "Backspace", "play": "-"}


def test_a_class_named_like_one_action_moves_that_one_alone():
    assert action_keys(class_keys(["s", "t"])) == {**action_keys([]), "skip": "ArrowRight"}
    assert class_keys(["p", "other"], sounds=True) == ("p", "1")


def test_two_names_alike_but_for_case_do_not_share_a_key():
    assert class_keys(["a", "A"]) == ("a", "1")


def test_alphabetical_names_are_shown_as_people_count_and_an_order_somebody_chose_stays():
    alphabetical = sorted(f"kind {place}" for place in range(12))
    assert [alphabetical[place] for place in class_order(alphabetical)] == [f"kind {place}" for place in range(12)]
    assert class_keys(alphabetical)[alphabetical.index("kind 1")] == "2"
    chosen = ["kind 10", "kind 2", "airplane"]
    assert class_order(chosen) == (0, 1, 2)


def test_no_key_of_the_table_has_two_meanings():
    usual = [one["key"] for one in ACTIONS.values()]
    moved = [one["moved"] for one in ACTIONS.values() if one["moved"] != one["key"]]
    fixed = [key for one in TABLE["fixed"].values() for key in one["keys"]]
    zooms = set(TABLE["fixed"]["zoom out"]["keys"])  # a sound, which "-" may play, has nothing to zoom
    assert len({*usual, *moved, *TABLE["streamlit"]}) == len([*usual, *moved, *TABLE["streamlit"]])
    assert len(set(fixed)) == len(fixed)
    assert {*usual, *moved} & set(fixed) == zooms & set(moved)


def test_the_tutorial_names_the_keys_of_the_table():
    tutorial = Path(__file__).parents[2].joinpath("docs", "tutorial.md").read_text(encoding="utf-8")
    names = {"Space": " ", "S": "s", "F": "f", "N": "n", "Y": "y"}
    said = {names.get(key, key): words for key, words in re.findall(r"\| <kbd>(\S+)</kbd> \| (.*) \|", tutorial)}
    assert said.pop("?")
    first = {key: re.split(r"\W", words)[0] for key, words in said.items()}
    assert {one["key"]: re.split(r"\W", one["words"])[0] for name, one in ACTIONS.items() if name != "play"} == first
