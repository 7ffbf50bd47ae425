"""Pictures made to fill the memory or to be read by other means: each gets a sentence."""

import io

import numpy as np
import pytest
from PIL import Image

from tests.datasets.malice import outcome, peak_of, png_claiming, refusal, written
from tests.each import each


@pytest.mark.parametrize(
    ("width", "height"), [(5_001, 5_000), (25_000_001, 1), (12_000, 12_000), (2**31 - 1, 2**31 - 1)]
)
def test_a_picture_with_too_many_pixels_is_refused_by_its_header(tmp_path, width, height):
    written(tmp_path / "d" / "a.png", png_claiming(width, height))
    assert "Expected at most 25,000,000" in refusal(tmp_path / "d")
    assert peak_of(lambda: refusal(tmp_path / "d")) < 2_000_000


@each(
    "content",
    [
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(mark) (w) file closefile\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
        b"GIF89a" + bytes(50),
        b"II*\0" + bytes(50),
        b"\x89PNG\r\n\x1a\n",
        png_claiming(0, 0),
        b"",
        b"BM" + bytes(60),
        b"RIFF\x10\0\0\0WEBPVP8 " + bytes(30),
        b"\xff\xd8\xff\xe0" + bytes(100),
    ],
)
def test_what_is_not_a_picture_of_the_four_formats_is_refused_whatever_its_name(tmp_path, content):
    written(tmp_path / "d" / "a.png", content)
    assert "'a.png' is not a readable picture" in refusal(tmp_path / "d")


def test_a_picture_damaged_anywhere_is_refused_or_read(tmp_path):
    pixels = np.random.default_rng(3).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    rng, outcomes = np.random.default_rng(5), set()
    for kind in ("PNG", "JPEG", "BMP", "WEBP"):
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, kind)
        for _ in range(40):
            broken = bytearray(file.getvalue())
            for place in rng.integers(0, len(broken), 2):
                broken[place] = rng.integers(256)
            end = len(broken) if rng.random() < 0.5 else rng.integers(1, len(broken))
            written(tmp_path / "d" / "a.png", bytes(broken[:end]))
            outcomes.add(outcome(tmp_path / "d"))
    assert outcomes == {"refused", "read"}
