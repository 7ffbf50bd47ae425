"""The project folder: what was stored is found again, and bad input or a bad disk loses nothing of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from tests.each import each

resource = pytest.importorskip("resource")  # Windows has none

TABLE = b"label,prediction,confidence\n" + b"".join(
    b"%d,%d,0.%02d\n" % (i % 3, (i + (i % 5 == 0)) % 3, 50 + i) for i in range(40)
)


def answer(session, row: int, number: int) -> None:
    event = Event(f"event-{number:04}", "answer", row, "tester", "2026-11-20T10:00:00+00:00", 1)
    assert session.record([event]).acknowledged


def test_a_table_and_its_session_are_found_again_by_another_process_to_the_vote(tmp_path):
    project = Project(tmp_path)
    subject = project.add_table("mine.csv", TABLE)
    session = project.start_session(subject.key, Request("rrs", budget=20, seed=1))
    rows = [draw.row for draw in session.upcoming(5)]
    for number, row in enumerate(rows):
        answer(session, row, number)
    again = Project(tmp_path)
    assert [entry.name for entry in again.entries() if not entry.demo] == ["mine.csv"]
    [record] = again.sessions()
    assert again.session(record.id).answers() == dict.fromkeys(rows, 1)


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b\x08\x00broken", b"prediction\n", b"a,b\n1,2\n", b"\x89PNG\r\n\x1a\n"])
def test_a_bad_table_is_refused_and_leaves_nothing_behind(tmp_path, data):
    project = Project(tmp_path)
    with pytest.raises(BadInput):
        project.add_table("bad.csv", data)
    assert [entry for entry in project.entries() if not entry.demo] == []


def test_a_table_that_is_gone_is_told_and_its_labels_stay(tmp_path):
    project = Project(tmp_path)
    subject = project.add_table("mine.csv", TABLE)
    session = project.start_session(subject.key, Request("srs", budget=5, seed=1))
    answer(session, session.upcoming(1)[0].row, 0)
    (tmp_path / "subjects" / subject.key / "table").unlink()
    again = Project(tmp_path)
    with pytest.raises(BadInput, match="Upload the same file again"):
        again.session(session.session_record.id)
    again.add_table("mine.csv", TABLE)
    assert len(again.session(session.session_record.id).answers()) == 1


@pytest.mark.parametrize(
    "record",
    [
        *(b"", b'{"name": "mi', b"\xff\xfe", b"[]", b'"mine"', b"[" * 100_000),
        *(b"{}", b'{"name": 5}', b'{"name": "mine.csv"}'),
        *(b'{"name": "mine.csv", "kind": ["own"]}', b'{"name": "mine.csv", "kind": "own"}'),
        *(b'{"name": "mine.csv", "tolerance": null, "top_k": "two"}', b'{"name": "mine.csv", "tolerance": [1]}'),
        b'{"name": "mine.csv", "tolerance": null, "columns": {"label": "a"}}',
        b'{"name": "mine.csv", "kind": "comparison", "truth": 5, "shown": [], "shown_by": null}',
        b'{"name": "mine.csv", "kind": "comparison", "shown": [], "shown_by": null}',
    ],
)
def test_a_damaged_record_hides_its_own_subject_alone_and_is_told_where_that_is_opened(tmp_path, record):
    project = Project(tmp_path)
    other, subject = (
        project.add_table("other.csv", TABLE.replace(b"0.50", b"0.51")),
        project.add_table("mine.csv", TABLE),
    )
    session = project.start_session(subject.key, Request("srs", budget=5, seed=1))
    answer(session, session.upcoming(1)[0].row, 0)
    (tmp_path / "subjects" / subject.key / "subject.json").write_bytes(record)
    again = Project(tmp_path)
    assert [entry.key for entry in again.entries() if not entry.demo] == [other.key]
    assert len(again.inputs(other.key)) == 40
    with pytest.raises(BadInput, match=r"cannot be read .* labels are still saved. Add the same files again"):
        again.session(session.session_record.id)
    again.add_table("mine.csv", TABLE)
    assert len(again.session(session.session_record.id).answers()) == 1


FACTS = {"layers": [], "roles": {}, "widths": {}, "input_shape": [4], "input_type": "float32", "channels": None}


@each("facts", [{}, {"facts": {**FACTS, "parameters": 1, "output": "logits"}}, {"facts": 5}])
def test_a_model_whose_record_is_damaged_is_told_and_its_files_are_not_looked_for(facts, tmp_path):
    opened = {"kind": "ONNX", "sha256": "0", "fingerprint": "f", "roles": {}, "settings": {}, **facts}
    record = {"kind": "own", "name": "mine", "model": "m", "dataset": "d", "training": None, "fingerprint": "f"}
    Project(tmp_path).store.close()
    (tmp_path / "subjects" / "own-1").mkdir(parents=True, exist_ok=True)
    (tmp_path / "subjects" / "own-1" / "subject.json").write_text(json.dumps({**record, "opened": opened}))
    with pytest.raises(BadInput, match=r"cannot be read .* labels are still saved. Add the same files again"):
        Project(tmp_path).subject("own-1")


def test_a_key_that_climbs_out_of_the_project_is_refused(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "subject.json").write_text('{"name": "x", "tolerance": null}')
    with pytest.raises(BadInput, match="no test set"):
        Project(tmp_path / "project").subject("../../outside")


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="--project"):
        Project(tmp_path / "file" / "project")


def test_a_bad_request_stores_no_session(tmp_path):
    project = Project(tmp_path)
    subject = project.add_table("mine.csv", TABLE)
    with pytest.raises(BadInput):
        project.start_session(subject.key, Request("rrs", budget=41, seed=1))
    assert project.sessions() == []


FULL = """
import resource, sys
from pathlib import Path
from testimate.core.errors import StoreUnavailable
from testimate.project.project import Project
from tests.each import each
project = Project(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
try:
    project.add_table("big.csv", sys.stdin.buffer.read())
except StoreUnavailable as error:
    print(error)
"""


def test_a_full_disk_is_told_and_the_half_written_table_is_not_there(tmp_path):
    lines = b"".join(b"%d,%d,0.5\n" % (i % 3, i % 3) for i in range(2000))
    done = subprocess.run(
        [sys.executable, "-c", "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + FULL, str(tmp_path)],
        input=b"label,prediction,confidence\n" + lines,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert b"could not be saved" in done.stdout
    assert [entry for entry in Project(tmp_path).entries() if not entry.demo] == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096
