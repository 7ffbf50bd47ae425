"""The cache keeps to its limit: what was longest unused goes first, and what is in use never goes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from filelock import BaseFileLock

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.progress import silent
from testimate.core.subject import Subject
from testimate.feature_cache import FeatureCache, role_file
from testimate.feature_cache.shards import load_manifest, locked, try_lock

ROOT = Path(__file__).resolve().parents[2]
ENTRY_BYTES = 1_000 * 6 * 4 + 128
"""Bytes of the role ORI of a thousand rows: six float32 each, and the header."""


def subject_named(stand_in, name: str) -> Subject:
    """The thousand rows under another fingerprint, so that they make an entry of their own."""

    class Rows(stand_in.Rows):
        fingerprint = f"rows of {name}"

    return Subject(**{**vars(stand_in.subject_of(stand_in.Layers)), "name": name, "dataset": Rows()})


def keep(cache: FeatureCache, subject: Subject, used: int) -> None:
    """Fills the subject's entry and dates its last use."""
    cache.outputs(subject, roles=("ORI",))
    os.utime(cache.folder / cache.entry_of(subject) / "used", (used, used))


def names(cache: FeatureCache) -> list[str]:
    return [record.name for record in cache.list()]


def test_the_entry_longest_unused_goes_first_and_no_more_than_must(stand_in, tmp_path):
    cache = FeatureCache(tmp_path)
    for used, name in enumerate(("old", "older", "oldest")[::-1]):
        keep(cache, subject_named(stand_in, name), used)
    sizes = {record.name: record.bytes for record in cache.list()}
    gone = cache.prune(sum(sizes.values()) - 1)
    assert [record.name for record in gone] == ["oldest"]
    gone = cache.prune(sizes["old"])
    assert [record.name for record in gone] == ["older"]
    assert names(cache) == ["old"]
    assert cache.prune(sizes["old"]) == ()
    cache.prune(0)
    assert (names(cache), list(tmp_path.iterdir())) == ([], [])


