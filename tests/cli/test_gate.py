"""Gates of a build server: estimate and reuse end with 0 where a model passes, 1 where it fails, 3 where that is open."""

import json
import shlex
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
import yaml

from testimate import gate
from testimate.core.draw import Estimate
from testimate.estimators.version_difference import Difference
from testimate.reports.gate import accuracy_check, difference_check, junit, markdown, status_of
from tests.each import each

ROOT = Path(__file__).parents[2]
SIZE = 2000


@pytest.fixture
def repository(tmp_path, monkeypatch, command):
    """Two versions, v1 right on 80% and v2 on 90%, a plan of v1 and its votes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 4, SIZE)
    for name, wrong in (("v1", 0.2), ("v2", 0.1), ("worse", 0.5)):
        said = np.where(rng.random(SIZE) < wrong, (truth + 1) % 4, truth)
        lines = [f"k{row},{one},{rng.uniform(0.5, 1):.3f}" for row, one in enumerate(said)]
        Path(f"{name}.csv").write_text("key,prediction,confidence\n" + "\n".join(lines) + "\n")
    command.ok("select", "v1.csv", "--technique", "srs", "--budget", 300, "--seed", 1, "--out", "plan.json")
    rows = [draw["row"] for draw in json.loads(Path("plan.json").read_text())["draws"]]
    Path("votes.csv").write_text("row,label\n" + "".join(f"{row},{truth[row]}\n" for row in rows))
    return tmp_path


REUSE = ("--plan", "plan.json", "--votes", "votes.csv")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(("least", "status"), [(0.6, 0), (0.95, 1), (0.8, 3)])
def test_an_estimate_passes_fails_or_is_undecided_by_its_interval(least, status, command):
    said = command("estimate", "plan.json", "votes.csv", "--fail-under", least)
    assert said.status == status, said.err
    assert said.out.splitlines()[-1].startswith({0: "pass: ", 1: "fail: ", 3: "undecided: "}[status])
    alone = command("estimate", "plan.json", "votes.csv", "--fail-under", least, "--by", "estimate")
    assert alone.status in (0, 1)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("table", "more", "status"),
    [
        ("v2.csv", ("--fail-under", 0.8), 0),
        ("worse.csv", ("--fail-under", 0.8), 1),
        ("v2.csv", ("--no-worse-than", "v1.csv"), 0),
        ("worse.csv", ("--no-worse-than", "v1.csv", "--by-at-most", 5), 1),
        ("v2.csv", ("--no-worse-than", "v2.csv"), 0),
        ("worse.csv", ("--no-worse-than", "worse.csv", "--fail-under", 0.5), 3),
        ("worse.csv", ("--no-worse-than", "v2.csv", "--by-at-most", 90), 0),
    ],
)
def test_a_new_version_is_held_against_a_limit_and_another_version(table, more, status, command):
    assert command("reuse", table, *REUSE, *more).status == status


@pytest.mark.usefixtures("repository")
def test_a_plan_left_early_is_judged_by_its_stop_safe_interval(command):
    lines = Path("votes.csv").read_text().splitlines()
    Path("votes.csv").write_text("\n".join(lines[:150]) + "\n")
    found = json.loads(command.ok("estimate", "plan.json", "votes.csv", "--json", "-"))
    assert found["headline"] == "always"
    between = (found["always_low"] + found["low"]) / 2
    assert command("estimate", "plan.json", "votes.csv", "--fail-under", between).status == 3
    assert command("estimate", "plan.json", "votes.csv", "--fail-under", found["always_low"]).status == 0


@pytest.mark.usefixtures("repository")
def test_json_goes_to_stdout_alone_and_names_the_checks(command):
    said = command("reuse", "worse.csv", *REUSE, "--fail-under", 0.8, "--json", "-")
    assert said.status == 1
    (check,) = json.loads(said.out)["checks"]
    assert (check["outcome"], check["name"]) == ("fail", "accuracy of at least 80.00%")
    assert said.err.startswith("fail: ")


@pytest.mark.usefixtures("repository")
def test_what_belongs_to_no_gate_is_refused(command):
    plain = ("estimate", "plan.json", "votes.csv")
    assert "Expected a share from 0 to 1" in command.refusal(*plain, "--fail-under", 90)
    assert "Expected low or estimate" in command.refusal(*plain, "--fail-under", 0.9, "--by", "high")
    assert "nothing to check" in command.refusal(*plain, "--junit", "found.xml")
    assert "would be overwritten" in command.refusal(*plain, "--fail-under", 0.9, "--summary", "votes.csv")
    assert "with --no-worse-than" in command.refusal("reuse", "v2.csv", *REUSE, "--by-at-most", 2)
    command.ok("select", "v1.csv", "--technique", "sups", "--budget", 100, "--seed", 1, "--out", "plan.json")
    rows = dict.fromkeys(draw["row"] for draw in json.loads(Path("plan.json").read_text())["draws"])
    Path("votes.csv").write_text("row,label\n" + "".join(f"{row},0\n" for row in rows))
    refusal = command.refusal("reuse", "v2.csv", *REUSE, "--no-worse-than", "v1.csv")
    assert "no difference of versions is estimated" in refusal


ESTIMATE = Estimate(0.9, 0.02, 0.86, 0.93, 0.95, 200, 0, "m", "d", always_low=0.82, always_high=0.95)


@each(
    ("headline", "least", "outcome"),
    [
        ("fixed", 0.86, "pass"),
        ("fixed", 0.861, "undecided"),
        ("fixed", 0.93, "undecided"),
        ("fixed", 0.931, "fail"),
        ("always", 0.86, "undecided"),
        ("always", 0.951, "fail"),
        (None, 0.5, "undecided"),
    ],
)
def test_the_ends_of_the_interval_that_counts_decide(headline, least, outcome):
    assert accuracy_check(ESTIMATE, headline, least, "low").outcome == outcome


def test_a_difference_may_lose_as_many_points_as_allowed():
    gap = Difference(-0.01, 0.005, -0.02, 0.001)
    assert [difference_check(gap, "fixed", points, "low").outcome for points in (2, 1.9, 0)] == [
        "pass",
        "undecided",
        "undecided",
    ]
    assert [difference_check(gap, "fixed", points, "estimate").outcome for points in (1, 0)] == ["pass", "fail"]
    assert (
        difference_check(gap, "fixed", 2, "low").why == "New minus old is -1.00 points, interval -2.00 to +0.10 points."
    )


def test_junit_and_markdown_hold_every_check_in_forms_that_others_read():
    checks = [accuracy_check(ESTIMATE, "fixed", least, "low") for least in (0.8, 0.9, 0.99)]
    suite = ElementTree.fromstring(junit(checks))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[part.tag for part in case] for case in suite] == [["system-out"], ["error"], ["failure"]]
    assert markdown(checks).count("\n") == 5
    assert status_of(checks) == 1


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("server", ["github", "gitlab"])
def test_the_build_files_of_the_how_to_page_run_the_gate(server, command):
    page = (ROOT / "docs/how-to/gate.md").read_text()
    name = {"github": ".github/workflows/accuracy.yml", "gitlab": ".gitlab-ci.yml"}[server]
    text = page.split(f'```yaml title="{name}"\n')[1].split("```")[0]
    job = yaml.safe_load(text)
    if server == "github":
        lines = [step["run"] for step in job["jobs"]["accuracy"]["steps"] if "run" in step]
    else:
        lines = job["accuracy"]["script"]
        assert job["accuracy"]["artifacts"]["reports"]["junit"] == "accuracy.xml"
    install, gate = (shlex.split(line.replace("$GITHUB_STEP_SUMMARY", "accuracy.md")) for line in lines)
    assert install[-1] == gate[0] == "testimate"
    assert command(*gate[1:]).status == 0
    assert ElementTree.parse("accuracy.xml").getroot().get("tests") == "2"
    assert "**pass**" in Path("accuracy.md").read_text()


UNTIL = ("reuse", "v2.csv", "--until-decided", "--by-at-most", 5)


def answered(truth, count):
    """The first inputs of the gate's plan, labeled."""
    rows = [draw["row"] for draw in json.loads(Path("gate.json").read_text())["draws"]][:count]
    Path("gate.csv").write_text("row,label\n" + "".join(f"{row},{truth[row]}\n" for row in rows))


