import string

from hypothesis import given
from hypothesis import strategies as st

from testimate.ui.components.untrusted_text import escape_markdown


def unescaped(markdown: str) -> str:
    """CommonMark's rule read backwards: a backslash before punctuation stands for that mark alone."""
    letters, place = [], 0
    while place < len(markdown):
        place += markdown[place] == "\\"
        letters.append(markdown[place])
        place += 1
    return "".join(letters).replace("\u2060", "")


@given(st.text(alphabet=string.printable, max_size=60))
def test_unescaping_gives_the_text_back_on_one_line(text):
    printable = " ".join(text.split())
    assert unescaped(escape_markdown(text)) == printable


@given(st.text(alphabet=string.punctuation + "a1 ", max_size=40))
def test_every_punctuation_mark_stands_behind_a_backslash(text):
    rest = escape_markdown(text)
    for mark in string.punctuation:
        rest = rest.replace(f"\\{mark}", "") if mark != "\\" else rest.replace("\\\\", "")
    # what is left may hold only letters, digits, spaces and joiners
    assert set(rest) <= set("a1 \u2060")


def test_controls_and_turned_writing_directions_do_not_reach_the_page():
    assert escape_markdown("a\x07b") == "a\ufffdb"
    assert escape_markdown("gpj\u202eexe") == "gpjexe"


def test_the_spaces_inside_a_number_stay_and_other_white_space_is_one_space():
    assert escape_markdown(" 12\u202f345\t  of\u2003x\n") == "12\u202f345 of x"
    assert escape_markdown("1\u00a0m") == "1\u00a0m"


def test_line_breaks_cannot_begin_a_new_block():
    assert "\n" not in escape_markdown("a\n\n# b\r\n- c\u2028d")
