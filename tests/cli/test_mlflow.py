"""--mlflow: results as runs of a real MLflow, read back from its file store by its own client."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.project.project import Project
from tests.session.conftest import say
from tests.session.labeling import label_all

__all__ = ["say"]

HERE = importlib.util.find_spec("mlflow") is not None
needs_mlflow = pytest.mark.skipif(
    not HERE, reason="MLflow is not installed; install it with: pip install mlflow-skinny"
)

SIZE = 300
TRUTH = np.random.default_rng(1).integers(0, 3, SIZE)
ESTIMATE = ("estimate", "plan.json", "votes.csv")


@pytest.fixture
def labeled(tmp_path, monkeypatch, command):
    """Two versions' tables, a plan of the first with its votes, and an empty file store of MLflow."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # newer versions prefer a database
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    rng = np.random.default_rng(2)
    for name, wrong in (("v1.csv", 0.1), ("v2.csv", 0.3)):
        said = np.where(rng.random(SIZE) < wrong, (TRUTH + 1) % 3, TRUTH)
        lines = [f"k{row},c{place},{0.9 - row / 1000:.3f}" for row, place in enumerate(said)]
        Path(name).write_text("key,prediction,confidence\n" + "\n".join(lines) + "\n")
    command.ok("select", "v1.csv", "--technique", "rrs", "--budget", 60, "--seed", 1, "--out", "plan.json")
    rows = [draw["row"] for draw in json.loads(Path("plan.json").read_text())["draws"]]
    Path("votes.csv").write_text("row,label\n" + "".join(f"{row},c{TRUTH[row]}\n" for row in rows))
    return rows


def runs(folder: Path):
    """The runs of the experiment, oldest first, as MLflow's client reads them."""
    from mlflow import MlflowClient

    client = MlflowClient((folder / "runs").as_uri())
    experiment = client.get_experiment_by_name("letters")
    return client, client.search_runs([experiment.experiment_id], order_by=["attributes.start_time ASC"])


@needs_mlflow
def test_estimates_differences_and_reports_are_runs_with_the_ends_of_the_interval_that_counts(
    labeled, command, tmp_path, say
):
    said = json.loads(command.ok(*ESTIMATE, "--fail-under", 0.5, "--mlflow", "letters", "--json", "-"))
    reused = ("reuse", "v2.csv", "--plan", "plan.json", "--votes", "votes.csv", "--old", "v1.csv")
    second = json.loads(command.ok(*reused, "--mlflow", "letters", "--json", "-"))
    Path("votes.csv").write_text("row,label\n" + "".join(f"{row},c{TRUTH[row]}\n" for row in labeled[:40]))
    third = json.loads(command.ok(*ESTIMATE, "--mlflow", "letters", "--json", "-"))
    project = Project(tmp_path / "project")
    key = project.add_table("v1.csv", Path("v1.csv").read_bytes()).key
    session = project.start_session(key, Request("srs", 50, seed=1))
    label_all(session, say, dict(enumerate(TRUTH.tolist())))
    options = ("--project", "project", "--out", "report.html", "--mlflow", "letters")
    command.ok("sessions", "export", session.session_record.id, *options)

    client, found = runs(tmp_path)
    assert [run.info.run_name for run in found] == ["plan", "v2", "plan", "v1.csv"]
    assert [run.info.status for run in found] == ["FINISHED"] * 4
    first = found[0].data
    assert {name: first.metrics[name] for name in ("accuracy", "low", "high", "labeled")} == {
        name: said[name] for name in ("accuracy", "low", "high", "labeled")
    }
    assert first.tags["testimate.headline"] == "fixed"
    file = client.download_artifacts(found[0].info.run_id, "result.json")
    assert json.loads(Path(file).read_text()) == said
    assert "accuracy of at least" in Path(client.download_artifacts(found[0].info.run_id, "checks.md")).read_text()
    gap, logged = second["difference"], found[1].data.metrics
    names = ("difference", "difference_low", "difference_high")
    assert [logged[name] for name in names] == [gap["value"], gap["low"], gap["high"]]
    # left early: the interval that is good whenever one stops is the one that counts
    assert found[2].data.tags["testimate.headline"] == "always"
    assert [found[2].data.metrics[name] for name in ("low", "high")] == [third["always_low"], third["always_high"]]
    report = Path(client.download_artifacts(found[3].info.run_id, "report.html")).read_text()
    assert report == Path("report.html").read_text()
    assert found[3].data.metrics["accuracy"] == session.estimate().accuracy


@needs_mlflow
@pytest.mark.usefixtures("labeled")
def test_a_server_that_does_not_take_it_is_one_sentence(command, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "false")
    assert "want MLFLOW_ALLOW_FILE_STORE=true, too" in command.refusal(*ESTIMATE, "--mlflow", "letters")


@pytest.mark.usefixtures("labeled")
def test_without_the_extra_it_says_what_to_install(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    assert 'pip install "testimate[mlflow]"' in command.refusal(*ESTIMATE, "--mlflow", "letters")


@pytest.mark.usefixtures("labeled")
def test_what_is_no_result_or_no_name_is_refused_before_anything_is_logged(command, tmp_path):
    assert "no name" in command.refusal(*ESTIMATE, "--mlflow", " ")
    top_up = ("--top-up", 5, "--for", "accuracy", "--seed", 1, "--out", "more.json")
    options = ("--plan", "plan.json", "--votes", "votes.csv", "--old", "v1.csv", *top_up)
    assert "Leave one out" in command.refusal("reuse", "v2.csv", *options, "--mlflow", "letters")
    assert not (tmp_path / "more.json").exists()
    assert not (tmp_path / "runs").exists()
    Project(tmp_path / "project").store.close()
    refused = command.refusal(
        "sessions", "export", "none", "--project", "project", "--out", "votes2.csv", "--mlflow", "letters"
    )
    assert "ends in .html" in refused