@pytest.mark.usefixtures("repository")
def test_a_gate_until_decided_goes_on_with_votes_to_its_answer(command):
    truth = np.random.default_rng(7).integers(0, 4, SIZE)
    begun = command(*UNTIL, "--old", "v1.csv", "--seed", 1, "--out", "gate.json")
    assert begun.status == 3, begun.err
    assert "in random order" in begun.out
    more = ("--plan", "gate.json", "--votes", "gate.csv", "--junit", "gate.xml")
    statuses = []
    for count in (2, 10, 200):
        answered(truth, count)
        statuses.append(command(*UNTIL, *more).status)
    assert statuses == [3, 3, 0]
    assert ElementTree.parse("gate.xml").getroot().get("failures") == "0"
    worse = command("reuse", "v1.csv", *UNTIL[2:], "--no-worse-than", "v2.csv", *more)
    assert worse.status == 1, worse.err


@pytest.mark.usefixtures("repository")
def test_old_labels_count_first_and_may_decide_a_gate_alone(command):
    said = command(*UNTIL, *REUSE)
    assert said.status == 0, said.err
    assert said.out.startswith("pass: ")
    python = gate("v2.csv", by_at_most=5, plan="plan.json", votes="votes.csv")
    assert python.passed
    assert said.out.splitlines()[-1].endswith(python.now.why)


@pytest.mark.usefixtures("repository")
def test_a_gate_says_before_it_starts_how_many_labels_it_takes(command):
    lines = command.ok(*UNTIL, "--old", "v1.csv", "--expect").splitlines()
    assert [line.split(" points")[0] for line in lines] == [
        "if it is +5",
        "if it is +0",
        "if it is -2.5",
        "if it is -10",
    ]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("reuse", "v2.csv", "--until-decided"), "no plan and no old version"),
        ((*UNTIL, "--old", "v1.csv", "--seed", 1), "--seed and --out"),
        ((*UNTIL, "--old", "v1.csv", "--fail-under", 0.5), "--fail-under"),
        ((*UNTIL, "--old", "v1.csv", "--risk", 0.7), "risk"),
        (("reuse", "v2.csv", *REUSE, "--expect"), "--until-decided"),
        (("reuse", "v2.csv"), "--plan"),
        (("reuse", "v2.csv", "--until-decided", "--by-at-most", 101, "--old", "v1.csv"), "--by-at-most"),
    ],
)
def test_a_gate_until_decided_refuses_what_does_not_go_together(line, words, command):
    said = command(*line)
    assert said.status == 2
    assert words in said.err
    assert not Path("gate.json").exists()


@pytest.mark.usefixtures("repository")
def test_outputs_to_judge_have_no_gate_and_are_shown_the_comparison_side_by_side(command):
    Path("answers.csv").write_text("input,output\n" + "".join(f"question {n},answer {n}\n" for n in range(60)))
    said = command("reuse", "answers.csv", "--until-decided", "--by-at-most", 2, "--old", "answers.csv")
    assert said.status == 2
    assert "output_a and output_b" in said.err
