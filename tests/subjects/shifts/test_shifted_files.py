"""Files of pictures that cannot be shifted, and what is said about them."""

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.subjects.shifts.shifted_dataset import shift_file

PICTURES = np.linspace(0, 1, 2 * 8 * 8).reshape(2, 8, 8)


def shift(source, out, name="fog"):
    return shift_file(source, out, name, 1, seed=1)


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_an_archive_cut_short_is_refused_in_words(kept, tmp_path):
    np.savez_compressed(tmp_path / "in.npz", x=np.random.default_rng(0).random((2, 8, 8)), y=np.arange(2))
    whole = (tmp_path / "in.npz").read_bytes()
    (tmp_path / "in.npz").write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(BadInput, match="not a readable NumPy file"):
        shift(tmp_path / "in.npz", tmp_path / "out.npz")
    assert not (tmp_path / "out.npz").exists()


def test_a_byte_changed_inside_an_archive_is_refused_in_words(tmp_path):
    np.savez_compressed(tmp_path / "in.npz", x=np.random.default_rng(0).random((2, 8, 8)))
    spoilt = bytearray((tmp_path / "in.npz").read_bytes())
    spoilt[len(spoilt) // 2] ^= 0xFF
    (tmp_path / "in.npz").write_bytes(spoilt)
    with pytest.raises(BadInput, match="not a readable NumPy file"):
        shift(tmp_path / "in.npz", tmp_path / "out.npz")


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"two": np.zeros((4, 4))}, r"No array looks like pictures: two \(4, 4\)"),
        ({"a": PICTURES, "b": PICTURES, "y": np.zeros(2)}, "2 arrays look like pictures: a, b. Expected one"),
    ],
)
def test_what_holds_no_pictures_or_too_many_is_refused_with_what_it_holds(arrays, sentence, tmp_path):
    np.savez(tmp_path / "in.npz", **arrays)
    with pytest.raises(BadInput, match=sentence):
        shift(tmp_path / "in.npz", tmp_path / "out.npz")


def test_a_wrong_name_lists_every_shift_with_the_steps_against_a_model(tmp_path):
    np.save(tmp_path / "in.npy", PICTURES)
    with pytest.raises(BadInput, match=r"Expected one of gaussian-noise, .*, light, fgsm, bim"):
        shift(tmp_path / "in.npy", tmp_path / "out.npy", "rain")
