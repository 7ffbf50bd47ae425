"""What counts as visible text: the categories of the Unicode standard say which characters show."""

import unicodedata

import pytest

from testimate.core.errors import BadInput
from testimate.core.visible_text import check_line, check_text, readable, texts_in
from tests.each import each

UNSEEN = ["\ud800", "\udc00", "\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u202a", "\u2066", "\u2069"]
SEEN = ["Zoë O'Neil", "می\u200cخواهم", "\U0001f469\u200d\U0001f52c", "安 ✔", "<b>&amp;</b>", "= -1 | x"]


@each("unseen", UNSEEN)
def test_a_character_that_nobody_sees_is_refused_in_lines_and_texts(unseen):
    for check in (check_line, check_text):
        with pytest.raises(BadInput, match=rf"note has the invisible character U\+{ord(unseen):04X} in it. Expected"):
            check(f"x{unseen}y", "note", 100)


@each("seen", SEEN)
def test_every_script_and_emoji_is_visible_text(seen):
    assert check_line(seen, "name", 100) == seen
    assert check_text(f"{seen}\n\t{seen}\r\n", "note", 100)
    assert readable({seen: [seen]}) == {seen: [seen]}


def test_line_ends_and_invisible_letters_are_not_part_of_a_name():
    for text in ("two\nlines", "tab\t", "two\u2028lines", "soft\u00adhyphen", "no\u200bspace", "   ", "\u200d", ""):
        with pytest.raises(BadInput, match="Expected"):
            check_line(text, "name", 100)


def test_lengths_are_held_exactly():
    assert check_text("x" * 7, "note", 7)
    assert check_line("x" * 7, "name", 7)
    for check in (check_line, check_text):
        with pytest.raises(BadInput, match=r"8 characters\. Expected .* 7\. Shorten it\."):
            check("x" * 8, "text", 7)


def test_every_unseen_category_of_unicode_is_refused_in_a_name_and_replaced_where_it_cannot_be_written():
    for point in range(0x3000):
        sign = chr(point)
        hidden = unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and sign not in "\u200c\u200d"
        try:
            check_line(f"x{sign}y", "name", 3)
            assert not hidden, f"U+{point:04X}"
        except BadInput:
            assert hidden, f"U+{point:04X}"
        turning = unicodedata.bidirectional(sign) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
        control = unicodedata.category(sign) == "Cc" and sign not in "\t\n\r"
        assert (readable(sign) != sign) == (turning or control), f"U+{point:04X}"


def test_keys_and_nested_texts_are_replaced_and_nothing_else_changes():
    told = {"x\ud800y": [{"z\x00": ["a", "\udfffb", 3, None, True, 0.5]}], "row": 7}
    mended = readable(told)
    assert mended == {"x\ufffdy": [{"z\ufffd": ["a", "\ufffdb", 3, None, True, 0.5]}], "row": 7}
    assert sorted(texts_in(mended)) == sorted(["x\ufffdy", "z\ufffd", "a", "\ufffdb", "row"])
    deep: object = "\ud800"
    for _ in range(50_000):
        deep = [deep]
    assert list(texts_in(readable(deep))) == ["\ufffd"]
    while isinstance(deep, list):  # taken apart by hand: Python would do it by recursion
        deep = deep[0]
