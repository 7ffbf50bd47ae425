"""The command line keeps its contract: same verbs, JSON that machines read, one sentence where something is wrong."""

import csv
import json
import math
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import typer

from testimate.cli import app


def votes_of(plan: Path, table: Path, path: Path, kind: str = "failed") -> Path:
    """Votes on every draw of a plan, from the truth in the table."""
    truth = list(csv.DictReader(table.read_text().splitlines()))
    rows = dict.fromkeys(draw["row"] for draw in json.loads(plan.read_text())["draws"])
    cells = {
        "failed": lambda line: int(line["label"] != line["prediction"]),
        "label": lambda line: line["label"],
        "loss": lambda line: float(line["label"] != line["prediction"]),
    }[kind]
    path.write_text(f"row,{kind}\n" + "".join(f"{row},{cells(truth[row])}\n" for row in rows))
    return path


def test_a_plan_written_voted_on_and_estimated_gives_the_numbers_of_the_formula(table, tmp_path, command):
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    assert command("select", table, "--technique", "srs", "--budget", 30, "--seed", 3, "--out", plan)[0] == 0
    votes_of(plan, table, votes)
    status, out, _ = command("estimate", plan, votes, "--json", "-")
    assert status == 0
    estimate = json.loads(out)
    failed = [int(line["failed"]) for line in csv.DictReader(votes.read_text().splitlines())]
    assert estimate["accuracy"] == pytest.approx(1 - sum(failed) / 30)
    assert estimate["labeled"] == 30
    p = sum(failed) / 30
    assert estimate["standard_error"] == pytest.approx(math.sqrt((1 - 30 / 60) * p * (1 - p) / 29))
    assert (
        estimate["always_low"] <= estimate["low"] <= estimate["accuracy"] <= estimate["high"] <= estimate["always_high"]
    )


@pytest.mark.parametrize("kind", ["label", "loss"])
def test_labels_and_losses_say_the_same_as_failures(table, tmp_path, command, kind):
    plan = tmp_path / "plan.json"
    command("select", table, "--technique", "rrs", "--budget", 40, "--seed", 1, "--out", plan)
    results = []
    for name in ("failed", kind):
        votes = votes_of(plan, table, tmp_path / f"{name}.csv", name)
        results.append(json.loads(command("estimate", plan, votes, "--json", "-")[1]))
    assert results[0] == results[1]


def test_the_same_seed_writes_the_same_plan_to_the_byte(table, tmp_path, command):
    plans = []
    for name in ("a.json", "b.json"):
        plan = tmp_path / name
        assert command("select", table, "--technique", "ssrs", "--budget", 20, "--seed", 9, "--out", plan)[0] == 0
        plans.append(plan.read_bytes())
    assert plans[0] == plans[1]


def test_a_technique_in_two_phases_goes_on_after_the_votes_of_the_first(table, tmp_path, command):
    plan, votes = tmp_path / "plan.json", tmp_path / "votes.csv"
    command("select", table, "--technique", "ssoa-r-p", "--budget", 48, "--seed", 1, "--out", plan)
    first = json.loads(plan.read_text())["draws"]
    assert len(first) < 48
    votes_of(plan, table, votes)
    assert command("continue", plan, votes, "--out", plan)[0] == 0
    draws = json.loads(plan.read_text())["draws"]
    assert draws[: len(first)] == first
    assert len({draw["row"] for draw in draws}) == 48


def test_probabilities_of_sups_sum_to_one_over_the_inputs_drawn_often_enough(table, tmp_path, command):
    plan = tmp_path / "plan.json"
    command("select", table, "--technique", "sups", "--auxiliary", "dsa", "--budget", 60, "--seed", 1, "--out", plan)
    seen = {draw["row"]: draw["probability"] for draw in json.loads(plan.read_text())["draws"]}
    dsa = np.arange(60) * 0.1
    expected = 0.95 * dsa / dsa.sum() + 0.05 / 60  # the uniform share of 5% mixed in
    assert all(math.isclose(chance, expected[row]) for row, chance in seen.items())


def test_an_auxiliary_that_counts_the_other_way_round_is_turned(table, tmp_path, command):
    flipped = tmp_path / "flipped.csv"
    lines = table.read_text().splitlines()
    flipped.write_text(
        lines[0] + "\n" + "".join(f"{line.rsplit(',', 1)[0]},-{line.rsplit(',', 1)[1]}\n" for line in lines[1:])
    )
    rows = []
    for path, auxiliary in ((table, "dsa"), (flipped, "dsa:lower")):
        plan = tmp_path / "plan.json"
        arguments = ("--technique", "ssrs", "--auxiliary", auxiliary, "--budget", 20, "--seed", 4, "--out", plan)
        assert command("select", path, *arguments)[0] == 0
        rows.append([draw["row"] for draw in json.loads(plan.read_text())["draws"]])
    assert rows[0] == rows[1]


