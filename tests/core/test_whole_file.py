"""A file is written whole, or what was there before stays to the byte."""

import os
import stat
from pathlib import Path

import pytest

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import whole_file


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


def test_a_full_disk_asks_for_space_and_what_is_written_has_its_own_errors(tmp_path):
    def onto_a_full_disk():
        with whole_file(Path("/dev/full")) as file:
            file.write(b"of which nothing fits")

    def from_a_database_that_is_gone():
        with whole_file(tmp_path / "labels.zip"):
            raise StoreUnavailable("The labels are gone. Put them back.")

    if Path("/dev/full").exists():  # Linux
        with pytest.raises(BadInput, match=r"No space left on device\). Free space"):
            onto_a_full_disk()
    with pytest.raises(StoreUnavailable, match="The labels are gone"):
        from_a_database_that_is_gone()
    assert not os.listdir(tmp_path)


def test_a_folder_or_a_place_that_is_not_there_is_refused_in_words(tmp_path):
    with pytest.raises(BadInput, match="is a folder"), whole_file(tmp_path):
        pass
    with pytest.raises(BadInput, match="could not be written"), whole_file(tmp_path / "none" / "plan.json"):
        pass


class OpenElsewhere(PermissionError):
    """What Windows says about a file that another program has open."""

    winerror = 32


def test_a_file_that_another_program_has_open_for_a_moment_is_waited_for(tmp_path, monkeypatch):
    path, tries, really = tmp_path / "plan.json", [], Path.replace
    path.write_bytes(b"old")

    def replace(source, target):
        tries.append(source)
        if len(tries) < 4:
            raise OpenElsewhere(13, "The process cannot access the file")
        return really(source, target)

    monkeypatch.setattr(Path, "replace", replace)
    with whole_file(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), len(tries)) == (b"new", 4)


def test_a_file_that_stays_open_elsewhere_stays_as_it_was_and_the_sentence_says_to_close_it(tmp_path, monkeypatch):
    path = tmp_path / "plan.json"
    path.write_bytes(b"old")

    def refuse(source, target):
        raise OpenElsewhere(13, "The process cannot access the file")

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr("testimate.core.files.PATIENCE", 0.05)
    with pytest.raises(BadInput, match="another program has it open; close it there"), whole_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["plan.json"]


def test_a_file_that_may_not_be_replaced_for_another_reason_is_refused_at_once(tmp_path, monkeypatch):
    tries = []

    def refuse(source, target):
        tries.append(source)
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(BadInput, match="Permission denied"), whole_file(tmp_path / "plan.json") as file:
        file.write(b"new")
    assert len(tries) == 1


def test_where_no_folder_can_be_opened_as_on_windows_the_file_is_written_all_the_same(tmp_path, monkeypatch):
    really = os.open

    def open_no_folder(path, *arguments, **settings):
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, *arguments, **settings)

    monkeypatch.setattr(os, "open", open_no_folder)
    with whole_file(tmp_path / "plan.json") as file:
        file.write(b"new")
    assert (tmp_path / "plan.json").read_bytes() == b"new"
