"""Runs that are killed, that run side by side or into a full disk, each in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from testimate.feature_cache import FeatureCache

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("slow_run.py")
ROLES = ("ORI", "FL", "LHL", "CON")


def start(folder: Path, *, seconds: float = 0.0, most: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), str(folder), str(seconds), str(most)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def kill_at(process: subprocess.Popen[str], row: int) -> None:
    """Kills the process outright once it has begun the batch at that row."""
    assert process.stdout is not None
    for line in process.stdout:
        if int(line.split()[1]) >= row:
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_killed_twice_and_resumed_leaves_the_same_bytes_as_one_that_was_not(tmp_path):
    kill_at(start(tmp_path / "killed", seconds=0.02), 300)
    (record,) = FeatureCache(tmp_path / "killed").list()
    assert not record.whole
    kill_at(start(tmp_path / "killed", seconds=0.02), 700)
    said, errors = start(tmp_path / "killed").communicate()
    assert errors == ""
    rows_run = int(said.split()[-1])
    # of what was run before row 700: the range it was in, the batch just being written, and a tenth of a second
    assert 0 < rows_run <= 360 + 0.1 / 0.02 * 20
    _, errors = start(tmp_path / "whole").communicate()
    assert errors == ""
    assert files_in(tmp_path / "killed") == files_in(tmp_path / "whole")
    beside = ("lock", "manifest.json", "used", "writers.json")
    assert sorted(files_in(tmp_path / "whole")) == sorted([*(f"{role}.npy" for role in ROLES), *beside])


@pytest.mark.parametrize("row", [0, 20, 980])
def test_killed_anywhere_a_run_can_be_finished(stand_in, tmp_path, row):
    kill_at(start(tmp_path, seconds=0.002), row)
    outputs = FeatureCache(tmp_path).outputs(stand_in.subject_of(stand_in.Layers), roles=ROLES)
    np.testing.assert_array_equal(outputs["FL"], stand_in.expected(stand_in.INPUTS)["dense"])
    assert FeatureCache(tmp_path).verify() == ()


def test_two_processes_at_once_share_the_work_and_do_no_harm(stand_in, tmp_path):
    both = [start(tmp_path, seconds=0.01), start(tmp_path, seconds=0.01)]
    rows_run = []
    for process in both:
        said, errors = process.communicate()
        assert errors == ""
        rows_run.append(int(said.split()[-1]))
    assert sorted(rows_run) == [0, 1_001]  # the first row once more, to learn how wide the layers are
    outputs = FeatureCache(tmp_path).outputs(stand_in.subject_of(stand_in.Layers), roles=ROLES)
    np.testing.assert_array_equal(outputs["CON"], stand_in.expected(stand_in.INPUTS)["out"])


def test_a_full_disk_is_said_in_a_sentence_and_what_was_kept_stays_whole(stand_in, tmp_path):
    process = start(tmp_path, most=3_000)  # no file may grow beyond 3,000 bytes
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "StoreUnavailable: The feature cache in" in errors
    assert "Free space, or choose another project folder." in errors
    outputs = FeatureCache(tmp_path).outputs(stand_in.subject_of(stand_in.Layers), roles=ROLES)
    np.testing.assert_array_equal(outputs["ORI"], stand_in.INPUTS)


@pytest.mark.slow  # TensorFlow starts four times
def test_keras_killed_twice_from_the_terminal_leaves_the_same_bytes_as_a_run_that_was_not(real_data, tmp_path):
    files = [str(real_data / "pace" / "LeNet-5.h5"), str(real_data / "mnist" / "mnist.npz")]

    def begun(project: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "testimate.cli", "features", *files, "--layers", "first,lhl,con", "--quiet"]
        return subprocess.Popen([*command, "--project", str(tmp_path / project)], cwd=ROOT, stdout=subprocess.DEVNULL)

    for ranges in (5, 12):  # of 20
        process, kept = begun("killed"), 0
        while kept < ranges and process.poll() is None:
            manifests = [json.loads(path.read_text()) for path in (tmp_path / "killed").rglob("manifest.json")]
            kept = max((len(one["roles"].get("LHL", {"digests": ()})["digests"]) for one in manifests), default=0)
        assert process.poll() is None, "it was too quick to be killed"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not list((tmp_path / "killed").rglob("LHL.npy"))
    for project in ("killed", "whole"):
        assert begun(project).wait() == 0
    killed, whole = (files_in(tmp_path / project / "cache") for project in ("killed", "whole"))
    assert killed == whole
    assert {"FL.npy", "LHL.npy", "CON.npy"} <= set(whole)