def test_the_metrics_of_the_paper_come_out_of_an_order_file(tmp_path, command):
    order = tmp_path / "order.csv"  # example 5, dataset A: 6 of the first 10 inputs are faults, 100 inputs, 10 faults
    order.write_text("failed,probability\n" + "".join(f"{int(i < 6)},0.95\n" for i in range(10)))
    status, out, _ = command("metrics", order, "--size", 100, "--faults", 10, "--json", "-")
    assert status == 0
    metrics = json.loads(out)
    assert metrics["wfdr"] == pytest.approx(0.5873, abs=5e-5)
    assert metrics["atrc"] == pytest.approx(0.8874, abs=5e-5)
    assert metrics["fdro"] == pytest.approx(0.6)


def test_a_study_prints_one_record_per_technique_and_budget(table, command):
    status, out, _ = command(
        *("study", table, "--technique", "srs", "--technique", "rrs", "--budget", 20, "--budget", 40),
        *("--repetitions", 20, "--seed", 1, "--json", "-"),
    )
    assert status == 0
    rows = json.loads(out)
    assert [(row["technique"], row["budget"]) for row in rows] == [("srs", 20), ("srs", 40), ("rrs", 20), ("rrs", 40)]
    assert all(row["truth"] == pytest.approx(0.8) for row in rows)


def test_the_list_of_techniques_names_what_each_needs(command):
    rows = json.loads(command("techniques", "--json", "-")[1])
    assert {"srs", "rrs", "ssoa-r-p", "ssoa-c-p", "ssrs", "sups", "pace"} <= {row["name"] for row in rows}
    assert all(row["source"] and row["needs"] for row in rows)


WRONG = {
    "a budget above N": (
        ("select", "{table}", "--technique", "srs", "--budget", 61, "--seed", 1, "--out", "{out}"),
        "60",
    ),
    "a budget of 0": (("select", "{table}", "--technique", "srs", "--budget", 0, "--seed", 1, "--out", "{out}"), "1"),
    "no such technique": (
        ("select", "{table}", "--technique", "best", "--budget", 5, "--seed", 1, "--out", "{out}"),
        "rrs",
    ),
    "no such score": (
        *(
            (
                "select",
                "{table}",
                "--technique",
                "rrs",
                "--auxiliary",
                "luck",
                "--budget",
                5,
                "--seed",
                1,
                "--out",
                "{out}",
            ),
        ),
        "dsa",
    ),
    "no features": (
        ("select", "{table}", "--technique", "pace", "--budget", 5, "--seed", 1, "--out", "{out}"),
        "features",
    ),
    "no such file": (
        ("select", "nowhere.csv", "--technique", "srs", "--budget", 5, "--seed", 1, "--out", "{out}"),
        "nowhere",
    ),
    "no such option": (
        *(("select", "{table}", "--technique", "srs", "--set", "x=1", "--budget", 5, "--seed", 1, "--out", "{out}"),),
        "replacement",
    ),
    "no such folder": (
        *(("select", "{table}", "--technique", "srs", "--budget", 5, "--seed", 1, "--out", "/nowhere/at/all.json"),),
        "/nowhere/at/all.json",
    ),
    "no plan": (("estimate", "{table}", "{table}"), "plan"),
    "a level of 2": (("estimate", "plan.json", "votes.csv", "--level", 2), "level"),
    "no such demo": (("demo", "cats"), "digits"),
    "an open address": (("app", "--address", "0.0.0.0"), "0.0.0.0"),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_told_in_one_sentence_with_exit_status_2_and_leaves_no_file(what, table, tmp_path, command):
    arguments, message = WRONG[what]
    out = tmp_path / "out.json"
    status, stdout, err = command(*(str(part).format(table=table, out=out) for part in arguments))
    assert status == 2
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert stdout == ""
    assert not out.exists()


@pytest.mark.parametrize("verb", ["select", "prioritize"])
def test_a_model_and_its_data_in_place_of_a_table_name_the_verb_that_makes_one(verb, table, tmp_path, command):
    model = tmp_path / "net.onnx"
    model.write_bytes(b"\x08\x08:\x00")  # the version of its format, and an empty graph
    for given in ((model, table), (table, model)):
        status, _, err = command(verb, *given, "--budget", 5)
        assert status == 2
        assert f"testimate features {model} {table} --out table.parquet, and then testimate {verb} table.parquet" in err


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ("row,failed\n{other},1\n", "did not pick it"),
        ("row,failed\n{drawn},1\n{drawn},0\n", "twice"),
        ("row,failed\n{drawn},maybe\n", "maybe"),
        ("row,label\n{drawn},cat\n", "cat"),
        ("row,loss\n{drawn},-1\n", "-1"),
        ("row\n{drawn}\n", "Expected row and exactly one of"),
        ("", "Expected row and exactly one of"),
        ("row,failed,loss\n{drawn},1,1\n", "exactly one"),
    ],
)
def test_votes_that_do_not_fit_the_plan_are_refused(votes, message, table, tmp_path, command):
    plan, path = tmp_path / "plan.json", tmp_path / "votes.csv"
    command("select", table, "--technique", "srs", "--budget", 5, "--seed", 1, "--out", plan)
    drawn = {draw["row"] for draw in json.loads(plan.read_text())["draws"]}
    path.write_text(votes.format(drawn=min(drawn), other=min(set(range(60)) - drawn)))
    status, _, err = command("estimate", plan, path)
    assert status == 2
    assert message in err


