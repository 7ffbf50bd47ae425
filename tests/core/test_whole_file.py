"""A file is written whole, or what was there before stays to the byte."""

import os
import stat

import pytest

from testimate.core.errors import BadInput
from testimate.core.whole_file import whole_file


def test_the_new_content_takes_the_place_of_the_old_at_the_end_and_not_before(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["plan.json"]


def test_after_an_error_the_old_content_stays_and_nothing_lies_beside_it(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b"old")

    def broken_off():
        with whole_file(path) as file:
            file.write(b"half of the new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken_off()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["plan.json"]


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path):
    path, link, pipe = tmp_path / "plan.json", tmp_path / "link", tmp_path / "pipe"
    path.write_bytes(b"old")
    link.symlink_to(path)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as file:
        file.write(b"through the pipe")
    assert os.read(reader, 100) == b"through the pipe"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_or_a_place_that_is_not_there_is_refused_in_words(tmp_path):
    with pytest.raises(BadInput, match="is a folder"), whole_file(tmp_path):
        pass
    with pytest.raises(BadInput, match="could not be written"), whole_file(tmp_path / "none" / "plan.json"):
        pass
