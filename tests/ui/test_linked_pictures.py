"""What the browser gets of an input in small, and the mark of a cluster in a table."""

import base64
import io
import math
import wave

import numpy as np
import pytest
from PIL import Image, ImageColor

from testimate.charts.palette import SYMBOLS, hue
from testimate.core.subject import Shown
from testimate.ui.components.linked_pictures.small_views import CELLS, LONGEST, cluster_mark, look_to_json, outline
from tests.each import each


def png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def opened(encoded: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(encoded)))


def test_a_small_picture_is_sent_as_it_is_and_a_large_one_small():
    small = png(28, 20)
    assert look_to_json(Shown("image", image=small)) == {"image": base64.b64encode(small).decode(), "crisp": True}
    large = look_to_json(Shown("image", image=png(900, 300)), side=160)
    assert opened(large["image"]).size == (160, 53)
    assert large["crisp"] is False


def test_long_texts_and_wide_rows_are_cut_and_say_so():
    text = look_to_json(Shown("text", text="<b>" + "x" * 1000))["text"]
    assert (len(text), text[:3], text[-1]) == (LONGEST, "<b>", "…")
    cells = look_to_json(Shown("tabular", cells=tuple((f"column {k}", str(k)) for k in range(11))))
    assert cells["cells"][1] == ["column 1", "1"]
    assert (len(cells["cells"]), cells["more"]) == (CELLS, 11 - CELLS)


def test_a_sound_is_sent_whole():
    assert look_to_json(Shown("audio", audio=b"RIFF")) == {"audio": base64.b64encode(b"RIFF").decode()}


def test_a_sound_on_a_wall_comes_with_its_spectrogram_which_has_a_high_tone_above_a_low_one():
    def loudest(hertz: int) -> float:
        file = io.BytesIO()
        with wave.open(file, "wb") as writer:
            writer.setparams((1, 2, 8_000, 0, "NONE", ""))
            tone = np.sin(2 * np.pi * hertz * np.arange(4_000) / 8_000)
            writer.writeframes((20_000 * tone).astype("<i2").tobytes())
        look = look_to_json(Shown("audio", audio=file.getvalue()))
        assert look["title"] == "Spectrogram: 0 to 4 kHz, 0.5 s"
        opacity = np.asarray(opened(look["spectrogram"]))[..., 3].astype(float)
        assert opacity.shape == (70, 280)
        return float(opacity.mean(axis=1).argmax() / 70)  # 0 at the top, which is 4,000 Hz

    assert loudest(1_000) == pytest.approx(0.75, abs=0.03)
    assert loudest(3_000) == pytest.approx(0.25, abs=0.03)


def area(corners: list[tuple[float, float]]) -> float:
    x, y = np.array([*corners, corners[0]]).T
    return float(abs(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1])) / 2)


@each("name", SYMBOLS)
def test_the_marks_look_about_equally_large(name):
    assert area(outline(name, 5, 7, 10)) / 100 == pytest.approx(math.pi, rel=0.5)
    middle = np.mean(outline(name, 5, 7, 10), axis=0)
    np.testing.assert_allclose(middle, [5, 7], atol=2)


def test_the_mark_has_the_color_of_the_map_and_the_pictures_follow_it():
    data = cluster_mark(3, [png(8, 8), png(8, 8)], dark=True)
    strip = opened(data.removeprefix("data:image/png;base64,"))
    assert strip.size == (36 + 2 * 78, 72)
    assert strip.getpixel((18, 38)) == (*ImageColor.getrgb(hue(3, dark=True)), 255)
    assert strip.getpixel((1, 1))[3] == 0
