"""Results of earlier models at the terminal, in the table and in a project: read, planned with, replayed and refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import testimate
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import EarlierResults, Inputs
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.planning.build import build
from testimate.planning.forecast import expected_half_widths
from testimate.planning.history import history_words, with_history
from testimate.planning.known_inputs import inputs_of_table, with_history_file
from testimate.planning.needs import HISTORY, default_auxiliary
from testimate.project.project import Project
from testimate.subjects.table_choices import AS_NAMED, TableChoices
from testimate.tables.rules import TRANSLATED
from testimate.tasks.classification import Classification
from testimate.tasks.verdict import Judgment
from tests.each import each

SIZE = 200


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A table and two earlier models' results, which fail on the same inputs as the tested one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(54)
    hard = rng.normal(-1, 2, SIZE)
    wrong = (rng.random((SIZE, 3)) < 1 / (1 + np.exp(-hard))[:, None]).astype(int)
    names = [f"k{row}" for row in range(SIZE)]
    label = np.array(["a", "b"])[rng.integers(0, 2, SIZE)]
    said = np.where(wrong[:, 0] == 1, np.where(label == "a", "b", "a"), label)
    pd.DataFrame({"key": names, "prediction": said, "label": label}).to_csv("table.csv", index=False)
    results = pd.DataFrame({"key": names, "v1": 1 - wrong[:, 1], "v2": np.where(wrong[:, 2], "wrong", "right")})
    results.sample(frac=1, random_state=1).to_csv("results.csv", index=False)
    return wrong


def read(results):
    table = Path("table.csv")
    return with_history_file(inputs_of_table(table), Path(results), table, AS_NAMED)


def test_select_follows_the_results_and_estimate_finds_them_again(command, files):
    said = command("select", "table.csv", "--history", "results.csv", "--budget", 60, "--seed", 1, "--out", "plan.json")
    assert said.status == 0
    assert "results of 2 earlier models" in said.err
    plan = json.loads(Path("plan.json").read_text())
    assert (plan["history"], plan["parameters"]["auxiliary"], plan["technique"]) == ("results.csv", HISTORY, "rrs")
    assert "chance of failure" in plan["draws"][0]["reason"]
    rows = [draw["row"] for draw in plan["draws"]]
    assert files[rows, 1:].mean() > files[:, 1:].mean()
    pd.DataFrame({"row": rows, "label": pd.read_csv("table.csv")["label"][rows].to_numpy()}).to_csv(
        "votes.csv", index=False
    )
    assert "from 60 labels" in command.ok("estimate", "plan.json", "votes.csv")


def test_adaptive_rounds_and_a_study_take_the_results(command, files):
    command.ok(
        "select",
        "table.csv",
        "--history",
        "results.csv",
        "--technique",
        "rra",
        "--budget",
        60,
        "--seed",
        1,
        "--out",
        "p.json",
    )
    plan = json.loads(Path("p.json").read_text())
    assert plan["parameters"]["auxiliary"] == HISTORY
    found = json.loads(
        command.ok(
            "study",
            "table.csv",
            "--history",
            "results.csv",
            "--technique",
            "rrs",
            "--budget",
            40,
            "--repetitions",
            3,
            "--seed",
            1,
            "--json",
            "-",
            "--quiet",
        )
    )
    assert found[0]["technique"] == "rrs"


def test_results_match_by_key_whatever_their_order(files):
    found = read("results.csv")
    assert (found.history.losses == files[:, 1:]).all()
    assert default_auxiliary(found) == HISTORY


@each(
    "column, says",
    [
        (
            ["gpt"] * SIZE,
            "Column 'v1', row 0 .* is 'gpt'. Expected an earlier model's result, right or wrong, or 1 or 0",
        ),
        ([3.5] * SIZE, "is '3.5'. Expected an earlier model's result"),
        ([1] * SIZE, "has the same result everywhere"),
        ([1] * 10, "has 10 rows and the tested model 200 inputs"),
    ],
)
def test_results_that_cannot_be_used_are_refused_in_a_sentence(files, column, says):
    pd.DataFrame({"v1": column}).to_csv("bad.csv", index=False)
    with pytest.raises(BadInput, match=says):
        read("bad.csv")


def test_a_column_of_the_table_may_be_an_earlier_models_result(files):
    frame = pd.read_csv("table.csv")
    frame["old"] = 1 - files[:, 1]
    frame.to_csv("one.csv", index=False)
    plain, read = (
        inputs_of_table(Path("one.csv"), choices=TableChoices(columns=chosen)) for chosen in ((), (("history", "old"),))
    )
    assert (read.history.losses[:, 0] == files[:, 1]).all()
    assert "old" not in read.scores
    assert read.reading.roles["old"].role == "history"
    assert plain.history is None
    assert plain.fingerprint != read.fingerprint


def test_grades_are_read_on_their_scale_and_blanks_are_said():
    task = Judgment("1-5")
    inputs = Inputs("f" * 32, task, np.full(4, task.best))
    losses = np.array([[0.0, 0.25], [1.0, 0.5], [np.nan, 0.0], [0.5, 0.5]])
    found = with_history(inputs, EarlierResults("old.csv", losses))
    assert found.scores[HISTORY][1] == found.scores[HISTORY].max()
    assert "1 of 8 results is blank" in history_words(found.history)
    assert len(found.part(np.array([0, 2])).history.losses) == 2


def test_the_owns_confidence_joins_and_another_history_is_refused():
    sure = np.linspace(0.5, 0.99, 100)
    inputs = Inputs("f" * 32, Classification(("a", "b")), np.zeros(100, int), sure, scores={"confidence": 1 - sure})
    history = EarlierResults("old.csv", (np.arange(100) % 4 == 0)[:, None].astype(float))
    found = with_history(inputs, history)
    assert found.scores[HISTORY][0] > found.scores[HISTORY][1]
    assert found.scores[HISTORY][0] > found.scores[HISTORY][96]
    assert found.fingerprint != inputs.fingerprint
    with pytest.raises(BadInput, match="already"):
        with_history(found, history)
    assert "confidence" not in build(found, Request("rrs", 5, 1, auxiliary=HISTORY)).ask(1)[0].reason


def test_a_session_planned_with_results_opens_again(files, tmp_path):
    project = Project(tmp_path / "project")
    key = project.add_table("table.csv", Path("table.csv").read_bytes()).key
    kept = project.others.add_history(key, "results.csv", Path("results.csv").read_bytes())
    request = Request("rrs", 20, 1, auxiliary=HISTORY)
    session = project.start_session(key, request, others=(kept.fingerprint,))
    rows = [draw.row for draw in session.upcoming(5)]
    again = Project(tmp_path / "project")
    assert again.others.of(key) == ()
    assert [one.name for one in again.others.histories(key)] == ["results.csv"]
    assert [draw.row for draw in again.session(session.session_record.id).upcoming(5)] == rows
    with pytest.raises(BadInput, match="session was planned"):
        again.others.remove(key, kept.fingerprint)


def test_results_join_the_inputs_in_python_as_at_the_terminal(command, files):
    command.ok("select", "table.csv", "--history", "results.csv", "--budget", 60, "--seed", 1, "--out", "plan.json")
    drawn = [draw["row"] for draw in json.loads(Path("plan.json").read_text())["draws"]]
    subject = testimate.open_subject("table.csv")
    for results in ("results.csv", pd.read_csv("results.csv")):
        inputs = testimate.with_history(subject, results)
        plan = testimate.select(inputs, budget=60, seed=1)
        assert [*plan.rows] == drawn
    labels = dict(zip(drawn, pd.read_csv("table.csv")["label"][drawn], strict=True))
    assert testimate.estimate(plan, labels, subject=inputs).estimate.labeled == 60
    asked = {"techniques": ["rrs"], "budgets": [40], "repetitions": 2, "seed": 1, "auxiliaries": [HISTORY]}
    [row] = testimate.study(inputs, **asked)
    assert row.auxiliary == HISTORY


def test_without_a_confidence_the_forecast_takes_what_earlier_models_got_wrong(command, files):
    inputs = read("results.csv")
    found = expected_half_widths(inputs, [60], chosen=Request("rrs", 60, 1, auxiliary=HISTORY))
    widths = []
    for seed in range(40):
        selector = build(inputs, Request("rrs", 60, seed, auxiliary=HISTORY))
        verdicts = [Verdict(draw, float(files[draw.row, 0])) for draw in selector.ask(60)]
        estimate = estimator_of(selector.design).estimate(selector.design, verdicts, level=0.95, loss_bound=1.0)
        widths.append((estimate.high - estimate.low) / 2)
    assert found["rrs"][0] == pytest.approx(np.mean(widths), rel=0.15)
    assert found["rrs"][0] < found["srs"][0]
    said = command.ok("select", "table.csv", "--history", "results.csv", "--budget", 60, "--seed", 1, "--out", "p.json")
    assert "Expect about" in said


@each("names", [("モデル", "前回"), ("модель", "сеть"), ("μοντέλο", "δίκτυο")])
def test_earlier_models_under_names_without_latin_letters_are_read_and_a_stored_plan_reads_them_as_it_did(files, names):
    results = pd.read_csv("results.csv")
    results.rename(columns={"v1": names[0], "v2": names[1]}).to_csv("named.csv", index=False)
    assert read("named.csv").history.losses.tolist() == read("results.csv").history.losses.tolist()
    results.rename(columns={"v2": names[1]}).to_csv("mixed.csv", index=False)
    table, stored = Path("table.csv"), TableChoices(rules=TRANSLATED)
    before = with_history_file(inputs_of_table(table), Path("mixed.csv"), table, stored).history
    assert before.losses.tolist() == read("results.csv").history.losses[:, :1].tolist()
    assert read("mixed.csv").history.losses.tolist() == read("results.csv").history.losses.tolist()
