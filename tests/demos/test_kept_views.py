"""Views on disk: drawn once, and again where what is kept cannot be trusted."""

import os
from pathlib import Path

import pytest

from testimate.demos import road
from testimate.demos.road import KeptViews


class Drawing:
    """Draws a view of a row, and remembers of which rows it was asked to."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, row: int) -> bytes:
        self.rows.append(row)
        return f"the view of row {row}".encode() * 50


@pytest.fixture
def folder(tmp_path):
    """Where the views of rows 3 and 4 are kept."""
    views = KeptViews(tmp_path / "views", Drawing())
    views.view(3), views.view(4)
    return tmp_path / "views"


def file_of(folder: Path, row: int) -> Path:
    (path,) = folder.glob(f"{row}-*.png")
    return path


def test_a_view_is_drawn_once_and_found_by_whoever_opens_the_folder_later(folder):
    drawing = Drawing()
    views = KeptViews(folder, drawing)
    assert views.view(3) == Drawing()(3)
    assert drawing.rows == []
    assert views.view(5) == views.view(5) == Drawing()(5)
    assert drawing.rows == [5]


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "missing", "another row's", "a folder"])
def test_a_view_that_is_not_what_was_written_is_drawn_and_kept_again(folder, damage):
    path = file_of(folder, 3)
    sound = path.read_bytes()
    other = file_of(folder, 4).read_bytes()
    path.unlink()
    if damage == "a folder":
        path.mkdir()
    elif damage != "missing":
        path.write_bytes({"cut": sound[:-9], "flipped": b"T" + sound[1:], "empty": b"", "another row's": other}[damage])
    drawing = Drawing()
    assert KeptViews(folder, drawing).view(3) == sound
    assert drawing.rows == [3]
    if damage != "a folder":
        assert file_of(folder, 3).read_bytes() == sound


def test_files_of_other_names_are_left_alone_and_never_shown(folder):
    (folder / "3-notes.txt").write_text("mine")
    (folder / "x-0.png").write_bytes(b"mine")
    (folder / "7-0.png").write_bytes(b"mine")
    assert KeptViews(folder, Drawing()).view(7) == Drawing()(7)
    assert (folder / "3-notes.txt").exists()


def test_no_more_views_are_kept_than_there_is_room_for(folder, monkeypatch):
    monkeypatch.setattr(road, "MOST", 3)
    drawing = Drawing()
    views = KeptViews(folder, drawing)
    for row in (5, 6, 6, 3):
        assert views.view(row) == Drawing()(row)
    assert drawing.rows == [5, 6, 6]
    assert len(list(folder.iterdir())) == 3


def test_a_folder_that_cannot_be_written_costs_only_the_time_to_draw(tmp_path):
    (tmp_path / "views").write_text("a file where a folder should be")
    drawing = Drawing()
    views = KeptViews(tmp_path / "views", drawing)
    assert views.view(3) == views.view(3) == Drawing()(3)
    assert drawing.rows == [3, 3]


def test_a_disk_that_fills_up_leaves_no_half_of_a_view(folder, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert KeptViews(folder, Drawing()).view(9) == Drawing()(9)
    assert {path.name.partition("-")[0] for path in folder.iterdir()} == {"3", "4"}
