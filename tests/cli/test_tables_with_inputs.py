"""A table with its inputs at the terminal: files by name in plans and orders, roles and classes by option, top-k."""

import csv
import json
import zipfile

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    chances, truth = rng.dirichlet(np.ones(4) / 2, 60), rng.integers(0, 4, 60)
    frame = pd.DataFrame(chances, columns=[f"p_{name}" for name in ("ant", "bee", "cat", "dog")])
    frame["path"] = [f"{row:02}.txt" for row in range(60)]
    frame.to_csv(tmp_path / "t.csv", index=False)
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        for row in range(1, 61):
            archive.writestr(f"texts/{row:02}.txt", f"text {row}")
    return tmp_path, frame, np.array(["ant", "bee", "cat", "dog"])[truth]


def test_plans_and_orders_name_the_file_of_each_row_and_say_what_is_missing(table, command):
    folder, frame, _ = table
    given = ("--column", "file=path", "--inputs", folder / "texts.zip")
    done = command("select", folder / "t.csv", *given, "--budget", 8, "--seed", 1, "--out", folder / "plan.json")
    assert done.status == 0
    assert "Rows without a file: 1 (00.txt)" in done.err
    assert "Files of no row: 1 (texts/60.txt)" in done.err
    draws = json.loads((folder / "plan.json").read_text())["draws"]
    assert [draw["file"] for draw in draws] == [frame["path"][draw["row"]] for draw in draws]
    command.ok(
        *("prioritize", folder / "t.csv", *given, "--technique", "deepgini", "--seed", 1, "--out", folder / "order.csv")
    )
    with (folder / "order.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["file"] for line in lines] == [frame["path"][int(line["row"])] for line in lines]


def test_a_plan_remembers_its_columns_its_top_k_and_a_class_that_was_never_predicted(table, command):
    folder, frame, truth = table
    command.ok(
        *("select", folder / "t.csv", "--column", "file=path", "--top-k", 2, "--class", "owl", "--technique", "srs"),
        *("--budget", 60, "--seed", 1, "--out", folder / "plan.json"),
    )
    said = truth.copy()
    said[:6] = "owl"
    votes = folder / "votes.csv"
    pd.DataFrame({"row": range(60), "label": said}).to_csv(votes, index=False)
    found = json.loads(command.ok("estimate", folder / "plan.json", votes, "--json", "-"))
    first_two = np.argsort(-frame.iloc[:, :4].to_numpy(), axis=1)[:, :2]
    names = np.array(["ant", "bee", "cat", "dog"])[first_two]
    assert found["accuracy"] == pytest.approx((names == said[:, None]).any(axis=1).mean())


def test_columns_that_cannot_be_what_was_said_end_in_a_sentence(table, command):
    folder, _, _ = table
    for given, words in (
        (("--column", "file"), "Expected ROLE=NAME"),
        (("--column", "file=nowhere"), "There is no column 'nowhere' for the file"),
        (("--column", "file=path", "--inputs", folder / "t.csv"), "is not a zip. Expected a folder or a zip"),
    ):
        said = command.refusal(
            "select", folder / "t.csv", *given, "--budget", 5, "--seed", 1, "--out", folder / "p.json"
        )
        assert words in said
        assert not (folder / "p.json").exists()
