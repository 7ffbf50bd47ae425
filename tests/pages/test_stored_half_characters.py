"""A session in which half a character was stored opens, is shown, exported in every format and reported."""

import json

import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.bundle import write_bundle
from testimate.reports.exports import faults_csv, label_studio_json, labels_csv, labels_parquet, plan_json
from testimate.reports.people import votes_csv, votes_parquet
from testimate.reports.report import report_html

AT = "2026-11-20T10:00:00+00:00"
EXPORTS = {
    "report": lambda session: report_html(session).encode(),
    "faults": lambda session: faults_csv(session).encode(),
    "labels": lambda session: labels_csv(session).encode(),
    "labels as Parquet": labels_parquet,
    "votes": lambda session: votes_csv(session).encode(),
    "votes as Parquet": votes_parquet,
    "plan": lambda session: json.dumps(plan_json(session)).encode(),
    "Label Studio": lambda session: label_studio_json(session).encode(),
    "bundle": write_bundle,
}


@pytest.fixture
def session(project):
    """A session of 20 answers, the first of them wrong, whose flags were stored before such texts were refused."""
    made = project.start_session("digits", Request("rra", 60, 1))
    draws = made.upcoming(20)
    answers = [int(made.inputs.predictions[draw.row]) for draw in draws]
    answers[0] = (answers[0] + 1) % 10
    made.record(
        [
            Event(f"event-{place:04}", "answer", draw.row, "tester", AT, answer)
            for place, (draw, answer) in enumerate(zip(draws, answers, strict=True))
        ]
    )
    detail = json.dumps({"position": 0, "note": "x\ud800y", "reason": "\udfff", "k\ud800": {"n": ["\x00"]}})
    with project.store.transaction(writes=True) as connection:
        connection.exec_driver_sql(
            "insert into events (session, id, kind, row, tester, at, answer, seconds, stream, detail) "
            "values (?, 'old-event', 'flag', ?, 'tester', ?, null, null, 'selection', ?)",
            (made.session_record.id, draws[0].row, AT, detail),
        )
    made.refresh()
    return made


def test_results_of_a_session_with_a_stored_half_character_are_shown(session, opened):
    for page in ("results", "label"):
        test = opened(page, session=session.session_record.id)
        assert not test.exception
        assert [error.value for error in test.error] == []


def test_a_session_with_a_stored_half_character_is_exported_in_every_format(session):
    written = {name: export(session) for name, export in EXPORTS.items()}
    assert all(written.values())
    for name in ("report", "faults", "labels"):
        assert "x\ufffdy" in written[name].decode(), name
    assert not any(b"\xed\xa0\x80" in content or b"\\ud800" in content for content in written.values())


def test_a_session_with_a_stored_half_character_exports_at_the_terminal(session, project, tmp_path, command):
    for name in ("s.testimate", "r.html", "l.csv", "v.csv"):
        options = ["--votes"] if name == "v.csv" else []
        out = tmp_path / name
        command.ok("sessions", "export", session.session_record.id, "--project", project.folder, "--out", out, *options)
        assert out.stat().st_size
    command.ok("sessions", "replay", session.session_record.id, "--project", project.folder)
