"""The demo of letters: its masters and how they are drawn, the network's faults, the dial, and the nine models."""

import io
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from testimate.comparison.predictions import predictions_of
from testimate.comparison.ranking import labeling_free
from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.demos import glyphs as glyph_drawing
from testimate.demos.catalog import DEMOS, dial_of, find_demo
from testimate.demos.comparison_models import NINE, glyph_predictions
from testimate.demos.glyphs import (
    FINGERPRINTS,
    INSIDE,
    LETTERS,
    LEVELS,
    SIDE,
    STEPS,
    STRAYING,
    TRAINED,
    TYPEFACES,
    Glyphs,
    _drawn,
    open_glyphs,
    open_network,
    operational,
    read_masters,
)
from testimate.metrics.severity import severity_counts
from testimate.structure.density_clusters import find_clusters
from testimate.subjects.open import open_subject
from testimate.ui.components.labeling_surface.view import class_keys

OFTEN_DRAWN = (40, 65, 100)
NOT_DRAWN = np.full(SIDE * SIDE * 4, 127, dtype=np.uint8)  # a noise of almost nothing


def outputs(level, count=10_000):
    """Probabilities and last hidden layer of the first letters at that level, and the letters themselves."""
    glyphs, model = operational(level), open_network()
    images = glyphs.images[:count, None].astype(np.float32) / 255
    said = [model.run(images[at : at + 250], list(model.roles.values())) for at in range(0, count, 250)]
    one = {role: np.concatenate([part[layer] for part in said]) for role, layer in model.roles.items()}
    return one["CON"], one["LHL"], glyphs


@pytest.fixture(scope="module")
def shown():
    """What the network says about the demo as it is opened."""
    return outputs(65)


@pytest.fixture(scope="module")
def nine():
    """What the nine models say, and the truth."""
    return glyph_predictions()


def test_the_masters_are_a_letter_of_each_typeface_all_different_in_little_room():
    masters = read_masters()
    assert masters.shape == (len(TYPEFACES), len(LETTERS), 36, 36)
    assert len({master.tobytes() for master in masters.reshape(-1, 36, 36)}) == 160
    sizes = {path.name: len(path.read_bytes()) for path in files("testimate.demos").joinpath("glyph_files").iterdir()}
    assert sizes["masters.npz"] < 70_000
    assert sum(sizes.values()) < 350_000


