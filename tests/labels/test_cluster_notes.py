"""Notes on clusters: kept on disk in every version, the latest one standing."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.labels import SqlStore
from testimate.labels.notes import LONGEST_NOTE, ClusterNote, ClusterNotes

NOTE = ClusterNote(
    subject="digits",
    clustering="c" * 32,
    cluster=4,
    text="threes 'n' nines; drop table -- ü <b>",
    tester="Ann",
    at="2026-11-20T10:05:00+00:00",
    members="m" * 32,
    size=349,
    settings={"features": "LHL+CON", "min_cluster_size": 80},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.sqlite"


def notes_in(path: Path) -> ClusterNotes:
    return ClusterNotes(SqlStore(f"sqlite:///{path}"))


def test_before_the_first_note_there_is_none(path):
    assert notes_in(path).of("digits") == []


def test_a_note_comes_back_from_disk_as_it_was_written(path):
    notes_in(path).write(NOTE)
    assert notes_in(path).of("digits") == [NOTE]
    assert notes_in(path).of("another subject") == []


def test_the_latest_note_stands_an_empty_one_takes_it_back_and_the_file_holds_them_all(path):
    notes = notes_in(path)
    other = replace(NOTE, cluster=5, text="another cluster")
    for note in (NOTE, other, replace(NOTE, text="better words"), replace(NOTE, clustering="d" * 32, text="elsewhere")):
        notes.write(note)
    assert [note.text for note in notes.of("digits")] == ["elsewhere", "better words", "another cluster"]
    notes.write(replace(other, text=""))
    assert [note.text for note in notes.of("digits")] == ["elsewhere", "better words"]
    assert sqlite3.connect(path).execute("select count(*) from cluster_notes").fetchone() == (5,)


def test_the_longest_note_is_kept_and_a_longer_one_refused(path):
    notes = notes_in(path)
    notes.write(replace(NOTE, text="x" * LONGEST_NOTE))
    with pytest.raises(BadInput, match="Shorten it"):
        notes.write(replace(NOTE, text="x" * (LONGEST_NOTE + 1)))
    assert [len(note.text) for note in notes.of("digits")] == [LONGEST_NOTE]


def test_a_note_that_cannot_be_made_durable_is_refused_in_a_sentence(path):
    notes = notes_in(path)
    notes.write(NOTE)
    path.unlink()
    with pytest.raises(StoreUnavailable, match="is gone"):
        notes.write(NOTE)
