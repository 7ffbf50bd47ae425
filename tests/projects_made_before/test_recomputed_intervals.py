"""Projects, bundles, reports and plans made before the method of the interval was kept reopen, and say what is new."""

import base64
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from testimate.planning.build import INTERVAL_METHOD
from testimate.planning.plan import read_plan
from testimate.project.bundle import import_bundle
from testimate.project.project import Project
from testimate.reports.report import report_html

MADE_BEFORE = Path(__file__).parent / "one_table"
POINTS = json.loads((MADE_BEFORE / "points.json").read_text())
ANEW = "made when intervals were computed by an earlier method, so its interval has been computed again"


@pytest.fixture
def folder(tmp_path):
    """A copy of the project, which opening may change."""
    return Path(shutil.copytree(MADE_BEFORE / "project", tmp_path / "project"))


@pytest.mark.parametrize("technique", ["rrs", "srs"])
def test_an_old_session_keeps_its_events_and_its_point_and_says_that_its_interval_is_new(folder, technique):
    before = POINTS[technique]
    session = Project(folder).session(before["session"])
    estimate = session.estimate()
    assert session.session_record.interval_method == ""
    assert len(session.history()) == 60
    assert estimate.accuracy == pytest.approx(before["accuracy"], abs=1e-12)
    assert estimate.low <= estimate.accuracy <= estimate.high
    assert ANEW in report_html(session)
    if before["skipped"]:
        assert estimate.high - estimate.low > 1.1 * (before["high"] - before["low"])
        assert estimate.low <= before["skipped_low"] < before["skipped_high"] <= estimate.high
        assert "12 unanswered inputs widen the fixed-size interval from ±" in report_html(session)


def test_a_session_made_now_keeps_the_method_and_says_nothing(folder):
    project = Project(folder)
    old = project.session(POINTS["rrs"]["session"])
    new = project.start_session(old.session_record.subject, old.session_record.request)
    new.record(old.history())
    assert project.store.record(new.session_record.id).interval_method == INTERVAL_METHOD
    # An old session keeps the bets and the interval it had; a new one aims at its plan, and allows for few labels.
    own = {"low": None, "high": None, "always_low": None, "always_high": None}
    made_now, made_then = new.estimate(), old.estimate()
    assert replace(made_now, **own) == replace(made_then, **own)
    assert made_now.low < made_then.low < made_then.high < made_now.high
    assert (old.selector.design.interval_version, new.selector.design.interval_version) == (1, 3)
    assert old.selector.design.aimed_at is None
    assert new.selector.design.aimed_at == old.session_record.request.budget
    assert ANEW not in report_html(new)


def test_an_old_bundle_and_the_one_in_an_old_report_are_the_same_session(folder):
    report = (MADE_BEFORE / "srs.html").read_text(encoding="utf-8")
    inside = base64.b64decode(re.search(r"data:application/zip;base64,([^\"]+)", report)[1])
    project = Project(folder)
    for data in ((MADE_BEFORE / "srs.testimate").read_bytes(), inside):
        session = import_bundle(project, data)
        assert session.session_record.id == POINTS["srs"]["session"]
        assert len(session.history()) == 60


def test_an_old_plan_is_estimated_with_the_present_interval_and_says_so(tmp_path, command):
    plan, votes = MADE_BEFORE / "plan.json", MADE_BEFORE / "votes.csv"
    assert read_plan(plan).interval_method == ""
    said = command("estimate", plan, votes)
    found = json.loads(command.ok("estimate", plan, votes, "--json", "-"))
    assert found["accuracy"] == pytest.approx(POINTS["rrs"]["accuracy"], abs=1e-12)
    assert ANEW in said.out + said.err
    assert ANEW in found["computed_anew"]
    read = read_plan(plan)
    read.write(tmp_path / "again.json")
    assert read_plan(tmp_path / "again.json") == read


def test_replay_says_what_was_skipped_and_what_is_new_in_words_and_json(folder, command):
    replay = ("sessions", "replay", POINTS["srs"]["session"], "--project", folder)
    words = command(*replay)
    found = json.loads(command.ok(*replay, "--json", "-"))
    for sentence in (found["estimate"]["skips"], found["estimate"]["computed_anew"]):
        assert sentence
        assert sentence in words.out + words.err
    assert "12 unanswered inputs widen the fixed-size interval from ±" in found["estimate"]["skips"]