def test_a_plan_whose_table_has_changed_is_refused(table, tmp_path, command):
    plan = tmp_path / "plan.json"
    command("select", table, "--technique", "srs", "--budget", 5, "--seed", 1, "--out", plan)
    votes = votes_of(plan, table, tmp_path / "votes.csv")
    table.write_text(table.read_text().replace("0.99", "0.98"))
    status, _, err = command("estimate", plan, votes)
    assert status == 2
    assert "changed" in err


def test_the_installed_command_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "testimate.cli", "techniques"], capture_output=True, text=True, check=True
    )
    assert "rrs" in done.stdout
    refused = subprocess.run([sys.executable, "-m", "testimate.cli", "demo", "cats"], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


def test_a_verb_imports_no_more_than_it_needs():
    code = "import sys; from testimate.cli import app; app(['--version'], standalone_mode=False); print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.startswith(f"testimate {version('testimate')}")
    assert not {"numpy", "testimate.core.task", "testimate.cli.estimate"} & set(shown.split())


def verbs(group, *names: str) -> list[tuple[str, ...]]:
    """Every command that the program offers, with the groups it stands in."""
    found = []
    for name, one in group.commands.items():
        found += verbs(one, *names, name) if hasattr(one, "commands") else [(*names, name)]
    return found


VERBS = verbs(typer.main.get_command(app))


def test_every_verb_has_help_with_an_example(command):
    assert {("select",), ("estimate",), ("sessions", "export"), ("cache", "prune")} <= set(VERBS)
    for verb in VERBS:
        assert f"Example: testimate {' '.join(verb)}" in command.ok(*verb, "--help")


def test_a_training_table_feeds_the_techniques_that_need_one_and_belongs_to_the_plan(table, tmp_path, command):
    training = tmp_path / "training.csv"
    training.write_text(table.read_text().replace("0.99", "0.97"))
    plan = tmp_path / "plan.json"
    arguments = ("select", table, "--technique", "ssoa-r-t", "--budget", 20, "--seed", 1, "--out", plan)
    assert "training" in command(*arguments)[2]
    assert command(*arguments, "--training", training)[0] == 0
    votes = votes_of(plan, table, tmp_path / "votes.csv")
    assert command("estimate", plan, votes)[0] == 0
    training.write_text(table.read_text())
    assert "changed" in command("estimate", plan, votes)[2]


def test_the_conservative_interval_holds_the_ordinary_one(table, tmp_path, command):
    plan = tmp_path / "plan.json"
    command("select", table, "--technique", "srs", "--budget", 30, "--seed", 3, "--out", plan)
    votes = votes_of(plan, table, tmp_path / "votes.csv")
    ordinary, conservative = (
        json.loads(command("estimate", plan, votes, "--interval", kind, "--json", "-")[1])
        for kind in ("ordinary", "conservative")
    )
    assert conservative["low"] < ordinary["low"]
    assert conservative["high"] >= ordinary["high"]  # at most what the labels leave possible
    assert "moderate" in command("estimate", plan, votes, "--interval", "moderate")[2]


def test_a_study_takes_features_from_a_file(table, tmp_path, command):
    np.save(tmp_path / "f.npy", np.random.default_rng(0).random((60, 3)).astype(np.float32))
    status, out, err = command(
        *("study", table, "--technique", "pace", "--features", tmp_path / "f.npy", "--budget", 10),
        *("--repetitions", 2, "--seed", 1, "--json", "-"),
    )
    assert status == 0
    assert err == (
        "60 rows: truth `label` (hidden from testers) · `prediction` 3 classes · `confidence` = chance of the predicted class, "
        "0.40 to 0.99 · scores `dsa`\n"
    )
    assert json.loads(out)[0]["technique"] == "pace"


def test_the_version_is_that_of_the_installed_package(command):
    assert command.ok("--version") == f"testimate {version('testimate')}\n"