def test_every_typeface_is_named_with_its_license():
    text = files("testimate.demos").joinpath("glyph_files", "TYPEFACES.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for typeface in TYPEFACES:
        [line] = [line for line in lines if typeface in [name.strip() for name in line.split("|")[1].split(",")]]
        assert "OFL 1.1" in line or "Bitstream Vera" in line


@pytest.mark.parametrize(
    "level", [level if level in OFTEN_DRAWN else pytest.param(level, marks=pytest.mark.slow) for level in LEVELS]
)
def test_the_pictures_drawn_here_are_those_the_fingerprint_of_their_level_is_of(level):
    dataset = open_glyphs(Path(), level=level).dataset
    pictures = dataset.batch(np.arange(len(dataset)))[:, 0]
    assert dataset.fingerprint == FINGERPRINTS[level] == fingerprint.of_array(pictures)


def test_the_fingerprints_of_the_first_release_hold():
    """Labels are stored under them."""
    assert FINGERPRINTS[65] == "d7d73c10f1261a0cb34d02dec88942b0"
    assert FINGERPRINTS[100] == "6893881c4d24cc3c6423dbe3ca3f9773"


def test_a_letter_drawn_alone_is_the_letter_drawn_among_all():
    glyphs = operational(80)
    for rows in ([0], [9_999], [499, 500], [7, 3, 3, 4, 5, 9_998, 0]):
        np.testing.assert_array_equal(glyphs.drawn(np.array(rows)), glyphs.images[rows])
    assert glyphs.drawn(np.arange(0)).shape == (0, SIDE, SIDE)


def test_opening_the_letters_draws_none_and_showing_one_draws_one(monkeypatch):
    drawn = []

    def count(masters, *arguments):
        drawn.append(len(masters))
        return _drawn(masters, *arguments)

    monkeypatch.setattr(glyph_drawing, "_drawn", count)
    subject = open_glyphs(Path())
    assert drawn == []
    subject.dataset.show(17)
    assert drawn == [1]


@pytest.mark.parametrize("row", [-1, 10_000])
def test_a_letter_that_is_not_there_is_refused(row):
    with pytest.raises(BadInput, match="There is no row"):
        open_glyphs(Path()).dataset.show(row)


def test_the_letters_and_typefaces_are_as_frequent_as_each_other_and_the_same_at_every_level():
    low, high = operational(40), operational(100)
    np.testing.assert_array_equal(low.letters, high.letters)
    np.testing.assert_array_equal(low.fonts, high.fonts)
    for places, kinds in ((low.letters, 10), (low.fonts, 16)):
        expected = len(places) / kinds
        assert ((np.bincount(places, minlength=kinds) - expected) ** 2 / expected).sum() < 35  # chi squared, 1 in 1,000


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_letter_turned_as_far_as_it_goes_is_scipys_rotation_of_the_master(sign):
    """Scipy turns and samples in floating point; the drawing does it in whole numbers."""
    masters = read_masters()[:, 3]
    strayed = np.zeros((len(masters), 8), dtype=np.int64)
    strayed[:, 0] = sign * 65535
    strayed[:, 5:7] = -65535  # neither faded nor noisy
    ours = _drawn(masters, strayed, np.tile(NOT_DRAWN, len(masters)), 100).astype(float)
    at = np.arange(SIDE) * 36 / SIDE + 36 / SIDE / 2 - 0.5
    for master, mine in zip(masters.astype(float), ours, strict=True):
        turned = ndimage.rotate(master, -sign * STRAYING.turn, reshape=False, order=1, mode="nearest")
        theirs = ndimage.map_coordinates(turned, np.meshgrid(at, at, indexing="ij"), order=1, mode="nearest")
        ink = np.clip((theirs - INSIDE) / STEPS + 0.5, 0, 1) * 255
        assert np.abs(ink - mine).mean() < 8
        assert np.corrcoef(ink.ravel(), mine.ravel())[0, 1] > 0.98


def test_the_noise_of_the_paper_is_as_strong_as_its_level_says():
    """On white paper half of the bell curve is cut off; what is left has a mean of deviation / sqrt(2 pi)."""
    paper = np.zeros((1, 1, 36, 36), dtype=np.uint8)
    for level in (40, 100):
        drawn = Glyphs(paper, 4_000, level=level, fonts=np.array([0]), seed=3).images
        deviation = 255 * STRAYING.noise * level / 100 / 2  # from none to all of it, so half on average
        assert drawn.mean() == pytest.approx(deviation / np.sqrt(2 * np.pi), rel=0.03)


def test_a_shown_letter_is_a_png_of_the_picture_the_network_gets():
    subject = open_glyphs(Path())
    with Image.open(io.BytesIO(subject.dataset.show(17).image), formats=["PNG"]) as picture:
        np.testing.assert_array_equal(255 - np.asarray(picture), operational(65).images[17])
    assert subject.dataset.batch(np.array([17])).shape == (1, 1, SIDE, SIDE)


def test_about_one_letter_in_thirty_is_misread_at_every_severity(shown):
    probabilities, _, glyphs = shown
    wrong = probabilities.argmax(axis=1) != glyphs.letters
    assert 0.96 <= 1 - wrong.mean() <= 0.975
    counts = severity_counts(wrong, probabilities.max(axis=1))
    assert min(counts.high, counts.moderate, counts.low) >= 30
    assert 0.3 <= counts.high / wrong.sum() <= 0.45


def test_a_person_sees_why_the_typefaces_it_never_saw_and_the_typewriters_h_read_as_b(shown):
    probabilities, _, glyphs = shown
    said = probabilities.argmax(axis=1)
    wrong = said != glyphs.letters
    assert (glyphs.fonts[wrong] >= TRAINED).mean() > 0.95
    pairs = Counter(zip(glyphs.letters[wrong].tolist(), said[wrong].tolist(), strict=True))
    commonest = [LETTERS[true] + LETTERS[read] for (true, read), _ in pairs.most_common(3)]
    assert commonest == ["AH", "HB", "BE"]


def test_each_letter_is_a_cluster_and_nearly_all_faults_lie_outside(shown):
    probabilities, hidden, glyphs = shown
    wrong = probabilities.argmax(axis=1) != glyphs.letters
    found = find_clusters(hidden, min_cluster_size=80, min_samples=4, seed=0)
    assert found.count == 10
    assert {int(np.bincount(glyphs.letters[found.labels == place]).argmax()) for place in range(10)} == set(range(10))
    assert (found.labels[wrong] == -1).mean() > 0.85
    assert found.noise_share < 0.3


def test_the_further_the_dial_is_turned_the_more_is_misread(shown):
    count = 3_000
    accuracy = []
    for level in (40, 65, 80, 100):
        probabilities, _, glyphs = outputs(level, count) if level != 65 else shown
        accuracy.append((probabilities[:count].argmax(axis=1) == glyphs.letters[:count]).mean())
    assert accuracy == sorted(accuracy, reverse=True)
    assert accuracy[0] > 0.97
    assert 0.83 < accuracy[-1] < 0.88


def test_the_planted_models_come_last_without_a_label_and_one_of_them_never_says_p(nine):
    found, truth = nine
    accuracy = {name: float((said == truth).mean()) for name, said in found.items()}
    planted = {model.planted: model.name for model in NINE if model.planted}
    no_p = found[planted["P learned as B"]]
    assert (no_p == LETTERS.index("P")).sum() == 0
    assert (no_p[truth == LETTERS.index("P")] == LETTERS.index("B")).mean() > 0.9
    assert all(0.85 < value < 0.97 for value in accuracy.values())
    names = {name: [LETTERS[place] for place in said] for name, said in found.items()}
    predictions = predictions_of(names, tuple(LETTERS))
    ranked = [predictions.models[place] for place in np.argsort(-labeling_free(predictions).ability)]
    assert ranked[-2:] == [planted["noisy labels"], planted["P learned as B"]]


@pytest.mark.slow
def test_the_ranking_of_the_nine_changes_with_the_dial(nine):
    strayed, truth = glyph_predictions(100)
    accuracy = {name: float((said == truth).mean()) for name, said in strayed.items()}
    assert max(accuracy, key=accuracy.__getitem__) == "LeNet-1, heavy noise"
    assert min(accuracy, key=accuracy.__getitem__) == "LeNet-1, clean print"
    assert set(strayed) == set(nine[0])


def test_every_letter_is_answered_by_its_own_key():
    assert class_keys(LETTERS) == tuple(LETTERS.lower())


def test_every_level_is_a_demo_of_its_own_key_and_fingerprint_with_the_same_network():
    dial = dial_of("glyphs-80")
    assert tuple(dial) == LEVELS
    assert len({demo.name for demo in dial.values()}) == len(LEVELS)
    assert dial[65].name == "glyphs" == next(iter(DEMOS))
    here, further = open_subject("glyphs"), open_subject("glyphs-80")
    assert (here.key, further.key) == ("glyphs", "glyphs-80")
    assert here.fingerprint != further.fingerprint
    assert here.model_fingerprint == further.model_fingerprint
    assert dial_of("digits") == {}
    assert find_demo("glyphs-65") is find_demo("glyphs-81") is None
    with pytest.raises(BadInput, match=r"no shift of 0\.81"):
        open_glyphs(Path(), level=81)


def test_opening_the_letters_imports_no_framework():
    program = (
        "import sys; from pathlib import Path; from testimate.demos.catalog import DEMOS;"
        "DEMOS['glyphs'].open(Path(), lambda done, total, what='': None);"
        "assert not {'torch', 'sklearn', 'pandas', 'PIL'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])
