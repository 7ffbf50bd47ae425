"""Galleries: how many inputs stand side by side follows from their kind, and no text is read as Markdown."""

import numpy as np
from streamlit.testing.v1 import AppTest

from testimate.core.subject import Shown
from testimate.demos.png import gray_png
from testimate.ui.components.shown_input import GAP, picture_width
from tests.each import each

HOSTILE = "a **bold** ![x](http://x.example) text"


def drawn(script: str) -> AppTest:
    test = AppTest.from_string(
        "from testimate.core.subject import Shown\n"
        "from testimate.ui.components.shown_input import Tile, gallery\n"
        f"HOSTILE = {HOSTILE!r}\n{script}",
        default_timeout=60,
    ).run()
    assert not test.exception
    return test


def test_pictures_stand_as_many_as_asked_texts_and_sounds_a_third_of_it():
    picture = "from testimate.demos.png import gray_png\nimport numpy as np\n"
    picture += "gallery([Tile(Shown('image', image=gray_png(np.zeros((2, 3), np.uint8))))] * 5, across=12)"
    [line] = drawn(picture).main.children.values()
    assert line.proto.width_config.pixel_width == 12 * (88 + GAP)
    assert len(line.children) == 5
    texts = drawn("gallery([Tile(Shown('text', text='words'))] * 5, across=12)")
    assert len(texts.columns) == 8  # two lines of four
    assert [text.value for text in texts.text] == ["words"] * 5
    assert len(drawn("gallery([Tile(Shown('audio', audio=b'RIFF'))] * 5, across=2)").columns) == 5  # one a line


@each(("high", "wide", "width"), [(8, 8, 88), (20, 80, 176), (10, 20, 124), (40, 10, 88), (1, 90, 176)])
def test_a_picture_wider_than_high_takes_the_room_of_a_square_one_and_at_most_twice_its_width(high, wide, width):
    assert picture_width(Shown("image", image=gray_png(np.zeros((high, wide), np.uint8))), 88) == width
    assert picture_width(Shown("text", text="words"), 88) == 88


def test_table_rows_are_the_rows_of_one_table():
    test = drawn("gallery([Tile(Shown('tabular', cells=(('age', '3'), ('town', HOSTILE))), 'why')] * 2, across=12)")
    [frame] = test.dataframe
    assert frame.value.to_dict("list") == {"age": ["3"] * 2, "town": [HOSTILE] * 2, " ": ["why"] * 2}


def test_text_and_captions_are_shown_letter_by_letter_and_a_very_long_text_is_cut():
    test = drawn("gallery([Tile(Shown('text', text=HOSTILE + 9_000 * 'x'), HOSTILE, HOSTILE)], across=3)")
    assert test.text[0].value.startswith(HOSTILE)
    assert len(test.text[0].value) < 5_000
    assert "**bold**" not in test.caption[0].value
    assert "![x]" not in test.caption[0].value
    assert not test.markdown
    source = drawn("gallery([Tile(Shown('text', text='def f():\\n    return 1', code=True))], across=3)")
    assert source.code[0].value == "def f():\n    return 1"