def test_reading_counts_as_use_and_rewrites_nothing(stand_in, tmp_path):
    cache = FeatureCache(tmp_path)
    first, second = subject_named(stand_in, "first"), subject_named(stand_in, "second")
    keep(cache, first, 1)
    keep(cache, second, 2)
    folder = tmp_path / cache.entry_of(first)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    cache.outputs(first, roles=("ORI",))
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"used"}
    cache.prune(ENTRY_BYTES * 3 // 2)
    assert names(cache) == ["first"]


def test_what_is_held_is_never_removed_and_what_was_let_go_is(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), subject_named(stand_in, "held")
    held = cache.outputs(subject, roles=("ORI",))["ORI"][100:]  # a view is enough
    assert cache.prune(0) == ()
    with pytest.raises(BadInput, match="in use"):
        cache.remove(cache.entry_of(subject))
    np.testing.assert_array_equal(held, stand_in.INPUTS[100:])
    del held
    assert [record.name for record in cache.prune(0)] == ["held"]


def test_without_shared_locks_what_the_system_refuses_to_rename_is_in_use(stand_in, tmp_path, monkeypatch):
    cache, subject = FeatureCache(tmp_path), subject_named(stand_in, "held")
    cache.outputs(subject, roles=("ORI",))
    monkeypatch.setattr(role_file, "fcntl", None)

    def refuse(path, target):  # as Windows does while somebody has the file open
        raise PermissionError(13, "The process cannot access the file")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        assert cache.prune(0) == ()
    np.testing.assert_array_equal(cache.outputs(subject, roles=("ORI",))["ORI"], stand_in.INPUTS)
    assert [record.name for record in cache.prune(0)] == ["held"]


def test_where_the_lock_cannot_be_removed_while_it_is_held_the_entry_goes_all_the_same(stand_in, tmp_path, monkeypatch):
    cache, subject, really = FeatureCache(tmp_path), subject_named(stand_in, "old"), Path.unlink
    cache.outputs(subject, roles=("ORI",))

    def keep_lock(path, missing_ok=False):
        if path.name == "lock":
            raise PermissionError(13, "The process cannot access the file")  # Windows, of a file that is open
        really(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", keep_lock)
    assert [record.name for record in cache.prune(0)] == ["old"]
    assert names(cache) == []
    left = [path.name for path in (tmp_path / cache.entry_of(subject)).iterdir()]
    assert left == ["lock"]  # which filelock removes on Windows as it lets go


def test_what_another_process_holds_is_not_removed_until_it_is_killed(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), stand_in.subject_of(stand_in.Layers)
    cache.outputs(subject, roles=("ORI",))
    code = (
        "import sys; from testimate.feature_cache.shards import load_manifest; from pathlib import Path\n"
        "folder = Path(sys.argv[1]); values = load_manifest(folder).file(folder, 'ORI').read()\n"
        "print(values[0, 0], flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / cache.entry_of(subject))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    assert cache.prune(0) == ()
    holder.kill()
    holder.communicate()
    assert len(cache.prune(0)) == 1


def test_an_entry_that_is_being_filled_is_not_removed(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), subject_named(stand_in, "being filled")
    seen = []

    def prune(done: int, total: int, what: str = "") -> None:
        seen.append(FeatureCache(tmp_path).prune(0))

    cache.outputs(subject, roles=("ORI",), progress=prune)
    assert set(seen) == {()}
    assert names(cache) == ["being filled"]


def test_a_new_entry_makes_room_for_itself(stand_in, tmp_path):
    cache = FeatureCache(tmp_path, limit_bytes=ENTRY_BYTES * 5 // 2)
    for used, name in enumerate(("first", "second", "third")):
        keep(cache, subject_named(stand_in, name), used)
    assert names(cache) == ["second", "third"]


def test_a_disk_without_room_is_said_before_the_model_runs(stand_in, tmp_path, monkeypatch):
    model = stand_in.Layers()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1_000))
    with pytest.raises(StoreUnavailable, match=r"need 0\.0 GB and the disk .* has 0\.0 GB free"):
        FeatureCache(tmp_path).outputs(stand_in.subject_of(lambda: model), roles=("ORI",))
    assert model.rows_run == 1  # to learn how wide the layer is


def test_entries_that_no_one_can_read_go_and_foreign_folders_stay(stand_in, tmp_path):
    (tmp_path / ("0" * 32)).mkdir()
    (tmp_path / ("0" * 32) / "ORI.npy").write_bytes(b"of an earlier version")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "manifest.json").write_text("mine")
    FeatureCache(tmp_path).prune(10**9)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_lock_on_a_folder_that_was_removed_is_not_taken_for_one_on_its_successor(tmp_path):
    folder = tmp_path / "entry"
    with locked(folder, silent, 0):
        assert try_lock(folder) is None
        shutil.rmtree(folder)
        lock = try_lock(folder)  # another folder now, so another lock
        assert lock is not None
        assert try_lock(folder) is None
        lock.release()


def test_an_entry_whose_removal_is_met_by_one_who_waits_for_it_is_theirs_to_fill_anew(stand_in, tmp_path, monkeypatch):
    cache, subject = FeatureCache(tmp_path), subject_named(stand_in, "wanted again")
    keep(cache, subject, 1)
    folder, really_remove = tmp_path / cache.entry_of(subject), os.rmdir
    waited: list[BaseFileLock | None] = []

    def remove_late(*path, **where) -> None:
        waited.append(try_lock(folder))
        really_remove(*path, **where)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rmdir", remove_late)
        assert [record.name for record in cache.prune(0)] == ["wanted again"]
    [lock] = waited
    assert lock is not None
    assert [path.name for path in folder.iterdir()] == ["lock"]
    lock.release()
    np.testing.assert_array_equal(cache.outputs(subject, roles=("ORI",))["ORI"], stand_in.INPUTS)


def test_what_another_process_removes_meanwhile_is_neither_listed_nor_called_damaged(stand_in, tmp_path, monkeypatch):
    cache, going = FeatureCache(tmp_path), subject_named(stand_in, "going")
    keep(cache, subject_named(stand_in, "staying"), 1)

    def load_then_remove(folder):
        manifest = load_manifest(folder)
        if folder.name == cache.entry_of(going):
            shutil.rmtree(folder)
        return manifest

    monkeypatch.setattr("testimate.feature_cache.cache.load_manifest", load_then_remove)
    for look, found in ((lambda: names(cache), ["staying"]), (cache.verify, ())):
        with monkeypatch.context() as patch:
            patch.setattr("testimate.feature_cache.cache.load_manifest", load_manifest)
            keep(cache, going, 2)
        assert look() == found
        assert not (tmp_path / cache.entry_of(going)).exists()


def test_a_range_that_another_process_is_at_is_verified_when_it_is_done(stand_in, tmp_path):
    cache, subject = FeatureCache(tmp_path), subject_named(stand_in, "being filled")
    keep(cache, subject, 1)
    folder = tmp_path / cache.entry_of(subject)
    whole, away, said = folder / "ORI.npy", folder / "away", []
    whole.rename(away)  # between two names, as it is for a moment at the end of a run
    lock = try_lock(folder)
    assert lock is not None

    def done_when_waited_for(done: int, total: int, what: str = "") -> None:
        if what.startswith("waiting") and not said:
            said.append(what)
            away.rename(whole)
            lock.release()

    assert cache.verify(done_when_waited_for) == ()
    assert said
    whole.unlink()
    assert [damage.role for damage in cache.verify()] == ["ORI"]  # what is damaged stays so
