"""Where a verb writes: nothing that was there is lost, and what is no plain file stays what it is."""

import json
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pytest

SELECT = ("--technique", "srs", "--budget", 5, "--seed", 1)


def test_a_pipe_takes_the_plan_and_stays_a_pipe(command, table, tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert command("select", table, *SELECT, "--out", pipe)[0] == 0
    reader.join(timeout=20)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert len(json.loads(read[0])["draws"]) == 5


def test_what_a_link_names_is_written_and_the_link_stays(command, table, tmp_path):
    plan, link = tmp_path / "plan.json", tmp_path / "link.json"
    plan.write_text("old")
    link.symlink_to(plan)
    assert command("select", table, *SELECT, "--out", link)[0] == 0
    assert link.is_symlink()
    assert len(json.loads(plan.read_text())["draws"]) == 5


@pytest.mark.parametrize("out", [".", "/", "", "folder"])
@pytest.mark.parametrize(
    "verb",
    [
        ("select", "table.csv", *SELECT, "--out"),
        ("prioritize", "table.csv", "--technique", "confidence", "--seed", 1, "--out"),
        ("study", "table.csv", "--technique", "srs", "--budget", 5, "--repetitions", 2, "--seed", 1, "--csv"),
        ("shift", "pictures.npy", "--shift", "fog", "--seed", 1, "--out"),
        ("convert", "cifar", "folder", "--out"),
    ],
    ids=lambda verb: verb[0],
)
def test_a_folder_in_the_place_of_the_file_is_refused_in_words(verb, out, command, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    np.save("pictures.npy", np.zeros((2, 8, 8)))
    status, _, err = command(*verb, out)
    assert (status, err.count("\n")) == (2, 1)
    assert f"'{out or '.'}' is a folder" in err


@pytest.mark.parametrize("by_link", [False, True], ids=["itself", "by a link"])
@pytest.mark.parametrize(
    "verb",
    [
        ("table.csv", "select", "table.csv", *SELECT, "--out"),
        ("training.csv", "select", "table.csv", "--training", "training.csv", *SELECT, "--out"),
        ("table.csv", "prioritize", "table.csv", "--technique", "confidence", "--seed", 1, "--out"),
        ("plan.json", "estimate", "plan.json", "votes.csv", "--json"),
        ("table.csv", "estimate", "plan.json", "votes.csv", "--json"),
        ("votes.csv", "continue", "plan.json", "votes.csv", "--out"),
        ("pictures.npy", "shift", "pictures.npy", "--shift", "fog", "--seed", 1, "--out"),
        ("order.csv", "metrics", "order.csv", "--size", 2, "--json"),
        ("order.csv", "rank", "order.csv", "--json"),
        (
            "table.csv",
            "study",
            "table.csv",
            "--technique",
            "srs",
            "--budget",
            5,
            "--repetitions",
            2,
            "--seed",
            1,
            "--csv",
        ),
    ],
    ids=lambda verb: f"{verb[1]} over {verb[0]}",
)
def test_no_verb_writes_over_what_it_reads(verb, by_link, command, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("training.csv").write_text(table.read_text())
    Path("order.csv").write_text("failed,probability\n1,0.5\n0,0.9\n")
    np.save("pictures.npy", np.zeros((2, 8, 8)))
    command("select", "table.csv", *SELECT, "--out", "plan.json")
    Path("votes.csv").write_text("row,failed\n")
    read, *arguments = verb
    before = Path(read).read_bytes()
    Path("link").symlink_to(read)
    if by_link and read == "pictures.npy":
        Path("link").rename("link.npy")
    status, _, err = command(
        *arguments, {True: "link.npy" if Path("link.npy").is_symlink() else "link", False: read}[by_link]
    )
    assert (status, err.count("\n")) == (2, 1)
    assert "would be overwritten" in err
    assert Path(read).read_bytes() == before


def test_two_tables_of_a_study_need_two_files(command, table):
    study = ("study", table, "--technique", "srs", "--budget", 5, "--repetitions", 2, "--seed", 1)
    status, _, err = command(*study, "--csv", "same.txt", "--markdown", "same.txt")
    assert status == 2
    assert "would be overwritten" in err


def test_a_folder_that_is_not_there_is_named_and_not_the_hidden_file_in_it(command, tmp_path):
    np.save(tmp_path / "pictures.npy", np.zeros((2, 8, 8)))
    out = tmp_path / "none" / "foggy.npy"
    status, _, err = command("shift", tmp_path / "pictures.npy", "--shift", "fog", "--seed", 1, "--out", out)
    assert status == 2
    assert err.startswith(f"{out} could not be written")
    assert ".part" not in err


@pytest.mark.parametrize(
    "verb",
    [("select", ".", *SELECT, "--out", "o.json"), ("rank", "."), ("metrics", ".", "--size", 2)],
    ids=lambda v: v[0],
)
def test_a_folder_in_the_place_of_a_table_is_named_as_it_was_given(verb, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = command(*verb)
    assert status == 2
    assert "'.' is a folder" in err


def test_cifar_that_is_not_there_is_missing_and_a_folder_without_it_is_named(command, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert "There is no nosuch" in command("convert", "cifar", "nosuch", "--out", "o.npz")[2]
    err = command("convert", "cifar", ".", "--out", "o.npz")[2]
    assert "'other'" in err
