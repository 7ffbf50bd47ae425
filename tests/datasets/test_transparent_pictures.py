"""Pictures with transparent parts: counted, shown on a background, and prepared for a model on the one it was trained with."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from testimate.datasets.open import open_dataset_file
from testimate.datasets.preprocessing import Preprocessing
from testimate.datasets.usual_preprocessings import suggest_preprocessings
from testimate.subjects.preparation import chosen_preprocessing
from tests.own_files import PICTURE_FACTS

INK = np.linspace(0, 255, 60).astype(np.uint8)


class Dark:
    """A network trained on ink on white paper, from 0 to 1: dark pictures are class 1."""

    fingerprint, layers, roles = "dark", ("p",), {"CON": "p"}

    def run(self, batch, _):
        dark = np.clip(1 - batch.reshape(len(batch), -1).mean(axis=1), 0.01, 0.99)
        return {"p": np.stack([1 - dark, dark], 1).astype(np.float32)}


def png(ink: int, *, opaque: bool = False) -> bytes:
    """A black square; its alpha is how much ink there is."""
    pixels = np.zeros((5, 5, 4), np.uint8)
    pixels[..., 3] = 255 if opaque else ink
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@pytest.fixture(scope="module")
def squares(tmp_path_factory):
    path = tmp_path_factory.mktemp("squares") / "squares.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for row, ink in enumerate(INK):
            archive.writestr(f"{'full' if ink > 127 else 'bare'}/{row:02}.png", png(int(ink)))
    return open_dataset_file(path)


@pytest.mark.parametrize(("background", "behind"), [("none", 0), ("white", 255), ("black", 0)])
def test_a_transparent_pixel_is_its_color_over_the_background(squares, background, behind):
    prepared = squares.dataset.with_preprocessing(Preprocessing(background=background))
    rows = np.arange(len(INK))
    alpha = np.array([1.0 if background == "none" else prepared_alpha(squares, row) for row in rows])
    expected = np.rint(behind * (1 - alpha))
    assert np.abs(prepared.batch(rows)[:, 0, 0, 0] - expected).max() <= 1


def prepared_alpha(squares, row):
    """The share of ink in the file, by its order in the zip."""
    return np.sort(INK)[row] / 255


def test_transparent_pictures_are_counted_and_opaque_ones_are_not(squares, tmp_path):
    said = dict(squares.facts)["pictures that are transparent in places"]
    assert said == "59 of 60", "the last one is full of ink"
    with zipfile.ZipFile(tmp_path / "opaque.zip", "w") as archive:
        for row in range(2):
            archive.writestr(f"{row}.png", png(0, opaque=True))
    opened = open_dataset_file(tmp_path / "opaque.zip")
    assert "pictures that are transparent in places" not in dict(opened.facts)
    assert not any("on white" in one.name for one in suggest_preprocessings(opened.dataset))


def test_a_person_sees_white_behind_what_is_transparent(squares):
    with Image.open(io.BytesIO(squares.dataset.show(0).image)) as picture:
        assert np.asarray(picture).min() == 255


def test_labels_tell_on_which_background_a_network_was_trained(squares):
    chosen = chosen_preprocessing(Dark(), PICTURE_FACTS, squares, given=None)
    assert chosen.preprocessing.background == "white"
    assert chosen.preprocessing.scale == 1 / 255
    assert chosen.tried[0].accuracy == 1


def test_without_labels_transparency_is_named_in_the_question(squares):
    chosen = chosen_preprocessing(Dark(), PICTURE_FACTS, replace(squares, known=None), given=None)
    assert chosen.source is None
    assert "59 of 60 pictures are transparent in places" in chosen.doubt


def test_settings_without_a_background_keep_their_fingerprint():
    assert Preprocessing().fingerprint == Preprocessing(background="none").fingerprint
    assert len({Preprocessing(background=one).fingerprint for one in ("none", "white", "black")}) == 3
