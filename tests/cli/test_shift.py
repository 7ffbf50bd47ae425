"""`testimate shift`: pictures moved as the library moves them, labels kept, and what it cannot do said in a sentence."""

import numpy as np
import pytest

from testimate.subjects.shifts import shifted

FOG = ("--shift", "fog", "--severity", 4, "--seed", 3)


@pytest.fixture
def pictures(tmp_path):
    """Two color pictures in the file in.npz, with their labels."""
    arrays = np.random.default_rng(0).integers(256, size=(2, 24, 24, 3)).astype(np.uint8)
    np.savez(tmp_path / "in.npz", x=arrays, y=np.array([1, 0]))
    return arrays


def test_the_verb_shifts_the_pictures_and_keeps_the_labels(pictures, tmp_path, command):
    command.ok("shift", tmp_path / "in.npz", *FOG, "--out", tmp_path / "out.npz", "--quiet")
    with np.load(tmp_path / "out.npz") as found:
        np.testing.assert_array_equal(found["x"], shifted(pictures, "fog", 4, seed=3))
        np.testing.assert_array_equal(found["y"], [1, 0])


def test_an_archive_is_not_written_as_a_plain_array(pictures, tmp_path, command):
    assert ".npz" in command.refusal("shift", tmp_path / "in.npz", *FOG, "--out", tmp_path / "out.npy", "--quiet")
    assert not (tmp_path / "out.npy").exists()


def test_pictures_that_are_not_there_are_named(tmp_path, command):
    message = command.refusal("shift", tmp_path / "none.npz", *FOG, "--out", tmp_path / "out.npz", "--quiet")
    assert "There is no file" in message
    assert "none.npz" in message


def test_a_seed_below_0_is_refused_in_words(pictures, tmp_path, command):
    arguments = ("--shift", "fog", "--seed", -1, "--out", tmp_path / "out.npz")
    message = command.refusal("shift", tmp_path / "in.npz", *arguments)
    assert "The seed is -1" in message
    assert "at least 0" in message
