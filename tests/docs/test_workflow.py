"""The checks of a pull request run what a person can run here: targets of the Makefile, and the scripts in .ci."""

import os
import re
import shlex

import pytest
import yaml

from tests.docs.pages import ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8"))
STEPS = [(job, step) for job, inside in WORKFLOW["jobs"].items() for step in inside["steps"] if "run" in step]
SYSTEM = {"apt-get", "python", "testimate"}
"""What every system has once its first steps are done; the rest is ours."""


def test_a_step_is_named_by_the_command_that_repeats_it():
    named = [(job, step["name"]) for job, step in STEPS if not step["run"].endswith(step["name"])]
    assert named == []


@pytest.mark.parametrize("command", sorted({step["run"] for _, step in STEPS}))
def test_a_step_runs_a_target_or_a_script_of_the_repository(command):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    program, *arguments = shlex.split(command)
    if program == "make":
        assert arguments[0] in targets
    elif program.startswith(".ci/"):
        assert os.access(ROOT / program, os.X_OK)
    else:
        assert program in SYSTEM


def test_every_stage_of_make_check_is_a_step_of_a_pull_request():
    stages = re.search(r"^STAGES := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert stages is not None
    run = {shlex.split(step["run"])[1] for _, step in STEPS if step["run"].startswith("make ")}
    assert set(stages[1].split()) <= run
