"""Fingerprints: SHA-256 as hashlib has it, the same for the same content however it lies in memory, and other for other."""

import hashlib

import numpy as np

from testimate.core.fingerprint import of_array, of_bytes, of_file


def test_a_file_has_the_digest_of_its_bytes(tmp_path):
    content = bytes(range(256)) * 8200  # more than one of the pieces it is read in
    (tmp_path / "file").write_bytes(content)
    assert of_file(tmp_path / "file") == hashlib.sha256(content).hexdigest()[:32]


def test_the_borders_of_parts_count():
    assert of_bytes(b"ab", b"c") != of_bytes(b"a", b"bc") != of_bytes(b"abc")
    whole = hashlib.sha256((2).to_bytes(8, "little") + b"ab" + (1).to_bytes(8, "little") + b"c")
    assert of_bytes(b"ab", b"c") == whole.hexdigest()[:32]


def test_an_array_is_known_by_its_values_shape_and_type_and_not_by_how_it_lies_in_memory():
    array = np.arange(12, dtype=np.float64).reshape(3, 4)
    assert of_array(array) == of_array(np.asfortranarray(array)) == of_array(array.astype(">f8"))
    assert of_array(array) == of_array(np.repeat(array, 2, axis=0)[::2])
    others = [array.reshape(4, 3), array.astype(np.float32), array + np.eye(3, 4) * 1e-15, array.astype(np.int64)]
    assert len({of_array(one) for one in (array, *others)}) == 5
