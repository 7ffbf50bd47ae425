"""A file of a dataset, sent to another machine, is the same where its content is."""

import os
import pickle

import pytest

from testimate.core.errors import SubjectChanged
from testimate.datasets.folders import WatchedFile


def test_a_copy_at_the_same_path_is_the_same_file_and_another_content_is_not(tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(b"one")
    sent = pickle.dumps(WatchedFile(path))
    path.unlink()
    path.write_bytes(b"one")  # a copy: another file of another time
    os.utime(path, (1, 1))
    there = pickle.loads(sent)
    there.check()
    assert pickle.loads(pickle.dumps(there)).check() is None
    path.write_bytes(b"two")
    with pytest.raises(SubjectChanged, match="was changed or removed after the dataset was opened"):
        there.check()
    with pytest.raises(SubjectChanged, match=r"is another file on this machine. Expected the same content"):
        pickle.loads(sent).check()
    path.unlink()
    with pytest.raises(SubjectChanged, match="could not be read on this machine"):
        pickle.loads(sent).check()
