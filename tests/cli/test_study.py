"""The study verb: settings, a study that goes on, tables and plots as files."""

import csv
import json

import pytest


@pytest.fixture
def table(tmp_path):
    """200 inputs, 40 of them wrong, the less confident ones."""
    file = tmp_path / "table.csv"
    rows = [f"{'Fail' if place < 40 else 'Pass'},{place / 200},{(place * 37) % 200}" for place in range(200)]
    file.write_text("outcome,confidence,noise\n" + "\n".join(rows) + "\n")
    return file


PLAN = ("--technique", "gbs", "--technique", "srs", "--budget", 20, "--budget", 40, "--repetitions", 5, "--seed", 1)


def test_a_setting_reaches_its_technique_alone(table, command):
    usual = json.loads(command("study", table, *PLAN, "--json", "-")[1])
    changed = json.loads(command("study", table, *PLAN, "--option", "gbs.clusters=2", "--json", "-")[1])
    for one, other in zip(usual, changed, strict=True):
        alike = one["rmse"] == other["rmse"]
        assert alike == (one["technique"] == "srs")


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("clusters", "Expected NAME=VALUE"),
        ("gbs.depth=3", "None of the techniques has an option 'gbs.depth'"),
        ("gbs.clusters=many", "clusters is 'many'. Expected a whole number"),
        ("gbs.clusters=0", "Expected a whole number from 1 to 100"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_a_sentence(table, command, setting, sentence):
    status, out, said = command("study", table, *PLAN, "--option", setting)
    assert (status, out) == (2, "")
    assert sentence in said


def test_a_study_goes_on_from_its_file(table, tmp_path, command):
    kept = tmp_path / "kept.jsonl"
    first = command("study", table, *PLAN, "--resume", kept, "--json", "-")[1]
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join(lines[:2]) + "\n")
    again = command("study", table, *PLAN, "--resume", kept, "--json", "-")[1]
    seconds = {"seconds": 0}
    assert [row | seconds for row in json.loads(again)] == [row | seconds for row in json.loads(first)]
    assert sorted(json.loads(line)["key"] for line in kept.read_text().splitlines()) == sorted(
        json.loads(line)["key"] for line in lines
    )


def test_tables_and_plots_are_written_and_say_the_same(table, tmp_path, command):
    files = {name: tmp_path / f"study.{name}" for name in ("csv", "md", "html", "json")}
    status, out, _ = command(
        *("study", table, *PLAN, "--csv", files["csv"], "--markdown", files["md"], "--plot", files["html"]),
        *("--json", files["json"]),
    )
    assert (status, out) == (0, "")
    rows = json.loads(files["json"].read_text())
    with files["csv"].open(newline="") as file:
        assert [float(row["rmse"]) for row in csv.DictReader(file)] == [row["rmse"] for row in rows]
    assert files["md"].read_text().count("\n") == len(rows) + 2
    assert "gbs" in files["html"].read_text()


def test_a_file_that_cannot_be_written_is_told_in_a_sentence(table, tmp_path, command):
    status, _, said = command("study", table, *PLAN, "--csv", tmp_path / "nowhere" / "study.csv")
    assert status == 2
    assert "could not be written" in said


def test_without_a_named_score_a_study_takes_the_one_the_app_takes(tmp_path, command):
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("label,prediction,lsa\n" + "".join(f"{row}.5,{row}.{row % 7},{row % 7}\n" for row in range(60)))
    found = command(
        "study", numbers, "--technique", "rrs", "--budget", 20, "--repetitions", 2, "--seed", 1, "--json", "-"
    )
    assert found[0] == 0
    assert json.loads(found[1])[0]["auxiliary"] == "lsa"


def test_against_srs_a_study_gives_gain_wilcoxon_and_a12(table, tmp_path, command):
    out = json.loads(command("study", table, *PLAN, "--against", "srs", "--json", "-")[1])
    errors = {row["rmse"] for row in out["rows"]}
    assert len(errors) == 4
    [first, second, every] = out["against"]
    assert [one["budget"] for one in (first, second, every)] == [20, 40, None]
    rmse = {(row["technique"], row["budget"]): row["rmse"] for row in out["rows"]}
    assert second["gain"] == pytest.approx(1 - rmse["gbs", 40] / rmse["srs", 40])
    assert second["gain_low"] < second["gain"] < second["gain_high"]
    words = command("study", table, *PLAN, "--against", "srs")[1]
    assert "Against srs" in words
    status, _, said = command("study", table, *PLAN, "--against", "rrs")
    assert status == 2
    assert "--against is 'rrs'. Expected a technique of the study." in said


def test_subjects_are_paired_by_kind_and_by_accuracy(table, tmp_path, command):
    other = tmp_path / "other.csv"
    command("study", table, *PLAN, "--seed", 2, "--csv", other)
    out = json.loads(
        command("study", table, *PLAN, "--against", "srs", "--among", f"shifted={other}", "--json", "-")[1]
    )
    parts = {one["subjects"]: one["pairs"] for one in out["against"] if one["subjects"]}
    assert parts == {"all": 2, "this table": 1, "shifted": 1, "higher accuracy": 2}
    assert "KIND=FILE.csv" in command("study", table, *PLAN, "--against", "srs", "--among", other)[2]
